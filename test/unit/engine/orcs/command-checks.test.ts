import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { CapabilityName } from "../../../../src/core/permission.ts";
import type { ChildContext } from "../../../../src/core/child.ts";
import type {
  ApprovalRequest,
  Approve,
  CreateOrcsOptions,
} from "../../../../src/engine/orcs/options.ts";
import { childOf, stage, type Actor } from "../runtime/acting.ts";
import { errorOf, folder } from "./engine.ts";

interface Given extends CreateOrcsOptions {
  readonly grants?: readonly string[];
  readonly hil?: object;
  readonly capabilities?: readonly CapabilityName[];
}

/** A component in an engine whose commands need grants, none of them unless said otherwise. */
async function asking({ grants = [], hil = {}, capabilities, ...more }: Given = {}) {
  const permissions = { grants, ...(capabilities && { capabilities }) };
  const set = await stage({ cwd: folder(), config: { permissions, hil }, ...more });
  return { ...set, boss: await set.actor("lua::boss") };
}

const exec = (command: string) => (context: ChildContext) => context.get("exec", command);
const check = (command: string) => (context: ChildContext) => context.checkCommand(command);
const grant = (pattern: string, kind?: "one_time") => (context: ChildContext) =>
  context.grantCommand(pattern, kind);

const UNASKED = { ok: false, error: expect.stringContaining("nobody is available to ask") };
const RAN = { ok: true, code: 0 };

describe("[permissions] grants", () => {
  test("cover components and children, for the listed commands only", async () => {
    const { boss } = await asking({ grants: ["echo a", "true"] });
    await boss(async (context) => {
      const child = await childOf(context, { id: "c" });
      const itself: Actor = async (job) => job(context);
      for (const who of [itself, child]) {
        expect(await who(exec("echo a"))).toMatchObject(RAN);
        expect(await who(exec("echo  a  b"))).toMatchObject(RAN);
        expect(await who(exec("'echo' \"a\""))).toMatchObject(RAN);
        expect(await who(exec("true"))).toMatchObject(RAN);
        for (const command of [
          "echo b",
          "echo",
          "echo ab",
          "echo a; echo b",
          "echo a && echo b",
          "echo a | cat",
          "echo a\necho b",
          "echo a $(id)",
          "echo a `id`",
          "echo a > x",
          "X=1 true",
          "truex",
          "/bin/true",
          "sh -c true",
          "true & echo b",
          "true #",
          "",
        ]) {
          expect(await who(exec(command)), command).toMatchObject({ ok: false });
        }
      }
    });
  });

  test("without grants, sessions are elevated unless they were created with elevated: false", async () => {
    const set = await stage({ cwd: folder() });
    const boss = await set.actor("lua::boss");
    const low = await set.actor("lua::low", { elevated: false });
    expect(await boss(exec("echo a; echo b"))).toMatchObject(RAN);
    expect(await low(exec("echo a"))).toEqual(UNASKED);
  });
});

