import type { CodeContext, LanguageReader } from "./languages.ts";

/** Dot-commands of sqlite3 and duckdb whose last argument is a file that they write. Their beginnings count as well. */
const WRITES = "output once backup save clone log trace open".split(" ");
const RUNS = ["shell", "system"];
const LONGEST_NAME = 512;
/** Most attached databases that are looked at. */
const MOST_ATTACHED = 10;
const QUOTED = String.raw`['"]([^'"\n]+)['"]`;
/** Statements that name files. */
const FILES = new RegExp(
  String.raw`\b(?:vacuum\s[^;'"]{0,200}?into\s+${QUOTED}|writefile\s*\(\s*${QUOTED}|copy\s[^;]{0,500}?\sto\s+${QUOTED}|export\s+database\s+${QUOTED}|attach\s+(?:database\s+)?${QUOTED}\s+as\s+(\w+))`,
  "gi",
);

/** A script for the shell of a database: statements, and commands that begin with a dot. */
export const sql: LanguageReader = (script, context) => {
  for (const line of script.split("\n")) dotted(line, context);
  let attachments = 0;
  for (const match of script.matchAll(FILES)) {
    const [, vacuum, written, copied, exported, attached, name = ""] = match;
    const file = vacuum ?? written ?? copied ?? exported ?? attached ?? "";
    if (attached === undefined || (attachments++ < MOST_ATTACHED && changes(script, name)))
      context.found.file("write", context.found.given(file));
  }
};

/** Whether a script changes a database of this name. */
function changes(script: string, name: string): boolean {
  return new RegExp(
    String.raw`\b(?:insert\s[^;]{0,99}into|replace\s+into|update|delete\s+from|create\s[^;]{1,99}?|drop\s[^;]{1,99}?|alter\s+table)\s+${name}\s*\.`,
    "i",
  ).test(script);
}

function dotted(line: string, { found, run }: CodeContext): void {
  const [, name = "", rest = ""] = /^\s*\.([a-z]+)\s*(.*)$/.exec(line.trimEnd()) ?? [];
  if (name === "") return;
  if (name.length > 1 && RUNS.some((each) => each.startsWith(name))) return run(rest);
  if (!WRITES.some((each) => each.startsWith(name)) || /--?readonly/.test(rest)) return;
  const piped = /^['"]?\|\s*(.*?)['"]?$/.exec(rest)?.[1];
  if (piped !== undefined) return run(piped);
  const last = /(?:'([^']*)'|"([^"]*)"|(\S+))$/.exec(rest.slice(-LONGEST_NAME));
  const text = last?.[1] ?? last?.[2] ?? last?.[3] ?? "";
  if (text !== "" && !/^(?:stdout|off|on|-.*)$/.test(text)) found.file("write", found.given(text));
}

/** A script of psql: `\o x`, `\copy t to x`, `\! cmd`. */
export const psql: LanguageReader = (script, { found, run }) => {
  for (const line of script.split("\n")) {
    const shell = /\\!\s*(.+)$/.exec(line)?.[1];
    if (shell !== undefined) {
      run(shell);
      continue;
    }
    const [, name = "", after = ""] = /\\([a-z]+)\s+(.*)$/.exec(line.trimEnd()) ?? [];
    const rest = name === "copy" ? (/\sto\s+(.*)$/i.exec(after)?.[1] ?? "") : after;
    if (!/^(?:copy|o|out|w|write|s|g|gx)$/.test(name)) continue;
    if (rest.startsWith("|")) run(rest.slice(1));
    const text = /^'([^']*)'/.exec(rest)?.[1] ?? /^\S+/.exec(rest)?.[0] ?? "";
    if (!rest.startsWith("|") && text !== "" && !/^(?:p?stdout|program)$/i.test(text))
      found.file("write", found.given(text));
  }
};
