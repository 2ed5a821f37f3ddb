import { describe, expect, test } from "vitest";
import { ALLOWED_GLOBALS } from "../../../src/core/lua-globals.ts";
import { ORCS_NAMES } from "../../../src/core/orcs-api.ts";
import { POINT_TABLE } from "../../../src/core/point-table.ts";
import { RUNTIME_VERBS } from "../../../src/core/runtime-verbs.ts";
import type { RuntimeVerb, RuntimeVerbSpec } from "../../../src/core/runtime-verbs.ts";
import { VERB_SHAPES } from "../../../scripts/generate/definitions/verb-shapes.ts";
import { luaDefinitions } from "../../../scripts/generate/definitions/lua-definitions.ts";
import { folder, open } from "../engine/orcs/engine.ts";

const text = luaDefinitions();
const lines = text.split("\n");

/** A type up to the blank that ends it: braces, brackets and functions hold blanks of their own. */
const TYPE_NAME = /\b(?:orcs\.[\w.]*\w|orcs)\b(?!\s*[({])/g;
const PLAIN = new Set(["string", "integer", "number", "boolean", "any", "table", "nil", "fun"]);

/** The comment lines above a line, the nearest first. */
function above(index: number): string[] {
  const block: string[] = [];
  for (let i = index - 1; lines[i]?.startsWith("---"); i--) block.push(lines[i] ?? "");
  return block;
}

/** The type at the beginning of a text and what stands behind it. */
function splitType(from: string): [type: string, help: string] {
  let depth = 0;
  for (let i = 0; i < from.length; i++) {
    const char = from.charAt(i);
    if ("({<[".includes(char)) depth++;
    if (")}>]".includes(char)) depth--;
    // The answer of a function type stands behind its colon.
    if (char === " " && depth === 0 && !/[:|,]$/.test(from.slice(0, i))) {
      return [from.slice(0, i), from.slice(i + 1)];
    }
  }
  return [from, ""];
}

describe("dist/meta/orcs.lua", () => {
  test("begins with ---@meta and has known kinds of lines only", () => {
    expect(lines[0]).toBe("---@meta");
    const known =
      /^(?:$|-- |---[A-Z`"]|---@(?:meta$|class |field |alias |param |return |overload )|---\| "|function |orcs(?:\.state)? = \{\}$)/;
    expect(lines.filter((line) => !known.test(line))).toEqual([]);
  });

  test("has a type and a description for every field and parameter", () => {
    const poor = lines.filter((line) => {
      const [, , rest = ""] = /^---@(field|param) \S+ (.*)$/.exec(line) ?? [];
      if (!/^---@(?:field|param)/.test(line)) return false;
      const [type, help] = splitType(rest);
      return type === "" || !/^[A-Z`"*]|^[a-z(].{4}/.test(help);
    });
    expect(poor).toEqual([]);
    expect(lines.filter((line) => line.startsWith("---@field")).length).toBeGreaterThan(400);
  });

  test("has a description for every class, alias and function", () => {
    const poor = lines.filter((line, i) => {
      if (!/^(?:---@(?:class|alias) |function )/.test(line)) return false;
      return !above(i).some((each) => /^---[A-Z`"]/.test(each));
    });
    expect(poor).toEqual([]);
  });

  test("has the parameters of every function in order, and its result", () => {
    const functions = lines.flatMap((line, i) => {
      const [, name = "", params = ""] = /^function ([\w.]+)\((.*)\) end$/.exec(line) ?? [];
      return name === "" ? [] : [{ name, params, block: above(i).toReversed() }];
    });
    expect(functions.length).toBeGreaterThan(40);
    const silent: string[] = [];
    for (const { name, params, block } of functions) {
      const documented = block.flatMap((line) => /^---@param (\w+)/.exec(line)?.[1] ?? []);
      expect(documented.join(", "), name).toBe(params);
      if (!block.some((line) => /^---@return \S.* # \S/.test(line))) silent.push(name);
    }
    // These give nothing, as the contract of the API has it.
    expect(silent.sort()).toEqual(["orcs.emit_output", "orcs.log", "orcs.sleep", "orcs.state.set"]);
  });

  test("defines every used type once", () => {
    const defined = lines.flatMap((line) => /^---@(?:class|alias) ([\w.]+)/.exec(line)?.[1] ?? []);
    expect(defined).toEqual([...new Set(defined)]);
    for (const line of lines) {
      const [, rest = ""] =
        /^---@(?:field|param) \S+ (.*)$/.exec(line) ??
        /^---@alias \S+ (.*)$/.exec(line) ??
        /^---@class \S+ : (.*)$/.exec(line) ??
        /^---@(?:return|overload) (.*)$/.exec(line) ??
        [];
      const [type] = /^---@(?:alias|overload)/.test(line) ? [rest] : splitType(rest);
      for (const name of type.match(TYPE_NAME) ?? []) expect(defined, line).toContain(name);
      const plain = type
        .replaceAll(/"[^"]*"/g, "")
        .replaceAll(TYPE_NAME, "")
        .replaceAll(/\w+\??:/g, "");
      for (const word of plain.match(/[A-Za-z_]\w*/g) ?? []) {
        expect([...PLAIN, "hook", "text", "args", "options", "ctx"], line).toContain(word);
      }
    }
  });
});

test("dist/meta/orcs.lua has a payload, a context and a hook for every point, with all its keys", () => {
  for (const [point, { keys }] of Object.entries(POINT_TABLE)) {
    const start = lines.indexOf(`---@class orcs.payload.${point}`);
    expect(start, point).toBeGreaterThan(0);
    const end = lines.indexOf("", start);
    const fields = lines
      .slice(start + 1, end)
      .flatMap((line) => /^---@field (\w+)/.exec(line)?.[1] ?? []);
    expect(fields, point).toEqual(Object.keys(keys));
    expect(lines).toContain(`---@class orcs.context.${point} : orcs.Context`);
    expect(lines).toContain(`---@overload fun(hook: orcs.hook.${point}): string`);
  }
});

describe("dist/meta/orcs.lua and the Lua VM", () => {
  const NAMES = `
    local names = {}
    for name, value in pairs(orcs) do
      if name == "state" then
        for below in pairs(value) do names[#names + 1] = "state." .. below end
      else names[#names + 1] = name end
    end
    return names
  `;

  /** The names of `orcs` after a file was run. */
  async function namesAfter(code: string): Promise<string[]> {
    const orcs = await open({ cwd: folder({ "names.lua": `${code}\n${NAMES}` }) });
    return ((await orcs.run("names.lua")) as string[]).sort();
  }

  test("the list of names is what a script finds", async () => {
    expect(await namesAfter("")).toEqual([...ORCS_NAMES].sort());
  });

  test("the definitions run as Lua and define every function", async () => {
    const values = ["null", "options"];
    expect(await namesAfter(text)).toEqual(
      ORCS_NAMES.filter((name) => !values.includes(name)).sort(),
    );
    for (const value of values) expect(text).toMatch(new RegExp(`^---@field ${value} \\S+ `, "m"));
  });

  test("globals removed by the definitions are absent in scripts", () => {
    const base: readonly string[] = ALLOWED_GLOBALS.base;
    for (const name of ["io", "os", "debug", "package"]) expect(base).not.toContain(name);
    expect(base).toContain("require");
    expect(text).toContain("\nfunction require(name) end\n");
  });
});

test.each(Object.keys(RUNTIME_VERBS) as RuntimeVerb[])(
  "the definition of %s has its function's parameters",
  (name) => {
    const { args, required, doc }: RuntimeVerbSpec = RUNTIME_VERBS[name];
    const { params } = VERB_SHAPES[name];
    expect(params.map(({ optional }) => optional !== true)).toEqual(
      args.map((_, i) => i < required),
    );
    const kinds = params.map(({ type }) =>
      type === "string" || type === "orcs.SignalKind"
        ? "string"
        : type === "any"
          ? "json"
          : type.endsWith("[]")
            ? "list"
            : "object",
    );
    expect(kinds).toEqual(args);
    // Its call in the docs names them, and the keys of a table in braces.
    const [, call = ""] = /^`\w+[({] ?([^`]*)[)}]`/.exec(doc) ?? [];
    for (const { name: param, type } of params) {
      if (!/(?:Options|\[\])$/.test(type)) expect(call).toContain(param);
    }
    for (const key of Object.keys(VERB_SHAPES[name].options ?? {})) expect(call).toContain(key);
  },
);
