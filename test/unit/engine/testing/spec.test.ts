import { describe, expect, test } from "vitest";
import { runIn, verdicts } from "./rig.ts";

const GUARD = `return {
  id = "guard",
  point = "tool.pre_execute",
  handler = function(ctx)
    local args = ctx.payload.args
    if args.fail then error("broken") end
    if args.ask then
      local answer = orcs.exec(args.ask)
      ctx.metadata.answer = answer.ok and (answer.stdout or "") or answer.error
    end
    if args.sleep then orcs.sleep(args.sleep) end
    ctx.metadata.at = orcs.now_ms()
    ctx.metadata.n = orcs.state.incr("n")
    if args.loop then while true do end end
    if (args.command or ""):find(orcs.options.word or "force", 1, true) then return orcs.deny("no") end
  end,
}
`;

/** Run the tests in one \`*_test.lua\` file beside a guard. */
function runSpec(text: string, more: Parameters<typeof runIn>[1] = {}) {
  return runIn({ "hooks/guard.lua": GUARD, "hooks/guard_test.lua": text }, more);
}

/** What becomes of one statement in a test. */
async function inTest(
  body: string,
): Promise<{ status?: string; message?: string; sides?: unknown }> {
  const { tests, mistakes } = await runSpec(`it("it", function()\n${body}\nend)`);
  expect(mistakes).toEqual([]);
  const [result] = tests;
  const [difference] = result?.differences ?? [];
  return {
    ...(result && { status: result.status }),
    ...(result?.message !== undefined && { message: result.message }),
    ...(difference && { sides: [difference.expected, difference.got] }),
  };
}

describe("spec files: assertions", () => {
  /** That hold, and the same the other way round, which do not. */
  const HOLDS: readonly [holds: string, fails: string][] = [
    ["assert.equal(1, 1.0)", "assert.equal(1, 2)"],
    ["assert.equals('a', 'a')", "assert.equals('a', 'A')"],
    ["assert.are.equal('a', 'a')", "assert.are.equal({}, {})"],
    ["assert.is_equal(nil, nil)", "assert.is_equal(nil, false)"],
    ["assert.are_not.equal({}, {})", "assert.are_not.equal(1, 1)"],
    ["assert.is_not.equal(1, 2)", "assert.is_not.equal(2, 2)"],
    ["assert.not_equal(1, 2)", "assert.not_equal(2, 2)"],
    [
      "assert.same({ 1, a = { b = 2 } }, { 1, a = { b = 2 } })",
      "assert.same({ a = 1 }, { a = 1, b = 2 })",
    ],
    ["assert.are.same({}, {})", "assert.are.same({ a = 1, b = 2 }, { a = 1 })"],
    ["assert.are_not.same({ 1 }, { 2 })", "assert.are_not.same({ 1 }, { 1 })"],
    [
      "local a = {} a.a = a local b = {} b.a = b assert.same(a, b)",
      "local a = {} a.a = a assert.same(a, { a = 1 })",
    ],
    ["assert.same(0/0, 0/0)", "assert.same('1', 1)"],
    ["assert.is_true(true)", "assert.is_true(1)"],
    ["assert.is_false(false)", "assert.is_false(nil)"],
    ["assert.truthy(0)", "assert.truthy(nil)"],
    ["assert.is_truthy('')", "assert.is_truthy(false)"],
    ["assert.falsy(nil)", "assert.falsy(0)"],
    ["assert.is_nil(nil)", "assert.is_nil(false)"],
    ["assert.is_not_nil(false)", "assert.is_not_nil(nil)"],
    ["assert.is_string('')", "assert.is_string(1)"],
    ["assert.is_number(1)", "assert.is_number('1')"],
    ["assert.is_table({})", "assert.is_table('t')"],
    ["assert.is_function(print)", "assert.is_function({})"],
    ["assert.is_boolean(false)", "assert.is_boolean(nil)"],
    ["assert.has_error(function() error('x') end)", "assert.has_error(function() end)"],
    [
      "assert.has_error(function() error('x') end, 'x')",
      "assert.has_error(function() error('x') end, 'y')",
    ],
    [
      "assert.has_error(function() error({ c = 1 }) end, { c = 1 })",
      "assert.has_error(function() error({ c = 1 }) end, { c = 2 })",
    ],
    ["assert.has.errors(function() error('x') end)", "assert.has.errors(function() end)"],
    ["assert.has_no.errors(function() end)", "assert.has_no.errors(function() error('x') end)"],
    [
      "assert.error_matches(function() error('x 12') end, '%d+$')",
      "assert.error_matches(function() error('x') end, '%d')",
    ],
    ["assert.matches('%d', 'a1')", "assert.matches('%d', 'a')"],
    ["assert.not_matches('%d', 'a')", "assert.not_matches('%d', '1')"],
    ["assert.near(1, 1.05, 0.1)", "assert.near(1, 1.2, 0.1)"],
    ["assert(1, 'why')", "assert(nil, 'why')"],
    ["assert.equal(7, (assert(7)))", "assert(false)"],
  ];

  test.each(HOLDS)("%s", async (holds, fails) => {
    expect(await inTest(holds)).toEqual({ status: "passed" });
    const failed = await inTest(`\n${fails}`);
    expect(failed.status).toBe("failed");
    expect(failed.message).toMatch(/^hooks\/guard_test\.lua:3: /);
  });

  test("show expected and actual values as text", async () => {
    expect(await inTest('assert.equal("a\\nb", 12)')).toEqual({
      status: "failed",
      message: "hooks/guard_test.lua:2: assert.equal failed",
      sides: ['"a\\nb"', "12"],
    });
    expect((await inTest("assert.same({ 1, b = { true } }, {})")).sides).toEqual([
      "{\n  1,\n  b = {\n    true,\n  },\n}",
      "{}",
    ]);
    expect((await inTest('assert.is_nil("ü🎈")')).sides).toEqual(["nil", '"ü🎈"']);
  });

  test("truncate huge values between characters", async () => {
    const { sides } = await inTest('assert.equal(("🎈"):rep(100000), { ("ä"):rep(100000) })');
    const [expected, got] = sides as [string, string];
    for (const side of [expected, got]) {
      expect(side.length).toBeLessThan(4100);
      expect(side).not.toContain("\uFFFD");
      expect(side.endsWith("…")).toBe(true);
    }
  });

  test("an unknown assertion is an error", async () => {
    expect((await inTest("assert.is_purple(1)")).message).toBe(
      "hooks/guard_test.lua:2: assert.is_purple does not exist",
    );
    expect((await inTest("assert.are.purple(1)")).message).toBe(
      "hooks/guard_test.lua:2: assert.purple does not exist",
    );
  });
});

