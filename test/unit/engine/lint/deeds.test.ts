import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { pointSet } from "../../../../src/core/points.ts";
import { lintLua, type SeenDeed } from "../../../../src/engine/lint/lint.ts";

const LINT = { points: pointSet(), readHook: () => [], toolArguments: {} };

/** The deeds of the hooks in a script, by the order of the hooks: `ask`, `payload.args`, and `?` for what may be. */
function deeds(
  code: string,
  options: Record<string, unknown> = {},
  component = "agent::codex",
): string[] {
  const [linted] = lintLua([{ code, kind: "script", hooks: [{}] }], LINT);
  expect(linted?.isParsed).toBe(true);
  return (linted?.hooks ?? []).map((hook) => {
    const found = hook.deeds({ options, component })?.map(brief);
    return [...new Set(found)].join(" ");
  });
}

function brief({ what, isSure }: SeenDeed): string {
  const name = "writes" in what ? `payload.${what.writes}` : what.returns;
  return isSure ? name : `${name}?`;
}

const hook = (body: string, before = "") =>
  `${before}\nreturn { point = "tool.pre_execute", handler = function(ctx)\n${body}\nend }`;

describe("what a handler does", () => {
  test.each<[string, string, string]>([
    ["returns a short form", hook("return orcs.ask('x')"), "ask"],
    ["returns nothing", hook("local a = ctx.payload.args.command"), ""],
    ["in a branch", hook("if ctx.depth > 0 then return orcs.deny('x') end"), "deny?"],
    [
      "after a branch that returns",
      hook("if ctx.depth > 0 then return end\nreturn orcs.ask('x')"),
      "ask?",
    ],
    ["after a local", hook("local answer = orcs.ask('x')\nreturn answer"), "ask"],
    ["one of two", hook("return ctx.depth > 0 and orcs.deny('x') or orcs.allow()"), "deny? allow?"],
    [
      "a function as a value",
      hook("local answer = ctx.x and orcs.ask or orcs.deny\nreturn answer('x')"),
      "ask? deny?",
    ],
    ["a table", hook("return { action = 'skip', result = 1 }"), "skip"],
    [
      "a bare table",
      hook("return { decision = 'defer', reason = 'x', inject = 'y' }"),
      "defer inject",
    ],
    [
      "a computed decision",
      hook("return { action = 'continue', decision = ctx.x and 'ask' }"),
      "ask",
    ],
    [
      "another table",
      hook(
        "local query = { action = 'skip', table = 1 }\nlocal t = { decision = 'ask', other = 1 }",
      ),
      "skip?",
    ],
    ["writes an argument", hook("ctx.payload.args.command = 'ls'"), "payload.args"],
    [
      "writes through aliases",
      hook(
        "local p = ctx.payload\nlocal args = p.args\nif p.x then args.command = 'ls' end\nreturn ctx",
      ),
      "payload.args?",
    ],
    [
      "writes with a computed key",
      hook("for k, v in pairs(ctx.payload.args) do ctx.payload.args[k] = v end"),
      "payload.args?",
    ],
    ["changes a list", hook("table.insert(ctx.payload.messages, 'x')"), "payload.messages"],
    [
      "writes something of its own",
      hook("local args = {}\nargs.command = 'ls'\nctx.metadata.x = 1"),
      "",
    ],
    [
      "writes what is replaced",
      hook("local args = ctx.payload.args\nargs = {}\nargs.command = 'ls'"),
      "",
    ],
    [
      "calls a function",
      hook("return no()", "local function no() return orcs.deny('x') end"),
      "deny?",
    ],
    [
      "calls a function of a table",
      hook("return M.no()", "local M = {}\nfunction M.no() return orcs.deny('x') end"),
      "deny?",
    ],
    [
      "calls none of these functions",
      hook("return nil", "local function no() return orcs.deny('x') end"),
      "",
    ],
    [
      "passes a part on",
      hook("set(ctx.payload.args)", "local function set(a) a.command = 'ls' end"),
      "payload.args",
    ],
    [
      "passes itself on",
      hook("set(1, ctx)", "local function set(_, c) c.payload.prompt = 'ls' end"),
      "payload.prompt",
    ],
    [
      "passes a key",
      hook("set(ctx.payload, 'prompt')", "local function set(p, key) p[key] = 'ls' end"),
      "payload.prompt",
    ],
    [
      "passes a key twice",
      hook(
        "f(ctx.payload, 'prompt')",
        "local function set(p, key) p[key] = 'ls' end\nlocal function f(p, ...) for _, k in ipairs({ ... }) do set(p, k) end end",
      ),
      "payload.prompt",
    ],
    [
      "a function that calls itself",
      hook("set(ctx.payload.args)", "local function set(a) a.x = set(a.y) end"),
      "payload.args",
    ],
    [
      "a function that it only reads with",
      hook("look(ctx.payload.args)", "local function look(a) return a.command end"),
      "",
    ],
  ])("%s", (_what, code, expected) => {
    expect(deeds(code)).toEqual([expected]);
  });

  test("each hook of a script has its own", () => {
    const code = `
      local function warn(text) return orcs.inject(text) end
      return {
        { point = "PreToolUse", handler = function() return orcs.deny("x") end },
        { point = "PostToolUse", handler = function(ctx) if ctx.x then return warn("y") end end },
      }`;
    expect(deeds(code)).toEqual(["deny", "inject?"]);
  });

  test("a handler that is not in the text is unknown", () => {
    const [linted] = lintLua(
      [{ code: "return { handler = require 'x' }", kind: "script", hooks: [{}] }],
      LINT,
    );
    expect(linted?.hooks[0]?.deeds({})).toBeUndefined();
  });
});

