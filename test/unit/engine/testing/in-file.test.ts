import { describe, expect } from "vitest";
import { runIn, runScript, script, verdicts } from "./rig.ts";
import { quickTest as test, slowTest } from "../../../slow-test.ts";

test("a test of an agent's hook runs it for that agent", async () => {
  const report = await runIn({
    "orcs.toml": `
[[agents.reviewer.hooks]]
id = "reads"
point = "tool.pre_execute"
handler_inline = 'orcs.deny("a reviewer reads")'
[[agents.reviewer.hooks.tests]]
name = "refuses to write"
event = { tool = "write" }
expect = { action = "abort" }
`,
  });
  expect(report.tests.map(({ status }) => status)).toEqual(["passed"]);
});

describe("in-file tests: recorded calls", () => {
  const CALLS = `
    local one = orcs.exec("git status")
    local two = orcs.get("read", { path = "a.txt" })
    ctx.metadata.out = (one.stdout or one.error or "") .. (two.content or "")`;
  const made = [
    { tool: "exec", args: { command: "git status" } },
    { tool: "read", args: { path: "a.txt" } },
  ];
  const read = '{ "read", { path = "a.txt" }, answers = { content = "text" } }';

  test("return the listed results in any order; a bare argument is the main one", async () => {
    const tests = `
      { "as called", event = { tool = "x" }, expect = { metadata = { out = "cleantext" } },
        calls = { { "exec", "git status", answers = { stdout = "clean" } }, ${read} } },
      { "the other way round", event = { tool = "x" }, expect = { metadata = { out = "cleantext" } },
        calls = { ${read}, { "exec", { command = "git status" }, answers = { stdout = "clean" } } } },
      { "any arguments", event = { tool = "x" }, expect = { metadata = { out = "" } },
        calls = { { "exec" }, { "read" } } },
      { "a pattern", event = { tool = "x" }, expect = { metadata = { out = "no" } },
        calls = { { "exec", { command = { matches = "^git" } }, answers = { ok = false, error = "no" } }, { "read" } } },`;
    const report = await runScript(script(CALLS, tests));
    expect(new Set(Object.values(verdicts(report)))).toEqual(new Set(["passed"]));
    expect(report.passed).toBe(4);
  });

  test("a call that is not listed fails the test, with the actual and expected calls", async () => {
    const tests = `{ "it", event = { tool = "x" }, expect = { action = "abort", error = "does not list" },
      calls = { { "exec", "git diff" } } },`;
    // Not even a hook that catches every error passes.
    const { tests: results } = await runScript(script(`pcall(function() ${CALLS} end)`, tests));
    expect(results[0]?.differences).toEqual([
      {
        at: "calls",
        expected: [{ tool: "exec", args: "git diff" }],
        got: [{ tool: "exec", args: { command: "git status" } }],
      },
    ]);
  });

  test("a listed call that is not made fails the test", async () => {
    const tests = `{ "it", event = { tool = "x" }, expect = { action = "continue" },
      calls = { { "exec" }, { "read" }, { "write", times = 2 } } },`;
    const { tests: results } = await runScript(script(CALLS, tests));
    expect(results[0]?.differences).toEqual([
      {
        at: "calls",
        expected: [{ tool: "exec" }, { tool: "read" }, { tool: "write", times: 2 }],
        got: made,
      },
    ]);
  });

  test("a listed call serves one call, or as many as given", async () => {
    const twice = 'orcs.exec("a") orcs.exec("a")';
    const tests = `
      { "once", event = { tool = "x" }, expect = { action = "continue" }, calls = { { "exec", "a" } } },
      { "times", event = { tool = "x" }, expect = { action = "continue" }, calls = { { "exec", "a", times = 2 } } },`;
    const { tests: results } = await runScript(script(twice, tests));
    expect(results.map(({ status }) => status)).toEqual(["failed", "passed"]);
  });

  test("runtime functions are calls with an argument list", async () => {
    const tests = `{ "it", event = { tool = "x" }, expect = { metadata = { ok = true } },
      calls = { { "check_command", { "git push" }, answers = { status = "allowed" } } } },`;
    const handler = 'ctx.metadata.ok = orcs.check_command("git push").ok';
    expect(verdicts(await runScript(script(handler, tests)))).toEqual({ it: "passed" });
  });
});

