import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createOrcs, openOrcs } from "../../../../../src/engine/create-orcs.ts";
import type { CreateOrcsOptions } from "../../../../../src/engine/orcs/options.ts";
import type { Orcs } from "../../../../../src/engine/orcs/orcs.ts";
import type { Outcome } from "../../../../../src/core/outcome.ts";
import type { ShadowStep } from "../../../../../src/engine/registry/events.ts";
import { hook, Lines } from "../../registry/hooks.ts";

const PRE = "tool.pre_execute";
const open: Orcs[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((orcs) => orcs.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "orcs-shadow-"));
  folders.push(made);
  return made;
}

interface Bench {
  readonly orcs: Orcs;
  readonly log: Lines;
  readonly steps: ShadowStep[];
  /** Dispatch a call of `exec`, and wait for the hooks in shadow. */
  readonly exec: (command: string, more?: object) => ReturnType<Orcs["dispatch"]>;
}

type Config = Exclude<NonNullable<CreateOrcsOptions["config"]>, string>;

async function bench(config: Config | string, more: CreateOrcsOptions = {}): Promise<Bench> {
  const log = new Lines();
  const orcs = await createOrcs({ config, logger: log, ...more });
  open.push(orcs);
  const steps: ShadowStep[] = [];
  orcs.events.on("shadow", (step) => void steps.push(step));
  return {
    orcs,
    log,
    steps,
    exec: async (command, payload = {}) => {
      const outcome = await orcs.dispatch(PRE, {
        tool_name: "exec",
        args: { command },
        ...payload,
      });
      await orcs.registry.idle();
      return outcome;
    },
  };
}

const inline = (id: string, code: string, more: object = {}) => ({
  id,
  point: PRE,
  handler_inline: code,
  ...more,
});
const shadow = (id: string, code: string, more: object = {}) =>
  inline(id, code, { mode: "audit", ...more });

