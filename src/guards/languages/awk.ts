import { quoteWords } from "../../core/index.ts";
import type { Arguments } from "../../matching/index.ts";
import type { CodeContext, LanguageReader } from "./languages.ts";

/** Longest text that is put together. */
const MOST = 16_384;
/** Deepest nesting of parentheses. */
const DEEPEST = 50;

/** What an awk program runs, writes and reads, as far as its literals say it. */
export const awk: LanguageReader = (program, context) => {
  if (/system|[|<>]/.test(program)) new AwkReader(program, context).read();
};

interface Token {
  readonly kind: (typeof KINDS)[number] | "regex" | "end";
  readonly text: string;
}

const END: Token = { kind: "end", text: "" };
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

/** The text of a literal. */
function literal(text: string): string {
  return text.replaceAll(
    /\\(?:x([\da-fA-F]{1,2})|([0-3]?[0-7]{1,2})|([^]))/g,
    (_, hex?: string, octal?: string, char = "") =>
      hex !== undefined
        ? String.fromCharCode(parseInt(hex, 16))
        : octal !== undefined
          ? String.fromCharCode(parseInt(octal, 8))
          : (ESCAPES[String(char)] ?? String(char)),
  );
}

const TOKEN =
  /(?<blank>[ \t\r]+|\\\n|#[^\n]*)|"(?<text>(?:[^"\\]|\\[^])*)"|(?<name>[A-Za-z_]\w*)|\$(?<field>\w+)|(?<number>\d+)|(?<sign>\|&|>>|[|=!<>]=|[^])/y;
const KINDS = ["text", "name", "field", "number", "sign"] as const;
const REGEX = /\/(?:[^\\/[\n]|\\[^]|\[\^?\]?(?:\\[^]|[^\]\n])*\]?)*\/?/y;
/** Names behind which a slash begins a regular expression. */
const BEFORE_REGEX = new Set(["print", "printf", "return", "in", "case"]);

function tokensOf(program: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  while (at < program.length) {
    if (program.charAt(at) === "/" && mayBeginRegex(found.at(-1))) {
      REGEX.lastIndex = at;
      const text = REGEX.exec(program)?.[0] ?? "/";
      found.push({ kind: "regex", text });
      at += text.length;
      continue;
    }
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(program);
    at += match?.[0].length ?? 1;
    const groups = match?.groups ?? {};
    const kind = KINDS.find((each) => groups[each] !== undefined);
    if (kind === undefined) continue;
    const text = groups[kind] ?? "";
    // awk runs nothing of a program with a text that does not end.
    if (kind === "sign" && text === '"') return [];
    found.push({ kind, text: kind === "text" ? literal(text) : text === "\n" ? ";" : text });
  }
  return found;
}

function mayBeginRegex(previous: Token = END): boolean {
  if (previous.kind === "name") return BEFORE_REGEX.has(previous.text);
  return (
    !["text", "number", "field", "regex"].includes(previous.kind) && !/^[)\]]$/.test(previous.text)
  );
}

/** A text that is put together. */
interface Value {
  /** Undefined if a part of it is unknown. */
  readonly text: string | undefined;
  /** The known text that it begins with. */
  readonly begins?: string | undefined;
  /** The position behind it: that of its beginning if there is none. */
  readonly end: number;
}

class AwkReader {
  readonly #tokens: readonly Token[];
  readonly #context: CodeContext;
  readonly #values = new Map<string, Value>();
  /** `ARGV[1]` and so on. */
  readonly #operands: readonly string[];
  /** Whether fields are separated by something else than blanks. */
  readonly #separates: boolean;
  #depth = 0;
  /** Whether it runs a command of which nothing is known. */
  #isOpen = false;

