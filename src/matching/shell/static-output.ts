import type { AndOr, PipelineNode, Redirect, Redirection, Script } from "unbash";
import { builtinOutput } from "./words/builtin-output.ts";
import type { ExpandContext, Field } from "./words/expand-word.ts";
import { expandText, expandWord, unmarked, valueOfWord } from "./words/expand-word.ts";

/** The output of a script that is a single command whose words determine it. */
export function staticOutputOfScript(script: Script, around: ExpandContext): string | undefined {
  const [statement, ...others] = script.commands;
  if (!statement || others.length > 0 || statement.background === true) return undefined;
  const { command } = statement;
  // `$(< <(echo x))`
  const [part, ...more] = command.type === "Command" ? [...command.prefix, ...command.suffix] : [];
  if (command.type === "Command" && !command.name && part?.type === "Redirect" && more.length === 0)
    return printedInto(part, around);
  return staticOutput(statement.command, () => undefined, around);
}

/** The output of a command or a pipeline. Nothing is listed, and no variable is set. */
export function staticOutput(
  node: PipelineNode | AndOr,
  stdin: () => string | undefined,
  around: ExpandContext,
): string | undefined {
  around.budget.spend(1);
  if (node.type === "Pipeline") {
    let read = stdin;
    for (const command of node.commands) {
      const text = staticOutput(command, read, around);
      read = () => text;
    }
    return read();
  }
  if (node.type !== "Command" || !node.name || node.prefix.length > 0) return undefined;
  const fields = [...expandWord(node.name, around)];
  let read = stdin;
  for (const part of node.suffix) {
    if (part.type === "Word") fields.push(...expandWord(part, around));
    else if (part.type === "Assignment") return undefined;
    else {
      const field = givenField(part, around);
      const given = field && valueOfWord(field);
      if (given === undefined || given === null) return undefined;
      read = () => given;
    }
  }
  const [program] = fields;
  // A function or an alias may have another output.
  if (!program || around.scope.bodies(program.text).length > 0) return undefined;
  return builtinOutput(fields, read, around.scope);
}

/** What `<` reads from a process substitution; undefined for another redirection. */
function printedInto({ operator, descriptor, target }: Redirect, around: ExpandContext) {
  const [from, ...others] = target?.parts ?? [];
  const isRead = operator === "<" && !descriptor && others.length === 0;
  if (!isRead || from?.type !== "ProcessSubstitution" || from.operator !== "<") return undefined;
  return from.script && staticOutputOfScript(from.script, around);
}

/** The text of a here-document or a here-string; undefined for other redirections. */
export function givenField(redirect: Redirection, around: ExpandContext): Field | undefined {
  if (redirect.type === "HereString") {
    const field = redirect.target && expandText(redirect.target, around);
    return field && changed(field, (text) => `${text}\n`);
  }
  if (redirect.type !== "HereDoc") return undefined;
  const { body, operator, delimiter } = redirect;
  const plain = (): Field =>
    unmarked(
      delimiter?.quoted === true
        ? body.text
        : body.text.replaceAll(/\\([$`\\]|\n)/g, (_, char: string) => (char === "\n" ? "" : char)),
    );
  const field = body.parts ? expandText(body.parts, around) : plain();
  return operator === "<<-" ? changed(field, (text) => text.replaceAll(/^\t+/gm, "")) : field;
}

function changed({ text, known, marked }: Field, change: (text: string) => string): Field {
  return { text: change(text), known, ...(marked !== undefined && { marked: change(marked) }) };
}
