import { quoteWords } from "../shell/quote.ts";

/** Words are one simple command as they are; a single one may as well be a line that somebody hands to a shell. */
export function commandLine(command: string | readonly string[]): string {
  if (typeof command === "string") return command;
  const [only = ""] = command;
  return command.length < 2 ? only : quoteWords(command);
}
