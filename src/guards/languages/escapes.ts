import { lazyConstant, wordSet } from "../../core/index.ts";

/**
 * Command lines that programs run from their options, their arguments or lines of their input: the first group of a
 * pattern is one. Editors and shells of databases have readers of their own.
 */
const LINES: Readonly<Record<string, readonly RegExp[]>> = {
  "vi vim nvim view ex gvim vimdiff": [
    /\bset?\s+shell=(\S+)/,
    /system\(["'](.*?)["']\)/,
    /os\.execute\(["'](.*?)["']\)/,
  ],
  "emacs emacsclient": [
    /(?:shell-command[\w-]*|call-process-shell-command|\(term)\s+"(.*?)"/,
    /call-process\s+(".*?)\)/,
    /start-process\s+"[^"]*"\s+\S+\s+(".*?)\)/,
  ],
  ipython: [/^[!%](?:s[xh]\s+)?(.+)$/m],
  "apt apt-get": [/::(?:pre|post)-invoke[^=]*=(.+)$/i],
  hg: [/^alias\.\w+=!(.+)$/],
  rpm: [/%\(([^)]+)\)/],
  "gdb lldb": [/^(?:platform\s+)?shell\s+(.+)$/, /^!(.+)$/, /^pipe\s+[^|]*\|(.+)$/],
  "less more": [/^\+!(.+)$/],
  "tar gtar bsdtar": [/^--checkpoint-a[a-z]*=exec=(.+)$/],
  "expect tclsh": [/\b(?:exec|spawn|system)\s+([^;\n\]]+)/],
  "psql mysql mariadb": [/\bprogram\s+'([^']+)'/i, /^system\s+(.+)$/, /\\!\s*(.+)$/],
  "ftp lftp": [/!(.+)$/],
  zip: [/^([a-z]\S*\s.+)$/i, /^--unz[a-z-]*=(.+)$/],
  // A rule with its command, in the value of --eval.
  "make gmake": [
    /^--ev(?:al?)?=?[^;]*;\s*[@-]*(.+)$/,
    /^[^\s-][^:=]*:[^;]*;\s*[@-]*(.+)$/,
    /\n\t\s*[@-]*([^\n]+)/,
    /\$\(shell\s+(.*?)\)/,
    /^SHELL=(.+)$/,
  ],
  socat: [/^(?:exec|system|shell):([^,]+)/i],
  "salt salt-call": [/^(.*)$/],
};
/** What is removed with all that is in it, by calls of the languages of some programs. */
const REMOVED: Readonly<Record<string, RegExp>> = {
  "vi vim nvim view ex gvim vimdiff": /delete\(["'](.*?)["']\s*,\s*["']rf["']\)/,
  "emacs emacsclient": /delete-directory\s+"(.*?)"/,
  "expect tclsh": /file\s+delete\s+-force\s+([^\]};\n]+)/,
};
/** Programs that read such lines from the standard input as well. */
const READ_INPUT = wordSet("tclsh expect psql mysql mariadb gdb ftp lftp");

const linesBy = lazyConstant(() => byProgram(LINES));
const removedBy = lazyConstant(() => byProgram(REMOVED));

/** A table of names of programs, by each of these. */
function byProgram<T>(table: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  return new Map(
    Object.entries(table).flatMap(([names, value]) =>
      names.split(" ").map((name): [string, T] => [name, value]),
    ),
  );
}

/** The command lines in the arguments and the input of a program. */
export function escapesOf(
  program: string,
  argv: readonly string[],
  stdin: string | undefined,
): string[] {
  const patterns = linesBy().get(program);
  if (!patterns) return [];
  const removed = removedBy().get(program);
  const texts = argv.slice(1);
  if (stdin !== undefined && READ_INPUT.has(program)) texts.push(...stdin.split("\n"));
  return texts.flatMap((text) => {
    if (text.length <= 4) return [];
    const lines = patterns.flatMap((pattern) => pattern.exec(text)?.[1] ?? []);
    // A backslash is an escape of socat's own.
    const found =
      program === "socat" ? lines.map((line) => line.replaceAll(/\\(.)/g, "$1")) : lines;
    const target = removed?.exec(text)?.[1];
    // In Tcl, `$env(HOME)` is `$HOME`.
    if (target !== undefined)
      found.push(`rm -rf ${target.replaceAll(/\$(?:::)?env\((\w+)\)/g, "$$$1")}`);
    return found;
  });
}
