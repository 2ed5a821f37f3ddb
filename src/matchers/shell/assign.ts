import type { Assignment } from "unbash";
import { COMMAND_VARIABLES } from "./command-variables.ts";
import { expandText, expandWord } from "./expand-word.ts";
import type { Field } from "./field.ts";
import { through } from "./frame.ts";
import type { Frame } from "./frame.ts";
import type { LineReading } from "./line-reading.ts";

/** Take a variable over from a text such as `X=value`; whether it was one. */
export function assignText(field: Field, frame: Frame, reading: LineReading): boolean {
  const match = /^([A-Za-z_]\w*)(\+?)=/.exec(field.text);
  if (!match) return false;
  const [whole, name = "", append] = match;
  const text = field.text.slice(whole.length);
  setVariable(name, field.known ? text : null, append === "+", frame, reading);
  return true;
}

/** Take a variable over. */
export function assign(assignment: Assignment, frame: Frame, reading: LineReading): void {
  const { name, value, append, index } = assignment;
  const around = reading.around(frame);
  if (index) return frame.scope.set(name, null);
  if (value.type === "Word") {
    const field = expandText(value, around);
    return setVariable(name, field.known ? field.text : null, append === true, frame, reading);
  }
  const elements = value.elements.flatMap((word) => expandWord(word, around));
  const before = append === true ? frame.scope.get(name) : [];
  const isKnown = Array.isArray(before) && elements.every((field) => field.known);
  const texts = elements.map(({ text }) => text);
  return frame.scope.set(name, isKnown ? [...(before as string[]), ...texts] : null);
}

function setVariable(
  name: string,
  text: string | null,
  append: boolean,
  frame: Frame,
  reading: LineReading,
): void {
  const before = append ? frame.scope.get(name) : "";
  const value = text !== null && typeof before === "string" ? before + text : null;
  if (typeof value === "string") reading.budget.spendText(value);
  frame.scope.set(name, value);
  // Its command runs when some program, such as git, wants it.
  if (text !== null && text !== "" && COMMAND_VARIABLES.has(name)) {
    reading.script(text, { ...through(frame, name), scope: frame.scope.layer() });
  }
}

/** An assignment among the words of a command, as a word. */
export function assignmentField(assignment: Assignment, frame: Frame, reading: LineReading): Field {
  const { name, value, append } = assignment;
  const sign = append === true ? "+=" : "=";
  if (value.type !== "Word") return { text: assignment.text, known: false };
  const field = expandText(value, reading.around(frame));
  return { text: name + sign + field.text, known: field.known };
}
