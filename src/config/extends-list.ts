import { isDeepStrictEqual } from "node:util";
import type { AST } from "toml-eslint-parser";
import { OrcsError, orUndefined, textsIn } from "../core/index.ts";
import { type Table, valueOf } from "./table.ts";
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
import { tomlTree } from "./toml-file.ts";

/** What `extends` names. */
export function extendsList(tree: unknown): readonly string[] {
  return textsIn(valueOf(tree, "extends"));
}

/**
 * The text of a configuration with one more package in `extends`. Everything else stays as it is, comments included.
 * @param from as it is written: `npm:NAME`, or the path of a folder
 * @throws OrcsError ORCS9307 when the text cannot be changed in this way
 */
export async function withExtended(text: string, from: string): Promise<string> {
  const tree = parsed(text);
  if (extendsList(tree).includes(from)) return text;
  const body = await tomlBody(text);
  const list = extendsPair(body);
  const edit = list ? addedElement(list, text, from) : addedList(body, text, from);
  return expectTree(
    edited(text, edit),
    { ...tree, extends: [...extendsList(tree), from] },
    `add ${from}`,
  );
}

/**
 * The text of a configuration without a package in `extends`.
 * @param name the package whose settings in `[packages]` are removed, too
 * @throws OrcsError ORCS9307
 */
export async function withoutExtended(
  text: string,
  from: string,
  name: string | undefined,
): Promise<string> {
  const tree = parsed(text);
  let after = text;
  for (;;) {
    const body = await tomlBody(after);
    const edit = removedElement(body, after, from) ?? removedSetting(body, after, name);
    if (!edit) break;
    after = edited(after, edit);
  }
  const left = extendsList(tree).filter((each) => each !== from);
  const packages = Object.entries(valueOf(tree, "packages") ?? {}).filter(([key]) => key !== name);
  const wanted = { ...tree, extends: left, packages: Object.fromEntries(packages) };
  return expectTree(after, wanted, `remove ${from}`);
}

function parsed(text: string): Table {
  // Tables that the parser makes inherit nothing, and so differ from all others.
  return structuredClone(tomlTree(text));
}

/** The edited text, once it means what it has to mean and nothing else. */
function expectTree(after: string, wanted: Table, what: string): string {
  const isWanted = (): boolean =>
    isDeepStrictEqual(withoutEmpty(parsed(after)), withoutEmpty(wanted));
  // It throws for what is no TOML.
  if (orUndefined(isWanted) === true) return after;
  throw new OrcsError("ORCS9307", `the configuration cannot be changed: ${what} yourself`);
}

/** Without a list and a table that are there and say nothing. */
function withoutEmpty(tree: Table): Table {
  const isEmpty = (value: unknown): boolean =>
    typeof value === "object" && value !== null && Object.keys(value).length === 0;
  const entries = Object.entries(tree).filter(([key, value]) => {
    return !(["extends", "packages"].includes(key) && isEmpty(value));
  });
  return Object.fromEntries(entries);
}

/** The pair `extends = […]` of a configuration. */
function extendsPair(body: TomlBody): AST.TOMLKeyValue | undefined {
  return body.find((node): node is AST.TOMLKeyValue => {
    return node.type === "TOMLKeyValue" && isSamePath(keysOf(node), ["extends"]);
  });
}

/** The edit that adds an element at the end of a list, in the way in which the list is written. */
function addedElement(
  { value: list }: AST.TOMLKeyValue,
  text: string,
  from: string,
): TextEdit | undefined {
  if (list.type !== "TOMLArray") return undefined;
  const value = JSON.stringify(from);
  const last = list.elements.at(-1);
  if (!last) {
    const at = list.range[0] + 1;
    return { range: [at, at], text: value };
  }
  const end = last.range[1];
  const rest = text.slice(end, list.range[1] - 1);
  if (!rest.includes("\n")) return { range: [end, end], text: `, ${value}` };
  // After the comment of the last element.
  const stop = lineStop(text, end);
  const line = text.slice(end, stop);
  const hasComma = /^\s*,/.test(rest);
  const indent = /^[ \t]*(?=\S)/.exec(text.slice(lineStart(text, last.range[0])))?.[0] ?? "  ";
  const [before, after] = hasComma ? ["", ","] : [",", ""];
  return {
    range: [end, stop],
    text: `${before}${line}${newline(text)}${indent}${value}${after}`,
  };
}

