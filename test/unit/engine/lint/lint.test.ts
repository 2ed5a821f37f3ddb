import { describe, expect, test } from "vitest";
import { ORCS_NAMES } from "../../../../src/core/orcs-api.ts";
import { checkOptions } from "../../../../src/workbench/check/check-files.ts";
import { RESULT_FORMS } from "../../../../src/engine/lint/check-results.ts";
import { lintLua, type ConfiguredFacts } from "../../../../src/engine/lint/lint.ts";
import { pointSet } from "../../../../src/core/points.ts";
import { folder, open } from "../orcs/engine.ts";

const points = pointSet();
const options = checkOptions(points);

/** Findings of a script, `line:column+length code message (hint)`, errors marked. */
function findings(code: string, hooks: ConfiguredFacts[] = []): string[] {
  return lint(code, "script", hooks);
}

function lint(code: string, kind: "script" | "inline", hooks: ConfiguredFacts[]): string[] {
  const [linted] = lintLua([{ code, kind, hooks }], options);
  expect(linted?.isParsed).toBe(true);
  return (linted?.findings ?? []).map(
    ({ line, column, length, code: id, severity, message, hint }) =>
      `${line}:${column}+${length} ${severity === "error" ? "!" : ""}${id} ${message}${hint ? ` (${hint})` : ""}`,
  );
}

/** Findings in the handler of a hook at a point, one line below its first. */
function inHandler(point: string, body: string, more = "match = { tool = 'exec' }"): string[] {
  return findings(`return { point = "${point}", ${more}, handler = function(ctx)\n${body}\nend }`);
}

/** Programs, each with the findings that are written below it. */
function cases(text: string): [string, string[]][] {
  const [, ...programs] = `\n${text.trim()}`.split(/\n(?! {2})/);
  return programs.map((each) => {
    const [code = "", ...found] = each.split("\n  ");
    return [code, found];
  });
}

describe("lint: globals", () => {
  test.each<[string, string[]]>(
    cases(`
print(cout)
  1:7+4 ORCS1101 the global "cout" is never set
local count = 1 print(cuont)
  1:23+5 ORCS1101 the global "cuont" is never set (did you mean "count"?)
count = 1 print(count)
function helper() end helper()
_G.count = 1 print(count)
print(os.time())
  1:7+2 !ORCS1101 os is not available to scripts (use orcs.exec for commands, orcs.time and orcs.date for the time)
if os then print(1) end
  1:4+2 ORCS1101 os is not available to scripts (use orcs.exec for commands, orcs.time and orcs.date for the time)
local os = {} print(os.time)
do local inner = 1 end print(inner)
  1:30+5 ORCS1101 the global "inner" is never set (the local inner is not visible here)
setmetatable(_G, {}) print(anything)
local _ENV = {} print(anything)
x = x or 1
repeat local done = true until done
for i, v in ipairs({}) do print(i, v) end print(v)
  1:49+1 ORCS1101 the global "v" is never set (the local v is not visible here)
local function f(a, ...) return f(a, ...) end
`),
  )("%s", (code, expected) => {
    expect(findings(code)).toEqual(expected);
  });

  test("an unknown name is reported once", () => {
    expect(findings("print(a) print(a) print(a)")).toHaveLength(1);
  });

  test("a global set by one chunk of a state is known in another", () => {
    const chunk = (code: string) => ({ code, kind: "script" as const, hooks: [] });
    const results = lintLua([chunk("print(shared)"), chunk("shared = 1")], options);
    expect(results.map((each) => each.findings)).toEqual([[], []]);
  });
});

