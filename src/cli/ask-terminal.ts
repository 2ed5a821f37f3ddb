import type { Readable, Writable } from "node:stream";
import { messageOf } from "../core/errors.ts";
import type { Approve } from "../host/options.ts";
import { answerLine } from "./answer-line.ts";
import { questionText, shown } from "./question-text.ts";

/** Of stdin or stderr: whether a human is at the other end. */
interface MaybeTerminal {
  readonly isTTY?: boolean | undefined;
}

/**
 * Asks a human for approval, one question after the other: `y` or `yes` approves, anything else refuses.
 * What it returns rejects when the input ends or fails.
 *
 * @param output gets the questions: stderr, as stdout belongs to the program
 * @returns undefined where one of the two is no terminal: nobody is there
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
    if (line !== undefined) return /^y(es)?$/i.test(line.trim());
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
