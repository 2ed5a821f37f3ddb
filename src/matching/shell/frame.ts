import { normalisePath } from "../patterns/path.ts";
import type { Scope } from "./scope.ts";
import type { Field } from "./words/expand-word.ts";
import type { Draft, LineReading } from "./reader.ts";

/** The standard input of a command. */
export interface Stdin {
  /** Whether it comes from another command. */
  readonly piped: boolean;
  /** The programs that write it. */
  readonly from: readonly string[];
  /** How many commands were listed before those that read it; undefined for input that the line does not give. */
  readonly begin?: number;
  /** Its content, if the line determines it. */
  text(): Field | undefined;
}

/** The context of a command. */
export interface Frame {
  readonly scope: Scope;
  /** See `ShellCommand.via`. */
  readonly via: readonly string[];
  readonly stdin: Stdin;
  /** Programs whose output is part of the words of the command. */
  readonly substituted: readonly string[];
}

/** Standard input that the line does not change. */
export const OWN_STDIN: Stdin = { piped: false, from: [], text: () => undefined };

/** Standard input from another command or an unknown source. */
export const PIPED_STDIN: Stdin = { piped: true, from: [], text: () => undefined };

/** The same context, inside one more wrapper. */
export function through(frame: Frame, wrapper: string, scope = frame.scope): Frame {
  return { ...frame, scope, via: [...frame.via, wrapper] };
}

/** The same context, with a separate layer of changes. */
export function layered(frame: Frame): Frame {
  return { ...frame, scope: frame.scope.layer() };
}

/** The same context, in a subshell. */
export function forked(frame: Frame): Frame {
  return { ...frame, scope: frame.scope.subshell() };
}

/** Maximum length of a tracked working directory, in characters. */
const MAX_PATH = 4_096;

/** A directory relative to another one; an unknown one stays unknown, unless the path is absolute. */
export function lexicalJoin(from: string | undefined, to: string): string | undefined {
  if (to.startsWith("/")) return normalisePath(to);
  if (from === undefined || from.length + to.length > MAX_PATH) return undefined;
  return normalisePath(`${from}/${to}`) || ".";
}

/** A command that is being examined. */
export interface NestedShell {
  readonly fields: readonly Field[];
  readonly program: string;
  readonly frame: Frame;
  readonly draft: Draft;
  readonly reading: LineReading;
  /** What a redirection of the command itself gives it to read, if that is known. */
  readonly input?: Field | undefined;
  /** List another command by its words; functions belong to the shell, not to programs that it starts. */
  readonly run: (fields: readonly Field[], frame: Frame, functions?: boolean) => void;
}

/** Record that it is unknown what a command runs. */
export function markOpaque(draft: Draft, from: readonly string[] = []): void {
  draft.opaque = true;
  draft.dynamic = true;
  if (from.length > 0) draft.from = [...new Set([...draft.from, ...from])];
}
