import { realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileBytes } from "./file-bytes.ts";
import { excessOf, FOUND_LIMITS } from "./found-limits.ts";
import { inside } from "./inside.ts";
import type { Layer } from "./layers.ts";
import { shownFile } from "./path.ts";
import type { Finding } from "./report.ts";
import { valueAt } from "./table.ts";
import { readTomlFile } from "./toml-file.ts";

/** What stands in a configuration, unchecked. */
export interface Written {
  readonly tree: unknown;
  /** The file as it was read. */
  readonly bytes: Uint8Array | undefined;
  /** Content of the file. */
  readonly text: string | undefined;
  /** Why there is no tree. */
  readonly finding: Finding | undefined;
}

/** The content of a layer's file, parsed, or its object as it is. */
export function writtenIn(layer: Layer, cwd: string): Written {
  if ("object" in layer.from)
    return { tree: layer.from.object, bytes: undefined, text: undefined, finding: undefined };
  // What somebody has named may be a pipe of his.
  const readFound = readerOf(layer, layer.from.bytes);
  const read = readTomlFile(layer.from.file, shownFile(layer.from.file, cwd), readFound);
  const { bytes } = read;
  const excess = layer.rank === 1 && !read.mistake ? excessOf(read.tree) : undefined;
  if (excess !== undefined) {
    const message = `${shownFile(layer.from.file, cwd)} ${excess}`;
    const diagnostic = { code: "ORCS1020", severity: "error", message } as const;
    return { tree: undefined, bytes, text: undefined, finding: { diagnostic, text: undefined } };
  }
  if (!read.mistake) return { tree: read.tree, bytes, text: read.text, finding: undefined };
  return {
    tree: undefined,
    bytes,
    text: read.text,
    finding: { diagnostic: read.mistake, text: read.text },
  };
}

/** How the file of a layer is read. */
function readerOf({ rank }: Layer, bytes: Uint8Array | undefined) {
  if (bytes) return () => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return rank === 1 ? foundBytes : undefined;
}

/** What was found is read where it is a file of the project: a link could lead to whatever is the user's. */
function foundBytes(file: string): Buffer {
  if (!inside(realpathSync(dirname(file)), realpathSync(file))) {
    throw new Error("it is a link that leads out of the project");
  }
  return fileBytes(file, FOUND_LIMITS.bytes);
}

/** The absolute `scripts.dirs` that a configuration states, if it does, as it names them; wrong ones are reported later. */
export function scriptDirsOf(layer: Layer, tree: unknown): string[] | undefined {
  const dirs = valueAt(tree, ["scripts", "dirs"]);
  if (!Array.isArray(dirs)) return undefined;
  return dirs.filter((dir) => typeof dir === "string").map((dir) => resolve(layer.baseDir, dir));
}
