import type { ModelMessage, ToolSet } from "ai";
import { generateText, jsonSchema, stepCountIs, tool } from "ai";
import { describe, expect, test } from "vitest";
import { governed } from "../../../../src/agents/adapters/ai-sdk.ts";
import { open, openWith } from "../../engine/orcs/engine.ts";
import { scripted, toolCall } from "./ai-sdk-models.ts";
import type { Content } from "./ai-sdk-models.ts";

const anything = jsonSchema<Record<string, string>>({ type: "object" });

/** A tool that notes its arguments. */
function noting() {
  const calls: unknown[] = [];
  const rm = tool({
    inputSchema: anything,
    execute: (input) => {
      calls.push(input);
      return "removed";
    },
  });
  return { rm, calls };
}

/** A conversation with an agent, in which each response of the model is given, and each question is answered. */
async function converse(
  tools: () => ToolSet,
  responses: readonly (readonly Content[] | string)[],
  approved = true,
) {
  const { mock, sent } = scripted(...responses);
  const messages: ModelMessage[] = [{ role: "user", content: "go" }];
  for (;;) {
    const result = await generateText({
      model: mock,
      tools: tools(),
      messages,
      stopWhen: stepCountIs(9),
    });
    messages.push(...result.response.messages);
    const open = result.content.filter((part) => part.type === "tool-approval-request");
    if (open.length === 0) return { text: result.text, told: JSON.stringify(sent.at(-1)?.prompt) };
    const content = open.map(({ approvalId }) => ({
      type: "tool-approval-response" as const,
      approvalId,
      approved,
    }));
    messages.push({ role: "tool", content });
  }
}

/** Hooks that ask for each call of `rm`, and count what they see. */
async function asking(more: Parameters<typeof open>[0] = {}) {
  const orcs = await openWith('return orcs.ask("it deletes")', { match: { tool: "rm" } }, more);
  const seen: unknown[] = [];
  orcs.on("tool.pre_execute", ({ payload }) => void seen.push(payload.args["path"]));
  return { orcs, seen };
}

describe("a call that is approved", () => {
  test("has passed the hooks once, where the same tools go on", async () => {
    const { orcs, seen } = await asking();
    const { rm, calls } = noting();
    const tools = governed(orcs, { rm, ls: noting().rm });
    const { text } = await converse(
      () => tools,
      [
        [toolCall("1", "ls", { path: "x" })],
        [toolCall("2", "rm", { path: "a" }), toolCall("3", "rm", { path: "b" })],
        [toolCall("4", "rm", { path: "c" })],
        "done",
      ],
    );
    expect(text).toBe("done");
    expect(calls).toEqual([{ path: "a" }, { path: "b" }, { path: "c" }]);
    expect(seen).toEqual(["x", "a", "b", "c"]);
  });

  test("is one call of a budget", async () => {
    const options = { session: { calls: 2 }, warn_at: 1 };
    const orcs = await open({
      config: {
        hooks: [
          { script: "orcs:budget", options },
          { point: "tool.pre_execute", handler_inline: 'orcs.ask("it deletes")', priority: 1 },
        ],
      },
    });
    const { rm, calls } = noting();
    const tools = governed(orcs.session({ session_id: "s" }), { rm });
    const rms = ["a", "b", "c"].map((path, i) => [toolCall(String(i), "rm", { path })]);
    const { told } = await converse(() => tools, [...rms, "done"]);
    expect(calls).toEqual([{ path: "a" }, { path: "b" }]);
    expect(told).toMatch(/denied by hook budget/);
  });

  test("runs where the hook asks only the first time", async () => {
    const orcs = await openWith(
      "if orcs.state.incr('asked', 1) == 1 then return orcs.ask('once') end",
    );
    const { rm, calls } = noting();
    const tools = governed(orcs, { rm });
    await converse(() => tools, [[toolCall("1", "rm", { path: "a" })], "done"]);
    expect(calls).toEqual([{ path: "a" }]);
  });

  test("runs, however long the answer takes", async () => {
    const { orcs, seen } = await asking({ overrides: { hil: { timeout_ms: 1 } } });
    const { rm, calls } = noting();
    const tools = governed(orcs, { rm });
    let waited = 0;
    const later = () => {
      // As a person does, after the time limit of the engine's own questions.
      for (const until = Date.now() + waited; Date.now() < until;);
      waited = 20;
      return tools;
    };
    await converse(later, [[toolCall("1", "rm", { path: "a" })], "done"]);
    expect([calls, seen]).toEqual([[{ path: "a" }], ["a"]]);
  });

  test("passes the hooks again in another process", async () => {
    const { orcs } = await asking();
    const { rm, calls } = noting();
    await converse(() => governed(orcs, { rm }), [[toolCall("1", "rm", { path: "a" })], "done"]);
    expect(calls).toEqual([{ path: "a" }]);
  });

  test("that was refused does not run, and the model reads it", async () => {
    const { orcs } = await asking();
    const { rm, calls } = noting();
    const tools = governed(orcs, { rm });
    const { text } = await converse(() => tools, [[toolCall("1", "rm", {})], "done"], false);
    expect([text, calls]).toEqual(["done", []]);
  });

  test("is not another one with its id, in another conversation or with other arguments", async () => {
    const { orcs, seen } = await asking();
    const { rm, calls } = noting();
    const tools = governed(orcs, { rm });
    const { needsApproval, execute } = tools.rm;
    const asks = (path: string, content: string) => {
      const options = { toolCallId: "1", messages: [{ role: "user" as const, content }] };
      return typeof needsApproval === "function" ? needsApproval({ path }, options) : undefined;
    };
    expect(await asks("a", "go")).toBe(true);
    expect(await asks("a", "go on")).toBe(true);
    expect(await asks("b", "go on")).toBe(true);
    expect(seen).toEqual(["a", "a", "b"]);
    const options = { toolCallId: "1", messages: [] };
    await expect(Promise.resolve(execute?.({ path: "c" }, options))).rejects.toThrow(
      /nobody is available to ask/,
    );
    expect(calls).toEqual([]);
  });
});
