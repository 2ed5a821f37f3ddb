import type { HookRunner } from "../core/hook.ts";
import type { Json, JsonObject } from "../core/json.ts";
import type { CallScope, Logger, LogLevel, StateStore } from "../core/ports.ts";
import type { SourcePlace } from "../core/diagnostic.ts";
import type { ShellReading } from "../core/shell.ts";

/** Limits of Lua; times in milliseconds. */
export interface LuaLimitOptions {
  /** Longest stretch without waiting. */
  readonly maxRunMs: number;
  /** All Lua of one dispatch together. */
  readonly maxChainMs: number;
  /** Memory of one state, in bytes. */
  readonly memoryBytes: number;
  /** Most that one answer or edit may hold, in bytes. */
  readonly maxValueBytes: number;
}

/** What the Lua layer needs from outside. */
export interface LuaPorts {
  readonly logger: Logger;
  readonly state: StateStore;
  readonly limits: LuaLimitOptions;
  /** Milliseconds since the engine started. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Text a script gives out with `orcs.emit_output`. */
  output(text: string): void;
  /** Compile a glob for `orcs.glob_match`. */
  glob(pattern: string): (text: string) => boolean;
  /** A value with secrets masked, for `orcs.redact`. */
  redact(value: Json): Json;
  /**
   * What a command line would run, for `orcs.shell`.
   * @param cwd directory that it starts in: absolute, or seen from the sandbox root
   */
  shell(line: string, cwd: string | undefined): ShellReading;
  /**
   * Where a path leads, for `orcs.real_path`.
   * @param cwd directory that it is seen from: absolute, or itself seen from the sandbox root, which is the default
   * @throws Error whose message names the function, when it leads nowhere that can be told
   */
  realPath(path: string, cwd: string | undefined): string;
  /** The module behind `require(name)`, found under the script roots; undefined when there is none. */
  findModule(name: string, roots: readonly string[]): LuaModule | undefined;
}

/** A file found for `require`. */
export interface LuaModule {
  readonly file: string;
  readonly bytes: Uint8Array;
}

/** A piece of Lua to load. */
export interface LuaChunk {
  /** File it stands in, for messages. */
  readonly file: string;
  readonly code: string | Uint8Array;
  /** A whole script, or the handler of one hook: a function expression or just the body. */
  readonly kind: "script" | "inline";
  /** Line of the file at which the code begins; default 1. */
  readonly line?: number;
}

/** What shares one state. */
export interface LuaSource {
  /** Name for messages and logs. */
  readonly name: string;
  readonly chunks: readonly LuaChunk[];
  readonly options?: JsonObject;
  /** Folders that `require` looks in. */
  readonly roots: readonly string[];
  /** Finds what its `require` names, in place of `LuaPorts.findModule`. Stays on the thread of the engine. */
  readonly findModule?: ((name: string) => LuaModule | undefined) | undefined;
  /** Stands before each key of its `orcs.state`, so that others do not meet its values; default nothing. */
  readonly stateSpace?: string;
  /** How long it may take to load for the first time, where that is less than the limits say, in milliseconds. */
  readonly loadMs?: number;
  /** Whether the `tests` of its hooks are read. Left out, they are passed over: loading does not look at them. */
  readonly tests?: boolean;
}

/** One test of a hook's `tests`: JSON, positions beside names as keys `"1"`, `"2"`, or why it is none. */
export type LuaTestTable =
  | { readonly value: Json | undefined }
  | { readonly mistake: string; readonly name?: string };

/** A hook as a script states it: plain fields, and the slot its handler is kept in. */
export interface LuaHookSpec {
  readonly slot: number;
  /** Index of the chunk that stated it. */
  readonly chunk: number;
  readonly fields: JsonObject;
  /** Where the handler begins. */
  readonly place: SourcePlace;
  /** By what it is known when the script is loaded again; empty for one stated after that. */
  readonly identity: string;
  /** Its tests, where its source asks for them. */
  readonly tests?: readonly LuaTestTable[];
}

/** Takes hooks that a script registers after it was loaded. */
export interface RuntimeHooks {
  /** @returns the hook's id */
  add(spec: LuaHookSpec, script: ScriptRunner): string;
  /** @returns whether the script had such a hook */
  remove(id: string, script: ScriptRunner): boolean;
}

