import { quoteWords } from "../../core/index.ts";
import type { ShellCommand } from "../../core/index.ts";

/** A function that begins at the start of a line, as most do. */
const HEAD =
  /^(?:function[ \t]{1,8}([\w:.-]{1,80})[ \t]{0,8}(?:\(\))?|([\w:.-]{1,80})[ \t]{0,8}\([ \t]{0,8}\))[ \t]{0,8}(?:\{|$)/;
const ENDS_THERE = /\}[ \t]{0,8};?[ \t]{0,8}(?:#.*)?$/;
const SETS = /^(?:export |readonly |declare )?\w+=/;
const WORD = /[\w:.-]+/g;
/** Most calls that are looked at for a line, and how much text they have together. */
const MOST_CALLS = 100;
const MOST_TEXT = 256 * 1024;

interface Place {
  readonly from: number;
  readonly to: number;
}

/** A shell script that others read in for its functions. */
interface Library {
  readonly path: string;
  readonly lines: readonly string[];
  readonly functions: ReadonlyMap<string, Place>;
}

/** What commands run that are functions of a file which was read in before: `. ./lib.sh; wipe`. */
export class SourcedFunctions {
  readonly #libraries: Library[] = [];
  readonly #seen = new Set<string>();
  #text = 0;

  add(path: string, text: string): void {
    const lines = text.split("\n");
    const functions = new Map<string, Place>();
    for (let from = 0; from < lines.length; from++) {
      const line = lines[from] ?? "";
      const [head, ...names] = HEAD.exec(line) ?? [];
      const name = names.find((each) => each !== undefined);
      if (head === undefined || name === undefined) continue;
      let to = from;
      if (!ENDS_THERE.test(line)) while (to < lines.length && !lines[to]?.startsWith("}")) to++;
      functions.set(name, { from, to });
      from = to;
    }
    if (functions.size > 0) this.#libraries.push({ path, lines, functions });
  }

  /** The file with a function that a command calls, on its lines, and the call behind it. */
  called({ program, argv, unknown }: ShellCommand): { path: string; text: string } | undefined {
    const found = this.#libraries.findLast(({ functions }) => functions.has(program));
    if (!found || this.#seen.size >= MOST_CALLS || this.#text > MOST_TEXT) return undefined;
    const words = argv.map((word, at) =>
      unknown.includes(at) ? "$_unknown_" : quoteWords([word]),
    );
    const call = words.join(" ");
    const { path } = found;
    if (this.#seen.has(`${path} ${call}`)) return undefined;
    this.#seen.add(`${path} ${call}`);
    const text = `${withOnly(found, program)}\n${call}`;
    this.#text += text.length;
    return { path, text };
  }
}

/** The lines of a function, of those that it uses, and of what the file sets; the others are empty. */
function withOnly({ lines, functions }: Library, name: string): string {
  const kept = lines.map((line) => (SETS.test(line) ? line : ""));
  const names = new Set([name]);
  for (const each of names) {
    const { from, to } = functions.get(each) ?? { from: 0, to: -1 };
    for (let at = from; at <= to; at++) {
      const line = lines[at] ?? "";
      kept[at] = line;
      for (const [word] of line.matchAll(WORD)) if (functions.has(word)) names.add(word);
    }
  }
  return kept.join("\n");
}
