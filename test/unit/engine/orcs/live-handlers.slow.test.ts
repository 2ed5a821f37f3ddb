import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { Orcs } from "../../../../src/engine/orcs/orcs.ts";
import { call, errorOf, folder, isRunning, Lines, open } from "./engine.ts";

/** Handlers that live on, through the whole engine: real processes. */

const GUARD = readFileSync(join(import.meta.dirname, "../handlers/live/guard.mjs"), "utf8");
const NODE = process.execPath;
const PRE = "tool.pre_execute";

const hook = (handler: string, more = ""): string =>
  `[[hooks]]\nid = "guard"\npoint = "${PRE}"\nhandler = ${handler}\n${more}\n`;
const PROCESS = `{ process = ["${NODE}", "guard.mjs"], protocol = "jsonrpc" }`;

async function load(toml: string, files: Record<string, string> = { "guard.mjs": GUARD }) {
  const cwd = folder({ "orcs.toml": toml, ...files });
  const logger = new Lines();
  const orcs = await open({ cwd, config: "orcs.toml", logger });
  return { orcs, logger, cwd };
}

async function run(orcs: Orcs, command: string): Promise<string> {
  const outcome = await orcs.dispatch(PRE, call("exec", { command }));
  return outcome.action === "abort" ? outcome.reason : outcome.action;
}

/** The guard, which also says which process answers. */
const WITH_PID = GUARD.replace("`not ", "`${process.pid} not ");

describe("a process that lives on", () => {
  test("decides, and is started once for all calls and all hooks with the same handler", async () => {
    const toml = hook(PROCESS) + hook(PROCESS).replace('"guard"', '"second"');
    const { orcs } = await load(toml, { "guard.mjs": WITH_PID });
    expect(await run(orcs, "ls")).toBe("continue");
    const first = await run(orcs, "rm -rf /");
    expect(first).toMatch(/^\d+ not rm -rf \/$/);
    expect(await run(orcs, "rm -rf /")).toBe(first);
  });

  test("is not started before the first call, and ends with the engine", async () => {
    const { orcs } = await load(hook(PROCESS), { "guard.mjs": WITH_PID });
    const pid = Number.parseInt(await run(orcs, "rm"), 10);
    expect(isRunning(pid)).toBe(true);
    await orcs.close();
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 30_000 });
  });

  test("is started again by the call after its end", async () => {
    const { orcs, logger } = await load(hook(PROCESS), { "guard.mjs": WITH_PID });
    const pid = Number.parseInt(await run(orcs, "rm"), 10);
    process.kill(pid, "SIGKILL");
    await vi.waitFor(() => expect(logger.lines.join()).toContain("was killed by SIGKILL"), {
      timeout: 30_000,
    });
    expect(await run(orcs, "rm")).not.toContain(String(pid));
  });

  test("a call that waits when it dies fails as on_error says", async () => {
    const dies = GUARD.replace(
      "for await",
      "process.stderr.write('on stderr\\n');\nfor await",
    ).replace("const result", "if (method === 'hook') process.exit(3);\n  const result");
    const { orcs, logger } = await load(hook(PROCESS), { "guard.mjs": dies });
    expect(await run(orcs, "ls")).toMatch(/ORCS4041: the process .* it exited with code 3/);
    expect(logger.lines.join("\n")).toContain(": on stderr");
    const skipped = await load(hook(PROCESS, 'on_error = "open"'), { "guard.mjs": dies });
    expect(await run(skipped.orcs, "ls")).toBe("continue");
  });

  test("a reload replaces it when its file has changed, and keeps it otherwise", async () => {
    const { orcs, cwd } = await load(hook(PROCESS), { "guard.mjs": WITH_PID });
    const first = await run(orcs, "rm");
    writeFileSync(join(cwd, "orcs.toml"), hook(PROCESS, "timeout_ms = 20000"));
    await orcs.reload();
    expect(await run(orcs, "rm")).toBe(first);
    writeFileSync(join(cwd, "guard.mjs"), WITH_PID.replace("not ", "never "));
    await orcs.reload();
    expect(await run(orcs, "rm")).toMatch(/^\d+ never rm$/);
    const pid = Number.parseInt(first, 10);
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 30_000 });
  });

  /** Says its process as well, and takes its time for a call with this word. */
  const slowly = (word: string, ms: number): string =>
    WITH_PID.replace(
      "const result",
      `if (method === "hook" && params.payload.args.command?.includes("${word}"))
    await new Promise((done) => setTimeout(done, ${ms}));
  const result`,
    );
  const abortIn = (ms: number): AbortSignal => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error("enough")), ms);
    return abort.signal;
  };

  test("that an aborted call keeps busy is ended, and started again by the next call", async () => {
    const { orcs, logger } = await load(hook(PROCESS), { "guard.mjs": slowly("hang", 60_000) });
    const pid = Number.parseInt(await run(orcs, "rm"), 10);
    for (let i = 0; i < 4; i++) {
      const began = performance.now();
      const signal = abortIn(100);
      const aborted = orcs.dispatch(PRE, call("exec", { command: "hang" }), { signal });
      await expect(aborted).rejects.toThrow("enough");
      expect(performance.now() - began).toBeLessThan(1_000);
      if (i === 0) await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 3_000 });
    }
    expect(await run(orcs, "rm")).toMatch(/^\d+ not rm$/);
    expect(logger.lines).toEqual([]);
  });

  test("that answers soon after an abort, or has other calls, lives on", async () => {
    const { orcs, logger } = await load(hook(PROCESS), { "guard.mjs": slowly("slow", 300) });
    const first = await run(orcs, "rm");
    const aborted = orcs.dispatch(PRE, call("exec", { command: "slow" }), { signal: abortIn(50) });
    const others = [run(orcs, "slow rm 1"), run(orcs, "slow rm 2"), run(orcs, "slow rm 3")];
    await expect(aborted).rejects.toThrow("enough");
    expect(await Promise.all(others)).toEqual(
      [1, 2, 3].map((i) => `${first.replace("not rm", "not slow rm")} ${i}`),
    );
    await new Promise((done) => setTimeout(done, 1_000));
    expect(await run(orcs, "rm")).toBe(first);
    expect(logger.lines).toEqual([]);
  });

  test("a reload loses no call that waits", async () => {
    const slow = WITH_PID.replace(
      "process.stdout",
      "await new Promise((r) => setTimeout(r, 300));\n  process.stdout",
    );
    const { orcs, cwd } = await load(hook(PROCESS), { "guard.mjs": slow });
    await run(orcs, "ls");
    const waiting = [run(orcs, "rm a"), run(orcs, "rm b"), run(orcs, "ls")];
    writeFileSync(join(cwd, "guard.mjs"), WITH_PID);
    await orcs.reload();
    const [a, b, c] = await Promise.all(waiting);
    expect(a).toMatch(/^\d+ not rm a$/);
    expect(b).toMatch(/^\d+ not rm b$/);
    expect(c).toBe("continue");
    expect(Number.parseInt(await run(orcs, "rm"), 10)).not.toBe(Number.parseInt(a ?? "", 10));
  });

  test.each([
    [
      "a program that does not exist",
      `{ process = ["no-such-program-x"], protocol = "jsonrpc" }`,
      /ORCS4040: .*could not be started/,
    ],
    [
      "a program that is no handler",
      `{ process = ["true"], protocol = "jsonrpc" }`,
      /ORCS4040: .*exited with code 0/,
    ],
    [
      "another version",
      PROCESS,
      /ORCS4040: .*speaks version "2\.1" of the protocol; orcs speaks 1\.0/,
    ],
    [
      "other points",
      PROCESS,
      /ORCS4043: .*does not handle tool\.pre_execute; its capabilities are x\.y/,
    ],
  ])("denies with %s", async (_, handler, message) => {
    const capable = message.source.includes("4043") ? "['x.y']" : "[]";
    const version = message.source.includes("version") ? "2.1" : "1.0";
    const guard = GUARD.replace('"1.0"', `"${version}"`).replace(
      "capabilities: []",
      `capabilities: ${capable}`,
    );
    const { orcs } = await load(hook(handler), { "guard.mjs": guard });
    expect(await run(orcs, "ls")).toMatch(message);
  });
});