/** The edit that begins the list: keys of the top level precede all tables. */
function addedList(body: TomlBody, text: string, from: string): TextEdit {
  const end = newline(text);
  const line = `extends = [${JSON.stringify(from)}]`;
  const first = body.findIndex(({ type }) => type === "TOMLTable");
  const last = body[(first < 0 ? body.length : first) - 1];
  if (last) {
    const at = lineStop(text, last.range[1]);
    return { range: [at, at], text: `${end}${line}` };
  }
  const table = body[first];
  if (!table) {
    const gap = text === "" || text.endsWith("\n") ? "" : end;
    return { range: [text.length, text.length], text: `${gap}${line}${end}` };
  }
  const at = beforeComments(text, lineStart(text, table.range[0]));
  return { range: [at, at], text: `${line}${end}${end}` };
}

/** Before the comments that stand above a line and belong to it; a directive at the top belongs to the file. */
function beforeComments(text: string, line: number): number {
  let at = line;
  while (at > 0) {
    const above = lineStart(text, at - 1);
    if (!/^[ \t]*#(?!:)/.test(text.slice(above, at))) break;
    at = above;
  }
  return at;
}

/** The edit that removes an element of the list, or the list with its only one. */
function removedElement(body: TomlBody, text: string, from: string): TextEdit | undefined {
  const pair = extendsPair(body);
  const list = pair?.value;
  if (list?.type !== "TOMLArray") return undefined;
  const { elements } = list;
  const at = elements.findIndex((each) => each.type === "TOMLValue" && each.value === from);
  const element = elements[at];
  if (!pair || !element) return undefined;
  const [start, stop] = element.range;
  const hasComments = text.slice(stop, list.range[1]).includes("#");
  if (elements.length === 1 && !hasComments) return wholeLines(text, pair.range);
  const comma = /^\s*,/.exec(text.slice(stop, list.range[1]))?.[0] ?? "";
  const after = stop + comma.length;
  const isAlone =
    /^[ \t]*$/.test(text.slice(lineStart(text, start), start)) &&
    /^[ \t]*(?:#.*)?$/.test(text.slice(after, lineStop(text, after)));
  if (isAlone) return { range: [lineStart(text, start), nextLine(text, after)], text: "" };
  const before = elements[at - 1];
  if (comma === "" && before) return { range: [before.range[1], stop], text: "" };
  const gap = /^[ \t]*/.exec(text.slice(after))?.[0].length ?? 0;
  return { range: [start, after + gap], text: "" };
}

/** The edit that removes `[packages.NAME]`, one of its tables, or one of its keys elsewhere. */
function removedSetting(
  body: TomlBody,
  text: string,
  name: string | undefined,
): TextEdit | undefined {
  const path = ["packages", name];
  const isOf = (keys: readonly unknown[]): boolean => isSamePath(keys.slice(0, path.length), path);
  if (name === undefined) return undefined;
  for (const node of body) {
    const isTable = node.type === "TOMLTable";
    if (isOf(isTable ? node.resolvedKey : keysOf(node))) return wholeLines(text, node.range);
    const pairs = isTable ? node.body : [];
    const own = pairs.find((pair) => isTable && isOf([...node.resolvedKey, ...keysOf(pair)]));
    if (own) return wholeLines(text, own.range);
  }
  return undefined;
}

/** Removes the lines of a range, and one of the empty lines around it. */
function wholeLines(text: string, [from, to]: readonly [number, number]): TextEdit {
  const start = lineStart(text, from);
  const end = nextLine(text, to);
  const isAfterGap = start === 0 || /\n\r?\n$/.test(text.slice(0, start));
  const gap = /^\r?\n/.exec(text.slice(end))?.[0].length ?? 0;
  if (gap > 0 && isAfterGap) return { range: [start, end + gap], text: "" };
  // At the end of the file, the empty line is above.
  const above = end === text.length ? (/\r?\n$/.exec(text.slice(0, start))?.[0].length ?? 0) : 0;
  return { range: [above > 0 && isAfterGap ? start - above : start, end], text: "" };
}

function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

function nextLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}