/** Loads scripts and runs their hooks, on this thread or on a worker. */
export interface ScriptLoader {
  /** Start the VM; loading anything needs it. */
  open(): Promise<void>;
  /**
   * Load a script and collect its hooks; nothing of it stays when that fails.
   * @throws OrcsError ORCS3001 (syntax), ORCS3002 (it raised an error), ORCS3005, ORCS3006 (limits)
   */
  load(source: LuaSource, runtime: RuntimeHooks): Promise<LoadedScript>;
  /**
   * Run a chunk as a program in a state of its own. Hooks that it states are registered at once; nothing
   * of it stays when it fails.
   * @param scope what its calls are made through; without one, it must not wait
   * @param signal ends it: what waits in it fails
   * @throws OrcsError as `load`
   */
  run(
    chunk: LuaChunk,
    source: Omit<LuaSource, "chunks">,
    scope: CallScope | undefined,
    runtime: RuntimeHooks,
    signal?: AbortSignal,
  ): Promise<ProgramResult>;
  /**
   * Free a script as soon as it runs nothing. Dispatches that began before it was replaced may still come to
   * its hooks: it is loaded again for them, and freed again.
   */
  retire(script: ScriptRunner): void;
  /** Forget a script; what waits in it fails. */
  unload(script: ScriptRunner): void;
  /** Forget all scripts and end the VM. */
  close(): void | Promise<void>;
}

/** What a program returned: JSON, or functions to call from then on. */
export type ProgramResult =
  | {
      readonly value: Json | undefined;
      /** Free the state, which is kept for the hooks that it stated: they are for their owner to remove. */
      close(): void;
    }
  | { readonly object: ScriptObject };

/**
 * A table of functions that a script returned (a bare function is `{ run }`): its state is kept, its
 * functions are called by name.
 */
export interface ScriptObject {
  /** What the table holds besides functions. */
  readonly fields: JsonObject;
  readonly methods: ReadonlySet<string>;
  /**
   * Whether its state is gone: killed for overrunning a limit, given up after it ran out of memory, or
   * ended with its thread. Calls fail until `reload`. A call that runs out of memory while another one
   * waits in the state fails alone; then the state stays.
   */
  readonly lost: boolean;
  /** Files its `require` has loaded. */
  readonly requires: ReadonlySet<string>;
  /**
   * Call a function of the table; synchronous when it does not wait, on this thread. Several calls may be
   * under way at once: one waits, another runs.
   * @param args JSON; a `null` is nil to it
   * @param call.signal gives the call up: it is never resumed, and the returned promise rejects at once
   * @returns the first of its results; nil is undefined
   * @throws LuaFailure, or rejects with one: it raised an error (the message is Lua's own), its result is
   *   not JSON, or its state was killed
   */
  call(
    method: string,
    args: readonly (Json | undefined)[],
    call: { readonly scope: CallScope; readonly signal: AbortSignal },
  ): Json | undefined | Promise<Json | undefined>;
  /**
   * Load the script again from source, into a new state, after it was lost; nothing of it may wait while
   * it loads. Hooks of its last life go as it states them anew, or when it has not.
   * @throws OrcsError as `ScriptLoader.load`, or when it returns no functions any more; it stays lost then
   */
  reload(): Promise<void>;
  /** Free the state; what waits in it fails. Its hooks are for its owner to remove. */
  close(): void;
}

/** A script that was loaded: its hooks, and the runner that runs them. */
export interface LoadedScript {
  readonly runner: ScriptRunner;
  readonly specs: readonly LuaHookSpec[];
}

/** The runner of a script's hooks, wherever its state is. */
export interface ScriptRunner extends HookRunner {
  /** Files its `require` has loaded. */
  readonly requires: ReadonlySet<string>;
  /** Say which slot a registered hook runs. */
  bind(hookId: string, slot: number): void;
  /** Whether a hook is one of this script's. */
  owns(hookId: string): boolean;
}

/** A level as `orcs.log` takes it. */
export function isLogLevel(text: string): text is LogLevel {
  return text === "debug" || text === "info" || text === "warn" || text === "error";
}
