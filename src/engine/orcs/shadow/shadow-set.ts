import { type HookEntry, isLua, type LoadedConfig } from "../../../config/index.ts";
import { messageOf } from "../../../core/index.ts";
import type { HookRunner, Logger, LuaSource, PointSpec, Turn } from "../../../core/index.ts";
import type { RuntimeHooks, ScriptLoader, ScriptRunner } from "../../lua/index.ts";
import { type HookRegistry, isEnforced } from "../../registry/index.ts";
import type { LoadedHooks, LoadHost } from "../loading/load-hooks.ts";
import { loadHooks, retireHooks, unloadHooks } from "../loading/load-hooks.ts";

/** What the shadow hooks of a configuration need of their engine. */
interface ShadowSetDeps extends LoadHost {
  /** The Lua layer of shadow hooks, which shares nothing with that of the others. */
  readonly lua: ScriptLoader;
  readonly registry: HookRegistry;
  readonly logger: Logger;
  /** Whether nothing is loaded before a dispatch needs it. */
  readonly isLazy: boolean;
}

/**
 * The hooks of a configuration that run in shadow. They are loaded after the others, in the background: none of their
 * errors, and none of the time that they take, affects a decision.
 */
export class ShadowSet {
  readonly #host: ShadowSetDeps;
  #loaded: LoadedHooks[] = [];
  /** Hooks that were removed, enabled or disabled at run time, which a reload keeps. */
  readonly #set = new Map<string, "removed" | boolean>();
  /** Scripts that state by themselves that some of their hooks run in shadow. */
  readonly #stated = new Map<LuaSource, Promise<StatedScript>>();
  #closed = false;

  constructor(host: ShadowSetDeps) {
    this.#host = host;
  }

  /** The registered ids. Who exchanges the hooks of the chain takes them out, for a hook may go from here to there. */
  get ids(): readonly string[] {
    return this.#loaded.flatMap(({ hooks, registrars }) => [
      ...hooks.map(({ id }) => id),
      ...registrars.flatMap(({ ids }) => ids),
    ]);
  }

  /** Note what was done to the hooks at run time, before they are taken out. */
  remember(): void {
    const { registry } = this.#host;
    for (const { id, enabled } of this.#loaded.flatMap(({ hooks }) => hooks)) {
      if (registry.get(id) === undefined) this.#set.set(id, "removed");
      else if (registry.isEnabled(id) === enabled) this.#set.delete(id);
      else this.#set.set(id, !enabled);
    }
  }

  /** Take the hooks of another configuration. Those of the last one are out of the registry. */
  set(entries: readonly HookEntry[], config: LoadedConfig): void {
    this.#clear();
    if (entries.length === 0) return;
    const { registry, isLazy } = this.#host;
    let loading: Promise<void> | undefined;
    const pending = {
      at: (point: PointSpec) =>
        entries.some((entry) => entry.point === undefined || entry.point.name === point.name),
      ready: () => (loading ??= load()),
    };
    const load = async (): Promise<void> => {
      await this.#load(entries, config, () => registry.pendingShadow === pending && !this.#closed);
      if (registry.pendingShadow === pending) registry.pendingShadow = undefined;
    };
    registry.pendingShadow = pending;
    if (!isLazy) setImmediate(() => void pending.ready());
  }

  close(): void {
    this.#closed = true;
    this.#host.registry.pendingShadow = undefined;
  }

  /**
   * Load hooks together; if that fails, one by one, so that an error concerns one hook only.
   * @param isWanted whether the set was not exchanged meanwhile
   */
  async #load(
    entries: readonly HookEntry[],
    config: LoadedConfig,
    isWanted: () => boolean,
  ): Promise<void> {
    const { registry, lua, logger, loading } = this.#host;
    let next: LoadedHooks | undefined;
    try {
      if (entries.some(({ handler }) => isLua(handler))) await lua.open();
      const isTaken = (id: string): boolean => registry.get(id) !== undefined;
      next = await loadHooks(entries, { ...this.#host, loading: { ...loading, isTaken } }, config);
      if (!isWanted()) return unloadHooks(next, lua);
      const hooks = next.hooks.filter(
        (hook) => isEnforced(hook) || this.#set.get(hook.id) !== "removed",
      );
      registry.replace([], hooks);
      this.#loaded.push(next);
      for (const { id } of hooks.filter((hook) => !isEnforced(hook))) {
        const set = this.#set.get(id);
        if (typeof set === "boolean") registry.setEnabled(id, set);
      }
    } catch (thrown) {
      if (next) unloadHooks(next, lua);
      if (entries.length > 1) {
        for (const entry of entries) if (isWanted()) await this.#load([entry], config, isWanted);
        return;
      }
      const [{ id } = { id: "" }] = entries;
      logger.warn(`the hook ${id} does not run in shadow: ${messageOf(thrown)}`);
    }
  }

  #clear(): void {
    const { registry, lua } = this.#host;
    registry.pendingShadow = undefined;
    const old = this.#loaded;
    this.#loaded = [];
    for (const each of old) retireHooks(each, lua);
    for (const script of this.#stated.values()) {
      const retired = script.then(({ runner }) => lua.retire(runner));
      void retired.catch(() => undefined);
    }
    this.#stated.clear();
  }

  /** The runner of a hook whose script, loaded with the others, says that it runs in shadow: in a second state. */
  runnerOf(source: LuaSource, identity: string, hookId: string): HookRunner {
    return {
      run: async (turn: Turn): Promise<void> => {
        const script = this.#stated.get(source) ?? this.#state(source);
        this.#stated.set(source, script);
        const { runner, slots } = await script;
        const slot = slots.get(identity);
        if (slot === undefined) throw new Error("its script did not state it again");
        runner.bind(hookId, slot);
        await runner.run(turn);
      },
    };
  }

  async #state(source: LuaSource): Promise<StatedScript> {
    const { lua } = this.#host;
    await lua.open();
    const { runner, specs } = await lua.load(source, NO_HOOKS);
    return { runner, slots: new Map(specs.map(({ identity, slot }) => [identity, slot])) };
  }
}

interface StatedScript {
  readonly runner: ScriptRunner;
  readonly slots: ReadonlyMap<string, number>;
}

/** A script that is loaded a second time registers nothing while it runs: its first load does. */
const NO_HOOKS: RuntimeHooks = {
  add() {
    throw new Error("a hook in shadow cannot register hooks");
  },
  remove: () => false,
};
