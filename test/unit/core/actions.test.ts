import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DECISIONS, readAnswer, strongerDecision } from "../../../src/core/actions.ts";
import type { Action, Decision } from "../../../src/core/actions.ts";

const parsed = (text: string): unknown => JSON.parse(text);

describe("readAnswer", () => {
  it.each<[string, unknown, Action]>([
    ["nothing", undefined, { action: "continue" }],
    ["continue", { action: "continue" }, { action: "continue" }],
    ["continue with ctx", { action: "continue", ctx: {} }, { action: "continue" }],
    ["skip", { action: "skip", result: { a: 1 } }, { action: "skip", result: { a: 1 } }],
    ["skip with nothing", { action: "skip" }, { action: "skip", result: null }],
    ["skip with null", { action: "skip", result: null }, { action: "skip", result: null }],
    ["skip with false", { action: "skip", result: false }, { action: "skip", result: false }],
    ["abort", { action: "abort", reason: "no" }, { action: "abort", reason: "no" }],
    ["abort, no reason", { action: "abort" }, { action: "abort", reason: "no reason given" }],
    [
      "abort, empty reason",
      { action: "abort", reason: "" },
      { action: "abort", reason: "no reason given" },
    ],
    ["replace", { action: "replace", result: 0 }, { action: "replace", result: 0 }],
    ["replace with null", { action: "replace", result: null }, { action: "replace", result: null }],
    ["retry", { action: "retry", delay_ms: 5 }, { action: "retry", delay_ms: 5 }],
    ["retry at once", { action: "retry" }, { action: "retry", delay_ms: 0 }],
    [
      "allow",
      { action: "continue", decision: "allow", reason: "r" },
      { action: "continue", decision: "allow", reason: "r" },
    ],
    ["bare allow", { decision: "allow" }, { action: "continue", decision: "allow" }],
    ["bare ask", { decision: "ask" }, { action: "continue", decision: "ask" }],
    ["bare defer", { decision: "defer" }, { action: "continue", decision: "defer" }],
    ["bare deny", { decision: "deny", reason: "no" }, { action: "abort", reason: "no" }],
    [
      "deny with action",
      { action: "continue", decision: "deny", reason: "no" },
      { action: "abort", reason: "no" },
    ],
    ["deny, no reason", { decision: "deny" }, { action: "abort", reason: "no reason given" }],
    ["inject", { inject: "text" }, { action: "continue", inject: ["text"] }],
    [
      "inject, several",
      { action: "continue", inject: ["a", "b"] },
      { action: "continue", inject: ["a", "b"] },
    ],
    ["inject, a content", { inject: { content: "a" } }, { action: "continue", inject: ["a"] }],
    [
      "inject, with a strategy",
      { inject: [{ content: "a", strategy: "user_message" }, "b"] },
      { action: "continue", inject: [{ content: "a", strategy: "user_message" }, "b"] },
    ],
    ["inject, none", { inject: [] }, { action: "continue", inject: [] }],
    ["stop", { stop: true }, { action: "continue", stop: true }],
    ["no stop", { stop: false }, { action: "continue", stop: false }],
    ["reason alone", { reason: "because" }, { action: "continue", reason: "because" }],
    [
      "all of them",
      { decision: "ask", reason: "r", inject: "i", stop: true },
      { action: "continue", decision: "ask", reason: "r", inject: ["i"], stop: true },
    ],
  ])("accepts %s", (_, answer, action) => {
    expect(readAnswer(answer)).toEqual({ ok: true, action });
  });

  it.each<[string, unknown, string]>([
    ["null", null, "returned null"],
    ["a string", "abort", 'returned "abort"'],
    ["an empty string", "", 'returned ""'],
    ["a number", 1, "returned the number 1"],
    ["true", true, "returned the boolean true"],
    ["false", false, "returned the boolean false"],
    ["a list", [{ action: "abort" }], "returned a list"],
    ["an empty list", [], "returned a list"],
    ["an empty table", {}, "empty table"],
    ["an unknown action", { action: "deny" }, 'unknown action "deny"'],
    ["an action of other case", { action: "Abort" }, 'unknown action "Abort"'],
    ["an action with a space", { action: "abort " }, 'unknown action "abort "'],
    ["an action of Object's", { action: "constructor" }, 'unknown action "constructor"'],
    ["an action of Object's", { action: "__proto__" }, 'unknown action "__proto__"'],
    ["an action that is a number", { action: 1 }, "unknown action the number 1"],
    ["an action that is null", { action: null }, "unknown action null"],
    ["an action that is a list", { action: ["abort"] }, "unknown action a list"],
    ["a misspelt action key", { acton: "abort", reason: "r" }, '"acton"'],
    ["a context", { hook_point: "x", payload: {} }, '"hook_point"'],
    ["bare ctx", { ctx: {} }, '"ctx"'],
    ["bare result", { result: 1 }, '"result"'],
    ["bare delay_ms", { delay_ms: 1 }, '"delay_ms"'],
    ["__proto__ as a key", parsed('{"__proto__":{"action":"continue"}}'), '"__proto__"'],
    [
      "__proto__ beside an action",
      parsed('{"action":"continue","__proto__":{}}'),
      'unknown key "__proto__"',
    ],
    ["then", parsed('{"then":1}'), '"then"'],
    ["continue with a result", { action: "continue", result: 1 }, 'unknown key "result"'],
    ["continue with a payload", { action: "continue", payload: {} }, 'unknown key "payload"'],
    ["skip with ctx", { action: "skip", ctx: {} }, 'unknown key "ctx"'],
    ["skip with a decision", { action: "skip", decision: "allow" }, 'unknown key "decision"'],
    ["skip with inject", { action: "skip", inject: "x" }, 'unknown key "inject"'],
    ["abort with a result", { action: "abort", result: 1 }, 'unknown key "result"'],
    ["abort with stop", { action: "abort", stop: true }, 'unknown key "stop"'],
    ["abort with a message", { action: "abort", message: "m" }, 'unknown key "message"'],
    ["abort, reason a number", { action: "abort", reason: 1 }, "the number 1 as reason"],
    ["abort, reason null", { action: "abort", reason: null }, "null as reason"],
    ["continue, reason a table", { decision: "ask", reason: {} }, "a table as reason"],
    ["replace without a result", { action: "replace" }, "replace without a result"],
    ["replace with a value", { action: "replace", value: 1 }, 'unknown key "value"'],
    ["retry, delay a string", { action: "retry", delay_ms: "5" }, '"5" as delay_ms'],
    ["retry, delay negative", { action: "retry", delay_ms: -1 }, "the number -1 as delay_ms"],
    ["retry, delay NaN", { action: "retry", delay_ms: NaN }, "the number NaN as delay_ms"],
    ["retry, delay endless", { action: "retry", delay_ms: Infinity }, "delay_ms"],
    ["retry, delay null", { action: "retry", delay_ms: null }, "null as delay_ms"],
    ["retry with a delay", { action: "retry", delay: 5 }, 'unknown key "delay"'],
    ["an unknown decision", { decision: "maybe" }, 'unknown decision "maybe"'],
    ["a decision of other case", { decision: "Deny" }, 'unknown decision "Deny"'],
    ["a decision true", { decision: true }, "unknown decision the boolean true"],
    ["a decision null", { decision: null }, "unknown decision null"],
    ["stop as a string", { stop: "true" }, '"true" as stop'],
    ["stop as a number", { stop: 1 }, "the number 1 as stop"],
    ["stop null", { stop: null }, "null as stop"],
    ["inject a number", { inject: 1 }, "inject"],
    ["inject null", { inject: null }, "inject"],
    ["inject a table", { inject: { text: "x" } }, "inject"],
    ["inject an unknown strategy", { inject: { content: "a", strategy: "shout" } }, "inject"],
    ["inject a content that is no text", { inject: { content: 1 } }, "inject"],
    ["inject a stray key", { inject: { content: "a", to: "x" } }, "inject"],
    ["inject a list in a list", { inject: [["a"]] }, "inject"],
    ["inject a mixed list", { inject: ["a", 1] }, "inject"],
  ])("rejects %s", (_, answer, why) => {
    const read = readAnswer(answer);
    expect(read.ok).toBe(false);
    expect(read.ok ? "" : read.why).toContain(why);
  });

  it("ignores inherited keys", () => {
    const answer: unknown = Object.create({ action: "skip" });
    expect(readAnswer(answer).ok).toBe(false);
  });

  it("truncates what it quotes", () => {
    const read = readAnswer({ action: "x".repeat(10_000) });
    expect(read.ok ? "" : read.why).toMatch(/x{60}…/);
    expect(read.ok ? "" : read.why.length).toBeLessThan(250);
  });

  it("accepts any JSON value without throwing", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (answer) => {
        const read = readAnswer(answer);
        expect(read.ok ? "" : typeof read.why).toBe(read.ok ? "" : "string");
      }),
    );
  });
});

it("strongerDecision orders deny > defer > ask > allow > none", () => {
  const order: (Decision | undefined)[] = [undefined, "allow", "ask", "defer"];
  for (const [i, a] of order.entries()) {
    for (const [j, b] of order.entries())
      expect(strongerDecision(a, b), `${a} ${b}`).toBe(order[Math.max(i, j)]);
  }
  expect([...DECISIONS].toSorted()).toEqual(["allow", "ask", "defer"]);
});
