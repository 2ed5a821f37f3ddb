import type { Frame } from "../frame.ts";
import type { Draft, LineReading } from "../reader.ts";
import type { Field } from "../words/field.ts";

/** A command on its way to being looked into. */
export interface NestedShell {
  readonly fields: readonly Field[];
  readonly program: string;
  readonly frame: Frame;
  readonly draft: Draft;
  readonly reading: LineReading;
  /** List another command by the words it gets; functions are those of the shell, not of programs that it starts. */
  readonly run: (fields: readonly Field[], frame: Frame, functions?: boolean) => void;
}

/** Say that it is not known what a command runs. */
export function markOpaque(draft: Draft, from: readonly string[] = []): void {
  draft.opaque = true;
  draft.dynamic = true;
  if (from.length > 0) draft.from = [...new Set([...draft.from, ...from])];
}
