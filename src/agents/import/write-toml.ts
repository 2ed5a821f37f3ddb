import { escapedUnits } from "../../core/index.ts";

/** A TOML value. */
export type TomlValue = string | number | boolean | readonly TomlValue[] | TomlTable;

export interface TomlTable {
  readonly [key: string]: TomlValue;
}

/** A table of a list: each key on its own line, nested tables inline. */
export function tomlElement(list: string, table: TomlTable): string {
  const lines = Object.entries(table).map(
    ([key, value]) => `${tomlKey(key)} = ${tomlValue(value)}`,
  );
  return `[[${list}]]\n${lines.join("\n")}\n`;
}

/** A comment of one line. */
export function tomlComment(text: string): string {
  return `# ${text.replaceAll(/[\p{Cc}\u2028\u2029\p{Cs}]+/gu, " ")}`;
}

/** Whether TOML can express all of it: not a lone surrogate, which JSON can contain. */
export function isTomlValue(value: TomlValue): boolean {
  if (typeof value === "string") return !/\p{Cs}/u.test(value);
  if (typeof value !== "object") return true;
  return Object.entries(value).every(([key, inner]) => isTomlValue(key) && isTomlValue(inner));
}

function tomlValue(value: TomlValue): string {
  if (typeof value === "string") return tomlString(value);
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value))
    return `[${value.map((each: TomlValue) => tomlValue(each)).join(", ")}]`;
  const pairs = Object.entries(value as TomlTable).map(
    ([key, inner]) => `${tomlKey(key)} = ${tomlValue(inner)}`,
  );
  return pairs.length > 0 ? `{ ${pairs.join(", ")} }` : "{}";
}

function tomlKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : tomlString(key);
}

/** Text with backslashes or quotes stays readable in single quotes, if possible. */
function tomlString(text: string): string {
  if (/["\\]/.test(text) && !/['\p{Cc}]/u.test(text)) return `'${text}'`;
  const escaped = text.replaceAll(
    /["\\\p{Cc}]/gu,
    (char) => SHORT_ESCAPES[char] ?? escapedUnits(char),
  );
  return `"${escaped}"`;
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\f": "\\f",
  "\r": "\\r",
};