describe("in-file tests: isolation", () => {
  test("the date stands still, too, in UTC; a test can set it", async () => {
    const handler = 'ctx.metadata.at = orcs.date("%F %T %z") .. " " .. orcs.time()';
    const at = (expected: string) => `expect = { metadata = { at = "${expected}" } } }`;
    const tests = `
      { "by default", event = { tool = "x" }, ${at("2026-01-01 00:00:00 +0000 1767225600")},
      { "later", now_ms = 61000, event = { tool = "x" }, ${at("2026-01-01 00:01:01 +0000 1767225661")},
      { "stated", time = "2026-11-24T17:30:00+01:00", event = { tool = "x" }, ${at("2026-11-24 16:30:00 +0000 1795537800")},
      { "stated without a zone", time = "2026-11-24 16:30", event = { tool = "x" }, ${at("2026-11-24 16:30:00 +0000 1795537800")},`;
    expect(verdicts(await runScript(script(handler, tests)))).toEqual({
      "by default": "passed",
      later: "passed",
      stated: "passed",
      "stated without a zone": "passed",
    });
    const wrong =
      '{ "wrong", time = "noon", event = { tool = "x" }, expect = { action = "continue" } },';
    const { mistakes } = await runScript(script(handler, wrong));
    expect(mistakes.map(({ message }) => message).join()).toContain("expected a date such as");
  });

  test("the clock stands still; sleeping advances it at once", async () => {
    const handler = `
      ctx.metadata.began = orcs.now_ms()
      orcs.sleep(3600000)
      ctx.metadata.ended = orcs.now_ms()`;
    const tests = `
      { "from nought", event = { tool = "x" }, expect = { metadata = { began = 0, ended = 3600000 } } },
      { "from then", now_ms = 500, event = { tool = "x" }, expect = { metadata = { began = 500 } } },`;
    const started = performance.now();
    const report = await runScript(script(handler, tests, "timeout_ms = 20000,"));
    expect(verdicts(report)).toEqual({ "from nought": "passed", "from then": "passed" });
    expect(performance.now() - started).toBeLessThan(60_000);
  });

  test("state starts as given, without leftovers; the final state is compared", async () => {
    const handler =
      'orcs.state.set("list", { 1, 2 }) orcs.state.delete("gone") ctx.metadata.n = orcs.state.incr("n")';
    const tests = `
      { "fresh", event = { tool = "x" }, expect = { metadata = { n = 1 } } },
      { "fresh again", event = { tool = "x" }, expect = { metadata = { n = 1 } } },
      { "preset", state = { n = 41, gone = true }, event = { tool = "x" }, expect = { metadata = { n = 42 } },
        state_after = { n = 42, list = { 1, 2 }, gone = orcs.null } },
      { "other", event = { tool = "x" }, expect = { action = "continue" }, state_after = { n = 2, none = 1 } },`;
    expect(verdicts(await runScript(script(handler, tests)))).toEqual({
      fresh: "passed",
      "fresh again": "passed",
      preset: "passed",
      other: {
        status: "failed",
        message: undefined,
        differences: [
          { at: 'state_after["n"]', expected: 2, got: 1 },
          { at: 'state_after["none"]', expected: 1, got: undefined },
        ],
      },
    });
  });

  test("each test has a new Lua state and its own options", async () => {
    const text = `local calls = 0
      ${script(
        "calls = calls + 1 ctx.metadata.n = calls + (orcs.options.from or 0)",
        `
      { "one", event = { tool = "x" }, expect = { metadata = { n = 1 } } },
      { "two", event = { tool = "x" }, expect = { metadata = { n = 1 } } },
      { "options", options = { from = 10 }, event = { tool = "x" }, expect = { metadata = { n = 11 } } },`,
      )}`;
    expect((await runScript(text)).passed).toBe(3);
  });

  test("several events run in order; a failing one is named", async () => {
    const handler = 'if orcs.state.incr("n", 1, 1000) > 1 then return orcs.deny("slow down") end';
    const tests = `
      { "window", events = {
        { tool = "x", expect = { action = "continue" } },
        { tool = "x", now_ms = 999, expect = { action = "abort" } },
        { tool = "x", now_ms = 1000, expect = { action = "continue" } },
      } },
      { "fails", events = {
        { tool = "x", expect = { action = "continue" } },
        { tool = "x", expect = { action = "continue" } },
        { tool = "x", expect = { action = "continue" } },
      } },`;
    expect(verdicts(await runScript(script(handler, tests)))).toEqual({
      window: "passed",
      fails: {
        status: "failed",
        message: "at event 2",
        differences: [{ at: "action", expected: "continue", got: "abort" }],
      },
    });
  });

  test("address, whole payload, and the file's hooks at other points", async () => {
    const text = `return {
      { id = "a", point = "request.pre_dispatch", fql = "lua::custom/*#one",
        handler = function(ctx) return orcs.deny(ctx.metadata.why) end,
        tests = {
          { "addressed", event = { component = "lua::custom", child = "c", instance = "one",
              metadata = { why = "because" }, payload = { id = "1", operation = "o", payload = { x = 1 } } },
            expect = { action = "abort", reason = "because", payload = { payload = { x = 1 } } } },
          { "another child", event = { component = "lua::custom", instance = "one",
              metadata = { why = "w" }, id = "1", operation = "o" }, expect = { action = "continue" } },
          { "elsewhere", event = { point = "PreToolUse", tool_name = "x" }, expect = { action = "abort", hook = "b" } },
        } },
      { id = "b", point = "tool.pre_execute", enabled = false,
        handler = function() return orcs.deny("off or not, it is tested") end },
    }`;
    expect(verdicts(await runScript(text))).toEqual({
      addressed: "passed",
      "another child": "passed",
      elsewhere: "passed",
    });
  });

  test("an async hook has ended before the expectations are checked", async () => {
    const tests = `{ "it", event = { tool = "x" }, calls = { { "exec" } },
      expect = { action = "continue", logs = { "done" } }, state_after = { done = true } },`;
    const handler = 'orcs.exec("x") orcs.state.set("done", true) print("done")';
    expect(verdicts(await runScript(script(handler, tests, "async = true,")))).toEqual({
      it: "passed",
    });
  });
});

