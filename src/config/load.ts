import { createHash } from "node:crypto";
import { basename, resolve } from "node:path";
import { isTrusted, lazyConstant, pointSet, weakestMode } from "../core/index.ts";
import type { Diagnostic, PointSet, Rank } from "../core/index.ts";
import { type BundleStanding, type LoadBundleFinder, readBundleLayer } from "./bundle-layer.ts";
import { configurationError } from "./config-error.ts";
import { LOCAL_NAME } from "./discover.ts";
import { codePath } from "./path-inside.ts";
import type { AgentException, HookEntry } from "./hook-entry.ts";
import { findLayers, type Layer, type LayerOptions } from "./layers.ts";
import type { UsedPackage } from "./packages/layer-packages.ts";
import { type Enforced, type Held, tightened, withoutReleasing } from "./project-overrides.ts";
import { rawConfigIn, scriptDirsOf } from "./raw-config.ts";
import {
  type AgentConfig,
  allHooks,
  type LayerConfig,
  type ReadLayer,
  readLayer,
} from "./read-layer.ts";
import { filledSettings, mergeSettings, type Settings, type SettingsTable } from "./settings.ts";
import { diagnosticOf } from "./source-positions.ts";
import type { Examine, FoundLayer, TrustedFiles } from "./found-project.ts";

/** Options for loading a configuration. */
export interface LoadOptions extends LayerOptions {
  /** Default: the built-in ones. */
  readonly points?: PointSet | undefined;
  /** The trust decision about `project`: only what is trusted counts. Without it, everything counts. */
  readonly projectTrust?: TrustedFiles | undefined;
  /** Whether it is read for the user's entries although it is a project: it will apply in every folder. */
  readonly isUsers?: boolean | undefined;
  /** Checks the content of a project for reasons not to trust it. */
  readonly examine?: Examine | undefined;
  /** Loads what finds the bundle of the user's own configuration. Without it, none counts. */
  readonly bundles?: LoadBundleFinder | undefined;
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
  /** SHA-256 of the configurations that count, as hexadecimal digits: computed when it is first asked for. */
  readonly digest: () => string;
  /** The trust decision about the project, if there is one. */
  readonly projectTrust: TrustedFiles | undefined;
  /** The bundle that the user's own configuration or the machine's names, if one does. */
  readonly bundle: BundleStanding | undefined;
  /** The packages whose modules scripts can require by name. */
  readonly packages: readonly UsedPackage[];
  /** The configuration of the machine, if there is one. */
  readonly machine: MachineStanding | undefined;
}

/** What is known of the configuration of the machine. */
export interface MachineStanding {
  /** Its folder. */
  readonly directory: string;
  /** Whether all of it is enforced. */
  readonly isEnforced: boolean;
  /** Whether any hooks are: its own, or those of the bundle that it names. */
  readonly enforcesHooks: boolean;
}

/**
 * Load the configuration: find its layers, read and validate each, and merge them.
 * @throws OrcsError ORCS1015 with every error of every file, as `diagnostics` and in its message
 */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const cwd = resolve(options.cwd);
  const unbundled = findLayers({ ...options, cwd });
  const ofProject = unbundled.filter(({ rank }) => rank === 1);
  const readProject = lazyConstant(() => readAll(ofProject, { ...options, cwd }));
  const project = ofProject[0] && {
    directory: ofProject[0].baseDir,
    layers: async () => (await readProject()).flatMap(foundLayer),
  };
  const { projectTrust } = options;
  const counts = projectTrust === undefined || isTrusted(projectTrust);
  const examined = project && (await options.examine?.(project));
  const own = await readAll(
    unbundled.filter(({ rank }) => rank !== 1),
    { ...options, cwd },
  );
  const bundled = await readBundle(own, { ...options, cwd });
  const ofMachine = unbundled.filter(isOfMachine);
  const others = unbundled.filter((layer) => !isOfMachine(layer));
  // The user's own configuration is above it.
  const bundles = bundled?.read ? [bundled.read] : [];
  const layers = [...ofMachine, ...bundles.map(({ layer }) => layer), ...others];
  const all = [...bundles, ...own, ...(counts ? await readProject() : [])];
  const reads = layers.flatMap((layer) => all.filter((read) => read.layer === layer));
  let digest: string | undefined;
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
    files: [
      ...layers.flatMap(({ from }) => ("file" in from ? from.file : [])),
      ...reads.flatMap(({ read }) => read.config?.packageFiles ?? []),
      ...(bundled?.standing.files ?? []),
    ],
    warnings: merged.warnings,
    digest: () => (digest ??= digestOf(reads)),
    projectTrust,
    packages: reads.flatMap(({ read }) => read.config?.packages ?? []),
    bundle: bundled?.standing,
    machine: ofMachine[0] && { directory: ofMachine[0].baseDir, ...merged.machine },
  };
}

