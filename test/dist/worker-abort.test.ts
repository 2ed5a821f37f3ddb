import { describe, expect, test, vi } from "vitest";
import type { Isolation } from "./both.ts";
import { rig } from "./both.ts";

/** Where a hook in Lua can wait. */
const WAITS: readonly (readonly [string, string])[] = [
  ["a sleep", "orcs.sleep(5000)"],
  ["a tool", "orcs.get('slow', {})"],
  ["a tool that is asked again and again", "while true do pcall(orcs.get, 'slow', {}) end"],
  ["a second wait", "orcs.sleep(1) orcs.get('quick', {}) orcs.sleep(5000)"],
  ["the delay of a retry", "orcs.sleep(1) return orcs.retry(5000)"],
];

describe.each<Isolation>(["thread", "worker"])("isolation %s", (isolation) => {
  test.each(WAITS)("an abort is heard at once in %s", async (_, handler) => {
    const { orcs, lines } = await rig(isolation, {
      hooks: [
        { handler_inline: handler, match: { tool: "t" } },
        { handler_inline: "orcs.state.set('next', 1)", match: { tool: "t" } },
        { handler_inline: "ctx.metadata.next = orcs.state.get('next') or 0" },
      ],
    });
    let waiting = 0;
    orcs.addTool("quick", () => 1);
    orcs.addTool("slow", (_args, { signal }) => {
      waiting++;
      return new Promise((_done, fail) =>
        signal?.addEventListener("abort", () => fail(new Error(`${--waiting}`))),
      );
    });
    let ran = 0;
    const tool = orcs.wrapTool("t", (_args: object) => ++ran);
    const abort = new AbortController();
    const reason = new Error("enough");
    let aborted = 0;
    setTimeout(() => {
      aborted = performance.now();
      abort.abort(reason);
    }, 300);
    await expect(tool.with({ signal: abort.signal })({})).rejects.toBe(reason);
    expect(performance.now() - aborted).toBeLessThan(500);
    // The tool that it waited for is told, no other hook and no tool runs, and the script is free.
    await vi.waitFor(() => expect(waiting).toBe(0), { timeout: 500 });
    const outcome = await orcs.dispatch("tool.pre_execute", { tool_name: "u", args: {} });
    expect(performance.now() - aborted).toBeLessThan(1000);
    expect(outcome.ctx.metadata).toMatchObject({ next: 0 });
    expect({ waiting, ran, lines }).toEqual({ waiting: 0, ran: 0, lines: [] });
  });
});
