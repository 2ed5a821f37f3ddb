import { LOG_LEVELS } from "../../core/index.ts";
import type {
  CallEffects,
  CallScope,
  Clock,
  HookContext,
  HookRunner,
  Json,
  JsonObject,
  Logger,
  LogLevel,
  LuaChunk,
  LuaModule,
  LuaSource,
  ReadingCall,
  ShellReading,
  ShellReadOptions,
  SourcePlace,
  StateStore,
} from "../../core/index.ts";

/** Limits of Lua; times in milliseconds. */
export interface LuaLimitOptions {
  /** Longest stretch without waiting. */
  readonly maxRunMs: number;
  /** Limit for all Lua of one dispatch. */
  readonly maxChainMs: number;
  /** Memory limit of one state, in bytes. */
  readonly memoryBytes: number;
  /** Maximum size of a result or edit, in bytes. */
  readonly maxValueBytes: number;
}

/** What the Lua layer needs from the engine. */
export interface LuaPorts extends Required<Clock> {
  readonly logger: Logger;
  readonly state: StateStore;
  readonly limits: LuaLimitOptions;
  /** Receives the texts of `orcs.emit_output`. */
  output(text: string): void;
  /** Returns a matcher for a glob, for `orcs.glob_match`. */
  glob(pattern: string): (text: string) => boolean;
  /** Redact a value, for `orcs.redact`. */
  redact(value: Json): Json;
  /**
   * Read a command line, for `orcs.shell`.
   * @param cwd directory that it starts in: absolute, or relative to the sandbox root
   */
  shell(line: string, cwd: string | undefined, options?: ShellReadOptions): ShellReading;
  /**
   * What a call does, for `orcs.effects`.
   * @param call has it as its payload, unchanged: it is read once for all hooks that ask
   */
  effects(payload: () => JsonObject, call?: HookContext): CallEffects;
  /** What a call says that only reads, for `orcs.only_reads`; otherwise as `effects`. */
  onlyReads(payload: () => JsonObject, call?: HookContext): ReadingCall | undefined;
  /**
   * Resolve a path, for `orcs.real_path`.
   * @param cwd directory that it is relative to: absolute, or relative to the sandbox root, which is the default
   * @throws Error whose message names the function, when the path cannot be resolved
   */
  realPath(path: string, cwd: string | undefined): string;
  /** The module of `require(name)`, found in the script roots; undefined when there is none. */
  findModule(name: string, roots: readonly string[]): LuaModule | undefined;
}

/** One test in a hook's `tests`: JSON, with positions beside names as keys `"1"`, `"2"`; or its error. */
export type LuaTestTable =
  | { readonly value: Json | undefined }
  | { readonly mistake: string; readonly name?: string };

/** A hook as stated by a script: plain fields, and the slot of its handler; 0 if it has none. */
export interface LuaHookSpec {
  readonly slot: number;
  /** Index of its chunk. */
  readonly chunk: number;
  readonly fields: JsonObject;
  /** The place of the handler. */
  readonly place: SourcePlace;
  /** Identifies the hook when the script is reloaded; empty for one registered at run time. */
  readonly identity: string;
  /** Its tests, if the source reads them. */
  readonly tests?: readonly LuaTestTable[];
}

/** Receives hooks that a script registers after it was loaded. */
export interface RuntimeHooks {
  /** @returns the hook's id */
  add(spec: LuaHookSpec, script: ScriptRunner): string;
  /** @returns whether the script had such a hook */
  remove(id: string, script: ScriptRunner): boolean;
}

/** Loads scripts and runs their hooks, on this thread or on a worker. */
export interface ScriptLoader {
  /** Start the VM; required before anything is loaded. */
  open(): Promise<void>;
  /**
   * Load a script and collect its hooks. If that fails, nothing of it is kept.
   * @throws OrcsError ORCS3001 (syntax), ORCS3002 (it raised an error), ORCS3005, ORCS3006 (limits)
   */
  load(source: LuaSource, runtime: RuntimeHooks): Promise<LoadedScript>;
  /**
   * Run a chunk as a program in a state of its own. Its hooks are registered at once; nothing of it stays when it
   * fails.
   * @param scope of its calls; without one, it must not wait
   * @param signal ends it: pending calls fail
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
   * Free a script as soon as nothing of it runs. Dispatches that began before it was replaced may still reach its
   * hooks: it is loaded again for them, and freed again.
   */
  retire(script: ScriptRunner): void;
  /** Remove a script; its pending calls fail. */
  unload(script: ScriptRunner): void;
  /** Remove all scripts and end the VM. */
  close(): void | Promise<void>;
}

/** The result of a program: JSON, or functions that can be called. */
export type ProgramResult =
  | {
      readonly value: Json | undefined;
      /** Free the state, which was kept for its hooks; the owner removes these. */
      close(): void;
    }
  | { readonly object: ScriptObject };

/**
 * A table of functions that a script returned (a bare function becomes `{ run }`): its state is kept, and its functions
 * are called by name.
 */
export interface ScriptObject {
  /** The other values of the table. */
  readonly fields: JsonObject;
  readonly methods: ReadonlySet<string>;
  /**
   * Whether its state is lost: killed at a limit, discarded after it ran out of memory, or ended with its thread. Calls
   * fail until `reload`. If a call runs out of memory while another one waits in the state, only that call fails and
   * the state stays.
   */
  readonly lost: boolean;
  /** Files that it required. */
  readonly requires: ReadonlySet<string>;
  /**
   * Call a function of the table; synchronous when it does not wait, on this thread. Several calls can be pending: one
   * waits while another runs.
   * @param args JSON; a `null` becomes nil
   * @param call.signal gives the call up: it is never resumed, and the returned promise rejects at once
   * @returns the first of its results; nil is undefined
   * @throws LuaFailure, or rejects with one: it raised an error (the message is Lua's own), its result is not JSON, or
   * its state was killed
   */
  call(
    method: string,
    args: readonly (Json | undefined)[],
    call: { readonly scope: CallScope; readonly signal: AbortSignal },
  ): Json | undefined | Promise<Json | undefined>;
  /**
   * Load the script again from source into a new state, after it was lost; it must not wait while it loads. Hooks of
   * the previous load are replaced, or removed if it does not register them again.
   * @throws OrcsError as `ScriptLoader.load`, or when it no longer returns functions; it stays lost then
   */
  reload(): Promise<void>;
  /** Free the state; pending calls fail. Its owner removes its hooks. */
  close(): void;
}

/** A loaded script: its hooks, and their runner. */
export interface LoadedScript {
  readonly runner: ScriptRunner;
  readonly specs: readonly LuaHookSpec[];
}

/** The runner of a script's hooks, on any thread. */
export interface ScriptRunner extends HookRunner {
  /** Files that it required. */
  readonly requires: ReadonlySet<string>;
  /** Set the slot of a registered hook. */
  bind(hookId: string, slot: number): void;
  /** Whether a hook belongs to this script. */
  owns(hookId: string): boolean;
}

/** The method of a script object that is the tool of this name in its table `tools`. */
export function toolMethod(name: string): string {
  return `tools.${name}`;
}

/** Whether a text is a level of `orcs.log`. */
export function isLogLevel(text: string): text is LogLevel {
  return (LOG_LEVELS as readonly string[]).includes(text);
}

/** The module of a script's `require`: found by its source, if that has a lookup of its own. */
export function moduleFor(
  { findModule, roots }: Pick<LuaSource, "findModule" | "roots">,
  name: string,
  ports: Pick<LuaPorts, "findModule">,
): LuaModule | undefined {
  return findModule ? findModule(name) : ports.findModule(name, roots);
}
