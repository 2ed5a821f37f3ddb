import { describe, expect, test } from "vitest";
import type { ApprovalRequest } from "../../../../src/engine/orcs/options.ts";
import { childOf, stage, type Stage } from "./acting.ts";

const asks = async ({ actor }: Pick<Stage, "actor">) => {
  const boss = await actor("lua::boss");
  return boss((context) => context.requestApproval("deploy", "deploy 2 to production"));
};

describe("a request for approval", () => {
  test("asks the program, also in an elevated session, and tells who asks for what", async () => {
    const asked: ApprovalRequest[] = [];
    const set = await stage({ approve: (request) => asked.push(request) > 0 });
    expect(await asks(set)).toEqual({ approved: true });
    expect(asked).toMatchObject([
      {
        // Not the name of a tool, which the operation may imitate.
        tool: "request_approval",
        args: { operation: "deploy", description: "deploy 2 to production" },
        reason: "deploy 2 to production",
        ctx: { component_id: "lua::boss" },
      },
    ]);
  });

  test.each([
    ["refused", { approve: () => false }, /not approved: deploy 2/],
    ["nobody to ask", {}, /nobody is available to ask/],
    ["hil.mode", { config: { hil: { mode: "deny" } } } as const, /hil.mode = "deny"/],
    ["an answer that is no boolean", { approve: () => 1 as unknown as boolean }, /not approved/],
  ])("is denied: %s", async (_, options, reason) => {
    const answer = await asks(await stage(options));
    expect(answer).toEqual({ approved: false, reason: expect.stringMatching(reason) });
  });

  test("permits nothing by itself", async () => {
    const set = await stage({
      config: { permissions: { grants: ["git"] } },
      approve: ({ tool }) => tool === "request_approval",
    });
    const boss = await set.actor("lua::boss");
    const status = await boss(async (context) => {
      await context.requestApproval("exec", "echo a");
      return (await context.checkCommand("echo a")).status;
    });
    expect(status).toBe("requires_approval");
  });

  test("is answered by a component that approves calls", async () => {
    const set = await stage();
    const events: string[] = [];
    await set.runtime.spawn({
      id: "lua::overseer",
      subscriptions: ["Approval"],
      async onRequest({ payload }, context) {
        const { approval_id, tool, component } = payload as Record<string, string>;
        events.push(`${component} ${tool}`);
        await context.sendSignal(context.component, "approve", { approval_id });
      },
    });
    expect(await asks(set)).toEqual({ approved: true });
    expect(events).toEqual(["lua::boss request_approval"]);
  });

  test("of a component that is the only approver is denied at once", async () => {
    const set = await stage();
    const boss = await set.actor("lua::boss", {}, { subscriptions: ["Approval"] });
    const answer = await boss(async (context) => {
      const child = await childOf(context, { id: "c" });
      return [
        await context.requestApproval("a", "b"),
        await child((own) => own.requestApproval("a", "b")),
      ];
    });
    const denied = { approved: false, reason: expect.stringContaining("nobody is available") };
    expect(answer).toEqual([denied, denied]);
  });

  test("ends with the call that makes it", async () => {
    const set = await stage({ approve: () => new Promise(() => undefined) });
    const boss = await set.actor("lua::boss");
    const waiting = boss((context) => context.requestApproval("a", "b")).catch(() => "given up");
    await set.runtime.signal("lua::boss", "cancel");
    await set.runtime.kill("lua::boss");
    expect(await waiting).toBe("given up");
  });
});
