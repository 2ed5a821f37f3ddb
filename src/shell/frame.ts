import { normalisePath } from "../patterns/path.ts";
import { MAX_PATH } from "./limits.ts";
import type { Scope } from "./scope.ts";
import type { Field } from "./words/field.ts";

/** What a command reads from its standard input. */
export interface Stdin {
  /** Whether it comes from another command. */
  readonly piped: boolean;
  /** The programs that write it. */
  readonly from: readonly string[];
  /** What it is, as far as the line tells. */
  text(): Field | undefined;
}

/** What stands around a command. */
export interface Frame {
  readonly scope: Scope;
  /** See `ShellCommand.via`. */
  readonly via: readonly string[];
  readonly stdin: Stdin;
  /** Programs whose output stands in the words of the command. */
  readonly substituted: readonly string[];
}

/** Standard input that the line says nothing of. */
export const OWN_STDIN: Stdin = { piped: false, from: [], text: () => undefined };

/** Standard input that another command, or nobody knows what, writes. */
export const PIPED_STDIN: Stdin = { piped: true, from: [], text: () => undefined };

/** The same surroundings, one wrapper further in. */
export function through(frame: Frame, wrapper: string, scope = frame.scope): Frame {
  return { ...frame, scope, via: [...frame.via, wrapper] };
}

/** The same surroundings, with what changes in them kept apart. */
export function layered(frame: Frame): Frame {
  return { ...frame, scope: frame.scope.layer() };
}

/** The same surroundings, in a subshell. */
export function forked(frame: Frame): Frame {
  return { ...frame, scope: frame.scope.subshell() };
}

/** A directory as seen from another one; what is not known stays so, except for an absolute path. */
export function lexicalJoin(from: string | undefined, to: string): string | undefined {
  if (to.startsWith("/")) return normalisePath(to);
  if (from === undefined || from.length + to.length > MAX_PATH) return undefined;
  return normalisePath(`${from}/${to}`) || ".";
}
