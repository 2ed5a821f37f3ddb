import type { Readable } from "node:stream";
import { messageOf, OrcsError } from "../core/index.ts";
import { EXIT } from "./options.ts";
import { tell } from "./output.ts";

/** A question is shown when nothing was typed for this long, in milliseconds. */
const QUIET_MS = 50;

/**
 * Show a question and read one line. Input typed before is dropped: the answer to another question must not approve
 * this one. Nothing is read after it has settled, so the process can exit.
 * @param signal withdraws the question
 * @returns the line without its end; undefined when the question was withdrawn
 * @throws Error when the input has ended or fails
 */
export function answerLine(
  input: Readable,
  signal: AbortSignal,
  show: () => void,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return resolve(undefined);
    if (input.readableEnded || input.destroyed) return reject(noInput());
    let typed: string | undefined;
    let timer: NodeJS.Timeout | undefined;
    let polled: NodeJS.Immediate | undefined;
    const ask = (): void => {
      typed = "";
      show();
    };
    const whenQuiet = (): void => {
      clearTimeout(timer);
      clearImmediate(polled);
      // Timers fire before input is read: on a busy machine, pending input would be left unread.
      timer = setTimeout(() => (polled = setImmediate(ask)), QUIET_MS);
    };
    const stop = (): void => {
      clearTimeout(timer);
      clearImmediate(polled);
      signal.removeEventListener("abort", withdraw);
      input.off("data", take).off("end", end).off("close", end).off("error", fail).pause();
    };
    const take = (chunk: Buffer | string): void => {
      if (typed === undefined) return whenQuiet();
      typed += String(chunk);
      const length = typed.search(/[\r\n]/);
      if (length < 0) return;
      stop();
      resolve(typed.slice(0, length));
    };
    const withdraw = (): void => {
      stop();
      resolve(undefined);
    };
    const end = (): void => fail(noInput());
    const fail = (error: Error): void => {
      stop();
      reject(error);
    };
    whenQuiet();
    signal.addEventListener("abort", withdraw);
    input.on("data", take).on("end", end).on("close", end).on("error", fail).resume();
  });
}

function noInput(): Error {
  return new Error("nobody is available to ask: the input has ended");
}

/** Whether a person can be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** @throws OrcsError ORCS5001 when a verb that asks has nobody to ask, or prints JSON */
export function expectTerminal(verb: string, json = false, ways = "--yes"): void {
  if (!json && canAsk()) return;
  const why = `${verb} asks in a terminal, and there is none: use ${ways}`;
  throw new OrcsError("ORCS5001", why);
}

/** End a verb that a person does not want, or cannot be asked about. */
export function decline(said = "Nothing was changed."): void {
  tell(said);
  process.exitCode = EXIT.findings;
}

/** Ask at the terminal; anything but yes is no. @throws OrcsError ORCS5001 when nobody answers */
export async function confirm(question: string): Promise<boolean> {
  return isYes(await ask(`\n${question} [y/N] `));
}

/** Whether an answer is yes. */
export function isYes(answer: string): boolean {
  return /^y(es)?$/i.test(answer.trim());
}

/** The line that a person answers at the terminal. @throws OrcsError ORCS5001 when nobody answers */
export async function ask(question: string): Promise<string> {
  const { signal } = new AbortController();
  try {
    const show = (): void => void process.stderr.write(question);
    return (await answerLine(process.stdin, signal, show)) ?? "";
  } catch (thrown) {
    throw new OrcsError("ORCS5001", `${messageOf(thrown)}: use --yes`);
  }
}
