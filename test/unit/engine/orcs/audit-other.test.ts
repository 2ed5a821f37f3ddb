import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DEFAULT_SETTINGS, filledSettings } from "../../../../src/config/settings.ts";
import { appendTrustChange } from "../../../../src/engine/orcs/audit/append-entry.ts";
import type { Approve } from "../../../../src/engine/orcs/options.ts";
import { isUnbroken, linesOf, openAudited, saidIn } from "./audit-rig.ts";
import { call, errorOf, folder, Lines, open } from "./engine.ts";

/** What is written down besides dispatches that are waited for. */

const PRE = "tool.pre_execute";
const ASK = { id: "h", point: PRE, handler_inline: 'return orcs.ask("sure?")' };

describe("an approval in the audit log", () => {
  const ANSWERS: readonly [string, Approve | undefined, string, object][] = [
    ["yes", () => true, "allow", {}],
    ["no", () => false, "deny", { refusal: "not approved" }],
    ["nobody there", undefined, "deny", { refusal: expect.stringMatching(/nobody is available/) }],
    [
      "an answer that throws",
      () => {
        throw new Error("the window is gone");
      },
      "deny",
      { refusal: expect.stringMatching(/the window is gone/) },
    ],
  ];
  test.each(ANSWERS)(
    "is recorded with the approver's answer: %s",
    async (_, approve, action, more) => {
      const { orcs, dir } = await openAudited([ASK], { approve });
      let ran = 0;
      const tool = orcs.wrapTool("exec", (_args: object) => ++ran);
      await tool({ command: "ls" }).catch(() => undefined);
      expect(ran).toBe(action === "allow" ? 1 : 0);
      expect(saidIn(dir)).toMatchObject([
        { kind: "dispatch", decision: "ask" },
        {
          kind: "approval",
          point: PRE,
          component: "host::main",
          tool: "exec",
          hook: "h",
          action,
          reason: "sure?",
          ...more,
        },
      ]);
      expect("refusal" in (saidIn(dir)[1] ?? {})).toBe(action === "deny");
      expect(isUnbroken(dir)).toBe(true);
    },
  );

  test.each([
    ["closed", 0],
    ["open", 1],
  ])("an approval that cannot be recorded, on_error = %s", async (on_error, runs) => {
    const place = folder();
    let ran = 0;
    let asked = 0;
    const orcs = await open({
      auditDir: join(place, "audit"),
      config: { hooks: [ASK], audit: { on_error } },
      approve: () => {
        // Between the question, which is recorded, and the answer.
        const dir = join(place, "audit");
        asked = linesOf(dir).length;
        rmSync(dir, { recursive: true });
        writeFileSync(dir, "in its place");
        return true;
      },
    });
    const tool = orcs.wrapTool("exec", (_args: object) => ++ran);
    const done = tool({ command: "ls" });
    if (runs === 1) await done;
    else await expect(done).rejects.toThrow(/ORCS8005/);
    expect([asked, ran]).toEqual([1, runs]);
  });
});

describe("a reload in the audit log", () => {
  const toml = (handler: string, more = ""): string =>
    `${more}\n[[hooks]]\nid = "h"\npoint = "${PRE}"\nhandler_inline = '${handler}'\n`;

  test("is recorded with its result and the digest of the active configuration", async () => {
    const cwd = folder({ "orcs.toml": toml('return orcs.deny("a")') });
    const { orcs, dir } = await openAudited([], { cwd, config: "orcs.toml" });
    await orcs.dispatch(PRE, call("exec"));
    writeFileSync(join(cwd, "orcs.toml"), toml('return orcs.deny("b")', "[lua]\nmemory_mb = 8"));
    await orcs.reload();
    await orcs.dispatch(PRE, call("exec"));
    writeFileSync(join(cwd, "orcs.toml"), "[lua]\nmemory_bm = 8");
    await errorOf(orcs.reload());
    await orcs.dispatch(PRE, call("exec"));
    await orcs.close();
    const said = saidIn(dir);
    expect(said).toMatchObject([
      { kind: "dispatch", reason: "a" },
      { kind: "reload", hooks: 1, pending: ["lua.memory_mb"] },
      { kind: "dispatch", reason: "b" },
      { kind: "reload_failed", reason: expect.stringMatching(/ORCS1015.*memory_bm/s) },
      { kind: "dispatch", reason: "b" },
    ]);
    const configs = said.map(({ config }) => config);
    expect(new Set(configs).size).toBe(2);
    expect(configs[1]).toBe(configs[2]);
    expect(configs[2]).toBe(configs[4]);
    expect(said[0]?.["script"]).not.toBe(said[2]?.["script"]);
  });
});

