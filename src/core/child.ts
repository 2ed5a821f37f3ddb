import type { SignalKind, SignalResponse } from "./component.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Authority, CapabilityName, CheckedPermission, GrantKind } from "./permission.ts";
import type { CallScope } from "./ports.ts";

/** Something a component or another child runs on its behalf, with no more than it may do itself. */
export interface Child {
  /** What it throws is an error for whoever runs it. The answer must be JSON; undefined counts as null. */
  run(input: Json, context: ChildContext): unknown;
  /** Whether its state is lost, for example because its script was killed: it has failed, and its id is free again. */
  isLost?(): boolean;
  /** Free what it holds. */
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
  /** Lua in place of a file. */
  readonly code?: string | undefined;
  /** For the script, as `orcs.options`. */
  readonly options?: JsonObject | undefined;
  /** Wall clock of one run, in milliseconds. */
  readonly timeout_ms?: number | undefined;
  /** `false` removes the parent's elevation. */
  readonly elevated?: boolean | undefined;
}

/** The way into the runtime of a call: what the caller may ask for, also from the hooks that serve it. */
export interface RuntimeAccess {
  /** @param at nesting of what is asked for, the metadata it starts with, and what the asker may do */
  at(at: {
    readonly depth: number;
    readonly metadata: Readonly<Record<string, unknown>>;
    readonly authority: Authority;
  }): CallScope;
}

/** The result of a spawn. */
export type Spawned =
  | { readonly child_id: string; readonly capabilities: number }
  /** A hook answered in place of the child. */
  | { readonly skipped: Json };

export interface RequestOptions {
  /** Default `Request`. */
  readonly category?: string | undefined;
  readonly timeout_ms?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * What components and children may do, bound to who they are and to the call they serve: component,
 * channel, principal and capabilities are filled in by the runtime. Calls made through it carry the
 * metadata of the request or run that it was made for.
 */
export interface ChildContext extends CallScope {
  /** `namespace::name`. */
  readonly component: string;
  /** Path of the child, `agent-1/sub-worker`; undefined for the component itself. */
  readonly child: string | undefined;
  readonly channel: string;
  /** Bits. */
  readonly capabilities: number;
  /** Whether commands need no grant. */
  readonly elevated: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Aborts when nobody waits for the answer any more: it took too long, was cancelled, or the channel ends. */
  readonly signal: AbortSignal;
  /**
   * Ask a component.
   * @throws OrcsError ORCS2001 (a hook refused), ORCS6001, ORCS6003–6006, ORCS6011
   */
  request(
    target: string,
    operation: string,
    payload?: Json,
    options?: RequestOptions,
  ): Promise<Json>;
  /** Send an event to all subscribers; resolves to their number. */
  emit(category: string, operation: string, payload?: Json): Promise<number>;
  /**
   * Start a child.
   * @param child what it runs; default the script of the config
   * @throws OrcsError ORCS2001, ORCS6002, ORCS6007, ORCS6009, ORCS6010, and for its script what loading one throws
   */
  spawnChild(config: ChildConfig, child?: Child): Promise<Spawned>;
  /**
   * Run a child on an input and wait for what it answers.
   * @throws OrcsError ORCS2001, ORCS6001, ORCS6003–6006, ORCS6011, ORCS6014
   */
  runChild(id: string, input?: Json, options?: { signal?: AbortSignal | undefined }): Promise<Json>;
  /** As `runChild`, without waiting: a failure is logged. @throws OrcsError ORCS6001 */
  sendToChild(id: string, input?: Json): void;
  /** End a child and its children; whether there was one. */
  stopChild(id: string): Promise<boolean>;
  /** What a command would need; nothing is run, asked or used up. */
  checkCommand(command: string): Promise<CheckedPermission>;
  /**
   * Let commands that begin with these words run without asking. Somebody is asked first unless the session
   * is elevated.
   * @throws OrcsError ORCS6008 when it was refused, ORCS6012 for a pattern that is no plain prefix
   */
  grantCommand(pattern: string, kind?: GrantKind): Promise<void>;
  /**
   * Signal a component, oneself included; others need the capability SPAWN, and so do `approve` and `reject`,
   * which are about others.
   * @throws OrcsError ORCS2001, ORCS6001, ORCS6003–6007, ORCS6010, ORCS6011
   */
  sendSignal(
    target: string,
    kind: SignalKind,
    more?: { readonly reason?: string | undefined; readonly approval_id?: string | undefined },
  ): Promise<SignalResponse>;
}
