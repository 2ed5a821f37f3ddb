import type { AST } from "toml-eslint-parser";

/** A replacement of a part of a text. */
export interface TextEdit {
  readonly range: readonly [from: number, to: number];
  readonly text: string;
}

/** The top level of a TOML text, with positions. */
export type TomlBody = AST.TOMLTopLevelTable["body"];

/** The parser is loaded on first use. */
export async function tomlBody(text: string): Promise<TomlBody> {
  const { parseTOML } = await import("toml-eslint-parser");
  return parseTOML(text).body[0].body;
}

/** A text with an edit, if there is one. */
export function edited(text: string, edit: TextEdit | undefined): string {
  return edit ? text.slice(0, edit.range[0]) + edit.text + text.slice(edit.range[1]) : text;
}

/** The key of a pair, part by part. */
export function keysOf({ key }: AST.TOMLKeyValue): string[] {
  return key.keys.map(textOfKey);
}

export function textOfKey(part: AST.TOMLBare | AST.TOMLQuoted): string {
  return part.type === "TOMLBare" ? part.name : part.value;
}

/** Whether two paths are the same. */
export function isSamePath(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((part, i) => part === b[i]);
}

/** The line break that a text uses. */
export function newline(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** The end of the line, without its line break. */
export function lineStop(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  if (end < 0) return text.length;
  return text[end - 1] === "\r" ? end - 1 : end;
}
