import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { CWD } from "./corpus.ts";
import type { Line } from "./corpus.ts";

/**
 * A line that does not count, with what its recorded run says. The line itself is another's: its hash stands here.
 *
 * A line is struck only by its trace (trace.ts):
 * - wanted stopped, and passed by the default preset: no program that it ran is one that the strict preset stops as a
 *   plain command, it ran no fetched code, no file was changed or removed, and no stub hid what it would have started;
 * - wanted allowed, and stopped by the default preset: it ran a command that the default preset refuses by itself.
 */
export interface Struck {
  readonly corpus: string;
  /** SHA-256 of working directory and line. */
  readonly line: string;
  readonly wants: Line["wants"];
  /** The programs that ran, in order; of what is refused by design, that one. */
  readonly ran: readonly string[];
}

const FILE = new URL("./struck.jsonl", import.meta.url);

/** At most this share of a corpus is struck. */
export const MAX_STRUCK = 0.1;

export function hashOf({ line, cwd = CWD }: Pick<Line, "line" | "cwd">): string {
  return createHash("sha256").update(`${cwd}\n${line}`).digest("hex");
}

export function readStruck(): Struck[] {
  return readFileSync(FILE, "utf8")
    .split("\n")
    .filter((row) => row !== "")
    .map((row) => JSON.parse(row) as Struck);
}

export const struckFile = FILE;

/** Tells whether a line is struck. */
export function strikes(struck: readonly Struck[]): (line: Line) => boolean {
  const hashes = new Set(struck.map(({ corpus, line }) => `${corpus} ${line}`));
  return (line) => hashes.has(`${line.corpus} ${hashOf(line)}`);
}
