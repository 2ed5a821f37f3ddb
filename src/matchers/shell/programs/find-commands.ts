import type { Entered } from "./entered.ts";
import { UNKNOWN } from "../words/field.ts";
import type { Field } from "../words/field.ts";
import { OWN_STDIN, through } from "../frame.ts";
import { filled, READ_WORDS } from "./xargs-command.ts";

/** What begins a command among the words of `find`. */
const FIND_BEGINS = /^-(?:exec|execdir|ok|okdir)$/;

/** What begins one among the words of `fd`, with the command behind it or in the same word. */
const FD_BEGINS = /^(?:-[0-9HILagilpsu]*[xX]|--exec(?:-batch)?=?)(.*)$/;

/** What `find` and `fd` put names in place of. */
const TEMPLATES = ["{}", "{/}", "{//}", "{.}", "{/.}"];

/** `find … -exec CMD {} ;`: what was found is not known. */
export function launchFind(entered: Entered): void {
  const { fields, program } = entered;
  const isFind = program.endsWith("find") && program !== "fdfind";
  for (let at = 1; at < fields.length; at++) {
    const text = fields[at]?.text ?? "";
    const attached = isFind ? undefined : FD_BEGINS.exec(text)?.[1];
    if (isFind ? !FIND_BEGINS.test(text) : attached === undefined) continue;
    const command: Field[] = attached
      ? [{ text: attached, known: fields[at]?.known === true }]
      : [];
    for (at++; at < fields.length; at++) {
      const field = fields[at];
      if (!field || field.text === ";") break;
      if (isFind && field.text === "+" && fields[at - 1]?.text === "{}") break;
      command.push(field);
    }
    runFound(command, text, isFind, entered);
  }
}

function runFound(
  command: readonly Field[],
  begin: string,
  isFind: boolean,
  { frame, program, run }: Entered,
): void {
  if (command.length === 0) return;
  let words = command;
  for (const template of isFind ? ["{}"] : TEMPLATES)
    words = filled(words, template, UNKNOWN + template);
  // Where no word says where, `fd` puts the names at the end.
  if (!isFind && words.every((word, index) => word === command[index]))
    words = [...words, READ_WORDS];
  const inner = through(frame, program, frame.scope.layer());
  // The folder of what was found.
  if (begin.endsWith("dir")) inner.scope.cwd = undefined;
  run(words, { ...inner, stdin: OWN_STDIN });
}
