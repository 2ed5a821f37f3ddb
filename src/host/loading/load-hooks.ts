import { isLua } from "../../config/handler.ts";
import type { HookEntry } from "../../config/hook-entry.ts";
import { mistakesError } from "../../config/report.ts";
import type { StatedHook } from "../../config/script-hook.ts";
import type { Vouched } from "../../config/vouch.ts";
import type { Diagnostic, SourcePlace } from "../../core/diagnostic.ts";
import { OrcsError } from "../../core/errors.ts";
import type { Hook, HookLimit, HookRunner } from "../../core/hook.ts";
import type { LuaHookSpec, ScriptLoader, ScriptRunner } from "../../lua/ports.ts";
import { defineHook } from "../../registry/define.ts";
import { RuntimeRegistrar } from "../runtime/runtime-registrar.ts";
import type { RegisterContext } from "../runtime/runtime-registrar.ts";
import { chunkDigest, handlerDigest } from "./hook-digest.ts";
import { scriptSources } from "./script-sources.ts";
import { textAt } from "../check/text-at.ts";
import type { LuaEntry, ScriptSource } from "./script-sources.ts";

/** What loading needs of its engine. */
export interface LoadContext extends RegisterContext {
  /** The runner of a handler outside of Lua. */
  runnerFor(entry: HookEntry, vouched?: Vouched): Promise<HookRunner>;
}

/** Hooks of a configuration, compiled, with the scripts they live in. */
export interface LoadedHooks {
  readonly hooks: readonly Hook[];
  readonly scripts: readonly ScriptRunner[];
  /** What the scripts register while they run. */
  readonly registrars: readonly RuntimeRegistrar[];
  /** What scripts of a project state that is ignored. */
  readonly ignored: readonly Diagnostic[];
}

/**
 * Load the scripts that a configuration names and compile their hooks. What the configuration states
 * wins; the script fills the gaps.
 * @param vouched of the project that the configuration was found in
 * @throws OrcsError ORCS1015 with every mistake of every script; nothing stays loaded then
 */
export async function loadHooks(
  entries: readonly HookEntry[],
  lua: ScriptLoader,
  context: LoadContext,
  cwd: string,
  vouched?: Vouched,
): Promise<LoadedHooks> {
  const loading = new Loading(lua, context, cwd, vouched);
  const isLuaEntry = (entry: HookEntry): entry is LuaEntry => isLua(entry.handler);
  // The user's own first: what a project names the same is ignored.
  for (const rank of [0, 1] as const) {
    const ranked = entries.filter((entry) => entry.rank === rank);
    const sources = scriptSources(ranked.filter(isLuaEntry), cwd, vouched);
    for (const source of sources) await loading.add(source);
    for (const entry of ranked) if (!isLuaEntry(entry)) await loading.addOutside(entry);
  }
  return loading.finish(entries);
}

/** What a hook runs. */
interface HookCode {
  readonly runner: HookRunner;
  /** SHA-256 of it. */
  readonly digest: string | undefined;
}

class Loading {
  readonly #lua: ScriptLoader;
  readonly #context: LoadContext;
  readonly #cwd: string;
  readonly #vouched: Vouched | undefined;
  readonly #mistakes: Diagnostic[] = [];
  readonly #ignored: Diagnostic[] = [];
  readonly #scripts: ScriptRunner[] = [];
  readonly #registrars: RuntimeRegistrar[] = [];
  /** Hooks by the entry they came of. */
  readonly #hooks = new Map<HookEntry, Hook[]>();
  readonly #ids = new Map<string, Hook>();

  constructor(lua: ScriptLoader, context: LoadContext, cwd: string, vouched: Vouched | undefined) {
    this.#lua = lua;
    this.#context = context;
    this.#cwd = cwd;
    this.#vouched = vouched;
  }

