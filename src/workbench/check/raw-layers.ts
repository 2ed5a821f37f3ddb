import { resolve } from "node:path";
import {
  codePath,
  type Finding,
  findLayers,
  findScript,
  isTable,
  type KeyPath,
  type Layer,
  type LayerOptions,
  movedPositions,
  NO_POSITIONS,
  rawConfigIn,
  scriptDirsOf,
  shownFile,
  type Source,
  sourcePositions,
  type Table,
  type UsedPackage,
  usesPackages,
  writtenHooks,
} from "../../config/index.ts";
import { isFolder } from "../../machine/index.ts";

/** A configuration as written, valid or not. */
export interface RawLayer {
  readonly layer: Layer;
  readonly tree: unknown;
  readonly source: Source;
  readonly lines: readonly string[];
  /** Why there is no parsed tree. */
  readonly finding: Finding | undefined;
  readonly hooks: readonly RawHook[];
  /** Those that could be read. */
  readonly packages: readonly UsedPackage[];
}

/** A `[[hooks]]` table as written. */
export interface RawHook {
  readonly table: Table;
  readonly path: KeyPath;
  readonly layer: RawLayer;
  /** Absolute path of its script, if it can be read. */
  readonly script: string | undefined;
  /** The folders of its script's `require`, without the script's own. */
  readonly roots: readonly string[];
}

/** Read the active configurations without validating them. */
export async function rawLayers(options: LayerOptions): Promise<RawLayer[]> {
  const layers: RawLayer[] = [];
  let below: readonly string[] | undefined;
  for (const layer of findLayers(options)) {
    const raw = rawConfigIn(layer, options.cwd);
    const { tree, text, finding } = raw;
    const places = finding || text === undefined ? NO_POSITIONS : await sourcePositions(text);
    const inherited = layer.origin === "local" ? below : undefined;
    const dirs = scriptDirsOf(layer, tree) ?? inherited ?? [resolve(layer.baseDir, "hooks")];
    const source: Source = {
      file: "file" in layer.from ? shownFile(layer.from.file, options.cwd) : undefined,
      text,
      prefix: "",
      places: movedPositions(places, raw.written),
      written: raw.written,
    };
    const hooks: RawHook[] = [];
    const lines = text?.split("\n") ?? [];
    // What is wrong with them is reported when the configuration is loaded.
    const packages = usesPackages(tree)
      ? (await import("../../config/index.ts")).readLayerPackages(layer, tree).used
      : [];
    const written = { layer, tree, source, lines, finding, hooks, packages };
    addHooks(hooks, written, dirs);
    layers.push(written);
    below = dirs;
  }
  return layers;
}

function addHooks(hooks: RawHook[], layer: RawLayer, dirs: readonly string[]): void {
  const locate = (path: string) => codePath(layer.layer, path);
  const roots = dirs.map(locate).filter(isFolder);
  const places = { dirs, baseDir: layer.layer.baseDir, locate };
  // Looking up a script reads the file system, and thousands of hooks can share one.
  const found = new Map<string, string | undefined>();
  const scriptOf = ({ script }: Table): string | undefined => {
    if (typeof script !== "string" || script === "") return undefined;
    if (!found.has(script)) found.set(script, findScript(script, places).file);
    return found.get(script);
  };
  for (const { path, hooks: tables } of writtenHooks(layer.tree)) {
    for (const [i, table] of tables.entries()) {
      if (!isTable(table)) continue;
      hooks.push({ table, path: [...path, i], layer, script: scriptOf(table), roots });
    }
  }
}