describe("limits that no grant, approval or hook lifts", () => {
  const allowing: readonly [string, object][] = [
    ["tool.pre_execute", { action: "continue", decision: "allow" }],
    ["tool.pre_execute", { action: "continue", decision: "ask" }],
    ["auth.pre_check", { action: "continue", decision: "allow" }],
    ["auth.pre_check", { action: "skip", result: true }],
    ["auth.pre_check", { action: "skip", result: { status: "allowed" } }],
    ["auth.post_check", { action: "replace", result: "allowed" }],
    ["auth.post_check", { action: "replace", result: { status: "requires_approval" } }],
  ];

  test.each(allowing)(
    "the capability EXECUTE stays required when a hook at %s returns %j",
    async (point, answer) => {
      const { orcs, boss } = await asking({ grants: ["echo"], approve: () => true });
      orcs.on(point, () => answer);
      await boss(async (context) => {
        const child = await childOf(context, { id: "c", capabilities: ["READ", "SPAWN"] });
        expect(await child(exec("echo a"))).toMatchObject({
          ok: false,
          error: expect.stringContaining("EXECUTE"),
        });
        expect(await child(check("echo a"))).toMatchObject({ status: "denied" });
        await child(grant("echo"));
        expect(await child(exec("echo a"))).toMatchObject({ ok: false });
        const below = await child(async (own) => (await childOf(own, { id: "d" }))(exec("echo a")));
        expect(below).toMatchObject({ ok: false });
      });
    },
  );

  test.each(allowing)(
    "the sandbox root stays enforced when a hook at %s returns %j",
    async (point, answer) => {
      const outside = folder({ secret: "x" });
      const { orcs, boss } = await asking({ grants: ["echo"], approve: () => true });
      orcs.on(point, () => answer);
      for (const cwd of [outside, "..", "a/../..", "/"]) {
        const ran = await boss((context) => context.get("exec", { command: "echo a", cwd }));
        expect(ran, cwd).toMatchObject({ ok: false });
      }
    },
  );

  test("a symlink inside the sandbox that leads out of it is rejected as cwd", async () => {
    const outside = folder({ secret: "x" });
    const cwd = folder();
    symlinkSync(outside, join(cwd, "link"));
    mkdirSync(join(cwd, "sub"));
    const { boss } = await asking({ cwd, grants: ["ls"] });
    const inSub = await boss((context) => context.get("exec", { command: "ls", cwd: "sub" }));
    expect(inSub).toMatchObject(RAN);
    const linked = await boss((context) => context.get("exec", { command: "ls", cwd: "link" }));
    expect(linked).toMatchObject({ ok: false });
  });

  test("EXECUTE removed by a hook at auth.pre_check stays removed, whatever later hooks return", async () => {
    const { orcs, boss } = await asking({ grants: ["echo"] });
    orcs.on("auth.pre_check", (ctx) => void (ctx.payload["capabilities"] = 1));
    orcs.on("auth.pre_check", () => ({ action: "skip", result: true }));
    orcs.on("auth.post_check", () => ({ action: "replace", result: true }));
    expect(await boss(check("echo a"))).toMatchObject({ status: "denied" });
    expect(await boss(exec("echo a"))).toMatchObject({ ok: false });
  });
});