describe("spec files: tests", () => {
  test("have names, order, before_each and after_each, from outer to inner and back", async () => {
    const report = await runSpec(`
      local log = {}
      local function say(text) return function() log[#log + 1] = text end end
      describe("a", function()
        before_each(say("b1")) after_each(say("a1"))
        describe("b", function()
          before_each(say("b2")) after_each(say("a2"))
          it("one", say("one"))
        end)
        it("two", say("two"))
      end)
      it("all", function()
        assert.equal("b1 b2 one a2 a1 b1 two a1", table.concat(log, " "))
      end)
    `);
    expect(verdicts(report)).toEqual({ "a b one": "passed", "a two": "passed", all: "passed" });
    expect(report.tests.map(({ place }) => place.line)).toEqual([8, 10, 12]);
  });

  test("can be pending in three ways", async () => {
    const report = await runSpec(`
      pending("one", function() error("not run") end)
      it("two")
      it("three", function() pending("not yet") error("not reached") end)
    `);
    expect(report).toMatchObject({ ok: true, pending: 3, failed: 0 });
    expect(report.tests.map(({ name, message }) => [name, message])).toEqual([
      ["one", undefined],
      ["two", undefined],
      ["three", "not yet"],
    ]);
  });

  test("report errors of tests and hooks around them, and non-string error values", async () => {
    const report = await runSpec(`
      it("error", function() local x return x.y end)
      it("value", function() error({ code = 7 }) end)
      it("nil", function() error(nil) end)
      describe("around", function()
        after_each(function() error("after") end)
        it("passes itself", function() end)
        it("fails first", function() error("itself") end)
      end)
      describe("before", function()
        before_each(function() error("before") end)
        it("is not run", function() error("itself") end)
      end)
    `);
    const at = "hooks/guard_test.lua";
    expect(report.tests.map(({ message }) => message)).toEqual([
      `${at}:2: attempt to index a nil value (local 'x')`,
      "an error was raised: {\n  code = 7,\n}",
      "an error was raised: nil",
      `${at}:6: after`,
      `${at}:8: itself`,
      `${at}:11: before`,
    ]);
  });

  test("a test that loops is ended, and the others run in a new state", async () => {
    const overrides = { lua: { max_run_ms: 400, max_chain_ms: 20_000 } };
    const report = await runSpec(
      `local guard = orcs.test.load("guard.lua")
      local n = 0
      it("counts", function() n = n + 1 assert.equal(1, n) end)
      it("loops", function() pcall(function() while true do end end) end)
      it("goes on", function()
        n = n + 1
        assert.equal(1, n)
        assert.equal("continue", guard:dispatch({ tool = "x" }).action)
      end)`,
      { overrides },
    );
    expect(verdicts(report)).toMatchObject({
      counts: "passed",
      loops: {
        status: "failed",
        message: expect.stringMatching(
          /^it ran longer than 400 ms without waiting; it was at .*:\d+ \(\d+ ms elapsed, at least \d+ ms of them CPU time; shorten it or raise lua\.max_run_ms\)$/,
        ) as string,
      },
      "goes on": "passed",
    });
  });

  test("a file that does not load is an error, and other files run", async () => {
    const files = {
      "hooks/a_test.lua": "it('a', function() end",
      "hooks/b_test.lua": "local x\nx.y = 1",
      "hooks/c_test.lua": "while true do end",
      "hooks/d_test.lua": "it('d', function() end)",
      "hooks/e_test.lua": "describe(function() end)",
      "hooks/f_test.lua": "orcs.test.load('nowhere.lua')",
    };
    const overrides = { lua: { max_run_ms: 400, max_chain_ms: 20_000 } };
    const report = await runIn(files, { overrides });
    expect(verdicts(report)).toEqual({ d: "passed" });
    expect(report.ok).toBe(false);
    expect(
      report.mistakes.map(
        ({ code, place, message }) => `${place?.file}:${place?.line} ${code} ${message}`,
      ),
    ).toEqual([
      expect.stringMatching(/^hooks\/a_test\.lua:1 ORCS3001 .*near <eof>/s),
      expect.stringMatching(/^hooks\/b_test\.lua:2 ORCS3002 attempt to index a nil value/),
      expect.stringMatching(/^hooks\/c_test\.lua:1 ORCS3005 /),
      expect.stringMatching(/^hooks\/e_test\.lua:1 ORCS3002 describe: expected a name/),
      expect.stringMatching(/^hooks\/f_test\.lua:1 ORCS3002 .*nowhere\.lua/),
    ]);
  });

  test("can require the modules under test, in the script sandbox", async () => {
    const files = {
      "hooks/lib/words.lua": "return { twice = function(s) return s .. s end }",
      "hooks/tests/words_test.lua": `
        local words = require("lib.words")
        it("twice", function() assert.equal("aa", words.twice("a")) end)
        it("no way out", function()
          assert.is_nil(io) assert.is_nil(os) assert.is_nil(debug) assert.is_nil(load)
          assert.is_false(orcs.exec("ls").ok)
          assert.has_error(function() orcs.hook("*::*:tool.pre_execute", function() end) end)
        end)`,
    };
    expect(verdicts(await runIn(files))).toEqual({ twice: "passed", "no way out": "passed" });
  });

  test("are found beside scripts, in tests/ and beside the configuration only", async () => {
    const spec = (name: string) => `it("${name}", function() end)`;
    const report = await runIn({
      "orcs.toml": "",
      "here_test.lua": spec("here"),
      "tests/deep/a_test.lua": spec("tests"),
      "hooks/b_test.lua": spec("hooks"),
      "hooks/tests/c_test.lua": spec("below"),
      "hooks/node_modules/d_test.lua": spec("no"),
      "hooks/.git/e_test.lua": spec("no"),
      "other/f_test.lua": spec("no"),
      "hooks/test.lua": "error('not one')",
    });
    expect(report.tests.map(({ name }) => name).sort()).toEqual([
      "below",
      "here",
      "hooks",
      "tests",
    ]);
  });

  test("a filter selects tests by name", async () => {
    const text =
      'describe("a", function() it("one", function() end) it("two", function() error() end) end)';
    const report = await runSpec(text, { filter: "a one" });
    expect(report.tests.map(({ name }) => name)).toEqual(["a one"]);
  });
});

