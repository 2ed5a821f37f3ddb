/** Random texts that a regular expression of RE2 matches: what a rule of a secret scanner would find. */
export class Samples {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0 || 1;
  }

  /** @throws {SyntaxError} for what no rule uses: back references, look-around */
  of(source: string): string {
    return new Writer(source, (below) => this.#below(below)).written();
  }

  /** An integer from 0 up to this, by xorshift: the same samples in every run. */
  #below(below: number): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state >>> 0;
    return this.#state % below;
  }
}

type Node =
  | { readonly kind: "chars"; readonly chars: readonly string[] }
  | { readonly kind: "list"; readonly nodes: readonly Node[] }
  | { readonly kind: "choice"; readonly of: readonly Node[] }
  | {
      readonly kind: "repeat";
      readonly node: Node;
      readonly least: number;
      readonly most: number;
    };

const ASCII = Array.from({ length: 95 }, (_, i) => String.fromCodePoint(32 + i));
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const WORD = Array.from(`${LOWER}${LOWER.toUpperCase()}${DIGITS}_`);
const CLASSES: Readonly<Record<string, readonly string[]>> = {
  d: Array.from(DIGITS),
  w: WORD,
  s: [" "],
  D: Array.from(LOWER),
  W: [" "],
  S: WORD,
};
const NAMED: Readonly<Record<string, readonly string[]>> = {
  alnum: WORD.slice(0, -1),
  alpha: WORD.slice(0, 52),
  digit: Array.from(DIGITS),
  xdigit: Array.from(`${DIGITS}abcdefABCDEF`),
};
const CONTROL: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };
/** An open end adds at most this many repetitions. */
const OPEN = 4;

class Writer {
  readonly #source: string;
  readonly #below: (below: number) => number;
  #at = 0;
  #folds = false;

  constructor(source: string, below: (below: number) => number) {
    this.#source = source;
    this.#below = below;
  }

  written(): string {
    const node = this.#choice();
    if (this.#at < this.#source.length) throw new SyntaxError(`not read: ${this.#rest()}`);
    return this.#text(node);
  }

  #rest(): string {
    return this.#source.slice(this.#at, this.#at + 12);
  }

  #text(node: Node): string {
    if (node.kind === "chars") return node.chars[this.#below(node.chars.length)] ?? "";
    if (node.kind === "list") return node.nodes.map((each) => this.#text(each)).join("");
    if (node.kind === "choice") {
      const chosen = node.of[this.#below(node.of.length)];
      return chosen ? this.#text(chosen) : "";
    }
    const count = node.least + this.#below(node.most - node.least + 1);
    return Array.from({ length: count }, () => this.#text(node.node)).join("");
  }

  #choice(): Node {
    const folds = this.#folds;
    const of = [this.#list()];
    while (this.#source[this.#at] === "|") {
      this.#at++;
      of.push(this.#list());
    }
    this.#folds = folds;
    return of.length === 1 && of[0] ? of[0] : { kind: "choice", of };
  }

  #list(): Node {
    const nodes: Node[] = [];
    while (this.#at < this.#source.length && !"|)".includes(this.#source[this.#at] ?? "")) {
      nodes.push(this.#repeated(this.#atom()));
    }
    return { kind: "list", nodes };
  }

  #repeated(node: Node): Node {
    const found = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(this.#source.slice(this.#at));
    if (!found) return node;
    const [whole, mark, from, comma, to] = found;
    this.#at += whole.length;
    const least = mark === undefined ? Number(from) : mark === "+" ? 1 : 0;
    const open = least + OPEN;
    const closed = comma === "" ? least : to === "" ? open : Number(to);
    return {
      kind: "repeat",
      node,
      least,
      most: mark === undefined ? closed : mark === "?" ? 1 : open,
    };
  }

  #atom(): Node {
    const char = this.#source[this.#at++] ?? "";
    if (char === "(") return this.#group();
    if (char === "[") return this.#chars(this.#class());
    if (char === "\\") return this.#escape();
    if (char === ".") {
      const isOne = !/^[*+?{]/.test(this.#source.slice(this.#at));
      return isOne ? { kind: "chars", chars: ["."] } : this.#chars([...WORD, " "]);
    }
    if (char === "^" || char === "$") return { kind: "list", nodes: [] };
    return { kind: "chars", chars: [char] };
  }

  #group(): Node {
    const found = /^\?(?:P?<\w+>|([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)]))/.exec(
      this.#source.slice(this.#at),
    );
    const outer = this.#folds;
    if (found) {
      const [whole, on = "", off = "", end] = found;
      this.#at += whole.length;
      if (on.includes("i")) this.#folds = true;
      if (off.includes("i")) this.#folds = false;
      if (end === ")") return { kind: "list", nodes: [] };
    } else if (this.#source[this.#at] === "?") throw new SyntaxError(`unknown: ${this.#rest()}`);
    const inner = this.#choice();
    if (this.#source[this.#at++] !== ")") throw new SyntaxError(`no end: ${this.#rest()}`);
    this.#folds = outer;
    return inner;
  }

  #escape(): Node {
    const chars = this.#escaped();
    return chars ? this.#chars(chars) : { kind: "list", nodes: [] };
  }

  /** The characters of an escape; undefined for an assertion. */
  #escaped(): readonly string[] | undefined {
    const char = this.#source[this.#at++] ?? "";
    if ("bBAz".includes(char)) return undefined;
    if (char === "x") {
      this.#at += 2;
      return [String.fromCodePoint(parseInt(this.#source.slice(this.#at - 2, this.#at), 16))];
    }
    return CLASSES[char] ?? [CONTROL[char] ?? char];
  }

  #class(): string[] {
    const negated = this.#source[this.#at] === "^";
    if (negated) this.#at++;
    const chars = new Set<string>();
    for (let first = true; first || this.#source[this.#at] !== "]"; first = false) {
      if (this.#at >= this.#source.length) throw new SyntaxError("a class has no end");
      const from = this.#classPart();
      const isRange = this.#source[this.#at] === "-" && this.#source[this.#at + 1] !== "]";
      const [begin] = from;
      if (!isRange || from.length !== 1 || begin === undefined) {
        for (const char of from) chars.add(char);
        continue;
      }
      this.#at++;
      const end = this.#classPart()[0]?.codePointAt(0) ?? 0;
      for (let code = begin.codePointAt(0) ?? 0; code <= end; code++) {
        chars.add(String.fromCodePoint(code));
      }
    }
    this.#at++;
    return negated ? ASCII.filter((char) => !chars.has(char)) : [...chars];
  }

  #classPart(): readonly string[] {
    const named = /^\[:(\w+):\]/.exec(this.#source.slice(this.#at));
    if (named) {
      this.#at += named[0].length;
      return NAMED[named[1] ?? ""] ?? [];
    }
    const char = this.#source[this.#at++] ?? "";
    return char === "\\" ? (this.#escaped() ?? []) : [char];
  }

  #chars(chars: readonly string[]): Node {
    if (!this.#folds) return { kind: "chars", chars };
    const all = chars.flatMap((char) => [char, char.toLowerCase(), char.toUpperCase()]);
    return { kind: "chars", chars: [...new Set(all)] };
  }
}
