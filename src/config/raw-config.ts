import { readFileSync, realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { bufferOf, fileBytes } from "../machine/index.ts";
import { type Finding, shownFile } from "./config-error.ts";
import { asWritten, foreignTree, type ForeignTree } from "./foreign/foreign-file.ts";
import { isPathInside } from "./path-inside.ts";
import type { Layer } from "./layers.ts";
import { massgenHooks } from "./foreign/massgen-file.ts";
import { writtenHooks } from "./schema.ts";
import { isTable, valueAt } from "./table.ts";
import { readTomlFile } from "./toml-file.ts";

/** The content of a configuration in the form of orcs, not validated. */
export interface RawConfig extends ForeignTree {
  /** The file as it was read. */
  readonly bytes: Uint8Array | undefined;
  /** Content of the file. */
  readonly text: string | undefined;
  /** Why there is no parsed tree. */
  readonly finding: Finding | undefined;
}

/** The file of a layer, for messages. Who reads that of the machine may stand anywhere, even in its folder. */
export function shownLayer(origin: Layer["origin"], file: string, cwd: string): string {
  return origin === "machine" ? file : shownFile(file, cwd);
}

/** The parsed content of a layer's file, or its object. */
export function rawConfigIn(layer: Layer, cwd: string): RawConfig {
  if ("object" in layer.from) {
    const { object } = layer.from;
    const converted = layer.origin === "object" ? foreignTree(object) : asWritten(object);
    return { ...converted, bytes: undefined, text: undefined, finding: undefined };
  }
  const readFound = readerOf(layer, layer.from.bytes);
  const read = readTomlFile(
    layer.from.file,
    shownLayer(layer.origin, layer.from.file, cwd),
    readFound,
  );
  const { bytes } = read;
  const none = asWritten(undefined);
  if (read.mistake) {
    const { mistake, text } = read;
    return { ...none, bytes, text, finding: { diagnostic: mistake, text } };
  }
  // Before it is converted, which costs more than counting.
  const excess = layer.rank === 1 ? excessOf(read.tree) : undefined;
  if (excess === undefined) {
    return { ...foreignTree(read.tree), bytes, text: read.text, finding: undefined };
  }
  const message = `${shownFile(layer.from.file, cwd)} ${excess}`;
  const diagnostic = { code: "ORCS1020", severity: "error", message } as const;
  return { ...none, bytes, text: undefined, finding: { diagnostic, text: undefined } };
}

/** How the file of a layer is read. */
function readerOf({ rank, origin }: Layer, bytes: Uint8Array | undefined) {
  if (bytes) return () => bufferOf(bytes);
  if (rank === 1) return foundBytes;
  // What a shell has opened for `--config <(…)`. A name in a folder is not opened if it is a pipe: nobody may write
  // to it.
  return (file: string) =>
    origin === "named" && /^\/dev\/fd\/\d+$/.test(file) ? readFileSync(file) : fileBytes(file);
}

/** A discovered file is read only if it is inside the project: a link could lead to any file of the user. */
function foundBytes(file: string): Buffer {
  if (!isPathInside(realpathSync(dirname(file)), realpathSync(file))) {
    throw new Error("it is a symbolic link to a file outside the project");
  }
  return fileBytes(file, FOUND_LIMITS.bytes);
}

/** The absolute `scripts.dirs` of a configuration, if it has any; invalid ones are reported later. */
export function scriptDirsOf(layer: Layer, tree: unknown): string[] | undefined {
  const dirs = valueAt(tree, ["scripts", "dirs"]);
  if (!Array.isArray(dirs)) return undefined;
  return dirs.filter((dir) => typeof dir === "string").map((dir) => resolve(layer.baseDir, dir));
}

/**
 * Limits of a discovered configuration. It is examined at each event of a coding agent that finds no service, also when
 * its current content is not trusted: if that took longer than the agent waits, every guard would be open.
 */
const FOUND_LIMITS = {
  /** Size of one `orcs.toml`. */
  bytes: 2 ** 20,
  /** Hooks in one `orcs.toml`, including those of all agents. */
  hooks: 1000,
  /** Keys and list elements, at all levels. */
  values: 20_000,
} as const;

/** Which limit a parsed configuration exceeds; undefined when none. */
function excessOf(tree: unknown): string | undefined {
  if (countUpTo(tree, FOUND_LIMITS.values) > FOUND_LIMITS.values) {
    return `has more than ${FOUND_LIMITS.values} keys and list elements`;
  }
  const lists = writtenHooks(tree).map(({ hooks: list }) => list.length);
  const hooks = lists.reduce((sum, length) => sum + length, massgenHooks(tree).length);
  return hooks > FOUND_LIMITS.hooks ? `has more than ${FOUND_LIMITS.hooks} hooks` : undefined;
}

function countUpTo(value: unknown, most: number): number {
  let count = 0;
  const next = [value];
  for (let at = next.pop(); at !== undefined && count <= most; at = next.pop()) {
    if (!Array.isArray(at) && !isTable(at)) continue;
    const inner: unknown[] = Object.values(at);
    count += inner.length;
    // The elements of a list that is too long need not be visited.
    if (count <= most) next.push(...inner);
  }
  return count;
}
