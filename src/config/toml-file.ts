import { isUtf8 } from "node:buffer";
import { parse, TomlError } from "smol-toml";
import { codeOf, type Diagnostic, isDeeper, messageOf, orUndefined } from "../core/index.ts";
import { fileBytes } from "../machine/index.ts";
import type { Table } from "./table.ts";

/** Deeper than any real configuration: merely visiting a key with a million dots takes all the memory. */
const MAX_DEPTH = 100;

/** The content of a file, or why it could not be read. */
type TomlFile =
  | {
      readonly bytes: Uint8Array;
      readonly text: string;
      readonly tree: unknown;
      readonly mistake: undefined;
    }
  | {
      readonly bytes: Uint8Array | undefined;
      readonly text: string | undefined;
      readonly mistake: Diagnostic;
    };

/**
 * Read a TOML file. Integers beyond 2^53 stay bigints, so that the schema rejects them instead of changing the number.
 * @param shown the file's name in messages
 * @param read reads its bytes
 */
export function readTomlFile(
  file: string,
  shown: string,
  read: (file: string) => Buffer = fileBytes,
): TomlFile {
  let bytes: Buffer;
  try {
    bytes = read(file);
  } catch (error) {
    const mistake = unreadable(`cannot read ${shown}: ${reasonOf(error)}`);
    return { bytes: undefined, text: undefined, mistake };
  }
  // A byte order mark is not part of the text.
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  if (!isUtf8(bytes)) {
    const place = { file: shown, ...placeOfBadByte(bytes) };
    const mistake = unreadable(`${shown} is not valid UTF-8 from here on`);
    return { bytes, text, mistake: { ...mistake, place } };
  }
  try {
    const tree: unknown = tomlTree(text);
    if (isDeeper(tree, MAX_DEPTH)) {
      const message = `${shown} is nested more than ${MAX_DEPTH} levels deep`;
      return { bytes, text, mistake: { code: "ORCS1002", severity: "error", message } };
    }
    return { bytes, text, tree, mistake: undefined };
  } catch (error) {
    return { bytes, text, mistake: syntaxError(error, shown) };
  }
}

/** The tree of a text that is valid TOML. @throws TomlError for another one */
export function tomlTree(text: string): Table {
  return parse(text, { integersAsBigInt: "asNeeded" });
}

/** Whether a text is valid TOML. */
export function isToml(text: string): boolean {
  return orUndefined(() => parse(text)) !== undefined;
}

function unreadable(message: string): Diagnostic {
  return { code: "ORCS1001", severity: "error", message };
}

function reasonOf(error: unknown): string {
  return REASONS[codeOf(error) ?? ""] ?? messageOf(error);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  EISDIR: "it is a directory",
  EACCES: "permission denied",
};

/** Where bytes that are not UTF-8 begin not to be. */
export function placeOfBadByte(bytes: Buffer): { line: number; column: number } {
  const again = Buffer.from(bytes.toString("utf8"));
  const at = bytes.findIndex((byte, i) => byte !== again[i]);
  const before = bytes.subarray(0, at).toString("utf8").split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

function syntaxError(error: unknown, shown: string): Diagnostic {
  // The parser's message continues with a caret block of its own.
  const [first = ""] = messageOf(error).split("\n");
  const place =
    error instanceof TomlError
      ? { file: shown, line: error.line, column: error.column }
      : { file: shown, line: 1 };
  const message = first.replace("Invalid TOML document: ", "");
  const known = SYNTAX_HINTS[message];
  return {
    code: "ORCS1002",
    severity: "error",
    message: known?.message ?? message,
    place,
    ...(known && { hint: known.hint }),
  };
}

/** Better texts for the parser's messages about strings. */
const SYNTAX_HINTS: Readonly<Record<string, { message: string; hint: string }>> = {
  "unrecognised escape sequence": {
    message: 'a backslash within "…" begins an escape, and this is none',
    hint: "write the text within '…', where a backslash is one",
  },
  "control characters are not allowed in strings": {
    message: "the string does not end on its line, or has a control character",
    hint: "close it with the quote that it begins with; a text of several lines needs \"\"\" or '''",
  },
  "unfinished string": {
    message: "the string has no end",
    hint: "close it with the quotes that it begins with",
  },
};
