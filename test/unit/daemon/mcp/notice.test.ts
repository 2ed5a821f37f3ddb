import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Orcs } from "../../../../src/engine/orcs/orcs.ts";
import type { HookDefinition } from "../../../../src/engine/orcs/options.ts";
import type { Notice } from "../../../../src/config/trust/notice.ts";
import { call, line, rig, textResult } from "./rig.ts";
import type { Rig } from "./rig.ts";

const NOTICE = { text: "the hooks of /w/\n are not active", key: "k1" };
const BLOCK = { type: "text", text: "orcs: the hooks of /w/\\u000a are not active" };
let notice: Notice | undefined;

beforeEach(() => {
  notice = NOTICE;
  vi.spyOn(Orcs.prototype, "notices", "get").mockImplementation(() => (notice ? [notice] : []));
  onTestFinished(() => void vi.restoreAllMocks());
});

const hook = (point: string, handler: HookDefinition["handler"]): HookDefinition => ({
  id: point,
  point,
  handler,
});

/** One call that the server answers, unless a hook does; what the client gets then. */
async function answered(made: Rig, id: number, answer?: object | string) {
  const before = made.toClient.length;
  await made.client(call(id, "read", { path: "a" })).quiet();
  if (answer !== undefined) await made.server(answer).quiet();
  expect(made.toClient.length).toBe(before + 1);
  return made.clientGotAfter(before)[0]?.["result"];
}
const text = (said: string) => ({ type: "text", text: said });

it("an MCP notice is appended to the first tool result only", async () => {
  const made = await rig();
  const first = textResult(1, "a", { structuredContent: { a: 1 }, _meta: { m: 1 } });
  expect(await answered(made, 1, first)).toEqual({
    content: [text("a"), BLOCK],
    structuredContent: { a: 1 },
    _meta: { m: 1 },
  });
  const second = line(textResult(2, "b")).replace(":", " :");
  await answered(made, 2, second);
  // To the byte, as without one.
  expect(made.toClient.at(-1)).toBe(second);
});

it("an MCP notice is appended again when it changes", async () => {
  const made = await rig();
  await answered(made, 1, textResult(1, "a"));
  notice = { ...NOTICE, key: "k2" };
  expect(await answered(made, 2, textResult(2, "b"))).toEqual({ content: [text("b"), BLOCK] });
  notice = undefined;
  expect(await answered(made, 3, textResult(3, "c"))).toEqual({ content: [text("c")] });
});

describe("an MCP notice is appended whatever the call's outcome", () => {
  it.each<[string, HookDefinition[], unknown[], object]>([
    ["nothing", [], [text("a")], {}],
    [
      "refused",
      [hook("tool.pre_execute", () => ({ action: "abort", reason: "no" }))],
      [text("denied by hook tool.pre_execute: no")],
      { isError: true },
    ],
    [
      "skipped",
      [hook("tool.pre_execute", () => ({ action: "skip", result: "done" }))],
      [text("done")],
      {},
    ],
    [
      "replaced",
      [hook("tool.post_execute", () => ({ action: "replace", result: "other" }))],
      [text("other")],
      {},
    ],
    [
      "told the model something",
      [hook("tool.pre_execute", () => ({ inject: ["look"] }))],
      [text("a"), text("look")],
      {},
    ],
  ])("%s", async (_name, hooks, content, more) => {
    const made = await rig(hooks);
    const isAsked = !["skip", "abort"].some((word) => String(hooks[0]?.handler).includes(word));
    const result = await answered(made, 1, isAsked ? textResult(1, "a") : undefined);
    expect(result).toEqual({ content: [...content, BLOCK], ...more });
  });

  it("for a tool error", async () => {
    const made = await rig();
    expect(await answered(made, 1, textResult(1, "oh", { isError: true }))).toEqual({
      content: [text("oh"), BLOCK],
      isError: true,
    });
  });
});

describe("an MCP response that cannot carry the notice is unchanged, and the next one has it", () => {
  const deep = `${"[".repeat(60_000)}${"]".repeat(60_000)}`;
  it.each<[string, string]>([
    ["a question", line({ jsonrpc: "2.0", id: 1, result: { resultType: "input_required", q: 1 } })],
    ["a task", line({ jsonrpc: "2.0", id: 1, result: { task: { taskId: "t" } } })],
    ["no content", line({ jsonrpc: "2.0", id: 1, result: { structuredContent: { a: 1 } } })],
    ["no object", line({ jsonrpc: "2.0", id: 1, result: "text" })],
    ["content that is no list", line({ jsonrpc: "2.0", id: 1, result: { content: "text" } })],
    ["an error", line({ jsonrpc: "2.0", id: 1, error: { code: -1, message: "no" } })],
    [
      "what nests too deep to be written anew",
      `{"jsonrpc":"2.0","id":1,"result":{"content":[{"a":${deep}}]}}\n`,
    ],
  ])("%s", async (_name, answer) => {
    const made = await rig();
    await made.client(call(1, "read")).quiet();
    await made.server(answer).quiet();
    expect(made.toClient).toEqual([answer]);
    expect(await answered(made, 2, textResult(2, "b"))).toEqual({ content: [text("b"), BLOCK] });
  });

  it("for a cancelled call", async () => {
    const made = await rig([
      hook("tool.post_execute", async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }),
    ]);
    await made.client(call(1, "read")).quiet();
    made.server(textResult(1, "a"));
    made.client({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(made.toClient).toEqual([]);
    made.client(call(2, "read"));
    await made.quiet();
    made.server(textResult(2, "b"));
    await expect
      .poll(() => made.clientGot[0]?.["result"])
      .toEqual({
        content: [text("b"), BLOCK],
      });
  });
});

it("concurrent MCP calls get the notice once", async () => {
  const made = await rig();
  for (let id = 1; id <= 20; id++) made.client(call(id, "read"));
  await made.quiet();
  for (let id = 1; id <= 20; id++) made.server(textResult(id, "a"));
  await made.quiet();
  expect(made.toClient).toHaveLength(20);
  expect(made.toClient.filter((sent) => sent.includes("not active"))).toHaveLength(1);
});

it("an MCP notice is appended to tool call results only", async () => {
  const made = await rig();
  made.client({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  made.server({ jsonrpc: "2.0", id: 1, result: { tools: [], content: [] } });
  made.client({ jsonrpc: "2.0", id: 2, method: "prompts/get", params: { name: "x" } });
  made.server({ jsonrpc: "2.0", id: 2, result: { content: [] } });
  await made.quiet();
  expect(made.toClient).toHaveLength(2);
  expect(made.toClient.join("")).not.toContain("not active");
});
