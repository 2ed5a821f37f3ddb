/** What programs print that decode their input, such as `base64 -d`; undefined when unknown. */
type Decode = (words: readonly string[], text: string) => string | undefined;

/** Longest input that is decoded. */
const MOST = 65_536;

/** Decode what a program reads. */
export function decodedOutput(
  program: string,
  words: readonly string[],
  stdin: () => string | undefined,
): string | undefined {
  const decode = DECODERS[program];
  const text = decode && stdin();
  return text === undefined || text.length > MOST ? undefined : decode?.(words, text);
}

const DECODERS: Readonly<Record<string, Decode>> = {
  base64: (words, text) => {
    const isDecoding = words.some((word) => /^(?:-[di]*[dD][di]*|--d(?:ecode)?)$/.test(word));
    const others = words.filter((word) => !/^(?:-[diD]+|--d\w*|--ignore-garbage|-)$/.test(word));
    if (!isDecoding || others.length > 0) return undefined;
    const digits = text.replaceAll(/\s/g, "");
    return /^[A-Za-z0-9+/]*={0,2}$/.test(digits) ? textOf(() => atob(digits)) : undefined;
  },
  xxd: (words, text) => {
    if (!/^-(?:r-p|p-r)$/.test(words.join(""))) return undefined;
    const digits = text.replaceAll(/\s/g, "");
    if (!/^(?:[\dA-Fa-f]{2})*$/.test(digits)) return undefined;
    return textOf(() =>
      digits.replaceAll(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16))),
    );
  },
  rev: (words, text) =>
    words.length > 0
      ? undefined
      : text
          .split("\n")
          .map((line) => Array.from(line).toReversed().join(""))
          .join("\n"),
  tr: ([from, to, ...others], text) => {
    if (from === undefined || to === undefined || others.length > 0) return undefined;
    const [read, written] = [lettersOf(from), lettersOf(to)];
    const last = written?.at(-1);
    if (!read || !written || last === undefined) return undefined;
    return Array.from(text, (char) => {
      const at = read.lastIndexOf(char);
      return at < 0 ? char : (written[at] ?? last);
    }).join("");
  },
};

/** A text from its bytes; undefined if it is none. */
function textOf(bytes: () => string): string | undefined {
  try {
    const codes = Uint8Array.from(bytes(), (char) => char.charCodeAt(0));
    const text = new TextDecoder("utf-8", { fatal: true }).decode(codes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** The characters of a set of `tr`; undefined for classes, escapes and options. */
function lettersOf(set: string): readonly string[] | undefined {
  if (/[\\[\]]|^-/.test(set)) return undefined;
  return Array.from(
    set.replaceAll(/([\x21-\x7E])-([\x21-\x7E])/g, (_, first: string, last: string) => {
      let letters = "";
      for (let code = first.charCodeAt(0); code <= last.charCodeAt(0); code++)
        letters += String.fromCharCode(code);
      return letters;
    }),
  );
}
