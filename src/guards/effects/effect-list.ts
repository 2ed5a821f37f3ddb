import type { Effect, EffectKind, ShellCommand } from "../../core/index.ts";
import { resolvePath } from "../../matching/index.ts";
import type { Argument } from "../programs/arguments.ts";

/** Files that are none: writing to them changes nothing. */
const DEVICES: ReadonlySet<string> = new Set(
  "null stdout stderr stdin tty zero full".split(" ").map((name) => `/dev/${name}`),
);
const DESCRIPTOR = /^\/(?:dev|proc\/self)\/fd\/\d+$/;
/** What find and xargs put in place of the names that they were given. */
const GIVEN: ReadonlySet<string> = new Set(["{}", "…"]);

/** What an effect has beside its kind and its target. */
export type EffectDetails = Pick<
  Effect,
  "recursive" | "from" | "unfollowed" | "shows" | "except"
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
  /** Where relative names begin; undefined if unknown. */
  #folder: string | undefined;
  readonly #names: readonly NamedFiles[];
  readonly #program: string;
  readonly #quoted: readonly number[];
  readonly #elsewhere: boolean;

  /** @param names of the files that find, xargs and the like give the command, as far as they are known */
  constructor(
    { cwd, program, quoted = [] }: Pick<ShellCommand, "cwd" | "program" | "quoted">,
    names: readonly NamedFiles[] = [],
    isElsewhere = false,
  ) {
    this.#folder = cwd;
    this.#program = program;
    this.#names = names;
    this.#quoted = quoted;
    this.#elsewhere = isElsewhere;
  }

  /** Relative names begin in this folder from now on: `tar -C build`. */
  enter({ text, known }: Argument): void {
    this.#folder = known ? joined(this.#folder, text) : undefined;
  }

  /** Something that is done to a file. */
  file(kind: EffectKind, argument: Argument, details: EffectDetails = {}): void {
    const { text } = argument;
    if (text === "" || text === "-" || isDevice(text)) return;
    const isGiven = GIVEN.has(text);
    if (isGiven || (kind === "read" && !argument.known)) {
      for (const { glob, folder, sure = true, ...more } of this.#names) {
        const target =
          folder === undefined ? absolute(this.#folder, glob) : resolvePath(folder, glob);
        this.#push(kind, glob, target, { ...more, ...details, ...(!sure && { sure }) });
      }
      if (isGiven && this.#names.length > 0) return;
    }
    const target = argument.known ? absolute(this.#folder, text) : undefined;
    const isLiteral = target !== undefined && this.#quoted.includes(argument.at);
    this.#push(kind, text, isLiteral ? target.replace(/[*?[]/g, "\\$&") : target, details);
  }

  /** Something that is done to anything else: a host, a program, a service. */
  add(kind: EffectKind, { text, known }: Argument, details: EffectDetails = {}): void {
    this.#push(kind, text, known ? text : undefined, details);
  }

  /** A variable of the environment that is shown; `*` for all of them. */
  variable(name: string, details: EffectDetails = {}): void {
    this.#push("read", name, `env:${name}`, details);
  }

  /** The absolute path of a file; undefined if unknown. */
  pathOf({ text, known }: Argument): string | undefined {
    return known ? absolute(this.#folder, text) : undefined;
  }

  #push(
    kind: EffectKind,
    word: string,
    target: string | undefined,
    { sure = true, ...details }: EffectDetails,
  ): void {
    const program = this.#program;
    this.list.push({
      kind,
      ...(target !== undefined && { target }),
      sure,
      word,
      ...(this.#folder !== undefined && { cwd: this.#folder }),
      ...(program !== "" && { program }),
      ...(this.#elsewhere && { elsewhere: true }),
      ...details,
    });
  }
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
  return path === undefined ? undefined : resolvePath("/", path);
}