describe("hooks at auth.pre_check", () => {
  const ANSWERS: readonly [what: string, answer: unknown, status: string][] = [
    ["allow", { action: "continue", decision: "allow" }, "allowed"],
    ["ask", { action: "continue", decision: "ask", reason: "hm" }, "requires_approval"],
    ["defer", { action: "continue", decision: "defer" }, "denied"],
    ["abort", { action: "abort", reason: "no" }, "denied"],
    ["skip true", { action: "skip", result: true }, "allowed"],
    ["skip false", { action: "skip", result: false }, "denied"],
    ["skip allowed", { action: "skip", result: "allowed" }, "allowed"],
    ["skip denied", { action: "skip", result: { status: "denied", reason: "no" } }, "denied"],
    [
      "skip requires_approval",
      { action: "skip", result: "requires_approval" },
      "requires_approval",
    ],
    ["nothing", undefined, "requires_approval"],
    ...[null, 1, "yes", "ALLOWED", [], {}, { status: "allow" }, { allowed: true }].map(
      (result): [string, unknown, string] => [
        `skip with ${JSON.stringify(result)}`,
        { action: "skip", result },
        "denied",
      ],
    ),
    ["nonsense", { action: "allow" }, "denied"],
    ["a string", "allowed", "denied"],
    ["true", true, "denied"],
  ];

  test("what one returns decides, and what means nothing there denies", async () => {
    let answer: unknown;
    const [plain, covered] = [await asking(), await asking({ grants: ["echo"] })];
    for (const { orcs } of [plain, covered]) orcs.on("auth.pre_check", () => answer);
    const seen: unknown[] = [];
    for (const [what, given] of ANSWERS) {
      answer = given;
      const { status } = await plain.boss(check("echo a"));
      const { ok } = await plain.boss(exec("echo a"));
      seen.push([what, status, ok, (await covered.boss(check("echo a"))).status]);
    }
    expect(seen).toEqual(
      ANSWERS.map(([what, given, status]) => [
        what,
        status,
        status === "allowed",
        given === undefined ? "allowed" : status,
      ]),
    );
  });

  test("a hook that throws denies the command", async () => {
    const { orcs, boss } = await asking({ grants: ["echo"] });
    orcs.on("auth.pre_check", () => {
      throw new Error("kaput");
    });
    expect(await boss(check("echo a"))).toMatchObject({
      status: "denied",
      reason: expect.stringContaining("kaput"),
    });
    expect(await boss(exec("echo a"))).toMatchObject({ ok: false });
  });

  test("a rewritten command is checked in its new form, and exec of the original is denied", async () => {
    const { orcs, boss } = await asking({ grants: ["echo"] });
    orcs.on("auth.pre_check", (ctx) => void (ctx.payload["command"] = "echo safe"));
    expect(await boss(check("rm -rf x"))).toEqual({ status: "allowed", command: "echo safe" });
    expect(await boss(exec("touch x"))).toMatchObject({
      ok: false,
      error: expect.stringContaining("changed the command"),
    });
  });

  test.each([undefined, null, 5, {}])(
    "a hook that sets the command to %j denies it",
    async (command) => {
      const { orcs, boss } = await asking({ grants: ["echo"] });
      orcs.on("auth.pre_check", (ctx) => void Object.assign(ctx.payload, { command }));
      expect((await boss(check("echo a"))).status).not.toBe("allowed");
      expect(await boss(exec("echo a"))).toMatchObject({ ok: false });
    },
  );

  test("the hook sees the caller; a hook at auth.post_check sees the result and can change it", async () => {
    const { orcs, boss } = await asking({ grants: ["echo"] });
    const seen: unknown[] = [];
    orcs.hook({
      point: "auth.pre_check",
      fql: "lua::boss/c",
      handler: (ctx) => void seen.push({ ...ctx.payload }),
    });
    orcs.on("auth.post_check", (ctx) => void seen.push({ ...ctx.payload }));
    await boss(async (context) => {
      const child = await childOf(context, { id: "c", capabilities: ["EXECUTE"] });
      await child(check("echo a"));
    });
    expect(seen).toEqual([
      {
        command: "echo a",
        capabilities: 8,
        session: { id: "lua::boss/c", elevated: false },
      },
      { command: "echo a", permission_result: { status: "allowed" } },
    ]);
    orcs.on("auth.post_check", () => ({ action: "replace", result: "denied" }));
    expect((await boss(check("echo a"))).status).toBe("denied");
    expect(await boss(exec("echo a"))).toMatchObject({ ok: false });
  });

  test("a denial is final, whatever a hook at auth.post_check returns", async () => {
    const { orcs, boss } = await asking({ grants: ["echo"] });
    orcs.on("auth.pre_check", () => ({ action: "abort", reason: "never" }));
    orcs.on("auth.post_check", () => ({ action: "replace", result: "allowed" }));
    expect(await boss(check("echo a"))).toMatchObject({
      status: "denied",
      reason: expect.stringMatching(/: never$/),
    });
    expect(await boss(exec("echo a"))).toMatchObject({ ok: false });
  });

  test("the hook runs once per executed command", async () => {
    const { orcs, boss } = await asking({ grants: ["echo"] });
    const hook = vi.fn();
    orcs.on("auth.pre_check", () => void hook());
    await boss(exec("echo a"));
    expect(hook).toHaveBeenCalledTimes(1);
  });
});

describe("a decision at tool.pre_execute", () => {
  test("allow runs a command without a grant and without asking", async () => {
    const approve = vi.fn(() => false);
    const { orcs, boss } = await asking({ approve });
    orcs.on("tool.pre_execute", () => ({ action: "continue", decision: "allow" }));
    expect(await boss(exec("echo a; echo b"))).toMatchObject(RAN);
    expect(approve).not.toHaveBeenCalled();
  });

  test("allow does not consume a one-time grant", async () => {
    const { orcs, boss } = await asking({ approve: ({ tool }) => tool === "grant_command" });
    await boss(grant("echo", "one_time"));
    const remove = orcs.on("tool.pre_execute", () => ({ action: "continue", decision: "allow" }));
    await boss(exec("echo a"));
    remove();
    expect(await boss(exec("echo a"))).toMatchObject(RAN);
    expect(await boss(exec("echo a"))).toMatchObject({ ok: false });
  });

  test.each([true, false])("ask requests approval once, and %s is the result", async (answer) => {
    const approve = vi.fn<Approve>(() => answer);
    const { orcs, boss } = await asking({ approve });
    orcs.on("tool.pre_execute", () => ({ action: "continue", decision: "ask", reason: "risky" }));
    expect((await boss(exec("echo a"))).ok).toBe(answer);
    expect(approve).toHaveBeenCalledTimes(1);
    expect(approve.mock.calls[0]?.[0]).toMatchObject({
      tool: "exec",
      args: { command: "echo a" },
      reason: "risky",
    });
  });

  test("defer denies the command", async () => {
    const { orcs, boss } = await asking({ grants: ["echo"], approve: () => true });
    orcs.on("tool.pre_execute", () => ({ action: "continue", decision: "defer" }));
    expect(await boss(exec("echo a"))).toMatchObject({ ok: false });
  });

  test("a command rewritten by the hook is the one that is checked and shown for approval", async () => {
    const approve = vi.fn<Approve>(() => false);
    const { orcs, boss } = await asking({ grants: ["echo"], approve });
    orcs.on("tool.pre_execute", (ctx) => {
      (ctx.payload["args"] as Record<string, unknown>)["command"] = "touch x";
    });
    expect(await boss(exec("echo a"))).toMatchObject({ ok: false });
    expect(approve.mock.calls[0]?.[0].args).toEqual({ command: "touch x" });
  });
});