describe("lint: names of orcs and the libraries", () => {
  test.each<[string, string[]]>(
    cases(`
orcs.denny('x')
  1:6+5 !ORCS1102 orcs.denny does not exist (did you mean "orcs.deny"?)
local f = orcs.state.gett
  1:22+4 ORCS1102 orcs.state.gett does not exist (did you mean "orcs.state.get"?)
print(orcs.options.anything.at.all)
orcs.extra = 1 print(orcs.extra)
local orcs = {} orcs.nothing()
string.trim('x')
  1:8+4 !ORCS1103 string.trim does not exist
table.unpackk({})
  1:7+7 !ORCS1103 table.unpackk does not exist (did you mean "table.unpack"?)
function string.trim(s) return s end string.trim('x')
print(math.pi, utf8.charpattern, ('x'):rep(3))
`),
  )("%s", (code, expected) => {
    expect(findings(code)).toEqual(expected);
  });

  test("the known names are those of the VM, and short forms have the documented results", async () => {
    const list = `
      local names, answers = {}, {}
      for name, value in pairs(orcs) do
        if name == "state" then
          for below in pairs(value) do names[#names + 1] = "state." .. below end
        else names[#names + 1] = name end
      end
      for _, form in ipairs({ ${Object.keys(RESULT_FORMS)
        .map((name) => `"${name}"`)
        .join(", ")} }) do
        answers[form] = orcs[form]("x").action
      end
      return { names = names, answers = answers }
    `;
    const orcs = await open({ cwd: folder({ "list.lua": list }) });
    const { names, answers } = (await orcs.run("list.lua")) as {
      names: string[];
      answers: Record<string, string>;
    };
    expect(names.sort()).toEqual([...ORCS_NAMES].sort());
    expect(answers).toEqual(RESULT_FORMS);
  });
});

test.each<[string, string[]]>(
  cases(`
orcs.hook("builtin::*:tool.pre_execut", function() end)
  1:11+28 !ORCS1005 "builtin::*:tool.pre_execut" does not have the form FQL:point, such as "builtin::llm:tool.pre_execute" (did you mean "builtin::*:tool.pre_execute"?)
orcs.hook("*::*:PreToolUse", function() end)
orcs.hook{ point = "tol.pre_execute", handler = print }
  1:20+17 !ORCS1005 point: unknown hook point "tol.pre_execute" (did you mean "tool.pre_execute"?)
return { point = "PreToolUse", priorty = 1, handler = print }
  1:32+7 !ORCS1003 unknown key "priorty" (did you mean "priority"?)
return { { point = "PreToolUse", match = { tol = "x" }, handler = print } }
  1:44+3 !ORCS1003 match: unknown key "tol" (did you mean "tool"?)
local hook = { point = "nowhere", handler = print } return hook
  1:24+9 !ORCS1005 point: unknown hook point "nowhere"
return { point = "PreToolUse", priority = "high", match = "Bash", handler = print }
  1:43+6 !ORCS1004 priority: expected a number, got "high"
  1:59+6 !ORCS1004 match: expected a table, got "Bash"
local P = "opne" return { point = "PreToolUse", on_error = P, match = { command = "/(/" }, handler = print }
  1:60+1 !ORCS1004 on_error: expected "open" or "closed", got "opne" (did you mean "open"?)
  1:83+5 !ORCS1012 match.command: the command pattern "/(/" is not valid: missing closing )
local P, T = ... return { point = "PreToolUse", priority = P, match = { tool = T, runs = { T } }, timeout_ms = 1e3, handler = 1 }
  1:127+1 !ORCS1007 this hook has no handler function
orcs.hook(function() end)
  1:1+25 !ORCS3002 orcs.hook: expected a table with point and handler
return { point = 'PreToolUse', handler = function() return orcs:deny('x') end }
  1:65+4 !ORCS1102 orcs:deny(…) passes orcs itself as the first argument (write orcs.deny(…))
return { id = 'c', init = function() end, on_request = function() end }
return { id = "x", point = "PreToolUse", fql = "a::b", enabled = true, once = false, async = false, timeout_ms = 1, max_retries = 1, on_error = "open", on_timeout = "open", tests = {}, handler = print }
`),
)("lint: hook fields in a script %s", (code, expected) => {
  expect(findings(code)).toEqual(expected);
});

