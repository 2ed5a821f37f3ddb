import { statSync } from "node:fs";
import { dirname } from "node:path";
import {
  bundleText,
  FRESH_MS,
  isLua,
  liveFiles,
  NOTHING_STATED,
  splitByShadow,
  trustWarnings,
  untrustedText,
  variablesIn,
} from "../../../config/index.ts";
import type {
  HookEntry,
  LoadedConfig,
  Notice,
  Settings,
  TrustedConfig,
} from "../../../config/index.ts";
import { isTrusted, messageOf, OrcsError } from "../../../core/index.ts";
import type { Diagnostic, Hook, Logger } from "../../../core/index.ts";
import { compileHook, FunctionRunner } from "../../registry/index.ts";
import type { EngineEvents, HookRegistry, HookSet } from "../../registry/index.ts";
import type { ConfigReader } from "../config-reader.ts";
import type { LoadedHooks, LoadHost } from "../loading/load-hooks.ts";
import { HookLoading, loadHooks, retireHooks, unloadHooks } from "../loading/load-hooks.ts";
import { logLines } from "../loggers.ts";
import type { ModuleLoader } from "../loading/module-loader.ts";
import type { ProjectLoads } from "../options.ts";
import { LateHooks } from "./late-hooks.ts";
import type { ShadowSet } from "../shadow/shadow-set.ts";

/** What the hooks of a configuration need from their engine. */
interface ConfiguredHooksDeps extends LoadHost {
  readonly registry: HookRegistry;
  /** Of the registry: a configuration may exchange enforced ones. */
  readonly hooks: HookSet;
  /** Its hooks with the mode `audit`. */
  readonly shadow: ShadowSet;
  readonly logger: Logger;
  readonly modules: ModuleLoader;
  /** Read the configuration again. @throws OrcsError ORCS1015 */
  readonly readConfig: ConfigReader;
  /** What happens with an untrusted project. */
  readonly untrusted: "throw" | "deny" | "ignore";
}

/** The result of a reload. */
export type Reloaded = Readonly<EngineEvents["reloaded"]>;

/** Interval at which an incomplete file is read again, in milliseconds. */
const READ_AGAIN_MS = 40;

const NO_HOOKS: LoadedHooks = { hooks: [], scripts: [], registrars: [], ignored: [] };

/**
 * The hooks of an engine's configuration. A reload builds a complete set and exchanges it in one step. Until then, and
 * whenever the new set has an error, the previous one stays active.
 */
export class ConfiguredHooks {
  readonly #host: ConfiguredHooksDeps;
  #loaded = NO_HOOKS;
  /** The project's hooks, until they are loaded. */
  #late: LateHooks | undefined;
  #config: TrustedConfig;
  /** Texts that were already logged. */
  readonly #warned = new Set<string>();
  /** The notice that the saved configuration does not load. */
  #failure: Notice | undefined;
  /** The engine's own hooks for the current configuration. */
  #guards: readonly Hook[] = [];
  /** What the last attempt to load read, successful or not. */
  #tried: TrustedConfig | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** @param config the first configuration, whose settings the engine has */
  constructor(host: ConfiguredHooksDeps, config: TrustedConfig) {
    this.#host = host;
    this.#config = config;
  }

