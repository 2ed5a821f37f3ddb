import { type PointSet, type PointSpec, weakestMode } from "../core/index.ts";
import { type ConfigError, type Finding, inLineOrder, type KeyPath } from "./config-error.ts";
import { codePath } from "./path-inside.ts";
import { type EntryOrigin, hookEntry, type HookEntry, idSource } from "./hook-entry.ts";
import { ruleErrors } from "./hook-rules.ts";
import type { Layer } from "./layers.ts";
import type { LayerPackages, UsedPackage } from "./packages/layer-packages.ts";
import { type RawConfig, shownLayer } from "./raw-config.ts";
import type { SchemaContext } from "./schema-parts.ts";
import type { ConfigTable } from "./schema.ts";
import { checkConfig, checkHook, globalHooks, usesPackages, writtenHooks } from "./schema.ts";
import { isFolder } from "../machine/index.ts";
import { scriptSearch } from "./scripts.ts";
import { locatedSettings, sectionSettings, SETTINGS, type SettingsTable } from "./settings.ts";
import type { Source } from "./source-positions.ts";
import { diagnosticOf, movedPositions, NO_POSITIONS, sourcePositions } from "./source-positions.ts";
import { statedIn } from "./spellings.ts";
import { isTable, withoutKey } from "./table.ts";

/** What reading needs to know of the engine. */
interface ReadOptions {
  readonly points: PointSet;
  readonly cwd: string;
  /** Whether it counts as the user's own, wherever it was discovered. */
  readonly isUsers?: boolean | undefined;
}

/** A configuration, read and validated. */
export interface LayerConfig {
  readonly layer: Layer;
  readonly source: Source;
  readonly settings: SettingsTable;
  readonly hooks: readonly HookEntry[];
  /** Warnings: values that it must not set, and those of a file of another system that have no meaning here. */
  readonly ignored: readonly ConfigError[];
  readonly agents: readonly AgentConfig[];
  readonly packages: readonly UsedPackage[];
  /** The files of the packages, absolute. */
  readonly packageFiles: readonly string[];
}

/** An `[agents.NAME]`. */
export interface AgentConfig {
  readonly name: string;
  readonly hooks: readonly HookEntry[];
  /** Points at which the hooks for all agents do not run for this one. */
  readonly override: readonly PointSpec[];
}

/** The configuration, or its errors. */
export type LayerRead =
  | { readonly config: LayerConfig; readonly findings: readonly [] }
  | {
      readonly config: undefined;
      readonly findings: readonly Finding[];
      /** The packages that could be read. */
      readonly packages?: readonly UsedPackage[] | undefined;
    };

/** A configuration, and its content. */
export interface ReadLayer {
  readonly layer: Layer;
  readonly written: RawConfig;
  /** Its script directories, as written. */
  readonly dirs: readonly string[];
  readonly read: LayerRead;
}

/** The hooks of a configuration, with those of its agents. */
export function allHooks(config: LayerConfig): readonly HookEntry[] {
  return [config, ...config.agents].flatMap(({ hooks }) => hooks);
}

/**
 * Read a configuration and collect every error in it.
 * @param scriptDirs its script directories, absolute
 */
export async function readLayer(
  layer: Layer,
  written: RawConfig,
  scriptDirs: readonly string[],
  options: ReadOptions,
): Promise<LayerRead> {
  if (written.finding) return { config: undefined, findings: [written.finding] };
  const { tree, ignored: others } = withoutOthersKeys(written.tree, layer);
  const mistakes = [...others, ...written.mistakes];
  const ignored = mistakes.filter(({ severity }) => severity === "warning");
  const { baseDir, codeDir, origin, isOwn } = layer;
  const { isUsers = origin === "user" || isOwn } = options;
  const locate = (path: string) => codePath(layer, path);
  const packages = await packagesOf(layer, tree);
  const searched = scriptSearch({ dirs: scriptDirs, baseDir, locate });
  const findScript: typeof searched = (script) =>
    packages && script.startsWith("npm:") ? packages.find(script) : searched(script);
  const around = { ...options, baseDir: codeDir, locate, isUsers, findScript };
  const { table, errors } = checkConfig(around, tree);
  const wrong = mistakes.filter(({ severity }) => severity !== "warning");
  const all: ConfigError[] = [...wrong, ...errors, ...ruleErrors(tree)].concat(
    packages?.errors ?? [],
  );
  const hasHooks = writtenHooks(tree).some(({ hooks }) => hooks.length > 0);
  // Values of a project may be ignored, which is reported with their places.
  const located =
    all.length > 0 || hasHooks || packages !== undefined || ignored.length > 0 || layer.rank === 1;
  const source = await sourceOf(layer, written, options.cwd, located);
  if (table && all.length === 0) {
    const { from, ...config } = configOf(table, { layer, source, scriptDirs });
    if (!packages) return { config: { ...config, ...NO_PACKAGES, ignored }, findings: [] };
    const all = withPackages(config, packages, from, around);
    return { config: { ...all, ignored }, findings: [] };
  }
  const findings = all.map((mistake) => ({
    diagnostic: diagnosticOf(mistake, source),
    text: written.text,
  }));
  return { config: undefined, findings: inLineOrder(findings), packages: packages?.used };
}

