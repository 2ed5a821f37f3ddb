import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { FailureMode } from "../../../../src/core/hook.ts";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { Outcome } from "../../../../src/core/outcome.ts";
import { AuditTrail } from "../../../../src/engine/orcs/audit/audit-trail.ts";
import { isUnbroken, saidIn } from "./audit-rig.ts";
import { call, folder, Lines, open } from "./engine.ts";

/** A5: a log that cannot be written. */

const POST = { ...call("exec"), result: { ok: true }, elapsed_ms: 1 };
const PRE = "tool.pre_execute";

/** What hooks answer, where, and whether it is refused when it cannot be recorded. */
const ANSWERS: readonly [string, string, string, boolean][] = [
  ["continue", PRE, "return nil", false],
  ["allow", PRE, 'return orcs.allow("fine")', true],
  ["ask", PRE, 'return orcs.ask("sure?")', true],
  ["rewrite", PRE, 'ctx.payload.args.command = "true"', true],
  ["skip", PRE, "return orcs.skip({})", true],
  ["retry", PRE, "return orcs.retry(1)", true],
  ["abort", PRE, 'return orcs.deny("no")', false],
  ["a failure", PRE, 'error("boom")', false],
  ["replace", "tool.post_execute", "return orcs.replace({})", false],
  ["retry afterwards", "tool.post_execute", "return orcs.retry(1)", false],
];

async function openBroken(handler: string, point: string, audit: object) {
  const dir = join(folder({ file: "no directory" }), "file", "audit");
  const logger = new Lines();
  const orcs = await open({
    auditDir: dir,
    logger,
    overrides: { lua: { max_run_ms: 5000, max_chain_ms: 20_000 }, audit },
    config: { hooks: [{ id: "h", point, handler_inline: handler }] },
  });
  return { orcs, dir, logger };
}

async function answered(handler: string, point: string, audit: object): Promise<Outcome> {
  const { orcs } = await openBroken(handler, point, audit);
  return orcs.dispatch(point, point === PRE ? call("exec") : POST);
}

const WITHOUT: readonly string[] = ["ctx", "inject"];
const bare = (outcome: Outcome): object =>
  Object.fromEntries(Object.entries(outcome).filter(([key]) => !WITHOUT.includes(key)));

describe.each(["closed", "open", undefined] as const)(
  "audit log that cannot be written, on_error = %s",
  (on_error) => {
    const mode = { ...(on_error && { on_error }) };
    const isClosed = on_error !== "open";

    test.each(ANSWERS)("%s at %s", async (_, point, handler, decides) => {
      const silent = await answered(handler, point, { level: "off" });
      const outcome = await answered(handler, point, mode);
      if (!decides || !isClosed) {
        expect(bare(outcome)).toEqual(bare(silent));
        expect(outcome.ctx.payload).toEqual(silent.ctx.payload);
        return;
      }
      expect(bare(outcome)).toEqual({
        action: "abort",
        hook: "orcs:audit",
        reason: expect.stringMatching(
          /^ORCS8005: the audit log in .* cannot be written: .*ENOTDIR/,
        ),
      });
      expect(outcome.ctx.payload).toEqual(silent.ctx.payload);
    });

    test("level all: a call that no hook decided is denied too, unless on_error is open", async () => {
      const outcome = await answered("return nil", PRE, { ...mode, level: "all" });
      expect(outcome.action).toBe(isClosed ? "abort" : "continue");
    });
  },
);

test("a tool whose call cannot be recorded does not run, and the error is ORCS8005", async () => {
  const { orcs } = await openBroken('ctx.payload.args.command = "true"', PRE, {});
  let ran = 0;
  const tool = orcs.wrapTool("exec", (_args: object) => ++ran);
  await expect(tool({ command: "ls" })).rejects.toThrow(/ORCS8005.*cannot be written/);
  expect(ran).toBe(0);
});

test("a write failure is logged once per error", async () => {
  const { orcs, logger } = await openBroken('return orcs.deny("no")', PRE, {});
  for (let i = 0; i < 50; i++) await orcs.dispatch(PRE, call("exec"));
  expect(logger.lines.filter((line) => line.startsWith("error: ORCS8005"))).toHaveLength(1);
});

test("a listener or logger that throws does not prevent the outcome", async () => {
  const refuse = (): never => {
    throw new Error("the logger is broken");
  };
  const dir = join(folder({ file: "" }), "file", "audit");
  const orcs = await open({
    auditDir: dir,
    logger: { debug: refuse, info: refuse, warn: refuse, error: refuse },
    hooks: [{ point: PRE, id: "h", handler: () => ({ action: "skip", result: null }) }],
  });
  await expect(orcs.dispatch(PRE, call("exec"))).resolves.toMatchObject({ action: "abort" });
});