  constructor(program: string, context: CodeContext) {
    const {
      options = [],
      operands = [],
      meanings = new Set(),
    }: Partial<Arguments> = context.args ?? {};
    this.#tokens = tokensOf(program);
    this.#context = context;
    this.#operands = operands.slice(meanings.has("script") ? 0 : 1).map(({ text }) => text);
    this.#separates =
      program.includes("FS") ||
      options.some(({ name }) => name === "-F" || name === "--field-separator");
    const assigned = options.flatMap(({ row, value }) =>
      row?.meaning === "assign" && value ? [value.text] : [],
    );
    for (const text of [...assigned, ...this.#operands]) {
      const [, name, value = ""] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
      if (name !== undefined) this.#values.set(name, { text: literal(value), end: 0 });
    }
  }

  read(): void {
    /** What has been printed in this statement, `false` for nothing. */
    let printed: string | undefined | false = false;
    for (let at = 0; at < this.#tokens.length;) {
      const { kind, text } = this.#at(at);
      let end = at + 1;
      if (kind === "name" && this.#isSign(at + 1, "=")) {
        const names = [text];
        for (end = at + 2; this.#at(end).kind === "name" && this.#isSign(end + 1, "="); end += 2)
          names.push(this.#at(end).text);
        const value = this.#concatenation(end);
        for (const name of names) this.#values.set(name, value);
        end = value.end;
      } else if (kind === "name" && text === "system" && this.#isSign(at + 1, "(")) {
        const value = this.#concatenation(at + 2);
        this.#run(value, false);
        end = value.end;
      } else if (kind === "name" && (text === "print" || text === "printf")) {
        const value = this.#printed(at, text);
        printed = value.text;
        end = value.end;
      } else if (printed !== false && kind === "sign" && (text === ">" || text === ">>")) {
        const value = this.#concatenation(at + 1);
        this.#file("write", value);
        end = value.end;
      } else if (kind === "sign" && (text === "|" || text === "|&") && !this.#isPiped(at)) {
        const value = this.#concatenation(at + 1);
        if (value.end > at + 1) this.#run(value, printed);
        end = value.end;
      } else if (kind === "name" && text === "getline") {
        const from = this.#at(at + 1).kind === "name" ? at + 2 : at + 1;
        if (this.#isSign(from, "<")) {
          const value = this.#concatenation(from + 1);
          // What variables name is guessed by the row.
          if (this.#at(from + 1).kind !== "name") this.#file("read", value);
          end = value.end;
        }
      } else {
        const value = this.#concatenation(at);
        const isRead = this.#isSign(value.end, "|") || this.#isSign(value.end, "|&");
        if (value.end > at && isRead && this.#at(value.end + 1).text === "getline") {
          this.#run(value, false);
          end = value.end;
          // What is in parentheses is read as well.
        } else if (text !== "(" && !(kind === "name" && this.#isSign(at + 1, "("))) end = value.end;
        if (kind === "sign" && (text === ";" || text === "}")) printed = false;
      }
      at = Math.max(end, at + 1);
    }
    // It may be any of the texts: an argument of a function.
    for (const { kind, text } of this.#isOpen ? this.#tokens : [])
      if (kind === "text" && text.includes(" ")) this.#context.run(text);
  }

  #at(position: number): Token {
    return this.#tokens[position] ?? END;
  }

  #isSign(position: number, text: string): boolean {
    const token = this.#at(position);
    return token.kind === "sign" && token.text === text;
  }

  /** Whether a bar is one of `||`, or is in front of getline. */
  #isPiped(at: number): boolean {
    return (
      this.#at(at + 1).text === "getline" || this.#isSign(at + 1, "|") || this.#isSign(at - 1, "|")
    );
  }

  /** @param printed what the command reads: undefined if that is unknown, false if it is nothing */
  #run({ text, begins }: Value, printed: string | undefined | false): void {
    this.#isOpen ||= text === undefined && begins === undefined;
    // With unknown arguments, it is known by its beginning.
    const line = text ?? `${begins ?? ""}$field`;
    if (line.trim() === "") return;
    const given =
      printed === false
        ? ""
        : printed === undefined
          ? "cat | "
          : `${quoteWords(["printf", "%s\\n", printed])} | `;
    this.#context.run(given + line);
  }

  #file(kind: "read" | "write", { text, end }: Value): void {
    // A name that it computes is not followed, as in other languages.
    if (text === undefined || text === "" || end === 0) return;
    this.#context.found.file(kind, text);
  }

  /** Texts, fields, variables and calls behind each other. */
  #concatenation(begin: number): Value {
    let text: string | undefined = "";
    let begins: string | undefined;
    let at = begin;
    this.#depth++;
    while (this.#depth < DEEPEST) {
      const part = this.#operand(at);
      if (part.end === at) break;
      if (at === begin)
        begins = part.text === "" || part.text === undefined ? part.begins : part.text;
      text = text !== undefined && part.text !== undefined ? text + part.text : undefined;
      if (text !== undefined && text.length > MOST) text = undefined;
      at = part.end;
    }
    this.#depth--;
    return { text, begins, end: at };
  }

  #operand(at: number): Value {
    const { kind, text } = this.#at(at);
    const one = (value: string | undefined, end = at + 1): Value => ({ text: value, end });
    if (kind === "text" || kind === "number") return one(text);
    if (kind === "field") return one(this.#field(text));
    if (this.#isSign(at, "(")) {
      const { values, end } = this.#list(at);
      const [only] = values;
      return { text: values.length === 1 ? only?.text : undefined, begins: only?.begins, end };
    }
    if (kind !== "name" || /^(?:getline|print|printf|system)$/.test(text))
      return one(undefined, at);
    if (this.#isSign(at + 1, "["))
      return one(this.#element(text, this.#at(at + 2).text, at + 3), at + 4);
    if (this.#isSign(at + 1, "(")) {
      const { values, end } = this.#list(at + 1);
      const begins = text === "sprintf" ? /^[^%]+/.exec(values[0]?.text ?? "")?.[0] : undefined;
      return { text: text === "sprintf" ? formatted(values) : undefined, begins, end };
    }
    const known = this.#values.get(text);
    return { text: known?.text, begins: known?.begins, end: at + 1 };
  }

  #element(name: string, key: string, close: number): string | undefined {
    if (!this.#isSign(close, "]")) return undefined;
    if (name === "ENVIRON") return this.#context.assigned?.(key);
    return name === "ARGV" ? this.#operands[Number(key) - 1] : undefined;
  }

  /** A field of the line that it reads, if there is one line. */
  #field(name: string): string | undefined {
    const { stdin: input } = this.#context;
    if (name === "0" || input === undefined) return input?.replace(/\n$/, "");
    if (this.#separates || /\n[^]*\S/.test(input)) return undefined;
    return input.trim().split(/\s+/)[Number(name) - 1];
  }

  /** A list in parentheses. */
  #list(begin: number): { readonly values: readonly Value[]; readonly end: number } {
    const values: Value[] = [];
    let at = begin + 1;
    while (!this.#isSign(at, ")") && this.#at(at) !== END) {
      const value = this.#concatenation(at);
      values.push(value);
      at = Math.max(value.end, at + 1);
      if (this.#isSign(at, ",")) at++;
    }
    return { values, end: at + 1 };
  }

  /** What print or printf at a position prints. */
  #printed(at: number, name: string): Value {
    let values: Value[] = [];
    let end = at + 1;
    if (this.#isSign(end, "(")) {
      const list = this.#list(end);
      // `print (a) b` prints a concatenation.
      if (/^(?:\|&?|;|>>?|\}|)$/.test(this.#at(list.end).text)) {
        values = [...list.values];
        end = list.end;
      }
    }
    if (values.length === 0) {
      for (let from = end; ; from = end + 1) {
        const value = this.#concatenation(from);
        // `print` alone prints the line.
        const isLine = value.end === from && values.length === 0;
        values.push(isLine ? { ...value, text: this.#context.stdin } : value);
        end = value.end;
        if (!this.#isSign(end, ",")) break;
      }
    }
    if (name === "printf") return { text: formatted(values), end };
    const isKnown = values.every(({ text }) => text !== undefined);
    return { text: isKnown ? values.map(({ text }) => text).join(" ") : undefined, end };
  }
}

/** What a format makes of the values behind it; undefined if a part is unknown. */
function formatted(values: readonly Value[]): string | undefined {
  const [format, ...rest] = values.map(({ text }) => text);
  if (format === undefined) return undefined;
  let isKnown = true;
  let next = 0;
  const text = format.replaceAll(/%([^])/g, (_, kind: string) => {
    if (kind === "%") return "%";
    const value = rest[next++];
    if (kind !== "s" || value === undefined) isKnown = false;
    return value ?? "";
  });
  return isKnown ? text : undefined;
}
