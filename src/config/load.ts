import { createHash } from "node:crypto";
import { resolve } from "node:path";
import type { Diagnostic } from "../core/diagnostic.ts";
import type { PointSet, PointSpec } from "../core/points.ts";
import { isTrusted } from "../core/trust.ts";
import { configurationError } from "./config-error.ts";
import { codePath } from "./path-inside.ts";
import type { HookEntry } from "./hook-entry.ts";
import type { Layer, LayerOptions } from "./layers.ts";
import { findLayers } from "./layers.ts";
import { withoutLoosening, withoutWeakening } from "./project-overrides.ts";
import type { RawConfig } from "./raw-config.ts";
import { rawConfigIn, scriptDirsOf } from "./raw-config.ts";
import type { LayerConfig, LayerRead } from "./read-layer.ts";
import { readLayer } from "./read-layer.ts";
import type { Settings, SettingsTable } from "./settings.ts";
import { filledSettings, mergeSettings } from "./settings.ts";
import { diagnosticOf } from "./source-positions.ts";
import type { Examine, FoundLayer, FoundProject, TrustedFiles } from "./trust-decision.ts";

/** Options for loading a configuration. */
export interface LoadOptions extends LayerOptions {
  readonly points: PointSet;
  /** The agent whose `[[agents.NAME.hooks]]` and `override` apply; default: none. */
  readonly agent?: string | undefined;
  /** Directory of the scripts named `orcs:name`. */
  readonly shippedDir?: string | undefined;
  /** The trust decision about `project`: only what is trusted counts. Without it, everything counts. */
  readonly projectTrust?: TrustedFiles | undefined;
  /** Whether it is read for the user's entries although it is a project: it will apply in every folder. */
  readonly isUsers?: boolean | undefined;
  /** Checks the content of a project for reasons not to trust it. */
  readonly examine?: Examine | undefined;
}

/** All configurations that count, validated and merged. */
export interface LoadedConfig {
  readonly settings: Settings;
  /** In the order of registration. */
  readonly hooks: readonly HookEntry[];
  /** Absolute paths of the files that were read, the weakest layer first. */
  readonly files: readonly string[];
  /** Ignored values, with their places. */
  readonly warnings: readonly Diagnostic[];
  /** SHA-256 of the configurations that count, as hexadecimal digits. */
  readonly digest: string;
  /** The trust decision about the project, if there is one. */
  readonly projectTrust: TrustedFiles | undefined;
}

/**
 * Load the configuration: find its layers, read and validate each, and merge them.
 * @throws OrcsError ORCS1015 with every error of every file, as `diagnostics` and in its message
 */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const cwd = resolve(options.cwd);
  const layers = findLayers({ ...options, cwd });
  const found = new FoundLayers(layers, { ...options, cwd });
  const { projectTrust } = options;
  const counts = projectTrust === undefined || isTrusted(projectTrust);
  const examined = found.project && (await options.examine?.(found.project));
  const own = await readAll(
    layers.filter(({ rank }) => rank === 0),
    { ...options, cwd },
  );
  const all = [...own, ...(counts ? await found.read() : [])];
  const reads = layers.flatMap((layer) => all.filter((read) => read.layer === layer));
  // Its configuration errors are reported separately.
  const problems = (examined ?? []).filter(({ code }) => code !== "ORCS1015");
  const findings = [
    ...reads.flatMap(({ read }) => read.findings),
    ...problems.map((diagnostic) => ({ diagnostic, text: undefined })),
  ];
  if (findings.length > 0) throw configurationError(findings);
  const merged = merge(reads.flatMap(({ read }) => read.config ?? []));
  const dirs = reads.flatMap(({ layer, dirs }) => dirs.map((dir) => codePath(layer, dir)));
  return {
    settings: filledSettings(merged.settings, dirs, cwd),
    hooks: merged.hooks,
    files: layers.flatMap(({ from }) => ("file" in from ? from.file : [])),
    warnings: merged.warnings,
    digest: digestOf(reads),
    projectTrust,
  };
}

/** A configuration, and its content. */
interface ReadLayer {
  readonly layer: Layer;
  readonly written: RawConfig;
  /** Its script directories, as written. */
  readonly dirs: readonly string[];
  readonly read: LayerRead;
}

async function readAll(layers: readonly Layer[], given: LoadOptions): Promise<ReadLayer[]> {
  const { points, cwd, agent, shippedDir, isUsers } = given;
  const options = { points, cwd, agent, shippedDir, isUsers };
  const reads: ReadLayer[] = [];
  for (const layer of layers) {
    const written = rawConfigIn(layer, options.cwd);
    // The local file is beside the project's and shares its script directories.
    const inherited = layer.origin === "local" ? reads.at(-1)?.dirs : undefined;
    const dirs = scriptDirsOf(layer, written.tree) ??
      inherited ?? [resolve(layer.baseDir, "hooks")];
    const read = await readLayer(layer, written, dirs, options);
    reads.push({ layer, written, dirs, read });
  }
  return reads;
}

/** The configurations of a discovered project, read on first use. */
class FoundLayers {
  /** Undefined when no project was discovered. */
  readonly project: FoundProject | undefined;
  readonly #layers: readonly Layer[];
  readonly #options: LoadOptions;
  #reads: Promise<ReadLayer[]> | undefined;

