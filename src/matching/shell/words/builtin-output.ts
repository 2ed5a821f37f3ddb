import { byName } from "../../programs/notation.ts";
import type { Scope } from "../scope.ts";
import { isUnset, knownText } from "../value.ts";
import { decodedOutput } from "./decoded-output.ts";
import type { Field } from "./expand-word.ts";
import { programName, valueOfWord } from "./expand-word.ts";

/**
 * The output of a few commands whose words determine it, as a value: with marks where variables in words are unknown.
 * @param stdin its input, if known
 * @returns undefined when unknown
 */
export function builtinOutput(
  fields: readonly Field[],
  stdin: () => string | undefined,
  scope: Scope,
): string | undefined {
  const [name, ...rest] = fields;
  if (!name?.known || rest.some(({ glob }) => glob)) return undefined;
  const words = rest.map(valueOfWord);
  if (!words.every((word) => word !== null)) return undefined;
  const program = programName(name.text);
  const print = PRINTERS.get(program);
  return print
    ? print(words, stdin, scope)
    : decodedOutput(program, words, () => knownText(stdin()));
}

type Printer = (
  words: readonly string[],
  stdin: () => string | undefined,
  scope: Scope,
) => string | undefined;

/** The path of a program: its folder is unknown, but it is one of the known ones. */
const located: Printer = (words) => {
  const [name, ...others] = words.filter((word) => !word.startsWith("-"));
  if (name === undefined || others.length > 0) return undefined;
  return name.includes("/") ? `${name}\n` : `/usr/bin/${name}\n`;
};

const PRINTERS = byName<Printer>({
  echo,
  printf,
  cat: ([first = "-", ...others], stdin) =>
    first === "-" && others.length === 0 ? stdin() : undefined,
  tee: (words, stdin) => (words.some((word) => word.startsWith("-")) ? undefined : stdin()),
  pwd: (words, _, { cwd }) => (words.length > 0 || cwd === undefined ? undefined : `${cwd}\n`),
  which: located,
  command: (words, ...rest) => (words[0] === "-v" ? located(words, ...rest) : undefined),
  type: (words, ...rest) => (/^-[pP]$/.test(words[0] ?? "") ? located(words, ...rest) : undefined),
  mktemp,
  whoami: (words, _, scope) => {
    const user = words.length === 0 ? knownText(scope.get("USER")) : undefined;
    return user === undefined ? undefined : `${user}\n`;
  },
  date,
  "true :": () => "",
});

function echo(words: readonly string[]): string | undefined {
  let begin = 0;
  let newline = "\n";
  let escapes = false;
  for (; /^-[neE]+$/.test(words[begin] ?? ""); begin++) {
    const flags = words[begin] ?? "";
    if (flags.includes("n")) newline = "";
    escapes = flags.lastIndexOf("e") > flags.lastIndexOf("E");
  }
  const text = words.slice(begin).join(" ");
  // Some shells print `-e`.
  if (text === "" && words.slice(0, begin).some((word) => /[eE]/.test(word))) return undefined;
  // The `echo` of some shells interprets escapes by default: then the output is unknown.
  if (!escapes) return begin === 0 && ANY_ESCAPE.test(text) ? undefined : text + newline;
  const plain = unescaped(text, ARGUMENT_ESCAPE);
  return plain === undefined ? undefined : plain + newline;
}

/** What any shell takes for an escape. */
const ANY_ESCAPE = /\\(?:[\\abcefnrtvxuUE0-9]|$)/;

/** Formats of texts only; with a number or a width the output is unknown. */
function printf(words: readonly string[]): string | undefined {
  const isEnded = words[0] === "--";
  const [format = "", ...args] = isEnded ? words.slice(1) : words;
  if (format.startsWith("-") && !isEnded) return undefined;
  const pieces = format.split(/(%%|%[sb])/);
  if (pieces.some((piece, index) => index % 2 === 0 && piece.includes("%"))) return undefined;
  let printed = "";
  let next = 0;
  do {
    const before = next;
    for (const [index, piece] of pieces.entries()) {
      if (index % 2 === 0) printed += unescaped(piece, FORMAT_ESCAPE) ?? "\0";
      else if (piece === "%%") printed += "%";
      else {
        const arg = args[next++] ?? "";
        printed += piece === "%b" ? (unescaped(arg, ARGUMENT_ESCAPE) ?? "\0") : arg;
      }
    }
    if (next === before) break;
  } while (next < args.length && printed.length < 65_536);
  return printed.includes("\0") ? undefined : printed;
}

/** An octal number has at most three digits in a format, and needs a leading zero in `%b` and `echo -e`. */
const FORMAT_ESCAPE = /\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3})|([^])|$)/g;
const ARGUMENT_ESCAPE = /\\(?:x([0-9a-fA-F]{1,2})|0([0-7]{0,3})|([^])|$)/g;

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  e: "\x1b",
  f: "\f",
  v: "\v",
  "\\": "\\",
};

/** Undefined when it contains an escape that shells interpret differently. */
function unescaped(text: string, escape: RegExp): string | undefined {
  let isKnown = true;
  const plain = text.replace(
    escape,
    (_, hex: string | undefined, octal: string | undefined, char: string | undefined) => {
      if (hex !== undefined || octal !== undefined) {
        const code =
          hex === undefined ? Number.parseInt(octal || "0", 8) : Number.parseInt(hex, 16);
        // Multi-byte characters are not assembled from their bytes.
        if (code === 0 || code > 0x7f) isKnown = false;
        return String.fromCharCode(code);
      }
      const meant = ESCAPES[char ?? ""];
      if (meant === undefined) isKnown = false;
      return meant ?? "";
    },
  );
  return isKnown ? plain : undefined;
}

/** A time in numbers, as in names of archives; which one is not known, and nothing depends on it. */
function date(words: readonly string[]): string | undefined {
  const [format = "", ...others] = words.filter((word) => !/^(?:-u|--utc)$/.test(word));
  return others.length === 0 && /^\+[%\w:.-]{1,40}$/.test(format)
    ? `${format.slice(1).replaceAll(/%-?[a-zA-Z]/g, "0")}\n`
    : undefined;
}

/** A name below the temporary folder: the name is unknown, the folder is known. */
function mktemp(words: readonly string[], _: unknown, scope: Scope): string | undefined {
  const set = scope.get("TMPDIR");
  const tmp = set === undefined || isUnset(set) ? "/tmp" : knownText(set);
  if (tmp === undefined || !words.every((word) => /^-[dqt]+$|^--(?:directory|quiet)$/.test(word)))
    return undefined;
  return `${tmp}/tmp.XXXXXXXXXX\n`;
}
