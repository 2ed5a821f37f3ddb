import { wordSet } from "../../core/index.ts";
import type { Assignment } from "unbash";
import type { LineReading } from "./reader.ts";
import type { Frame } from "./frame.ts";
import { through } from "./frame.ts";
import type { Value } from "./value.ts";
import { elementIndex, elementKey, GappedArray, isUnset, keyed } from "./value.ts";
import type { Field } from "./words/expand-word.ts";
import {
  behind,
  expandText,
  expandWord,
  known,
  scriptText,
  valueOfWord,
} from "./words/expand-word.ts";

/**
 * Apply an assignment in a text such as `X=value`.
 * @returns the variable's name; undefined when the text is not an assignment
 */
export function assignText(field: Field, frame: Frame, reading: LineReading): string | undefined {
  if (field.assignment) {
    assign(field.assignment, frame, reading);
    return field.assignment.name;
  }
  const match = ASSIGNMENT.exec(field.text);
  if (!match) return undefined;
  const [whole, name = "", index, append] = match;
  if (index !== undefined || field.text.charAt(whole.length) === "(") frame.scope.set(name, null);
  else {
    setVariable(name, behind(field, whole.length), append === "+", frame, reading);
  }
  return name;
}

const ASSIGNMENT = /^([A-Za-z_]\w*)(\[[^]*?\])?(\+?)=/;

/** Apply an assignment. */
export function assign(assignment: Assignment, frame: Frame, reading: LineReading): void {
  const { name, value, append, index } = assignment;
  const around = reading.around(frame);
  if (value.type === "Word") {
    const field = expandText(value, around);
    if (!index) return setVariable(name, field, append === true, frame, reading);
    const key = expandText(index, around);
    return setElement(name, key, field, append === true, frame, reading);
  }
  if (index) return frame.scope.set(name, null);
  const old = frame.scope.get(name);
  if (keyed(old) && !(old instanceof GappedArray)) {
    if (append !== true) frame.scope.set(name, new Map());
    for (const word of value.elements) {
      const field = expandText(word, around);
      const [, key, text = ""] = /^\[([^\]]*)\]=([^]*)$/.exec(field.text) ?? [];
      // `M=(key value)`, or one of them is unknown.
      if (key === undefined || !field.known) return frame.scope.set(name, null);
      setElement(name, known(key), known(text), false, frame, reading);
    }
    return undefined;
  }
  const elements = value.elements.flatMap((word) => expandWord(word, around));
  const before = append === true ? (old ?? []) : [];
  const texts = elements.map(valueOfWord);
  // `[2]=x` assigns to another index.
  const isKeyed = value.elements.some(({ text }) => /^\[.*\]\+?=/.test(text));
  if (!Array.isArray(before) || isKeyed || !texts.every((text) => text !== null))
    return frame.scope.set(name, null);
  reading.budget.spend(before.length >> 6);
  return frame.scope.set(name, [...(before as string[]), ...texts]);
}

/** `L[1]=value`, and `M[key]=value` for an associative array. */
function setElement(
  name: string,
  key: Field,
  field: Field,
  append: boolean,
  frame: Frame,
  reading: LineReading,
): void {
  const { scope } = frame;
  const before = scope.get(name);
  const value = valueOfWord(field);
  const elements = keyed(before);
  const valueOf = (other: string): Value | undefined => scope.get(other);
  if (elements && key.known) {
    reading.budget.spend(elements.size >> 6);
    const at = elementKey(elements, key.text, valueOf);
    const old = append && at !== undefined ? (elements.get(at) ?? "") : "";
    const copy = elements instanceof GappedArray ? new GappedArray(elements) : new Map(elements);
    scope.set(name, at === undefined ? null : copy.set(at, value === null ? null : old + value));
    return;
  }
  const at = key.known ? elementIndex(key.text, valueOf) : undefined;
  const isKnown = value !== null && !append && at !== undefined;
  scope.set(name, isKnown ? withElement(before, at, value, reading) : null);
}

/** A list with one more element, or another one; null when unknown. */
function withElement(
  before: Value | undefined,
  at: number,
  value: string,
  { budget }: LineReading,
): Value {
  const list = before === undefined ? [] : before;
  if (!Array.isArray(list)) return null;
  budget.spend(list.length >> 6);
  if (at > list.length) {
    const elements = list.map((text: string, index): [string, string] => [String(index), text]);
    return new GappedArray(elements).set(String(at), value);
  }
  return at === list.length ? [...list, value] : list.with(at, value);
}

function setVariable(
  name: string,
  field: Field,
  append: boolean,
  frame: Frame,
  reading: LineReading,
): void {
  const old = append ? frame.scope.get(name) : "";
  // As in `${x:-word}`, one that the line has not set is taken for unset.
  const before = old === undefined || isUnset(old) ? "" : old;
  const added = valueOfWord(field);
  const value = added !== null && typeof before === "string" ? before + added : null;
  if (value !== null) reading.budget.spendText(value);
  frame.scope.set(name, value);
  const isCommand = COMMAND_VARIABLES.has(name);
  if (!isCommand && !/\$\(|`/.test(field.text)) return;
  const inner = through(frame, name, frame.scope.child());
  // Its command runs later, when a program such as git uses it.
  if (isCommand) {
    if (field.text !== "") reading.script(scriptText(field), inner);
  } else if (EXPANDED_VARIABLES.has(name)) {
    reading.expandedText(scriptText(field), inner);
  } else if (field.known && runsAsNumber(field.text)) reading.add([], inner, { opaque: true });
}

/** Whether a text runs a command when it is evaluated as a number or as the name of a variable: `a[$(x)]`. */
export function runsAsNumber(text: string): boolean {
  return /[A-Za-z_]\w*\[[^\]]*(?:\$\(|`)/.test(text);
}

/** An assignment among the words of a command, as a word. */
export function assignmentField(assignment: Assignment, frame: Frame, reading: LineReading): Field {
  const { name, value, append, text } = assignment;
  const sign = append === true ? "+=" : "=";
  if (value.type !== "Word" || assignment.index) return { text, known: false, assignment };
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
const COMMAND_VARIABLES = wordSet(`
  BORG_PASSCOMMAND BROWSER CRASHPAGER EDITOR FCEDIT GIT_ASKPASS GIT_EDITOR GIT_EXTERNAL_DIFF GIT_PAGER GIT_PROXY_COMMAND
  GIT_SEQUENCE_EDITOR GIT_SSH GIT_SSH_COMMAND KUBE_EDITOR LESSCLOSE LESSOPEN MANPAGER PAGER
  PROMPT_COMMAND RESTIC_PASSWORD_COMMAND RSYNC_RSH SSH_ASKPASS SUDO_ASKPASS SUDO_EDITOR SVN_EDITOR SVN_SSH
  SYSTEMD_EDITOR VISUAL
`);

/** Variables whose value a shell expands, with substitutions, when it starts, prompts or traces. */
const EXPANDED_VARIABLES = wordSet("BASH_ENV ENV PROMPT PS0 PS1 PS2 PS3 PS4 RPROMPT");
