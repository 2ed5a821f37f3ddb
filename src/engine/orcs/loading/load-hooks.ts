import {
  agentHookId,
  chunkDigest,
  clashing,
  configurationError,
  handlerDigest,
  type HookEntry,
  isLua,
  isShadowEntry,
  type LoadedConfig,
  type LuaEntry,
  NOTHING_STATED,
  type ScriptSource,
  scriptSources,
  sourceText,
  type StatedHook,
  type TrustedFiles,
} from "../../../config/index.ts";
import {
  addTo,
  bareMessage,
  coversPoint,
  OrcsError,
  RANKS,
  weakestMode,
} from "../../../core/index.ts";
import type {
  AgentRule,
  Diagnostic,
  ErrorCode,
  Hook,
  HookLimit,
  HookRunner,
  LuaSource,
  PointSpec,
  SourcePlace,
} from "../../../core/index.ts";
import { LoadTime } from "../../lua/index.ts";
import type { LuaHookSpec, ScriptLoader, ScriptRunner } from "../../lua/index.ts";
import { compileHook } from "../../registry/index.ts";
import type { EditedScript } from "../options.ts";
import { type RegisterContext, RuntimeRegistrar } from "../runtime/runtime-registrar.ts";

/** What loading needs from its engine. */
export interface LoadContext extends RegisterContext {
  /** The runner of a handler outside Lua, with the time limit for loading it in milliseconds. */
  runnerFor(entry: HookEntry, projectTrust?: TrustedFiles, withinMs?: number): Promise<HookRunner>;
  /** Called with the maximum load time when loading begins, and with undefined when it has ended. */
  readonly begins?: ((withinMs: number | undefined) => void) | undefined;
  /** The runner, in a state of its own, of a hook whose script says that it runs in shadow. */
  readonly shadowRunner?: (source: LuaSource, identity: string, hookId: string) => HookRunner;
  /** Whether hooks that are loaded elsewhere have an id. */
  readonly isTaken?: (id: string) => boolean;
  /** The text to load in place of a script's own. */
  readonly edited?: EditedScript | undefined;
}

/** The compiled hooks of a configuration, with their scripts. */
export interface LoadedHooks {
  readonly hooks: readonly Hook[];
  readonly scripts: readonly ScriptRunner[];
  /** Registrars of hooks that scripts register while they run. */
  readonly registrars: readonly RuntimeRegistrar[];
  /** Values stated by a project's scripts that are ignored. */
  readonly ignored: readonly Diagnostic[];
}

/** Loads hooks for an engine. */
export interface LoadHost {
  readonly lua: ScriptLoader;
  /** Paths in messages are relative to it. */
  readonly cwd: string;
  readonly loading: LoadContext;
}

/** Of the configuration whose hooks are loaded: the time limit, and the trust decision of the project that it is of. */
type LoadSettings = Pick<LoadedConfig, "settings" | "projectTrust">;

/**
 * Load the scripts that a configuration names and compile their hooks. Values in the configuration override those of
 * the script. `engine.load_ms` is the time limit for the user's own hooks, and again for those of a project.
 * @throws OrcsError ORCS1015 with every error of every script; nothing stays loaded then
 */
export async function loadHooks(
  entries: readonly HookEntry[],
  host: LoadHost,
  config: LoadSettings,
): Promise<LoadedHooks> {
  const loading = new HookLoading(host, config);
  await loading.load(entries);
  return loading.finish(entries);
}

/**
 * Free the scripts of replaced hooks as soon as nothing of them runs, and tell handlers that they are no longer used.
 */
export function retireHooks({ hooks, scripts }: LoadedHooks, lua: ScriptLoader): void {
  for (const script of scripts) lua.retire(script);
  for (const { runner } of hooks) runner.release?.();
}

/** Remove hooks that do not take effect. */
export function unloadHooks({ hooks, scripts }: LoadedHooks, lua: ScriptLoader): void {
  for (const script of scripts) lua.unload(script);
  for (const { runner } of hooks) runner.release?.();
}

