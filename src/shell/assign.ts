import type { Assignment } from "unbash";
import type { LineReading } from "./reader.ts";
import type { Frame } from "./scope.ts";
import { through } from "./scope.ts";
import type { Field } from "./words/expand-word.ts";
import { expandText, expandWord, scriptText } from "./words/expand-word.ts";

/**
 * Apply an assignment in a text such as `X=value`.
 * @returns the variable's name; undefined when the text is not an assignment
 */
export function assignText(field: Field, frame: Frame, reading: LineReading): string | undefined {
  const match = ASSIGNMENT.exec(field.text);
  if (!match) return undefined;
  const [whole, name = "", index, append] = match;
  if (index !== undefined || field.text.charAt(whole.length) === "(") frame.scope.set(name, null);
  else {
    const value = valueAfter(whole.length, field);
    setVariable(name, value, append === "+", frame, reading);
  }
  return name;
}

const ASSIGNMENT = /^([A-Za-z_]\w*)(\[[^]*?\])?(\+?)=/;

function valueAfter(begin: number, { text, known, marked }: Field): Field {
  const value = { text: text.slice(begin), known };
  return marked?.startsWith(text.slice(0, begin)) === true
    ? { ...value, marked: marked.slice(begin) }
    : value;
}

/** Apply an assignment. */
export function assign(assignment: Assignment, frame: Frame, reading: LineReading): void {
  const { name, value, append, index } = assignment;
  const around = reading.around(frame);
  if (index) return frame.scope.set(name, null);
  if (value.type === "Word") {
    return setVariable(name, expandText(value, around), append === true, frame, reading);
  }
  const elements = value.elements.flatMap((word) => expandWord(word, around));
  const before = append === true ? frame.scope.get(name) : [];
  reading.budget.spend((before?.length ?? 0) >> 6);
  const isKnown =
    Array.isArray(before) &&
    elements.every((field) => field.known) &&
    // `[2]=x` assigns to another index.
    !value.elements.some(({ text }) => /^\[.*\]\+?=/.test(text));
  const texts = elements.map(({ text }) => text);
  return frame.scope.set(name, isKnown ? [...(before as string[]), ...texts] : null);
}

function setVariable(
  name: string,
  field: Field,
  append: boolean,
  frame: Frame,
  reading: LineReading,
): void {
  const before = append ? frame.scope.get(name) : "";
  const value = field.known && typeof before === "string" ? before + field.text : null;
  if (value !== null) reading.budget.spendText(value);
  frame.scope.set(name, value);
  const isCommand = COMMAND_VARIABLES.has(name);
  if (!isCommand && !/\$\(|`/.test(field.text)) return;
  const inner = through(frame, name, frame.scope.child());
  // Its command runs later, when a program such as git uses it.
  if (isCommand) {
    if (field.text !== "") reading.script(scriptText(field), inner);
  } else if (EXPANDED_VARIABLES.has(name)) {
    reading.script(`: <<${HERE}\n${scriptText(field)}\n${HERE}`, inner);
  } else if (field.known && runsAsNumber(field.text)) reading.add([], inner, { opaque: true });
}

const HERE = "END_OF_VALUE";

/** Whether a text runs a command when it is evaluated as a number or as the name of a variable: `a[$(x)]`. */
export function runsAsNumber(text: string): boolean {
  return /[A-Za-z_]\w*\[[^\]]*(?:\$\(|`)/.test(text);
}

/** An assignment among the words of a command, as a word. */
export function assignmentField(assignment: Assignment, frame: Frame, reading: LineReading): Field {
  const { name, value, append, text } = assignment;
  const sign = append === true ? "+=" : "=";
  if (value.type !== "Word" || assignment.index) return { text, known: false };
  // Here braces expand to several words.
  if (value.parts?.some((part) => part.type === "BraceExpansion"))
    return { text, known: false, loose: true };
  const field = expandText(value, reading.around(frame));
  return {
    text: name + sign + field.text,
    known: field.known,
    marked: name + sign + scriptText(field),
  };
}

/** Variables whose value is a command that a program runs. */
const COMMAND_VARIABLES: ReadonlySet<string> = new Set([
  "BROWSER",
  "EDITOR",
  "FCEDIT",
  "GIT_ASKPASS",
  "GIT_EDITOR",
  "GIT_EXTERNAL_DIFF",
  "GIT_PAGER",
  "GIT_PROXY_COMMAND",
  "GIT_SEQUENCE_EDITOR",
  "GIT_SSH",
  "GIT_SSH_COMMAND",
  "KUBE_EDITOR",
  "LESSCLOSE",
  "LESSOPEN",
  "MANPAGER",
  "PAGER",
  "PROMPT_COMMAND",
  "RSYNC_RSH",
  "SSH_ASKPASS",
  "SUDO_ASKPASS",
  "SUDO_EDITOR",
  "SVN_EDITOR",
  "SVN_SSH",
  "SYSTEMD_EDITOR",
  "VISUAL",
]);

/** Variables whose value a shell expands, with substitutions, when it starts, prompts or traces. */
const EXPANDED_VARIABLES: ReadonlySet<string> = new Set([
  "BASH_ENV",
  "ENV",
  "PROMPT",
  "PS0",
  "PS1",
  "PS2",
  "PS3",
  "PS4",
  "RPROMPT",
]);
