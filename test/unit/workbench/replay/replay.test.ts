import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { NOT_COMPARED } from "../../../../src/workbench/replay/replay-result.ts";
import { errorOf, folder } from "../../engine/orcs/engine.ts";
import { answered, BEGUN, command, event, inline, recordOf, replayed } from "./replay-rig.ts";
import { quickTest as test, slowTest } from "../../../slow-test.ts";

const GUARD = `
  if ctx.payload.args.command == "rm" then return orcs.deny("no rm") end
  if ctx.payload.args.command == "sudo" then return orcs.ask("sudo?") end
`;
const REFUSED = { action: "abort", reason: "no rm", hook: "guard" } as const;

test("replay reports no difference for equal outcomes", async () => {
  const file = recordOf([command("ls"), command("rm", REFUSED)]);
  expect(await replayed(file, inline({ guard: GUARD }))).toEqual({
    events: 2,
    differ: 0,
    not_compared: {},
    unenforced: [],
    differences: [],
    numbers: [],
  });
});

test("replay reports a changed outcome with the event, the old and new outcome and the hook of each", async () => {
  const file = recordOf([command("ls"), command("rm", REFUSED), command("sudo")]);
  const dir = folder({
    "orcs.toml": `[[hooks]]\nid = "other"\npoint = "tool.pre_execute"\nhandler_inline = '''${GUARD}'''\n`,
  });
  const { differences, ...told } = await replayed(file, join(dir, "orcs.toml"));
  expect(told).toEqual({ events: 3, differ: 2, not_compared: {}, unenforced: [], numbers: [2, 3] });
  const source = { file: join(dir, "orcs.toml"), line: 4 };
  expect(differences).toEqual([
    {
      event: 2,
      point: "tool.pre_execute",
      component: "host::main",
      tool: "exec",
      subject: "rm",
      differs: ["hook"],
      was: { outcome: { ...REFUSED, edits: [] }, by: { hook: "guard" } },
      is: {
        outcome: { ...REFUSED, hook: "other", edits: [] },
        by: { hook: "other", source: expect.objectContaining({ file: source.file }) },
      },
    },
    expect.objectContaining({
      event: 3,
      subject: "sudo",
      was: { outcome: { action: "continue", edits: [] } },
      is: {
        outcome: { action: "continue", decision: "ask", reason: "sudo?", hook: "other", edits: [] },
        by: expect.objectContaining({ hook: "other" }),
      },
    }),
  ]);
});

test("replay reports the hook that now changes the payload", async () => {
  const file = recordOf([command("ls")]);
  const config = inline({ rewrite: 'ctx.payload.args.command = "ls -l"' });
  const { differences } = await replayed(file, config);
  expect(differences[0]?.is).toEqual({
    outcome: { action: "continue", edits: [{ path: "/payload/args/command", value: "ls -l" }] },
    changed_by: [expect.objectContaining({ hook: "rewrite" })],
  });
});

test("replay dispatches an event with its recorded point, addressee, channel, principal and metadata", async () => {
  const told = `
    return { action = "skip", result = {
      ctx.hook_point, ctx.component_id, ctx.channel_id, ctx.principal.id, ctx.metadata.a, ctx.depth,
    } }
  `;
  const about = {
    component: "lua::agent",
    child: "worker",
    instance: "i-1",
    channel: "side",
    principal: { type: "User", id: "u-1" },
    metadata: { a: "bag" },
  };
  const result = ["tool.pre_execute", "lua::agent", "side", "u-1", "bag", 0];
  const outcome = { action: "skip", result, hook: "h" } as const;
  const config = inline({ h: told }, { fql: "lua::agent/worker#i-1" });
  const file = recordOf([event({ ...about, outcome }), event({ ...about, child: "other" })]);
  expect(await replayed(file, config)).toMatchObject({ differ: 0, not_compared: {} });
});

