import type { MessagePort } from "node:worker_threads";
import type {
  CallEffects,
  CallScope,
  ReadingCall,
  ErrorCode,
  HookReport,
  Json,
  JsonObject,
  LogLevel,
  LuaChunk,
  LuaModule,
  LuaSource,
  Phase,
  RuntimeVerb,
  ShellReading,
  ShellReadOptions,
  StateArgs,
  StateOperation,
} from "../../../core/index.ts";
import type { LuaSpent } from "../limits.ts";
import type { LuaHookSpec, LuaLimitOptions, LuaPorts } from "../ports.ts";
import type { LuaFailure } from "../state.ts";
import type { Packed, SharedPart } from "./context-copy.ts";

/** Start data of a worker. */
export interface WorkerStart {
  readonly limits: LuaLimitOptions;
  readonly clock: ClockReading;
  /** Whether the state is elsewhere, so that its operations wait. */
  readonly stateWaits: boolean;
  /** Three integers: see `ANSWERED`, `HAS_REPLY` and `SPENT_US`. */
  readonly flag: SharedArrayBuffer;
  readonly replies: MessagePort;
}

/** The engine's clock, with a reading that all threads of the process share. */
export interface ClockReading {
  /** Milliseconds since the engine started. */
  readonly now: number;
  /** Milliseconds since 1970. */
  readonly wallMs: number;
  readonly isUtc: boolean;
  /** Milliseconds of the process's monotonic clock. */
  readonly at: number;
}

/** A reading of the engine's clock for another thread. */
export function readClock(ports: Pick<LuaPorts, "now" | "wallMs" | "isUtc">): ClockReading {
  return { now: ports.now(), wallMs: ports.wallMs(), isUtc: ports.isUtc, at: monotonicMs() };
}

/** Milliseconds of a clock that all threads of the process share; `performance.now()` starts at 0 in each thread. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** A failure in a message. */
export type Failure = Pick<LuaFailure, "kind" | "message">;

/** What the worker knows of the scope of a job's calls. */
export interface ScopeFacts {
  readonly depth: number;
  readonly mayHook: boolean;
  /** Whether there is a runtime. */
  readonly hasVerbs: boolean;
}

export function scopeFacts(scope: CallScope): ScopeFacts {
  const { depth, mayHook = true } = scope;
  return { depth, mayHook, hasVerbs: scope.verb !== undefined };
}

/**
 * A piece of work on a script that the worker reports on: loading it, running the hooks of a turn, running a chunk as a
 * program, calling a function that one returned.
 */
export type Work =
  | { readonly type: "load" }
  | { readonly type: "turn"; readonly scope: ScopeFacts; readonly hook: NextHook }
  /** Without a scope, it must not wait. */
  | { readonly type: "main"; readonly scope: ScopeFacts | undefined; readonly chunk: LuaChunk }
  | {
      readonly type: "call";
      readonly scope: ScopeFacts;
      readonly method: string;
      readonly args: Packed;
    };

/** Messages to the worker. Numbers of jobs and calls belong to one thread, those of scripts to the layer. */
export type ToWorker =
  | { readonly type: "script"; readonly script: number; readonly source: LuaSource }
  | {
      readonly type: "bind";
      readonly script: number;
      readonly hook: string;
      readonly identity: string;
    }
  | (Work & { readonly job: number; readonly script: number; readonly clock: ClockReading })
  | { readonly type: "abort"; readonly job: number }
  | { readonly type: "answer"; readonly call: number; readonly answer: Packed }
  | {
      readonly type: "refused";
      readonly call: number;
      readonly message: string;
      readonly code?: ErrorCode | undefined;
    }
  | { readonly type: "unload"; readonly script: number }
  | { readonly type: "ping" };

/** The next hook of a turn. */
export interface NextHook {
  readonly id: string;
  readonly timeoutMs: number;
  /** Phase of its point. */
  readonly phase: Phase;
  /** Time that the dispatch has used. */
  readonly spent: LuaSpent;
  /** The context, if it differs from that of the previous hook. */
  readonly ctx: Packed | undefined;
}

/** The result of a program. */
export type PostedResult =
  | { readonly value: Json | undefined }
  | { readonly fields: JsonObject; readonly methods: readonly string[] };

/** Messages from the worker. */
export type FromWorker =
  /** With the system's id of the thread. */
  | { readonly type: "ready"; readonly thread: number | undefined }
  | { readonly type: "pong" }
  /** The result of a job: the hooks of a load, a `PostedResult`, or what a function returned. */
  | { readonly type: "done"; readonly job: number; readonly value: unknown }
  | { readonly type: "failed"; readonly job: number; readonly failure: Failure }
  | {
      readonly type: "call";
      readonly job: number;
      readonly call: number;
      readonly work: RemoteWork;
    }
  /** The state of a script's functions is lost. */
  | { readonly type: "lost"; readonly script: number }
  | { readonly type: "sleep"; readonly call: number; readonly ms: number }
  | { readonly type: "cancel"; readonly call: number }
  | { readonly type: "log"; readonly level: LogLevel; readonly text: string }
  | { readonly type: "output"; readonly text: string }
  | Ask;

/** What a job waits for: a tool, a runtime function, or an operation of a state that waits. */
export type RemoteWork =
  | {
      readonly kind: "get";
      readonly name: string;
      readonly arg: Json | undefined;
      readonly metadata: JsonObject | undefined;
    }
  | {
      readonly kind: "verb";
      readonly name: RuntimeVerb;
      readonly args: readonly (Json | undefined)[];
    }
  | { readonly kind: "state"; readonly name: StateOperation; readonly args: StateArgs };

/** A request that blocks the worker until the response. */
export type Ask = {
  [K in keyof Asks]: {
    readonly type: "ask";
    readonly id: number;
    readonly kind: K;
    readonly args: Parameters<Asks[K]>;
  };
}[keyof Asks];

/** The requests of the worker. */
export interface Asks {
  /** A hook of a turn has ended; the response is the next one, or nothing when the turn is over. */
  settle(
    job: number,
    report: HookReport,
    shared: readonly SharedPart[],
    spent: LuaSpent,
  ): NextHook | undefined;
  /** A part of a job's context that a hook reads; undefined when the job is over. */
  part(job: number, number: number): Packed | undefined;
  /** The state of this machine: one elsewhere is reached without blocking. */
  state(operation: StateOperation, args: StateArgs): unknown;
  matchGlob(pattern: string, text: string): boolean;
  redact(value: Json): Json;
  shell(line: string, cwd: string | undefined, options?: ShellReadOptions): ShellReading;
  effects(payload: JsonObject): CallEffects;
  onlyReads(payload: JsonObject): ReadingCall | undefined;
  realPath(path: string, cwd: string | undefined): string;
  findModule(script: number, name: string): LuaModule | undefined;
  addHook(script: number, spec: LuaHookSpec): string;
  removeHook(script: number, id: string): boolean;
}

/** Index in the flag: the number of the last answered request. */
export const ANSWERED = 0;
/** Index in the flag: 1 when the response is on the port for replies, 0 when it is empty. */
export const HAS_REPLY = 1;

/** Index in the flag: the microseconds that the engine needed for the response. */
export const SPENT_US = 2;

/** The response to a request, on the port for replies. */
export type Reply =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly message: string };