describe("lint: a text that is looked for as a pattern", () => {
  const never = (name: string, text: string): string =>
    `ORCS1115 string.${name} reads "${text}" as a pattern, where "-" repeats what is before it: it does not match this text (write %- for each -, or use orcs.contains(text, part) or match.runs)`;
  test.each<[string, string[]]>([
    ["local c = ctx.payload.args.command print(c:find('push --force'))", ["push --force"]],
    ["local c = '' print(string.find(c, 'rm -rf'), c:find('rm -rf', 1))", ["rm -rf", "rm -rf"]],
    ["local c = '' print(c:find('rm -rf', 1, true), c:find('rm %-rf'), c:find('^a-b'))", []],
    ["local c = '' print(c:find('--force'), c:find('a-b'), c:find('git'), c:find('.-x'))", []],
  ])("%s", (body, texts) => {
    const found = inHandler("tool.pre_execute", body).map((line) => line.replace(/^\S+ /, ""));
    expect(found).toEqual(texts.map((text) => never("find", text)));
  });
});

describe("lint: a result that is dropped", () => {
  const dropped = (form: string): string =>
    `!ORCS1114 orcs.${form} only creates a result, which is dropped here: nothing is decided (write return orcs.${form}(…))`;
  test.each<[string, string[]]>([
    ['orcs.deny("no")', [`2:1+15 ${dropped("deny")}`]],
    ["local d = orcs.ask if x then d('why') end", [`2:30+8 ${dropped("ask")}`]],
    ['local function f() orcs.inject("x") end f()', [`2:20+16 ${dropped("inject")}`]],
    ['local d = orcs.deny("no") return d', []],
    ['local function deny() return orcs.deny("no") end return deny()', []],
    ['local orcs = { deny = print } orcs.deny("no")', []],
    ['local x = 1 return x or orcs.deny("no")', []],
  ])("%s", (body, expected) => {
    const found = inHandler("tool.pre_execute", body).filter((each) => each.includes("ORCS1114"));
    expect(found).toEqual(expected);
  });
});

describe("lint: failures that nobody notices", () => {
  const SWALLOWED =
    "ORCS1116 pcall does not notice a denial: orcs.exec returns { ok = false, error = … } and raises no error (call orcs.exec without pcall, and read ok of its result)";
  const UNMASKED =
    'ORCS1110 this hook masks the result at tool.post_execute, but the result passes as it is when the hook fails (set on_error = "closed", which withholds the result then)';
  test.each<[string, string, string[]]>([
    ["pre", 'if pcall(orcs.exec, "ls") then return nil end', [SWALLOWED]],
    [
      "pre",
      'local ok = pcall(function() return orcs.exec("ls") end) return ok or nil',
      [SWALLOWED],
    ],
    ["pre", 'local ok, r = pcall(orcs.exec, "ls") if ok and r.ok then return nil end', []],
    ["pre", 'pcall(function() if not orcs.exec("ls").ok then error("no") end end)', []],
    ["pre", "pcall(orcs.json_decode, ctx.payload.args.command)", []],
    ["post", "return orcs.replace(orcs.redact(ctx.payload.result))", [UNMASKED]],
    ["post", 'return orcs.replace((ctx.payload.result:gsub("x", "y")))', [UNMASKED]],
    ["post", "return orcs.replace({})", []],
    ["post closed", "return orcs.replace(orcs.redact(ctx.payload.result))", []],
  ])("at a %s point: %s", (at, body, expected) => {
    const [phase, mode] = at.split(" ");
    const more = `match = { tool = "exec" }${mode ? `, on_error = "${mode}"` : ""}`;
    const found = inHandler(`tool.${phase}_execute`, body, more);
    const relevant = found.filter((each) => /ORCS111[06]/.test(each));
    expect(relevant.map((each) => each.replace(/^\S+ /, ""))).toEqual(expected);
  });
});

