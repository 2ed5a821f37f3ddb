import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FileScore } from "../../src/engine/testing/mutation/mutation-run.ts";
import type { Mutant } from "../../src/engine/testing/mutation/mutants.ts";
import { mutantsOf } from "../../src/engine/testing/mutation/mutants.ts";

/** The latest results of a file. */
export interface FileResult extends FileScore {
  /** Hash of the Lua that was changed. */
  readonly text: string;
  /** All changes of the file; more than `mutants` after a run with --sample. */
  readonly found: number;
  /** What chose the changes of a sample; absent: none was. */
  readonly seed?: number | undefined;
  /** The changes that no test noticed, see `idOf`. */
  readonly survivors: readonly string[];
}

/** The results of earlier runs, by file; a file that was changed since has none. */
export class Results {
  readonly #root: string;
  readonly #file: string;
  readonly #files: Map<string, FileResult>;

  /** @param root the checkout @param file where results are kept */
  constructor(root: string, file: string) {
    this.#root = root;
    this.#file = file;
    const known = existsSync(file)
      ? (JSON.parse(readFileSync(file, "utf8")) as readonly FileResult[])
      : [];
    this.#files = new Map(known.map((result) => [result.file, result]));
  }

  of(file: string): FileResult | undefined {
    const known = this.#files.get(file);
    return known?.text === this.#hash(file) ? known : undefined;
  }

  /** The result of a file of which nothing was tried. */
  none(file: string): FileResult {
    const found = this.changesOf(file).length;
    return { file, text: "", mutants: 0, killed: 0, found, survivors: [] };
  }

  /** Whether a change survived the latest run of its file. */
  survived(file: string, mutant: Mutant): boolean {
    return this.of(file)?.survivors.includes(idOf(mutant)) ?? false;
  }

  /** Keep the result of a file, at once: a run of all takes an hour. */
  keep({ file, mutants }: FileScore, survivors: readonly Mutant[], seed: number | undefined): void {
    const ids = survivors.map((survivor) => idOf(survivor));
    const killed = mutants - survivors.length;
    const found = this.changesOf(file).length;
    const hash = this.#hash(file);
    this.#files.set(file, { file, text: hash, mutants, killed, found, seed, survivors: ids });
    const sorted = [...this.#files.values()].sort((a, b) => (a.file < b.file ? -1 : 1));
    writeFileSync(this.#file, `${JSON.stringify(sorted)}\n`);
  }

  /** Forget what is known of a file. */
  forget(file: string): void {
    this.#files.delete(file);
  }

  /** All changes of a file. */
  changesOf(file: string): readonly Mutant[] {
    const text = readFileSync(join(this.#root, file), "latin1");
    return mutantsOf(text, file.startsWith("hooks/") ? "script" : "module");
  }

  #hash(file: string): string {
    const path = join(this.#root, file);
    return existsSync(path) ? createHash("sha256").update(readFileSync(path)).digest("hex") : "";
  }
}

/** What a change is known by in its file. */
export function idOf({ range, replacement }: Mutant): string {
  return `${range.start}-${range.end} ${replacement}`;
}
