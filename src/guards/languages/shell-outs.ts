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