describe("lint: handler results", () => {
  const at = (point: string, answer: string) => inHandler(point, `return ${answer}`);
  /** `point: what is returned`, with the findings. */
  const resultCases = (text: string) =>
    cases(text).map(([first, found]): [string, string, string[]] => {
      const [, point = "", answer = ""] = /^(\S+): (.*)$/s.exec(first) ?? [];
      return [point, answer, found];
    });
  test.each<[string, string, string[]]>([
    ...resultCases(`
tool.pre_execute: orcs.deny("no")
tool.pre_execute: orcs.deny()
  2:8+11 ORCS1104 the denial has no reason, so the model does not learn what to do instead (orcs.deny("what to do instead"))
tool.pre_execute: { action = "abort" }
  2:8+20 ORCS1104 the denial has no reason, so the model does not learn what to do instead (orcs.deny("what to do instead"))
tool.pre_execute: { decision = "deny", reason = "x" }
tool.pre_execute: orcs.replace(1)
  2:8+15 ORCS1105 orcs.replace has no effect at tool.pre_execute (use orcs.skip(result) there)
PostToolUseFailure: orcs.deny("x")
  2:8+14 !ORCS1105 orcs.deny is not legal at tool.on_failure: the hook would fail
tool.on_list: { action = "abort", reason = "x" }
  2:8+34 !ORCS1105 abort is not legal at tool.on_list: the hook would fail (use orcs.replace(result) there)
tool.post_execute: orcs.skip(1)
  2:8+12 !ORCS1105 orcs.skip is not legal at tool.post_execute: the hook would fail (use orcs.replace(result) there)
PostToolUse: { action = "skip", result = 1 }
  2:8+31 !ORCS1105 skip is not legal at tool.post_execute: the hook would fail (use orcs.replace(result) there)
session.on_end: orcs.retry(5)
  2:8+13 !ORCS1105 orcs.retry is not legal at session.on_end: the hook would fail
tool.on_list: orcs.replace({})
tool.pre_execute: { action = "abrt", reason = "x" }
  2:8+33 !ORCS1106 the hook would fail: it returned the unknown action "abrt", expected one of continue, skip, abort, replace, retry (did you mean "abort"?)
tool.pre_execute: { decision = "alow" }
  2:8+21 !ORCS1106 the hook would fail: it returned the unknown decision "alow"; expected allow, ask, defer or deny (did you mean "allow"?)
tool.pre_execute: { reason = "no" }
  2:8+17 ORCS1106 a reason without an action or a decision: the operation continues (write orcs.deny(reason) to deny)
tool.pre_execute: { acton = "abort" }
  2:8+19 !ORCS1106 the hook would fail: it returned a table without "action" that has the unknown key "acton" (did you mean "action"?)
tool.pre_execute: ctx.depth > 1 and orcs.deny('x')
  2:8+13 !ORCS1106 the hook would fail: it returned the boolean false, expected a table with an action; return nil to continue, or orcs.deny(reason) to deny
tool.pre_execute: ctx.depth > 1 and orcs.deny('x') or nil
tool.pre_execute: ctx.payload.error and orcs.deny('x')
tool.pre_execute: { action = "continue", ctx = ctx }
tool.pre_execute: { action = chosen(ctx), reason = 1 }
  2:19+6 ORCS1101 the global "chosen" is never set
tool.post_execute: { inject = { { content = "x", strategy = "tool_result" } } }
tool.pre_execute: 'no'
  2:8+4 !ORCS1106 the hook would fail: it returned "no", expected a table with an action; return nil to continue, or orcs.deny(reason) to deny
tool.pre_execute: 42
  2:8+2 !ORCS1106 the hook would fail: it returned the number 42, expected a table with an action; return nil to continue, or orcs.deny(reason) to deny
tool.pre_execute: orcs.deny
  2:8+9 !ORCS1106 the hook would fail: it returned the function orcs.deny, which nothing calls
`),
    ...["PostToolUse", "llm.post_generate", "bus.post_broadcast"].flatMap(
      (point): [string, string, string[]][] => {
        const name = points.resolve(point)?.name ?? point;
        const late = `at ${name}: the operation has already run, so only its result is withheld (to prevent the operation, use a pre point; to withhold the result, set on_error = "closed")`;
        return [
          [point, 'orcs.deny("x")', [`2:8+14 ORCS1105 orcs.deny ${late}`]],
          [point, '{ action = "abort", reason = "x" }', [`2:8+34 ORCS1105 abort ${late}`]],
          [point, '{ decision = "deny", reason = "x" }', [`2:8+35 ORCS1105 abort ${late}`]],
          [
            point,
            'orcs.ask("x")',
            [`2:8+13 !ORCS1105 the decision ask is not legal at ${name}: the hook would fail`],
          ],
          [
            point,
            '{ decision = "defer", reason = "x" }',
            [`2:8+36 !ORCS1105 the decision defer is not legal at ${name}: the hook would fail`],
          ],
        ];
      },
    ),
  ])("%s: return %s", (point, answer, expected) => {
    expect(at(point, answer)).toEqual(expected);
  });

  test("a nested function's return is not the handler's result", () => {
    expect(
      inHandler(
        "tool.post_execute",
        "local f = function() return orcs.skip(1) end\nreturn f and nil",
      ),
    ).toEqual([]);
  });

  test("a denial at a post point is accepted if on_error is closed", () => {
    const code = (more: string) =>
      `return { point = "PostToolUse", ${more} handler = function() return orcs.deny("x") end }`;
    expect(findings(code(""))).toHaveLength(1);
    expect(findings(code('on_error = "closed",'))).toEqual([]);
    expect(findings(code('on_error = "open",'))).toHaveLength(1);
    expect(findings(code(""), [{ onError: "closed" }])).toEqual([]);
    expect(findings(code('on_error = "closed",'), [{ onError: "open" }])).toHaveLength(1);
  });

  test("the configuration's point takes precedence, and async results are ignored", () => {
    const code = 'return { point = "PreToolUse", handler = function() return orcs.skip(1) end }';
    const post = points.resolve("PostToolUse");
    expect(findings(code)).toEqual([]);
    expect(findings(code, [{ point: post }])).toHaveLength(1);
    expect(findings(code, [{ point: post, isAsync: true }])).toEqual([]);
  });

  test("an inline expression has its own columns", () => {
    const hooks = [{ point: points.resolve("PostToolUse"), match: [] }];
    expect(lint("orcs.skip(1)", "inline", hooks)).toEqual([
      "1:1+12 !ORCS1105 orcs.skip is not legal at tool.post_execute: the hook would fail (use orcs.replace(result) there)",
    ]);
    expect(lint("function(c)\n  return orcs.skip(c.paylod)\nend", "inline", hooks)).toHaveLength(2);
    expect(lint("local x = 1\nreturn orcs.skip(x)", "inline", hooks)).toHaveLength(1);
  });
});