test('decision = "none" can be expected', async () => {
  const tests = `
    { "holds", event = { tool = "a" }, expect = { action = "continue", decision = "none" } },
    { "does not", event = { tool = "b" }, expect = { decision = "none" } },
    { "refused", event = { tool = "c" }, expect = { decision = "none" } },
  `;
  const code = `local tool = ctx.payload.tool_name
    if tool == "b" then return orcs.ask("sure?") end
    if tool == "c" then return orcs.deny("no") end`;
  const differs = (got: string) => ({
    status: "failed",
    differences: [{ at: "decision", expected: "none", got }],
  });
  expect(verdicts(await runScript(script(code, tests)))).toMatchObject({
    holds: "passed",
    "does not": differs("ask"),
    refused: differs("deny"),
  });
});

describe("in-file tests: errors", () => {
  test("a hook that does not run: the failing test says why", async () => {
    const tests =
      '{ "it", event = { tool = "exec", args = { command = "ls" } }, expect = { action = "abort" } },';
    const text = script(
      'return orcs.deny("no")',
      tests,
      'match = { tool = "exec", command = "^git" },',
    );
    expect(verdicts(await runScript(text))).toEqual({
      it: {
        status: "failed",
        message: "h did not run: its match.command is false for this event",
        differences: [{ at: "action", expected: "abort", got: "continue" }],
      },
    });
  });

  slowTest(
    "a hook that loops or exceeds its memory fails only its own test; a test can expect it",
    async () => {
      const tests = `
      { "loops", event = { tool = "loop" }, expect = { action = "continue" } },
      { "is caught", event = { tool = "loop" }, expect = { action = "abort", error = "ran longer than 400 ms" } },
      { "hoards", event = { tool = "hoard" }, expect = { error = "not enough memory" } },
      { "goes on", event = { tool = "x" }, expect = { action = "continue" } },`;
      const handler = `
      while ctx.payload.tool_name == "loop" do end
      local t = {}
      while ctx.payload.tool_name == "hoard" do t[#t + 1] = ("x"):rep(100000) .. #t end`;
      const overrides = { lua: { max_run_ms: 400, max_chain_ms: 20_000, memory_mb: 4 } };
      const report = await runScript(script(handler, tests), { overrides });
      expect(report.tests.map(({ status }) => status)).toEqual([
        "failed",
        "passed",
        "passed",
        "passed",
      ]);
    },
  );

  test("an event that is invalid for its point", async () => {
    const tests = `
      { "no tool", event = { args = {} }, expect = { action = "continue" } },
      { "no component", event = { tool = "x", component = "nonsense" }, expect = { action = "continue" } },`;
    const { tests: results } = await runScript(script("", tests));
    expect(results.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^ORCS2003: .*tool_name/),
      expect.stringMatching(/^ORCS1010: /),
    ]);
  });

  test("invalid tests are errors at their position, and the others run", async () => {
    const tests = `    { "fine", event = { tool = "x" }, expect = { action = "continue" } },
    { "no expect", event = { tool = "x" } },
    { "no event", expect = { action = "abort" } },
    { "nothing expected", event = { tool = "x" }, expect = {} },
    { "misspelt", evnt = { tool = "x" } },
    { "no such action", event = { tool = "x" }, expect = { action = "deny" } },
    { "no such point", event = { point = "tool.pre_excute", tool = "x" }, expect = { action = "abort" } },
    { "both", event = { tool = "x" }, events = {}, expect = { action = "abort" } },
    { "a function", event = { tool = "x", args = { f = print } }, expect = { action = "abort" } },
    { "two payloads", event = { tool = "x", payload = {} }, expect = { action = "abort" } },
    { "a call of nothing", calls = { { args = {} } }, event = { tool = "x" }, expect = { action = "abort" } },
    { event = { tool = "x" }, expect = { action = "abort" } },
    "text",
    { "a step without", events = { { tool = "x" } } },`;
    const report = await runScript(script("", tests));
    expect(verdicts(report)).toEqual({ fine: "passed" });
    expect(report.ok).toBe(false);
    expect(
      report.mistakes.map(({ code, message, place, hint }) =>
        `${place?.line} ${code} ${message} ${hint ?? ""}`.trim(),
      ),
    ).toEqual([
      '10 ORCS1013 the test "no expect": expect is missing',
      '11 ORCS1013 the test "no event": event is missing',
      '12 ORCS1004 the test "nothing expected": expect: it has no expectation, so it can never fail',
      '13 ORCS1003 the test "misspelt": evnt: unknown key "evnt" did you mean "event"?',
      '13 ORCS1013 the test "misspelt": expect is missing',
      '14 ORCS1004 the test "no such action": expect.action: expected "continue", "skip", "abort", "replace" or "retry", got "deny"',
      '15 ORCS1005 the test "no such point": event.point: unknown hook point "tool.pre_excute" did you mean "tool.pre_execute"?',
      '16 ORCS1004 the test "both": events: a test has either event or events, not both',
      '17 ORCS1004 the test "a function": tests[9]/event/args/f is a function',
      '18 ORCS1004 the test "two payloads": event.tool: payload is the whole payload; move this key into it',
      expect.stringMatching(/^19 ORCS1013 the test "a call of nothing": calls\.0: tool is missing/),
      "5 ORCS1013 tests[12]: name is missing",
      expect.stringMatching(/^5 ORCS1004 tests\[13\]: expected a table, got "text"/),
      '22 ORCS1013 the test "a step without": events.0: expect is missing',
    ]);
  });

  test("tests that are not a list", async () => {
    const one = script("", "").replace("tests = {\n\n  }", 'tests = { event = { tool = "x" } }');
    const none = script("", "").replace("tests = {\n\n  }", "tests = 7");
    expect((await runScript(one)).mistakes.map(({ message }) => message)).toEqual([
      "tests[1]: tests must be a list of tables, got a single table with string keys",
    ]);
    expect((await runScript(none)).mistakes.map(({ message }) => message)).toEqual([
      "tests[1]: tests must be a list of tables",
    ]);
  });

  test("duplicate names both run with their lines; names may have quotes and Unicode", async () => {
    const tests = `    { "twice", event = { tool = "x" }, expect = { action = "continue" } },
    { "twice", event = { tool = "x" }, expect = { action = "abort" } },
    { 'it\\'s "ü🎈"', event = { tool = "x" }, expect = { action = "continue" } },
    { [[long]], event = { tool = "x" }, expect = { action = "continue" } },
    { "made" .. "up", event = { tool = "x" }, expect = { action = "continue" } },`;
    const { tests: results } = await runScript(script("", tests));
    expect(results.map(({ name, status, place }) => [name, status, place.line])).toEqual([
      ["twice", "passed", 9],
      ["twice", "failed", 10],
      ['it\'s "ü🎈"', "passed", 11],
      ["long", "passed", 12],
      ["madeup", "passed", 5],
    ]);
  });

  test("a script that does not load", async () => {
    const report = await runScript("return {");
    expect(report.ok).toBe(false);
    expect(report.mistakes).toMatchObject([{ code: "ORCS3001", place: { file: "hooks/h.lua" } }]);
  });
});

