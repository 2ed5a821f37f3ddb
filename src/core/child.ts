import type { Lineage } from "./dispatch-ids.ts";
import type { SignalKind, SignalResponse } from "./component.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Authority, CapabilityName, CheckedPermission, GrantKind } from "./permission.ts";
import type { CallScope } from "./ports.ts";

/** Something that a component or another child runs, with at most its own permissions. */
export interface Child {
  /** What it throws is an error for its caller. The result must be JSON; undefined counts as null. */
  run(input: Json, context: ChildContext): unknown;
  /** Whether its state is lost, for example because its script was killed: it has failed, and its id is free again. */
  isLost?(): boolean;
  /** Free its resources. */
  dispose?(): void | Promise<void>;
}

/** The configuration of a child. As JSON it is `payload.child_config` of `child.pre_spawn`. */
export interface ChildConfig {
  /** One segment of a path, unique among its siblings. */
  readonly id: string;
  /** The requested capabilities; default those of its parent. It gets the intersection of both. */
  readonly capabilities?: readonly CapabilityName[] | undefined;
  /** Lua file under the script folders: it returns a function of its input, or a table with `run`. */
  readonly script?: string | undefined;
  /** Lua code instead of a file. */
  readonly code?: string | undefined;
  /** Available to the script as `orcs.options`. */
  readonly options?: JsonObject | undefined;
  /** Time limit of one run in milliseconds. */
  readonly timeout_ms?: number | undefined;
  /** `false` removes the parent's elevation; `true` is an error when the parent has none. */
  readonly elevated?: boolean | undefined;
}

/** Access to the runtime for a call: what the caller may request, also through the hooks that serve it. */
export interface RuntimeAccess {
  /** Channels that wait for the call, outermost first, that of the caller included. */
  readonly via: readonly string[];
  /** @param at nesting depth of the request, its initial metadata, and the authority of the requester */
  at(at: {
    readonly depth: number;
    readonly metadata: Readonly<Record<string, unknown>>;
    readonly authority: Authority;
    readonly lineage?: Lineage | undefined;
  }): CallScope;
}

/** The result of a spawn. */
export type Spawned =
  | { readonly child_id: string; readonly capabilities: number }
  /** A hook skipped the creation of the child. */
  | { readonly skipped: Json };

export interface RequestOptions {
  /** Default `Request`. */
  readonly category?: string | undefined;
  readonly timeout_ms?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One request of several. */
export interface BatchRequest extends Omit<RequestOptions, "signal"> {
  readonly target: string;
  readonly operation: string;
  readonly payload?: Json | undefined;
}

/** The answer to a request for approval. */
export type Approval =
  | { readonly approved: true }
  | { readonly approved: false; readonly reason: string };

/**
 * What components and children can do, bound to their identity and to the call they serve: component, channel,
 * principal and capabilities are filled in by the runtime. Calls made through it carry the metadata of the request or
 * run it was created for.
 */
export interface ChildContext extends CallScope {
  /** `namespace::name`. */
  readonly component: string;
  /** Path of the child, `agent-1/sub-worker`; undefined for the component itself. */
  readonly child: string | undefined;
  readonly channel: string;
  /** Capability bits. */
  readonly capabilities: number;
  /** Whether commands need no grant. */
  readonly elevated: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Aborts when the result is no longer needed: after a timeout, when cancelled, or when the channel ends. */
  readonly signal: AbortSignal;
  /**
   * Send a request to a component.
   * @throws OrcsError ORCS2001 (denied by a hook), ORCS6001, ORCS6003–6006, ORCS6011
   */
  request(
    target: string,
    operation: string,
    payload?: Json,
    options?: RequestOptions,
  ): Promise<Json>;
  /**
   * Send several requests at once, and wait for all.
   * @returns the response, or the error, of each, in the same order
   * @throws OrcsError ORCS6010 for an invalid one; none is sent then
   */
  requestBatch(
    requests: readonly BatchRequest[],
    options?: Pick<RequestOptions, "signal">,
  ): Promise<readonly PromiseSettledResult<Json>[]>;
  /** Send an event to all subscribers; resolves to their number. */
  emit(category: string, operation: string, payload?: Json): Promise<number>;
  /**
   * Start a child.
   * @param child the child to run; default: the script of the config
   * @throws OrcsError ORCS2001, ORCS6002, ORCS6007, ORCS6009, ORCS6010, ORCS6015, and errors from loading its script
   */
  spawnChild(config: ChildConfig, child?: Child): Promise<Spawned>;
  /**
   * Run a child with an input and wait for its result.
   * @throws OrcsError ORCS2001, ORCS6001, ORCS6003–6006, ORCS6011, ORCS6014
   */
  runChild(id: string, input?: Json, options?: { signal?: AbortSignal | undefined }): Promise<Json>;
  /** As `runChild`, without waiting: a failure is logged. @throws OrcsError ORCS6001 */
  sendToChild(id: string, input?: Json): void;
  /** End a child and its descendants. @returns whether it existed */
  stopChild(id: string): Promise<boolean>;
  /** The permission that a command needs; nothing is run, no approval is asked for, no grant is consumed. */
  checkCommand(command: string): Promise<CheckedPermission>;
  /**
   * Grant commands that begin with these words, so that they run without asking. Needs approval unless the session is
   * elevated.
   * @throws OrcsError ORCS6008 when it was denied, ORCS6012 when the pattern is not a plain prefix
   */
  grantCommand(pattern: string, kind?: GrantKind): Promise<void>;
  /**
   * Ask whoever approves calls about something of one's own, and wait for the answer. It permits nothing by itself. An
   * elevated caller asks as well; without anybody to ask it is a denial.
   * @param operation one word for what is to be done
   * @param description for the person who decides
   */
  requestApproval(operation: string, description: string): Promise<Approval>;
  /**
   * Send a signal to a component. Signals to others need the capability SPAWN, as do `approve` and `reject`, which are
   * about calls of others.
   * @throws OrcsError ORCS2001, ORCS6001, ORCS6003–6007, ORCS6010, ORCS6011
   */
  sendSignal(
    target: string,
    kind: SignalKind,
    more?: { readonly reason?: string | undefined; readonly approval_id?: string | undefined },
  ): Promise<SignalResponse>;
}
