import { statSync } from "node:fs";
import { dirname } from "node:path";
import { isLua } from "../../config/handler.ts";
import type { HookEntry } from "../../config/hook-entry.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { mistakesError } from "../../config/report.ts";
import { isTrusted } from "../../core/trust.ts";
import type { Vouched } from "../../config/vouch.ts";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { OrcsError } from "../../core/errors.ts";
import type { Logger } from "../../core/ports.ts";
import type { ScriptLoader } from "../../lua/ports.ts";
import type { HookRegistry } from "../../registry/registry.ts";
import type { ProjectLoads } from "../engine-options.ts";
import { HookLoading, loadHooks } from "../loading/load-hooks.ts";
import type { LoadContext, LoadedHooks } from "../loading/load-hooks.ts";
import { ReloadTests } from "../hook-tests/reload-tests.ts";
import { textAt } from "../check/text-at.ts";
import { changedSettings } from "./changed-settings.ts";
import { LateHooks } from "./late-hooks.ts";
import { changedText, replacedText, trustNotice, trustWarning } from "../trust/notice.ts";
import type { Notice } from "../trust/notice.ts";

/** What the hooks of a configuration need of their engine. */
export interface ConfiguredHooksHost {
  readonly registry: HookRegistry;
  readonly lua: ScriptLoader;
  readonly logger: Logger;
  readonly cwd: string;
  readonly loading: LoadContext;
  /** Read the configuration anew. @throws OrcsError ORCS1015 */
  readConfig(): Promise<LoadedConfig>;
}

/** What a reload did. */
export interface Reloaded {
  /** How many hooks the configuration has now. */
  readonly hooks: number;
  /** Settings that differ and take effect at the next start, such as `lua.memory_mb`. */
  readonly pending: readonly string[];
  readonly duration_ms: number;
}

/** What was saved within this time may not be whole yet, in milliseconds. */
const FRESH_MS = 500;
/** How often it is read again until then. */
const READ_AGAIN_MS = 40;

const NO_HOOKS: LoadedHooks = { hooks: [], scripts: [], registrars: [], ignored: [] };

/**
 * The hooks of an engine's configuration. A reload builds a whole set aside and exchanges it in one step; until
 * then, and when anything is wrong with it, the last good one stays.
 */
export class ConfiguredHooks {
  readonly #host: ConfiguredHooksHost;
  readonly #tests: ReloadTests;
  #loaded = NO_HOOKS;
  /** The project's, until they are loaded. */
  #late: LateHooks | undefined;
  #config: LoadedConfig;
  /** What stands in the place of a project that was trusted, whose hooks stay. */
  #changed: Pick<Vouched, "directory" | "digest"> | undefined;
  /** Files that the last attempt to load has named, whether or not it came to anything. */
  #named: readonly string[] = [];
  #last: Promise<unknown> = Promise.resolve();

  /** @param config the first one, whose settings the engine has */
  constructor(host: ConfiguredHooksHost, config: LoadedConfig) {
    this.#host = host;
    this.#config = config;
    this.#tests = new ReloadTests(host.loading.points, host.cwd);
  }

