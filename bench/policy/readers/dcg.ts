import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parse as parseToml } from "smol-toml";
import type { Line } from "../corpus.ts";
import { filesUnder } from "./files.ts";

/** The lines of destructive_command_guard's regression corpus and of the tests of its core packs. */
export function dcgCoreLines(folder: string, corpus: string): Line[] {
  const tests = filesUnder(join(folder, "src/packs/core"), ".rs").flatMap((path) =>
    assertedLines(folder, path, corpus),
  );
  const listed = filesUnder(join(folder, "tests/corpus"), ".toml").flatMap((path) =>
    tableLines(folder, path, corpus),
  );
  const fixtures = (["dangerous", "safe"] as const).flatMap((name) =>
    commandLines(folder, `tests/e2e/fixtures/commands/${name}.txt`, corpus, name === "safe"),
  );
  return [...listed, ...tests, ...fixtures];
}

/** The lines of the tests of its other packs, and of the fixtures of packs. */
export function dcgPackLines(folder: string, corpus: string): Line[] {
  const tests = filesUnder(join(folder, "src/packs"), ".rs")
    .filter((path) => !/\/(core|safe)\/|\/packs\/[a-z_]+\.rs$/.test(path))
    .flatMap((path) => assertedLines(folder, path, corpus));
  const fixtures = (["destructive_commands", "safe_commands"] as const).flatMap((name) =>
    fixtureLines(folder, `tests/fixtures/${name}.yaml`, corpus, name === "safe_commands"),
  );
  const scenarios = filesUnder(join(folder, "tests/fixtures/scenarios"), ".yaml").flatMap((path) =>
    scenarioLines(folder, path, corpus),
  );
  return [...tests, ...fixtures, ...scenarios];
}

interface Case {
  /** Not of a case about the input of a hook. */
  readonly command?: string;
  readonly expected?: string;
  readonly expected_decision?: string;
}

function tableLines(folder: string, path: string, corpus: string): Line[] {
  const text = readFileSync(path, "utf8");
  const cases = (parseToml(text) as unknown as { readonly case: readonly Case[] }).case;
  return cases.flatMap(({ command, expected, expected_decision }, index): Line[] => {
    if (command === undefined) return [];
    const wants = (expected ?? expected_decision) === "deny" ? "stop" : "allow";
    return [
      { corpus, line: command, wants, source: `${posix.relative(folder, path)}#${index + 1}` },
    ];
  });
}

/** A command a line, with comments. */
function commandLines(folder: string, path: string, corpus: string, safe: boolean): Line[] {
  return readFileSync(join(folder, path), "utf8")
    .split("\n")
    .map((line, index): Line => {
      const source = `${path}:${index + 1}`;
      return { corpus, line: line.trim(), wants: safe ? "allow" : "stop", source };
    })
    .filter(({ line }) => line !== "" && !line.startsWith("#"));
}

const STOPS =
  "assert_blocks|assert_blocks_with_pattern|assert_blocks_with_severity|test_batch_blocks";
const ALLOWS = "assert_allows|assert_safe_pattern_matches|assert_no_match|test_batch_allows";
const CALL = new RegExp(`\\b(?:(${STOPS})|(?:${ALLOWS}))\\(\\s*&?\\w+(?:\\(\\))?,\\s*`, "g");
const LITERAL = /"((?:[^"\\]|\\[\s\S])*)"|r(#*)"([\s\S]*?)"\2/y;
const LITERALS = new RegExp(LITERAL.source, "g");

/** What the tests of a pack in Rust assert about lines written there as constants. */
function assertedLines(folder: string, path: string, corpus: string): Line[] {
  const text = readFileSync(path, "utf8");
  const pack = posix.relative(join(folder, "src/packs"), path).replace(/(\/mod)?\.rs$/, "");
  return [...text.matchAll(CALL)].flatMap((call) => {
    const at = call.index + call[0].length;
    const wants = call[1] === undefined ? "allow" : "stop";
    const source = `${posix.relative(folder, path)}:${text.slice(0, call.index).split("\n").length}`;
    return constants(text, at).map((line) => ({
      corpus,
      line,
      wants,
      source,
      pack: pack.replace("/", "."),
    }));
  });
}

