/**
 * Rules for names of files, and paths that are compared with them.
 *
 * A rule is a path of which the last segments count: `id_rsa`, `*.pem` and `.aws/credentials` match at any depth,
 * `/etc/shadow` only from the root. `*` is any text within a segment. A trailing slash means a folder and everything
 * below it. Case is ignored, because on many disks `.ENV` is `.env`.
 *
 * A path may be a shell glob. It matches a rule if it could expand to such a name and is specific enough: `.e*` matches
 * `.env`, but `*` and `*.json` are too general.
 */
export class NameRules {
  readonly #all: readonly Rule[];
  /** By their last segment, if that is no glob. */
  readonly #exact = new Map<string, Rule[]>();
  readonly #open: Rule[] = [];
  /** The names of folders in the rules. */
  readonly #folders = new Set<string>();

  readonly #spend: Spend;

  /** @param spend is told of the work, about a character each; it may throw, which ends it */
  constructor(rules: readonly string[], spend: Spend = () => undefined) {
    this.#spend = spend;
    this.#all = rules.map((written) => {
      spend(written.length);
      return ruleOf(written);
    });
    for (const rule of this.#all) {
      const { last, parts, isFolder } = rule;
      const same = this.#exact.get(last.text);
      if (last.glob) this.#open.push(rule);
      else if (same) same.push(rule);
      else this.#exact.set(last.text, [rule]);
      for (const { text } of isFolder ? parts : parts.slice(0, -1)) this.#folders.add(text);
    }
  }

  /** The rule that a path matches, which is written without `.` and `..`. */
  match(path: string): string | undefined {
    const text = asOnDisk(path);
    if (isNameGlob(text)) return this.#possible(text);
    const segments = segmentsOf(text);
    const find = (at: number, isFolder: boolean): Rule | undefined => {
      const fits = (rule: Rule): boolean => {
        this.#spend(1);
        return rule.isFolder === isFolder && endsAt(rule, segments, at);
      };
      return this.#exact.get(segments[at] ?? "")?.find(fits) ?? this.#open.find(fits);
    };
    for (let at = 0; at < segments.length; at++) {
      const rule = find(at, true);
      if (rule) return rule.written;
    }
    return find(segments.length - 1, false)?.written;
  }

  /** Whether a path has a folder that some rule names, so that it may match one because of its place. */
  matters(path: string): boolean {
    return segmentsOf(path).some((segment) => this.#folders.has(segment));
  }

  /**
   * A rule for something below a folder: `.github/workflows/` is below `.github`.
   * @param files whether rules for files count as well
   * @param whole whether the rule has to begin with the whole path
   */
  below(path: string, files: boolean, whole: boolean): string | undefined {
    const segments = segmentsOf(path);
    const begins = ({ parts }: Rule, lead: number): boolean => {
      this.#spend(lead);
      return (
        lead <= segments.length &&
        parts.slice(0, lead).every(({ text }, at) => text === segments.at(at - lead))
      );
    };
    const found = this.#all.find((rule) => {
      const most = rule.isFolder || files ? rule.parts.length - 1 : 0;
      for (let lead = whole ? segments.length : 1; lead <= most; lead++)
        if (begins(rule, lead)) return true;
      return false;
    });
    return found?.written;
  }

  /** The rule that a path may match which is a glob. */
  #possible(text: string): string | undefined {
    if (text.length > LONGEST_PATH) return undefined;
    const segments = segmentsOf(withoutAlternatives(text));
    const globs = segments.map((segment) => (isNameGlob(segment) ? globOf(segment) : undefined));
    for (let at = 0; at < segments.length; at++) {
      const mayEnd = (rule: Rule): boolean => {
        this.#spend(1);
        const isAsked = rule.isFolder || at === segments.length - 1;
        return isAsked && mayEndAt(rule, segments, globs, at, this.#spend);
      };
      const rule = this.#all.find(mayEnd);
      if (rule) return rule.written;
    }
    return undefined;
  }
}

/** Is told of work that is done. */
type Spend = (units: number) => void;

interface Rule {
  readonly written: string;
  readonly parts: readonly Part[];
  readonly last: Part;
  readonly isAbsolute: boolean;
  readonly isFolder: boolean;
}

/** A segment of a rule. */
interface Part {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** What stands between its `*`; undefined if it is no glob. */
  readonly glob: readonly string[] | undefined;
}

/** A character, or a word: `any` character, or `many`, any number of them. */
type Token = string;

/** A segment of a path that is a glob. */
interface Glob {
  readonly tokens: readonly Token[];
  /** The length of the shortest name that it matches. */
  readonly least: number;
  readonly lead: string;
  /** The length of the plain text at its beginning. */
  readonly ahead: number;
  /** Its plain texts. */
  readonly runs: readonly string[];
}

/** The longest name of a file, and the longest path: a longer one cannot be opened. */
const LONGEST_NAME = 255;
const LONGEST_PATH = 4096;
/** Characters that some file systems ignore in names (HFS+), and those that they treat as a letter. */
const UNSEEN = /[\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF]/g;

