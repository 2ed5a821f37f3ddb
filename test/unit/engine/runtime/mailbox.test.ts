import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { Mailbox } from "../../../../src/engine/runtime/channel-runner.ts";
import { quickTest as test, repeatedTest, runCount, slowTest } from "../../../slow-test.ts";

interface Letter {
  readonly number: number;
  isWithdrawn: boolean;
}

const isWithdrawn = (letter: Letter): boolean => letter.isWithdrawn;

type Step =
  | { readonly does: "push" | "shift" }
  | { readonly does: "withdraw"; readonly at: number };

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constant<Step>({ does: "push" }) },
    { weight: 3, arbitrary: fc.constant<Step>({ does: "shift" }) },
    {
      weight: 2,
      arbitrary: fc.record({ does: fc.constant("withdraw" as const), at: fc.nat(50) }),
    },
  ),
  { maxLength: 200 },
);

/** The mailbox against a list from which the withdrawn are simply gone. */
function agrees(most: number, script: readonly Step[]): void {
  const mailbox = new Mailbox<Letter>(most, isWithdrawn);
  const model: Letter[] = [];
  let made = 0;
  for (const step of script) {
    if (step.does === "push") {
      const letter = { number: made++, isWithdrawn: false };
      const hasRoom = model.length < most;
      expect(mailbox.push(letter)).toBe(hasRoom);
      if (hasRoom) model.push(letter);
    } else if (step.does === "shift") {
      expect(mailbox.shift()?.number).toBe(model.shift()?.number);
    } else if (step.does === "withdraw" && model.length > 0) {
      const [letter] = model.splice(step.at % model.length, 1);
      letter!.isWithdrawn = true;
      mailbox.withdraw();
    }
    expect(mailbox.size).toBe(model.length);
  }
  while (model.length > 0) {
    expect(mailbox.shift()?.number).toBe(model.shift()?.number);
  }
  expect(mailbox.shift()).toBeUndefined();
  expect(mailbox.size).toBe(0);
}

describe("Mailbox behaves like a bounded list without withdrawn items", () => {
  repeatedTest("for any sequence of operations", () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 12 }), steps, agrees), {
      numRuns: runCount(500),
    });
  });

  slowTest("at the lengths at which taken items are removed", () => {
    const round = (count: number): Step[] => [
      ...Array.from({ length: count }, (): Step => ({ does: "push" })),
      { does: "withdraw", at: count - 1 },
      { does: "withdraw", at: 0 },
      ...Array.from({ length: count - 300 }, (): Step => ({ does: "shift" })),
      { does: "withdraw", at: 7 },
    ];
    for (const count of [1022, 1023, 1024, 1025, 2047, 2048, 2049, 4000])
      agrees(3000, [...round(count), ...round(count), ...round(count)]);
  });

  test("withdrawn items that are never taken make room", () => {
    let looks = 0;
    const mailbox = new Mailbox<Letter>(2, (letter) => (looks++, isWithdrawn(letter)));
    for (let number = 0; number < 5000; number++) {
      const letter = { number, isWithdrawn: false };
      expect(mailbox.push(letter)).toBe(true);
      letter.isWithdrawn = true;
      mailbox.withdraw();
    }
    expect(mailbox.size).toBe(0);
    looks = 0;
    expect(mailbox.shift()).toBeUndefined();
    // Nor is it kept.
    expect(looks).toBeLessThan(100);
    expect(mailbox.size).toBe(0);
  });
});
