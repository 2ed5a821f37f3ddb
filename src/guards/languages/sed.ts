import type { LanguageReader } from "./languages.ts";

/** What a sed script runs (`e`, and the flag `e` of `s`), and which files it writes and reads (`w`, `r`). */
export const sed: LanguageReader = (script, { found, run, stdin = "" }) => {
  let at = behindAddress(script, 0);
  while (at < script.length) {
    const command = script.charAt(at++);
    const rest = lineAt(script, at);
    if (command === "s" || command === "y") {
      const delimiter = script.charAt(at);
      const pattern = part(script, at + 1, delimiter, command === "s");
      const { text, end } = part(script, pattern.end, delimiter, false);
      at = end;
      if (command === "y") continue;
      const flags = matchAt(/[\dgpiImMe \t]*/y, script, at);
      at += flags.length;
      if (flags.includes("e")) for (const line of [replaced(text), stdin]) run(line);
      if (script.charAt(at) !== "w") continue;
      const line = lineAt(script, at);
      found.file("write", line.slice(1).trim());
      at += line.length;
    } else if (command === "e") {
      run(rest.trim().replace(/[;}]$/, "") || stdin);
      at += rest.length;
    } else if (/[wWrR]/.test(command)) {
      found.file(/w/i.test(command) ? "write" : "read", rest.trimStart());
      at += rest.length;
    } else if (/[aic]/.test(command)) at = part(script, at, "\n", false).end;
    else if (command === "#") at += rest.length;
    else if (/[:btT]/.test(command)) at += matchAt(/[^;}\n]*/y, script, at).length;
    at = behindAddress(script, at);
  }
};

function lineAt(script: string, at: number): string {
  const end = script.indexOf("\n", at);
  return script.slice(at, end < 0 ? undefined : end);
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

/** The position behind a bracket expression; `[` that is not closed stands for itself. */
function behindClass(script: string, at: number): number {
  const begin = at + matchAt(/\[\^?\]?/y, script, at).length;
  const end = matchAt(/(?:\[[:.=][a-zA-Z]*[:.=]\]|[^\]\n]){0,999}\]/y, script, begin).length;
  return end > 0 ? begin + end : at + 1;
}

/** The text up to a delimiter that is not escaped, and the position behind that. In a pattern, brackets hide it. */
function part(script: string, begin: number, delimiter: string, isPattern: boolean) {
  let at = begin;
  while (at < script.length && script.charAt(at) !== delimiter) {
    const char = script.charAt(at);
    at = isPattern && char === "[" ? behindClass(script, at) : at + (char === "\\" ? 2 : 1);
  }
  return { text: script.slice(begin, at), end: Math.min(at, script.length) + 1 };
}

/** Skips the regular expressions in front of a command: `/x/`, `\,x,`. */
function behindAddress(script: string, begin: number): number {
  let at = begin;
  while (script.charAt(at) === "/" || script.charAt(at) === "\\") {
    if (script.charAt(at) === "\\") at++;
    at = part(script, at + 1, script.charAt(at), true).end;
  }
  return at;
}

/** The line that a replacement becomes; what it takes over from the input is not known. */
function replaced(text: string): string {
  return text
    .replaceAll(/\\(.)/gs, (_, char: string) =>
      char === "n" ? "\n" : /\d/.test(char) ? "$input" : char,
    )
    .replaceAll("&", () => "$input");
}
