import type { Json, JsonObject } from "./json.ts";
import type { RuntimeVerb } from "./runtime-verbs.ts";

/** Where log lines go. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
  /** Whether messages of a level are written; default all. Messages that are not written need no masking. */
  hears?(level: LogLevel): boolean;
}

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Masks secrets in what is logged or sent. Runs in linear time. */
export interface Redactor {
  /** The text with each secret in it masked; the same text where there is none. */
  text(text: string): string;
  /**
   * The value with secrets in its texts masked, and all that stands under a telling key, such as `password`. What
   * holds no secret is shared with what was given.
   */
  value<T extends Json | undefined>(value: T): T;
}

/** Time, so that tests can bring their own. */
export interface Clock {
  /** Milliseconds since the engine started: monotonic, with fractions. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Result of a tool call: always an object with `ok`, never an exception. */
export type ToolAnswer =
  | { ok: true; [key: string]: Json }
  | { ok: false; error: string; [key: string]: Json };

/**
 * What hooks may do while they serve a call. It is bound to that call: tool calls made through it are
 * dispatched one level deeper, with the call's component, channel and principal.
 */
export interface CallScope {
  readonly depth: number;
  /** Whether what runs may register hooks; left out, it may. */
  readonly mayHook?: boolean;
  /** Run a tool through its pre and post hooks. */
  get(kind: string, arg?: Json, options?: GetOptions): Promise<ToolAnswer>;
  /**
   * Ask the runtime, with arguments as `RUNTIME_VERBS` says; missing outside of it.
   * @returns an answer with `ok`; refusals and failures are answers, never throws
   */
  verb?(name: RuntimeVerb, args: readonly (Json | undefined)[], signal: AbortSignal): Promise<Json>;
}

/** Options of `orcs.get`. */
export interface GetOptions {
  metadata?: JsonObject | undefined;
  signal?: AbortSignal | undefined;
}

/** Values that hooks share: per engine, atomic, kept across reloads. */
export interface StateStore {
  get(key: string): Json | undefined;
  set(key: string, value: Json): void;
  /** Whether there was something to delete. */
  delete(key: string): boolean;
  /** Add `by` and return the sum; with `ttlMs` the counter starts again that long after its first increment. */
  incr(key: string, by: number, ttlMs?: number): number;
}
