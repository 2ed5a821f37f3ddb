import { describe, expect, test } from "vitest";
import type { ApprovalRequest, Approve } from "../../../src/host/options.ts";
import { errorOf, open } from "./engine.ts";

const ASK = { id: "asker", point: "tool.pre_execute", handler_inline: 'orcs.ask("it is risky")' };

async function tool(hook: object, approve?: Approve, hil?: object) {
  const orcs = await open({ config: { hooks: [hook], ...(hil && { hil }) }, approve });
  return orcs.wrapTool("push", ({ branch }: { branch: string }) => `pushed ${branch}`);
}

describe("ask", () => {
  test("approved: the call runs, with what the hooks made of it", async () => {
    const requests: ApprovalRequest[] = [];
    const push = await tool(
      { ...ASK, handler_inline: 'ctx.payload.args.branch = "next" return orcs.ask("it is risky")' },
      (request) => requests.push(request) > 0,
    );
    expect(await push({ branch: "main" })).toBe("pushed next");
    expect(requests).toMatchObject([
      { tool: "push", args: { branch: "next" }, reason: "it is risky", hook: "asker" },
    ]);
    expect(requests[0]?.ctx.hook_point).toBe("tool.pre_execute");
  });

  test("a promise is awaited", async () => {
    const push = await tool(ASK, async () => true);
    expect(await push({ branch: "main" })).toBe("pushed main");
  });

  const refusals: [string, Approve | undefined, object | undefined, string][] = [
    ["not approved", () => false, undefined, "not approved: it is risky"],
    [
      "nobody to ask",
      undefined,
      undefined,
      "needs approval, and nobody is there to give it: it is risky",
    ],
    [
      'hil.mode = "deny"',
      () => true,
      { mode: "deny" },
      "needs approval, and nobody is there to give it: it is risky",
    ],
    [
      "asking fails",
      () => {
        throw new Error("no terminal");
      },
      undefined,
      "asking for approval failed: no terminal",
    ],
  ];
  test.each(refusals)("%s: refused, and why", async (_name, approve, hil, reason) => {
    const push = await tool(ASK, approve, hil);
    const { code, fields } = await errorOf(push({ branch: "main" }));
    expect({ code, fields }).toEqual({
      code: "ORCS2001",
      fields: { tool: "push", hook: "asker", reason },
    });
  });

  test("only true approves", async () => {
    const push = await tool(ASK, (() => undefined) as unknown as Approve);
    expect((await errorOf(push({ branch: "main" }))).fields["reason"]).toMatch(/^not approved/);
  });
});

describe("the other decisions", () => {
  test("allow runs without asking", async () => {
    const push = await tool({ ...ASK, handler_inline: 'orcs.allow("known")' }, () => {
      throw new Error("asked all the same");
    });
    expect(await push({ branch: "main" })).toBe("pushed main");
  });

  test("defer is a refusal that says so", async () => {
    const defer = '{ action = "continue", decision = "defer", reason = "the host decides" }';
    const push = await tool({ ...ASK, handler_inline: defer }, () => true);
    expect((await errorOf(push({ branch: "main" }))).fields).toEqual({
      tool: "push",
      hook: "asker",
      reason: "deferred, and nobody decided it: the host decides",
    });
  });

  test("the stronger one of a chain holds", async () => {
    const orcs = await open({
      approve: () => true,
      config: {
        hooks: [
          { id: "first", point: "PreToolUse", handler_inline: 'orcs.ask("a")' },
          { id: "second", point: "PreToolUse", handler_inline: 'orcs.allow("b")' },
        ],
      },
    });
    expect(await orcs.dispatch("tool.pre_execute", { tool_name: "x", args: {} })).toMatchObject({
      action: "continue",
      decision: "ask",
      reason: "a",
      hook: "first",
    });
  });

  test("orcs.get answers them", async () => {
    const orcs = await open({ config: { hooks: [ASK] } });
    expect(await orcs.get("read", "x")).toEqual({
      ok: false,
      error: "blocked by hook asker: needs approval, and nobody is there to give it: it is risky",
    });
  });
});
