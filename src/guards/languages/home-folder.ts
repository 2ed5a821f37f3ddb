/** One of some patterns, which are separated by blanks. */
export const oneOf = (patterns: string): string => patterns.trim().replaceAll(/\s+/g, "|");

/** The same of regular expressions. */
export const anyOf = (patterns: readonly RegExp[], flags?: string): RegExp =>
  new RegExp(patterns.map(({ source }) => source).join("|"), flags);

/** Expressions for the home folder, in Python, JavaScript, Ruby, Perl and PHP. */
export const HOME = oneOf(String.raw`
  (?:require\(["'](?:node:)?os["']\)|os)\.homedir\(\) homedir\(\) process\.env\.HOME
  (?:process\.env|os\.environ|ENV|\$_ENV|\$_SERVER)\[["']HOME["']\] \$ENV\{["']?HOME["']?\}
  (?:os\.environ\.get|os\.getenv|getenv|ENV\.fetch|Deno\.env\.get)\(["']HOME["']\)
  (?:pathlib\.)?Path(?:\.home\(\)|\(["']~["']\)\.expanduser\(\)) File\.expand_path\(["']~["']\) os\.UserHomeDir\(\) os\.Getenv\("HOME"\) Dir\.home(?:\(\))? os\.path\.expanduser\(["']~["']\)
`);
const MENTIONS = /HOME|[hH]ome|expand|glob/;
const WITHIN_TEXT = new RegExp(String.raw`[$#]?\{(?:${HOME})\}|(?<=["])\$ENV\{HOME\}`, "g");
const ALONE = new RegExp(HOME, "g");
const BEHIND_QUOTE = /(?<=["][^"\n]*)\$ENV\{HOME\}/g;
const EXPANDED = /(?:os\.path\.expanduser|File\.expand_path)\((["'])~(\/[^"'\n]*)\1\)/g;
/** A glob of Perl: `glob("~/*")`. */
const GLOBBED = /(?<![\w.])glob\s*(?:\(\s*)?(["'])~(\/[^"'\n]*)\1(\s*\))?/g;
const EXPANDED_PATH = /(["'])~(\/[^"'\n]*)\1\)\s*\.expanduser\(\)/g;

/** Most parts of a path that are put together. */
const MOST_PARTS = 6;

/** Stands for the home folder until its paths are put together. */
const MARK = "\u0001";
const REST = /["']([^"'\n]*)["']/.source;
const JOINED = new RegExp(
  String.raw`(?:(?:require\(["'](?:node:)?path["']\)|os\.path|path|filepath|File)\.)?\b[jJ]oin\(\s*"(${MARK}[^"\n]*)"\s*,\s*${REST}\s*(,|\))`,
  "g",
);
const ADDED = new RegExp(
  String.raw`"(${MARK}[^"\n]*)"\s*(?:[+/.]\s*${REST}|\.joinpath\(\s*${REST}\s*\))`,
  "g",
);
/** A path object of Python: `(Path.home() / "x").unlink()`. */
const PATH_OBJECT = new RegExp(
  String.raw`(?<![\w.])\(?("${MARK}[^"\n]+")\)?(?=\s*\.\s*[a-z_]+\()`,
  "g",
);

/**
 * Code with its expressions for what is in the home folder as literals: `os.homedir() + "/x"`.
 * @param alone what stands for the folder itself; default: a literal
 */
export function withHomeFolder(code: string, home: string | undefined, alone?: string): string {
  if (home === undefined || !MENTIONS.test(code)) return code;
  let text = code
    .replaceAll(EXPANDED, (_, __, path: string) => `"${MARK}${path}"`)
    .replaceAll(GLOBBED, (_, __, path: string) => `"${MARK}${path}"`)
    .replaceAll(EXPANDED_PATH, (_, __, path: string) => `"${MARK}${path}")`)
    .replaceAll(WITHIN_TEXT, MARK)
    .replaceAll(ALONE, `"${MARK}"`)
    .replaceAll(/(?<=["')])\.joinpath\(([^()]{0,200},[^()]{0,200})\)/g, (_, names: string) =>
      names
        .split(",")
        .map((name) => `.joinpath(${name.trim()})`)
        .join(""),
    );
  if (!text.includes(MARK)) return code;
  const below = (folder: string, name: string): string => `"${folder}/${name.replace(/^\/+/, "")}"`;
  for (let parts = 0; parts < MOST_PARTS; parts++) {
    text = text
      .replaceAll(JOINED, (_, folder: string, name: string, next: string) =>
        next === "," ? `join(${below(folder, name)},` : below(folder, name),
      )
      .replaceAll(ADDED, (_, folder: string, name?: string, joined?: string) =>
        below(folder, name ?? joined ?? ""),
      );
  }
  return text
    .replaceAll(PATH_OBJECT, "Path($1)")
    .replaceAll(`"${MARK}"`, () => alone ?? `"${home}"`)
    .replaceAll(MARK, () => home);
}

/** Code with its expressions for the home folder as a shell writes them: `"rm -rf " + "$HOME"`. */
export function withShellHome(code: string): string {
  if (!MENTIONS.test(code)) return code;
  return code
    .replaceAll(WITHIN_TEXT, "$$HOME")
    .replaceAll(BEHIND_QUOTE, "$$HOME")
    .replaceAll(ALONE, '"$$HOME"');
}