test.each([
  ["no place", `{ protocol = "jsonrpc" }`, "process, socket or url is missing"],
  ["no protocol", `{ process = ["true"] }`, "protocol is missing"],
  ["two places", `{ process = ["true"], socket = "/x", protocol = "ahp" }`, "already has process"],
  [
    "a key of another place",
    `{ socket = "/x", env = ["A"], protocol = "ahp" }`,
    "env belongs to process",
  ],
  [
    "a script that is missing",
    `{ process = ["python3", "guard.py"], protocol = "ahp" }`,
    '"guard.py" was not found',
  ],
  ["a relative socket", `{ socket = "x.sock", protocol = "ahp" }`, "not an absolute path"],
  ["an unknown protocol", `{ process = ["true"], protocol = "grpc" }`, "protocol"],
  ["an unknown key", `{ process = ["true"], protocol = "ahp", proces = 1 }`, "proces"],
])("the configuration has an error with %s", async (_, handler, message) => {
  const cwd = folder({ "orcs.toml": hook(handler) });
  expect((await errorOf(open({ cwd, config: "orcs.toml" }))).message).toContain(message);
});

test("a point that AHP has no event for is an error", async () => {
  const toml = hook(`{ process = ["true"], protocol = "ahp" }`).replace(PRE, "bus.pre_broadcast");
  const error = await errorOf(open({ cwd: folder({ "orcs.toml": toml }), config: "orcs.toml" }));
  expect(error.message).toContain("has no event for bus.pre_broadcast");
});
