import type { EffectList } from "../effects/effect-list.ts";
import { perhaps } from "../effects/guesses.ts";

/** Longest code that is read. */
const MOST = 65_536;

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

/**
 * What code in any language may read: the files that its strings name.
 * @param all also those that the code only shows, or looks for
 */
export function addLiterals(code: string, found: EffectList, all = false): void {
  if (code.length > MOST) return;
  const text = all ? code : code.replace(ONLY_NAMED, "");
  for (const strings of STRINGS)
    for (const [, literal = ""] of text.matchAll(strings)) perhaps(literal, found);
}
