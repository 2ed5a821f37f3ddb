import type { Child, ChildConfig } from "../core/child.ts";
import { OrcsError } from "../core/errors.ts";
import type { HookLimit } from "../core/hook.ts";
import type { Json } from "../core/json.ts";
import type { Authority, CheckedPermission, GrantKind } from "../core/permission.ts";
import type { Logger, ToolAnswer } from "../core/ports.ts";
import { nearest } from "../core/text.ts";
import type { DispatchOptions } from "../registry/registry.ts";
import type { InvokeHost } from "../registry/invoke.ts";

/** The caller of a call, and the signal that ends it. */
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

/** Bounds of a runtime; times in milliseconds. */
export interface RuntimeLimits {
  /** Events and requests that may wait for one channel. */
  readonly mailbox: number;
  /** A request, event or run of a child that says nothing else. */
  readonly requestMs: number;
  /** Each of `init`, `restore`, `onSignal`, `shutdown` and `snapshot`. */
  readonly lifecycleMs: number;
  /** How long a channel that ends waits for the request it serves. */
  readonly graceMs: number;
  /** Children of one parent. */
  readonly children: number;
  /** Children of one component, theirs included: a tree of them would have no other bound. */
  readonly descendants: number;
  /** How deep children may be nested. */
  readonly childDepth: number;
  readonly channels: number;
}

export const DEFAULT_LIMITS: RuntimeLimits = {
  mailbox: 1024,
  requestMs: 30_000,
  lifecycleMs: 10_000,
  graceMs: 5000,
  children: 64,
  descendants: 1024,
  childDepth: 8,
  channels: 10_000,
};

/**
 * The limits with the defaults filled in.
 * @throws OrcsError ORCS1003 (unknown), ORCS1004 (no whole number from 1; graceMs: from 0)
 */
export function filledLimits(given: Partial<RuntimeLimits> = {}): RuntimeLimits {
  const filled: Record<keyof RuntimeLimits, number> = { ...DEFAULT_LIMITS };
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(filled, key)) {
      const meant = nearest(key, Object.keys(filled));
      const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
      throw new OrcsError("ORCS1003", `a runtime has no limit ${key}${hint}`, { key });
    }
    // No wait for what is served is a grace, too.
    const least = key === "graceMs" ? 0 : 1;
    if (!Number.isSafeInteger(value) || value < least) {
      const why = `the runtime limit ${key} must be an integer >= ${least}`;
      throw new OrcsError("ORCS1004", why, { key });
    }
    filled[key as keyof RuntimeLimits] = value;
  }
  return filled;
}

/** Keeps what components want to begin with next time. */
export interface SnapshotStore {
  /**
   * What a component saved last; undefined when there is none. One that does not parse or is of another
   * version is set aside (renamed, never overwritten), told to the log, and counts as none.
   * @param component `namespace::name` or `namespace::name#instance`
   * @throws OrcsError ORCS6013 when it cannot be read; it must not be saved over then
   */
  load(component: string): Promise<Json | undefined>;
  /** Whole or not at all; of two at a time the later one stays. */
  save(component: string, snapshot: Json): Promise<void>;
}
