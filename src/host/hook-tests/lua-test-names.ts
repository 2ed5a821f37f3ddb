/** A string in Lua on one line, in quotes of either kind or in plain long brackets. */
const STRING = /"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|\[\[([^\]\n]*)\]\]/g;

/**
 * Where the names of tests stand in a script: Lua does not say where a table begins. A name is looked for as
 * a string of the text; of several with the same name each has a line of its own.
 */
export class LuaTestNames {
  readonly #lines = new Map<string, number[]>();

  constructor(text: string) {
    for (const [i, line] of text.split("\n").entries()) {
      for (const [, double, single, long] of line.matchAll(STRING)) {
        const name = long ?? unescaped(double ?? single ?? "");
        const lines = this.#lines.get(name);
        if (lines) lines.push(i + 1);
        else this.#lines.set(name, [i + 1]);
      }
    }
  }

  /** The line of the next test of this name; undefined when it stands nowhere as it is. */
  lineOf(name: string): number | undefined {
    const lines = this.#lines.get(name);
    return lines && lines.length > 1 ? lines.shift() : lines?.[0];
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, char: string) => ESCAPES[char] ?? char);
}