describe("one-time grants", () => {
  const granting = { approve: ({ tool }: ApprovalRequest) => tool === "grant_command" };

  test("cover one execution", async () => {
    const { boss } = await asking(granting);
    await boss(grant("echo", "one_time"));
    expect(await boss(check("echo a"))).toMatchObject({ status: "allowed" });
    expect(await boss(check("echo a"))).toMatchObject({ status: "allowed" });
    expect(await boss(exec("echo a"))).toMatchObject(RAN);
    expect(await boss(check("echo a"))).toMatchObject({ status: "requires_approval" });
    expect(await boss(exec("echo a"))).toMatchObject({ ok: false });
  });

  test("cover exactly one of ten concurrent commands, with and without slow hooks", async () => {
    for (const slow of [false, true]) {
      const { orcs, boss } = await asking(granting);
      if (slow) orcs.on("auth.post_check", () => new Promise((r) => setTimeout(r, 5)));
      await boss(grant("echo", "one_time"));
      const answers = await boss(async (context) => {
        const child = await childOf(context, { id: "c" });
        return child((own) =>
          Promise.all(
            Array.from({ length: 10 }, (_, i) => (i % 2 ? own : context).get("exec", "echo a")),
          ),
        );
      });
      expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    }
  });

  test("a command whose one-time grant was consumed by a concurrent one is asked about", async () => {
    const asked: ApprovalRequest[] = [];
    const approve = (request: ApprovalRequest) => (asked.push(request), true);
    const { boss } = await asking({ approve });
    await boss(grant("echo", "one_time"));
    await boss((context) => Promise.all([exec("echo a")(context), exec("echo b")(context)]));
    expect(asked.map(({ tool, args }) => [tool, args])).toEqual([
      ["grant_command", { pattern: "echo", kind: "one_time" }],
      ["exec", { command: "echo b" }],
    ]);
  });
});

describe("scope of a grant", () => {
  const granting = { approve: ({ tool }: ApprovalRequest) => tool === "grant_command" };

  test("a grant covers its holder and the holder's children, not parents or siblings", async () => {
    const { actor, boss } = await asking(granting);
    const other = await actor("lua::other");
    const twin = await actor("lua::boss", { instance: "two" });
    await boss(async (context) => {
      const a = await childOf(context, { id: "a" });
      const b = await childOf(context, { id: "b" });
      const c = await a((own) => childOf(own, { id: "c" }));
      const below: Actor = (job) => a((own) => c.from(own)(job));
      const covered = async () => ({
        boss: (await check("echo a")(context)).status === "allowed",
        a: (await a(check("echo a"))).status === "allowed",
        b: (await b(check("echo a"))).status === "allowed",
        below: (await below(check("echo a"))).status === "allowed",
        other: (await other(check("echo a"))).status === "allowed",
        twin: (await twin(check("echo a"))).status === "allowed",
      });
      const nobody = { boss: false, a: false, b: false, below: false, other: false, twin: false };
      expect(await covered()).toEqual(nobody);
      await below(grant("echo"));
      expect(await covered()).toEqual({ ...nobody, below: true });
      await a(grant("echo"));
      expect(await covered()).toEqual({ ...nobody, below: true, a: true });
      await grant("echo")(context);
      expect(await covered()).toEqual({ ...nobody, boss: true, a: true, b: true, below: true });
    });
  });

  test("a grant ends with its holder", async () => {
    const { runtime, actor, boss } = await asking(granting);
    await boss(async (context) => {
      const a = await childOf(context, { id: "a" });
      await a(grant("echo"));
      await context.stopChild("a");
      const again = await childOf(context, { id: "a" });
      expect(await again(exec("echo a"))).toMatchObject({ ok: false });
    });
    await boss(grant("echo"));
    await runtime.stop("lua::boss");
    const again = await actor("lua::boss");
    expect(await again(exec("echo a"))).toMatchObject({ ok: false });
  });
});

