import { describe, expect } from "vitest";
import { ACTION_TABLE } from "../../src/core/actions.ts";
import type { ActionName, Verdict } from "../../src/core/actions.ts";
import type { FailureMode } from "../../src/core/hook.ts";
import type { Outcome } from "../../src/core/outcome.ts";
import type { PointSpec } from "../../src/core/points.ts";
import { bench, frozen, hook, POINTS, sync } from "../unit/engine/registry/hooks.ts";
import { quickTest, repeatedTest as it, shareOf } from "../slow-test.ts";

type Kind = keyof typeof ACTION_TABLE;

/** design.md §4, by hand: columns continue, skip, abort, replace, retry. */
const BY_HAND: Record<Kind, string> = {
  //         continue skip  abort replace retry
  pre: "     legal    legal legal warn    legal",
  post: "    legal    fail  legal legal   legal",
  on: "      legal    fail  fail  warn    fail",
  question: "legal    fail  fail  legal   fail",
};
const ACTIONS: readonly ActionName[] = ["continue", "skip", "abort", "replace", "retry"];
const DECISIONS = [undefined, "allow", "ask", "defer", "deny"] as const;

const expectedVerdict = (kind: Kind, action: ActionName): string | undefined =>
  BY_HAND[kind].trim().split(/\s+/)[ACTIONS.indexOf(action)];

describe("the action table", () => {
  quickTest("equals the documented one", () => {
    expect(Object.keys(ACTION_TABLE).toSorted()).toEqual(Object.keys(BY_HAND).toSorted());
    for (const [kind, row] of Object.entries(ACTION_TABLE)) {
      expect(Object.keys(row).toSorted()).toEqual([...ACTIONS].toSorted());
      for (const action of ACTIONS) {
        expect(row[action], `${kind} ${action}`).toBe(expectedVerdict(kind as Kind, action));
      }
    }
  });
});

const kindOf = (point: PointSpec): Kind => (point.question ? "question" : point.phase);
/**
 * The built-in points and the tests' own, with what the table row of each is. Those of one kind are much like each other.
 */
const points = (["pre", "post", "on", "question"] as const)
  .flatMap((kind) =>
    shareOf(
      POINTS.all.filter((point) => kindOf(point) === kind),
      3,
    ),
  )
  .map((point) => [point.name, kindOf(point), point] as const);

/** A payload that fits any point, and a result that fits that point's result key. */
const PAYLOAD = {
  tool_name: "t",
  tool: "t",
  args: {},
  id: "r",
  operation: "o",
  prompt: "p",
  user_prompt: "p",
  event: "e",
};
function payloadFor(point: PointSpec): { payload: Record<string, unknown>; next: unknown } {
  const kind = point.keys[point.resultKey]?.kind;
  const [was, next] =
    kind === "string"
      ? ["was", "next"]
      : kind === "integer"
        ? [1, 2]
        : kind === "list"
          ? [[1], [2]]
          : [{ was: 1 }, { next: 1 }];
  return { payload: { ...PAYLOAD, [point.resultKey]: was }, next };
}

interface Ran {
  outcome: Outcome;
  warnings: string[];
  errors: string[];
  /** What the hook behind saw as the result; undefined when it was not asked. */
  behind: { result: unknown } | undefined;
}

/** Dispatch with one hook that edits metadata and answers, and one behind it that looks. */
async function run(
  point: PointSpec,
  answer: unknown,
  { waits = false, onError }: { waits?: boolean; onError?: FailureMode } = {},
): Promise<Ran> {
  const { registry, log } = bench();
  registry.register(
    hook(
      (ctx) => {
        ctx.metadata["edited"] = true;
        return waits ? Promise.resolve(answer) : answer;
      },
      { id: "h", point: point.name, onError },
    ),
  );
  let behind: Ran["behind"];
  registry.register(
    hook(
      (ctx) => {
        behind = { result: structuredClone(ctxResult(ctx.payload, point)) };
      },
      { id: "behind", point: point.name },
    ),
  );
  const outcome = registry.dispatch(point.name, frozen(payloadFor(point).payload), { trace: true });
  return {
    outcome: waits ? await outcome : sync(outcome),
    warnings: log.of("warn"),
    errors: log.of("error"),
    behind,
  };
}

function ctxResult(payload: Record<string, unknown>, point: PointSpec): unknown {
  const result = payload[point.resultKey];
  return result === undefined ? undefined : (JSON.parse(JSON.stringify(result)) as unknown);
}

function answerOf(action: ActionName, point: PointSpec): Record<string, unknown> {
  switch (action) {
    case "continue":
      return { action };
    case "skip":
    case "replace":
      return { action, result: payloadFor(point).next };
    case "abort":
      return { action, reason: "because" };
    case "retry":
      return { action, delay_ms: 7 };
  }
}

/** A failed hook: no trace in the context, `on_error` decides. */
function expectFailed({ outcome, errors, behind }: Ran, point: PointSpec, mode: FailureMode): void {
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain(`hook h failed at ${point.name}`);
  expect(outcome.trace?.[0]).toMatchObject({ id: "h", status: "failed" });
  expect(outcome.ctx.metadata).toEqual({});
  expect(outcome.ctx.payload).toEqual(payloadFor(point).payload);
  if (mode === "open") {
    expect(outcome.action).toBe("continue");
    expect(behind).toBeDefined();
  } else {
    expect(outcome).toMatchObject({ action: "abort", hook: "h" });
    expect(outcome.action === "abort" ? outcome.reason : "").toMatch(/^hook h failed: /);
    expect(behind).toBeUndefined();
  }
}

