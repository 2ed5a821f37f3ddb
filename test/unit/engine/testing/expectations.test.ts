import { describe, expect, test } from "vitest";
import { runScript, script, verdicts } from "./rig.ts";
import { rows } from "../../../rows.ts";

const EVENT =
  'event = { tool = "x", args = { a = 1, list = { 1, 2 }, deep = { b = "text", c = true } } }';

/** What a handler does, what is expected of it, and where that is not met: `-` for nothing. */
const CASES = rows(`
action | - | action = "continue" | -
action | - | action = "abort" | action
abort | return orcs.deny("no") | action = "abort", decision = "deny", hook = "h" | -
abort | return orcs.deny("no") | decision = "allow" | decision
abort | return orcs.deny("no") | hook = "other" | hook
reason | return orcs.deny("no") | reason = "no" | -
reason is exact | return orcs.deny("no!") | reason = "no" | reason
reason by pattern | return orcs.deny("no 42") | reason = { matches = "^no %d+$" } | -
reason by pattern | return orcs.deny("no x") | reason = { matches = "^no %d+$" } | reason
reason of nothing | - | reason = { matches = "" } | reason
unicode | return orcs.deny("nö 🎈") | reason = "nö 🎈" | -
unicode | return orcs.deny("nö 🎈") | reason = "nö 🎉" | reason
ask | return orcs.ask("sure?") | decision = "ask", reason = "sure?", hook = "h" | -
allow | return orcs.allow() | decision = "ask" | decision
skip | return orcs.skip({ ok = true, n = 1 }) | action = "skip", result = { ok = true, n = 1 } | -
skip | return orcs.skip({ ok = true, n = 1 }) | result = { ok = true } | result.n
skip | return orcs.skip({ ok = true }) | result = { ok = false, n = 1 } | result.n, result.ok
skip with null | return orcs.skip() | action = "skip", result = orcs.null | -
skip with a list | return orcs.skip(orcs.array()) | result = {} | -
skip with an object | return orcs.skip({}) | result = {} | -
skip with text | return orcs.skip("a") | result = {} | result
retry | return orcs.retry(50) | action = "retry", delay_ms = 50 | -
retry | return orcs.retry(50) | delay_ms = 51 | delay_ms
payload in part | ctx.payload.args.a = 2 | payload = { args = { a = 2 } } | -
payload in part | ctx.payload.args.a = 2 | payload = { args = { a = 1 } } | payload.args.a
payload, deep | ctx.payload.args.deep.b = "o" | payload = { args = { deep = { b = "text" } } } | payload.args.deep.b
payload, deep pattern | - | payload = { args = { deep = { b = { matches = "^te" } } } } | -
payload, deep pattern | - | payload = { args = { deep = { b = { matches = "^xe" } } } } | payload.args.deep.b
a list is whole | - | payload = { args = { list = { 1, 2 } } } | -
a list is whole | - | payload = { args = { list = { 1 } } } | payload.args.list
a list item | - | payload = { args = { list = { 1, 3 } } } | payload.args.list[2]
an absent key | ctx.payload.args.a = nil | payload = { args = { a = orcs.null } } | -
an absent key | - | payload = { args = { a = orcs.null } } | payload.args.a
a missing key | - | payload = { args = { zz = 1 } } | payload.args.zz
true is not 1 | - | payload = { args = { deep = { c = 1 } } } | payload.args.deep.c
metadata in part | ctx.metadata.a = 1 ctx.metadata.b = "x" | metadata = { a = 1 } | -
metadata | ctx.metadata.a = 1 | metadata = { a = 2 } | metadata.a
an odd key | ctx.metadata["a b"] = 1 | metadata = { ["a b"] = 2 } | metadata["a b"]
inject | return orcs.inject("t") | inject = "t" | -
inject | return orcs.inject("t") | inject = { "t" } | -
inject | return orcs.inject({ "t", "u" }) | inject = "t" | inject
inject with strategy | return orcs.inject({ content = "t", strategy = "tool_result" }) | inject = "t" | -
inject with strategy | return orcs.inject({ content = "t", strategy = "tool_result" }) | inject = { { content = "t",
  strategy = "user_message" } } | inject
inject by pattern | return orcs.inject("turn 3") | inject = { { matches = "%d" } } | -
no inject | - | inject = {} | -
no inject | return orcs.inject("t") | inject = {} | inject
error | error("boom") | error = "boom" | -
error | error("boom") | error = "bang" | error
error by pattern | error("boom") | error = { matches = "h%.lua:%d+: boom" } | -
no error | - | error = "boom" | error
an answer that makes no sense | return { acton = "abort" } | error = "acton" | -
an error and what came of it | error("boom") | error = "boom", action = "abort" | -
an error that is not expected | error("boom") | action = "abort" | error
logs | orcs.log("warn", "careful: x") print("p") | logs = { "careful", "info: p" } | -
logs in order | print("a") print("b") | logs = { "b", "a" } | logs
logs by pattern | print("n 12") | logs = { { matches = "n %d%d$" } } | -
what is given out | orcs.emit_output("o") | logs = { "output: o" } | -
no logs | - | logs = {} | -
no logs | print("a") | logs = {} | logs
`);

describe("expectations of a test", () => {
  test.each(CASES)("%s: %s → %s", async (_, does = "", expected, at = "") => {
    const [handler, unmet] = [does === "-" ? "" : does, at === "-" ? [] : at.split(", ")];
    const tests = `{ "it", ${EVENT}, expect = { ${expected} } },`;
    const { tests: results, mistakes } = await runScript(script(handler, tests));
    expect(mistakes).toEqual([]);
    expect(results[0]?.differences?.map(({ at }) => at) ?? []).toEqual(unmet);
    expect(results.map(({ status }) => status)).toEqual([unmet.length > 0 ? "failed" : "passed"]);
  });

  test("replace at a post point, and by an edit in place", async () => {
    const text = `return {
      { id = "r", point = "tool.post_execute", match = { tool = "r" },
        handler = function() return orcs.replace({ n = 2 }) end,
        tests = {
          { "replaced", event = { tool = "r", result = { n = 1 } },
            expect = { action = "replace", hook = "r", result = { n = 2 } } },
          { "not", event = { tool = "r", result = { n = 1 } }, expect = { result = { n = 1 } } },
        } },
      { id = "e", point = "tool.post_execute", match = { tool = "e" },
        handler = function(ctx) ctx.payload.result.n = 3 end,
        tests = { { "edited", event = { tool = "e", result = { n = 1 } },
          expect = { action = "continue", result = { n = 3 } } } } },
      { id = "w", point = "tool.pre_execute",
        handler = function() return orcs.replace(1) end,
        tests = { { "a warning", event = { tool = "w" },
          expect = { action = "continue", logs = { "replace has no effect" } } } } },
    }`;
    expect(verdicts(await runScript(text))).toEqual({
      replaced: "passed",
      not: {
        status: "failed",
        message: undefined,
        differences: [{ at: "result.n", expected: 1, got: 2 }],
      },
      edited: "passed",
      "a warning": "passed",
    });
  });

  test("an invalid pattern fails its test only", async () => {
    const tests = `
      { "bad", event = { tool = "x" }, expect = { reason = { matches = "%" } } },
      { "good", event = { tool = "x" }, expect = { reason = { matches = "n" } } },`;
    const report = await runScript(script('return orcs.deny("no")', tests));
    expect(report.tests.map(({ status }) => status)).toEqual(["failed", "passed"]);
    expect(report.tests[0]?.message).toContain("malformed pattern");
  });
});
