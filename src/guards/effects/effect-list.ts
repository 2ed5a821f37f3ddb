import type { Effect, EffectKind, ShellCommand } from "../../core/index.ts";
import type { Argument } from "../../matching/index.ts";
import { resolvePath } from "../../matching/index.ts";
import type { LineNotes } from "./line-notes.ts";

/** Files that are none: writing to them changes nothing. */
const DEVICES: ReadonlySet<string> = new Set(
  "null stdout stderr stdin tty zero full".split(" ").map((name) => `/dev/${name}`),
);
const DESCRIPTOR = /^\/(?:dev|proc\/self)\/fd\/\d+$/;
/** What find and xargs put in place of the names that they were given. */
const GIVEN = /\{\}|…/g;

/** Most command lines that code may run. */
const MOST_RUNS = 200;

/** What an effect has beside its kind and its target. */
export type EffectDetails = Pick<
  Effect,
  "recursive" | "from" | "unfollowed" | "shows" | "except" | "elsewhere" | "empty" | "found"
> & {
  /** Default true. */
  readonly sure?: boolean;
};

/** Files whose names another command gives. */
export interface NamedFiles extends Pick<Effect, "recursive" | "except" | "empty"> {
  /** A path, or a glob of such. */
  readonly glob: string;
  /** Where it begins, if not where the command does. */
  readonly folder?: string;
  /** Default true. */
  readonly sure?: boolean;
  /** The line names it, so that it is not found by the command that lists it. */
  readonly isNamed?: true;
}

/** What another command lists for one. */
export interface GivenNames {
  readonly names: readonly NamedFiles[];
  /** Where they begin. */
  readonly folder: string | undefined;
  /** The command that lists them. */
  readonly by: string;
  /** Whether a word that is not known stands for them. */
  readonly fits: (word: string) => boolean;
}

/** A word of a command, or a text that is all known. */
type Named = Argument | string;

function argumentOf(word: Named): Argument {
  return typeof word === "string" ? { text: word, at: -1, known: true } : word;
}

/** The word of a command at a position. */
export function wordAt(
  { argv, unknown }: Pick<ShellCommand, "argv" | "unknown">,
  at: number,
): Argument {
  return { text: argv[at] ?? "", at, known: !unknown.includes(at) };
}

/** The current folder. */
export const HERE: Argument = argumentOf(".");
/** A word that may be anything. */
export const ANYTHING: Argument = { text: "…", at: -1, known: false };

