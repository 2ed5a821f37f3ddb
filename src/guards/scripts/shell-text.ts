import { quoteWords } from "../../core/index.ts";
import type { FileReader } from "../../core/index.ts";
import { resolvePath } from "../../matching/index.ts";
import type { FileRun, Piece } from "./piece.ts";
import { folderOf } from "./piece.ts";

/** Longer texts are read in parts, since the reader of lines takes no longer ones. */
const LONGEST_PART = 48_000;

/** The folder of the script, as scripts find it. */
const OWN_NAME = String.raw`"?\$(?:0|\{0\}|BASH_SOURCE|\{BASH_SOURCE(?:\[0\]|:-\$0|\[0\]:-\$0)?\})"?`;
const OWN_FOLDER = String.raw`(?:\$\(\s*dirname\s+(?:--\s+)?${OWN_NAME}\s*\)|\`dirname ${OWN_NAME}\`|\$\{(?:0|BASH_SOURCE(?:\[0\])?)%/\*\})`;
const FINDS_FOLDER = new RegExp(
  String.raw`\$\(\s*(?:CDPATH=\S*\s+)?cd\s+(?:-P\s+)?(?:--\s+)?"?${OWN_FOLDER}([\w./-]*)"?(?:\s*(?:&>|>|2>)\s*/dev/null)*\s*(?:&&|;)\s*pwd(?:\s+-P)?\s*\)`,
  "g",
);
const FOLDER = new RegExp(OWN_FOLDER, "g");

/** A default for a word that the script is not given. In a function, it would be one of the function's words. */
const DEFAULT =
  /^((?:export |readonly |declare )?\w{1,80}=)("?)\$\{(\d):?[-=]([^{}"`\n]{1,200})\}\2(?=[ \t]*$)/gm;

/** A file that is read in on a line of its own, and lines of it that set a variable. */
const SOURCES =
  /^([ \t]{0,20}(?:set -a[ \t]{0,4};[ \t]{0,4})?)(?:\.|source)[ \t]{1,8}["']?(?:\$\{?(\w{1,80})\}?)?([\w./+@-]{1,300})["']?(?=[ \t]*(?:$|[;&#|]))/gm;
const SETTING =
  /^(?:export |readonly )?[A-Za-z_]\w{0,80}=(?:"[^"`\n\\()]{1,200}"|'[^'\n]{1,200}'|[^\s"'`$\\();&|<>#]{1,200})[ \t]{0,20}$/gm;
const MOST_SETTINGS = 100;
/** How much text is added to a script, and how much of it a file counts for that has none. */
const MOST_TEXT = 16_000;
const SOURCE_COSTS = 200;

/** The script's own path, in place of `$0` and `BASH_SOURCE`. */
const OWN = "_own_path_";
const OWN_PATH = /\$(?:0(?!\d)|BASH_SOURCE\b)|\$\{(?:0|BASH_SOURCE(?:\[0\])?)(?=[}%#:/-])/g;

/** A shell script: its words, its path, and the folder that it is in, are filled in. */
export function shellPieces(
  text: string,
  { path, args, cwd }: FileRun,
  files: FileReader,
): readonly Piece[] {
  let script = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  let before = "";
  if (/\$\{?(?:0|BASH_SOURCE)/.test(script)) {
    const folder = folderOf(path);
    if (/^[\w./@+-]+$/.test(folder))
      script = script
        .replaceAll(FINDS_FOLDER, (_, below: string) => `${folder}${below}`)
        .replaceAll(FOLDER, folder);
    script = script.replaceAll(OWN_PATH, (found) =>
      found.startsWith("${") ? `\${${OWN}` : `$${OWN}`,
    );
    before = `${OWN}=${quoteWords([path])};`;
  }
  if (args)
    script = script.replaceAll(DEFAULT, (found, sets: string, quote: string, nth: string, text) =>
      Number(nth) > args.length ? `${sets}${quote}${text}${quote}` : found,
    );
  script = withSettings(script, cwd, files);
  // What is not known may be anything, and not only nothing.
  if (/\$[\d@*{]/.test(script))
    before += args && args.length > 0 ? `set -- ${quoteWords(args)};` : "set -- $_unknown_;";
  const pieces = parts(script);
  const [first] = pieces;
  if (first) pieces[0] = { ...first, text: `${before}${first.text}` };
  return pieces;
}

/** A script with what the files set that it reads in, in front of where it does. */
function withSettings(script: string, cwd: string | undefined, files: FileReader): string {
  let room = MOST_TEXT;
  return script.replaceAll(SOURCES, (found, lead: string, name?: string, file = "") => {
    room -= SOURCE_COSTS;
    if (room < 0) return found;
    // The folder of the script, in a variable.
    const folder =
      name === undefined ? cwd : new RegExp(`^${name}=["']?(/[\\w./+@-]*)`, "m").exec(script)?.[1];
    if (folder === undefined) return found;
    const content = files.read(resolvePath(folder, name === undefined ? file : `.${file}`));
    const settings = typeof content === "object" ? settingsIn(content.text) : "";
    room -= settings.length;
    return `${lead}${room < 0 ? "" : settings}${found.slice(lead.length)}`;
  });
}

/** What a file sets that another one reads in, as far as it is literal, on one line. */
function settingsIn(text: string): string {
  const settings = text.slice(0, LONGEST_PART).match(SETTING) ?? [];
  return settings
    .slice(0, MOST_SETTINGS)
    .map((setting) => `${setting.trimEnd()};`)
    .join("");
}

/** Cut in front of lines that begin a statement, as far as that can be seen. */
function parts(script: string): { line: number; text: string }[] {
  if (script.length <= LONGEST_PART) return [{ line: 1, text: script }];
  const found: { line: number; text: string }[] = [];
  let line = 1;
  for (let begin = 0; begin < script.length;) {
    const end = cutBehind(script, begin);
    const text = script.slice(begin, end);
    found.push({ line, text });
    line += newlines(text);
    begin = end;
  }
  return found;
}

function cutBehind(script: string, begin: number): number {
  if (script.length - begin <= LONGEST_PART) return script.length;
  const most = begin + LONGEST_PART;
  for (let at = script.lastIndexOf("\n", most); at > begin; at = script.lastIndexOf("\n", at - 1)) {
    if (
      /^\n(?:[\w#.$/]|\[)/.test(script.slice(at, at + 2)) &&
      !/^\n(?:fi|done|esac|el|then|do)\b/.test(script.slice(at, at + 6))
    )
      return at + 1;
    if (at < most - 8_000) break;
  }
  const at = script.lastIndexOf("\n", most);
  return at > begin ? at + 1 : most;
}

export function newlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