describe("in-file tests in orcs.toml", () => {
  const TOML = `
[[hooks]]
id = "no-sudo"
point = "tool.pre_execute"
match = { tool = "exec" }
handler_inline = 'if ctx.payload.args.command:find("^sudo") then return orcs.deny("no sudo") end'

[[hooks.tests]]
name = "refuses sudo"
event = { tool = "exec", args = { command = "sudo ls" } }
expect = { action = "abort", reason = "no sudo" }

[[hooks.tests]]
name = "fails"
event = { tool = "exec", args = { command = "ls" } }
expect = { action = "abort", reason = { matches = "no" } }

[[hooks]]
id = "other"
point = "tool.pre_execute"
handler_inline = 'orcs.deny("it must not run in the tests of another")'

[[hooks]]
script = "limit.lua"
options = { most = 1 }
[[hooks.tests]]
name = "as it is configured"
calls = [{ tool = "exec", args = "date", answers = { stdout = "now" } }]
state = { n = 1 }
state_after = { n = 2 }
event = { tool = "x" }
expect = { action = "abort", metadata = { date = "now" } }
`;
  const LIMIT = `return { point = "tool.pre_execute", handler = function(ctx)
      ctx.metadata.date = orcs.exec("date").stdout
      if orcs.state.incr("n") > (orcs.options.most or 5) then return orcs.deny("enough") end
    end,
    tests = {
      { "by itself, without the options of the configuration", state = { n = 1 }, calls = { { "exec" } },
        event = { tool = "x" }, expect = { action = "continue" } },
    } }`;

  test("test each hook as configured, and its script by itself", async () => {
    const report = await runIn({ "orcs.toml": TOML, "hooks/limit.lua": LIMIT });
    expect(report.mistakes).toEqual([]);
    expect(verdicts(report)).toEqual({
      "refuses sudo": "passed",
      fails: {
        status: "failed",
        message: undefined,
        differences: [
          { at: "action", expected: "abort", got: "continue" },
          { at: "reason", expected: { matches: "no" }, got: undefined },
        ],
      },
      "as it is configured": "passed",
      "by itself, without the options of the configuration": "passed",
    });
    expect(report.tests.map(({ place }) => place)).toMatchObject([
      { file: "orcs.toml", line: 8 },
      { file: "orcs.toml", line: 13 },
      { file: "orcs.toml", line: 26 },
      { file: "hooks/limit.lua", line: 6 },
    ]);
  });

  test("test a script whose point is in the configuration", async () => {
    const files = {
      "orcs.toml": '[[hooks]]\npoint = "prompt.pre_submit"\nscript = "s.lua"\n',
      "hooks/s.lua": `return { handler = function(ctx) return orcs.deny(ctx.payload.prompt) end,
        tests = { { "it", event = { prompt = "hello" }, expect = { reason = "hello" } } } }`,
    };
    expect(verdicts(await runIn(files))).toEqual({ it: "passed" });
  });

  test("with errors are configuration errors", async () => {
    const wrong = TOML.replace(
      'expect = { action = "abort", reason = "no sudo" }',
      'expect = { acton = "abort" }',
    );
    await expect(runIn({ "orcs.toml": wrong, "hooks/limit.lua": LIMIT })).rejects.toMatchObject({
      code: "ORCS1015",
      diagnostics: [
        { code: "ORCS1003", message: 'unknown key "acton"', place: { line: 11, column: 12 } },
      ],
    });
  });

  test("run a shell hook for real", async () => {
    const files = {
      "orcs.toml": `[[hooks]]
id = "sh"
point = "tool.pre_execute"
shell = { command = "echo '{\\"action\\":\\"abort\\",\\"reason\\":\\"from sh\\"}'", parse_result = true }
[[hooks.tests]]
name = "it"
event = { tool = "x" }
expect = { action = "abort", reason = "from sh" }
`,
    };
    expect(verdicts(await runIn(files))).toEqual({ it: "passed" });
  });
});

test("a hundred in-file tests run in well under a second each", async () => {
  const tests = Array.from(
    { length: 100 },
    (_, i) => `{ "t${i}", event = { tool = "x" }, expect = { reason = "no" } },`,
  );
  const report = await runScript(script('return orcs.deny("no")', tests.join("\n")));
  expect(report.passed).toBe(100);
  const total = report.tests.reduce((sum, { duration_ms }) => sum + duration_ms, 0);
  // On a machine that has nothing else to do it is a tenth of a second.
  expect(total).toBeLessThan(20_000);
});

test("in-file tests in production are not evaluated, even if invalid", async () => {
  const { open, folder } = await import("../orcs/engine.ts");
  const files = {
    "hooks/h.lua": script(
      'return orcs.deny("no")',
      "    print, { f = print, [1.5] = 2 }, coroutine.create(print)",
    ),
  };
  const orcs = await open({ cwd: folder(files), config: { hooks: [{ script: "h.lua" }] } });
  const { action } = await orcs.dispatch("tool.pre_execute", { tool_name: "x", args: {} });
  expect(action).toBe("abort");
});
