import { resolve } from "node:path";
import type { Diagnostic } from "../core/diagnostic.ts";
import type { PointSet } from "../core/points.ts";
import { withoutLoosening } from "./guarded.ts";
import type { HookEntry } from "./hook-entry.ts";
import { findLayers } from "./layers.ts";
import type { Layer, LayerOptions } from "./layers.ts";
import { dropOverridden, mergeHooks } from "./merge.ts";
import { readLayer } from "./read-layer.ts";
import type { LayerConfig, LayerRead } from "./read-layer.ts";
import { mistakesError } from "./report.ts";
import { filledSettings, mergeSettings } from "./settings.ts";
import type { Settings } from "./settings.ts";
import type { SettingsTable } from "./settings-schema.ts";
import { diagnosticOf } from "./source.ts";
import { scriptDirsOf, writtenIn } from "./written.ts";

/** What to load, and what the engine knows. */
export interface LoadOptions extends LayerOptions {
  readonly points: PointSet;
  /** Whose `[[agents.NAME.hooks]]` and `override` apply; default nobody's. */
  readonly agent?: string | undefined;
  /** Directory of the scripts named `orcs:name`. */
  readonly shippedDir?: string | undefined;
}

/** All configurations that count, checked and merged. */
export interface LoadedConfig {
  readonly settings: Settings;
  /** In the order in which they are to be registered. */
  readonly hooks: readonly HookEntry[];
  /** Absolute paths of the files that were read, the weakest layer first. */
  readonly files: readonly string[];
  /** What was ignored, with its place. */
  readonly warnings: readonly Diagnostic[];
}

/**
 * Load the configuration: find its layers, read and check each, merge them.
 * @throws OrcsError ORCS1015 with every mistake of every file, as `diagnostics` and in its message.
 */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const cwd = resolve(options.cwd);
  const layers = findLayers({ ...options, cwd });
  const { reads, scriptDirs } = await readAll(layers, { ...options, cwd });
  const findings = reads.flatMap((read) => read.findings);
  if (findings.length > 0) throw mistakesError(findings);
  const merged = merge(reads.flatMap((read) => read.config ?? []));
  return {
    settings: filledSettings(merged.settings, scriptDirs, cwd),
    hooks: merged.hooks,
    files: layers.flatMap(({ from }) => ("file" in from ? from.file : [])),
    warnings: merged.warnings,
  };
}

async function readAll(
  layers: readonly Layer[],
  options: LoadOptions,
): Promise<{ reads: LayerRead[]; scriptDirs: string[] }> {
  const reads: LayerRead[] = [];
  const scriptDirs: string[] = [];
  let below: { layer: Layer; dirs: readonly string[] } | undefined;
  for (const layer of layers) {
    const written = writtenIn(layer, options.cwd);
    // The local file stands beside the project's and shares its script directories.
    const inherited = layer.origin === "local" ? below?.dirs : undefined;
    const dirs = scriptDirsOf(layer, written.tree) ??
      inherited ?? [resolve(layer.baseDir, "hooks")];
    const { points, cwd, agent, shippedDir } = options;
    reads.push(await readLayer(layer, written, dirs, { points, cwd, agent, shippedDir }));
    scriptDirs.push(...dirs);
    below = { layer, dirs };
  }
  return { reads, scriptDirs };
}

function merge(configs: readonly LayerConfig[]) {
  const user = configs.find(({ layer }) => layer.origin === "user");
  const held = { settings: user?.settings ?? {}, hasHooks: hasHooks(user) };
  const warnings: Diagnostic[] = [];
  let settings: SettingsTable = {};
  let hooks: HookEntry[] = [];
  for (const config of configs) {
    const { layer, source } = config;
    const allowed =
      layer.rank === 0
        ? { settings: config.settings, warnings: [] }
        : withoutLoosening(config.settings, held);
    warnings.push(...allowed.warnings.map((mistake) => diagnosticOf(mistake, source)));
    settings = mergeSettings(settings, allowed.settings);
    const added = mergeHooks(hooks, config.hooks);
    const remaining = dropOverridden(added.hooks, config.agent.override, layer.rank);
    const withAgent = mergeHooks(remaining, config.agent.hooks);
    warnings.push(...[...added.ignored, ...withAgent.ignored].map(ignoredHook));
    hooks = withAgent.hooks;
  }
  return { settings, hooks, warnings };
}

function hasHooks(config: LayerConfig | undefined): boolean {
  return config !== undefined && config.hooks.length + config.agent.hooks.length > 0;
}

function ignoredHook(hook: HookEntry): Diagnostic {
  return {
    code: "ORCS1016",
    severity: "warning",
    message: `your own configuration has a hook with the id ${JSON.stringify(hook.id)}: the project's is ignored`,
    place: hook.place,
    hint: "give the project's hook another id",
  };
}
