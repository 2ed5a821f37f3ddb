import { isPlainObject, type Json } from "../../core/index.ts";

/** Keywords of Lua. */
const KEYWORDS = new Set(
  "and break do else elseif end false for function goto if in local nil not or repeat return then true until while".split(
    " ",
  ),
);
/** Longest table on one line, in characters. */
const SHORT = 80;

/** Choices where Lua has two forms. */
export interface LuaLiteralOptions {
  /** Indentation of the lines after the first; default none. */
  readonly indent?: string;
  /** `orcs.null` for a value passed to hooks, `nil` for a null read from them. Default `orcs.null`. */
  readonly nothing?: "orcs.null" | "nil";
}

/** A JSON value as a Lua expression with the same value. */
export function luaLiteral(
  value: Json,
  { indent = "", nothing = "orcs.null" }: LuaLiteralOptions = {},
): string {
  const write = (item: Json, inner: string): string => {
    if (item === null) return nothing;
    if (typeof item === "string") return luaString(item);
    if (typeof item === "number") return luaNumber(item);
    if (typeof item === "boolean") return String(item);
    const deeper = `${inner}  `;
    if (Array.isArray(item)) {
      if (item.length === 0) return nothing === "nil" ? "{}" : "orcs.array({})";
      return table(
        item.map((each) => write(each, deeper)),
        inner,
      );
    }
    const parts = Object.entries(item)
      .filter(([, each]) => nothing !== "nil" || each !== null)
      .map(
        ([key, each]) => `${isName(key) ? key : `[${luaString(key)}]`} = ${write(each, deeper)}`,
      );
    return table(parts, inner);
  };
  return write(value, indent);
}

/** A text as a quoted Lua string on one line. */
export function luaString(text: string): string {
  const escaped = text.replaceAll(/["\\\p{Cc}\u2028\u2029]|\p{Surrogate}/gu, escapeOf);
  return `"${escaped}"`;
}

/** The value at a JSON Pointer, as an expression that begins with a name: `outcome.payload.args["a b"][1]`. */
export function luaPath(root: string, steps: readonly string[], within: unknown): string {
  let at = within;
  let path = root;
  for (const step of steps) {
    // Positions count from 1 in Lua; only the table tells whether a step is a position.
    if (Array.isArray(at)) path += `[${Number(step) + 1}]`;
    else path += isName(step) ? `.${step}` : `[${luaString(step)}]`;
    at = isPlainObject(at) || Array.isArray(at) ? (at as Record<string, unknown>)[step] : undefined;
  }
  return path;
}

function table(parts: readonly string[], indent: string): string {
  if (parts.length === 0) return "{}";
  const line = `{ ${parts.join(", ")} }`;
  if (line.length <= SHORT && !line.includes("\n")) return line;
  return `{\n${parts.map((part) => `${indent}  ${part},\n`).join("")}${indent}}`;
}

function isName(key: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) && !KEYWORDS.has(key);
}

function luaNumber(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  const text = String(value);
  // Beyond 2^53, a Lua integer differs from the JSON number.
  return Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(text)
    ? `${text}.0`
    : text;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

function escapeOf(char: string): string {
  const short = ESCAPES[char];
  if (short !== undefined) return short;
  const code = char.codePointAt(0) ?? 0;
  return code < 0x80 ? `\\${String(code).padStart(3, "0")}` : `\\u{${code.toString(16)}}`;
}
