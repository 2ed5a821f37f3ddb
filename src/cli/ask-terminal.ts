import type { Readable, Writable } from "node:stream";
import { escapedChar, isPlainObject, messageOf } from "../core/index.ts";
import type { Question } from "../workbench/index.ts";
import type { ApprovalRequest, Approve } from "../engine/index.ts";
import { answerLine, isYes } from "./question.ts";

/** Stdin or stderr: whether it is a terminal. */
interface MaybeTerminal {
  readonly isTTY?: boolean | undefined;
}

/**
 * Asks a person for approval, one question at a time: `y` or `yes` approves, anything else denies. The returned
 * function rejects when the input ends or fails.
 * @param output gets the questions: stderr, as stdout belongs to the program
 * @returns undefined when one of the two is not a terminal
 */
export function askTerminal(
  input: Readable & MaybeTerminal,
  output: Writable & MaybeTerminal,
): Approve | undefined {
  if (!input.isTTY || !output.isTTY) return undefined;
  const ask: Approve = async (request) => {
    const { signal } = request;
    const text = questionText(request);
    let asked = false;
    const line = await answerLine(input, signal, () => {
      asked = true;
      output.write(text);
    });
    if (line !== undefined) return isYes(line);
    if (asked) output.write(`\nWithdrawn: ${shown(messageOf(signal.reason), 200)}.\n`);
    return false;
  };
  let last: Promise<unknown> = Promise.resolve();
  return (request) => {
    const answered = last.then(() => ask(request));
    last = answered.catch(() => undefined);
    return answered;
  };
}

/** Maximum number of characters of all arguments: about a screen. */
const ARGUMENT_CHARACTERS = 3000;
const MOST_ARGUMENTS = 10;
/** Files of a restore that a terminal lists. */
const MOST_EFFECTS = 40;

/** What a terminal shows for a question that is approved on the page of `orcs ui`. */
export function codeText(question: Question, code: string): string {
  const { kind, about, tool = "", args, effects = [], reason, hook, cwd, session } = question;
  const head =
    kind === "call"
      ? askText({ tool, args: isPlainObject(args) ? args : {}, reason, hook })
      : kind === "undo"
        ? [
            `\nBefore ${shown(about, 400)}`,
            ...effects.slice(0, MOST_EFFECTS).map((text) => `  ${shown(text, 300)}`),
          ]
        : [
            `\nA command line that was refused${reason === undefined ? "" : `: ${shown(reason, 400)}`}`,
          ]
            .concat(`  ${shown(about, ARGUMENT_CHARACTERS)}`)
            .concat(`  folder ${shown(cwd ?? "", 200)}, session ${shown(session ?? "", 100)}`);
  const more = kind === "undo" && effects.length > MOST_EFFECTS;
  if (more) head.push(`  …and ${effects.length - MOST_EFFECTS} more, which the page lists`);
  const effect = { call: `run ${shown(tool, 60)}`, line: "allow this line once", undo: "restore" }[
    kind
  ];
  return `${head.join("\n")}\nTo ${effect}, enter ${code} on the page, within two minutes.\n`;
}

/** The question whether a call may run. Agents wrote most of its text, so all of it is escaped and truncated. */
export function questionText(request: ApprovalRequest): string {
  return [...askText(request), `Run ${shown(request.tool, 60)}? [y/N] `].join("\n");
}

/** What is shown of a call. */
interface AskedCall extends Pick<ApprovalRequest, "tool" | "args"> {
  readonly reason?: string | undefined;
  readonly hook?: string | undefined;
}

/** The same without the question itself. @param isWhole whether nothing of the arguments is left out */
export function askText({ tool, args, reason, hook }: AskedCall, isWhole = false): string[] {
  const why = reason === undefined ? "" : `: ${shown(reason, 400)}`;
  const who = hook === undefined ? "orcs" : `Hook ${shown(hook, 60)}`;
  return [`\n${who} asks about ${shown(tool, 60)}${why}`, ...argumentLines(args, isWhole)];
}

/** Text on one line that cannot control a terminal or hide a part of itself, truncated in the middle. */
export function shown(text: string, most: number): string {
  const escaped = text.replaceAll(UNSEEN, escapedChar);
  const over = escaped.length - most;
  if (over <= 0) return escaped;
  const head = Math.ceil((most * 2) / 3);
  return `${escaped.slice(0, head)} …(${over} characters not shown)… ${escaped.slice(head + over)}`;
}

/** Control characters, directional marks, lone surrogates, and invisible or space-like characters. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;

function argumentLines(args: ApprovalRequest["args"], isWhole: boolean): string[] {
  const entries = Object.entries(args);
  const listed = isWhole ? entries : entries.slice(0, MOST_ARGUMENTS);
  const most = isWhole ? Infinity : Math.floor(ARGUMENT_CHARACTERS / listed.length);
  const lines = listed.map(([key, value]) => {
    const name = /^\w+$/.test(key) ? key : JSON.stringify(key);
    return `  ${shown(name, 40)} = ${shown(JSON.stringify(value), most)}`;
  });
  const more = entries.length - listed.length;
  return more > 0 ? [...lines, `  …and ${more} more arguments, not shown`] : lines;
}