describe("grant_command", () => {
  test("does not ask in an elevated session, and calls auth.on_grant", async () => {
    const approve = vi.fn(() => false);
    const set = await stage({ cwd: folder(), approve });
    const told: unknown[] = [];
    set.orcs.on("auth.on_grant", (ctx) => void told.push([ctx.component_id, { ...ctx.payload }]));
    const boss = await set.actor("lua::boss");
    await boss(grant("git status"));
    expect(approve).not.toHaveBeenCalled();
    expect(told).toEqual([
      ["lua::boss", { pattern: "git status", granted_by: { type: "Host", id: "main" } }],
    ]);
  });

  test("asks in a session that is not elevated, and passes the approver to auth.on_grant", async () => {
    const approve = vi.fn<Approve>(() => true);
    const { orcs, boss } = await asking({ approve });
    const told: unknown[] = [];
    orcs.on("auth.on_grant", (ctx) => void told.push({ ...ctx.payload }));
    await boss(grant("echo"));
    expect(approve.mock.calls[0]?.[0]).toMatchObject({
      tool: "grant_command",
      args: { pattern: "echo", kind: "persistent" },
      hook: undefined,
      ctx: { component_id: "lua::boss", depth: 0 },
    });
    expect(told).toEqual([{ pattern: "echo", granted_by: { type: "User", id: "approval" } }]);
  });

  test.each<[string, Given]>([
    ["nobody is there", {}],
    ["said no", { approve: () => false }],
    ["said something else", { approve: () => "yes" as unknown as boolean }],
    ["threw", { approve: () => Promise.reject(new Error("kaput")) }],
    ["never answered", { approve: () => new Promise(() => undefined), hil: { timeout_ms: 20 } }],
    ["is not asked", { approve: () => true, hil: { mode: "deny" } }],
  ])("grants nothing when the approver %s", async (_, given) => {
    const { orcs, boss } = await asking(given);
    const told = vi.fn();
    orcs.on("auth.on_grant", () => void told());
    const error = await boss((context) => errorOf(context.grantCommand("echo")));
    expect(error).toMatchObject({ code: "ORCS6008", fields: { pattern: "echo" } });
    expect(told).not.toHaveBeenCalled();
    expect((await boss(check("echo a"))).status).toBe("requires_approval");
  });

  test("a hook at auth.on_grant that throws does not revoke the grant", async () => {
    const { orcs, boss } = await asking({ approve: ({ tool }) => tool === "grant_command" });
    orcs.on("auth.on_grant", () => {
      throw new Error("kaput");
    });
    await boss(grant("echo"));
    expect(await boss(exec("echo a"))).toMatchObject(RAN);
  });

  test("grants the pattern that was approved, even if the caller makes other requests meanwhile", async () => {
    const patterns: unknown[] = [];
    const approve = ({ args }: ApprovalRequest) => {
      patterns.push(args["pattern"]);
      return args["pattern"] === "echo";
    };
    const { boss } = await asking({ approve });
    const outcomes = await boss((context) =>
      Promise.allSettled([context.grantCommand("echo"), context.grantCommand("rm")]),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(patterns).toEqual(["echo", "rm"]);
    expect(await boss(check("rm x"))).toMatchObject({ status: "requires_approval" });
  });
});

test("approval of a command covers one execution", async () => {
  const approve = vi.fn(() => true);
  const { boss } = await asking({ approve });
  expect(await boss(exec("echo a"))).toMatchObject(RAN);
  expect(await boss(exec("echo a"))).toMatchObject(RAN);
  expect(approve).toHaveBeenCalledTimes(2);
});