/** What a hook runs. */
interface HookCode {
  readonly runner: HookRunner;
  /** SHA-256 of the code. */
  readonly digest: string | undefined;
}

/** Loads the hooks of a configuration. */
export class HookLoading {
  readonly #host: LoadHost;
  readonly #context: LoadContext;
  readonly #projectTrust: TrustedFiles | undefined;
  /** For each rank. */
  readonly #loadMs: number;
  #mistakes: Diagnostic[] = [];
  #ignored: Diagnostic[] = [];
  #scripts: ScriptRunner[] = [];
  #registrars: RuntimeRegistrar[] = [];
  /** Hooks by the entry that declares them. */
  readonly #hooks = new Map<HookEntry, Hook[]>();
  readonly #ids = new Map<string, Hook>();

  constructor(host: LoadHost, { settings, projectTrust }: LoadSettings) {
    this.#host = host;
    this.#context = host.loading;
    this.#loadMs = settings.engine.load_ms;
    this.#projectTrust = projectTrust;
  }

  /**
   * Load hooks rank by rank: one that has the id of a hook of a lower rank is ignored. Their errors are thrown by
   * `finish`.
   */
  async load(entries: readonly HookEntry[]): Promise<void> {
    const { begins } = this.#context;
    for (const rank of RANKS) {
      const ofRank = entries.filter((entry) => entry.rank === rank);
      if (ofRank.length === 0) continue;
      begins?.(this.#loadMs);
      try {
        await this.#load(ofRank);
      } finally {
        begins?.(undefined);
      }
    }
  }

  async #load(entries: readonly HookEntry[]): Promise<void> {
    const isLuaEntry = (entry: HookEntry): entry is LuaEntry => isLua(entry.handler);
    const deadline = new Deadline(this.#loadMs);
    const sources = scriptSources(entries.filter(isLuaEntry), this.#host.cwd, this.#projectTrust);
    for (const source of sources) {
      if (this.#isLate(deadline, source.entries[0])) return;
      await this.#add(withEdited(source, this.#context.edited), Math.max(LEAST_MS, deadline.left));
      // Lets other events be served meanwhile.
      await deadline.breathe();
    }
    for (const entry of entries) {
      if (isLuaEntry(entry)) continue;
      if (this.#isLate(deadline, entry)) return;
      await this.#addOutside(entry, deadline.left);
    }
    this.#isLate(deadline, entries.at(-1));
  }

  /** Whether the time is over; reported once. */
  #isLate({ left }: Deadline, entry: HookEntry | undefined): boolean {
    if (left > 0 || !entry) return false;
    const whose = { "-2": "this machine", "-1": "the bundle", "1": "the project" };
    const message = `the scripts and modules of ${whose[String(entry.rank) as keyof typeof whose] ?? "your own configuration"} took longer than ${this.#loadMs} ms to load`;
    this.#mistake("ORCS1021", message, entry.place);
    return true;
  }

  #mistake(
    code: ErrorCode,
    message: string,
    place: SourcePlace,
    { hint, field }: Pick<Diagnostic, "field"> & { hint?: string | undefined } = {},
  ): void {
    const more = { ...(hint !== undefined && { hint }), ...(field && { field }) };
    this.#mistakes.push({ code, severity: "error", message, place, ...more });
  }

  async #add(source: ScriptSource, loadMs: number): Promise<void> {
    const [first] = source.entries as readonly [HookEntry];
    const runtime = new RuntimeRegistrar(this.#context, {
      name: source.lua.name,
      ...originOf(first),
      agents: first.agent === undefined ? undefined : agentRule(first),
      modeLimit: isShadowEntry(first) ? "audit" : first.modeLimit,
    });
    try {
      const { runner, specs } = await this.#host.lua.load({ ...source.lua, loadMs }, runtime);
      this.#scripts.push(runner);
      this.#registrars.push(runtime);
      const isAlone = source.lua.chunks.length === 1;
      // One file can contain thousands of inline handlers.
      const ofChunk = new Map<number, LuaHookSpec[]>();
      for (const spec of specs) addTo(ofChunk, spec.chunk, spec);
      source.entries.forEach((entry, i) => {
        const digest = chunkDigest(source.lua.chunks[i]);
        const own = isAlone ? specs : (ofChunk.get(i) ?? []);
        this.#define(entry, own, { runner, digest, source: source.lua });
      });
    } catch (thrown) {
      if (!(thrown instanceof OrcsError)) throw thrown;
      const { length } = source.entries;
      const hint = `its ${length} inline handlers share the memory: move some into scripts, or raise lua.memory_mb`;
      const more = thrown.code === "ORCS3006" && length > 1 ? { hint } : {};
      for (const each of placed(thrown, source.lua.name, first)) {
        this.#mistakes.push({ ...each, ...more });
      }
    }
    await this.#expectInlineResults(source);
    await this.#locateFields(source);
  }

