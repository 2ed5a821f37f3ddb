import type { LanguageReader } from "./languages.ts";

const TEXT = String.raw`"((?:[^"\\\n]|\\.)+)"`;
/** What it prints into, reads lines from, and runs. Only literals are known. */
const USES = new RegExp(
  String.raw`>>?\s*${TEXT}|\bgetline\b[^<;}\n]{0,80}<\s*${TEXT}|\bsystem\s*\(\s*${TEXT}\s*\)|\|&?\s*${TEXT}|${TEXT}\s*\|&?\s*getline`,
  "g",
);

/** Characters behind which a slash divides; behind all others it begins a regular expression. */
const DIVIDED = /[\w)\]$"]/;
/** A text, a regular expression or a comment, or any other character. */
const TOKEN = /"(?:[^"\\\n]|\\.)*"|#[^\n]*|\/(?:[^/\\\n[]|\\.|\[[^\]\n]{0,200}\])*\/|[^"#/]+|./gs;

/** A program without comments and regular expressions. */
function plain(program: string): string {
  let kept = "";
  let before = "";
  for (const [token] of program.matchAll(TOKEN)) {
    const isRegex = token.length > 1 && token.startsWith("/");
    if (token.startsWith("#")) continue;
    // What looks like one behind a value is a division, and what follows it.
    if (!isRegex || DIVIDED.test(before)) kept += token;
    before = /(\S)\s*$/.exec(token.slice(-80))?.[1] ?? before;
  }
  return kept;
}

/** What an awk program writes, reads and runs, as far as literals say it. */
export const awk: LanguageReader = (program, { found, run }) => {
  for (const [, written, read, called, piped, printed] of plain(program).matchAll(USES)) {
    if (written !== undefined) found.file("write", { text: written, at: -1, known: true });
    if (read !== undefined) found.file("read", { text: read, at: -1, known: true });
    const line = called ?? piped ?? printed;
    if (line !== undefined) run(line.replaceAll(/\\(.)/g, "$1"));
  }
};