describe("options decide which code can run", () => {
  const MODE = "local options = orcs.options\n";
  test.each<[string, string, Record<string, unknown>, string]>([
    [
      "the other branch",
      hook("if options.mode == 'off' then return end\nreturn orcs.ask('x')", MODE),
      { mode: "off" },
      "",
    ],
    [
      "this branch",
      hook("if options.mode == 'off' then return end\nreturn orcs.ask('x')", MODE),
      { mode: "on" },
      "ask?",
    ],
    [
      "an unknown option",
      hook("if options.mode == 'off' then return end\nreturn orcs.ask('x')", MODE),
      {},
      "ask?",
    ],
    [
      "else",
      hook(
        "if options.mode ~= 'deny' then return orcs.ask('x') else return orcs.deny('x') end",
        MODE,
      ),
      { mode: "deny" },
      "deny?",
    ],
    [
      "and, or",
      hook(
        "return REFUSES and orcs.deny('x') or orcs.ask('x')",
        `${MODE}local REFUSES = options.mode == 'deny'`,
      ),
      { mode: "deny" },
      "deny?",
    ],
    [
      "and, or, the other",
      hook(
        "return REFUSES and orcs.deny('x') or orcs.ask('x')",
        `${MODE}local REFUSES = options.mode == 'deny'`,
      ),
      { mode: "ask" },
      "ask?",
    ],
    [
      "a flag",
      hook("if not orcs.options.ask then return end\nreturn orcs.ask('x')"),
      { ask: false },
      "",
    ],
    [
      "a default of the script",
      hook(
        "if options.mode == 'off' then return end\nreturn orcs.ask('x')",
        "local options = { mode = 'off' }",
      ),
      {},
      "",
    ],
    [
      "a number is not evaluated",
      hook("if orcs.options.max == 3 then return orcs.ask('x') end"),
      { max: 4 },
      "ask?",
    ],
    [
      "another table of that key",
      hook("if ctx.mode == 'off' then return end\nreturn orcs.ask('x')", MODE),
      { mode: "off" },
      "ask?",
    ],
  ])("%s", (_what, code, options, expected) => {
    expect(deeds(code, options)).toEqual([expected]);
  });

  test.each<[string, string, string]>([
    [
      "another agent",
      hook("if ctx.component_id == 'agent::cursor' then return orcs.ask('x') end"),
      "",
    ],
    [
      "this agent",
      hook("if ctx.component_id == 'agent::codex' then return orcs.ask('x') end"),
      "ask?",
    ],
    [
      "a table of agents",
      hook(
        "if not LATER[ctx.component_id] then return orcs.ask('x') end",
        "local LATER = { ['agent::codex'] = true }",
      ),
      "",
    ],
    [
      "a table without this agent",
      hook(
        "if LATER[ctx.component_id] then return orcs.ask('x') end",
        "local LATER = { ['agent::cursor'] = true }",
      ),
      "",
    ],
    [
      "a table that is written to",
      hook(
        "if LATER[ctx.component_id] then return orcs.ask('x') end",
        "local LATER = { a = true }\nLATER.b = true",
      ),
      "ask?",
    ],
    [
      "outside coding agents",
      hook("if type(ctx.payload.host) == 'table' then return end\nreturn orcs.ask('x')"),
      "",
    ],
    [
      "another part of the payload",
      hook("if type(ctx.payload.args) == 'table' then return end\nreturn orcs.ask('x')"),
      "ask?",
    ],
  ])("so does the agent: %s", (_what, code, expected) => {
    expect(deeds(code)).toEqual([expected]);
  });

  test("a long chain of conditions does not exhaust the stack", () => {
    const chain = Array.from({ length: 5000 }, (_, i) => `options.a == "${i}"`).join(" or ");
    expect(deeds(hook(`if ${chain} then return orcs.ask('x') end`, MODE), { a: "x" })).toEqual([
      "ask?",
    ]);
  });
});

describe("the shipped policies", () => {
  const shipped = (name: string, options = {}) =>
    deeds(readFileSync(new URL(`../../../../hooks/${name}.lua`, import.meta.url), "utf8"), options);

  test.each<[string, Record<string, unknown>, string[]]>([
    ["shell-guard", {}, ["deny? ask?", "deny? ask?"]],
    ["shell-guard", { dynamic: "abort" }, ["deny?", "deny?"]],
    ["path-guard", {}, ["deny? ask?"]],
    ["path-guard", { dynamic: "abort" }, ["deny? ask?"]],
    ["secret-guard", {}, ["deny?"]],
    ["self-guard", {}, ["deny? ask?"]],
    [
      "mask-secrets",
      {},
      [
        "inject? payload.result?",
        "deny?",
        "",
        "",
        "payload.prompt? payload.system_prompt? payload.messages?",
        "",
      ],
    ],
    [
      "mask-secrets",
      { args: "refuse", prompts: "refuse", results: "off" },
      [
        "",
        "deny?",
        "payload.args? deny?",
        "payload.prompt? deny?",
        "payload.prompt? payload.system_prompt? payload.messages?",
        "",
      ],
    ],
  ])("%s with %j", (name, options, expected) => {
    expect(shipped(name, options)).toEqual(expected);
  });

  test("approve asks, and does nothing else", () => {
    expect(shipped("approve")[0]).toBe("ask?");
  });
});
