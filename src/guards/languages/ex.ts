import { wordSet } from "../../core/index.ts";
import type { CodeContext, LanguageReader } from "./languages.ts";
import { program } from "./program.ts";

/** Ex commands, with their abbreviations, whose argument is a file that they write or edit. */
const WRITES = wordSet(`
  w wr wri writ write wq x xi xit exi exit up upd upda update sav save savea saveas wn wnext e ed edi edit ex mks
  mksession mkv mkvi mkvie mkview mkvim mkvimr mkvimrc mk mkexrc redi redir new sp split vs vsplit tabe tabedit
  tabnew W f fi file
`);
const READS = wordSet("r re rea read");
/** Ex commands whose argument is another Ex command. */
const LEADS = wordSet(
  "sil silent exe execute noa noautocmd keepalt keepj keepjumps bufdo argdo windo tabdo",
);
const MOST_LEADS = 8;
const RANGE = /^[\s:]*[\d.,$%'<>+;-]*\s*/;

/** Ex commands of vi, vim and ex. */
export const ex: LanguageReader = (script, context) => {
  for (const line of script.split("\n")) {
    // A bar within a pattern also ends a command here: a part of a pattern is hardly ever a command.
    for (const part of line.split("|")) command(part, context);
    const shell = /^[\s:]*!(.*\|.*)$/.exec(line)?.[1];
    if (shell !== undefined) context.run(shell);
  }
  for (const [, text = ""] of script.matchAll(
    /writefile\s*\([^\n]{0,1000}?,\s*['"]([^'"\n]+)['"]/g,
  ))
    context.found.file("write", context.found.given(text));
  program(script, context);
};

/** A script of ed, without the text that it inserts: from a, i or c to a single dot. */
export const ed: LanguageReader = (script, context) => {
  let inserts = false;
  for (const line of script.split("\n")) {
    if (inserts) inserts = line !== ".";
    else if (/^[\d,$.+-]*[aic]$/.test(line)) inserts = true;
    else command(line, context);
  }
};

function command(text: string, context: CodeContext): void {
  let rest = text.replace(RANGE, "");
  for (let depth = 0; depth < MOST_LEADS; depth++) {
    if (rest.startsWith("!")) return context.run(rest.slice(1));
    const [, name = "", after = ""] = /^([A-Za-z]+)(.*)$/s.exec(rest) ?? [];
    if (name === "") return;
    if (LEADS.has(name)) {
      const inner = after.replace(/^!/, "").trim();
      rest = (/^(['"])(.*)\1$/s.exec(inner)?.[2] ?? inner).replace(RANGE, "");
      continue;
    }
    const writes = WRITES.has(name);
    if (!writes && !READS.has(name)) return;
    // `w! x` overwrites x, and `w !x` runs x.
    const shell = /^\s*!\s*(\S.*)$/s.exec(after)?.[1];
    if (shell !== undefined && (!writes || /^\s+!/.test(after))) return context.run(shell);
    const file = fileIn(after.replace(/^!/, ""));
    if (file !== undefined)
      context.found.file(writes ? "write" : "read", context.found.given(file));
    return;
  }
}

/** The file in the argument of an Ex command; undefined for none, and for a name that only the editor knows (`%`). */
function fileIn(rest: string): string | undefined {
  const text = rest
    .replace(/^\s*>*\s*/, "")
    .replace(/^(?:\+\+\S+\s+)+/, "")
    .trim()
    .replaceAll(/\\(.)/g, "$1");
  return text === "" || /^[%#]/.test(text) ? undefined : text;
}
