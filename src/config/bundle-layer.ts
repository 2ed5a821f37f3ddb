import { type HookMode, OrcsError, weakestMode } from "../core/index.ts";
import type { HookEntry } from "./hook-entry.ts";
import { bundleLayer, type Layer, type LayerFiles } from "./layers.ts";
import { allHooks, type LayerRead, type ReadLayer } from "./read-layer.ts";
import { sectionSettings, type SettingsTable } from "./settings.ts";
import { valueAt } from "./table.ts";

type BundleSettings = NonNullable<SettingsTable["bundle"]>;

/** The bundle on this machine that settings name. */
export interface FoundBundle {
  readonly name: string;
  readonly revision: number;
  /** Its unpacked files. */
  readonly files: LayerFiles;
  /** The strongest mode of its hooks. */
  readonly mode: HookMode;
}

/** What is known of a bundle that a configuration names. */
export interface BundleStanding {
  /** Undefined when there is none that may be used. */
  readonly active: Pick<FoundBundle, "name" | "revision"> | undefined;
  /** Why there is none, in one line. */
  readonly problem: string | undefined;
  /** Whether tool calls are denied without one. */
  readonly isClosed: boolean;
  /** Whether the machine enforces it. */
  readonly isEnforced: boolean;
  /** The files whose change can change it, absolute. */
  readonly files: readonly string[];
}

/** Finds the bundle of settings on this machine. */
export interface BundleFinder {
  /** @throws OrcsError that says why there is none */
  find(settings: BundleSettings): Promise<FoundBundle>;
  /** The files that it looks at, absolute. */
  readonly files: readonly string[];
}

/** Finds bundles; loaded only when a configuration names one. */
export type LoadBundleFinder = () => Promise<BundleFinder>;

/**
 * The bundle that settings name, read as a layer.
 * @param isEnforced whether the machine enforces it
 * @param readBundle reads and validates a layer
 */
export async function readBundleLayer(
  settings: BundleSettings,
  isEnforced: boolean,
  loadFinder: LoadBundleFinder,
  readBundle: (layer: Layer) => Promise<ReadLayer>,
): Promise<{ readonly read: ReadLayer | undefined; readonly standing: BundleStanding }> {
  const finder = await loadFinder();
  const isClosed = settings.on_error !== "open";
  const stated = { isClosed, isEnforced, files: finder.files };
  try {
    const found = await finder.find(settings);
    const { name, revision, mode } = found;
    const layer = bundleLayer(found.files, isEnforced);
    if (!layer) throw new OrcsError("ORCS9001", "the bundle has no configuration");
    const read = await readBundle(layer);
    const problem = problemIn(read.read);
    if (problem !== undefined) {
      const why = `the bundle ${name}, revision ${revision}, cannot be used: ${problem}`;
      throw new OrcsError("ORCS9005", why);
    }
    const standing = { active: { name, revision }, problem: undefined, ...stated };
    return { read: inMode(read, mode), standing };
  } catch (thrown) {
    // Any other error is one of orcs.
    if (!(thrown instanceof OrcsError)) throw thrown;
    const standing = { active: undefined, problem: thrown.message, ...stated };
    return { read: undefined, standing };
  }
}

function problemIn({ config, findings }: LayerRead): string | undefined {
  const [first] = findings;
  if (first) return first.diagnostic.message;
  if (!config) return undefined;
  const problems = allHooks(config).flatMap((hook) => handlerProblem(hook, hook.id) ?? []);
  return [...problems, ...placesIn(config.settings)][0];
}

function inMode(given: ReadLayer, mode: HookMode): ReadLayer {
  const { config } = given.read;
  if (!config || mode === "enforce") return given;
  const limited = (hooks: readonly HookEntry[]): HookEntry[] =>
    hooks.map((hook) => ({ ...hook, modeLimit: weakestMode(hook.modeLimit, mode) }));
  const agents = config.agents.map((agent) => ({ ...agent, hooks: limited(agent.hooks) }));
  const all = { ...config, hooks: limited(config.hooks), agents };
  return { ...given, read: { config: all, findings: [] } };
}

/** Kinds of handlers that a bundle may have: what they run is in it, or nothing runs here. */
const KINDS: ReadonlySet<string> = new Set(["script", "inline", "webhook"]);

/** Why a bundle may not have a handler; undefined if it may. */
export function handlerProblem(
  { handler, place }: Pick<HookEntry, "handler" | "place">,
  id: string | undefined,
): string | undefined {
  if (KINDS.has(handler.kind)) return undefined;
  const hook = id === undefined ? "a hook" : `the hook ${JSON.stringify(id)}`;
  return `${place.file}:${place.line}: ${hook} has a ${handler.kind} handler: a bundle runs Lua only, or asks a webhook`;
}

/** What is wrong with settings that name a place on one machine, which a bundle cannot know. */
export function placesIn(settings: object): string[] {
  return sectionSettings().flatMap(({ path, setting }) =>
    setting.isPath === true && valueAt(settings, path) !== undefined
      ? `${path.join(".")} is a place on one machine: set it in the configuration of that machine`
      : [],
  );
}
