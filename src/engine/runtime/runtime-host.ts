import type {
  Authority,
  Child,
  ChildConfig,
  GrantKind,
  HookLimit,
  Json,
  Logger,
  Tool,
  ToolAnswer,
  Permission,
} from "../../core/index.ts";
import type { DispatchOptions, InvokeHost } from "../registry/index.ts";
import type { RuntimeLimits } from "./runtime-limits.ts";

/** The caller of a call, and the signal that ends it. */
export type CallFor = DispatchOptions & { readonly signal?: AbortSignal | undefined };

/** The owner of a child's script. */
export interface ChildPlace {
  readonly name: string;
  readonly owner: string;
  readonly mayHook: boolean;
  /** Limits of its hooks. */
  readonly limit: HookLimit;
}

/** What the runtime needs from its engine. */
export interface RuntimeHost extends InvokeHost {
  readonly logger: Logger;
  readonly limits: RuntimeLimits;
  /** The default authority of components. */
  readonly authority: Authority;
  readonly tools: {
    /** Run a tool through its hooks. */
    get(kind: string, arg: Json | undefined, call: CallFor): Promise<ToolAnswer>;
    /**
     * Offer a tool to all calls of the engine.
     * @returns withdraws it
     * @throws OrcsError ORCS6002 when there is a tool of this name
     */
    offer(tool: Tool): () => void;
  };
  readonly checks: {
    /** The permission of a command as the hooks left it, through `auth.pre_check` and `auth.post_check`. */
    check(
      command: string,
      call: CallFor,
    ): Promise<{ readonly command: string; readonly permission: Permission }>;
    /**
     * Grant commands. Approval is requested first unless the caller's session is elevated.
     * @throws OrcsError ORCS6008, ORCS6012
     */
    grant(pattern: string, kind: GrantKind, call: CallFor): Promise<void>;
    /**
     * Ask for an approval.
     * @returns why it was denied; undefined when it was approved
     */
    approval(operation: string, description: string, call: CallFor): Promise<string | undefined>;
  };
  /**
   * Load the child from the script of its configuration.
   * @param child its `name` for messages, the owner of its hooks, and whether it may register any
   * @throws OrcsError ORCS1009, ORCS6007, ORCS6010, and what loading a script throws
   */
  loadChild(config: ChildConfig, child: ChildPlace): Promise<Child>;
}
