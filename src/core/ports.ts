import type { StoreErrorMode } from "./hook.ts";
import type { Json, JsonObject } from "./json.ts";
import type { RuntimeVerb } from "./runtime-verbs.ts";

/** Receives log messages. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
  /** Whether messages of a level are written; default all. Messages that are not written need not be masked. */
  hears?(level: LogLevel): boolean;
}

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A logger that does the same with all levels. */
export function loggerOf(
  write: (level: LogLevel, message: string) => void,
): Pick<Logger, LogLevel> {
  return {
    debug: (message) => write("debug", message),
    info: (message) => write("info", message),
    warn: (message) => write("warn", message),
    error: (message) => write("error", message),
  };
}

/** Drops every message. */
export const QUIET: Logger = { ...loggerOf(() => undefined), hears: () => false };

/** Masks secrets in what is logged or sent. Runs in linear time. */
export interface Redactor {
  /** The text with its secrets masked; the same string if there are none. */
  text(text: string): string;
  /**
   * The value with secrets in its strings masked, as well as everything under a key that indicates a secret, such as
   * `password`. Parts without secrets are shared with the original.
   */
  value<T extends Json | undefined>(value: T): T;
}

/** Time source, replaceable in tests. */
export interface Clock {
  /** Milliseconds since the engine started: monotonic, with fractions. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Milliseconds since 1970, for `orcs.time`; default: the system's. */
  wallMs?(): number;
  /** Whether `orcs.date` uses UTC instead of the system's time zone. */
  readonly isUtc?: boolean;
}

/** Result of a tool call: always an object with `ok`, never an exception. */
export type ToolAnswer =
  | { ok: true; [key: string]: Json }
  | { ok: false; error: string; [key: string]: Json };

/**
 * What hooks can do while they serve a call. It is bound to that call: tool calls made through it are dispatched one
 * level deeper, with the call's component, channel and principal.
 */
export interface CallScope {
  readonly depth: number;
  /** Whether hooks may be registered; default yes. */
  readonly mayHook?: boolean;
  /** `orcs.state`, for hooks written in TypeScript. */
  readonly state?: StateStore;
  /**
   * For a hook in shadow: note something that has effects outside of the hook, such as `webhook`.
   * @returns whether it may take place
   */
  effect?(call: string): boolean;
  /** Note a line that the hook logs. */
  said?(line: string): void;
  /** Run a tool through its pre and post hooks. */
  get(kind: string, arg?: Json, options?: GetOptions): Promise<ToolAnswer>;
  /**
   * At a pre point: keep what the call may change, and the work tree of its folder, so that `orcs undo` can restore it.
   * @returns `id`, and `complete`: whether all that the call may remove or overwrite is in it; never rejects
   */
  snapshot?(reason: string): Promise<ToolAnswer>;
  /**
   * Call a runtime function, with arguments as in `RUNTIME_VERBS`; missing outside the runtime.
   * @param metadata what the contexts of its dispatches have besides that of the caller
   * @returns a result with `ok`; denials and failures are returned, never thrown
   */
  verb?(
    name: RuntimeVerb,
    args: readonly (Json | undefined)[],
    signal: AbortSignal,
    metadata?: JsonObject,
  ): Promise<Json>;
}

/** The runtime functions of a scope. */
export type ScopeVerb = NonNullable<CallScope["verb"]>;

/** Options of `orcs.get`. */
export interface GetOptions {
  metadata?: JsonObject | undefined;
  signal?: AbortSignal | undefined;
}

/** A result, or the promise of one from a store that is elsewhere. */
export type Awaitable<T> = T | Promise<T>;

/**
 * Values shared by hooks: per engine, atomic, kept across reloads. With `[state] url` they are on a server, and
 * operations return promises: `await` works with both.
 */
export interface StateStore<Waits extends boolean = boolean> {
  /** Whether operations can return promises. */
  readonly waits: Waits;
  get(key: string): Result<Waits, Json | undefined>;
  set(key: string, value: Json): Result<Waits, void>;
  /** @returns whether the key existed */
  delete(key: string): Result<Waits, boolean>;
  /**
   * Add `by` and return the sum; with `ttlMs` the counter starts again that long after its first increment.
   * @param max if the sum would be more, nothing is added, and the result is undefined
   */
  incr(key: string, by: number, ttlMs?: number): Result<Waits, number>;
  incr(key: string, by: number, ttlMs?: number, max?: number): Result<Waits, number | undefined>;
  /**
   * Set a value only if the key has the expected one; undefined stands for no value in both.
   * @returns whether it was set
   */
  compareAndSet(
    key: string,
    expected: Json | undefined,
    value: Json | undefined,
  ): Result<Waits, boolean>;
}

/** The result of an operation: not a promise, if the store never waits. */
type Result<Waits extends boolean, T> = Waits extends false ? T : Awaitable<T>;

/** A store in this process or in a file: it never waits. */
export type LocalStateStore = StateStore<false>;

/** An operation of a state, and its arguments. */
export type StateOperation = Exclude<keyof StateStore, "waits">;
export type StateArgs = readonly [key: string, ...more: (Json | undefined)[]];

/** Run an operation of a state by its name. */
export function operate(state: StateStore, operation: StateOperation, args: StateArgs): unknown {
  return (state[operation] as (...given: StateArgs) => unknown).apply(state, [...args]);
}

/** A state whose operations all go the same way. */
export function stateBy(
  waits: boolean,
  run: (operation: StateOperation, args: StateArgs) => unknown,
): StateStore {
  const by =
    (operation: StateOperation) =>
    (...args: StateArgs): unknown =>
      run(operation, args);
  return {
    waits,
    get: by("get"),
    set: by("set"),
    delete: by("delete"),
    incr: by("incr"),
    compareAndSet: by("compareAndSet"),
  } as StateStore;
}

/** A store elsewhere. Each hook has a view of it, which knows how long the dispatch may wait. */
export interface SharedStateStore extends StateStore<true> {
  /** The store as one hook sees it. */
  for(user: StateUser): StateStore;
}

/** Who uses a shared store. */
export interface StateUser {
  /** What happens when the store cannot be used; undefined: the call fails. */
  readonly onStoreError: StoreErrorMode | undefined;
  /** How long the dispatch has waited for the store so far; the store adds to it. */
  readonly spent: { storeMs?: number };
}
