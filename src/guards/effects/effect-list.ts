import type { Effect, EffectKind, ShellCommand } from "../../core/index.ts";
import { resolvePath } from "../../matching/index.ts";
import type { Argument } from "../programs/arguments.ts";
import { hostOf } from "./hosts.ts";

/** Files that are none: writing to them changes nothing. */
const DEVICES: ReadonlySet<string> = new Set(
  "null stdout stderr stdin tty zero full".split(" ").map((name) => `/dev/${name}`),
);
const DESCRIPTOR = /^\/(?:dev|proc\/self)\/fd\/\d+$/;
/** What find and xargs put in place of the names that they were given. */
const GIVEN: ReadonlySet<string> = new Set(["{}", "…"]);

/** What an effect has beside its kind and its target. */
export type EffectDetails = Pick<Effect, "recursive" | "from" | "unfollowed"> & {
  /** Default true. */
  readonly sure?: boolean;
};

/** Gathers the effects of one command. */
export class EffectList {
  readonly list: Effect[] = [];
  /** Where relative names begin; undefined if unknown. */
  #folder: string | undefined;
  readonly #names: readonly string[] | undefined;
  readonly #program: string;

  /** @param names of the files that find, xargs and the like give the command, if they are known: globs */
  constructor({ cwd, program }: Pick<ShellCommand, "cwd" | "program">, names?: readonly string[]) {
    this.#folder = cwd;
    this.#program = program;
    this.#names = names;
  }

  /** Relative names begin in this folder from now on: `tar -C build`. */
  enter({ text, known }: Argument): void {
    this.#folder = known ? joined(this.#folder, text) : undefined;
  }

  /** Something that is done to a file. */
  file(kind: EffectKind, argument: Argument, details: EffectDetails = {}): void {
    const { text } = argument;
    if (text === "" || text === "-" || isDevice(text)) return;
    if (GIVEN.has(text) && this.#names) {
      for (const name of this.#names)
        this.file(kind, { ...argument, text: name, known: true }, details);
      return;
    }
    const target = argument.known ? absolute(this.#folder, text) : undefined;
    this.#push(kind, text, target, details);
  }

  /** Something that is done to anything else: a host, a program, a service. */
  add(kind: EffectKind, { text, known }: Argument, details: EffectDetails = {}): void {
    this.#push(kind, text, known ? text : undefined, details);
  }

  /** A connection to the host of an address, or to a host. */
  connect({ text, known }: Argument, details: EffectDetails = {}): void {
    // The path of an address may be unknown: its host is not then.
    const host = known || /^[a-z][\w+.-]*:\/\/[^/$`]+\//i.test(text) ? hostOf(text) : undefined;
    this.#push("connect", text, host, details);
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
  if (path === undefined) return undefined;
  const target = resolvePath("/", path);
  // With a drive, as the readers of lines for Windows write it: `/C:/x`.
  return /^\/[A-Za-z]:(?:\/|$)/.test(target) ? target.slice(1) : target;
}
