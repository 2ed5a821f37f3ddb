import type { ShellCommand } from "../../core/index.ts";
import { programs, pathInside, resolvePath } from "../../matching/index.ts";

/** Longest value of a variable that is looked at. */
const LONGEST_VALUE = 4096;
/** Where mktemp creates files, unless it is told otherwise. */
const TEMPORARY = "/tmp/made";
/** Longest substitution that is looked at, most links that are followed, and most variables of one line. */
const LONGEST_SUBSTITUTION = 200;
const MOST_LINKS = 16;
const MOST_VARIABLES = 64;
/** Substitutions whose output has no slash and does not lead out of a folder: numbers, times, names. */
const PLAIN = new RegExp(
  String.raw`^(?:\d+|\$\(\(.*\)\)|` +
    "(?:\\$\\(|`)\\s*(?:date\\b[^/]*|hostname|whoami|id -[ug]n?|uname[^/]*|nproc|uuidgen|wc -[a-z] [^/|;&]*" +
    "|git rev-parse (?:--short[^/|;&]*|HEAD))\\s*(?:\\)|`))$",
);

/** What is known of a variable. */
interface Variable {
  /** Whether it is assigned only once, from the output of mktemp. */
  readonly isMade: boolean;
  /** Whether all of its values are numbers, times and the like. */
  readonly isPlain: boolean;
}

/** What one command of a line leaves for those behind it, and what variables of the line hold. */
export class LineNotes {
  readonly #line: string;
  readonly #links: { readonly at: string; readonly target: string }[] = [];
  readonly #variables = new Map<string, Variable>();
  readonly #texts = new Map<string, string>();

  /** The folder of the user, if it is known. */
  readonly home: () => string | undefined;

  constructor(line: string, home: () => string | undefined) {
    this.#line = line;
    this.home = home;
  }

  /** Note the link that a command creates, because it does not exist yet, and the text that it writes to a file. */
  note(command: ShellCommand): void {
    const { program, argv, cwd, stdin, redirects } = command;
    if (cwd === undefined) return;
    if (stdin?.known === true && (program === "cat" || program === "tee")) {
      const files = program === "tee" ? argv.slice(1) : [];
      for (const { op, target } of redirects) if (op.startsWith(">")) files.push(target);
      for (const file of files) this.#texts.set(resolvePath(cwd, file), stdin.text);
    }
    if (program !== "ln" && program !== "gln") return;
    const [target, link, ...more] = programs().describe(command)?.args.operands ?? [];
    if (!target || more.length > 0) return;
    const at = resolvePath(cwd, link?.text ?? /[^/]*$/.exec(target.text)?.[0] ?? "");
    if (this.#links.length < MOST_LINKS)
      this.#links.push({ at, target: resolvePath(at.replace(/\/[^/]*$/, "") || "/", target.text) });
  }

  /** The text that the line wrote to a file before. */
  textOf(path: string): string | undefined {
    return this.#texts.get(path);
  }

  /** The text that the line assigns to a variable, if it does so once and literally. */
  assigned(name: string): string | undefined {
    const [value, ...more] = this.#values(name);
    return more.length > 0
      ? undefined
      : /^(?:'([^']*)'|"([^"$`\\]*)")$/
          .exec(value ?? "")
          ?.slice(1)
          .find(Boolean);
  }