/** A variable or a substitution at the beginning of a word. */
const LEADING = /^["']?(?:\$(?:\w+|\{[^}]*\}|\(.*\))|`.*`)["']?/s;

/** What effects of a command of a line depend on beside it. */
interface ListContext {
  /** The files whose names other commands give it. */
  readonly given?: GivenNames | undefined;
  /** The same of those that are read: with what is left out. */
  readonly shown?: () => readonly NamedFiles[];
  readonly notes?: LineNotes;
  readonly isElsewhere?: boolean;
}

/** Gathers the effects of one command. */
export class EffectList {
  readonly list: Effect[] = [];
  /** Command lines that code of the command runs. */
  readonly runs: string[] = [];
  /** Paths of files that the command sends to the hosts that it connects to. */
  readonly sent: string[] = [];
  /** Whether it sends what it reads from its standard input. */
  sendsInput = false;
  /** Where relative names begin; undefined if unknown. */
  #folder: string | undefined;
  readonly #program: string;
  /** Positions and texts of words with globs that the shell does not expand. */
  #quoted: ReadonlySet<number | string>;
  readonly #around: ListContext;

  /** The folder of the user; undefined if unknown. */
  get home(): string | undefined {
    return this.#around.notes?.home();
  }

  /** A command line that code of the command may run. */
  mayRun(line: string): void {
    if (/[A-Za-z]/.test(line) && this.runs.length < MOST_RUNS && !this.runs.includes(line))
      this.runs.push(line);
  }

  /** A file that code may send to where it connects to. */
  sends(path: string): void {
    this.list.push({ kind: "connect", sure: false, from: path, program: this.#program });
  }

  /** What it runs comes from an address. */
  comesFrom(address: string): void {
    this.list.push({ kind: "run", sure: true, from: address, program: this.#program });
  }

  constructor(
    { cwd, program, argv, quoted = [] }: Pick<ShellCommand, "argv" | "cwd" | "program" | "quoted">,
    around: ListContext = {},
  ) {
    this.#folder = cwd;
    this.#program = program;
    this.#quoted = new Set(quoted.flatMap((at) => [at, argv[at] ?? ""]));
    this.#around = around;
  }

  /** The files whose names find, xargs and the like give the command, as far as they are known. */
  get names(): readonly NamedFiles[] {
    return this.#around.given?.names ?? [];
  }

  /** Where relative names begin; undefined if unknown. */
  get folder(): string | undefined {
    return this.#folder;
  }

  /** Relative names begin in this folder from now on: `tar -C build`. */
  enter({ text, known }: Argument): void {
    this.#folder = known ? joined(this.#folder, text) : undefined;
  }

  /** The program expands globs that are quoted for the shell. */
  expandGlobs(): void {
    this.#quoted = new Set();
  }

  /** The files that a list names: one that another command prints, or that is in the line. */
  listed(text: string | undefined, details: EffectDetails): void {
    for (const name of [ANYTHING, ...(text?.split(/\s+/) ?? [])]) this.file("read", name, details);
  }

  /** Something that is done to a file. */
  file(kind: EffectKind, word: Named, details: EffectDetails = {}): void {
    const { text, at, known } = argumentOf(word);
    if (text === "" || text === "-" || isDevice(text) || isAddress(text)) return;
    const isInWord = isGiven(text);
    const isShown = !known && kind === "read";
    const listed =
      !isShown && !known && this.#around.given?.fits(text) ? this.#around.given : undefined;
    const names = isShown ? (this.#around.shown?.() ?? []) : (listed?.names ?? []);
    if (names.length > 0) {
      for (const { glob, folder, sure = true, isNamed, ...more } of names) {
        const place = isInWord || !isShown ? (isInWord ? GIVEN : LEADING) : /^.*$/s;
        const name = text.replace(place, () => glob);
        const found = listed && !isNamed && { found: listed.by };
        const all = { ...more, ...details, ...(!sure && { sure }), ...found };
        const from = folder ?? listed?.folder ?? this.#folder;
        // The folder that find starts in may be unknown.
        if (/[$`…]/.test(glob)) this.#push(kind, name, undefined, from, all);
        else this.#path(kind, name, from, all);
      }
      return;
    }
    const name = known ? text : this.#around.notes?.predicted(text);
    if (name === undefined) this.#push(kind, text, undefined, this.#folder, details);
    else if (this.#quoted.has(at) || this.#quoted.has(text)) {
      const target = absolute(this.#folder, name)?.replace(/[*?[]/g, "\\$&");
      this.#push(kind, text, target, this.#folder, details);
    } else this.#path(kind, name, this.#folder, details);
  }

  /** Something that is done to anything else: a host, a program, a service. */
  add(kind: EffectKind, word: Named, details: EffectDetails = {}): void {
    const { text, known } = argumentOf(word);
    if (kind === "signal" && !known && this.#around.given?.fits(text))
      for (const { glob } of this.#around.given.names)
        this.#push(kind, glob, glob, this.#folder, { ...details, found: this.#around.given.by });
    this.#push(kind, text, known ? text : undefined, this.#folder, details);
  }

  /** A connection to the host of an address. */
  connect(word: Named, details: EffectDetails = {}): void {
    const { text, known } = argumentOf(word);
    const isCertain = known || /^[^$`]*[^$`/:][/?#]/.test(text);
    this.#push("connect", text, isCertain ? hostOf(text) : undefined, undefined, details);
  }

  /** A file that is sent to where the command connects to; `-` for its input. */
  send(argument: Argument): void {
    if (argument.text === "-") this.sendsInput = true;
    const path = argument.text === "-" ? undefined : this.pathOf(argument);
    if (path !== undefined) this.sent.push(path);
  }

  /** A file as other programs than the shell name it. */
  given(text: string): string {
    return givenPath(text, this.home);
  }

  /** An unknown word with placeholders for its unknown parts; undefined if it may be anything. */
  predicted(text: string): string | undefined {
    return this.#around.notes?.predicted(text);
  }

  /** A variable of the environment that is shown; `*` for all of them. */
  variable(name: string, details: EffectDetails = {}): void {
    this.#push("read", name, `env:${name}`, undefined, details);
  }

  /** The absolute path of a file; undefined if unknown. */
  pathOf(word: Named): string | undefined {
    const { text, known } = argumentOf(word);
    return known ? absolute(this.#folder, text) : undefined;
  }

  #path(kind: EffectKind, word: string, folder: string | undefined, details: EffectDetails): void {
    const target = absolute(folder, word);
    this.#push(kind, word, target, folder, details);
    if (target === undefined) return;
    const leads = this.#around.notes?.followed(target, details.unfollowed === true);
    if (leads !== undefined && leads !== target) this.#push(kind, leads, leads, folder, details);
  }

  #push(
    kind: EffectKind,
    word: string,
    target: string | undefined,
    folder: string | undefined,
    { sure = true, ...details }: EffectDetails,
  ): void {
    const program = this.#program;
    this.list.push({
      kind,
      ...(target !== undefined && { target }),
      sure,
      word,
      ...(folder !== undefined && { cwd: folder }),
      ...(program !== "" && { program }),
      ...(this.#around.isElsewhere && { elsewhere: true }),
      ...details,
    });
  }
}

/** Whether a word is, or contains, a name that find or xargs puts into it. */
export function isGiven(text: string): boolean {
  return text.includes("{}") || text.includes("…");
}

/** Whether writing to a file changes nothing. */
export function isDevice(text: string): boolean {
  return DEVICES.has(text) || DESCRIPTOR.test(text);
}

/** A folder relative to another; relative if the other one is unknown. */
function joined(folder: string | undefined, text: string): string | undefined {
  if (text.startsWith("/")) return text;
  return folder === undefined ? undefined : `${folder}/${text}`;
}

function absolute(folder: string | undefined, text: string): string | undefined {
  const path = joined(folder, text);
  if (path === undefined) return undefined;
  const target = resolvePath("/", path);
  // With a drive, as the readers of lines for Windows write it: `/C:/x`.
  return /^\/[A-Za-z]:(?:\/|$)/.test(target) ? target.slice(1) : target;
}

/** A file as tools and programs name it, but not the shell: `~/x`, `$HOME/x`, `file:///x`. */
export function givenPath(text: string, home: string | undefined): string {
  const bare = text.trim();
  const path = pathOfUrl(bare) ?? bare.replace(/^file:\/\/[^/]*$/i, "/");
  return path.replace(/^(?:~|\$HOME|\$\{HOME\})(?=$|\/)/, (lead) => home ?? lead);
}

/** The path in an address of a file; undefined for any other text. */
export function pathOfUrl(text: string): string | undefined {
  const path = /^file:(?:\/\/[^/]*)?(\/.*)$/is.exec(text)?.[1];
  return path?.replace(/(?:%[\da-f]{2})+/gi, (codes) =>
    Buffer.from(codes.replaceAll("%", ""), "hex").toString(),
  );
}

/** Whether a text is an address, not a file: `https://example.com/x`. */
export function isAddress(text: string): boolean {
  return text.includes("://") && /^\s*[a-z][\w+.-]*:\/\//i.test(text) && !/^\s*file:/i.test(text);
}

/**
 * The host of an address or of `user@host:path`, with its port if one is given; undefined if there is none, or if it is
 * a pattern.
 */
function hostOf(address: string): string | undefined {
  const bare = address.trim().replace(/^[a-z][\w+.-]*:\/\//i, "");
  const [authority = ""] = bare.split(/[/?#\\]/, 1);
  const host = authority.slice(authority.lastIndexOf("@") + 1).toLowerCase();
  const [, name, port] = /^(\[[\da-f:.]+\]|[^:]*)(?::(\d+))?/.exec(host) ?? [];
  if (name === undefined || name === "" || /[$`*?{}\s]/.test(name)) return undefined;
  return port === undefined ? name : `${name}:${port}`;
}
