import type { AST } from "toml-eslint-parser";
import type { HookMode } from "../core/index.ts";
import type { KeyPath } from "./config-error.ts";
import {
  edited,
  isSamePath,
  keysOf,
  lineStop,
  newline,
  type TextEdit,
  tomlBody,
  type TomlBody,
} from "./toml-edit.ts";

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
  const edit = editFor(await tomlBody(text), path, mode, text);
  return edit && edited(text, edit);
}

function editFor(
  body: TomlBody,
  path: KeyPath,
  mode: HookMode,
  text: string,
): TextEdit | undefined {
  const value = `"${mode}"`;
  for (const node of body) {
    if (node.type === "TOMLTable") {
      if (!isSamePath(node.resolvedKey, path)) continue;
      const own = node.body.find(isMode);
      if (own) return { range: own.value.range, text: value };
      const end = lineStop(text, text.indexOf("]]", node.key.range[1]) + 2);
      const indent = /[ \t]*$/.exec(text.slice(0, node.range[0]))?.[0] ?? "";
      return { range: [end, end], text: `${newline(text)}${indent}mode = ${value}` };
    }
    const found = withinValue(node.value, keysOf(node), path, value);
    if (found) return found;
  }
  return undefined;
}

/** The edit of a hook that is an inline table: `hooks = [{ … }]`. */
function withinValue(
  node: AST.TOMLContentNode,
  at: KeyPath,
  path: KeyPath,
  value: string,
): TextEdit | undefined {
  if (!isSamePath(at, path.slice(0, at.length))) return undefined;
  if (node.type === "TOMLArray") {
    for (const [i, element] of node.elements.entries()) {
      const found = withinValue(element, [...at, i], path, value);
      if (found) return found;
    }
    return undefined;
  }
  if (node.type !== "TOMLInlineTable") return undefined;
  if (at.length === path.length) {
    const own = node.body.find(isMode);
    if (own) return { range: own.value.range, text: value };
    const start = node.range[0] + 1;
    return { range: [start, start], text: ` mode = ${value}${node.body.length > 0 ? "," : ""}` };
  }
  for (const pair of node.body) {
    const found = withinValue(pair.value, [...at, ...keysOf(pair)], path, value);
    if (found) return found;
  }
  return undefined;
}

function isMode(pair: AST.TOMLKeyValue): boolean {
  return isSamePath(keysOf(pair), ["mode"]);
}