  /** What the configuration says that was ignored. */
  get warnings(): readonly Diagnostic[] {
    return [...this.#config.warnings, ...this.#loaded.ignored];
  }

  /** Absolute paths of all that was read: configurations, scripts, the modules they require. */
  get files(): readonly string[] {
    return [...new Set([...filesOf(this.#config), ...this.#named, ...this.#modules])];
  }

  /** Folders in which a new file may mean something: scripts and modules are looked for there. */
  get folders(): readonly string[] {
    return this.#config.settings.scripts.dirs;
  }

  /** What was said of the project whose hooks are in force. */
  get vouched(): Vouched | undefined {
    return this.#config.vouched;
  }

  /** SHA-256 of the configurations that are in force. */
  get digest(): string {
    return this.#config.digest;
  }

  /** What is to be told of trust: that a project's hooks are not in force, or not as they are written by now. */
  get notice(): Notice | undefined {
    return trustNotice(this.#changed, this.#config.vouched);
  }

  /**
   * Load the hooks of the first configuration; those of a project when `loads` says so.
   * @throws OrcsError ORCS1015
   */
  async begin(loads: ProjectLoads): Promise<void> {
    const said = trustWarning(this.#config.vouched);
    if (said !== undefined) this.#host.logger.warn(said);
    const project = this.#config.hooks.filter(({ rank }) => rank === 1);
    if (loads === "before" || project.length === 0) await this.#exchange(this.#config, false);
    else await this.#beginWithOwn(project, loads);
  }

  /** Load the user's own hooks, and those of the project behind their backs: dispatches wait for them in their turn. */
  async #beginWithOwn(project: readonly HookEntry[], loads: ProjectLoads): Promise<void> {
    const { registry, lua, logger, cwd, loading: context } = this.#host;
    const { hooks, settings, vouched, warnings } = this.#config;
    for (const warning of warnings) logger.warn(placedText(warning));
    const loading = new HookLoading(lua, context, cwd, settings.engine.load_ms, vouched);
    const take = async (entries: readonly HookEntry[]): Promise<void> => {
      if (entries.some(({ handler }) => isLua(handler))) await lua.open();
      await loading.load(entries);
      const next = loading.finish(entries);
      registry.replace([], next.hooks);
      this.#loaded = joined(this.#loaded, next);
      for (const warning of next.ignored) logger.warn(placedText(warning));
    };
    await take(hooks.filter(({ rank }) => rank === 0));
    const late = new LateHooks(project, settings.engine.on_error, async () => {
      // A reload has loaded them meanwhile.
      if (this.#late === late) await take(project);
      if (settings.engine.test_on_reload) this.#tests.accept(this.#config, this.#modules);
      if (this.#late === late) this.#noMoreLate();
    });
    this.#late = late;
    registry.pending = late;
    if (loads === "behind") void late.ready().catch(() => undefined);
  }

  #noMoreLate(): void {
    this.#late = undefined;
    this.#host.registry.pending = undefined;
  }

  /** What the scripts have required. */
  get #modules(): string[] {
    return this.#loaded.scripts.flatMap(({ requires }) => [...requires]);
  }

  /**
   * Load the configuration anew, and exchange the hooks when there is no mistake in it. One at a time.
   * @param saved because something was saved: what is half written by then is read again before it counts
   * @throws OrcsError ORCS1015 with every mistake, ORCS2007, ORCS8001 for a project that was trusted and has changed;
   *   nothing has changed then
   */
  reload(now: () => number, saved = false): Promise<Reloaded> {
    const reloaded = this.#last.then(async () => {
      await this.#late?.settled;
      const started = now();
      const before = this.#config.settings;
      const read = async (): Promise<LoadedConfig> => {
        const config = await this.#host.readConfig();
        this.#named = filesOf(config);
        this.#expectVouched(config);
        return config;
      };
      let config = await read();
      const known = this.files;
      const isWhole = (next: LoadedHooks): boolean => !saved || !this.#mayBeHalf(next, known);
      let hooks = await this.#exchange(config, true, isWhole);
      while (hooks === undefined) {
        await new Promise((resolve) => setTimeout(resolve, READ_AGAIN_MS));
        config = await read();
        hooks = await this.#exchange(config, true, isWhole);
      }
      const pending = changedSettings(before, config.settings);
      const said = trustWarning(config.vouched);
      if (said !== undefined && config.vouched?.state !== this.#config.vouched?.state) {
        this.#host.logger.warn(said);
      }
      // The engine goes on with the settings it has: another difference is told when there is one.
      this.#config = config;
      return { hooks, pending, duration_ms: now() - started };
    });
    this.#last = reloaded.catch(() => undefined);
    return reloaded;
  }

  /**
   * Whether something may be half written: an editor that truncates a file before it writes it leaves a moment in
   * which it holds no hooks, or fewer.
   */
  #mayBeHalf({ hooks }: LoadedHooks, known: readonly string[]): boolean {
    const ids = new Set(hooks.map(({ id }) => id));
    const lost = this.#loaded.hooks.some(({ id }) => !ids.has(id));
    return [...known, ...this.files].some((file) => isFresh(file, lost));
  }

  /**
   * @param isWhole whether what was loaded may count
   * @returns how many hooks there are; undefined when it did not count
   */
  async #exchange(
    config: LoadedConfig,
    isReload: boolean,
    isWhole: (next: LoadedHooks) => boolean = () => true,
  ): Promise<number | undefined> {
    const { registry, lua, logger, cwd, loading } = this.#host;
    for (const warning of config.warnings) logger.warn(placedText(warning));
    if (config.hooks.some(({ handler }) => isLua(handler))) await lua.open();
    const next =
      config.hooks.length === 0
        ? NO_HOOKS
        : await loadHooks(
            config.hooks,
            lua,
            loading,
            cwd,
            config.settings.engine.load_ms,
            config.vouched,
          );
    if (!isWhole(next)) {
      for (const script of next.scripts) lua.unload(script);
      return undefined;
    }
    // Begun meanwhile, they are to be exchanged with the others.
    await this.#late?.settled;
    const old = this.#loaded;
    const stated = old.registrars.flatMap(({ ids }) => ids);
    const tested = config.settings.engine.test_on_reload;
    // Those that run have required what the new ones will, when they get to it.
    const modules: string[] = [];
    for (const { requires } of [...old.scripts, ...next.scripts]) modules.push(...requires);
    try {
      if (tested && isReload) await this.#expectTested(config, modules);
      registry.replace([...old.hooks.map(({ id }) => id), ...stated], next.hooks);
    } catch (thrown) {
      for (const script of next.scripts) lua.unload(script);
      throw thrown;
    }
    this.#loaded = next;
    this.#noMoreLate();
    for (const warning of next.ignored) logger.warn(placedText(warning));
    if (tested) this.#tests.accept(config, modules);
    for (const script of old.scripts) lua.retire(script);
    return next.hooks.length;
  }

  /**
   * A project that was trusted stays as it was until somebody trusts what it has become, or it no more: who can write
   * there could otherwise do away with its hooks.
   */
  #expectVouched({ vouched }: LoadedConfig): void {
    this.#changed = undefined;
    const { vouched: before } = this.#config;
    if (!before || !isTrusted(before) || (vouched && isTrusted(vouched))) return;
    const { directory, state } = before;
    const isSame = vouched?.directory === directory;
    // One that is trusted whatever it holds may also hold nothing.
    if (isSame ? vouched.state === "unknown" : state === "dev" || !before.stands()) return;
    const why = isSame ? vouched.why : replacedText(vouched?.directory);
    this.#changed = { directory, digest: vouched?.digest };
    throw new OrcsError("ORCS8001", changedText({ directory, why }), { directory });
  }

  /** @throws OrcsError ORCS1015 with every test that fails */
  async #expectTested(config: LoadedConfig, modules: readonly string[]): Promise<void> {
    const { cwd } = this.#host;
    const failing = await this.#tests.failing(config, modules);
    if (failing.length === 0) return;
    throw mistakesError(
      failing.map((diagnostic) => ({ diagnostic, text: textAt(diagnostic, cwd) })),
    );
  }
}

/**
 * Whether a file was just saved, or taken away, and lacks something.
 * @param lost whether hooks are missing; else only a file without content lacks anything
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

function placedText({ place, message }: Diagnostic): string {
  return place ? `${place.file}:${place.line}: ${message}` : message;
}

function filesOf({ files, hooks, vouched }: LoadedConfig): string[] {
  return [
    ...files,
    ...(vouched?.files ?? []),
    ...hooks.flatMap(({ handler }) => (handler.kind === "script" ? handler.file : [])),
  ];
}
