import { createHash } from "node:crypto";
import type { Mutant } from "../../src/engine/testing/mutation/mutants.ts";
import { idOf } from "./results.ts";

/** Files by part: a hook, or a folder of modules. Each part has a sample, and a row in the table, of its own. */
export function byPart<Item extends { readonly file: string }>(
  items: readonly Item[],
): Map<string, Item[]> {
  const parts = new Map<string, Item[]>();
  for (const item of items) {
    const part = item.file.startsWith("lua/") ? item.file.replace(/[^/]*$/, "") : item.file;
    parts.set(part, [...(parts.get(part) ?? []), item]);
  }
  return parts;
}

/** Changes of files, chosen at random from all changes of their part. */
export class Sample {
  readonly #chosen = new Set<string>();

  /** @param size at most this many of each part @param seed the same seed chooses the same changes */
  constructor(
    files: readonly string[],
    changesOf: (file: string) => readonly Mutant[],
    { size, seed }: { readonly size: number; readonly seed: number },
  ) {
    for (const inPart of byPart(files.map((file) => ({ file }))).values()) {
      const shuffled = inPart
        .flatMap(({ file }) => changesOf(file).map((mutant) => keyOf(file, mutant)))
        .map((key) => ({ key, order: orderOf(key, seed) }))
        .sort((a, b) => (a.order < b.order ? -1 : 1));
      for (const { key } of shuffled.slice(0, size)) this.#chosen.add(key);
    }
  }

  has(file: string, mutant: Mutant): boolean {
    return this.#chosen.has(keyOf(file, mutant));
  }
}

function keyOf(file: string, mutant: Mutant): string {
  return `${file} ${idOf(mutant)}`;
}

function orderOf(key: string, seed: number): string {
  return createHash("sha256").update(`${seed} ${key}`).digest("hex");
}