function expectTaken(ran: Ran, point: PointSpec, action: ActionName): void {
  const { outcome, warnings, errors, behind } = ran;
  const { payload, next } = payloadFor(point);
  expect(errors).toEqual([]);
  expect(warnings).toEqual([]);
  expect(outcome.trace?.[0]).toMatchObject({ id: "h", status: "ran", action });
  expect(outcome.ctx.metadata).toEqual({ edited: true });
  switch (action) {
    case "continue":
      expect(outcome.action).toBe("continue");
      expect(behind).toEqual({ result: payload[point.resultKey] });
      return;
    case "replace":
      expect(outcome.action).toBe("continue");
      expect(behind).toEqual({ result: next });
      expect(outcome.ctx.payload).toEqual({ ...payload, [point.resultKey]: next });
      return;
    case "skip":
      expect(outcome).toMatchObject({ action: "skip", result: next, hook: "h" });
      break;
    case "abort":
      expect(outcome).toMatchObject({ action: "abort", reason: "because", hook: "h" });
      break;
    case "retry":
      expect(outcome).toMatchObject({ action: "retry", delay_ms: 7, hook: "h" });
      break;
  }
  expect(behind).toBeUndefined();
  expect(outcome.trace?.[1]).toEqual({ id: "behind", status: "not_reached" });
  expect(outcome.ctx.payload).toEqual(payload);
}

function expectWarned({ outcome, warnings, errors, behind }: Ran, point: PointSpec): void {
  expect(errors).toEqual([]);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain("hook h: replace has no effect");
  expect(warnings[0]).toContain(point.name);
  expect(outcome.action).toBe("continue");
  expect(outcome.ctx.metadata).toEqual({ edited: true });
  expect(outcome.ctx.payload).toEqual(payloadFor(point).payload);
  expect(behind).toEqual({ result: payloadFor(point).payload[point.resultKey] });
}

function expectVerdict(verdict: Verdict, ran: Ran, point: PointSpec, action: ActionName): void {
  if (verdict === "legal") expectTaken(ran, point, action);
  else if (verdict === "warn") expectWarned(ran, point);
  else expectFailed(ran, point, point.phase === "pre" ? "closed" : "open");
}

describe("every point × every action", () => {
  it.each(points)("%s (%s)", async (_, kind, point) => {
    for (const action of ACTIONS) {
      for (const waits of [false, true]) {
        const ran = await run(point, answerOf(action, point), { waits });
        expectVerdict(ACTION_TABLE[kind][action], ran, point, action);
      }
    }
  });

  it.each(points)("%s (%s) with on_error set", async (_, kind, point) => {
    for (const action of ACTIONS) {
      for (const onError of ["open", "closed"] as const) {
        const ran = await run(point, answerOf(action, point), { onError });
        if (ACTION_TABLE[kind][action] === "fail") expectFailed(ran, point, onError);
        else expectVerdict(ACTION_TABLE[kind][action], ran, point, action);
      }
    }
  });
});

/** Which decisions a point of each kind takes; deny is an abort. */
function decisionVerdict(kind: Kind, decision: (typeof DECISIONS)[number]): Verdict {
  if (decision === undefined) return "legal";
  if (decision === "deny") return expectedVerdict(kind, "abort") as Verdict;
  return kind === "pre" ? "legal" : "fail";
}

describe("every point × every decision", () => {
  it.each(points)("%s (%s)", async (_, kind, point) => {
    for (const decision of DECISIONS) {
      for (const bare of [false, true]) {
        const said = { ...(decision && { decision }), reason: "because" };
        const ran = await run(point, bare ? said : { action: "continue", ...said });
        const verdict = decisionVerdict(kind, decision);
        // At a post point nobody is asked any more: only deny counts there.
        if (verdict === "fail") {
          expectFailed(ran, point, "open");
        } else if (decision === "deny") {
          expectTaken(ran, point, "abort");
        } else {
          expectTaken(ran, point, "continue");
          expect(ran.outcome).toMatchObject({
            action: "continue",
            ...(decision && { decision, reason: "because", hook: "h" }),
          });
          expect("decision" in ran.outcome).toBe(decision !== undefined);
        }
      }
    }
  });
});

describe("every point × other keys of continue", () => {
  it.each(points)("%s (%s)", async (_, __, point) => {
    const injected = await run(point, { inject: ["a", "b"] });
    expectTaken(injected, point, "continue");
    expect(injected.outcome.inject).toEqual(["a", "b"]);

    const stopped = await run(point, { action: "continue", stop: true });
    expect(stopped.outcome.action).toBe("continue");
    expect(stopped.outcome.trace?.[1]).toEqual({ id: "behind", status: "not_reached" });
    expect(stopped.outcome.ctx.metadata).toEqual({ edited: true });
    expect(stopped.errors).toEqual([]);

    expectTaken(await run(point, undefined), point, "continue");
    expectTaken(await run(point, null), point, "continue");
  });
});

describe("every point × invalid results", () => {
  const nonsense = [5, "abort", true, [], {}, { action: "dance" }, { action: "continue", x: 1 }];
  it.each(points)("%s (%s)", async (_, __, point) => {
    for (const answer of nonsense) {
      const ran = await run(point, answer);
      expectFailed(ran, point, point.phase === "pre" ? "closed" : "open");
    }
  });
});
