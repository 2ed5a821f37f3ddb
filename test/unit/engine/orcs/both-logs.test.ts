import { describe, expect, test } from "vitest";
import type { DispatchLog, SettledDispatch } from "../../../../src/core/dispatch-log.ts";
import type { Outcome } from "../../../../src/core/outcome.ts";
import { teeLog } from "../../../../src/engine/orcs/audit/audit-trail.ts";

const ctx = { metadata: {} } as Outcome["ctx"];
const outcome = (reason: string): Outcome => ({
  action: "abort",
  reason,
  hook: "h",
  ctx,
  inject: [],
});
const PLAIN: Outcome = { action: "continue", ctx, inject: [] };

function settled(of: Outcome, more: Partial<SettledDispatch> = {}): SettledDispatch {
  const rest = { failures: [], changed: [], by: undefined, duration_ms: 0, ...more };
  return { point: {}, began: ctx, caller: {}, outcome: of, ...rest } as unknown as SettledDispatch;
}

/** A log that keeps what it is given; its answer is another one, none, or the same. */
class Kept implements DispatchLog {
  readonly taken: Outcome[] = [];
  readonly all: boolean;
  readonly #answer: Outcome | "same" | undefined;

  constructor(answer: Outcome | "same" | undefined, all = false) {
    this.#answer = answer;
    this.all = all;
  }

  take({ outcome: of }: SettledDispatch): Promise<Outcome> | undefined {
    this.taken.push(of);
    const answer = this.#answer;
    return answer && Promise.resolve(answer === "same" ? of : answer);
  }
}

test("teeLog of one log is that log, of none is undefined", () => {
  const log = new Kept("same");
  expect(teeLog(log, undefined)).toBe(log);
  expect(teeLog(undefined, log)).toBe(log);
  expect(teeLog(undefined, undefined)).toBeUndefined();
});

describe("teeLog of two logs", () => {
  const given = outcome("by the hook");
  const one = outcome("one");
  const two = outcome("two");
  const ANSWERS: readonly [string, Kept, Kept, Outcome | undefined][] = [
    ["neither waits", new Kept(undefined), new Kept(undefined), undefined],
    ["the first waits", new Kept("same"), new Kept(undefined), given],
    ["the second waits", new Kept(undefined), new Kept("same"), given],
    ["both wait", new Kept("same"), new Kept("same"), given],
    ["the first could not", new Kept(one), new Kept("same"), one],
    ["the second could not", new Kept("same"), new Kept(two), two],
    ["neither could", new Kept(one), new Kept(two), one],
    ["the first could not, the other does not wait", new Kept(one), new Kept(undefined), one],
  ];
  test.each(ANSWERS)("%s", async (_, first, second, answer) => {
    expect(await teeLog(first, second)?.take(settled(given))).toBe(answer);
    // Both are told what the hooks decided, whatever became of the other.
    expect([first.taken, second.taken]).toEqual([[given], [given]]);
  });

  test.each([
    [false, false],
    [true, false],
    [false, true],
    [true, true],
  ])("a dispatch without a decision goes only to the logs that take all: %s, %s", async (a, b) => {
    const first = new Kept("same", a);
    const second = new Kept("same", b);
    const log = teeLog(first, second);
    expect(log?.all).toBe(a || b);
    await log?.take(settled(PLAIN));
    expect([first.taken.length, second.taken.length]).toEqual([Number(a), Number(b)]);
  });

  const SAYING: readonly [string, SettledDispatch][] = [
    ["a decision", settled({ ...PLAIN, decision: "ask" } as Outcome)],
    ["a failure", settled(PLAIN, { failures: [{}] as never })],
    ["a change", settled(PLAIN, { changed: [{}] as never })],
  ];
  test.each(SAYING)("%s goes to both", async (_, dispatch) => {
    const logs = [new Kept("same", true), new Kept("same")] as const;
    await teeLog(...logs)?.take(dispatch);
    expect(logs.map(({ taken }) => taken.length)).toEqual([1, 1]);
  });
});
