import type { LineSteps } from "../../lua/index.ts";

/** Which of some things, such as tests, run each line of each file. */
export class ReachedLines<Item> {
  readonly #files = new Map<string, Map<number, Item[]>>();

  /** Remember that the lines that ran since the last restart are those of an item. */
  record({ files }: LineSteps, item: Item): void {
    for (const [file, { ran }] of files) {
      const lines = this.#files.get(file) ?? new Map<number, Item[]>();
      this.#files.set(file, lines);
      for (const line of ran) {
        const items = lines.get(line);
        if (items) items.push(item);
        else lines.set(line, [item]);
      }
    }
  }

  /** What runs one of these lines. @param lines undefined: any line of the file */
  on(file: string, lines: readonly number[] | undefined): Set<Item> {
    const known = this.#files.get(file) ?? new Map<number, Item[]>();
    return new Set((lines ?? [...known.keys()]).flatMap((line) => known.get(line) ?? []));
  }
}
