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
  /** Run a tool through its pre and post hooks. */
  get(kind: string, arg?: Json, options?: GetOptions): Promise<ToolAnswer>;
  /**
   * Call a runtime function, with arguments as in `RUNTIME_VERBS`; missing outside the runtime.
   * @returns a result with `ok`; denials and failures are returned, never thrown
   */
  verb?(name: RuntimeVerb, args: readonly (Json | undefined)[], signal: AbortSignal): Promise<Json>;
}

/** Options of `orcs.get`. */
export interface GetOptions {
  metadata?: JsonObject | undefined;
  signal?: AbortSignal | undefined;
}

/** Values shared by hooks: per engine, atomic, kept across reloads. */
export interface StateStore {
  get(key: string): Json | undefined;
  set(key: string, value: Json): void;
  /** @returns whether the key existed */
  delete(key: string): boolean;
  /** Add `by` and return the sum; with `ttlMs` the counter starts again that long after its first increment. */
  incr(key: string, by: number, ttlMs?: number): number;
}