/** Whether a text is a glob of a shell. */
export function isNameGlob(text: string): boolean {
  return /[*?[]|[!+@]\(/.test(text);
}

function ruleOf(written: string): Rule {
  const parts = segmentsOf(written).map((text): Part => ({
    text,
    tokens: tokensOf(text),
    glob: isNameGlob(text) ? text.split("*") : undefined,
  }));
  const last = parts.at(-1) ?? { text: "", tokens: [], glob: undefined };
  return {
    written,
    parts,
    last,
    isAbsolute: written.startsWith("/"),
    isFolder: written.endsWith("/"),
  };
}

/** The segments of a path; letters of ASCII in lower case. */
function segmentsOf(path: string): readonly string[] {
  return path
    .replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
    .split("/")
    .filter((segment) => segment !== "");
}

/** A path as the most lenient file system reads it: without dots and spaces at the end of a name (NTFS), too. */
function asOnDisk(path: string): string {
  return path
    .replace(UNSEEN, "")
    .replaceAll("\u017F", "s")
    .replaceAll("\u212A", "k")
    .replace(/([^/. ])[. ]+(?=\/|$)/g, "$1");
}

/** A glob with `*` in place of alternatives: `.!(git)` can expand to nearly any name. */
function withoutAlternatives(glob: string): string {
  let text = "";
  for (let at = 0; at < glob.length; at++) {
    const end = /^[!+@?*]\(/.test(glob.slice(at, at + 2)) ? closing(glob, at + 1) : undefined;
    text += end === undefined ? glob.charAt(at) : "*";
    at = end ?? at;
  }
  return text;
}

/** The position of the bracket that closes the one at a position. */
function closing(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === "(") depth++;
    if (text[at] === ")" && --depth === 0) return at;
  }
  return undefined;
}

function tokensOf(glob: string): readonly Token[] {
  // A bracket expression is treated as any character: to match too much is harmless.
  const parts = glob.match(/\*+|\[\][^][^\]]*\]|\[[!^]\][^\]]*\]|\[(?![!^]?\])[^\]]+\]|[^]/g) ?? [];
  return parts.map((part) =>
    part.startsWith("*") ? "many" : part === "?" || part.length > 1 ? "any" : part,
  );
}

function globOf(segment: string): Glob {
  const tokens = tokensOf(segment);
  return {
    tokens,
    least: tokens.filter((token) => token !== "many").length,
    lead: segment.charAt(0),
    ahead: segment.search(/[*?[]|$/),
    runs: segment.replace(/\[[^\]]*\]/g, "*").match(/[^*?]+/g) ?? [],
  };
}

/** Whether the path of these segments matches a rule up to a position. */
function endsAt({ parts, isAbsolute }: Rule, segments: readonly string[], at: number): boolean {
  const from = at + 1 - parts.length;
  if (from < 0 || (isAbsolute && from > 0)) return false;
  return parts.every((part, i) => isSegment(part, segments[from + i] ?? ""));
}

function isSegment({ text, glob }: Part, segment: string): boolean {
  if (!glob) return text === segment;
  const [first = "", ...others] = glob;
  const last = others.pop();
  if (last === undefined) return first === segment;
  const end = segment.length - last.length;
  if (segment.length > LONGEST_NAME || end < first.length) return false;
  if (!segment.startsWith(first) || !segment.endsWith(last)) return false;
  // A regular expression with several `*` can take years for one name.
  let from = first.length;
  return others.every((between) => {
    const at = segment.indexOf(between, from);
    from = at + between.length;
    return at >= 0 && from <= end;
  });
}

function mayEndAt(
  { parts, last, isAbsolute }: Rule,
  segments: readonly string[],
  globs: readonly (Glob | undefined)[],
  at: number,
  spend: Spend,
): boolean {
  const from = at + 1 - parts.length;
  if (from < 0 || (isAbsolute && from > 0)) return false;
  // Most rules end with another name.
  const end = globs[at];
  const begins = (lead: string): boolean => last.text.startsWith(lead) || last.text.startsWith("*");
  if (end ? end.ahead > 0 && !begins(end.lead) : !isSegment(last, segments[at] ?? "")) return false;
  // Where the folders above it are named, a glob may be more general.
  let isSpelt = true;
  return parts.every((part, i) => {
    const segment = segments[from + i] ?? "";
    const glob = globs[from + i];
    if (!glob) return isSegment(part, segment);
    const isNamed = isSpelt && i > 0 && segment !== "**" && !part.text.startsWith(".");
    isSpelt = false;
    if (!isNamed && !isMeant(glob, part)) return false;
    if (glob.least > (part.glob ? LONGEST_NAME : part.text.length)) return false;
    return meet(glob.tokens, part.tokens, spend);
  });
}

/** Whether a glob is specific enough to be meant for a segment of a rule. */
function isMeant({ lead, ahead, runs }: Glob, { text, glob }: Part): boolean {
  // Wildcards of a shell do not match a dot at the beginning.
  if (text.startsWith(".")) return lead === ".";
  // `*.json` is too general for `*-credentials.json`.
  if (text.startsWith("*"))
    return runs.some(
      (run) => run.length > 1 && run.length * 2 >= text.length - 1 && text.includes(run),
    );
  const count = runs.join("").length;
  return ahead > 1 || (count * 2 >= text.length && !glob);
}

/** Whether some text matches both globs. */
function meet(some: readonly Token[], others: readonly Token[], spend: Spend): boolean {
  let row: readonly boolean[] = [];
  for (let i = 0; i <= some.length; i++) {
    const above = row;
    spend(others.length);
    const one = some[i - 1];
    const now: boolean[] = [];
    for (let j = 0; j <= others.length; j++) {
      const other = others[j - 1];
      const isMany = one === "many" || other === "many";
      const isSame = one === other || one === "any" || other === "any";
      now[j] =
        (i === 0 && j === 0) ||
        (isMany && (above[j] === true || now[j - 1] === true)) ||
        (one !== undefined && other !== undefined && !isMany && isSame && above[j - 1] === true);
    }
    row = now;
  }
  return row.at(-1) === true;
}