  async add(source: ScriptSource): Promise<void> {
    const [first] = source.entries as readonly [HookEntry];
    const runtime = new RuntimeRegistrar(this.#context, {
      name: source.lua.name,
      ...originOf(first),
    });
    try {
      const { runner, specs } = await this.#lua.load(source.lua, runtime);
      this.#scripts.push(runner);
      this.#registrars.push(runtime);
      const isAlone = source.lua.chunks.length === 1;
      const ofChunk = byChunk(specs);
      source.entries.forEach((entry, i) => {
        const digest = chunkDigest(source.lua.chunks[i]);
        const own = isAlone ? specs : (ofChunk.get(i) ?? []);
        this.#define(entry, own, { runner, digest });
      });
    } catch (thrown) {
      if (!(thrown instanceof OrcsError)) throw thrown;
      this.#mistakes.push(...placed(thrown, source.lua.name, first));
    }
  }

  /** A hook whose handler is outside of Lua: its configuration says all of it. */
  async addOutside(entry: HookEntry): Promise<void> {
    try {
      const vouched = entry.rank === 1 ? this.#vouched : undefined;
      const runner = await this.#context.runnerFor(entry, vouched);
      const { place } = entry;
      const digest = handlerDigest(entry.handler);
      const hook = this.#hook(entry, entry, { place }, undefined, { runner, digest });
      this.#hooks.set(entry, hook ? [hook] : []);
    } catch (thrown) {
      if (!(thrown instanceof OrcsError)) throw thrown;
      const message = thrown.message.slice(`${thrown.code}: `.length);
      this.#mistakes.push({ code: thrown.code, severity: "error", message, place: entry.place });
    }
  }

  /** The hooks in the order of the configuration. */
  finish(entries: readonly HookEntry[]): LoadedHooks {
    if (this.#mistakes.length > 0) {
      for (const script of this.#scripts) this.#lua.unload(script);
      throw mistakesError(
        this.#mistakes.map((diagnostic) => ({
          diagnostic,
          text: textAt(diagnostic, this.#cwd),
        })),
      );
    }
    return {
      hooks: entries.flatMap((entry) => this.#hooks.get(entry) ?? []),
      scripts: this.#scripts,
      registrars: this.#registrars,
      ignored: this.#ignored,
    };
  }

  #define(
    entry: HookEntry,
    specs: readonly LuaHookSpec[],
    runs: HookCode & { readonly runner: ScriptRunner },
  ): void {
    if (specs.length === 0) {
      this.#mistakes.push({
        code: "ORCS3003",
        severity: "error",
        message: "the script did not define a hook",
        place: entry.place,
        hint: "return a function or a table with a handler, or call orcs.hook",
      });
    }
    const hooks: Hook[] = [];
    specs.forEach((spec, i) => {
      const { stated, mistakes } = this.#context.readStated(spec.fields, spec.place);
      this.#mistakes.push(...mistakes);
      const n = specs.length > 1 ? i + 1 : undefined;
      const hook = stated && this.#hook(entry, stated, spec, n, runs);
      if (!hook) return;
      hooks.push(hook);
      runs.runner.bind(hook.id, spec.slot);
    });
    this.#hooks.set(entry, hooks);
  }

  /** @param n which of several hooks of the script it is */
  #hook(
    entry: HookEntry,
    stated: StatedHook,
    spec: Pick<LuaHookSpec, "place">,
    n: number | undefined,
    { runner, digest }: HookCode,
  ): Hook | undefined {
    const point = entry.point ?? stated.point;
    if (!point) {
      this.#mistakes.push({
        code: "ORCS1013",
        severity: "error",
        message: "neither the configuration nor the script says at which point this hook runs",
        place: spec.place,
        hint: 'add point = "tool.pre_execute", say',
      });
      return undefined;
    }
    if (entry.droppedPoints.includes(point)) return undefined;
    const id =
      n === undefined
        ? entry.idGiven
          ? entry.id
          : (stated.id ?? entry.id)
        : (stated.id ?? `${entry.id}:${n}`);
    const clash = this.#ids.get(id);
    if (clash) {
      this.#clashes(id, entry, spec.place, clash);
      return undefined;
    }
    const hook = defineHook(
      id,
      point,
      merged(entry, stated),
      runner,
      { ...originOf(entry), source: spec.place, digest },
      this.#context,
    );
    this.#ids.set(id, hook);
    return hook;
  }

  #clashes(id: string, { rank }: HookEntry, place: SourcePlace, other: Hook): void {
    const message = `another hook has the id ${JSON.stringify(id)} already`;
    const hint = other.source && `the other is at ${other.source.file}:${other.source.line}`;
    const more = { place, ...(hint !== undefined && { hint }) };
    if (rank === other.rank) {
      this.#mistakes.push({ code: "ORCS1006", severity: "error", message, ...more });
    } else {
      const ignored = `${message}, which is your own: this one, of a project, is ignored`;
      this.#ignored.push({ code: "ORCS1016", severity: "warning", message: ignored, ...more });
    }
  }
}

/** Where the hooks of an entry come from, and what that lets them do. */
function originOf({ origin, rank, needsGrants }: HookEntry) {
  return { origin, rank, limit: needsGrants ? NOT_ELEVATED : undefined };
}

const NOT_ELEVATED: HookLimit = { capabilities: ~0, elevated: false };

/** Hooks by the chunk that states them: thousands of inline handlers may stand in one file. */
function byChunk(specs: readonly LuaHookSpec[]): Map<number, LuaHookSpec[]> {
  const groups = new Map<number, LuaHookSpec[]>();
  for (const spec of specs) {
    const group = groups.get(spec.chunk);
    if (group) group.push(spec);
    else groups.set(spec.chunk, [spec]);
  }
  return groups;
}

/** The entry's fields, and the script's where the entry has none. */
function merged(entry: HookEntry, stated: StatedHook): Omit<StatedHook, "id" | "point"> {
  return {
    fql: entry.fql ?? stated.fql,
    priority: entry.priority ?? stated.priority,
    enabled: entry.enabled ?? stated.enabled,
    match: entry.match ?? stated.match,
    once: entry.once ?? stated.once,
    async: entry.async ?? stated.async,
    stream: entry.stream ?? stated.stream,
    timeoutMs: entry.timeoutMs ?? stated.timeoutMs,
    maxRetries: entry.maxRetries ?? stated.maxRetries,
    onError: entry.onError ?? stated.onError,
    onTimeout: entry.onTimeout ?? stated.onTimeout,
  };
}

/** The mistakes in an error of the Lua layer; one without a place gets that of the hook, and says which script. */
function placed(error: OrcsError, script: string, { place }: HookEntry): Diagnostic[] {
  return error.diagnostics.map((diagnostic) => {
    if (diagnostic.place) return diagnostic;
    const { message } = diagnostic;
    const named = message.startsWith(`${script}: `) ? message : `${script}: ${message}`;
    return { ...diagnostic, message: named, place };
  });
}
