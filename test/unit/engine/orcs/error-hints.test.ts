import { describe, expect, test } from "vitest";
import { checkConfiguration } from "../../../../src/workbench/check/check.ts";
import { createOrcs } from "../../../../src/engine/create-orcs.ts";
import { folder, Lines } from "./engine.ts";

/** What `orcs check` reports of an `orcs.toml` beside these files: `file:line:column message | hint`. */
async function reported(toml: string, files: Record<string, string> = {}): Promise<string[]> {
  const cwd = folder({ "orcs.toml": toml, ...files });
  const { diagnostics } = await checkConfiguration({ cwd, config: "orcs.toml" });
  return diagnostics.map(({ place, message, hint }) => {
    const at = place ? `${place.file}:${place.line}:${place.column ?? 1}` : "-";
    return `${at} ${message}${hint === undefined ? "" : ` | ${hint}`}`;
  });
}

const SCRIPT = '[[hooks]]\nscript = "a.lua"\n';

test.each([
  ['return { id = "a"\n point = "b" }', "a comma may be missing before point"],
  ["local x = 1\nx += 1", "Lua has no += or ++: write x = x + 1"],
  ["if a != b then end", "Lua writes not x for !x, and ~= for !="],
  ["if a && b then end", "Lua writes and for &&, and or for ||"],
  ["// no\nlocal x = 1", "a comment begins with --"],
  ["print(“no”)", "a quotation mark or a space there is not the plain one"],
  ["if a = b then end", "== compares, = assigns"],
  ["local function f()\nif x then\nend\n", "each function, if, for, while and do is closed"],
  ['x = "abc\n', "close it on its line"],
])("a syntax error of Lua has a hint %j", async (code, hint) => {
  const [only = ""] = await reported(SCRIPT, { "a.lua": code });
  expect(only).toContain(` | ${hint}`);
});

describe("a pattern that RE2 does not support is reported with the reason", () => {
  test.each([
    ["(?<!x)y", "RE2 has no look-behind"],
    ["(?<=x)y", "RE2 has no look-behind"],
    ["y(?!x)", "RE2 has no look-ahead"],
    ["(a)\\\\1", "RE2 has no back-references"],
  ])("%s", async (pattern, why) => {
    const hook = `[[hooks]]\npoint = "tool.pre_execute"\nmatch = { command = "${pattern}" }\n`;
    const [only] = await reported(`${hook}handler_inline = "return nil"\n`);
    expect(only).toContain(`orcs.toml:3:`);
    expect(only).toContain(why);
  });

  test("a named group is accepted", async () => {
    const hook = `[[hooks]]\npoint = "tool.pre_execute"\nmatch = { command = "(?P<x>y)" }\n`;
    expect(await reported(`${hook}handler_inline = "return nil"\n`)).toEqual([]);
  });
});

test("an error in a script's returned table points at its line, in check and in createOrcs", async () => {
  const lua = `return {
  id = "a",
  point = "tool.pre_execute",
  timeout_ms = "long",
  match = {
    command = "(",
  },
  handler = function() end,
}`;
  const lines = await reported(SCRIPT, { "a.lua": lua });
  expect(lines.map((line) => line.split(" ")[0])).toEqual(["a.lua:4:16", "a.lua:6:15"]);
  const cwd = folder({ "orcs.toml": SCRIPT, "a.lua": lua });
  await expect(createOrcs({ cwd, config: "orcs.toml" })).rejects.toThrow(/a\.lua:6:15: error/);
});

describe("an invalid hook result is reported with a suggestion", () => {
  const guard = (code: string) =>
    `[[hooks]]\npoint = "tool.pre_execute"\nhandler_inline = """\n${code}\n"""\n`;

  test.each([
    ['return { action = "block" }', 'did you mean "abort", or orcs.deny(reason)?'],
    ['return { action = "Deny" }', 'did you mean "abort", or orcs.deny(reason)?'],
    ["return orcs.deny", "it returned the function orcs.deny, which nothing calls"],
    ['return { action = "allow" }', 'did you mean "continue", or orcs.allow(reason)?'],
    ["return true", "return nil to continue, or orcs.deny(reason) to deny"],
  ])("%s", async (code, hint) => {
    expect((await reported(guard(code))).join("\n")).toContain(hint);
  });
});

test("a function as the result is told to be called", async () => {
  const config = { hooks: [{ point: "tool.pre_execute", handler_inline: "return print" }] };
  const orcs = await createOrcs({ config, logger: new Lines() });
  const outcome = await orcs.dispatch("tool.pre_execute", { tool_name: "exec", args: {} });
  expect(outcome).toMatchObject({
    action: "abort",
    reason: expect.stringContaining("the result is a function; call it, as in orcs.deny(reason)"),
  });
  await orcs.close();
});

describe("an inline handler that is a single call", () => {
  const hook = (code: string, more = "") =>
    `[[hooks]]\nid = "a"\npoint = "prompt.pre_submit"\n${more}handler_inline = '${code}'\n`;
  const load = async (toml: string): Promise<void> => {
    const orcs = await createOrcs({ cwd: folder({ "orcs.toml": toml }), config: "orcs.toml" });
    await orcs.close();
  };

  test.each([
    ['orcs.state.incr("n")', "the number of orcs.state.incr"],
    ['return orcs.contains("a", "b")', "the boolean of orcs.contains"],
    ["orcs.uuid()", "the string of orcs.uuid"],
  ])("%s is not a valid result and fails to load", async (code, what) => {
    await expect(load(hook(code))).rejects.toThrow("orcs.toml:4:");
    await expect(load(hook(code))).rejects.toThrow(what);
  });

  test.each([
    'orcs.log("x")',
    'orcs.deny("x")',
    'orcs.state.get("x")',
    'orcs.contains("a", "b") and orcs.deny("x") or nil',
    'orcs.state.incr("n") return nil',
  ])("%s is accepted", async (code) => {
    await expect(load(hook(code))).resolves.toBeUndefined();
  });

  test("with an invalid result is accepted when the result is ignored (async, observe)", async () => {
    await expect(
      load(hook('orcs.state.incr("n")', "async = true\nobserve = true\n")),
    ).resolves.toBe(undefined);
  });
});

test("a TOML string without an end is reported as such", async () => {
  expect(await reported('[[hooks]]\nid = "a\n')).toEqual([
    `orcs.toml:2:8 the string does not end on its line, or has a control character | close it with the quote that it begins with; a text of several lines needs """ or '''`,
  ]);
  expect(await reported('[[hooks]]\nid = """a\n')).toEqual([
    "orcs.toml:2:6 the string has no end | close it with the quotes that it begins with",
  ]);
});

test("the Lua code of a hook with an unknown point is still checked", async () => {
  const lines = await reported(
    `[[hooks]]\npoint = "tool.pre_exec"\nhandler_inline = "prin(1)"\n[[hooks]]\npoint = "tool.pre_exec"\nscript = "a.lua"\n`,
    { "a.lua": "return function() prin(2) end" },
  );
  expect(lines.filter((line) => line.includes("unknown hook point"))).toHaveLength(2);
  expect(lines.filter((line) => line.includes('the global "prin"'))).toHaveLength(2);
});