const NO_PACKAGES = { packages: [], packageFiles: [] } as const;

/** The packages of a configuration; what reads them is loaded only if there are any. */
async function packagesOf(layer: Layer, tree: unknown): Promise<LayerPackages | undefined> {
  if (!usesPackages(tree)) return undefined;
  const { readLayerPackages } = await import("./packages/layer-packages.ts");
  return readLayerPackages(layer, tree);
}

/** A configuration with the hooks that `extends` adds: the same as `[[hooks]]` with the package's scripts. */
function withPackages(
  config: Omit<LayerConfig, "ignored" | "packages" | "packageFiles">,
  { hooks, used, files }: LayerPackages,
  from: EntryOrigin,
  around: SchemaContext,
): Omit<LayerConfig, "ignored"> {
  const added = hooks.map(({ path, table, from: packaged }) => {
    const read = checkHook(around, table).table;
    if (!read) throw new Error("unreachable: the tables of a package's hooks are valid");
    return { ...hookEntry(read, path, from), packages: [packaged], packaged };
  });
  const withModules = (entry: HookEntry): HookEntry => {
    const { handler } = entry;
    const script = handler.kind === "script" ? handler.script : "";
    const packaged = used.find(({ name }) => script.startsWith(`npm:${name}/`));
    return packaged ? { ...entry, packages: [packaged], packaged } : { ...entry, packages: used };
  };
  return {
    ...config,
    hooks: [...config.hooks.map(withModules), ...added],
    agents: config.agents.map((agent) => ({ ...agent, hooks: agent.hooks.map(withModules) })),
    packages: used,
    packageFiles: files,
  };
}

/** Settings of earlier versions and of other systems, and what to do instead: guards stay active. */
const REMOVED: readonly (readonly [key: string, instead: string])[] = [
  ["ui", "NO_COLOR turns colors off"],
  ["model", 'pass the model with each call: orcs.get("llm", { prompt = …, model = … })'],
  ["engine.trace", "use createOrcs({ trace: true }), or orcs eval --explain"],
  ["engine.test_on_reload", "run orcs test before you save, or in CI"],
  ["paths.snapshots", "store the snapshot that stop() returns, and pass it to spawn()"],
  ["audit.keep", "set keep_days and keep_mb"],
];

function hasKey(tree: unknown, [key = "", ...rest]: readonly string[]): boolean {
  if (!isTable(tree) || tree[key] === undefined) return false;
  return rest.length === 0 || hasKey(tree[key], rest);
}

