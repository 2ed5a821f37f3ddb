import { perhaps } from "../effects/guesses.ts";
import { anyOf } from "./home-folder.ts";
import type { LanguageReader } from "./languages.ts";

const LITERAL = /'[^'"\n]*'|"[^'"\n]*"/.source;
/** Calls and operators that only show a name, or look for a file. */
const ONLY_NAMED = new RegExp(
  [
    `(?<![\\w.])print\\(\\s*(?:${LITERAL})\\s*\\)`,
    `(?:console\\.[A-Za-z]+|\\bputs|existsSync|path\\.(?:exists|is(?:file|dir))|File\\.[A-Za-z]+\\?|file_exists)\\(\\s*(?:${LITERAL})\\s*\\)`,
    `\\bPath\\(\\s*(?:${LITERAL})\\s*\\)\\.exists`,
    `(?:${LITERAL})\\s+in\\s`,
    // Tests of Perl: `print 1 if -e ".env"`.
    `(?:\\b(?:if|unless|print)\\s+|[(!&|]\\s*)-[edfrwxsz]\\s*(?:${LITERAL})`,
  ].join("|"),
  "g",
);
const STRINGS = [/'([^'\n]+)'/g, /"([^"\n]+)"/g, /`([^`\n]+)`/g, /%[qwQW]?[({[/]([^)}/\]]+)/g];

/** Code that reads the whole environment. */
const ENVIRONMENT = anyOf([
  /(?:(?:process|Bun|import\.meta)\.env|os\.environ)(?![\w.[])/,
  /\bENV\.to_|getenv\(\)|%ENV(?![\w{])|Deno\.env\.toObject|\$_ENV(?![\w[])/,
]);
const VARIABLE = /(?:process\.env\.|(?:environ|getenv|ENV|get)[[({]+["'])([A-Za-z_]\w*)/g;
/** Calls that print something. */
const PRINTS = /print|console\.|puts|echo|\bp\s|say|write/;

/** What code in any language may read: the files that its strings name, and the environment. */
export const literals: LanguageReader = (code, { found, prints }) => {
  if (prints || PRINTS.test(code)) {
    if (ENVIRONMENT.test(code)) found.variable("*");
    for (const [, name = ""] of code.matchAll(VARIABLE)) found.variable(name);
  }
  const text = code.replace(ONLY_NAMED, "");
  for (const strings of STRINGS)
    for (const [, literal = ""] of text.matchAll(strings)) {
      if (/^(?:https?|wss?|ftp):\/\//i.test(literal)) found.connect(literal, { sure: false });
      else perhaps(literal, found);
    }
};

/** What commands in a language with file names without quotes may read: each of their words. */
export const words: LanguageReader = (text, { found }) => {
  for (const word of text.split(/[\s"'`$(){}<>|;&=:@,\\]+/)) perhaps(word, found);
};

/** The commands of a shell of a database that name files without quotes: `\i x` of psql, `.read x` of sqlite3. */
export const metaCommands: LanguageReader = (text, context) => {
  for (const line of text.split("\n"))
    if (/^\s*(?:\\[a-z!]|\.[a-z]|source\s)/i.test(line)) words(line, context);
};
