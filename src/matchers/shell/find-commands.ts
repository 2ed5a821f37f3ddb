import type { Entered } from "./entered.ts";
import type { Field } from "./field.ts";
import { OWN_STDIN, through } from "./frame.ts";

/** What begins a command among the words of `find`, and of `fd`. */
const BEGINS: ReadonlySet<string> = new Set([
  "-exec",
  "-execdir",
  "-ok",
  "-okdir",
  "--exec",
  "--exec-batch",
  "-x",
  "-X",
]);

/** Commands that run in the folder of what was found. */
const ELSEWHERE: ReadonlySet<string> = new Set(["-execdir", "-okdir"]);

const TEMPLATE = /\{(?:\/{0,2}|\.|\/\.)\}/;

/** `find … -exec CMD {} ;`: what was found is not known. */
export function launchFind({ fields, frame, run, program }: Entered): void {
  for (let at = 1; at < fields.length; at++) {
    const begin = fields[at]?.text ?? "";
    if (!BEGINS.has(begin) || (program.endsWith("find") && /^-(?:x|X|-.*)$/.test(begin))) continue;
    const command: Field[] = [];
    for (at++; at < fields.length; at++) {
      const field = fields[at];
      if (!field || field.text === ";" || (field.text === "+" && fields[at - 1]?.text === "{}"))
        break;
      command.push(
        TEMPLATE.test(field.text) && field.text.length < 5 ? { ...field, known: false } : field,
      );
    }
    const inner = through(frame, program, frame.scope.layer());
    if (ELSEWHERE.has(begin)) inner.scope.cwd = undefined;
    if (command.length > 0) {
      run(command, { ...inner, stdin: OWN_STDIN, templates: [...frame.templates, "{}"] });
    }
  }
}
