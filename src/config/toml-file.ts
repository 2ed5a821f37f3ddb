import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { parse, TomlError } from "smol-toml";
import type { Diagnostic } from "../core/diagnostic.ts";
import { messageOf } from "../core/errors.ts";

/** A file that was read, or why it could not be. */
type TomlFile =
  | { readonly text: string; readonly tree: unknown; readonly mistake: undefined }
  | { readonly text: string | undefined; readonly mistake: Diagnostic };

/**
 * Read a TOML file. Integers beyond 2^53 stay bigints, so that the schema refuses them instead of
 * taking a number that was not written.
 *
 * @param shown the file's name in messages
 */
export function readTomlFile(file: string, shown: string): TomlFile {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    return { text: undefined, mistake: unreadable(`cannot read ${shown}: ${reasonOf(error)}`) };
  }
  // A byte order mark is no part of the text.
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  if (!isUtf8(bytes)) {
    const place = { file: shown, ...placeOfBadByte(bytes) };
    return { text, mistake: { ...unreadable(`${shown} is not UTF-8 from here on`), place } };
  }
  try {
    return { text, tree: parse(text, { integersAsBigInt: "asNeeded" }), mistake: undefined };
  } catch (error) {
    return { text, mistake: syntaxMistake(error, shown) };
  }
}

/** Whether a text is valid TOML. */
export function isToml(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

function unreadable(message: string): Diagnostic {
  return { code: "ORCS1001", severity: "error", message };
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "ENOENT":
      return "there is no such file";
    case "EISDIR":
      return "it is a directory";
    case "EACCES":
      return "permission denied";
    default:
      return messageOf(error);
  }
}

function placeOfBadByte(bytes: Buffer): { line: number; column: number } {
  const again = Buffer.from(bytes.toString("utf8"));
  const at = bytes.findIndex((byte, i) => byte !== again[i]);
  const before = bytes.subarray(0, at).toString("utf8").split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

function syntaxMistake(error: unknown, shown: string): Diagnostic {
  // The parser's message goes on with a caret block of its own.
  const [first = ""] = messageOf(error).split("\n");
  const place =
    error instanceof TomlError
      ? { file: shown, line: error.line, column: error.column }
      : { file: shown, line: 1 };
  return {
    code: "ORCS1002",
    severity: "error",
    message: first.replace("Invalid TOML document: ", ""),
    place,
  };
}
