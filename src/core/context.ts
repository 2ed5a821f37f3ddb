import type { RuntimeAccess } from "./child.ts";
import type { DispatchIds, Lineage } from "./dispatch-ids.ts";
import type { Hook, HookLimit } from "./hook.ts";
import type { Authority } from "./permission.ts";
import type { PayloadOf } from "./points.ts";
import type { Tool } from "./tools.ts";

/** The initiator of an action. */
export interface Principal {
  readonly type: string;
  readonly id: string;
}

/**
 * The context of a hook. The key names are the wire format in Lua, JSON and TypeScript. Hooks may edit `payload` and
 * `metadata`; the rest is read-only. Source: ADR-002 §4.2, design.md §4.
 */
export interface HookContext<P extends string = string> {
  readonly hook_point: P;
  /** The component that the hook's FQL is matched against, as `namespace::name`. */
  readonly component_id: string;
  readonly channel_id: string;
  readonly principal: Principal;
  /**
   * Start of the chain, in milliseconds since the engine started: monotonic, an integer. Without hooks, the time of the
   * last clock reading.
   */
  readonly timestamp_ms: number;
  payload: PayloadOf<P>;
  /** Carried from the pre point to the post point of one operation. */
  metadata: Record<string, unknown>;
  /** Nesting depth of this dispatch. */
  readonly depth: number;
  /** At this depth a pre point denies and other points are skipped. */
  readonly max_depth: number;
}

/** What an FQL pattern is matched against: a component, and the child and channel instance if any. */
export interface Address {
  /** `namespace::name`. */
  readonly component: string;
  /** Child path, such as `agent-1/sub-worker`. */
  readonly child?: string | undefined;
  /** Channel instance, such as `primary`. */
  readonly instance?: string | undefined;
}

/** The caller of a dispatch, and what its hooks may do on behalf of that caller. */
export interface Caller extends Address, Omit<Lineage, "links"> {
  /** Default: the engine's own. */
  readonly authority?: Authority | undefined;
  /** Undefined outside the runtime. */
  readonly runtime?: RuntimeAccess | undefined;
  /** The permissions of the hook that makes these calls. */
  readonly limit?: HookLimit | undefined;
  /** Tools in addition to those of the engine. */
  readonly tools?: ((name: string) => Tool | undefined) | undefined;
  /** Of the dispatch that it makes; only while somebody listens. */
  readonly ids?: DispatchIds | undefined;
  /** Aborts when nobody waits for the call any more. */
  readonly signal?: AbortSignal | undefined;
  /** Gets the chain of each dispatch when it begins. */
  readonly follows?: ((chain: RunningChain) => void) | undefined;
}

/** A chain, as far as it can be watched from outside. */
export interface RunningChain {
  /** The hook whose turn it is. */
  readonly running: Pick<Hook, "id" | "timeoutMs"> | undefined;
}

/** The default component of a call. */
export const DEFAULT_COMPONENT = "host::main";
/** Default limit of nested dispatches (ADR-002 §14.4). */
export const DEFAULT_MAX_DEPTH = 4;
