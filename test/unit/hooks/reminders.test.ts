import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { open } from "../engine/orcs/engine.ts";
import { quickTest as it, repeatedTest, runCount } from "../../slow-test.ts";

/** What becomes of a tool's result, and what is injected. */
async function after(
  result: unknown,
  options: Record<string, unknown> = {},
): Promise<{ result: unknown; inject: readonly unknown[] }> {
  const orcs = await open({ config: { hooks: [{ script: "orcs:reminders", options }] } });
  const payload = { tool_name: "read", args: {}, result };
  const outcome = await orcs.dispatch("tool.post_execute", payload as never);
  expect(outcome.action).toBe("continue");
  return { result: outcome.ctx.payload["result"], inject: outcome.inject };
}

const note = (content: string) => ({ content, strategy: "user_message" });

describe("orcs:reminders", () => {
  it.each([
    ["none", { output: "text" }, { output: "text" }, []],
    [
      "one in a text",
      { output: "a <system-reminder>\n do it \n</system-reminder>b" },
      { output: "a b" },
      [note("do it")],
    ],
    [
      "several, deep and in lists",
      {
        parts: [
          { text: "<system-reminder>1</system-reminder><system-reminder>2</system-reminder>x" },
          null,
          "y",
        ],
      },
      { parts: [{ text: "x" }, null, "y"] },
      [note("1"), note("2")],
    ],
    ["a result that is a text", "<system-reminder>1</system-reminder>z", "z", [note("1")]],
    ["a field", { ok: true, reminder: "check" }, { ok: true }, [note("check")]],
    ["one that is not closed", "a <system-reminder> b", "a <system-reminder> b", []],
    ["a number", 7, 7, []],
    ["nothing", null, null, []],
  ])("%s", async (_, result, left, inject) => {
    expect(await after(result)).toEqual({ result: left, inject });
  });

  it("accepts a tag, a field and a strategy", async () => {
    const options = { tag: "note", field: "hint", strategy: "tool_result" };
    const result = { hint: "h", text: "<note>n</note>, <system-reminder>no</system-reminder>" };
    expect(await after(result, options)).toEqual({
      result: { text: ", <system-reminder>no</system-reminder>" },
      inject: [
        { content: "h", strategy: "tool_result" },
        { content: "n", strategy: "tool_result" },
      ],
    });
  });

  repeatedTest("extracts reminders from any text", async () => {
    const orcs = await open({ config: { hooks: [{ script: "orcs:reminders" }] } });
    const plain = fc.string().filter((text) => !text.includes("<"));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(plain, plain), { maxLength: 5 }), async (pairs) => {
        const text = pairs
          .map(([around, inside]) => `${around}<system-reminder>${inside}</system-reminder>`)
          .join("");
        const payload = { tool_name: "read", args: {}, result: { text } };
        const outcome = await orcs.dispatch("tool.post_execute", payload);
        const { text: left } = outcome.ctx.payload["result"] as { text: string };
        expect(left).toBe(pairs.map(([around]) => around).join(""));
        expect(outcome.inject).toHaveLength(pairs.length);
      }),
      { numRuns: runCount(200) },
    );
  });
});
