import { lazyConstant, wordSet } from "../../core/index.ts";
import { byName } from "../../matching/index.ts";

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

const linesBy = lazyConstant(() => byName(LINES));
const removedBy = lazyConstant(() => byName(REMOVED));

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

/** How code and settings of many programs run a command line, which is the first group. */
const SHELL_OUTS: readonly RegExp[] = [
  // `system("…")`, `os.execute '…'`, `esyscmd(…)`, `execute(…)`, `exec { '…'`
  /\b(?:system|popen|exec|execute|callCommand|(?:run-)?shell-command|esyscmd|term|sh)\b\s*[({]?\s*["'`]?([^"'`(){}]+)/g,
  // `\write18{…}` of TeX, `%(…)` of rpm
  /write18\s*\{([^}]+)\}/g,
  /%\(([^)]+)\)/g,
  // `!…`, `:!…`, `alias.x=!…`
  /^(?:[\w.]+=)?:?!\s*(.+)$/gs,
  /^ProxyCommand[\s=]+(.+)$/gi,
  // A program by its path, as a word or as the value of an option or a setting.
  /(?:^|[=,:;({"'`]\s?)((?:(?:\.\.\/)+|\/(?:usr\/)?(?:local\/)?)s?bin\/[\w.-]+(?:\s[^"'`(){}<>|;,]*)?)/g,
];
/** Options whose value is a file that is written, in any program. */
const WRITTEN = /^-(?:o|O|w|oG|oN|oX)$/;
const JOINED = /^-{1,2}(?:oG|oN|oX|filename|logfile|log-file)=(.+)$/;
const MOST = 4_000;

/** Command lines in the words and the input of a program that is not known, as far as these say that they are run. */
export function shellOuts(words: readonly string[]): string[] {
  return words.flatMap((word) =>
    word.length < 4 || word.length > MOST || !/[!%/({]|exec|system/.test(word)
      ? []
      : SHELL_OUTS.flatMap((pattern) =>
          Array.from(word.matchAll(pattern), ([, line = ""]) => line),
        ),
  );
}

/** Absolute paths that a program may write which is not known. */
export function perhapsWritten(argv: readonly string[]): string[] {
  return argv.flatMap((word, at) => {
    const path = WRITTEN.test(argv[at - 1] ?? "") ? word : JOINED.exec(word)?.[1];
    return path?.startsWith("/") === true ? [path] : [];
  });
}
