import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import type { Outcome, OutcomeAction } from "../../../src/core/outcome.ts";
import type { PointName } from "../../../src/core/points.ts";
import { agentVerdict } from "../../../src/formats/host-protocol.ts";

function verdict(
  point: PointName,
  before: JsonObject,
  after: Record<string, unknown>,
  action: OutcomeAction = { action: "continue" },
) {
  const decoded = {
    event: "E",
    point,
    payload: before,
    component: "agent::x",
    child: undefined,
    timeoutMs: 1000,
  };
  const ctx = {
    hook_point: point,
    component_id: "agent::x",
    channel_id: "main",
    principal: { type: "Host", id: "main" },
    timestamp_ms: 0,
    payload: after,
    metadata: {},
    depth: 0,
    max_depth: 4,
  };
  return agentVerdict(decoded, {
    ctx,
    inject: ["a", { content: "b", strategy: "user_message" }],
    ...action,
  } as Outcome);
}

const CALL = { tool_name: "exec", args: { command: "ls" } };

test("an agent verdict has no change if values are equal, in any key order", () => {
  const { input, result, context } = verdict("tool.pre_execute", CALL, {
    args: { command: "ls" },
    tool_name: "exec",
  });
  expect([input, result, context]).toEqual([undefined, undefined, "a\n\nb"]);
});

test("an agent verdict for a removed result has result null", () => {
  const before = { ...CALL, result: { stdout: "secret" } };
  expect(verdict("tool.post_execute", before, CALL).result).toBeNull();
  expect(verdict("tool.post_execute", CALL, CALL).result).toBeUndefined();
});

test.each([
  [{ action: "abort", reason: "no", hook: "h" }, "denied by hook h: no", 0],
  [
    { action: "skip", result: { a: 1 }, hook: "h" },
    'hook h skipped the tool with the result: {"a":1}',
    1,
  ],
  [
    { action: "retry", delay_ms: 5, max_retries: 3, hook: "h" },
    "hook h requests a retry in 5 ms",
    1,
  ],
] as const)("an agent verdict for %o denies", (action, refusal, downgrades) => {
  const got = verdict("tool.pre_execute", CALL, CALL, action);
  expect(got.refusal).toBe(refusal);
  expect(got.downgrades).toHaveLength(downgrades);
});

test("an agent verdict for retry at a post point does not deny, and has a downgrade note", () => {
  const retry = { action: "retry", delay_ms: 5, max_retries: 3, hook: "h" } as const;
  const got = verdict("tool.post_execute", CALL, CALL, retry);
  expect([got.refusal, got.downgrades.length]).toEqual([undefined, 1]);
});

test("an agent verdict without a reason names the hook", () => {
  const ask = { action: "continue", decision: "ask", hook: "h" } as const;
  expect(verdict("tool.pre_execute", CALL, CALL, ask)).toMatchObject({
    decision: "ask",
    reason: "hook h",
  });
});