/** The constants that an argument stands for: itself, or those of the list that a loop goes through. */
function constants(text: string, at: number): string[] {
  LITERAL.lastIndex = at;
  const literal = LITERAL.exec(text);
  if (literal !== null) return [valueOf(literal)];
  if (text[at] === "&" || text[at] === "[") return literalsOf(listAt(text, at));
  const name = /^\w+/.exec(text.slice(at, at + 80))?.[0];
  if (name === undefined) return [];
  const before = text.slice(0, at);
  const loop = [...before.matchAll(new RegExp(`for \\(?&?${name}\\b[^{]*? in (&?\\w*!?)`, "g"))].at(
    -1,
  );
  const start = loop === undefined ? -1 : loop.index + loop[0].length;
  if (start < 0) return declared(text, before, name);
  const list = loop?.[1] ?? "";
  return /^&?\w+$/.test(list)
    ? declared(text, before, list.replace("&", ""))
    : literalsOf(listAt(text, start));
}

function declared(text: string, before: string, name: string): string[] {
  const at = [...before.matchAll(new RegExp(`let ${name}\\b[^=]*=\\s*`, "g"))].at(-1);
  if (at === undefined) return [];
  const start = at.index + at[0].length;
  LITERAL.lastIndex = start;
  const literal = LITERAL.exec(text);
  if (literal !== null) return [valueOf(literal)];
  return /^(&|vec!)?\s*\[/.test(text.slice(start, start + 8))
    ? literalsOf(listAt(text, start))
    : [];
}

/** From here to the bracket that closes the first one. */
function listAt(text: string, at: number): string {
  const start = text.indexOf("[", at);
  let depth = 0;
  for (let index = start; index >= 0 && index < text.length; index++) {
    LITERAL.lastIndex = index;
    const literal = LITERAL.exec(text);
    if (literal !== null) index += literal[0].length - 1;
    else if (text[index] === "[") depth++;
    else if (text[index] === "]" && --depth === 0) return text.slice(start, index);
  }
  return "";
}

/** In a list of tuples, the first of each. */
function literalsOf(list: string): string[] {
  const plain = list.replaceAll(/\/\/[^\n"]*\n/g, "\n");
  const tuples = /^\[\s*\(/.test(plain);
  return [...plain.matchAll(LITERALS)]
    .filter((literal) => !tuples || /\(\s*$/.test(plain.slice(0, literal.index)))
    .map(valueOf);
}

function valueOf(literal: RegExpExecArray): string {
  const [, escaped, , raw] = literal;
  return raw ?? unescaped(escaped ?? "");
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "0": "\0" };

function unescaped(text: string): string {
  return text
    .replaceAll(/\\\r?\n\s*/g, "")
    .replaceAll(/\\(?:u\{([0-9a-fA-F]+)\}|x([0-9a-fA-F]{2})|([\s\S]))/g, (_, u, x, c: string) =>
      u !== undefined || x !== undefined
        ? String.fromCodePoint(Number.parseInt((u ?? x) as string, 16))
        : (ESCAPES[c] ?? c),
    );
}

const COMMAND = /^\s*- command: (.*)$/;

function fixtureLines(folder: string, path: string, corpus: string, safe: boolean): Line[] {
  let pack = "";
  return readFileSync(join(folder, path), "utf8")
    .split("\n")
    .flatMap((row, index): Line[] => {
      pack = /^([\w.]+):\s*$/.exec(row)?.[1] ?? pack;
      const command = COMMAND.exec(row)?.[1];
      if (command === undefined || pack.startsWith("core")) return [];
      const wants = safe ? "allow" : "stop";
      return [{ corpus, line: scalar(command), wants, source: `${path}:${index + 1}`, pack }];
    });
}

function scenarioLines(folder: string, path: string, corpus: string): Line[] {
  const rows = readFileSync(path, "utf8").split("\n");
  return rows.flatMap((row, index): Line[] => {
    const command = COMMAND.exec(row)?.[1];
    const rest = rows.slice(index, index + 4).join("\n");
    const pack = /expected_pack: "?([\w.]+)/.exec(rest)?.[1];
    const decision = /expected_decision: "?(\w+)/.exec(rest)?.[1];
    if (command === undefined || decision === undefined || pack?.startsWith("core")) return [];
    const source = `${posix.relative(folder, path)}:${index + 1}`;
    const wants = decision === "deny" ? "stop" : "allow";
    return [
      { corpus, line: scalar(command), wants, source, ...(pack === undefined ? {} : { pack }) },
    ];
  });
}

/** A scalar of YAML, as the fixtures write them: quoted, on one line. */
function scalar(text: string): string {
  if (text.startsWith('"')) return unescaped(text.slice(1, text.lastIndexOf('"')));
  if (text.startsWith("'")) return text.slice(1, text.lastIndexOf("'")).replaceAll("''", "'");
  return text.trim();
}
