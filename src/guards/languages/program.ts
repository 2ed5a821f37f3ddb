import { lazyConstant, textRows, wordSet } from "../../core/index.ts";
import type { EffectKind } from "../../core/index.ts";
import { byName } from "../../matching/index.ts";
import type { EffectDetails } from "../effects/effect-list.ts";
import { anyOf } from "./home-folder.ts";
import type { LanguageReader } from "./languages.ts";

/**
 * Calls that do something to the files in their arguments, in Python, JavaScript, Ruby, PHP and Perl: what they do to
 * the first argument and, behind a comma, to the second one. A name without a dot counts behind any object.
 */
const CALLS = `
write: writeFileSync writeFile appendFileSync appendFile createWriteStream outputFileSync outputFile mkdirSync
  truncateSync fs.mkdir fs.truncate promises.mkdir os.mkdir os.truncate makedirs File.write File.truncate IO.write
  FileWriter FileUtils.touch FileUtils.mkdir FileUtils.mkdir_p FileUtils.makedirs Dir.mkdir Bun.write Deno.mkdir Deno.mkdirSync
  writeTextFileSync writeTextFile file_put_contents
remove: unlinkSync rmdirSync fs.unlink fs.rmdir promises.unlink promises.rmdir os.remove os.unlink os.rmdir File.delete
  File.unlink FileUtils.rm FileUtils.rm_f FileUtils.remove unlink rmdir
clear: rmSync fs.rm promises.rm rmtree removedirs FileUtils.rm_r FileUtils.rm_rf os.RemoveAll Deno.remove Deno.removeSync
attributes: chmodSync fs.chmod os.chmod promises.chmod os.chown chownSync fs.chown
read: readFileSync readFile createReadStream File.read IO.read file_get_contents readTextFile readTextFileSync
remove,write: renameSync fs.rename promises.rename os.rename os.replace os.renames shutil.move File.rename FileUtils.mv
  rename
read,write: copyFileSync copyFile cpSync fs.cp promises.cp shutil.copy shutil.copy2 shutil.copyfile shutil.copytree
  shutil.copymode FileUtils.cp FileUtils.cp_r
link,write: symlinkSync linkSync fs.symlink promises.symlink os.symlink os.link
`;
const ACTIONS: Readonly<Record<string, readonly (readonly [EffectKind, EffectDetails])[]>> = {
  read: [["read", {}]],
  write: [["write", {}]],
  attributes: [["attributes", {}]],
  remove: [["remove", { unfollowed: true }]],
  clear: [["remove", { unfollowed: true, recursive: true }]],
};
/** Calls that count only without an object in front. */
const BARE = wordSet("unlink rmdir rename");
/** Methods of path objects. */
const METHODS = byName({
  "write_text write_bytes touch mkdir symlink_to": "write",
  "unlink rmdir rename": "remove",
  chmod: "attributes",
  "read_text read_bytes": "read",
});
const LITERAL = /\s*(?:[rbufRBUF]{0,2}(?:"([^"\n]*)"|'([^'\n]*)')|`([^`\n]*)`)\s*/y;
const NAME = /\s*([A-Za-z_$][\w$]*)\s*/y;
/** What is added to a variable: `p + "/x"`. */
const ADDED = /^[+.]\s*["']([^"'\n]*)["']\s*/;
const CALL = /(?<![\w$])(?:([A-Za-z_$][\w$]*)(?:\s*\.\s*|::|->))?\b([A-Za-z_]\w*)\s*\(/g;
/** `x = "text"`, `const x = Path("text")`. */
const ASSIGNED =
  /(?<![\w$])([A-Za-z_$][\w$]*)\s*=[ \t]*(?:[A-Za-z_.]+\(?[ \t]*)?(?:"([^"\n]+)"|'([^'\n]+)'|`([^`\n]+)`)/g;

/** `for f in glob("text")`, `readdirSync("text").forEach(f =>`, `Dir.glob("text").each { |f|` */
const LOOPED = anyOf(
  [
    /\bfor\s+(?:my\s+|const\s+|let\s+)?\$?([A-Za-z_]\w*)\s+(?:in|of)\b[^\n:{;"']{0,200}["']([^"'\n]+)["']/,
    /["']([^"'\n]+)["'][)\s]*\.(?:each|forEach|map)\s*[({]\s*(?:\|(\w+)\||(?:async\s*)?\(?(\w+)\)?\s*=>)/,
  ],
  "g",
);

/**
 * What code in a language with calls and string literals does to files: a path is a literal, or a variable that one was
 * assigned to. The code is not parsed: these are the calls that people and agents write.
 */
export const program: LanguageReader = (text, { found }) => {
  const code = uncommented(text);
  const given = new Map<string, string>();
  for (const [, name = "", ...texts] of code.matchAll(ASSIGNED))
    given.set(name, texts.find((each) => each !== undefined) ?? "");
  for (const [, each, of, listed, ...names] of code.matchAll(LOOPED))
    given.set(each ?? names.find((name) => name !== undefined) ?? "", of ?? listed ?? "");
  const file = (action: string | undefined, name: string | undefined): void => {
    if (name === undefined || /[${]/.test(name) || action === undefined) return;
    for (const [kind, details] of ACTIONS[action] ?? []) found.file(kind, name, details);
  };
  /** The text of the argument at a position, and the position behind it. */
  const argument = (at: number): { readonly name: string | undefined; readonly end: number } => {
    LITERAL.lastIndex = at;
    const literal = LITERAL.exec(code);
    const end = literal ? LITERAL.lastIndex : at;
    const begin = literal?.[1] ?? literal?.[2] ?? literal?.[3];
    // Something in a folder: `"/x/" + name`.
    const more = begin?.endsWith("/")
      ? /^[+.]\s*\$?[\w.[\]]+\s*/.exec(code.slice(end, end + 60))
      : null;
    if (more) return { name: `${begin}*`, end: end + more[0].length };
    if (literal) return { name: begin, end };
    NAME.lastIndex = at;
    const variable = NAME.exec(code)?.[1];
    if (variable === undefined) return { name: undefined, end: at };
    const name = given.get(variable);
    const next = NAME.lastIndex;
    const added = name === undefined ? null : ADDED.exec(code.slice(next, next + 200));
    return { name: added ? `${name}${added[1]}` : name, end: next + (added?.[0].length ?? 0) };
  };
  const isEnd = (at: number): boolean => at >= code.length || /[,)]/.test(code.charAt(at));
  const calls = callsByName();
  for (const match of code.matchAll(CALL)) {
    const [all, object, name = ""] = match;
    const at = match.index + all.length;
    const first = argument(at);
    const own = object === undefined ? undefined : calls.get(`${object}.${name}`);
    const kinds = own ?? (object !== undefined && BARE.has(name) ? undefined : calls.get(name));
    if (name === "open" || name === "fopen" || name === "openSync") {
      const mode = /^\s*,\s*(?:mode\s*=\s*)?["']([^"'\n]+)["']/.exec(
        code.slice(first.end, first.end + 60),
      )?.[1];
      if (isEnd(first.end))
        file(
          mode !== undefined && /^[rwaxbct+]*[waxc+][rwaxbct+]*$/.test(mode) ? "write" : "read",
          first.name,
        );
    } else if (kinds) {
      if (isEnd(first.end)) file(kinds[0], first.name);
      if (kinds[1] === undefined || code.charAt(first.end) !== ",") continue;
      const second = argument(first.end + 1);
      if (isEnd(second.end)) file(kinds[1], second.name);
    } else if (name === "Path" && code.charAt(first.end) === ")") {
      const method = /^\)\s*\.\s*(\w+)/.exec(code.slice(first.end, first.end + 40))?.[1];
      file(METHODS.get(method ?? ""), first.name);
    } else if (object !== undefined) file(METHODS.get(name), given.get(object));
  }
  perl(code, file);
};

function perl(code: string, file: (action: string, name: string | undefined) => void): void {
  const opened =
    /\bopen[\s(]+[\w\s$]{1,40},\s*["'](\+?[<>]{1,2})[^"'\n]*["']\s*,\s*["']([^"'\n]+)["']|\bopen[\s(]+[\w\s$]{1,40},\s*["']\s*(>{1,2}|<)\s*([^<>"'\n]+)["']/g;
  for (const [, mode, name, sign, target] of code.matchAll(opened))
    file(/[>+]/.test(mode ?? sign ?? "") ? "write" : "read", name ?? target);
  const removed = /\b(?:unlink|rmdir|rename)\s+(?:glob\s*)?\(?((?:["'][^"'\n]+["']\s*,?\s*)+)/g;
  for (const [, names = ""] of code.matchAll(removed))
    for (const [, name] of names.matchAll(/["']([^"'\n]+)["']/g)) file("remove", name);
  for (const [, name] of code.matchAll(
    /\barray_map\(\s*["']unlink["'],\s*glob\(["']([^"'\n]+)["']/g,
  ))
    file("remove", name);
  for (const [, name] of code.matchAll(/\bunlink\s*\(?\s*<([^<>\n]+)>/g)) file("remove", name);
}

/** Calls by name, with what they do to their arguments. */
const callsByName = lazyConstant(() => {
  const rows = textRows(CALLS).map((row) => row.split(": "));
  return byName(
    Object.fromEntries(rows.map(([kinds = "", names = ""]) => [names, kinds.split(",")])),
  );
});

/** Code without comments: those that fill a whole line, and those behind code without quotes. */
export function uncommented(text: string): string {
  let code = text;
  if (code.includes("#"))
    code = code.replaceAll(/^[ \t]*#.*$/gm, "").replaceAll(/^([^\n'"`#]*)\s# .*$/gm, "$1");
  return code.includes("//") ? code.replaceAll(/^[ \t]*\/\/.*$/gm, "") : code;
}
