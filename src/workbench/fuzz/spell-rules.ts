import { quoteWord, singleQuoted } from "../../core/index.ts";
import { type Rule, spell, spellAll } from "./draft.ts";
import type { Random } from "./random.ts";

function doubled(text: string): string {
  return `"${text.replaceAll(/[$`"\\]/g, "\\$&")}"`;
}

/** The text in two parts, if it has at least two characters. */
function cut(text: string, random: Random): readonly [string, string] | undefined {
  // Between the halves of a surrogate pair there is no character.
  const chars = Array.from(text);
  if (chars.length < 2) return undefined;
  const at = 1 + random.below(chars.length - 1);
  return [chars.slice(0, at).join(""), chars.slice(at).join("")];
}

/** A rule for a word in two parts, which are written plainly where `write` does not say otherwise. */
function parts(name: string, write: (first: string, second: string) => string): Rule {
  return spell(name, (text, random) => {
    const [first, second] = cut(text, random) ?? [];
    return first === undefined || second === undefined ? undefined : write(first, second);
  });
}

function ascii(text: string, code: (char: string) => string): string | undefined {
  return /^[\x21-\x7e]+$/.test(text) ? Array.from(text, code).join("") : undefined;
}

const HEX = (char: string): string => `\\x${char.charCodeAt(0).toString(16)}`;
const OCTAL = (char: string): string => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`;
const UNICODE = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Quotes, escapes and line continuations. */
const QUOTING: readonly Rule[] = [
  spell("single quotes", singleQuoted),
  spell("double quotes", doubled),
  parts("single quotes inside", (a, b) => quoteWord(a) + singleQuoted(b)),
  parts("double quotes inside", (a, b) => doubled(a) + quoteWord(b)),
  parts("empty single quotes", (a, b) => `${quoteWord(a)}''${quoteWord(b)}`),
  parts("empty double quotes", (a, b) => `${quoteWord(a)}""${quoteWord(b)}`),
  spell("empty quotes in front", (text) => `""${quoteWord(text)}`),
  spell("empty quotes behind", (text) => `${quoteWord(text)}''`),
  spell("one backslash", (text) => (/^[\w./-]+$/.test(text) ? `\\${text}` : undefined)),
  parts("a backslash inside", (a, b) =>
    /^[\w./-]/.test(b) ? `${quoteWord(a)}\\${b}` : singleQuoted(a + b),
  ),
  spell("backslashes", (text) => text.replaceAll(/[^\n]/g, "\\$&").replaceAll("\n", "'\n'")),
  parts("line continuation", (a, b) => `${quoteWord(a)}\\\n${quoteWord(b)}`),
  parts(
    "line continuation in double quotes",
    (a, b) => `${doubled(a).slice(0, -1)}\\\n${doubled(b).slice(1)}`,
  ),
  spell("$'…'", (text) => `$'${text.replaceAll(/['\\]/g, "\\$&")}'`),
  spell("$'…' with \\x", (text) => wrapped(ascii(text, HEX))),
  spell("$'…' with octal", (text) => wrapped(ascii(text, OCTAL))),
  spell("$'…' with \\u", (text) => wrapped(ascii(text, UNICODE))),
  parts("$'…' inside", (a, b) => `${quoteWord(a)}${wrapped(ascii(b, HEX)) ?? singleQuoted(b)}`),
  spell('$"…"', (text) => `$${doubled(text)}`),
];

function wrapped(codes: string | undefined): string | undefined {
  return codes === undefined ? undefined : `$'${codes}'`;
}

/** A rule that puts the word into a variable first: the statement that sets it, from the quoted word. */
function set(name: string, shown: string, before: (quoted: string) => string): Rule {
  return spell(name, (text) => ({ before: `${before(quoteWord(text))}; `, shown }));
}

/** The same for a word in two parts, of which the second may be empty. */
function setParts(
  name: string,
  write: (first: string, second: string) => { readonly shown: string; readonly before?: string },
): Rule {
  return spell(name, (text, random) => {
    const [first, second] = cut(text, random) ?? [text, ""];
    return write(quoteWord(first), quoteWord(second));
  });
}

/** Variables that the line sets. */
const VARIABLES: readonly Rule[] = [
  set("$X", '"$X"', (word) => `X=${word}`),
  spell("$X without quotes", (text) => plain(text, { before: `x=${text}; `, shown: "$x" })),
  spell("${X}", (text) => ({ before: `V=${singleQuoted(text)}; `, shown: '"${V}"' })),
  set("export", '"$E"', (word) => `export E=${word}`),
  set("declare", '"$D"', (word) => `declare D=${word}`),
  set("readonly", '"$R"', (word) => `readonly R=${word}`),
  set("printf -v", '"$P"', (word) => `printf -v P %s ${word}`),
  set("read", '"$L"', (word) => `read -r L <<< ${word}`),
  setParts("+=", (a, b) => ({ before: `A=${a}; A+=${b}; `, shown: '"$A"' })),
  setParts("two variables", (a, b) => ({ before: `A1=${a} A2=${b}; `, shown: '"$A1$A2"' })),
  setParts("a variable inside", (a, b) => ({ before: `I=${b}; `, shown: `${a}"$I"` })),
  setParts("an unset variable inside", (a, b) => ({
    shown: `${a}$UNSET_${b.startsWith("'") ? "" : '""'}${b}`,
  })),
  set("array", '"${Y[1]}"', (word) => `Y=(x ${word})`),
  set("associative array", '"${M[k]}"', (word) => `declare -A M; M[k]=${word}`),
  set("indirect variable", '"${!K}"', (word) => `J=${word}; K=J`),
  set("declare -n", '"$N2"', (word) => `N1=${word}; declare -n N2=N1`),
  set("$_", '"$_"', (word) => `: ${word}`),
  set("$F of for", '"$F"', (word) => `for F in ${word}; do :; done`),
  set("$1", '"$1"', (word) => `set -- ${word}`),
];

/** A word without blanks and wildcards also stands in an unquoted variable. */
function plain<T>(text: string, value: T): T | undefined {
  return /^[\w@%+=:,./-]+$/.test(text) ? value : undefined;
}

/** Operators in `${…}`. */
const EXPANSIONS: readonly Rule[] = [
  spell("${x:-word}", (text) => `"\${NONE:-${inside(text)}}"`),
  spell("${x-word}", (text) => `"\${NONE-${inside(text)}}"`),
  spell("${x:=word}", (text) => `"\${SET1:=${inside(text)}}"`),
  spell("${x:+word}", (text) => ({ before: "ON=1; ", shown: `"\${ON:+${inside(text)}}"` })),
  spell("${HOME:+word}", (text) => `"\${HOME:+${inside(text)}}"`),
  spell("nested ${x:-word}", (text) => `"\${NONE:-\${NO2:-${inside(text)}}}"`),
  spell("${x:n}", (text) => ({ before: `S=${quoteWord(`xx${text}`)}; `, shown: '"${S:2}"' })),
  spell("${x:n:m}", (text) => ({
    before: `T=${quoteWord(`x${text}yy`)}; `,
    shown: `"\${T:1:${text.length}}"`,
  })),
  spell("${x#word}", (text) => ({ before: `H=${quoteWord(`zz${text}`)}; `, shown: '"${H#zz}"' })),
  spell("${x%word}", (text) => ({ before: `Q=${quoteWord(`${text}zz`)}; `, shown: '"${Q%zz}"' })),
  spell("${x/a/b}", (text) => {
    const [first = "", ...rest] = Array.from(text);
    if (!/\w/.test(first) || /[@]/.test(text)) return undefined;
    return { before: `U=${quoteWord(`@${rest.join("")}`)}; `, shown: `"\${U/@/${first}}"` };
  }),
  spell("${x//a}", (text) => {
    if (/[@]/.test(text)) return undefined;
    return { before: `W=${quoteWord(`@${Array.from(text).join("@")}`)}; `, shown: '"${W//@}"' };
  }),
  spell("${x,,}", (text) =>
    text === text.toLowerCase()
      ? { before: `G=${quoteWord(text.toUpperCase())}; `, shown: '"${G,,}"' }
      : undefined,
  ),
  spell("${x^^}", (text) =>
    text === text.toUpperCase()
      ? { before: `G=${quoteWord(text.toLowerCase())}; `, shown: '"${G^^}"' }
      : undefined,
  ),
  spell("${x@E}", (text) => {
    const codes = ascii(text, HEX);
    return codes === undefined ? undefined : { before: `O='${codes}'; `, shown: '"${O@E}"' };
  }),
];

/** A text in `"${x:-…}"`. */
function inside(text: string): string {
  return text.replaceAll(/[$`"\\}]/g, "\\$&");
}

/** Commands whose output is the word. */
const SUBSTITUTIONS: readonly Rule[] = [
  spell("$(echo)", (text) => `"$(echo ${quoteWord(text)})"`),
  spell("`echo`", (text) => (/['`\\$"]/.test(text) ? undefined : `\`echo ${quoteWord(text)}\``)),
  spell("$(printf)", (text) => `"$(printf %s ${quoteWord(text)})"`),
  spell("$(printf) with octal", (text) => {
    const codes = ascii(text, OCTAL);
    return codes === undefined ? undefined : `"$(printf '${codes}')"`;
  }),
  spell("$(echo -e) with \\x", (text) => {
    const codes = ascii(text, HEX);
    return codes === undefined ? undefined : `"$(echo -e '${codes}')"`;
  }),
  parts("$(echo) inside", (a, b) => `${quoteWord(a)}"$(echo ${quoteWord(b)})"`),
  parts("an empty $() inside", (a, b) => `${quoteWord(a)}$()${quoteWord(b)}`),
  spell("$(cat <<<)", (text) => `"$(cat <<< ${quoteWord(text)})"`),
  spell("$(< <(echo))", (text) => `"$(< <(echo ${quoteWord(text)}))"`),
  spell("$(rev)", (text) => `"$(rev <<< ${quoteWord(Array.from(text).toReversed().join(""))})"`),
  spell("$(tr)", (text) =>
    /^[a-z-]+$/.test(text) ? `"$(tr A-Z a-z <<< ${quoteWord(text.toUpperCase())})"` : undefined,
  ),
  spell("$(base64 -d)", (text) => `"$(base64 -d <<< ${Buffer.from(text).toString("base64")})"`),
  spell("$(command -v)", (text) =>
    /^[a-z]+$/.test(text) ? `"$(command -v ${text} || echo ${text})"` : undefined,
  ),
];

/** A rule that puts all words into variables first: the statement that sets them, from the quoted words. */
function setAll(name: string, shown: string, before: (quoted: string) => string): Rule {
  return spellAll(name, (words) => ({
    before: `${before(words.map(quoteWord).join(" "))}; `,
    shown,
  }));
}

/** Braces, fields and lists: spellings of several words at once. */
const FIELDS: readonly Rule[] = [
  spellAll("{a,b}", (words) =>
    words.length > 1 && words.every((word) => /^[\w./-]+$/.test(word))
      ? { shown: `{${words.join(",")}}` }
      : undefined,
  ),
  spell("{word,}", (text) => plain(text, /,/.test(text) ? undefined : `{${text},}`)),
  spell("{,word}", (text) => plain(text, /,/.test(text) ? undefined : `{,${text}}`)),
  spell("a range in braces", (text) => {
    // Several words: for a last operand, or a flag that may stand twice.
    const last = text.at(-1) ?? "";
    return /^-+[a-z-]+$/.test(text) ? `${text.slice(0, -1)}{${last}..${last}}` : undefined;
  }),
  spellAll("$X of all words", (words) =>
    whole(words, { before: `C='${words.join(" ")}'; `, shown: "$C" }),
  ),
  spellAll("IFS", (words) =>
    whole(
      words,
      words.some((word) => /_/.test(word))
        ? undefined
        : { before: `IFS=_; C2=${words.join("_")}; `, shown: "$C2" },
    ),
  ),
  spellAll("$IFS", (words) => whole(words, { shown: words.join("${IFS}") })),
  spellAll("$IFS without braces", (words) => whole(words, { shown: words.join('$IFS""') })),
  setAll('"${array[@]}"', '"${L2[@]}"', (words) => `L2=(${words})`),
  spellAll("${array[*]}", (words) =>
    whole(words, { before: `L3=(${words.join(" ")}); `, shown: "${L3[*]}" }),
  ),
  setAll('"${array[@]:1}"', '"${L4[@]:1}"', (words) => `L4=(x ${words})`),
  spellAll("array +=", (words) => ({
    before: `L5=(); ${words.map((word) => `L5+=(${quoteWord(word)}); `).join("")}`,
    shown: '"${L5[@]}"',
  })),
  spellAll("read -a", (words) =>
    whole(words, { before: `read -ra L6 <<< '${words.join(" ")}'; `, shown: '"${L6[@]}"' }),
  ),
  setAll("mapfile", '"${L7[@]}"', (words) => `mapfile -t L7 < <(printf '%s\\n' ${words})`),
  setAll('"$@"', '"$@"', (words) => `set -- ${words}`),
  spellAll("$*", (words) => whole(words, { before: `set -- ${words.join(" ")}; `, shown: "$*" })),
  spellAll("$(echo) of all words", (words) =>
    whole(words, { shown: `$(echo ${words.join(" ")})` }),
  ),
  spellAll("`echo` of all words", (words) =>
    whole(words, { shown: `\`echo ${words.join(" ")}\`` }),
  ),
];

/** Words that stay the same words when they are split at blanks. */
function whole<T>(words: readonly string[], value: T): T | undefined {
  return words.every((word) => plain(word, true)) ? value : undefined;
}

/** How words can be spelled. */
export const SPELL_RULES: readonly Rule[] = [
  ...QUOTING,
  ...VARIABLES,
  ...EXPANSIONS,
  ...SUBSTITUTIONS,
  ...FIELDS,
];