describe("a hook in shadow", () => {
  it.each([
    ["the change", 'if ctx.payload.args.command == "rm" then return orcs.deny("now") end', "abort"],
    ["the original", 'if ctx.payload.args.command == "ls" then ctx.metadata.n = 1 end', "continue"],
  ])(
    "is recorded once where a project's hook makes it look again, with what it says of %s",
    async (_, code, action) => {
      const { exec, steps, orcs } = await bench({
        hooks: [shadow("looks", `orcs.exec("true"); ${code}`)],
      });
      const changes = (ctx: { payload: Record<string, unknown> }): void =>
        void (ctx.payload["args"] = { command: "rm" });
      orcs.registry.register(hook(changes, { id: "project", rank: 1, point: PRE }));
      await exec("ls");
      expect(steps).toHaveLength(1);
      expect(steps[0]).toMatchObject({
        hook: "looks",
        action,
        // Those of both runs.
        effects: [
          { call: "exec", ran: false },
          { call: "exec", ran: false },
        ],
      });
      expect(steps[0]?.patch?.length ?? 0).toBe(action === "abort" ? 0 : 1);
    },
  );

  it("has no effect, and is recorded with its verdict, its changes and its texts", async () => {
    const { exec, steps, orcs } = await bench({
      hooks: [
        shadow("denies", 'orcs.deny("no " .. ctx.payload.args.command)'),
        shadow("asks", 'orcs.ask("sure?")'),
        shadow(
          "skips",
          'orcs.skip({ ok = true, token = "ghp_0123456789012345678901234567890123456" })',
        ),
        shadow("changes", 'ctx.payload.args.command = "true"; return { inject = "be careful" }'),
        shadow("looks", "nil"),
      ],
    });
    const outcome = await exec("ls");
    expect(outcome).toMatchObject({ action: "continue", inject: [] });
    expect(outcome).not.toHaveProperty("decision");
    expect(outcome.ctx.payload["args"]).toEqual({ command: "ls" });
    const seen = steps.map(({ hook, action, decision, reason, patch, inject, result }) =>
      JSON.parse(JSON.stringify({ hook, action, decision, reason, patch, inject, result })),
    );
    expect(seen).toEqual([
      { hook: "denies", action: "abort", reason: "no ls" },
      { hook: "asks", action: "continue", decision: "ask", reason: "sure?" },
      { hook: "skips", action: "skip", result: { ok: true, token: expect.stringMatching(/^\[/) } },
      {
        hook: "changes",
        action: "continue",
        patch: [{ op: "replace", path: "/payload/args/command", value: "true" }],
        inject: ["be careful"],
      },
      { hook: "looks", action: "continue" },
    ]);
    expect(steps[0]).toMatchObject({
      mode: "audit",
      point: PRE,
      component: "host::main",
      status: "ran",
      enforced: { action: "continue" },
      dispatch_id: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(orcs.registry.list(PRE).map(({ id }) => id)).toEqual(steps.map(({ hook }) => hook));
  });

  it("runs after the decision was handed over", async () => {
    const order: string[] = [];
    const { orcs } = await bench({});
    orcs.hook({ point: PRE, mode: "audit", handler: () => void order.push("shadow") });
    await orcs.dispatch(PRE, { tool_name: "exec", args: {} });
    order.push("decided");
    await orcs.registry.idle();
    expect(order).toEqual(["decided", "shadow"]);
  });

  it("does not see a result that is a stream, which reaches its reader as it is", async () => {
    const { orcs, log, steps } = await bench({
      hooks: [shadow("looks", "nil", { point: "tool.post_execute" })],
    });
    const dropped: string[] = [];
    orcs.events.on("dropped", ({ hook }) => void dropped.push(hook));
    const stream = new ReadableStream();
    for (const result of [stream, stream, "text"]) {
      const called = await orcs.call<object>("read", {}, { fn: () => result });
      expect(called.ok && called.result).toBe(result);
      await orcs.registry.idle();
    }
    expect(dropped).toEqual(["looks", "looks"]);
    expect(log.of("warn").filter((line) => line.includes("is a stream"))).toHaveLength(1);
    expect(steps.map(({ status }) => status)).toEqual(["ran"]);
  });

  it("sees the payload of its place in the chain, also when the caller changes it afterwards", async () => {
    const append = (text: string) =>
      `ctx.payload.args.command = ctx.payload.args.command .. " ${text}"`;
    const { orcs, steps } = await bench({
      hooks: [
        shadow("s0", "orcs.deny(ctx.payload.args.command)", { priority: 1 }),
        inline("a", append("a"), { priority: 2 }),
        shadow("s1", "orcs.deny(ctx.payload.args.command)", { priority: 2 }),
        inline("b", append("b"), { priority: 2 }),
        shadow("s2", "orcs.deny(ctx.payload.args.command)", { priority: 3 }),
      ],
    });
    const args = { command: "ls" };
    const outcome = await orcs.dispatch(PRE, { tool_name: "exec", args });
    args.command = "changed";
    await orcs.registry.idle();
    expect(outcome.ctx.payload["args"]).toEqual({ command: "ls a b" });
    expect(steps.map(({ hook, reason }) => `${hook}: ${reason}`)).toEqual([
      "s0: ls",
      "s1: ls a",
      "s2: ls a b",
    ]);
  });

  it("does not run where the chain ended before its place", async () => {
    const { exec, steps } = await bench({
      hooks: [
        shadow("before", "orcs.deny()", { priority: 1 }),
        inline("end", 'orcs.deny("here")', { priority: 2 }),
        shadow("after", "orcs.deny()", { priority: 3 }),
      ],
    });
    expect(await exec("ls")).toMatchObject({ action: "abort", hook: "end" });
    expect(steps.map(({ hook, enforced }) => [hook, enforced])).toEqual([
      ["before", { action: "abort", hook: "end" }],
    ]);
  });

  it("that throws, hangs or does not load is noted, and nothing is denied", async () => {
    const { exec, steps, log, orcs } = await bench({
      lua: { max_run_ms: 20 },
      engine: { on_error: "closed" },
      hooks: [
        shadow("throws", 'error("oh")'),
        shadow("hangs", "while true do end"),
        shadow("answers nonsense", "42"),
        shadow("does not load", "= = ="),
        shadow("hoards", 'local t = {} while true do t[#t + 1] = ("x"):rep(1e6) .. #t end'),
      ],
    });
    expect(await exec("ls")).toMatchObject({ action: "continue" });
    expect(await exec("ls")).toMatchObject({ action: "continue" });
    expect(new Set(steps.map(({ hook, status }) => `${hook} ${status}`))).toEqual(
      new Set([
        "throws failed",
        "hangs timed_out",
        "answers nonsense failed",
        expect.stringMatching(/^hoards/),
      ]),
    );
    // Once stopped, it rests: it must not take the time of the decisions that follow.
    expect(steps.filter(({ hook }) => hook === "hangs")).toHaveLength(1);
    expect(log.of("warn").join("\n")).toMatch(/the hook does not load does not run in shadow: /);
    expect(log.of("error")).toEqual([]);
    expect(orcs.registry.list()).toHaveLength(4);
  });

  it("has a state of its own, and a copy of orcs.state", async () => {
    const { exec, orcs, steps } = await bench({
      hooks: [
        inline("real", 'n = (n or 0) + 1; orcs.state.incr("n", 1); ctx.metadata.n = n'),
        shadow(
          "copy",
          'n = (n or 0) + 100; return orcs.deny(n .. " " .. orcs.state.incr("n", 10))',
        ),
        shadow(
          "deletes",
          'orcs.state.delete("kept"); return orcs.deny(tostring(orcs.state.get("kept")))',
        ),
        inline("keeps", 'orcs.state.set("kept", "yes")', { priority: 1 }),
      ],
    });
    const one = await exec("ls");
    const two = await exec("ls");
    expect([one, two].map(({ ctx }) => ctx.metadata["n"])).toEqual([1, 2]);
    expect(steps.map(({ reason }) => reason)).toEqual(["100 11", "nil", "200 21", "nil"]);
    orcs.hook({
      point: PRE,
      handler: (ctx, { state }) =>
        void (ctx.metadata["is"] = [state?.get("n"), state?.get("kept")]),
    });
    expect((await exec("ls")).ctx.metadata["is"]).toEqual([3, "yes"]);
  });

  it("makes no calls, unless it has shadow_effects; then they are marked", async () => {
    const called: unknown[] = [];
    const code = 'local r = orcs.get("look", {}); return orcs.deny(r.error or "found")';
    const record = join(folder(), "record.jsonl");
    const hooks = [
      shadow("shy", code, { match: { tool: "exec" } }),
      shadow("bold", code, { match: { tool: "exec" }, shadow_effects: true }),
    ];
    const { orcs, exec, steps } = await bench({ hooks }, { record });
    orcs.addTool("look", () => void called.push("look"));
    orcs.on(PRE, { tool: "look" }, (ctx) => void called.push(ctx.metadata["shadow_hook"]));
    await exec("ls");
    expect(called).toEqual(["bold", "look"]);
    const seen = steps.filter(({ effects }) => effects);
    expect(new Map(seen.map(({ hook, effects }) => [hook, effects]))).toEqual(
      new Map([
        ["shy", [{ call: "look", ran: false }]],
        ["bold", [{ call: "look", ran: true }]],
      ]),
    );
    expect(steps.find(({ hook }) => hook === "shy")?.reason).toMatch(/does not take place/);
    await orcs.close();
    const lines = readFileSync(record, "utf8").trim().split("\n");
    const calls = lines.map((line) => JSON.parse(line)).filter((line) => "call" in line);
    expect(calls).toMatchObject([{ call: { kind: "look" }, depth: 1, shadow_hook: "bold" }]);
  });

  it("marks what the runtime functions of a hook with shadow_effects dispatch", async () => {
    const { orcs, exec, steps } = await bench({
      hooks: [shadow("bold", 'orcs.check_command("echo x")', { shadow_effects: true })],
    });
    const marks: unknown[] = [];
    orcs.on("auth.pre_check", (ctx) => void marks.push(ctx.metadata["shadow_hook"]));
    const runtime = orcs.runtime();
    await runtime.spawn({
      id: "builtin::free",
      onRequest: (_request, context) => context.get("echo", {}),
    });
    orcs.addTool("echo", () => "x");
    await runtime.request("builtin::free", "go");
    await orcs.registry.idle();
    // Outside the runtime there is nobody whose permission could be checked.
    await exec("ls");
    const checked = [{ call: "check_command", ran: true }];
    expect(steps.map(({ effects }) => effects)).toEqual([checked, undefined]);
    expect(marks).toEqual(["bold"]);
  });

  it("can be stated by a script, whose other hooks decide", async () => {
    const dir = folder();
    writeFileSync(
      join(dir, "guard.lua"),
      `local n = 0
       return {
         { id = "real", point = "${PRE}", handler = function(ctx) n = n + 1; ctx.metadata.n = n end },
         { id = "new", mode = "audit", point = "${PRE}", handler = function(ctx) n = n + 10; return orcs.deny("n is " .. n) end },
       }`,
    );
    const { exec, steps } = await bench({
      scripts: { dirs: [dir] },
      hooks: [{ id: "guard", script: "guard.lua" }],
    });
    expect((await exec("ls")).ctx.metadata["n"]).toBe(1);
    expect((await exec("ls")).ctx.metadata["n"]).toBe(2);
    expect(steps.map(({ hook, reason }) => [hook, reason])).toEqual([
      ["new", "n is 10"],
      ["new", "n is 20"],
    ]);
  });

  it("is written to the audit log, masked", async () => {
    const auditDir = folder();
    const { exec, orcs } = await bench(
      { hooks: [shadow("guard", 'orcs.deny("token ghp_0123456789012345678901234567890123456")')] },
      { auditDir },
    );
    await exec("git push", { session_id: "S1" });
    await orcs.close();
    const lines = readFileSync(join(auditDir, "audit.jsonl"), "utf8").trim().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({
        kind: "shadow",
        mode: "audit",
        point: PRE,
        session: "S1",
        hook: "guard",
        action: "abort",
        tool: "exec",
        subject: "git push",
        reason: expect.not.stringContaining("ghp_"),
        enforced: { action: "continue" },
        input: expect.stringMatching(/^sha256:/),
      }),
    ]);
  });

  it("runs once in each session with `once`, also in another process", async () => {
    const stateDir = folder();
    const seen: unknown[] = [];
    for (const sessions of [
      ["A", "A", "B"],
      ["B", "C"],
    ]) {
      const { exec, steps, orcs } = await bench(
        { hooks: [shadow("first", "orcs.deny()", { once: true })] },
        { stateDir },
      );
      for (const session_id of sessions) await exec("ls", { session_id });
      seen.push(...steps.filter(({ status }) => status === "ran").map((step) => step.session_id));
      await orcs.close();
    }
    expect(seen).toEqual(["A", "B", "C"]);
  });

  it("waits for the end of an engine that ends with its answer", async () => {
    const log = new Lines();
    const config = { hooks: [shadow("guard", "orcs.deny()")] };
    const orcs = await openOrcs({ config, logger: log, shadowAtClose: true });
    const seen: string[] = [];
    orcs.events.on("shadow", ({ hook }) => void seen.push(hook));
    await orcs.dispatch(PRE, { tool_name: "exec", args: {} });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(seen).toEqual([]);
    await orcs.close();
    expect(seen).toEqual(["guard"]);
  });
});

describe("mode = warn", () => {
  it("tells the person and the model, and decides nothing", async () => {
    const { exec, log } = await bench({
      hooks: [
        inline("w1", 'orcs.deny("no")', { mode: "warn" }),
        inline("w2", 'ctx.payload.args.command = "x"', { mode: "warn" }),
        inline("w3", 'error("oh")', { mode: "warn" }),
        inline("w4", 'orcs.allow("fine")', { mode: "warn" }),
      ],
    });
    const outcome = await exec("ls");
    expect(outcome).toMatchObject({
      action: "continue",
      ctx: { payload: { args: { command: "ls" } } },
    });
    expect(outcome).not.toHaveProperty("decision");
    const texts = [
      "warning: the hook w1 would deny this: no; it only warns for now",
      "warning: the hook w2 would change /payload/args/command; it only warns for now",
    ];
    expect(outcome.warnings?.map(({ text }) => text)).toEqual(texts);
    expect(outcome.inject).toEqual(texts.map((text) => `orcs ${text}`));
    expect(log.of("warn")).toEqual(texts.map((text) => `${PRE}: ${text}`));
  });

  it("is told by the events, with what it would have done", async () => {
    const { exec, orcs } = await bench({
      hooks: [
        inline("w1", 'return orcs.deny("no")', { mode: "warn" }),
        inline("w2", 'ctx.payload.args.command = "x"', { mode: "warn" }),
      ],
    });
    const ran: unknown[] = [];
    const ended: Outcome[] = [];
    orcs.events.on("hook", (step) => void ran.push(step));
    orcs.events.on("dispatched", ({ outcome }) => void ended.push(outcome));
    await exec("ls");
    const wouldDeny = "warning: the hook w1 would deny this: no; it only warns for now";
    const wouldChange =
      "warning: the hook w2 would change /payload/args/command; it only warns for now";
    expect(ran).toMatchObject([
      { hook: "w1", status: "ran", mode: "warn", action: "abort", reason: "no" },
      {
        hook: "w2",
        status: "ran",
        mode: "warn",
        action: "continue",
        patch: [{ op: "replace", path: "/payload/args/command", value: "x" }],
      },
    ]);
    expect(ended).toMatchObject([
      {
        action: "continue",
        warnings: [
          { hook: "w1", text: wouldDeny },
          { hook: "w2", text: wouldChange },
        ],
      },
    ]);
  });
});

describe("which mode counts", () => {
  it.each<[string, Config, string]>([
    ["its own", { hooks: [inline("h", "orcs.deny()", { mode: "audit" })] }, "audit"],
    ["that of the file, if weaker", { mode: "warn", hooks: [inline("h", "orcs.deny()")] }, "warn"],
    ["its own, if weaker", { mode: "warn", hooks: [shadow("h", "orcs.deny()")] }, "audit"],
    [
      "that of [engine]",
      { engine: { mode: "audit" }, hooks: [inline("h", "orcs.deny()")] },
      "audit",
    ],
    [
      "a stronger one around it does not count",
      { engine: { mode: "enforce" }, mode: "enforce", hooks: [shadow("h", "orcs.deny()")] },
      "audit",
    ],
    ["enforce by default", { hooks: [inline("h", "orcs.deny()")] }, "enforce"],
    [
      "that of its agent",
      { agents: { main: { mode: "audit", hooks: [inline("h", "orcs.deny()")] } } },
      "audit",
    ],
  ])("%s", async (_, config, mode) => {
    const { exec, steps } = await bench(config, { agent: "main" });
    const outcome = await exec("ls");
    const is = outcome.action === "abort" ? "enforce" : outcome.warnings ? "warn" : "audit";
    expect(is).toBe(mode);
    expect(steps).toHaveLength(mode === "audit" ? 1 : 0);
  });

  it("applies to hooks of the program, too", async () => {
    const { orcs, exec, steps } = await bench({ engine: { mode: "audit" } });
    orcs.hook({ id: "code", point: PRE, handler: () => ({ action: "abort", reason: "no" }) });
    expect(await exec("ls")).toMatchObject({ action: "continue" });
    expect(steps).toMatchObject([{ hook: "code", action: "abort" }]);
  });

  it("leaves the guard of orcs itself in force", async () => {
    const hooks = [inline("h", "orcs.deny()")];
    const config: Config = { engine: { mode: "audit" }, mode: "audit", hooks };
    const { exec } = await bench(config, { selfGuard: true, stateDir: folder() });
    expect(await exec("orcs trust --yes")).toMatchObject({
      action: "abort",
      hook: "orcs:self-guard",
    });
    expect(await exec("ls")).toMatchObject({ action: "continue" });
  });

  it("refuses an unknown one", async () => {
    await expect(createOrcs({ config: { mode: "shadow" } })).rejects.toThrow(/ORCS1015/);
    const { orcs } = await bench({});
    const mode = "shadow" as "audit";
    expect(() => orcs.hook({ point: PRE, mode, handler: () => undefined })).toThrow(/ORCS1004/);
  });
});

describe("rollout", () => {
  it("always puts a session on the same side, and keeps those that are in when it grows", async () => {
    const sessions = Array.from({ length: 400 }, (_, i) => `session-${i}`);
    const inside = async (rollout: number): Promise<Set<string>> => {
      const { orcs } = await bench({ hooks: [inline("h", "orcs.deny()", { rollout })] });
      const seen = new Set<string>();
      for (const session_id of [...sessions, ...sessions]) {
        const before = seen.has(session_id);
        const { action } = await orcs.dispatch(PRE, { tool_name: "exec", args: {}, session_id });
        if (action === "abort") seen.add(session_id);
        else expect(before).toBe(false);
      }
      return seen;
    };
    const [none, quarter, half, all] = [
      await inside(0),
      await inside(25),
      await inside(50),
      await inside(100),
    ];
    expect([none.size, all.size]).toEqual([0, 400]);
    expect(quarter.size).toBeGreaterThan(70);
    expect(quarter.size).toBeLessThan(130);
    expect([...quarter].every((session) => half.has(session))).toBe(true);
  });

  it("says so where it is explained, and takes in calls without a session", async () => {
    const { orcs } = await bench(
      { hooks: [inline("h", "orcs.deny()", { rollout: 0.5 })] },
      { trace: "values" },
    );
    const { action } = await orcs.dispatch(PRE, { tool_name: "exec", args: {} });
    expect(action).toBe("abort");
    const { trace } = await orcs.dispatch(PRE, { tool_name: "exec", args: {}, session_id: "s" });
    expect(trace).toMatchObject([
      { failing: "rollout", mismatch: { pattern: "0.5 % of the sessions", value: "s" } },
    ]);
  });
});

describe("a reload", () => {
  it("during a dispatch does not lose the runs of its hooks", async () => {
    const file = join(folder(), "orcs.toml");
    const table = (id: string): string =>
      `[[hooks]]\nid = "${id}"\npoint = "${PRE}"\nmode = "audit"\nhandler_inline = 'orcs.deny("${id}")'\n`;
    writeFileSync(file, table("old"));
    const { orcs, steps, exec } = await bench(file);
    await exec("ls");
    let go: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => (go = resolve));
    orcs.hook({ id: "waits", point: PRE, handler: () => waiting });
    const running = orcs.dispatch(PRE, { tool_name: "exec", args: { command: "ls" } });
    writeFileSync(file, table("new"));
    await orcs.reload();
    go();
    await running;
    await orcs.registry.idle();
    await exec("ls");
    expect(steps.map(({ hook, reason }) => `${hook}: ${reason}`)).toEqual([
      "old: old",
      "old: old",
      "new: new",
    ]);
  });

  const table = (id: string, mode: string): string =>
    `[[hooks]]\nid = "${id}"\npoint = "${PRE}"\nmode = "${mode}"\nhandler_inline = 'return orcs.deny("no")'\n`;

  /** A bench with the configuration in a file, and what writes another one and loads it. */
  async function reloading(toml: string) {
    const file = join(folder(), "orcs.toml");
    writeFileSync(file, toml);
    const made = await bench(file);
    const reload = async (next: string): Promise<void> => {
      writeFileSync(file, next);
      await made.orcs.reload();
    };
    return { ...made, reload };
  }

  it("takes a hook from the shadow into the chain, and back", async () => {
    const { exec, orcs, steps, reload } = await reloading(table("push", "audit"));
    expect((await exec("ls")).action).toBe("continue");
    await reload(table("push", "enforce"));
    expect((await exec("ls")).action).toBe("abort");
    expect(steps).toHaveLength(1);
    await reload(table("push", "audit"));
    expect((await exec("ls")).action).toBe("continue");
    expect(steps).toHaveLength(2);
    expect(orcs.registry.list().map(({ id }) => id)).toEqual(["push"]);
  });

  it("leaves a hook in shadow disabled", async () => {
    const { exec, orcs, steps, reload } = await reloading(table("push", "audit"));
    await exec("ls");
    orcs.registry.setEnabled("push", false);
    await reload(table("push", "audit") + table("other", "audit"));
    await exec("ls");
    expect(steps.map(({ hook }) => hook)).toEqual(["push", "other"]);
    expect(orcs.registry.isEnabled("push")).toBe(false);
  });
});