describe("async hooks in the audit log", () => {
  test("a failure, an ignored decision and a context that is not JSON are recorded", async () => {
    const { orcs, dir } = await openAudited([
      { id: "fails", point: PRE, async: true, handler_inline: 'error("boom")' },
      { id: "denies", point: PRE, async: true, handler_inline: 'return orcs.deny("late")' },
      { id: "fine", point: PRE, async: true, handler_inline: "return nil" },
    ]);
    expect(await orcs.dispatch(PRE, call("exec"))).toMatchObject({ action: "continue" });
    await orcs.registry.idle();
    const cycle: Record<string, unknown> = {};
    cycle["again"] = cycle;
    const odd = { tool_name: "exec", args: { cycle } } as never;
    expect(await orcs.dispatch(PRE, odd)).toMatchObject({ action: "continue" });
    await orcs.close();
    const said = saidIn(dir);
    expect(said.every((line) => line["async"] === true)).toBe(true);
    expect(said).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          action: "continue",
          failures: [expect.objectContaining({ hook: "fails", kind: "error" })],
        }),
        expect.objectContaining({
          action: "continue",
          failures: [
            expect.objectContaining({
              hook: "denies",
              message:
                "hooks[1].handler_inline:1: returned abort (late), which is ignored because the hook is asynchronous",
            }),
          ],
        }),
        expect.objectContaining({
          input_error: expect.stringMatching(/circular/),
          failures: [expect.objectContaining({ message: expect.stringMatching(/its context/) })],
        }),
      ]),
    );
    expect(said.filter(({ hook }) => hook === "fine")).toEqual([]);
    expect(said).toHaveLength(2 + 3);
  });

  test("runs that are dropped when the engine closes are recorded", async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const dir = join(folder(), "audit");
    const orcs = await open({
      auditDir: dir,
      hooks: [{ id: "slow", point: PRE, async: true, handler: () => held }],
    });
    // One runs, so many wait, and the rest is dropped.
    for (let i = 0; i < 1003; i++) await orcs.dispatch(PRE, call("exec"));
    release();
    await orcs.close();
    const dropped = { kind: "dropped", point: PRE, hook: "slow" };
    expect(saidIn(dir)).toEqual([dropped, dropped, dropped]);
  });
});

describe("a trust change in the audit log", () => {
  const line = { action: "granted", directory: "/work/project", digest: "ab".repeat(32) } as const;
  const settings = (audit: object) => filledSettings({ ...DEFAULT_SETTINGS, audit }, [], "/");

  test("is an entry in the same hash chain as the engines' entries", async () => {
    const { orcs, dir } = await openAudited([
      { id: "h", point: PRE, handler_inline: 'return orcs.deny("no")' },
    ]);
    await orcs.dispatch(PRE, call("exec"));
    expect(await appendTrustChange(line, settings({}), dir, new Lines())).toBeUndefined();
    await orcs.dispatch(PRE, call("exec"));
    expect(saidIn(dir)).toMatchObject([{ action: "abort" }, { kind: "trust", ...line }, {}]);
    expect(linesOf(dir).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(isUnbroken(dir)).toBe(true);
  });

  test.each([
    [{}, /ORCS8005/],
    [{ on_error: "open" }, undefined],
    [{ level: "off" }, undefined],
  ])("fails or not by its settings when the log cannot be written: %j", async (audit, why) => {
    const dir = join(folder({ file: "" }), "file", "audit");
    const refusal = await appendTrustChange(line, settings(audit), dir, new Lines());
    if (why) expect(refusal).toMatch(why);
    else expect(refusal).toBeUndefined();
  });
});
