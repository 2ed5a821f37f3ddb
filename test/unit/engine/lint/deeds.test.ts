import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { pointSet } from "../../../../src/core/points.ts";
import { lintLua, type SeenDeed } from "../../../../src/engine/lint/lint.ts";
import { rows } from "../../../rows.ts";

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
  test.each(
    rows(`
returns a short form | ask | return orcs.ask('x')
returns nothing | - | local a = ctx.payload.args.command
in a branch | deny? | if ctx.depth > 0 then return orcs.deny('x') end
after a branch that returns | ask? | if ctx.depth > 0 then return end return orcs.ask('x')
after a local | ask | local answer = orcs.ask('x') return answer
one of two | deny? allow? | return ctx.depth > 0 and orcs.deny('x') or orcs.allow()
a function as a value | ask? deny? | local answer = ctx.x and orcs.ask or orcs.deny return answer('x')
a table | skip | return { action = 'skip', result = 1 }
a bare table | defer inject | return { decision = 'defer', reason = 'x', inject = 'y' }
a computed decision | ask | return { action = 'continue', decision = ctx.x and 'ask' }
another table | skip? | local query = { action = 'skip', table = 1 } local t = { decision = 'ask', other = 1 }
writes an argument | payload.args | ctx.payload.args.command = 'ls'
writes through aliases | payload.args? | local p = ctx.payload local args = p.args
  if p.x then args.command = 'ls' end return ctx
writes with a computed key | payload.args? | for k, v in pairs(ctx.payload.args) do ctx.payload.args[k] = v end
changes a list | payload.messages | table.insert(ctx.payload.messages, 'x')
writes something of its own | - | local args = {} args.command = 'ls' ctx.metadata.x = 1
writes what is replaced | - | local args = ctx.payload.args args = {} args.command = 'ls'
calls a function | deny? | return no() | local function no() return orcs.deny('x') end
calls a function of a table | deny? | return M.no() | local M = {} function M.no() return orcs.deny('x') end
calls none of these functions | - | return nil | local function no() return orcs.deny('x') end
passes a part on | payload.args | set(ctx.payload.args) | local function set(a) a.command = 'ls' end
passes itself on | payload.prompt | set(1, ctx) | local function set(_, c) c.payload.prompt = 'ls' end
passes a key | payload.prompt | set(ctx.payload, 'prompt') | local function set(p, key) p[key] = 'ls' end
passes a key twice | payload.prompt | f(ctx.payload, 'prompt') | local function set(p, key) p[key] = 'ls' end
  local function f(p, ...) for _, k in ipairs({ ... }) do set(p, k) end end
a function that calls itself | payload.args | set(ctx.payload.args) | local function set(a) a.x = set(a.y) end
a function that it only reads with | - | look(ctx.payload.args) | local function look(a) return a.command end
`),
  )("%s", (_what, expected, body = "", before) => {
    expect(deeds(hook(body, before))).toEqual([expected === "-" ? "" : expected]);
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
  const inMode = (before?: string): string | undefined => before?.replace("MODE", MODE);
  test.each(
    rows(`
the other branch | - | {"mode":"off"} | if options.mode == 'off' then return end return orcs.ask('x') | MODE
this branch | ask? | {"mode":"on"} | if options.mode == 'off' then return end return orcs.ask('x') | MODE
an unknown option | ask? | {} | if options.mode == 'off' then return end return orcs.ask('x') | MODE
else | deny? | {"mode":"deny"} | if options.mode ~= 'deny' then return orcs.ask('x') else return orcs.deny('x') end | MODE
and, or | deny? | {"mode":"deny"} | return REFUSES and orcs.deny('x') or orcs.ask('x') | MODE
  local REFUSES = options.mode == 'deny'
and, or, the other | ask? | {"mode":"ask"} | return REFUSES and orcs.deny('x') or orcs.ask('x') | MODE
  local REFUSES = options.mode == 'deny'
a flag | - | {"ask":false} | if not orcs.options.ask then return end return orcs.ask('x')
a default of the script | - | {} | if options.mode == 'off' then return end return orcs.ask('x') | local options = { mode = 'off' }
a number is not evaluated | ask? | {"max":4} | if orcs.options.max == 3 then return orcs.ask('x') end
another table of that key | ask? | {"mode":"off"} | if ctx.mode == 'off' then return end return orcs.ask('x') | MODE
`),
  )("%s", (_what, expected, options = "", body = "", before) => {
    const given = JSON.parse(options) as Record<string, unknown>;
    expect(deeds(hook(body, inMode(before)), given)).toEqual([expected === "-" ? "" : expected]);
  });

  test.each(
    rows(`
another agent | - | if ctx.component_id == 'agent::cursor' then return orcs.ask('x') end
this agent | ask? | if ctx.component_id == 'agent::codex' then return orcs.ask('x') end
a table of agents | - | if not LATER[ctx.component_id] then return orcs.ask('x') end | local LATER = { ['agent::codex'] = true }
a table without this agent | - | if LATER[ctx.component_id] then return orcs.ask('x') end | local LATER = { ['agent::cursor'] = true }
a table that is written to | ask? | if LATER[ctx.component_id] then return orcs.ask('x') end | local LATER = { a = true } LATER.b = true
outside coding agents | - | if type(ctx.payload.host) == 'table' then return end return orcs.ask('x')
another part of the payload | ask? | if type(ctx.payload.args) == 'table' then return end return orcs.ask('x')
`),
  )("so does the agent: %s", (_what, expected, body = "", before) => {
    expect(deeds(hook(body, before))).toEqual([expected === "-" ? "" : expected]);
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
