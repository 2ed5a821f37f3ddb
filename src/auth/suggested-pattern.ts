import { readCommand, RESERVED_WORDS } from "./command-words.ts";

/** What a subcommand looks like: `status`, `build:all`, `1.0`. */
const PLAIN_NAME = /^\w[\w.:-]*$/;

/** What no shell reads as anything else. */
const UNQUOTED = /^[\w./:@%+,-]+$/;

/**
 * What to grant so that a command, and those like it, need no approval: its first word, and its second when
 * that is a plain name. Written as a shell would have it.
 * @returns the empty string when no grant can cover the command
 */
export function suggestedPattern(command: string): string {
  const [first, second] = readCommand(command) ?? [];
  if (first === undefined || !first.literal) return "";
  const name = quoted(first.text);
  return second !== undefined && PLAIN_NAME.test(second.text) ? `${name} ${second.text}` : name;
}

function quoted(word: string): string {
  if (UNQUOTED.test(word) && !RESERVED_WORDS.includes(word)) return word;
  return `'${word.replaceAll("'", "'\\''")}'`;
}