  /**
   * Rejects inline handlers that consist of one call whose return value is not a result: they would fail at every
   * event.
   */
  async #expectInlineResults({ entries }: ScriptSource): Promise<void> {
    for (const { handler, async } of entries) {
      if (handler.kind !== "inline" || async || !LONE_CALL.test(handler.code)) continue;
      const { inlineProblem } = await import("../../lint/index.ts");
      const why = inlineProblem(handler.code);
      if (why === undefined) continue;
      this.#mistake("ORCS1106", `the hook would fail: it ${why}`, handler.place);
    }
  }

  /** Finds the line of a wrong field in a script's table: Lua only reports where the handler begins. */
  async #locateFields({ lua: { chunks } }: ScriptSource): Promise<void> {
    if (!this.#mistakes.some(({ field }) => field)) return;
    const { fieldPlace } = await import("../../lint/index.ts");
    this.#mistakes = this.#mistakes.map(({ field, ...mistake }) => {
      const { place } = mistake;
      const chunk = chunks.find(({ file, kind }) => file === place?.file && kind !== "inline");
      if (!field || !place || !chunk) return mistake;
      const code =
        typeof chunk.code === "string" ? chunk.code : new TextDecoder().decode(chunk.code);
      const at = fieldPlace(code, place.line, field, this.#context.points);
      if (!at) return { ...mistake, place: { ...place, line: Math.max(1, place.line) } };
      const { line, column, length } = at;
      return { ...mistake, place: { file: place.file, line, column }, length };
    });
  }

  /** A hook with a handler outside Lua is declared entirely by its configuration. */
  async #addOutside(entry: HookEntry, loadMs: number): Promise<void> {
    try {
      const projectTrust = entry.rank === 1 ? this.#projectTrust : undefined;
      const runner = await this.#context.runnerFor(entry, projectTrust, loadMs);
      const { place } = entry;
      const digest = handlerDigest(entry.handler);
      const hook = this.#hook(entry, entry, { place }, undefined, { runner, digest });
      this.#hooks.set(entry, hook ? [hook] : []);
    } catch (thrown) {
      if (!(thrown instanceof OrcsError)) throw thrown;
      this.#mistake(thrown.code, bareMessage(thrown), entry.place);
    }
  }

  /**
   * What was loaded since the last call, with the hooks in the order of the configuration.
   * @throws OrcsError ORCS1015 with every error; none of it stays loaded then
   */
  finish(entries: readonly HookEntry[]): LoadedHooks {
    const [mistakes, scripts] = [this.#mistakes, this.#scripts];
    const [registrars, ignored] = [this.#registrars, this.#ignored];
    [this.#mistakes, this.#scripts, this.#registrars, this.#ignored] = [[], [], [], []];
    const hooks = entries.flatMap((entry) => this.#hooks.get(entry) ?? []);
    const loaded = { hooks, scripts, registrars, ignored };
    if (mistakes.length === 0) return loaded;
    unloadHooks(loaded, this.#host.lua);
    for (const { id } of hooks) this.#ids.delete(id);
    const { cwd } = this.#host;
    throw configurationError(
      mistakes.map((diagnostic) => ({ diagnostic, text: sourceText(diagnostic, cwd) })),
    );
  }

  #define(
    entry: HookEntry,
    specs: readonly LuaHookSpec[],
    runs: HookCode & { readonly runner: ScriptRunner; readonly source: LuaSource },
  ): void {
    if (specs.length === 0) {
      const hint = "return a function or a table with a handler, or call orcs.hook";
      const { handler, place } = entry;
      const at =
        handler.kind === "script" ? { file: runs.source.chunks[0]?.file ?? "", line: 1 } : place;
      this.#mistake("ORCS3003", "the script did not define a hook", at, { hint, field: [] });
    }
    const hooks: Hook[] = [];
    specs.forEach((spec, i) => {
      const { stated, diagnostics } = this.#context.readStated(spec.fields, spec.place);
      this.#mistakes.push(...diagnostics);
      if (spec.slot === 0) return this.#lacksHandler(spec, diagnostics);
      const n = specs.length > 1 ? i + 1 : undefined;
      const hook = stated && this.#hook(entry, stated, spec, n, runs);
      if (!hook) return;
      const shadowRunner = hook.mode === "audit" ? this.#context.shadowRunner : undefined;
      const own = shadowRunner?.(runs.source, spec.identity, hook.id);
      hooks.push(own ? { ...hook, runner: own } : hook);
      if (!own) runs.runner.bind(hook.id, spec.slot);
    });
    this.#hooks.set(entry, hooks);
  }

  #lacksHandler({ place }: LuaHookSpec, reported: readonly Diagnostic[]): void {
    // A misspelt key was reported with what is meant.
    if (reported.some(({ hint }) => hint?.includes('"handler"'))) return;
    this.#mistake("ORCS1007", "this hook has no handler function", place, { field: [] });
  }

  /** @param n index among the hooks of the script */
  #hook(
    entry: HookEntry,
    stated: StatedHook,
    spec: Pick<LuaHookSpec, "place">,
    n: number | undefined,
    { runner, digest }: HookCode,
  ): Hook | undefined {
    const point = entry.point ?? stated.point;
    if (!point) {
      const message = "neither the configuration nor the script sets the point of this hook";
      const hint = 'add a point, such as point = "tool.pre_execute"';
      this.#mistake("ORCS1013", message, spec.place, { hint });
      return undefined;
    }
    const agents = agentRule(entry, point);
    const stem = this.#freeId(entry, stated, n);
    const other = this.#ids.get(stem);
    const isOthers = entry.agent !== undefined && other && other.agents?.only !== entry.agent;
    const id = isOthers ? agentHookId(entry.agent, stem) : stem;
    const isOff = isSwitchedOff(entry, id);
    const clash = this.#ids.get(id);
    if (clash) {
      this.#clashes(id, entry, spec.place, clash);
      return undefined;
    }
    const values = { ...merged(entry, stated), ...(isOff && { enabled: false }) };
    const places = { source: spec.place, table: entry.place, order: orderOf(entry, n) };
    const from = { ...originOf(entry), ...places, digest, agents };
    const hook = compileHook(id, point, values, runner, from, this.#context);
    this.#ids.set(id, hook);
    return hook;
  }

  /**
   * The id of a hook. A script that is used a second time, under an id of its own or in shadow, gets it before the ids
   * that it states.
   */
  #freeId(entry: HookEntry, stated: StatedHook, n: number | undefined): string {
    if (n === undefined && entry.idGiven) return entry.id;
    // A script of a package cannot take an id outside of its own names.
    if (entry.packaged && entry.idGiven) return `${entry.id}/${stated.id ?? n}`;
    const id = stated.id ?? (n === undefined ? entry.id : `${entry.id}:${n}`);
    const isTaken = entry.agent === undefined && this.#ids.has(id);
    if (!isTaken && this.#context.isTaken?.(id) !== true) return id;
    const before = entry.idGiven ? entry.id : isShadowEntry(entry) ? "audit" : undefined;
    return before === undefined ? id : `${before}/${id}`;
  }

  #clashes(id: string, { rank }: HookEntry, place: SourcePlace, other: Hook): void {
    const message = `another hook already has the id ${JSON.stringify(id)}`;
    const hint = other.source && `the other hook is at ${other.source.file}:${other.source.line}`;
    if (rank === other.rank) {
      this.#mistake("ORCS1006", message, place, { hint });
    } else {
      const [holder, whose] = clashing(other.rank, rank);
      const ignored = `${message} in ${holder}; ${whose} hook is ignored`;
      const more = { place, ...(hint !== undefined && { hint }) };
      this.#ignored.push({ code: "ORCS1016", severity: "warning", message: ignored, ...more });
    }
  }
}

/** Whether `[packages.NAME] off` has the hook, or the script that defines it. */
function isSwitchedOff({ packaged }: HookEntry, id: string): boolean {
  if (!packaged || !id.startsWith(`${packaged.name}/`)) return false;
  const own = id.slice(packaged.name.length + 1);
  return packaged.off.some((off) => own === off || own.startsWith(`${off}/`));
}

/** Code that may be a single call of a function of `orcs`. */
const LONE_CALL = /^\s*(?:return\s+)?orcs\.[\w.]+\s*\(/;

/** The minimum that a script gets: it can be reloaded later with no more. */
const LEAST_MS = 100;

/** Maximum time without yielding the thread, in milliseconds. */
const BREATH_MS = 20;

/** The time limit of loading. */
class Deadline extends LoadTime {
  #breathed = performance.now();

  /** Yield the thread when others have waited for it. */
  async breathe(): Promise<void> {
    if (performance.now() - this.#breathed < BREATH_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#breathed = performance.now();
  }
}

function withEdited(source: ScriptSource, edited: EditedScript | undefined): ScriptSource {
  const { handler } = source.entries[0] as LuaEntry;
  if (!edited || handler.kind !== "script" || handler.file !== edited.file) return source;
  const chunks = source.lua.chunks.map((chunk) => ({ ...chunk, code: edited.text }));
  return { ...source, lua: { ...source.lua, chunks } };
}

/** Where the hooks of an entry come from, and the limits that follow. */
function originOf({ origin, rank, needsGrants }: HookEntry) {
  return { origin, rank, limit: needsGrants ? NOT_ELEVATED : undefined };
}

/** For which agents the hook of an entry runs at a point. */
function agentRule(
  { agent, exceptions, agents }: HookEntry,
  point?: PointSpec,
): AgentRule | undefined {
  if (agent !== undefined) return { only: agent, known: agents };
  const applying = exceptions.filter(
    ({ points }) => !points || (point && points.some((each) => coversPoint(each, point))),
  );
  if (applying.length === 0) return undefined;
  return { except: applying.map((exception) => exception.agent), known: agents };
}

/** @param n index among the hooks of the script */
function orderOf({ order }: HookEntry, n = 1): number | undefined {
  // Before the next entry, however many hooks a script has.
  return order === undefined ? undefined : order + (1 - 1 / n) * Number.EPSILON * 2 ** 20;
}

const NOT_ELEVATED: HookLimit = { capabilities: ~0, elevated: false };

/** The fields of the entry; those of the script where the entry has none. */
function merged(entry: HookEntry, stated: StatedHook): StatedHook {
  const keys = Object.keys(NOTHING_STATED) as (keyof StatedHook)[];
  const values = Object.fromEntries(keys.map((key) => [key, entry[key] ?? stated[key]]));
  return {
    ...(values as StatedHook),
    mode: weakestMode(entry.mode ?? stated.mode, entry.modeLimit),
  };
}

/** The diagnostics of an error of the Lua layer. One without a place gets that of the hook, and names the script. */
function placed(error: OrcsError, script: string, { place }: HookEntry): Diagnostic[] {
  if (error.diagnostics.length === 0) {
    return [{ code: error.code, severity: "error", message: bareMessage(error), place }];
  }
  return error.diagnostics.map((diagnostic) => {
    if (diagnostic.place) return diagnostic;
    const { message } = diagnostic;
    const named = message.startsWith(`${script}: `) ? message : `${script}: ${message}`;
    return { ...diagnostic, message: named, place };
  });
}
