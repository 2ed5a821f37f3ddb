import type { Command, CommandArgument, Redirection } from "unbash";
import type { ShellRedirect } from "../../core/shell.ts";
import { assign, assignmentField } from "./assign.ts";
import { runBuiltin } from "./builtins.ts";
import { markOpaque } from "./entered.ts";
import type { Entered } from "./entered.ts";
import { expandWord } from "./expand-word.ts";
import { programName } from "./field.ts";
import type { Field } from "./field.ts";
import type { Frame } from "./frame.ts";
import { launch } from "./launch.ts";
import type { LineReading } from "./line-reading.ts";
import { isOtherShell, OTHER_SHELLS } from "./other-shells.ts";
import { Unreadable } from "./limits.ts";
import { readRedirects } from "./redirects.ts";

/** List what a simple command runs, and do to the scope what it does. */
export function runSimple(command: Command, frame: Frame, reading: LineReading): void {
  const { name, prefix, suffix } = command;
  const words = new Words(frame, reading);
  if (name) words.take(name);
  for (const part of suffix) words.take(part);
  let inner = frame;
  if (prefix.length > 0) {
    // Without a command, what is assigned stays; with one, it is for that one alone.
    if (name) inner = { ...frame, scope: frame.scope.layer() };
    for (const part of prefix) {
      if (part.type !== "Assignment") words.take(part);
      else {
        reading.substitutions(part, frame);
        assign(part, inner, reading);
      }
    }
  }
  const { fields, redirects, substituted } = words;
  refuseOtherShell(fields, frame);
  if (redirects.length === 0 && substituted.length === 0 && inner.substituted.length === 0) {
    return runFields(fields, inner, reading);
  }
  const { files, stdin = inner.stdin } = readRedirects(redirects, frame, reading);
  return runFields(fields, { ...inner, stdin, substituted }, reading, files);
}

/** The words of a command as it gets them, before what is assigned for it alone is known to the shell. */
class Words {
  readonly fields: Field[] = [];
  readonly redirects: Redirection[] = [];
  /** Programs whose output stands in the words. */
  substituted: readonly string[] = [];
  readonly #frame: Frame;
  readonly #reading: LineReading;

  constructor(frame: Frame, reading: LineReading) {
    this.#frame = frame;
    this.#reading = reading;
  }

  take(part: CommandArgument | Redirection): void {
    if (part.type === "Word") {
      if (part.parts) this.#list(part);
      for (const field of expandWord(part, this.#reading.around(this.#frame)))
        this.fields.push(field);
    } else if (part.type === "Assignment") {
      this.#list(part);
      this.fields.push(assignmentField(part, this.#frame, this.#reading));
    } else this.redirects.push(part);
  }

  #list(part: CommandArgument): void {
    const programs = this.#reading.substitutions(part, this.#frame);
    if (programs.length > 0) this.substituted = [...new Set([...this.substituted, ...programs])];
  }
}

/** List a command by the words it gets, and what it runs in turn. */
export function runFields(
  fields: readonly Field[],
  frame: Frame,
  reading: LineReading,
  redirects: readonly ShellRedirect[] = [],
): void {
  const [name, ...args] = fields;
  const dynamicTarget = redirects.some(({ dynamic }) => dynamic);
  if (!name) {
    if (redirects.length > 0) reading.add([], frame, { redirects, dynamic: dynamicTarget });
    return;
  }
  if (!name.known || name.glob === true) {
    const from = [...new Set([...frame.stdin.from, ...frame.substituted])];
    reading.add(fields, frame, { redirects, from, opaque: true });
    // It may be no word at all; then the next one is the command.
    if (name.loose === true && args.length > 0) runFields(args, frame, reading);
    return;
  }
  if (!name.text.includes("/") && frame.scope.bodies(name.text).length > 0) {
    if (redirects.length > 0) reading.add([], frame, { redirects, dynamic: dynamicTarget });
    reading.call(name.text, args, frame);
    return;
  }
  const program = programName(name.text);
  const dynamic = dynamicTarget || fields.some((field) => !field.known);
  const draft = reading.add(fields, frame, { program, redirects, dynamic });
  if (OTHER_SHELLS.has(program.toLowerCase())) markOpaque(draft);
  const entered: Entered = {
    fields,
    program,
    frame,
    draft,
    reading,
    run: (words, inner) => runFields(words, inner, reading),
  };
  runBuiltin(entered);
  launch(entered);
}

/** @throws Unreadable when the words are those of another language: nothing of the line is known then */
function refuseOtherShell(fields: readonly Field[], { via }: Frame): void {
  if (via.length > 0) return;
  if (isOtherShell(fields.map(({ text }) => text))) throw new Unreadable("not a POSIX shell");
}
