import type { ShellCommand } from "../../../../src/core/shell.ts";
import { createShellReader } from "../../../../src/matching/shell/reader.ts";

const reader = createShellReader({ home: "/home/me" });

/**
 * What a line runs, one text for each command: `via: words <from >file @cwd`, with `?` for a word that is not
 * known, `!` behind what is opaque, and quotes around words that need them. `…` at the end: the rest cannot be read.
 */
export function listed(line: string, cwd?: string): readonly string[] {
  const { commands, unread } = reader.read(line, cwd);
  return [...commands.map(rendered), ...(unread === undefined ? [] : [UNREAD])];
}

const UNREAD = "…";

function rendered({ argv, unknown, via, from, cwd, redirects, opaque }: ShellCommand): string {
  const words = argv.map((word, at) => (unknown.includes(at) ? "?" : quoted(word)));
  const files = redirects.map(({ op, target, dynamic }) => op + (dynamic ? "?" : target));
  const place = cwd === "." ? [] : [`@${cwd ?? "?"}`];
  const programs = from.length > 0 ? [`<${from.join()}`] : [];
  const parts = [...words, ...programs, ...files, ...place, ...(opaque ? ["!"] : [])].join(" ");
  return via.length > 0 ? `${via.join()}: ${parts}` : parts;
}

function quoted(word: string): string {
  return /^[^\s?!@<>]+$/.test(word) ? word : JSON.stringify(word);
}
