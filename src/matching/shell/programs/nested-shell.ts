import type { Frame } from "../frame.ts";
import type { Draft, LineReading } from "../reader.ts";
import type { Field } from "../words/expand-word.ts";

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
