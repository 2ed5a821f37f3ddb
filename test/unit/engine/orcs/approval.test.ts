import { setTimeout as sleep } from "node:timers/promises";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, vi } from "vitest";
import type { ApprovalRequest, Approve } from "../../../../src/engine/orcs/options.ts";
import { errorOf, open } from "./engine.ts";
import { quickTest as test, slowTest } from "../../../slow-test.ts";
import { rows } from "../../../rows.ts";

const ASK = { id: "asker", point: "tool.pre_execute", handler_inline: 'orcs.ask("it is risky")' };
const ASKING = { hooks: [ASK] };

async function tool(hook: object, approve?: Approve, hil?: object) {
  const orcs = await open({ config: { hooks: [hook], ...(hil && { hil }) }, approve });
  return orcs.wrapTool("push", ({ branch }: { branch: string }) => `pushed ${branch}`);
}

/** The reason of a refusal. */
async function refused(call: Promise<unknown>): Promise<unknown> {
  const { code, fields } = await errorOf(call);
  expect({ code, tool: fields["tool"], hook: fields["hook"] }).toEqual({
    code: "ORCS2001",
    tool: "push",
    hook: "asker",
  });
  return fields["reason"];
}

/** Somebody who never answers, and what was asked. */
function silent() {
  const requests: ApprovalRequest[] = [];
  const approve: Approve = (request) => {
    requests.push(request);
    return new Promise(() => undefined);
  };
  const asked = () => vi.waitFor(() => expect(requests.length).toBeGreaterThan(0));
  return { approve, requests, asked };
}

describe("a hook's decision ask", () => {
  test("after approval the call runs with the arguments that the hooks set", async () => {
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
    expect(requests[0]?.signal.aborted).toBe(false);
  });

  test("a promise from approve is awaited", async () => {
    const push = await tool(ASK, async () => true);
    expect(await push({ branch: "main" })).toBe("pushed main");
  });

  test("without approval the call is denied with the hook's reason", async () => {
    const push = await tool(ASK, () => false);
    expect(await refused(push({ branch: "main" }))).toBe("not approved: it is risky");
  });

  test('the denial of an ask without a reason says only "not approved"', async () => {
    const push = await tool({ ...ASK, handler_inline: '{ decision = "ask" }' }, () => false);
    expect(await refused(push({ branch: "main" }))).toBe("not approved");
  });

  const failing: [string, Approve, string][] = [
    [
      "throws",
      () => {
        throw new Error("no way");
      },
      "no way",
    ],
    ["rejects", () => Promise.reject(new Error("no way")), "no way"],
    ["is no function", "yes" as unknown as Approve, "approve is not a function"],
  ];
  test.each(failing)(
    "when approve %s, the call is denied with the error",
    async (_name, approve, why) => {
      const push = await tool(ASK, approve);
      expect(await refused(push({ branch: "main" }))).toBe(
        `asking for approval failed (${why}): it is risky`,
      );
    },
  );

  test("any value from approve but true denies the call", async () => {
    let answer: unknown;
    const push = await tool(ASK, () => answer as boolean);
    const others = fc.anything().filter((value) => typeof value !== "boolean");
    await fc.assert(
      fc.asyncProperty(others, async (value) => {
        answer = value;
        expect(await refused(push({ branch: "main" }))).toBe(
          `not approved, onAsk returned neither true nor false (${typeof value}): it is risky`,
        );
      }),
      { examples: [["true"], [1], [{ approved: true }], [Object(true)]] },
    );
  });
});

describe("hil.mode", () => {
  const callback = 'hil.mode is "callback", but the program has no onAsk function';
  const terminal = 'hil.mode is "terminal", but there is no terminal';
  const NOBODY = "needs approval, but nobody is available to ask";
  const why: Readonly<Record<string, string>> = {
    nobody: `${NOBODY}: it is risky`,
    "no function": `${NOBODY} (${callback}): it is risky`,
    "no terminal": `${NOBODY} (${terminal}): it is risky`,
    denied: 'needs approval, but hil.mode = "deny" denies it: it is risky',
  };
  /** By mode, who is asked where nobody, the program, a terminal and both are there; otherwise the refusal. */
  const modes = rows(`
unset | nobody | program | terminal | program
callback | no function | program | no function | program
terminal | no terminal | no terminal | terminal | terminal
deny | denied | denied | denied | denied
`);
  const cases = modes.flatMap(([mode = "", ...asked]) =>
    ["none", "program", "terminal", "both"].map(
      (there, i) => [mode, there, why[asked[i] ?? ""] ?? asked[i] ?? ""] as const,
    ),
  );
  test.each(cases)("hil.mode %s, available approver %s: %s", async (mode, there, who) => {
    const asked: string[] = [];
    const answers = (name: string) => (): boolean => asked.push(name) > 0;
    const orcs = await open({
      config: { hooks: [ASK], ...(mode !== "unset" && { hil: { mode } }) },
      ...(there !== "none" && there !== "terminal" && { approve: answers("program") }),
      ...(there !== "none" && there !== "program" && { askTerminal: answers("terminal") }),
    });
    const push = orcs.wrapTool("push", () => "pushed");
    if (who.startsWith("needs")) {
      expect(await refused(push())).toBe(who);
      expect(asked).toEqual([]);
    } else {
      expect(await push()).toBe("pushed");
      expect(asked).toEqual([who]);
    }
  });
});

