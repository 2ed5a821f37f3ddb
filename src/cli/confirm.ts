import { messageOf, OrcsError } from "../core/errors.ts";
import { answerLine } from "./answer-line.ts";

/** Whether somebody is there who can be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/**
 * Ask at the terminal; anything but yes is no.
 * @throws OrcsError ORCS5001 when nobody answers
 */
export async function confirm(question: string): Promise<boolean> {
  const { signal } = new AbortController();
  try {
    const show = (): void => void process.stderr.write(`\n${question} [y/N] `);
    return /^y(es)?$/i.test(((await answerLine(process.stdin, signal, show)) ?? "").trim());
  } catch (thrown) {
    throw new OrcsError("ORCS5001", `${messageOf(thrown)}: say --yes`);
  }
}