function isOfMachine({ origin }: Layer): boolean {
  return origin === "machine";
}

/** The bundle that the configuration of the machine or the user's own names. */
async function readBundle(own: readonly ReadLayer[], options: LoadOptions) {
  const configs = own.flatMap(({ layer, read }) => (layer.isOwn ? (read.config ?? []) : []));
  const enforced = enforcedBy(configs);
  const settings = configs
    .map((config) => allowedBy(enforced, config).settings)
    .reduce(mergeSettings, {}).bundle;
  if (settings?.url === undefined || options.bundles === undefined) return undefined;
  const isEnforced = enforced.settings.bundle?.url !== undefined;
  return readBundleLayer(settings, isEnforced, options.bundles, async (layer) => {
    const [read] = await readAll([layer], options);
    if (!read) throw new Error("unreachable: a layer was read");
    return read;
  });
}

async function readAll(layers: readonly Layer[], given: LoadOptions): Promise<ReadLayer[]> {
  const { points = pointSet(), cwd, isUsers } = given;
  const options = { points, cwd, isUsers };
  const reads: ReadLayer[] = [];
  for (const layer of layers) {
    const written = rawConfigIn(layer, options.cwd);
    const before = reads.at(-1);
    const inherited = before && isLocalOf(before.layer, layer) ? before.dirs : undefined;
    const dirs = scriptDirsOf(layer, written.tree) ??
      inherited ?? [resolve(layer.baseDir, "hooks")];
    const read = await readLayer(layer, written, dirs, options);
    reads.push({ layer, written, dirs, read });
  }
  return reads;
}

/** Whether a layer is the local file beside the one before it, whose script directories it shares. */
function isLocalOf(before: Layer, { baseDir, from }: Layer): boolean {
  return baseDir === before.baseDir && "file" in from && basename(from.file) === LOCAL_NAME;
}

function foundLayer({ layer: { from }, written, dirs, read }: ReadLayer): FoundLayer[] {
  if (!("file" in from)) return [];
  const { config, findings } = read;
  return [
    {
      file: from.file,
      bytes: written.bytes,
      settings: config?.settings ?? {},
      hooks: config ? allHooks(config) : [],
      scriptDirs: dirs,
      hasErrors: findings.length > 0,
      packages: (config ?? read).packages ?? [],
    },
  ];
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
  const enforced = enforcedBy(configs);
  // A project may loosen neither the user's own configuration nor what the user gets with a bundle or the machine.
  const above = configs.filter(({ layer: { origin } }) => ABOVE_PROJECTS.has(origin));
  const held = {
    settings: above.map((config) => allowedBy(enforced, config).settings).reduce(mergeSettings, {}),
    hasHooks: above.some((config) => allHooks(config).length > 0),
  };
  const warnings: Diagnostic[] = [];
  let settings: SettingsTable = {};
  let hooks: HookEntry[] = [];
  for (const config of configs) {
    const { layer, source } = config;
    const below = allowedSettings(config, held, settings);
    const allowed = allowedBy(enforced, { layer, settings: below.settings });
    warnings.push(
      ...[...config.ignored, ...below.warnings, ...allowed.warnings].map((mistake) =>
        diagnosticOf(mistake, source),
      ),
    );
    settings = mergeSettings(settings, allowed.settings);
    const added = mergeHooks(hooks, besideAgents(hooks, config.hooks));
    const withAgents = config.agents.reduce(
      (merged, agent) => withAgent(merged, agent, layer.rank),
      added,
    );
    const ranks = new Map(hooks.map(({ id, rank }) => [id, rank]));
    warnings.push(...withAgents.ignored.map((hook) => ignoredHook(hook, ranks.get(hook.id))));
    hooks = withAgents.hooks;
  }
  hooks = withAgentNames(hooks, configs);
  const isGranted = (of: SettingsTable): boolean => of.permissions?.grants !== undefined;
  const granting = isGranted(enforced.settings) ? -2 : isGranted(held.settings) ? 0 : 1;
  hooks = hooks.map((hook) => (hook.rank > granting ? { ...hook, needsGrants: true } : hook));
  // The mode of enforced hooks is nobody else's business.
  const ofMachine = enforced.stated.engine?.mode;
  hooks = hooks.map((hook) => {
    const everywhere = hook.rank < 0 ? ofMachine : settings.engine?.mode;
    const isWeaker = everywhere !== undefined && everywhere !== "enforce";
    return isWeaker ? { ...hook, modeLimit: weakestMode(hook.modeLimit, everywhere) } : hook;
  });
  const machine = { isEnforced: enforced.byMachine.isWhole, enforcesHooks: enforced.hasHooks };
  return { settings, hooks, warnings, machine };
}

