/** What a script of sed does with files. */
export interface SedVisitor {
  readonly reads: (file: string) => void;
  readonly writes: (file: string) => void;
}

/** Longest script that is read. */
const MOST = 16_384;

/** Visit the files that a script of sed reads and writes: `r`, `w`, and the flag `w` of `s`. What is wrong is skipped. */
export function readSed(script: string, visit: SedVisitor): void {
  if (script.length > MOST) return;
  const rest = (at: number): string => script.slice(at, lineEnd(script, at));
  let at = behindAddress(script, 0);
  while (at < script.length) {
    const command = script.charAt(at++);
    if (command === "s" || command === "y") {
      const delimiter = script.charAt(at);
      at = behindPart(script, at + 1, delimiter, command === "s");
      at = behindPart(script, at, delimiter, false);
      if (command === "s")
        at += /^[\dgpiImMe \t]*/.exec(script.slice(at, at + 32))?.[0].length ?? 0;
      const file = command === "s" ? /^w[ \t]*(.+)/.exec(rest(at))?.[1] : undefined;
      if (file !== undefined) {
        visit.writes(file);
        at = lineEnd(script, at);
      }
    } else if (/[rRwW]/.test(command)) {
      const text = rest(at).trimStart();
      if (command.toLowerCase() === "w") visit.writes(text);
      else visit.reads(/^[^\s;}]*/.exec(text)?.[0] ?? "");
      at = lineEnd(script, at);
    } else if (/[aic]/.test(command)) at = behindPart(script, at, "\n", false);
    else if (command === "e" || command === "#") at = lineEnd(script, at);
    else if (/[:btT]/.test(command)) at += /^[^;}\n]*/.exec(rest(at))?.[0].length ?? 0;
    at = behindAddress(script, at);
  }
}

function lineEnd(script: string, at: number): number {
  const end = script.indexOf("\n", at);
  return end < 0 ? script.length : end;
}

/** The position behind the next delimiter that is not escaped; brackets of a regular expression may contain one. */
function behindPart(script: string, from: number, delimiter: string, isRegex: boolean): number {
  let at = from;
  while (at < script.length && script.charAt(at) !== delimiter) {
    const char = script.charAt(at);
    if (isRegex && char === "[") at = behindClass(script, at);
    else at += char === "\\" ? 2 : 1;
  }
  return Math.min(at + 1, script.length);
}

/** The position behind a bracket expression; `[` that is not closed stands for itself. */
function behindClass(script: string, at: number): number {
  let to = at + 1;
  if (script.charAt(to) === "^") to++;
  if (script.charAt(to) === "]") to++;
  const close = script.indexOf("]", to);
  if (close < 0) return at + 1;
  const named = /^\[[:.=][a-z]*[:.=]\]/.exec(script.slice(to, to + 16));
  return named ? behindClass(script, to + named[0].length - 1) : close + 1;
}

/** Skips the regular expressions in front of a command: `/x/`, `\,x,`. */
function behindAddress(script: string, from: number): number {
  let at = from;
  for (;;) {
    const char = script.charAt(at);
    if (char !== "/" && char !== "\\") return at;
    if (char === "\\") at++;
    at = behindPart(script, at + 1, script.charAt(at), true);
  }
}