  constructor(layers: readonly Layer[], options: LoadOptions) {
    this.#layers = layers.filter(({ rank }) => rank === 1);
    this.#options = options;
    const [first] = this.#layers;
    this.project = first && {
      directory: first.baseDir,
      layers: async () => (await this.read()).flatMap(foundLayer),
    };
  }

  read(): Promise<ReadLayer[]> {
    return (this.#reads ??= readAll(this.#layers, this.#options));
  }
}

function foundLayer({ layer: { from }, written, dirs, read }: ReadLayer): FoundLayer[] {
  if (!("file" in from)) return [];
  const handlers = read.config?.handlers ?? [];
  const hasMistakes = read.findings.length > 0;
  const { file } = from;
  const settings = read.config?.settings ?? {};
  return [{ file, bytes: written.bytes, settings, handlers, scriptDirs: dirs, hasMistakes }];
}

function digestOf(reads: readonly ReadLayer[]): string {
  const hash = createHash("sha256");
  for (const { layer, written } of reads) {
    hash.update(`${layer.origin}\n`);
    hash.update(written.bytes ?? JSON.stringify(written.tree, bigintText) ?? "");
    hash.update("\n");
  }
  return hash.digest("hex");
}

/** An object can contain values that JSON cannot; they are hashed as written. */
function bigintText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" || typeof value === "function" ? String(value) : value;
}

function merge(configs: readonly LayerConfig[]) {
  const user = configs.find(({ layer }) => layer.origin === "user");
  const held = { settings: user?.settings ?? {}, hasHooks: hasHooks(user) };
  const warnings: Diagnostic[] = [];
  let settings: SettingsTable = {};
  let hooks: HookEntry[] = [];
  for (const config of configs) {
    const { layer, source } = config;
    const allowed = allowedSettings(config, held, settings);
    warnings.push(
      ...[...config.ignored, ...allowed.warnings].map((mistake) => diagnosticOf(mistake, source)),
    );
    settings = mergeSettings(settings, allowed.settings);
    const added = mergeHooks(hooks, config.hooks);
    const remaining = dropOverridden(added.hooks, config.agent.override, layer.rank);
    const withAgent = mergeHooks(remaining, config.agent.hooks);
    warnings.push(...[...added.ignored, ...withAgent.ignored].map(ignoredHook));
    hooks = withAgent.hooks;
  }
  if (held.settings.permissions?.grants !== undefined) {
    hooks = hooks.map((hook) => (hook.rank === 0 ? hook : { ...hook, needsGrants: true }));
  }
  return { settings, hooks, warnings };
}

/** @param below settings of the layers below */
function allowedSettings(
  { layer, settings }: LayerConfig,
  held: Parameters<typeof withoutLoosening>[1],
  below: SettingsTable,
): ReturnType<typeof withoutLoosening> {
  if (layer.origin === "environment") return withoutWeakening(settings, below);
  return layer.rank === 0 ? { settings, warnings: [] } : withoutLoosening(settings, held);
}

function hasHooks(config: LayerConfig | undefined): boolean {
  return config !== undefined && config.hooks.length + config.agent.hooks.length > 0;
}

function ignoredHook(hook: HookEntry): Diagnostic {
  return {
    code: "ORCS1016",
    severity: "warning",
    message: `your own configuration has a hook with the id ${JSON.stringify(hook.id)}; the project's hook is ignored`,
    place: hook.place,
    hint: "give the project's hook a different id",
  };
}

type Identified = Pick<HookEntry, "id" | "rank">;

/**
 * Merge the hooks of two layers, lower first. A hook of the upper layer replaces a lower one with the same id (and is
 * placed where the upper one stands); others are appended. Source: ADR-002 §6.3. A hook of a discovered project cannot
 * replace one that is not, and is ignored.
 */
export function mergeHooks<Entry extends Identified>(
  lower: readonly Entry[],
  upper: readonly Entry[],
): { hooks: Entry[]; ignored: Entry[] } {
  const standing = new Map(lower.map((hook) => [hook.id, hook]));
  const ignored: Entry[] = [];
  for (const hook of upper) {
    const old = standing.get(hook.id);
    if (old !== undefined && old.rank < hook.rank) {
      ignored.push(hook);
      continue;
    }
    // Deleting first moves the id to the end.
    standing.delete(hook.id);
    standing.set(hook.id, hook);
  }
  return { hooks: [...standing.values()], ignored };
}

/**
 * The hooks that remain after an agent's `override`: global hooks at its points are dropped. A hook whose script states
 * the point stays, with these points noted.
 * @param rank of the configuration with the override: a discovered project drops only its own hooks.
 */
function dropOverridden(
  hooks: readonly HookEntry[],
  points: readonly PointSpec[],
  rank: 0 | 1,
): HookEntry[] {
  const left: HookEntry[] = [];
  for (const hook of hooks) {
    if (hook.rank < rank || hook.agent !== undefined) left.push(hook);
    else if (hook.point === undefined)
      left.push({ ...hook, droppedPoints: [...new Set([...hook.droppedPoints, ...points])] });
    else if (!points.includes(hook.point)) left.push(hook);
  }
  return left;
}