const ABOVE_PROJECTS: ReadonlySet<Layer["origin"]> = new Set(["machine", "bundle", "user"]);

/** What the machine enforces, with the bundle that it names. */
interface EnforcedByAll extends Enforced {
  /** What the bundle may not loosen. */
  readonly byMachine: Enforced & { readonly isWhole: boolean };
}

/** What is enforced by the configuration of the machine and its bundle, where they are among these. */
function enforcedBy(configs: readonly LayerConfig[]): EnforcedByAll {
  const machine = configs.find(({ layer }) => isOfMachine(layer));
  const stated = machine?.settings ?? {};
  const isWhole = stated.enforced === true;
  const hasHooks = machine !== undefined && allHooks(machine).some(({ rank }) => rank < 0);
  const byMachine = { settings: isWhole ? stated : {}, stated, hasHooks, isWhole };
  const bundle = configs.find(({ layer }) => layer.rank === -1);
  if (!bundle) return { ...byMachine, byMachine };
  const added = withoutReleasing(bundle.settings, byMachine).settings;
  return {
    settings: mergeSettings(byMachine.settings, added),
    stated: mergeSettings(stated, added),
    hasHooks: hasHooks || allHooks(bundle).length > 0,
    byMachine,
  };
}

/** The settings of a configuration that loosen nothing that the machine enforces. */
function allowedBy(
  enforced: EnforcedByAll,
  { layer, settings }: Pick<LayerConfig, "layer" | "settings">,
): ReturnType<typeof withoutReleasing> {
  if (isOfMachine(layer)) return { settings, warnings: [] };
  return withoutReleasing(settings, layer.rank === -1 ? enforced.byMachine : enforced);
}

/** @param below settings of the layers below */
function allowedSettings(
  { layer, settings }: LayerConfig,
  held: Held,
  below: SettingsTable,
): ReturnType<typeof tightened> {
  if (layer.origin === "environment") {
    return tightened("environment", settings, { settings: below, hasHooks: true });
  }
  return layer.rank === 1 ? tightened("project", settings, held) : { settings, warnings: [] };
}

/** @param rank of the other hook */
function ignoredHook(hook: HookEntry, rank: Rank = 0): Diagnostic {
  const [holder, whose] = clashing(rank, hook.rank);
  return {
    code: "ORCS1016",
    severity: "warning",
    message: `${holder} has a hook with the id ${JSON.stringify(hook.id)}; ${whose} hook is ignored`,
    place: hook.place,
    hint: `give ${whose} hook a different id`,
  };
}

/** Whose a hook is that cannot be replaced, and whose the ignored one is. */
export function clashing(rank: Rank, ignored: Rank): readonly [holder: string, whose: string] {
  const holder = { "-2": "this machine", "-1": "the enforced bundle" }[String(rank)];
  const whose = { "-1": "the bundle's", "0": "your", "1": "the project's" }[String(ignored)];
  return [holder ?? "your own configuration", whose ?? "the other"];
}