describe("replayed tool calls of hooks", () => {
  const ASKS = `
    local answer = orcs.exec("git branch")
    if not answer.ok then return orcs.deny(answer.error) end
    if answer.stdout == "main" then return orcs.deny("on main") end
  `;
  const branch = (stdout: string) =>
    answered(
      "exec",
      { command: "git branch" },
      { result: { ok: true, stdout, stderr: "", code: 0 } },
    );
  const onMain = { action: "abort", reason: "on main", hook: "h" } as const;
  // The tool is called at depth 1, where the hook would call it again.
  const outermost = inline({ h: `if ctx.depth > 0 then return end ${ASKS}` });

  test("return the recorded results in order; no tool runs", async () => {
    const file = recordOf([
      branch("main"),
      command("git push", onMain),
      branch("feature"),
      command("git push"),
      branch("main"),
      command("git push", onMain),
    ]);
    expect(await replayed(file, outermost)).toMatchObject({
      events: 3,
      differ: 0,
      not_compared: {},
    });
  });

  test("match arguments regardless of key order", async () => {
    const args = { b: 1, a: { d: 2, c: [3] } };
    const file = recordOf([
      answered("write", { path: "x", content: "y" }, { result: { ok: true, size: 1 } }),
      event({ payload: { tool_name: "t", args }, outcome: { ...onMain, reason: "1" } }),
    ]);
    const config = inline({
      h: 'if ctx.depth > 0 then return end return orcs.deny(tostring(orcs.get("write", { content = "y", path = "x" }).size))',
    });
    expect(await replayed(file, config)).toMatchObject({ differ: 0, not_compared: {} });
  });

  test("throw the recorded error", async () => {
    const error = "the disk is full";
    const file = recordOf([
      answered("exec", { command: "git branch" }, { error }),
      command("git push", { action: "abort", reason: error, hook: "h" }),
    ]);
    expect(await replayed(file, outermost)).toMatchObject({ differ: 0, not_compared: {} });
  });

  test("that were not recorded return an error, and the event is not compared", async () => {
    const file = recordOf([command("git push", onMain)]);
    expect(await replayed(file, outermost)).toMatchObject({
      events: 1,
      differ: 0,
      not_compared: { calls: 1 },
    });
  });

  test("to the runtime (check_command) are not recorded, and the event is not compared", async () => {
    const config = inline({ h: 'orcs.check_command("ls")' });
    expect(await replayed(recordOf([command("ls")]), config)).toMatchObject({
      not_compared: { calls: 1 },
    });
  });

  test("pass the hooks, which may deny them", async () => {
    const config = {
      hooks: [
        {
          id: "h",
          point: "tool.pre_execute",
          match: { command: "^git push" },
          handler_inline: 'return orcs.deny(orcs.exec("git branch").error)',
        },
        {
          id: "no-branch",
          point: "tool.pre_execute",
          match: { command: "^git branch" },
          handler_inline: 'return orcs.deny("not now")',
        },
      ],
    };
    const reason = "denied by hook no-branch: not now";
    const file = recordOf([command("git push", { action: "abort", reason, hook: "h" })]);
    expect(await replayed(file, config)).toMatchObject({ differ: 0, not_compared: {} });
  });

  test("were approved when recorded, and are not asked about again", async () => {
    const config = {
      hil: { mode: "deny" },
      hooks: [
        {
          id: "h",
          point: "tool.pre_execute",
          match: { command: "^git push" },
          handler_inline: ASKS,
        },
        {
          id: "asks",
          point: "tool.pre_execute",
          match: { command: "^git branch" },
          handler_inline: 'return orcs.ask("may it?")',
        },
      ],
    };
    const file = recordOf([branch("main"), command("git push", onMain)]);
    expect(await replayed(file, config)).toMatchObject({ differ: 0, not_compared: {} });
  });

  test("recorded after their event belong to an async hook", async () => {
    const config = {
      hooks: [
        {
          id: "later",
          point: "tool.pre_execute",
          async: true,
          handler_inline:
            'if ctx.depth > 0 then return end orcs.state.set("seen", orcs.exec("git branch").stdout)',
        },
        {
          id: "tells",
          point: "tool.post_execute",
          handler_inline: 'return orcs.inject(tostring(orcs.state.get("seen")))',
        },
      ],
    };
    const post = {
      point: "tool.post_execute",
      payload: { tool_name: "exec", args: {}, result: {} },
    };
    const file = recordOf([
      command("ls"),
      branch("main"),
      event({ ...post, outcome: { inject: ["main"] } }),
    ]);
    expect(await replayed(file, config)).toMatchObject({ events: 2, differ: 0, not_compared: {} });
  });

  slowTest("calls that hooks no longer make are dropped, the others are found", async () => {
    const lines: object[] = [];
    for (let i = 0; i < 3000; i++) {
      lines.push(answered("exec", { command: `gone ${i}` }, { result: { ok: true } }));
      lines.push(branch(i % 2 ? "main" : "feature"), command("git push", i % 2 ? onMain : {}));
    }
    expect(await replayed(recordOf(lines), outermost)).toMatchObject({
      events: 3000,
      differ: 0,
      not_compared: {},
    });
  });
});

