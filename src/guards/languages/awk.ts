import type { LanguageReader } from "./languages.ts";

const TEXT = String.raw`"((?:[^"\\\n]|\\.)+)"`;
/** What it prints into, reads lines from, and runs. Only literals are known. */
const USES = new RegExp(
  String.raw`>>?\s*${TEXT}|\bgetline\b[^<;}\n]{0,80}<\s*${TEXT}|\bsystem\s*\(\s*${TEXT}\s*\)|\|&?\s*${TEXT}|${TEXT}\s*\|&?\s*getline`,
  "g",
);

/** What an awk program writes, reads and runs, as far as literals say it. */
export const awk: LanguageReader = (program, { found, run }) => {
  for (const [, written, read, called, piped, printed] of program.matchAll(USES)) {
    if (written !== undefined) found.file("write", { text: written, at: -1, known: true });
    if (read !== undefined) found.file("read", { text: read, at: -1, known: true });
    const line = called ?? piped ?? printed;
    if (line !== undefined) run(line.replaceAll(/\\(.)/g, "$1"));
  }
};