describe("what a hook notes for others in the metadata", () => {
  const NOTES = "ctx.metadata.seen = (ctx.metadata.seen or 0) + 1";

  it("is no change that warn tells", async () => {
    const { exec, log } = await bench({
      hooks: [inline("notes", NOTES, { mode: "warn" })],
    });
    expect(await exec("ls")).toMatchObject({ action: "continue", inject: [] });
    expect(log.of("warn")).toEqual([]);
    const both = await bench({
      hooks: [
        inline("both", `${NOTES} ctx.payload.args.command = "true"`, { mode: "warn" }),
        inline("denies", `${NOTES} return orcs.deny("no")`, { mode: "warn" }),
      ],
    });
    await both.exec("ls");
    expect(both.log.of("warn")).toEqual([
      expect.stringContaining("would change /payload/args/command;"),
      expect.stringContaining("would deny this: no;"),
    ]);
  });

  it("is nothing that a hook in shadow would have done", async () => {
    const dir = folder();
    const { exec, orcs } = await bench({ hooks: [shadow("notes", NOTES)] }, { auditDir: dir });
    await exec("ls");
    await orcs.close();
    expect(existsSync(join(dir, "audit.jsonl"))).toBe(false);
  });
});

describe("a script whose hooks are in the chain already", () => {
  const GUARD = '[[hooks]]\nscript = "orcs:shell-guard"\n';
  const strict = (more: string): string => `${GUARD}${more}options = { level = "strict" }\n`;

  it("runs in shadow under other ids, with its own options", async () => {
    const file = join(folder(), "orcs.toml");
    writeFileSync(
      file,
      GUARD + strict('mode = "audit"\n') + strict('id = "next"\nmode = "audit"\n'),
    );
    const { exec, log, steps } = await bench(file);
    expect((await exec("git tag --delete v1")).action).toBe("continue");
    expect(steps.map(({ hook, action }) => `${hook} ${action}`)).toEqual([
      "audit/shell-guard abort",
      "next/shell-guard abort",
    ]);
    expect(log.of("warn")).toEqual([]);
  });

  it("can be enforced twice with an id", async () => {
    const file = join(folder(), "orcs.toml");
    writeFileSync(file, GUARD + strict('id = "next"\n'));
    const { exec } = await bench(file);
    const outcome = await exec("git tag --delete v1");
    expect(outcome.action === "abort" && outcome.hook).toBe("next/shell-guard");
    writeFileSync(file, GUARD + strict(""));
    await expect(bench(file)).rejects.toThrow(/ORCS1006.*"shell-guard"/s);
  });
});
