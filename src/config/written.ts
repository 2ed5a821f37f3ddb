import { resolve } from "node:path";
import type { Layer } from "./layers.ts";
import { shownFile } from "./path.ts";
import type { Finding } from "./report.ts";
import { valueAt } from "./table.ts";
import { readTomlFile } from "./toml-file.ts";

/** What stands in a configuration, unchecked. */
export interface Written {
  readonly tree: unknown;
  /** Content of the file. */
  readonly text: string | undefined;
  /** Why there is no tree. */
  readonly finding: Finding | undefined;
}

/** The content of a layer's file, parsed, or its object as it is. */
export function writtenIn(layer: Layer, cwd: string): Written {
  if ("object" in layer.from)
    return { tree: layer.from.object, text: undefined, finding: undefined };
  const read = readTomlFile(layer.from.file, shownFile(layer.from.file, cwd));
  if (!read.mistake) return { tree: read.tree, text: read.text, finding: undefined };
  return {
    tree: undefined,
    text: read.text,
    finding: { diagnostic: read.mistake, text: read.text },
  };
}

/** The absolute `scripts.dirs` that a configuration states, if it does; wrong ones are reported later. */
export function scriptDirsOf(layer: Layer, tree: unknown): string[] | undefined {
  const dirs = valueAt(tree, ["scripts", "dirs"]);
  if (!Array.isArray(dirs)) return undefined;
  return dirs.filter((dir) => typeof dir === "string").map((dir) => resolve(layer.baseDir, dir));
}