describe("approve does not return", () => {
  test("at the timeout the call is denied, the signal is aborted, and a late true is ignored", async () => {
    let late = (_approved: boolean): void => undefined;
    const requests: ApprovalRequest[] = [];
    const approve: Approve = (request) => {
      requests.push(request);
      return new Promise((resolve) => (late = resolve));
    };
    const run = vi.fn<() => string>();
    const orcs = await open({ config: { ...ASKING, hil: { timeout_ms: 20 } }, approve });
    const push = orcs.wrapTool("push", run);
    expect(await refused(push())).toBe("not approved, no answer within 20 ms: it is risky");
    expect(requests[0]?.signal).toMatchObject({
      aborted: true,
      reason: new Error("no answer within 20 ms"),
    });
    late(true);
    await sleep(5);
    expect(run).not.toHaveBeenCalled();
  });

  test("a question that is kept elsewhere has no timeout, and keeps no process alive", async () => {
    let late = (_approved: boolean): void => undefined;
    const approve: Approve = Object.assign(
      () => new Promise<boolean>((resolve) => (late = resolve)),
      { hasNoTimeLimit: true as const },
    );
    const sleeps = vi.fn<() => Promise<void>>(() => new Promise(() => undefined));
    let now = 0;
    const clock = { now: () => now, sleep: sleeps };
    const orcs = await open({ config: { ...ASKING, hil: { timeout_ms: 20 } }, approve, clock });
    const pushed = orcs.wrapTool("push", () => "pushed")();
    await sleep(5);
    now = 1000;
    late(true);
    expect(await pushed).toBe("pushed");
    expect(sleeps).not.toHaveBeenCalled();
  });

  test("a rejection after the timeout is not an unhandled rejection", async () => {
    const unhandled = vi.fn<(reason: unknown) => void>();
    process.on("unhandledRejection", unhandled);
    onTestFinished(() => void process.off("unhandledRejection", unhandled));
    const approve: Approve = ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => setTimeout(() => reject(new Error("late")), 5));
      });
    const push = await tool(ASK, approve, { timeout_ms: 5 });
    expect(await refused(push({ branch: "x" }))).toContain("no answer within 5 ms");
    await sleep(30);
    expect(unhandled).not.toHaveBeenCalled();
  });

  const onAbort: [string, (settle: Record<"yes" | "no", () => void>) => void][] = [
    ["approves as it is told", ({ yes }) => yes()],
    ["fails as it is told", ({ no }) => no()],
  ];
  test.each(onAbort)(
    "an approver that %s after the timeout does not approve",
    async (_name, answer) => {
      const approve: Approve = ({ signal }) =>
        new Promise((resolve, reject) => {
          const yes = (): void => resolve(true);
          const no = (): void => reject(new Error("told"));
          signal.addEventListener("abort", () => answer({ yes, no }));
        });
      const push = await tool(ASK, approve, { timeout_ms: 5 });
      expect(await refused(push({ branch: "x" }))).toBe(
        "not approved, no answer within 5 ms: it is risky",
      );
    },
  );

  test("an approver that blocks the thread for longer than the timeout does not approve", async () => {
    const approve: Approve = () => {
      const end = performance.now() + 40;
      while (performance.now() < end);
      return true;
    };
    const push = await tool(ASK, approve, { timeout_ms: 10 });
    expect(await refused(push({ branch: "x" }))).toBe(
      "not approved, no answer within 10 ms: it is risky",
    );
  });

  slowTest("each request has its own timeout", async () => {
    const approve: Approve = async ({ args }) => {
      if (args["branch"] === "never") return new Promise(() => undefined);
      await sleep(5);
      return true;
    };
    const push = await tool(ASK, approve, { timeout_ms: 2000 });
    const never = refused(push({ branch: "never" }));
    await sleep(50);
    expect(await push({ branch: "next" })).toBe("pushed next");
    expect(await never).toBe("not approved, no answer within 2000 ms: it is risky");
  });

  test("the call is denied when it is cancelled", async () => {
    const { approve, requests, asked } = silent();
    const orcs = await open({ config: ASKING, approve });
    const cancel = new AbortController();
    const reading = orcs.get("read", "x", { signal: cancel.signal });
    await asked();
    cancel.abort();
    const cancelled = "not approved, the call was cancelled: it is risky";
    const refusal = { ok: false, error: `denied by hook asker: ${cancelled}` };
    expect(await reading).toEqual(refusal);
    expect(requests[0]?.signal.reason).toEqual(new Error("the call was cancelled"));
    expect(await orcs.get("read", "x", { signal: AbortSignal.abort() })).toEqual(refusal);
    expect(requests).toHaveLength(1);
  });

  test("the call is denied when the hook that made it times out", async () => {
    const { approve, requests, asked } = silent();
    const nested = { id: "n", point: "PreToolUse", match: { tool: "outer" }, timeout_ms: 300 };
    const orcs = await open({
      config: {
        hooks: [
          { ...nested, handler_inline: 'orcs.read("x")' },
          { ...ASK, match: { tool: "read" } },
        ],
      },
      approve,
    });
    const outer = errorOf(orcs.wrapTool("outer", () => "ran")());
    await asked();
    expect((await outer).fields["hook"]).toBe("n");
    await vi.waitFor(() => expect(requests[0]?.signal.aborted).toBe(true));
  });

  test("closing the engine denies all pending requests at once", async () => {
    const { approve, requests } = silent();
    const orcs = await open({ config: ASKING, approve });
    const push = orcs.wrapTool("push", () => "pushed");
    const calls = [refused(push()), refused(push())];
    await vi.waitFor(() => expect(requests).toHaveLength(2));
    await orcs.close();
    const closed = "not approved, the engine is closed: it is risky";
    expect(await Promise.all(calls)).toEqual([closed, closed]);
    expect(requests.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  });

  test("an ask that is returned after the engine closed is denied without asking", async () => {
    const { approve, requests } = silent();
    const orcs = await open({ config: false, approve });
    let goOn = (): void => undefined;
    orcs.hook({
      id: "asker",
      point: "tool.pre_execute",
      handler: async () => {
        await new Promise<void>((resolve) => (goOn = resolve));
        return { action: "continue", decision: "ask", reason: "it is risky" };
      },
    });
    const pushing = refused(orcs.wrapTool("push", () => "pushed")());
    await orcs.close();
    goOn();
    expect(await pushing).toBe("not approved, the engine is closed: it is risky");
    expect(requests).toEqual([]);
  });

  test("close does not wait for an approval that an async hook asked for", async () => {
    const { approve, asked } = silent();
    const orcs = await open({
      config: {
        hooks: [
          { id: "later", point: "PostToolUse", async: true, handler_inline: 'orcs.read("x")' },
          { ...ASK, match: { tool: "read" } },
        ],
      },
      approve,
    });
    await orcs.wrapTool("outer", () => "ran")();
    await asked();
    const started = performance.now();
    await orcs.close();
    // The drain of such hooks takes 5 s otherwise.
    expect(performance.now() - started).toBeLessThan(4000);
  });
});

