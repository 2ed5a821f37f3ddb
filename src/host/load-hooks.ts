import { isLua } from "../config/handler.ts";
import type { HookEntry } from "../config/hook-entry.ts";
import { mistakesError } from "../config/report.ts";
import type { StatedHook } from "../config/script-hook.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import { OrcsError } from "../core/errors.ts";
import type { Hook, HookRunner } from "../core/hook.ts";
import type { LuaHookSpec, ScriptLoader, ScriptRunner } from "../lua/ports.ts";
import { defineHook } from "../registry/define.ts";
import { RuntimeRegistrar } from "./runtime/runtime-registrar.ts";
import type { RegisterContext } from "./runtime/runtime-registrar.ts";
import { scriptSources } from "./script-sources.ts";
import { textAt } from "./check/text-at.ts";
import type { LuaEntry, ScriptSource } from "./script-sources.ts";

/** What loading needs of its engine. */
export interface LoadContext extends RegisterContext {
  /** The runner of a handler outside of Lua. */
  runnerFor(entry: HookEntry): Promise<HookRunner>;
}

/** Hooks of a configuration, compiled, with the scripts they live in. */
export interface LoadedHooks {
  readonly hooks: readonly Hook[];
  readonly scripts: readonly ScriptRunner[];
  /** What the scripts register while they run. */
  readonly registrars: readonly RuntimeRegistrar[];
}

/**
 * Load the scripts that a configuration names and compile their hooks. What the configuration states
 * wins; the script fills the gaps.
 * @throws OrcsError ORCS1015 with every mistake of every script; nothing stays loaded then
 */
export async function loadHooks(
  entries: readonly HookEntry[],
  lua: ScriptLoader,
  context: LoadContext,
  cwd: string,
): Promise<LoadedHooks> {
  const loading = new Loading(lua, context, cwd);
  const isLuaEntry = (entry: HookEntry): entry is LuaEntry => isLua(entry.handler);
  for (const source of scriptSources(entries.filter(isLuaEntry), cwd)) await loading.add(source);
  for (const entry of entries) if (!isLuaEntry(entry)) await loading.addOutside(entry);
  return loading.finish(entries);
}

class Loading {
  readonly #lua: ScriptLoader;
  readonly #context: LoadContext;
  readonly #cwd: string;
  readonly #mistakes: Diagnostic[] = [];
  readonly #scripts: ScriptRunner[] = [];
  readonly #registrars: RuntimeRegistrar[] = [];
  /** Hooks by the entry they came of. */
  readonly #hooks = new Map<HookEntry, Hook[]>();
  readonly #ids = new Map<string, Hook>();

  constructor(lua: ScriptLoader, context: LoadContext, cwd: string) {
    this.#lua = lua;
    this.#context = context;
    this.#cwd = cwd;
  }

  async add(source: ScriptSource): Promise<void> {
    const [first] = source.entries as readonly [HookEntry];
    const runtime = new RuntimeRegistrar(this.#context, {
      name: source.lua.name,
      origin: first.origin,
      rank: first.rank,
    });
    try {
      const { runner, specs } = await this.#lua.load(source.lua, runtime);
      this.#scripts.push(runner);
      this.#registrars.push(runtime);
      const isAlone = source.lua.chunks.length === 1;
      const ofChunk = byChunk(specs);
      source.entries.forEach((entry, i) => {
        this.#define(entry, isAlone ? specs : (ofChunk.get(i) ?? []), runner);
      });
    } catch (thrown) {
      if (!(thrown instanceof OrcsError)) throw thrown;
      this.#mistakes.push(...placed(thrown, source.lua.name, first));
    }
  }

  /** A hook whose handler is outside of Lua: its configuration says all of it. */
  async addOutside(entry: HookEntry): Promise<void> {
    try {
      const runner = await this.#context.runnerFor(entry);
      const hook = this.#hook(entry, entry, { place: entry.place }, undefined, runner);
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
    };
  }

  #define(entry: HookEntry, specs: readonly LuaHookSpec[], runner: ScriptRunner): void {
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
      const hook = stated && this.#hook(entry, stated, spec, n, runner);
      if (!hook) return;
      hooks.push(hook);
      runner.bind(hook.id, spec.slot);
    });
    this.#hooks.set(entry, hooks);
  }

  /** @param n which of several hooks of the script it is */
  #hook(
    entry: HookEntry,
    stated: StatedHook,
    spec: Pick<LuaHookSpec, "place">,
    n: number | undefined,
    runner: HookRunner,
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
      this.#mistakes.push({
        code: "ORCS1006",
        severity: "error",
        message: `another hook has the id ${JSON.stringify(id)} already`,
        place: spec.place,
        hint: clash.source && `the other is at ${clash.source.file}:${clash.source.line}`,
      } as Diagnostic);
      return undefined;
    }
    const hook = defineHook(
      id,
      point,
      merged(entry, stated),
      runner,
      { origin: entry.origin, rank: entry.rank, source: spec.place },
      this.#context,
    );
    this.#ids.set(id, hook);
    return hook;
  }
}

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
