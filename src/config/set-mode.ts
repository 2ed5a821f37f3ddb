import type { AST } from "toml-eslint-parser";
import type { HookMode } from "../core/index.ts";
import type { KeyPath } from "./config-error.ts";

/**
 * The text of a configuration with another `mode` of one hook. Everything else stays as it is, comments included.
 * @param path of the hook's table, such as `["hooks", 0]`
 * @returns undefined when the table is not found in the text
 */
export async function withMode(
  text: string,
  path: KeyPath,
  mode: HookMode,
): Promise<string | undefined> {
  const { parseTOML } = await import("toml-eslint-parser");
  const edit = editFor(parseTOML(text).body[0].body, path, mode, text);
  return edit && text.slice(0, edit.range[0]) + edit.text + text.slice(edit.range[1]);
}

interface TextEdit {
  readonly range: readonly [from: number, to: number];
  readonly text: string;
}

type Body = AST.TOMLTopLevelTable["body"];

function editFor(body: Body, path: KeyPath, mode: HookMode, text: string): TextEdit | undefined {
  const value = `"${mode}"`;
  for (const node of body) {
    if (node.type === "TOMLTable") {
      if (!isSame(node.resolvedKey, path)) continue;
      const own = node.body.find((pair) => isMode(pair));
      if (own) return { range: own.value.range, text: value };
      const [lineStart] = node.range;
      const headerEnd = text.indexOf("]]", node.key.range[1]) + 2;
      const lineEnd = text.indexOf("\n", headerEnd);
      const indent = /[ \t]*$/.exec(text.slice(0, lineStart))?.[0] ?? "";
      const at = lineEnd < 0 ? text.length : lineEnd;
      const end = text[at - 1] === "\r" ? at - 1 : at;
      const newline = end < at ? "\r\n" : "\n";
      return { range: [end, end], text: `${newline}${indent}mode = ${value}` };
    }
    const found = inlineEdit(node, [], path, value);
    if (found) return found;
  }
  return undefined;
}

/** The edit of a hook that is an inline table: `hooks = [{ … }]`. */
function inlineEdit(
  { key, value: held }: AST.TOMLKeyValue,
  above: KeyPath,
  path: KeyPath,
  value: string,
): TextEdit | undefined {
  const own = key.keys.map((part) => (part.type === "TOMLBare" ? part.name : part.value));
  return withinValue(held, [...above, ...own], path, value);
}

function withinValue(
  node: AST.TOMLContentNode,
  at: KeyPath,
  path: KeyPath,
  value: string,
): TextEdit | undefined {
  if (!isSame(at, path.slice(0, at.length))) return undefined;
  if (node.type === "TOMLArray") {
    for (const [i, element] of node.elements.entries()) {
      const found = withinValue(element, [...at, i], path, value);
      if (found) return found;
    }
    return undefined;
  }
  if (node.type !== "TOMLInlineTable") return undefined;
  if (at.length === path.length) {
    const own = node.body.find((pair) => isMode(pair));
    if (own) return { range: own.value.range, text: value };
    const start = node.range[0] + 1;
    return { range: [start, start], text: ` mode = ${value}${node.body.length > 0 ? "," : ""}` };
  }
  for (const pair of node.body) {
    const found = inlineEdit(pair, at, path, value);
    if (found) return found;
  }
  return undefined;
}

function isMode({ key }: AST.TOMLKeyValue): boolean {
  const [first, second] = key.keys;
  if (!first || second) return false;
  return (first.type === "TOMLBare" ? first.name : first.value) === "mode";
}

function isSame(a: KeyPath, b: KeyPath): boolean {
  return a.length === b.length && a.every((part, i) => part === b[i]);
}