describe("hook decisions allow and defer, and several in one chain", () => {
  test("allow runs without asking", async () => {
    const push = await tool({ ...ASK, handler_inline: 'orcs.allow("known")' }, () => {
      throw new Error("asked all the same");
    });
    expect(await push({ branch: "main" })).toBe("pushed main");
  });

  test("defer denies the call with a reason that says so", async () => {
    const defer = '{ action = "continue", decision = "defer", reason = "the host decides" }';
    const push = await tool({ ...ASK, handler_inline: defer }, () => true);
    expect((await errorOf(push({ branch: "main" }))).fields).toEqual({
      tool: "push",
      hook: "asker",
      reason: "deferred, but nobody decided it: the host decides",
    });
  });
});

describe("orcs.invoke with a decision of a tool.pre_execute hook", () => {
  const ask = { decision: "ask", reason: "r" };

  test.each([
    ["ask, and nobody is there", ask, undefined, false],
    ["ask, and it is approved", ask, (): boolean => true, true],
    ["ask, and it is not", ask, (): boolean => false, false],
    ["defer", { decision: "defer" }, (): boolean => true, false],
    ["allow", { decision: "allow" }, undefined, true],
  ])("runs the function only if permitted: %s", async (_, answer, approve, runs) => {
    const orcs = await open({ ...(approve && { approve }) });
    orcs.hook({ point: "tool.pre_execute", handler: () => answer });
    let ran = false;
    const payload = { tool_name: "x", args: {} };
    const outcome = await orcs.invoke("tool.execute", payload, () => (ran = true));
    expect([ran, outcome.action]).toEqual([runs, runs ? "continue" : "abort"]);
  });
});

test("approve cannot change the arguments of the call", async () => {
  const orcs = await open({
    approve: (request) => {
      request.args["p"] = "/etc";
      (request.ctx.payload["args"] as Record<string, unknown>)["q"] = 1;
      return true;
    },
  });
  orcs.hook({ point: "tool.pre_execute", handler: () => ({ decision: "ask" }) });
  const seen: unknown[] = [];
  const args = { p: "/tmp" };
  await orcs.wrapTool("t", (given: { p: string }) => void seen.push({ ...given }))(args);
  expect([...seen, args]).toEqual([{ p: "/tmp" }, { p: "/tmp" }]);
});