describe("lint: the context", () => {
  test.each<[string, string[]]>(
    cases(`
print(ctx.paylod)
  2:11+6 ORCS1107 a context has no key "paylod" (did you mean "payload"?)
print(ctx.args.x)
  2:11+4 ORCS1107 a context has no key "args" (did you mean "payload.args"?)
print(ctx.command)
  2:11+7 ORCS1107 a context has no key "command" (did you mean "payload.args.command"?)
print(ctx.payload.toolname)
  2:19+8 ORCS1107 the payload of tool.pre_execute has no key "toolname" (did you mean "tool_name"?)
local p = ctx.payload print(p['tol_name'])
  2:31+10 ORCS1107 the payload of tool.pre_execute has no key "tol_name" (did you mean "tool_name"?)
if ctx.payload.command == "ls" then return end
  2:16+7 ORCS1107 the payload of tool.pre_execute has no key "command" (did you mean "args.command"?)
print(ctx.payload.something_of_the_host, ctx.metadata.x)
print(ctx.payload.args.toolname, ctx.payload.args.context, ctx.payload.args.patterns)
if ctx.payload.args.comand then return end
  2:21+6 ORCS1107 no built-in tool has the argument "comand" (did you mean "command"?)
local a = ctx.payload.args print(a.pattren, a.Command, a.conten)
  2:36+7 ORCS1107 no built-in tool has the argument "pattren" (did you mean "pattern"?)
  2:47+7 ORCS1107 no built-in tool has the argument "Command" (did you mean "command"?)
  2:58+6 ORCS1107 no built-in tool has the argument "conten" (did you mean "content"?)
local other = {} print(other.paylod)
`),
  )("%s", (body, expected) => {
    expect(inHandler("tool.pre_execute", body)).toEqual(expected);
  });

  test("a handler of two points may read the keys of both", () => {
    const code = `local function both(ctx) print(ctx.payload.operatio) end
      return { { point = "PreToolUse", handler = both }, { point = "request.pre_dispatch", handler = both } }`;
    expect(findings(code)).toEqual([]);
  });
});