type Identified = Pick<HookEntry, "id" | "rank"> & Partial<Pick<HookEntry, "agent">>;

/**
 * Merge the hooks for all agents of two layers, lower first. A hook of the upper layer replaces lower ones with the
 * same id (and is placed where the upper one stands); others are appended. Source: ADR-002 §6.3. A hook of a
 * discovered project cannot replace one that is not, and is ignored; beside one that is for a single agent, it stays.
 */
export function mergeHooks<Entry extends Identified>(
  lower: readonly Entry[],
  upper: readonly Entry[],
): { hooks: Entry[]; ignored: Entry[] } {
  const ranks = new Map(upper.map(({ id, rank }) => [id, rank]));
  const kept = lower.filter(({ id, rank }) => rank < (ranks.get(id) ?? Infinity));
  const fixed = new Set(
    kept.flatMap(({ id, agent }) => (agent === undefined && ranks.has(id) ? [id] : [])),
  );
  return {
    hooks: [...kept, ...upper.filter(({ id }) => !fixed.has(id))],
    ignored: upper.filter(({ id }) => fixed.has(id)),
  };
}

/** The hooks of a project do not run for agents for which the user has a hook of the same id. */
function besideAgents(lower: readonly HookEntry[], upper: readonly HookEntry[]): HookEntry[] {
  const ofAgents = lower.filter(({ agent }) => agent !== undefined);
  if (ofAgents.length === 0) return [...upper];
  return upper.map((hook) =>
    ofAgents
      .filter(({ id, rank }) => id === hook.id && rank < hook.rank)
      .reduce((made, { agent = "" }) => withException(made, { agent, points: undefined }), hook),
  );
}

/**
 * Add the hooks of an agent: those of the same id that are for all, and those at the points of its `override`, do not
 * run for it.
 * @param rank of the configuration: it excepts no hooks of lower ranks
 */
function withAgent(
  { hooks, ignored }: ReturnType<typeof mergeHooks<HookEntry>>,
  { name, hooks: own, override }: AgentConfig,
  rank: Rank,
): ReturnType<typeof mergeHooks<HookEntry>> {
  const merged = hooks.map((hook) =>
    hook.agent === undefined && hook.rank >= rank && override.length > 0
      ? withException(hook, { agent: name, points: override })
      : hook,
  );
  const ids = new Map(
    merged.flatMap((hook, i) =>
      hook.agent === undefined || hook.agent === name ? [[hook.id, i]] : [],
    ),
  );
  const replaced = new Set<number>();
  const added: HookEntry[] = [];
  const left: HookEntry[] = [];
  for (const hook of own) {
    const at = ids.get(hook.id);
    const old = at === undefined ? undefined : merged[at];
    if (at === undefined || old === undefined) added.push(hook);
    else if (old.rank < hook.rank) left.push(hook);
    else {
      if (old.agent === name) replaced.add(at);
      else merged[at] = withException(old, { agent: name, points: undefined });
      added.push(hook);
    }
  }
  const kept = merged.filter((_, i) => !replaced.has(i));
  return { hooks: [...kept, ...added], ignored: [...ignored, ...left] };
}

function withException(hook: HookEntry, exception: AgentException): HookEntry {
  return { ...hook, exceptions: [...hook.exceptions, exception] };
}

/** Each hook knows the names of all agents, and one id stands for one hook. */
function withAgentNames(hooks: readonly HookEntry[], configs: readonly LayerConfig[]): HookEntry[] {
  const agents = [...new Set(configs.flatMap((config) => config.agents.map(({ name }) => name)))];
  const taken = new Set(hooks.flatMap(({ id, agent }) => (agent === undefined ? [id] : [])));
  return hooks.map((hook) => {
    if (hook.agent === undefined) return { ...hook, agents };
    const id = taken.has(hook.id) ? agentHookId(hook.agent, hook.id) : hook.id;
    taken.add(id);
    return { ...hook, id, agents };
  });
}

/** The id of an agent's hook whose own id is that of another hook, too. */
export function agentHookId(agent: string, id: string): string {
  return `agents.${agent}.${id}`;
}