  /** Parts of the configuration that are ignored. */
  get warnings(): readonly Diagnostic[] {
    return [...this.#config.warnings, ...this.#loaded.ignored];
  }

  /** Absolute paths of all files that were read: configurations, scripts and required modules. */
  get files(): readonly string[] {
    const configs = [this.#config, ...(this.#tried ? [this.#tried] : [])];
    const modules = this.#loaded.scripts.flatMap(({ requires }) => [...requires]);
    return [...new Set([...configs.flatMap((each) => this.#filesOf(each)), ...modules])];
  }

  #filesOf({ files, hooks, projectTrust, machineFile }: TrustedConfig): string[] {
    const ofHooks = hooks.flatMap((hook) => {
      const { handler } = hook;
      if (handler.kind === "module") return this.#host.modules.filesOf(handler.file);
      return handler.kind === "script" ? handler.file : liveFiles(hook);
    });
    return [
      ...files,
      ...(machineFile === undefined ? [] : [machineFile]),
      ...(projectTrust?.files ?? []),
      ...ofHooks,
    ];
  }

  /** Folders of scripts and modules, where a new file may matter. */
  get folders(): readonly string[] {
    return this.#config.settings.scripts.dirs;
  }

  /** Why the hooks of a discovered project are not active; undefined when they are, or when there is no project. */
  get untrusted(): string | undefined {
    const { projectTrust } = this.#config;
    return projectTrust && !isTrusted(projectTrust) ? untrustedText(projectTrust) : undefined;
  }

  /** The variables that its hooks read from the environment of a call, also those that are not loaded yet. */
  get variables(): readonly string[] {
    return this.#config.hooks.flatMap(({ handler }) => variablesIn(handler));
  }

  /** SHA-256 of the active configurations. */
  get digest(): string {
    return this.#config.digest();
  }

  /** Notices that hooks are inactive, or differ from their files. */
  get notices(): readonly Notice[] {
    const { modules } = this.#host;
    return [...(this.#failure ? [this.#failure] : []), ...this.#config.notices, ...modules.notices];
  }

  /**
   * Load the hooks of the first configuration; those of a project at the time that `loads` says.
   * @throws OrcsError ORCS1015, ORCS8001
   */
  async begin(loads: ProjectLoads): Promise<void> {
    const { projectTrust, error } = this.#config;
    if (this.#host.untrusted === "throw" && projectTrust && !isTrusted(projectTrust)) {
      const { directory } = projectTrust;
      throw new OrcsError("ORCS8001", untrustedText(projectTrust), { directory });
    }
    if (error) this.#logError(error);
    const isLate = loads !== "before" && this.#config.hooks.some(({ rank }) => rank === 1);
    if (isLate) await this.#beginWithOwn(loads);
    else {
      const [config] = await this.#orActiveLast((each) => this.#exchange(each));
      await this.#keep(config);
    }
    this.#warn(this.#config);
  }

  /**
   * Load the user's own hooks first, and those of the project later: dispatches wait for them when their turn comes.
   */
  async #beginWithOwn(loads: ProjectLoads): Promise<void> {
    const { registry, hooks: all, lua, shadow: set } = this.#host;
    const [config, { project, take, shadow }] = await this.#orActiveLast(async (each) => {
      this.#warnOf(each.warnings);
      const loading = new HookLoading(this.#host, each);
      const { enforced, shadow: audited } = splitByShadow(each.hooks);
      const take = async (entries: readonly HookEntry[]): Promise<void> => {
        if (entries.some(({ handler }) => isLua(handler))) await lua.open();
        await loading.load(entries);
        const next = loading.finish(entries);
        // A hook in shadow makes room for one that is in force.
        const ids = new Set(set.ids);
        const isInTheWay = next.hooks.some(({ id }) => ids.has(id));
        if (isInTheWay) set.remember();
        all.replace(isInTheWay ? ids : [], next.hooks);
        if (isInTheWay) set.set(audited, each);
        this.#loaded = joined(this.#loaded, next);
        this.#warnOf(next.ignored);
      };
      await take(enforced.filter(({ rank }) => rank !== 1));
      return { project: enforced.filter(({ rank }) => rank === 1), take, shadow: audited };
    });
    this.#guards = this.#guardOf(config);
    all.replace([], this.#guards);
    await this.#keep(config);
    const { on_error } = config.settings.engine;
    const late = new LateHooks(project, on_error, async () => {
      // A reload may have loaded them meanwhile.
      if (this.#late === late) await take(project);
      if (this.#late === late) this.#noMoreLate();
    });
    this.#late = late;
    registry.pending = late;
    set.set(shadow, config);
    if (loads === "behind") void late.ready().catch(() => undefined);
  }

  #noMoreLate(): void {
    this.#late = undefined;
    this.#host.registry.pending = undefined;
  }

  /**
   * Reload the configuration, and exchange the hooks if it has no error. One reload runs at a time.
   * @param saved whether a saved file caused it: a file that looks incomplete is read again before it counts
   * @throws OrcsError ORCS1015 with every error, ORCS2007, ORCS8001 for a trusted project that has changed; nothing
   * changes then
   */
  reload(now: () => number, saved = false): Promise<Reloaded> {
    const reloaded = this.#last.then(async () => {
      await this.#late?.settled();
      const started = now();
      const before = this.#config.settings;
      const read = async (): Promise<TrustedConfig> => {
        const config = await this.#host.readConfig();
        this.#tried = config;
        if (config.error) throw config.error;
        return config;
      };
      let config = await read();
      const known = this.files;
      const isWhole = (loaded: LoadedHooks): boolean => !saved || !this.#mayBeHalf(loaded, known);
      let hooks = await this.#exchange(config, isWhole);
      while (hooks === undefined) {
        await new Promise((resolve) => setTimeout(resolve, READ_AGAIN_MS));
        config = await read();
        hooks = await this.#exchange(config, isWhole);
      }
      await this.#keep(config);
      this.#failure = undefined;
      const pending = changedSettings(before, config.settings);
      // The engine keeps its settings: a further difference is reported when there is one.
      this.#warn(config);
      return { hooks, pending, duration_ms: now() - started };
    });
    this.#last = reloaded.catch((thrown: unknown) => {
      this.#failure = failureNotice(thrown);
      this.#denyUnlessTrusted(thrown);
    });
    return reloaded;
  }

  #logError(error: unknown): void {
    logLines(this.#host.logger, messageOf(error));
  }

  #warnOf(diagnostics: readonly Diagnostic[]): void {
    for (const { place, message } of diagnostics) {
      this.#host.logger.warn(place ? `${place.file}:${place.line}: ${message}` : message);
    }
  }

  #warn({ projectTrust, notices }: TrustedConfig): void {
    const reasons = [...trustWarnings(projectTrust), ...notices.map(({ text }) => text)];
    for (const text of reasons) {
      // Warnings of a project are among the notices as well.
      if ([...this.#warned].some((known) => known.endsWith(text))) continue;
      this.#warned.add(text);
      this.#host.logger.warn(text);
    }
  }

  /**
   * Whether a file may be incomplete: an editor that truncates a file before it writes it leaves a moment in which the
   * file has no hooks, or fewer.
   */
  #mayBeHalf({ hooks }: LoadedHooks, known: readonly string[]): boolean {
    const ids = new Set(hooks.map(({ id }) => id));
    const lost = this.#loaded.hooks.some(({ id }) => !ids.has(id));
    return [...known, ...this.files].some((file) => isFresh(file, lost));
  }

  /**
   * @param isWhole whether the loaded set may be used
   * @returns the number of hooks; undefined when the set was not used
   */
  async #exchange(
    config: LoadedConfig,
    isWhole: (next: LoadedHooks) => boolean = () => true,
  ): Promise<number | undefined> {
    const { hooks: all, lua } = this.#host;
    this.#warnOf(config.warnings);
    const { enforced, shadow } = splitByShadow(config.hooks);
    if (enforced.some(({ handler }) => isLua(handler))) await lua.open();
    const next = enforced.length === 0 ? NO_HOOKS : await loadHooks(enforced, this.#host, config);
    if (!isWhole(next)) {
      unloadHooks(next, lua);
      return undefined;
    }
    // If they have begun to load, they are exchanged with the others.
    await this.#late?.settled();
    const guard = this.#guardOf(config);
    const old = this.#loaded;
    const stated = old.registrars.flatMap(({ ids }) => ids);
    const { shadow: set } = this.#host;
    const leaving = [...old.hooks, ...this.#guards].map(({ id }) => id);
    try {
      set.remember();
      all.replace([...leaving, ...stated, ...set.ids], [...guard, ...next.hooks]);
      this.#guards = guard;
    } catch (thrown) {
      unloadHooks(next, lua);
      throw thrown;
    }
    this.#loaded = next;
    this.#noMoreLate();
    this.#host.shadow.set(shadow, config);
    this.#warnOf(next.ignored);
    retireHooks(old, lua);
    return next.hooks.length;
  }

  /** A configuration whose hooks are registered is the current one. */
  async #keep(config: TrustedConfig): Promise<void> {
    this.#config = config;
    await config.keep();
  }

  /**
   * Load the first configuration. If the user's own hooks do not load, their last active version is used.
   * @returns the configuration that was loaded, and what loading it returned
   */
  async #orActiveLast<T>(
    load: (config: TrustedConfig) => Promise<T>,
  ): Promise<readonly [TrustedConfig, T]> {
    try {
      return [this.#config, await load(this.#config)];
    } catch (thrown) {
      if (!(thrown instanceof OrcsError)) throw thrown;
      const last = await this.#host.readConfig({ asActiveLast: true }).catch(() => undefined);
      if (last?.isActiveLast !== true) throw thrown;
      const loaded = await load(last).catch(() => Promise.reject(thrown));
      this.#logError(thrown);
      return [last, loaded];
    }
  }

  /**
   * The trust decision is unknown, for example because the store is damaged. Active hooks stay. If none of the project
   * is active, tool calls are denied until the decision is known again.
   */
  #denyUnlessTrusted(thrown: unknown): void {
    const { projectTrust } = this.#config;
    if (!(thrown instanceof OrcsError)) return;
    const isOfMachine = thrown.code === UNTRUSTED_MACHINE;
    if (!isOfMachine && !UNDECIDED.has(thrown.code)) return;
    if (!isOfMachine && projectTrust && isTrusted(projectTrust)) return;
    const guards = this.#denying(thrown.message, "orcs:untrusted", isOfMachine);
    const old = this.#guards.map(({ id }) => id);
    this.#host.hooks.replace(old, guards);
    this.#guards = guards;
  }

  /** Denies tool calls in an untrusted project and without the bundle, where the settings say so. */
  #guardOf({ projectTrust, settings, bundle }: LoadedConfig): readonly Hook[] {
    if (bundle?.problem !== undefined && bundle.isClosed) {
      return this.#denying(bundleText(bundle), "orcs:bundle", bundle.isEnforced);
    }
    if (!projectTrust || isTrusted(projectTrust)) return [];
    if (this.#host.untrusted !== "deny" && settings.trust.untrusted !== "deny") return [];
    return this.#denying(untrustedText(projectTrust));
  }

  /**
   * Hooks that deny every tool call and every permission; `isEnforced` before all others, which could end the chain.
   */
  #denying(reason: string, name = "orcs:untrusted", isEnforced = false): readonly Hook[] {
    const { loading } = this.#host;
    const runner = new FunctionRunner(() => ({ action: "abort", reason }));
    const stated = { ...NOTHING_STATED, priority: -(2 ** 31) };
    const from = isEnforced ? { ...BUILT_IN, rank: -2 as const } : BUILT_IN;
    return DENYING.flatMap(([suffix, at]) => {
      const id = name + suffix;
      const point = loading.points.resolve(at);
      return point ? [compileHook(id, point, stated, runner, from, loading)] : [];
    });
  }
}

