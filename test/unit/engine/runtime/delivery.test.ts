import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { quickTest as test, repeatedTest, runCount } from "../../../slow-test.ts";
import type { Request } from "../../../../src/core/component.ts";
import { OrcsError } from "../../../../src/core/errors.ts";
import type { Json } from "../../../../src/core/json.ts";
import type { CallState } from "../../../../src/engine/runtime/caller-identity.ts";
import { Delivery } from "../../../../src/engine/runtime/delivery.ts";
import { ManualClock, settle } from "./rig.ts";

const REQUEST: Request = {
  id: "req-1",
  category: "Request",
  operation: "ask",
  source: "host::main",
  target: "builtin::a",
  payload: null,
  timeout_ms: 100,
};
const CALL: CallState = {
  depth: 0,
  metadata: {},
  principal: { type: "Host", id: "main" },
  via: [],
};

/** A request in delivery, and each answer that came of it. */
function sent(clock = new ManualClock()) {
  const answers: (Json | OrcsError)[] = [];
  const delivery = new Delivery(REQUEST, CALL, clock, {
    resolve: (answer) => answers.push(answer),
    reject: (error) => answers.push(error),
  });
  return { clock, delivery, answers };
}

const cancelled = new OrcsError("ORCS6014", "cancelled");

describe("a delivery is answered once", () => {
  const ends = fc.constantFrom("answer", "fail", "expire", "arm", "taken");

  repeatedTest("in any order of attempts, the first counts", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(ends, { maxLength: 8 }), async (tried) => {
        const { clock, delivery, answers } = sent();
        let withdrawn = 0;
        delivery.queued(() => withdrawn++);
        const settling = ["answer", "fail", "expire"];
        let isTaken = false;
        for (const end of tried) {
          const wasSettled = delivery.isSettled;
          if (end === "taken") {
            isTaken ||= !wasSettled;
            delivery.taken();
          }
          if (end === "answer") delivery.answer(1);
          if (end === "fail") delivery.fail(cancelled);
          if (end === "arm") delivery.arm(1000);
          if (end === "expire") {
            delivery.arm(10);
            await clock.advance(10_000);
          }
        }
        const first = tried.find((end) => settling.includes(end));
        expect(answers).toHaveLength(first === undefined ? 0 : 1);
        expect(delivery.isSettled).toBe(first !== undefined);
        if (first === "answer") expect(answers).toEqual([1]);
        if (first === "fail") expect(answers).toEqual([cancelled]);
        if (first === "expire") expect(answers).toMatchObject([{ code: "ORCS6003" }]);
        expect(withdrawn).toBe(first === undefined || isTaken ? 0 : 1);
      }),
      { numRuns: runCount(60) },
    );
  });
});

describe("the timeout of a delivery", () => {
  test("counts from sending, not from arming", async () => {
    const { clock, delivery, answers } = sent();
    await clock.advance(60);
    delivery.arm(100);
    await clock.advance(39);
    expect(answers).toEqual([]);
    await clock.advance(1);
    expect(answers).toMatchObject([
      { code: "ORCS6003", fields: { target: "builtin::a", operation: "ask", timeout_ms: 100 } },
    ]);
  });

  test.each([
    ["more", 300, 299],
    ["less", 50, 49],
  ])("armed again with %s replaces the previous one", async (_, ms, before) => {
    const { clock, delivery, answers } = sent();
    delivery.arm(100);
    delivery.arm(ms);
    await clock.advance(before);
    expect(answers).toEqual([]);
    await clock.advance(1);
    expect(answers).toHaveLength(1);
    expect(clock.size).toBe(0);
  });

  test("shorter than the elapsed time expires asynchronously", async () => {
    const { clock, delivery, answers } = sent();
    await clock.advance(60);
    delivery.arm(50);
    expect(answers).toEqual([]);
    await clock.advance(0);
    expect(answers).toHaveLength(1);
  });

  test("is cleared by the response", async () => {
    const { clock, delivery } = sent();
    delivery.arm(100);
    await settle();
    expect(clock.size).toBe(1);
    delivery.answer(null);
    await settle();
    expect(clock.size).toBe(0);
  });

  test("starts no timer if answered in the same event loop turn, or armed after", async () => {
    const { clock, delivery } = sent();
    delivery.arm(100);
    delivery.answer(null);
    delivery.arm(100);
    await settle();
    expect(clock.size).toBe(0);
  });

  test("of an event counts from arming", async () => {
    const clock = new ManualClock();
    await clock.advance(1000);
    const event = new Delivery(REQUEST, CALL, clock);
    await clock.advance(1000);
    event.arm(100);
    await clock.advance(99);
    expect(event.isSettled).toBe(false);
    await clock.advance(1);
    expect(event.isSettled).toBe(true);
  });
});

describe("the signal of a delivery", () => {
  test("is aborted with the error", () => {
    const { delivery } = sent();
    const { signal } = delivery;
    expect(signal.aborted).toBe(false);
    delivery.fail(cancelled);
    expect(signal.reason).toBe(cancelled);
  });

  test("is already aborted if requested after the failure", () => {
    const { delivery } = sent();
    delivery.fail(cancelled);
    expect(delivery.signal).toMatchObject({ aborted: true, reason: cancelled });
  });

  test("is always the same object", () => {
    const { delivery } = sent();
    expect(delivery.signal).toBe(delivery.signal);
  });
});

test("an event delivery is not awaited", () => {
  const event = new Delivery(REQUEST, CALL, new ManualClock());
  expect(event.isAwaited).toBe(false);
  expect(sent().delivery.isAwaited).toBe(true);
  event.answer(1);
  event.fail(cancelled);
  expect(event.isSettled).toBe(true);
});
