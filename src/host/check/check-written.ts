import { codePath } from "../../config/inside.ts";
import { findLayers } from "../../config/layers.ts";
import type { Layer, LayerOptions } from "../../config/layers.ts";
import { shownFile } from "../../config/path.ts";
import type { KeyPath } from "../../config/path.ts";
import { NO_PLACES, placesOf } from "../../config/places.ts";
import type { Finding } from "../../config/report.ts";
import { writtenHooks } from "../../config/schema.ts";
import { findScript, isDirectory } from "../../config/scripts.ts";
import type { Source } from "../../config/source.ts";
import { isTable } from "../../config/table.ts";
import type { Table } from "../../config/table.ts";
import { scriptDirsOf, writtenIn } from "../../config/written.ts";
import { resolve } from "node:path";
import { SHIPPED_HOOKS } from "../loading/script-sources.ts";

/** A configuration as it is written, whether or not it loads. */
export interface WrittenLayer {
  readonly layer: Layer;
  readonly tree: unknown;
  readonly source: Source;
  readonly lines: readonly string[];
  /** Why there is no tree. */
  readonly finding: Finding | undefined;
  readonly hooks: readonly WrittenHook[];
}

/** A `[[hooks]]` table as it is written. */
export interface WrittenHook {
  readonly table: Table;
  readonly path: KeyPath;
  readonly layer: WrittenLayer;
  /** Absolute path of its script, when it has one that can be read. */
  readonly script: string | undefined;
  /** Where its script's `require` looks, the script's own folder aside. */
  readonly roots: readonly string[];
}

/** Read the configurations that count, without a check of what stands in them. */
export async function writtenLayers(options: LayerOptions): Promise<WrittenLayer[]> {
  const layers: WrittenLayer[] = [];
  let below: readonly string[] | undefined;
  for (const layer of findLayers(options)) {
    const { tree, text, finding } = writtenIn(layer, options.cwd);
    const inherited = layer.origin === "local" ? below : undefined;
    const dirs = scriptDirsOf(layer, tree) ?? inherited ?? [resolve(layer.baseDir, "hooks")];
    const source: Source = {
      file: "file" in layer.from ? shownFile(layer.from.file, options.cwd) : undefined,
      text,
      prefix: "",
      places: finding || text === undefined ? NO_PLACES : await placesOf(text),
    };
    const hooks: WrittenHook[] = [];
    const written = { layer, tree, source, lines: text?.split("\n") ?? [], finding, hooks };
    addHooks(hooks, written, dirs);
    layers.push(written);
    below = dirs;
  }
  return layers;
}

function addHooks(hooks: WrittenHook[], layer: WrittenLayer, dirs: readonly string[]): void {
  const locate = (path: string) => codePath(layer.layer, path);
  const roots = dirs.map(locate).filter(isDirectory);
  const places = { dirs, baseDir: layer.layer.baseDir, shippedDir: SHIPPED_HOOKS, locate };
  // Looking a script up asks the file system, and thousands of hooks may share one.
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
