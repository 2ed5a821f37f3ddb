import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { linkedAbort } from "../../../../src/engine/runtime/with-timeout.ts";

const sources = () => [new AbortController(), new AbortController()] as const;

describe("linkedAbort", () => {
  test.each([0, 1])("aborts with the reason of source %i", (which) => {
    const both = sources();
    const { signal } = linkedAbort(both.map((source) => source.signal));
    expect(signal.aborted).toBe(false);
    both[which]?.abort("why");
    both[1 - which]?.abort("later");
    expect(signal.reason).toBe("why");
  });

  test("is aborted from the start if a source is", () => {
    const [one, other] = sources();
    other.abort("before");
    const { signal } = linkedAbort([one.signal, other.signal]);
    expect(signal.reason).toBe("before");
    expect(getEventListeners(one.signal, "abort")).toHaveLength(0);
  });

  test("end removes the listeners and aborts the signal", () => {
    const [one, other] = sources();
    const following = linkedAbort([one.signal, other.signal]);
    following.end();
    expect(following.signal.aborted).toBe(true);
    for (const source of [one, other])
      expect(getEventListeners(source.signal, "abort")).toHaveLength(0);
  });

  test("keeps its reason when ended after an abort", () => {
    const [one, other] = sources();
    const following = linkedAbort([one.signal, other.signal]);
    one.abort("first");
    following.end();
    expect(following.signal.reason).toBe("first");
  });
});