describe("spec files: orcs.test", () => {
  test("load and dispatch: events as in hook tables, outcomes as tables", async () => {
    const report = await runSpec(`
      local guard = orcs.test.load("guard.lua")
      it("denies", function()
        local out = guard:dispatch({ tool = "exec", args = { command = "push --force" } })
        assert.same({ "abort", "guard", "no", "deny" }, { out.action, out.hook, out.reason, out.decision })
        assert.equal("push --force", out.payload.args.command)
        assert.equal("exec", out.payload.tool)
      end)
      it("has options", function()
        local other = orcs.test.load("guard.lua", { word = "rm" })
        assert.equal("abort", other:dispatch({ tool = "exec", args = { command = "rm" } }).action)
        assert.equal("continue", guard:dispatch({ tool = "exec", args = { command = "rm" } }).action)
      end)
      it("fails", function()
        local out = guard:dispatch({ tool = "exec", args = { fail = true } })
        assert.matches("^guard: .*broken$", out.error)
        assert.matches("guard failed", out.logs[1])
      end)
    `);
    expect(verdicts(report)).toEqual({
      denies: "passed",
      "has options": "passed",
      fails: "passed",
    });
  });

  test("tools are functions of the test; clock and state are its own", async () => {
    const report = await runSpec(`
      local guard = orcs.test.load("guard.lua")
      local function ask(command) return guard:dispatch({ tool = "x", args = { ask = command } }) end
      it("answers", function()
        local seen = {}
        orcs.test.tool("exec", function(args)
          seen[#seen + 1] = args.command
          orcs.test.advance(250)
          return { stdout = "out" }
        end)
        assert.same({ answer = "out", at = 250, n = 1 }, ask("one").metadata)
        assert.same({ answer = "out", at = 500, n = 2 }, ask("two").metadata)
        assert.same({ "one", "two" }, seen)
        assert.equal(500, orcs.now_ms())
        assert.equal(2, orcs.state.get("n"))
      end)
      it("has nothing of the test before", function()
        assert.equal(0, orcs.now_ms())
        assert.equal(1, guard:dispatch({ tool = "x", args = { sleep = 100 } }).metadata.n)
        assert.equal(100, orcs.now_ms())
      end)
      it("fails with the test's own error", function()
        orcs.test.tool("exec", function(args) assert.equal("other", args.command) end)
        ask("one")
      end)
      it("refuses", function()
        orcs.test.tool("exec", function() return { ok = false, error = "nope" } end)
        assert.equal("nope", ask("x").metadata.answer)
      end)
      it("answers nothing", function()
        orcs.test.tool("exec", function() end)
        assert.equal("", ask("x").metadata.answer)
      end)
      it("is not there", function() ask("git status") end)
    `);
    expect(verdicts(report)).toEqual({
      answers: "passed",
      "has nothing of the test before": "passed",
      "fails with the test's own error": {
        status: "failed",
        message: "hooks/guard_test.lua:23: assert.equal failed",
        differences: [{ at: "", expected: '"other"', got: '"one"' }],
      },
      refuses: "passed",
      "answers nothing": "passed",
      "is not there": {
        status: "failed",
        message:
          'hooks/guard_test.lua:34: exec was called with {"command":"git status"}: define it with orcs.test.tool',
        differences: undefined,
      },
    });
  });

  test("usage errors", async () => {
    const report = await runSpec(`
      local guard = orcs.test.load("guard.lua")
      it("no event", function() guard:dispatch() end)
      it("no such point", function() guard:dispatch({ point = "tool.pre_excute" }) end)
      it("does not fit", function() guard:dispatch({ args = {} }) end)
      it("a dot", function() guard.dispatch({ tool = "x" }) end)
      it("no name", function() orcs.test.load() end)
      it("outside", function() orcs.test.load("../../etc/passwd") end)
      it("no function", function() orcs.test.tool("exec", "out") end)
      it("no time", function() orcs.test.advance(-1) end)
      it("nested", function() it("x", function() end) end)
    `);
    const at = "hooks/guard_test.lua";
    expect(report.tests.map(({ message }) => message)).toEqual([
      expect.stringContaining(`${at}:3: ORCS1004: the event: `),
      expect.stringContaining(
        `${at}:4: ORCS1005: the event: point: unknown hook point "tool.pre_excute"`,
      ),
      expect.stringContaining(`${at}:5: ORCS2003: `),
      `${at}:6: dispatch: call it with a colon`,
      `${at}:7: orcs.test.load: expected the name of a script`,
      expect.stringMatching(/^hooks\/guard_test\.lua:8: ORCS1009: /),
      `${at}:9: orcs.test.tool: expected a name and a function`,
      `${at}:10: orcs.test.advance: expected milliseconds, from 0`,
      `${at}:11: it must be called outside it()`,
    ]);
  });

  test("a hook under test that loops is a failed hook", async () => {
    const overrides = { lua: { max_run_ms: 400, max_chain_ms: 20_000 } };
    const report = await runSpec(
      `local guard = orcs.test.load("guard.lua")
      it("loops", function()
        local out = guard:dispatch({ tool = "x", args = { loop = true } })
        assert.equal("abort", out.action)
        assert.matches("ran longer than 400 ms", out.error)
      end)
      it("goes on", function() assert.is_nil(guard:dispatch({ tool = "x" }).error) end)`,
      { overrides },
    );
    expect(verdicts(report)).toEqual({ loops: "passed", "goes on": "passed" });
  });
});