describe("lint: arguments that not every tool has", () => {
  const COMMAND =
    'ORCS1108 the hook uses the argument "command" for every tool, but only exec has it: for other tools the hook fails and so denies the call (add match = { tool = "exec" })';
  test.each<[string, string[]]>([
    ["if ctx.payload.args.command:find('x') then return nil end", [`2:4+24 ${COMMAND}`]],
    [
      "local command = ctx.payload.args.command\nreturn command:find('x') and nil",
      [`3:8+7 ${COMMAND}`],
    ],
    ["local args = ctx.payload.args\nprint('x' .. args.command)", [`3:14+12 ${COMMAND}`]],
    [
      "local args = ctx.payload.args\nif args.command and args.command:find('x') then return nil end",
      [],
    ],
    [
      "local args = ctx.payload.args\nif not args.command then return end\nprint(args.command:upper())",
      [],
    ],
    ["local command = ctx.payload.args.command or ''\nprint(command:upper())", []],
    [
      "if ctx.payload.tool_name ~= 'exec' then return end\nprint(ctx.payload.args.command:upper())",
      [],
    ],
    ["assert(ctx.payload.args.command)\nprint(ctx.payload.args.command:upper())", []],
    ["print(ctx.payload.args.command)", []],
    ["ctx.payload.args.command = 'x'\nprint(ctx.payload.args.command:upper())", []],
    ["local f = function() return ctx.payload.args.command:upper() end\nprint(f)", []],
    ["print(string.find(ctx.payload.args.command, 'x'))", [`2:19+24 ${COMMAND}`]],
    ["print(orcs.shell(ctx.payload.args.command))", [`2:18+24 ${COMMAND}`]],
    ["print(orcs.runs(ctx.payload.args.command, 'ls'))", [`2:17+24 ${COMMAND}`]],
    [
      "print(orcs.real_path(ctx.payload.args.to))",
      [
        '2:22+19 ORCS1108 the hook uses the argument "to" for every tool, but only mv has it: for other tools the hook fails and so denies the call (add match = { tool = "mv" })',
      ],
    ],
    [
      "print(#ctx.payload.args.mine)",
      [
        '2:8+21 ORCS1108 the hook uses the argument "mine" for every tool, but no built-in tool has it: for other tools the hook fails and so denies the call (add match = { tool = … })',
      ],
    ],
  ])("%s", (body, expected) => {
    expect(inHandler("tool.pre_execute", body, "id = 'x'")).toEqual(expected);
  });

  test.each<[string, string]>([
    ["a match on the tool", "match = { tool = 'exec' }"],
    ["a match on the command", "match = { command = 'git' }"],
    ["a match on what runs", "match = { runs = { 'git push', 'rm -r*' } }"],
    ["a match that is not written out", "match = orcs.options"],
    ["a hook that is passed over", "on_error = 'open'"],
  ])("not reported with %s", (_, more) => {
    expect(inHandler("tool.pre_execute", "print(ctx.payload.args.command:upper())", more)).toEqual(
      [],
    );
  });

  test("not reported at other points, or with a match in the configuration", () => {
    const body = "print(ctx.payload.args.command:upper())";
    expect(inHandler("tool.post_execute", body, "id = 'x'")).toEqual([]);
    const code = `return function(ctx) ${body} end`;
    const point = points.resolve("PreToolUse");
    expect(findings(code, [{ point }])).toHaveLength(1);
    expect(findings(code, [{ point, match: ["tool"] }])).toEqual([]);
    expect(findings(code)).toEqual([]);
  });
});

test("lint leaves a script that is not Lua to the VM", () => {
  const [linted] = lintLua([{ code: "local = 1", kind: "script", hooks: [] }], options);
  expect(linted).toMatchObject({ isParsed: false, findings: [], hooks: [] });
});
