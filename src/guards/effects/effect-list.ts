import type { Effect, EffectKind, ShellCommand } from "../../core/index.ts";
import type { Argument } from "../../matching/index.ts";
import { resolvePath } from "../../matching/index.ts";
import { hostOf, isAddress } from "./hosts.ts";
import type { LineNotes } from "./line-notes.ts";

/** Files that are none: writing to them changes nothing. */
const DEVICES: ReadonlySet<string> = new Set(
  "null stdout stderr stdin tty zero full".split(" ").map((name) => `/dev/${name}`),
);
const DESCRIPTOR = /^\/(?:dev|proc\/self)\/fd\/\d+$/;
/** What find and xargs put in place of the names that they were given. */
const GIVEN = /\{\}|…/g;

/** What an effect has beside its kind and its target. */
export type EffectDetails = Pick<
  Effect,
  "recursive" | "from" | "unfollowed" | "shows" | "except" | "elsewhere"
> & {
  /** Default true. */
  readonly sure?: boolean;
};

/** Files whose names another command gives. */
export interface NamedFiles extends Pick<Effect, "recursive" | "except"> {
  /** A path, or a glob of such. */
  readonly glob: string;
  /** Where it begins, if not where the command does. */
  readonly folder?: string;
  /** Default true. */
  readonly sure?: boolean;
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
  readonly #notes: LineNotes | undefined;
  readonly #isElsewhere: boolean;
  readonly #shown: () => readonly NamedFiles[];
  /** The files whose names find, xargs and the like give the command, as far as they are known. */
  readonly names: readonly NamedFiles[];

  /**
   * @param notes of the line that the command is in
   * @param shown of the files whose names another command gives, those that are read: with what is left out
   */
  constructor(
    { cwd, program, argv, quoted = [] }: Pick<ShellCommand, "argv" | "cwd" | "program" | "quoted">,
    names: readonly NamedFiles[] = [],
    notes?: LineNotes,
    shown: () => readonly NamedFiles[] = () => [],
    isElsewhere = false,
  ) {
    this.#folder = cwd;
    this.#program = program;
    this.#quoted = new Set(quoted.flatMap((at) => [at, argv[at] ?? ""]));
    this.#notes = notes;
    this.#isElsewhere = isElsewhere;
    this.#shown = shown;
    this.names = names;
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
    this.file("read", { text: "…", at: -1, known: false }, details);
    for (const name of text?.split(/\s+/) ?? [])
      this.file("read", { text: name, at: -1, known: true }, details);
  }

  /** Something that is done to a file. */
  file(kind: EffectKind, argument: Argument, details: EffectDetails = {}): void {
    const { text } = argument;
    if (text === "" || text === "-" || isDevice(text) || isAddress(text)) return;
    const isInWord = isGiven(text);
    const isAsked = !argument.known && (isInWord || kind === "read");
    const names = !isAsked ? [] : kind === "read" ? this.#shown() : this.names;
    if (names.length > 0) {
      for (const { glob, folder = this.#folder, sure = true, ...more } of names) {
        const name = isInWord ? text.replace(GIVEN, () => glob) : glob;
        const all = { ...more, ...details, ...(!sure && { sure }) };
        // The folder that find starts in may be unknown.
        if (/[$`]/.test(glob)) this.#push(kind, name, undefined, folder, all);
        else this.#path(kind, name, folder, all);
      }
      return;
    }
    const name = argument.known ? text : this.#notes?.predicted(text);
    if (name === undefined) this.#push(kind, text, undefined, this.#folder, details);
    else if (this.#quoted.has(argument.at) || this.#quoted.has(text))
      this.#push(
        kind,
        text,
        absolute(this.#folder, name)?.replace(/[*?[]/g, "\\$&"),
        this.#folder,
        details,
      );
    else this.#path(kind, name, this.#folder, details);
  }

  /** Something that is done to anything else: a host, a program, a service. */
  add(kind: EffectKind, { text, known }: Argument, details: EffectDetails = {}): void {
    this.#push(kind, text, known ? text : undefined, this.#folder, details);
  }

  /** A connection to the host of an address. */
  connect({ text, known }: Argument, details: EffectDetails = {}): void {
    const isCertain = known || /^[^$`]*[^$`/:][/?#]/.test(text);
    this.#push("connect", text, isCertain ? hostOf(text) : undefined, undefined, details);
  }

  /** A file that is sent to where the command connects to; `-` for its input. */
  send(argument: Argument): void {
    if (argument.text === "-") this.sendsInput = true;
    const path = argument.text === "-" ? undefined : this.pathOf(argument);
    if (path !== undefined) this.sent.push(path);
  }

  /** A file as other programs than the shell name it: `~/x`, `$HOME/x`, `file:///x`. */
  given(text: string): Argument {
    const name = text.trim().replace(/^file:(?:\/\/[^/]*)?(?=\/)/i, "");
    const [lead] = /^(?:~|\$HOME|\$\{HOME\})(?=$|\/)/.exec(name) ?? [];
    const home = lead === undefined ? undefined : this.#notes?.home();
    return {
      text: home === undefined ? name : home + name.slice(lead?.length),
      at: -1,
      known: true,
    };
  }

  /** An unknown word with placeholders for its unknown parts; undefined if it may be anything. */
  predicted(text: string): string | undefined {
    return this.#notes?.predicted(text);
  }

  /** A variable of the environment that is shown; `*` for all of them. */
  variable(name: string, details: EffectDetails = {}): void {
    this.#push("read", name, `env:${name}`, undefined, details);
  }

  /** The absolute path of a file; undefined if unknown. */
  pathOf({ text, known }: Argument): string | undefined {
    return known ? absolute(this.#folder, text) : undefined;
  }

  #path(kind: EffectKind, word: string, folder: string | undefined, details: EffectDetails): void {
    const target = absolute(folder, word);
    this.#push(kind, word, target, folder, details);
    if (target === undefined) return;
    const leads = this.#notes?.followed(target, details.unfollowed === true);
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
      ...(this.#isElsewhere && { elsewhere: true }),
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