describe("time and state in a replay", () => {
  test("the clock follows the record, and counters expire by it", async () => {
    const limit = 'if orcs.state.incr("n", 1, 1000) > 2 then return orcs.deny("slow down") end';
    const slow = { action: "abort", reason: "slow down", hook: "h" } as const;
    const at = (ms: number) => ({ at: BEGUN + ms });
    const file = recordOf([
      command("1", {}, at(10)),
      command("2", {}, at(500)),
      command("3", slow, at(1009)),
      command("4", {}, at(1011)),
    ]);
    expect(await replayed(file, inline({ h: limit }))).toMatchObject({ differ: 0, events: 4 });
  });

  test("orcs.now_ms and timestamps count from the start of the record; the clock never runs backwards", async () => {
    const tells = "return orcs.skip({ orcs.now_ms(), ctx.timestamp_ms })";
    const skip = (ms: number) => ({ action: "skip" as const, result: [ms, ms], hook: "h" });
    const file = recordOf([
      command("1", skip(250), { at: BEGUN + 300, duration_ms: 50 }),
      command("2", skip(250), { at: BEGUN - 5000 }),
      command("3", skip(400), { at: BEGUN + 400 }),
    ]);
    expect(await replayed(file, inline({ h: tells }))).toMatchObject({ differ: 0, events: 3 });
  });

  test("orcs.time and orcs.date are those of the record, in UTC", async () => {
    const tells = 'return orcs.skip({ orcs.time(), orcs.date("%F %T %z") })';
    const at = BEGUN + 7000;
    const date = `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} +0000`;
    const result = [Math.floor(at / 1000), date];
    const file = recordOf([command("1", { action: "skip", result, hook: "h" }, { at })]);
    expect(await replayed(file, inline({ h: tells }))).toMatchObject({ differ: 0, events: 1 });
  });

  test("orcs.sleep returns at once and advances the clock", async () => {
    const sleeps = `
      local began = orcs.now_ms()
      orcs.sleep(20000)
      return orcs.skip(orcs.now_ms() - began)
    `;
    const file = recordOf([command("1", { action: "skip", result: 20_000, hook: "h" })]);
    const started = performance.now();
    expect(await replayed(file, inline({ h: sleeps }))).toMatchObject({ differ: 0 });
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  test("an invalid recorded time is treated as 0", async () => {
    const file = recordOf([event({ at: "noon" as never, duration_ms: null as never })]);
    expect(await replayed(file, inline({ h: "return orcs.skip(orcs.now_ms())" }))).toMatchObject({
      differences: [{ is: { outcome: { result: 0 } } }],
    });
  });

  test("a hook with `once` runs once", async () => {
    const once = inline({ h: 'return orcs.deny("once")' }, { once: true });
    const denied = { action: "abort", reason: "once", hook: "h" } as const;
    expect(await replayed(recordOf([command("1", denied), command("2")]), once)).toMatchObject({
      differ: 0,
    });
  });
});

describe("shell, webhook and module handlers in a replay", () => {
  const script = (dir: string) => `touch ${JSON.stringify(join(dir, "ran"))}; echo '{}'`;
  const shell = (dir: string) => ({
    hooks: [
      { id: "sh", point: "tool.pre_execute", shell: { command: script(dir), parse_result: false } },
    ],
  });
  const denied = { action: "abort", reason: "said so", hook: "sh" } as const;

  test("do not run: events they decided are not compared, events they let pass are", async () => {
    const dir = folder();
    const begun: string[] = [];
    const file = recordOf([command("1", denied), command("2"), command("3", REFUSED)]);
    const told = await replayed(file, shell(dir), {
      begun: (set) => begun.push(...set.outside.map(({ id, kind }) => `${id} ${kind}`)),
    });
    expect(told).toMatchObject({ events: 3, numbers: [3], not_compared: { outside: 1 } });
    expect(begun).toEqual(["sh shell"]);
    expect(() => readFileSync(join(dir, "ran"))).toThrow("ENOENT");
  });

  test("events they may have changed are not compared", async () => {
    const edits = [{ path: "/payload/args/command", value: "ls -l" }];
    const file = recordOf([command("ls", { edits }), command("ls", { inject: ["a text"] })]);
    expect(await replayed(file, shell(folder()))).toMatchObject({
      differ: 0,
      not_compared: { outside: 2 },
    });
  });

  test("modules are not loaded", async () => {
    const dir = folder({ "orcs.toml": "" });
    const ran = JSON.stringify(join(dir, "ran"));
    writeFileSync(
      join(dir, "hook.mjs"),
      `import { writeFileSync } from "node:fs";\nwriteFileSync(${ran}, "");\nexport const onTool = () => undefined;\n`,
    );
    writeFileSync(
      join(dir, "orcs.toml"),
      '[[hooks]]\nid = "m"\npoint = "tool.pre_execute"\nmodule = "./hook.mjs#onTool"\n',
    );
    const file = recordOf([command("ls")]);
    expect(await replayed(file, join(dir, "orcs.toml"))).toMatchObject({ differ: 0 });
    expect(() => readFileSync(join(dir, "ran"))).toThrow("ENOENT");
  });

  test("run with outside: true", async () => {
    const dir = folder();
    const file = recordOf([command("1", denied)]);
    const told = await replayed(file, shell(dir), { outside: true });
    expect(told).toMatchObject({ numbers: [1], not_compared: {} });
    expect(readFileSync(join(dir, "ran"), "utf8")).toBe("");
  });
});

describe("events that cannot be compared are counted by reason", () => {
  const ANY = inline({ h: "return nil" });

  test("each reason has a text", () => {
    for (const words of Object.values(NOT_COMPARED)) expect(words).toMatch(/\w/);
  });

  test("an event with a value that is not JSON", async () => {
    const file = recordOf([
      event({ not_json: [{ path: "/payload/args/f", why: "is of type function" }] }),
    ]);
    expect(await replayed(file, ANY)).toMatchObject({ not_compared: { not_json: 1 } });
  });

  test("a hook that timed out when recorded or in the replay", async () => {
    const reason = "hook h failed: it took longer than 50 ms";
    const failures = [
      { hook: "h", kind: "timeout", message: "it took longer than 50 ms" },
    ] as const;
    const outcome = { action: "abort", reason, hook: "h" } as const;
    const file = recordOf([event({ outcome, failures })]);
    expect(await replayed(file, ANY)).toMatchObject({ differ: 0, not_compared: { late: 1 } });
    const loops = inline({ h: "while true do end" }, { timeout_ms: 100 });
    const told = await replayed(recordOf([event()]), loops);
    expect(told).toMatchObject({ differ: 0, not_compared: { late: 1 } });
  });

  const STRANGE: Readonly<Record<string, object>> = {
    "a point of another program": event({ point: "deploy.pre_push" }),
    "a component that is none": event({ component: "no such thing" }),
    "a payload that fits its point no more": event({ payload: { tool_name: 1, args: [] } }),
    "a component of another type": event({ component: 7 as never }),
    "metadata that is a list": event({ metadata: [] as never }),
    "a principal that is a text": event({ principal: "me" as never }),
    "texts that are none": event({ outcome: { inject: 5 as never } }),
    "edits that are none": event({ outcome: { edits: [1] as never } }),
    "failures that are none": event({ failures: "all" as never }),
    "a hook that is none": event({ outcome: { hook: {} as never } }),
  };
  test.each(Object.entries(STRANGE))("%s", async (_, strange) => {
    const told = await replayed(recordOf([strange, command("ls")]), ANY);
    expect(told).toMatchObject({ events: 2, differ: 0, not_compared: { refused: 1 } });
  });
});

describe("replay of a masked record", () => {
  const KEY = `sk-${"a1B2".repeat(10)}`;
  const secret = (text: string, outcome: object) => command(text, outcome);
  const finds = inline({
    secrets: 'if ctx.payload.args.command:find("sk-", 1, true) then return orcs.deny("a key") end',
  });
  const denied = { action: "abort", reason: "a key", hook: "secrets" } as const;
  const masked = { whole: false };

  test("a missing decision may be due to masking, and the event is not compared", async () => {
    const file = recordOf([secret("echo [redacted]", denied)], masked);
    expect(await replayed(file, finds)).toMatchObject({ differ: 0, not_compared: { masked: 1 } });
  });

  test("a missing decision is reported if the hook is gone, nothing is masked, or the record is whole", async () => {
    const gone = recordOf([secret("echo [redacted]", denied)], masked);
    expect(await replayed(gone, { hooks: [] })).toMatchObject({
      numbers: [1],
      differences: [{ masked: true }],
    });
    const nothing = recordOf([secret("echo", denied)], masked);
    expect(await replayed(nothing, finds)).toMatchObject({ numbers: [1] });
    const whole = recordOf([secret("echo [redacted]", denied)]);
    expect(await replayed(whole, finds)).toMatchObject({ numbers: [1] });
  });

  test("a new decision is reported", async () => {
    const file = recordOf([secret("echo [redacted]", {})], masked);
    const config = inline({ h: 'return orcs.deny("never")' });
    expect(await replayed(file, config)).toMatchObject({
      numbers: [1],
      differences: [{ masked: true, differs: ["action", "hook", "reason"] }],
    });
  });

  test("texts that differ only in masks are equal", async () => {
    const tells = inline({ h: 'return orcs.deny("not " .. ctx.payload.args.command:sub(1, 9))' });
    const was = { action: "abort", reason: "not [redacted]", hook: "h" } as const;
    const file = recordOf([secret("[redacted] --now", was)], masked);
    expect(await replayed(file, tells)).toMatchObject({ differ: 0, not_compared: {} });
  });

  test("new outcomes and calls are masked like the record", async () => {
    const makes = inline({
      h: `
        if ctx.depth > 0 then return end
        local told = orcs.exec("echo ${KEY}").stdout
        ctx.payload.args.command = "echo ${KEY}"
        return orcs.inject(told)
      `,
    });
    const edits = [{ path: "/payload/args/command", value: "echo [redacted]" }];
    const file = recordOf(
      [
        answered("exec", { command: "echo [redacted]" }, { result: { ok: true, stdout: "hm" } }),
        command("ls", { edits, inject: ["hm"] }),
      ],
      masked,
    );
    expect(await replayed(file, makes)).toMatchObject({ differ: 0, not_compared: {} });
  });
});

describe("replay of two hook sets", () => {
  test("reports where their decisions differ from each other, not from the record", async () => {
    const file = recordOf([command("ls", REFUSED), command("rm"), command("sudo")]);
    const stricter = inline({ guard: `${GUARD} return orcs.deny("nothing at all")` });
    const told = await replayed(file, stricter, { against: inline({ guard: GUARD }) });
    expect(told).toMatchObject({ events: 3, numbers: [1] });
    expect(told.differences[0]).toMatchObject({
      was: { outcome: { action: "continue" } },
      is: {
        outcome: { action: "abort" },
        by: { hook: "guard", source: { line: expect.any(Number) } },
      },
    });
  });

  test("gives both the same recorded call results", async () => {
    const asks = inline({
      h: 'if ctx.depth > 0 then return end return orcs.skip(orcs.exec("date").stdout)',
    });
    const file = recordOf([
      answered("exec", { command: "date" }, { result: { ok: true, stdout: "noon" } }),
      command("1"),
    ]);
    expect(await replayed(file, asks, { against: asks })).toMatchObject({
      differ: 0,
      not_compared: {},
    });
  });

  test("gives each its own orcs.state", async () => {
    const counts = inline({ h: 'return orcs.skip(orcs.state.incr("n", 1))' });
    const file = recordOf([command("1"), command("2")]);
    expect(await replayed(file, counts, { against: counts })).toMatchObject({ differ: 0 });
  });

  test("does not compare an event that either of them cannot replay", async () => {
    const asks = inline({ h: 'if ctx.depth > 0 then return end orcs.exec("date")' });
    const file = recordOf([command("1")]);
    expect(await replayed(file, asks, { against: { hooks: [] } })).toMatchObject({
      differ: 0,
      not_compared: { calls: 1 },
    });
  });
});

test("replay reports what comes before a damaged line, and rejects the record", async () => {
  const file = recordOf([command("ls")]);
  appendFileSync(file, `}{\n${JSON.stringify(command("ls"))}\n`);
  const told: string[] = [];
  const refused = replayed(file, inline({ h: 'return orcs.deny("no")' }), {
    differs: ({ event: number }) => told.push(`event ${number}`),
  });
  expect((await errorOf(refused)).message).toMatch(/ORCS8007.*record\.jsonl:3: it is not JSON/);
  expect(told).toEqual(["event 1"]);
});

test("replay reports configuration errors before it reads the record", async () => {
  const { code } = await errorOf(replayed("/nowhere/r.jsonl", inline({ h: "this is no Lua" })));
  expect(code).toBe("ORCS1015");
});

test("replay stops after the event given by `until`", async () => {
  const file = recordOf([command("1"), command("2"), command("3")]);
  const seen: number[] = [];
  await replayed(file, inline({ h: "return nil" }), {
    until: 2,
    replayed: ({ number }) => seen.push(number),
  });
  expect(seen).toEqual([1, 2]);
});