/** Errors that leave the trust decision unknown. */
const UNDECIDED: ReadonlySet<string> = new Set(["ORCS8002", "ORCS8010"]);

/** Without knowing what the machine enforces, nothing is allowed. */
const UNTRUSTED_MACHINE = "ORCS9320";

/** Where hooks deny while nothing of a project or bundle is active, with the ends of their ids. */
const DENYING = [
  ["", "tool.pre_execute"],
  ["-permission", "auth.pre_check"],
] as const;

/** The origin of the engine's own hooks. */
const BUILT_IN = { origin: "orcs" } as const;

function failureNotice(thrown: unknown): Notice {
  const [first = ""] = messageOf(thrown).split("\n");
  const text = `the saved configuration does not load, so the previous hooks stay active: ${first}; see: orcs check`;
  return { text, key: `reload ${first}` };
}

/**
 * Whether a file was just saved or removed, and looks incomplete.
 * @param lost whether hooks are missing; otherwise only an empty file looks incomplete
 */
function isFresh(file: string, lost: boolean): boolean {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found) return (lost || found.size === 0) && Date.now() - found.mtimeMs < FRESH_MS;
    return lost && Date.now() - statSync(dirname(file)).mtimeMs < FRESH_MS;
  } catch {
    return false;
  }
}

function joined(a: LoadedHooks, b: LoadedHooks): LoadedHooks {
  return {
    hooks: [...a.hooks, ...b.hooks],
    scripts: [...a.scripts, ...b.scripts],
    registrars: [...a.registrars, ...b.registrars],
    ignored: [...a.ignored, ...b.ignored],
  };
}

/** Settings that a reload applies: script folders. */
const APPLIED: readonly string[] = ["scripts", "scriptRoots"];

/** Settings that differ and are read only at the start of an engine, as `section.key`. */
function changedSettings(before: Settings, after: Settings): string[] {
  const sections = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed: string[] = [];
  for (const section of sections) {
    if (APPLIED.includes(section)) continue;
    const was: unknown = before[section as keyof Settings];
    const is: unknown = after[section as keyof Settings];
    if (!isSection(was) || !isSection(is)) {
      if (was !== is) changed.push(section);
      continue;
    }
    for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
      if (JSON.stringify(was[key]) !== JSON.stringify(is[key])) changed.push(`${section}.${key}`);
    }
  }
  return changed;
}

function isSection(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