  /** What the line assigns to the variables of a word, as written: `$(cat x)` for `"$key"`. */
  valuesIn(word: string): string {
    const names = new Set(
      Array.from(word.matchAll(/\$\{?([A-Za-z_]\w*)/g), ([, name = ""]) => name),
    );
    return [...names]
      .slice(0, MOST_VARIABLES)
      .flatMap((name) => this.#values(name))
      .join("\n");
  }

  /** A path through the links that the line creates. */
  followed(path: string, isLinkItself: boolean): string {
    if (this.#links.length === 0) return path;
    const at = isLinkItself ? path.lastIndexOf("/") : path.length;
    let lead = path.slice(0, at) || "/";
    // A link may lead to another one.
    for (const _ of this.#links) {
      for (const link of this.#links) {
        const below = pathInside(link.at, lead);
        if (below !== undefined) lead = resolvePath(link.target, below);
      }
    }
    return resolvePath(lead, `.${path.slice(at)}`);
  }

  /**
   * A word with placeholders for its unknown parts: numbers, times, and files of mktemp; undefined if it may be
   * anything.
   */
  predicted(word: string): string | undefined {
    if (word.startsWith("~")) return undefined;
    if (word.includes("..")) return /[$`]/.test(word) ? undefined : word;
    let text = word;
    const variable = /^\$\{?([A-Za-z_]\w*)\}?((?:\/.*)?)$/s.exec(word);
    if (variable?.[1] !== undefined && this.#about(variable[1]).isMade)
      text = TEMPORARY + (variable[2] ?? "");
    text = text
      .replaceAll("$$", "0")
      .replaceAll(/\$\{?RANDOM\}?/g, "0")
      .replaceAll(/\$\((?:[^()]|\([^()]*\)|\(\([^()]*\)\))*\)|`[^`]*`/g, (part) =>
        part.length < LONGEST_SUBSTITUTION && PLAIN.test(part) ? "0" : part,
      )
      .replaceAll(/\$\{?([A-Za-z_]\w*)\}?/g, (part, name: string) =>
        this.#about(name).isPlain ? "0" : part,
      );
    return /[$`{}…]/.test(text) ? undefined : text;
  }

  #about(name: string): Variable {
    const known = this.#variables.get(name);
    if (known) return known;
    const isLooked = this.#variables.size < MOST_VARIABLES && name.length < MOST_VARIABLES;
    const values = isLooked ? this.#values(name) : [];
    const about = {
      isMade:
        values.length === 1 &&
        /^["']?(?:\$\(|`)\s*mktemp\b/.test(values[0] ?? "") &&
        !new RegExp(String.raw`\b(?:read\s[^;&|\n]*|for\s+)\b${name}\b`).test(this.#line),
      isPlain: isLooked && this.#hasPlain(name, values),
    };
    this.#variables.set(name, about);
    return about;
  }

  #hasPlain(name: string, values: readonly string[]): boolean {
    const isCounted = new RegExp(
      String.raw`\bfor\s+(?:${name}\s+in\s+\$\(\s*seq\s|\(\(\s*${name}=)`,
    ).test(this.#line);
    if (isCounted) return !new RegExp(String.raw`[\s;&]${name}=`).test(this.#line);
    return (
      values.length > 0 &&
      values.every((value) => PLAIN.test(value.replace(/^(["'])(.*)\1$/s, "$2")))
    );
  }

  /** Whether a word is the output of a program, or a variable that the line sets to it: `for f in $(find .)`. */
  isFilledBy(program: string, word: string): boolean {
    const by = String.raw`["']?(?:\$\(|${"`"})\s*${program.replace(/\W/g, "\\$&")}\s`;
    if (new RegExp(`^${by}`).test(word)) return true;
    const name = /^["']?\$\{?(\w+)/.exec(word)?.[1];
    if (name === undefined || !this.#line.includes(program)) return false;
    const sets = String.raw`\bfor\s+${name}\s+in\s+${by}|\b${name}=\(?${by}`;
    const reads = String.raw`\b(?:mapfile|readarray)\s[^;&|\n]*${name}\s+<\s*<\(\s*${program}\s`;
    return new RegExp(`${sets}|${reads}`).test(this.#line);
  }

  /** The values that the line assigns to a variable, as written. */
  #values(name: string): readonly string[] {
    const found: string[] = [];
    for (
      let at = this.#line.indexOf(`${name}=`);
      at >= 0;
      at = this.#line.indexOf(`${name}=`, at + 1)
    ) {
      if (at > 0 && !/[\s;&(]/.test(this.#line.charAt(at - 1))) continue;
      const rest = this.#line.slice(at + name.length + 1, at + name.length + 1 + LONGEST_VALUE);
      const value =
        /^(?:"[^"]*"|'[^']*'|`[^`]*`|\$\((?:[^()]|\([^()]*\)|\(\([^()]*\)\))*\)|[^\s;&|)]*)/.exec(
          rest,
        );
      found.push(value?.[0] ?? "");
    }
    return found;
  }
}