/** Removes keys that this configuration must not set. */
function withoutOthersKeys(
  tree: unknown,
  { rank, isOwn, origin }: Layer,
): { readonly tree: unknown; readonly ignored: readonly ConfigError[] } {
  if (!isTable(tree)) return { tree, ignored: [] };
  const ignored: ConfigError[] = [];
  for (const [name, instead] of REMOVED) {
    const path = name.split(".");
    if (!hasKey(tree, path)) continue;
    ignored.push(ignoredKey(path, `${name} is no setting of orcs; ${instead}`));
  }
  for (const [key, { project }] of Object.entries<{ project?: unknown }>(SETTINGS)) {
    if (tree[key] === undefined) continue;
    const why =
      project === "never" && rank === 1
        ? "a configuration cannot declare itself trusted; run orcs trust"
        : project === "own" && !isOwn
          ? `${key} can be set in your own configuration only`
          : project === "machine" && origin !== "machine"
            ? NOT_OF_MACHINE
            : project === "deployed" && !isOwn && origin !== "bundle"
              ? `${key} can be set in your own configuration, that of the machine and in a bundle only`
              : undefined;
    if (why !== undefined) ignored.push(ignoredKey([key], why));
  }
  if (!isOwn) ignored.push(...ownSettings(tree, rank === 1));
  if (origin !== "machine") ignored.push(...enforcedHooks(tree));
  const left = ignored.reduce<unknown>((rest, { path }) => withoutKey(rest, path), tree);
  return { tree: left, ignored };
}

/** Settings that only the user's own configuration can have, in a section that others can set as well. */
function ownSettings(tree: Readonly<Record<string, unknown>>, isProject: boolean): ConfigError[] {
  return sectionSettings().flatMap(({ path: [section, key], setting }): ConfigError | [] => {
    const table = tree[section];
    if (setting.project !== "own" || !isTable(table) || table[key] === undefined) return [];
    const message = `${section}.${key} can be set in your own configuration only`;
    const path = [section, key];
    return isProject
      ? { code: "ORCS1016", severity: "error", path, at: "key", message }
      : ignoredKey(path, message);
  });
}

const NOT_OF_MACHINE = "enforced can be set in the configuration of the machine only";

function ignoredKey(path: KeyPath, why: string): ConfigError {
  return { code: "ORCS1016", severity: "warning", path, at: "key", message: `ignored: ${why}` };
}

/** The hooks that say that they are enforced. */
function enforcedHooks(tree: unknown): ConfigError[] {
  return writtenHooks(tree).flatMap(({ path, hooks }) =>
    hooks.flatMap((hook, i): ConfigError | [] =>
      isTable(hook) && hook["enforced"] !== undefined
        ? ignoredKey([...path, i, "enforced"], NOT_OF_MACHINE)
        : [],
    ),
  );
}

/** @param located whether places in the file will be needed */
async function sourceOf(
  layer: Layer,
  written: RawConfig,
  cwd: string,
  located: boolean,
): Promise<Source> {
  const { text } = written;
  const places = located && text !== undefined ? await sourcePositions(text) : NO_POSITIONS;
  return {
    file: "file" in layer.from ? shownLayer(layer.origin, layer.from.file, cwd) : undefined,
    text,
    prefix: layer.origin === "object" ? "" : `${layer.origin}: `,
    places: movedPositions(places, written.written),
    written: written.written,
  };
}

function configOf(
  table: ConfigTable,
  of: { layer: Layer; source: Source; scriptDirs: readonly string[] },
): Omit<LayerConfig, "ignored" | "packages" | "packageFiles"> & { readonly from: EntryOrigin } {
  const { layer, source } = of;
  const { hooks: _hooks, agents = {}, protocol: _protocol, mode, ...others } = table;
  const { extends: _extends, packages: _packages, ...settings } = others;
  const global = globalHooks(table);
  const all = [global, ...Object.values(agents)].flatMap(({ hooks = [] }) => hooks);
  const given = all.flatMap((hook) => statedIn(hook).id ?? []);
  const scriptRoots = of.scriptDirs.map((dir) => codePath(layer, dir)).filter(isFolder);
  const from: EntryOrigin = {
    layer,
    source,
    nextId: idSource(layer.idPrefix, given),
    agent: undefined,
    scriptRoots,
    modeLimit: mode,
    isEnforced: layer.origin !== "machine" || table.enforced === true,
  };
  return {
    from,
    layer,
    source,
    settings: locatedSettings(settings, layer.baseDir),
    hooks: global.hooks.map((hook, i) => hookEntry(hook, [...global.path, i], from)),
    agents: Object.entries(agents).map(([name, { hooks = [], override = [], mode: ofAgent }]) => {
      const own = { ...from, agent: name, modeLimit: weakestMode(mode, ofAgent) };
      return {
        name,
        hooks: hooks.map((hook, i) => hookEntry(hook, ["agents", name, "hooks", i], own)),
        override,
      };
    }),
  };
}
