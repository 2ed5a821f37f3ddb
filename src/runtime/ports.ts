import type { Child, ChildConfig } from "../core/child.ts";
import type { HookLimit } from "../core/hook.ts";
import type { Json } from "../core/json.ts";
import type { Authority, CheckedPermission, GrantKind } from "../core/permission.ts";
import type { Logger, ToolAnswer } from "../core/ports.ts";
import type { DispatchOptions } from "../registry/context-maker.ts";
import type { InvokeHost } from "../registry/invoke.ts";
import type { RuntimeLimits } from "./limits.ts";
import type { SnapshotStore } from "./snapshots.ts";

/** Whom a call concerns, and what ends it. */
export type CallFor = DispatchOptions & { readonly signal?: AbortSignal | undefined };

/** Whose script a child's is. */
export interface ChildPlace {
  readonly name: string;
  readonly owner: string;
  readonly mayHook: boolean;
  /** What its hooks may at most. */
  readonly limit: HookLimit;
}

/** What the runtime needs of the engine that it stands on. */
export interface RuntimeHost extends InvokeHost {
  readonly logger: Logger;
  readonly limits: RuntimeLimits;
  /** What components may do that are given nothing less. */
  readonly authority: Authority;
  /** Missing when nothing is kept from one run to the next. */
  readonly snapshots: SnapshotStore | undefined;
  /** Run a tool through its hooks. */
  get(kind: string, arg: Json | undefined, call: CallFor): Promise<ToolAnswer>;
  /** What a command would need, through `auth.pre_check` and `auth.post_check`. */
  checkCommand(command: string, call: CallFor): Promise<CheckedPermission>;
  /**
   * Grant commands; somebody is asked first unless the caller's session is elevated.
   * @throws OrcsError ORCS6008, ORCS6012
   */
  grantCommand(pattern: string, kind: GrantKind, call: CallFor): Promise<void>;
  /**
   * The child that a configuration's script makes.
   * @param child its `name`, for messages; in whose name its hooks are registered; whether it may state any
   * @throws OrcsError ORCS1009, ORCS6007, ORCS6010, and what loading a script throws
   */
  loadChild(config: ChildConfig, child: ChildPlace): Promise<Child>;
}