describe("audit log that becomes writable again", () => {
  test("later entries are written, and the lost ones are counted in the log", async () => {
    const { orcs, dir, logger } = await openBroken("return orcs.skip({})", PRE, {});
    const actions = async (count: number): Promise<string[]> => {
      const found: string[] = [];
      for (let i = 0; i < count; i++) found.push((await orcs.dispatch(PRE, call("exec"))).action);
      return found;
    };
    expect(await actions(3)).toEqual(["abort", "abort", "abort"]);
    rmSync(dirname(dir));
    expect(await actions(2)).toEqual(["skip", "skip"]);
    await orcs.close();
    expect(saidIn(dir).filter(({ kind }) => kind === "gap")).toEqual([
      { kind: "gap", entries: 3, reason: expect.stringContaining("ENOTDIR") },
    ]);
    expect(saidIn(dir).filter(({ kind }) => kind === "dispatch")).toHaveLength(2);
    expect(isUnbroken(dir)).toBe(true);
    expect(logger.lines.filter((line) => line.includes("written again"))).toHaveLength(1);
  });

  test("recreates the audit directory after it was deleted", async () => {
    const dir = join(folder(), "audit");
    const hooks = [{ id: "h", point: PRE, handler_inline: "return orcs.skip({})" }];
    const orcs = await open({ auditDir: dir, config: { hooks } });
    expect(await orcs.dispatch(PRE, call("exec"))).toMatchObject({ action: "skip" });
    rmSync(dir, { recursive: true });
    writeFileSync(dir, "in its place");
    expect(await orcs.dispatch(PRE, call("exec"))).toMatchObject({ action: "abort" });
    rmSync(dir);
    expect(await orcs.dispatch(PRE, call("exec"))).toMatchObject({ action: "skip" });
    expect(saidIn(dir).some(({ kind }) => kind === "dispatch")).toBe(true);
  });
});

test.each(["/dev/full", "/dev/null"])("an audit file that is %s is rejected", async (device) => {
  const dir = folder();
  symlinkSync(device, join(dir, "audit.jsonl"));
  const hooks = [{ id: "h", point: PRE, handler_inline: "return orcs.skip({})" }];
  const orcs = await open({ auditDir: dir, config: { hooks } });
  expect(await orcs.dispatch(PRE, call("exec"))).toMatchObject({
    action: "abort",
    hook: "orcs:audit",
  });
});

/** A log of which the test says when an entry is written. */
function heldTrail(onError: FailureMode = "closed") {
  const entries: { entry: JsonObject; settle: (error?: Error) => void }[] = [];
  let closed = false;
  const trail = new AuditTrail({
    all: false,
    onError,
    redactor: { text: (text) => text, value: (value) => value },
    logger: new Lines(),
    clock: { now: () => 0, sleep: async () => undefined },
    config: () => undefined,
    open: () => ({
      append: (entry) =>
        new Promise((resolve, reject) => {
          entries.push({ entry, settle: (error) => (error ? reject(error) : resolve()) });
        }),
      close: async () => void (closed = true),
    }),
  });
  return { trail, entries, isClosed: () => closed };
}

describe("closing the audit log", () => {
  test("waits for pending writes and then writes nothing more", async () => {
    const { trail, entries, isClosed } = heldTrail();
    const noted = trail.note({ kind: "x" });
    let over = false;
    const closing = trail.close().then(() => (over = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect([over, isClosed()]).toEqual([false, false]);
    entries[0]?.settle();
    expect(await noted).toBeUndefined();
    await closing;
    expect(isClosed()).toBe(true);
    expect(await trail.note({ kind: "late" })).toMatch(/ORCS8005.*the engine is closed/);
    expect(entries).toHaveLength(1);
  });

  test("a write that fails during close is reported", async () => {
    const { trail, entries } = heldTrail();
    const noted = trail.note({ kind: "x" });
    const closing = trail.close();
    entries[0]?.settle(new Error("disk gone"));
    expect(await noted).toMatch(/ORCS8005: the audit log cannot be written: disk gone/);
    await closing;
  });
});

test("missed entries are counted until the count is written, even after repeated failures", async () => {
  const { trail, entries } = heldTrail();
  const noted = [trail.note({ kind: "a" }), trail.note({ kind: "b" })];
  for (const { settle } of entries.slice()) settle(new Error("full"));
  await Promise.all(noted);
  const third = trail.note({ kind: "c" });
  entries[2]?.settle();
  await third;
  expect(entries[3]?.entry).toMatchObject({ kind: "gap", entries: 2 });
  entries[3]?.settle(new Error("full"));
  await new Promise((resolve) => setImmediate(resolve));
  const last = trail.note({ kind: "d" });
  entries[4]?.settle();
  await last;
  expect(entries[5]?.entry).toMatchObject({ kind: "gap", entries: 2 });
  entries[5]?.settle();
  await trail.close();
  expect(entries).toHaveLength(6);
});
