import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ProcessSet } from "../../../../src/machine/spawn/processes.ts";
import type { ProcessResult, RunBounds } from "../../../../src/machine/spawn/run-process.ts";
import { runProcess } from "../../../../src/machine/spawn/run-process.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "orcs-spawn-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Milliseconds, roomy for a machine under load; what would go wrong otherwise takes a minute. */
const PROMPT = 8_000;
const PATH = process.env["PATH"] ?? "/usr/bin:/bin";
const bounds = (more: Partial<RunBounds> = {}): RunBounds => ({
  cwd: dir,
  env: { PATH },
  timeoutMs: 10_000,
  maxOutputBytes: 1 << 20,
  ...more,
});
const sh = (command: string, more: Partial<RunBounds> = {}): Promise<ProcessResult> =>
  runProcess({ command, ...bounds(more) });
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
const timed = async <T>(run: () => Promise<T>): Promise<[T, number]> => {
  const started = performance.now();
  return [await run(), performance.now() - started];
};

/** Whether a process is running; a zombie is not. */
function alive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !/^\S+ \(.*\) [ZX]/.test(stat);
  } catch {
    return false;
  }
}
/** The ids that a command wrote with `echo $! >> pids`. */
function pids(): number[] {
  const file = join(dir, "pids");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split(/\s+/).map(Number) : [];
}
async function written(count: number): Promise<void> {
  await vi.waitFor(() => expect(pids()).toHaveLength(count), 10_000);
}
async function noneAlive(count: number): Promise<void> {
  expect(pids()).toHaveLength(count);
  for (let i = 0; i < 500 && pids().some(alive); i++) await sleep(10);
  expect(pids().filter(alive)).toEqual([]);
}

describe("a process that ends by itself", () => {
  it("returns code, stdout and stderr", async () => {
    const result = await sh("echo out; echo err >&2; exit 3");
    expect(result).toMatchObject({ kind: "exited", code: 3 });
    if (result.kind !== "exited") throw new Error(result.kind);
    expect([text(result.stdout), text(result.stderr)]).toEqual(["out\n", "err\n"]);
  });

  it("runs from a file with arguments without a shell", async () => {
    const result = await runProcess({ file: "printf", args: ["%s|", "$(id)", "a b"], ...bounds() });
    expect(result.kind === "exited" && text(result.stdout)).toBe("$(id)|a b|");
  });

  it("has the given directory and environment only", async () => {
    process.env["ORCS_TEST_SECRET"] = "s3cret";
    const result = await sh("pwd -P; env", { env: { PATH, ONLY: "this" } });
    delete process.env["ORCS_TEST_SECRET"];
    const output = result.kind === "exited" ? text(result.stdout) : "";
    expect(output.split("\n")[0]).toContain("orcs-spawn-");
    expect(output).toContain("ONLY=this");
    expect(output).not.toContain("s3cret");
  });

  it("gets the given stdin, or an empty one", async () => {
    const fed = await sh("cat", { stdin: "é\0x" });
    expect(fed.kind === "exited" && text(fed.stdout)).toBe("é\0x");
    const big = await sh("wc -c", { stdin: Buffer.alloc(5_000_000) });
    expect(big.kind === "exited" && text(big.stdout).trim()).toBe("5000000");
    expect(await sh("cat")).toMatchObject({ kind: "exited", code: 0 });
  });

  it("may close stdin early", async () => {
    for (const command of ["exec <&-; sleep 0.1", "true", "head -c 1 >/dev/null"]) {
      const result = await sh(command, { stdin: Buffer.alloc(2_000_000) });
      expect(result).toMatchObject({ kind: "exited", code: 0 });
    }
  });

  it("ended by a foreign signal reports it", async () => {
    expect(await sh("kill -TERM $$")).toMatchObject({ kind: "signalled", signal: "SIGTERM" });
    expect(await sh("kill -KILL $$")).toMatchObject({ kind: "signalled", signal: "SIGKILL" });
  });

  it("returns all output, also after a blocked event loop", async () => {
    const run = sh("head -c 200000 /dev/zero");
    await sleep(20);
    const until = performance.now() + 400;
    while (performance.now() < until);
    const result = await run;
    expect(result.kind === "exited" && result.stdout.length).toBe(200_000);
  });
});

describe("background processes of a command", () => {
  it("do not delay the result when they hold the pipe, and are killed", async () => {
    const [result, ms] = await timed(() => sh("echo hi; sleep 60 & echo $! >> pids"));
    expect(result).toMatchObject({ kind: "exited", code: 0 });
    expect(result.kind === "exited" && text(result.stdout)).toBe("hi\n");
    expect(ms).toBeLessThan(PROMPT);
    await noneAlive(1);
  });

  it("are killed when they hold no pipe", async () => {
    const [result, ms] = await timed(() =>
      sh("sleep 60 >/dev/null 2>&1 </dev/null & echo $! >> pids"),
    );
    expect(result).toMatchObject({ kind: "exited", code: 0 });
    expect(ms).toBeLessThan(PROMPT);
    await noneAlive(1);
  });

  it("are killed when they write without end", async () => {
    const [result, ms] = await timed(() =>
      sh("(while :; do echo x; sleep 0.01; done) & echo $! >> pids"),
    );
    expect(result).toMatchObject({ kind: "exited", code: 0 });
    expect(ms).toBeLessThan(PROMPT);
    await noneAlive(1);
  });
});

describe("the timeout of a process", () => {
  it("ends it with all grandchildren", async () => {
    const [result, ms] = await timed(() =>
      sh("echo $$ >> pids; echo part; sleep 60 & echo $! >> pids; sleep 60", { timeoutMs: 1000 }),
    );
    expect(result.kind).toBe("timeout");
    expect(result.kind === "timeout" && text(result.stdout)).toBe("part\n");
    expect(ms).toBeGreaterThanOrEqual(995);
    expect(ms).toBeLessThan(PROMPT);
    await noneAlive(2);
  });

  it.each([
    'trap "" TERM INT HUP; echo $$ >> pids; while :; do sleep 1; done',
    "echo $$ >> pids; kill -STOP $$",
  ])("cannot be evaded by %s", async (command) => {
    const [result, ms] = await timed(() => sh(command, { timeoutMs: 1000 }));
    expect(result.kind).toBe("timeout");
    expect(ms).toBeLessThan(PROMPT);
    await noneAlive(1);
  });

  it("ends a chain of forks", async () => {
    const script =
      'echo $$ >> pids; if [ "$1" -gt 0 ]; then sh chain $(($1 - 1)) & wait; else sleep 60; fi';
    writeFileSync(join(dir, "chain"), script);
    expect((await sh("sh chain 8", { timeoutMs: 1500 })).kind).toBe("timeout");
    await noneAlive(9);
  });
});

describe("aborting a process", () => {
  it("kills it with its children", async () => {
    const controller = new AbortController();
    const run = sh("echo $$ >> pids; sleep 60 & echo $! >> pids; wait", {
      signal: controller.signal,
    });
    await written(2);
    controller.abort();
    expect((await run).kind).toBe("aborted");
    await noneAlive(2);
  });

  it("beforehand starts nothing", async () => {
    expect((await sh("echo $$ >> pids", { signal: AbortSignal.abort() })).kind).toBe("aborted");
    expect(pids()).toEqual([]);
  });

  it("leaves no listener on the signal", async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => (listeners++, add(...args));
    signal.removeEventListener = (...args: Parameters<typeof remove>) => (
      listeners--,
      remove(...args)
    );
    for (let i = 0; i < 3; i++) await sh("true", { signal });
    expect(listeners).toBe(0);
  });
});

describe("the output limit of a process", () => {
  it.each(["stdout", "stderr"] as const)("cuts 100 MB of %s off", async (stream) => {
    const before = process.memoryUsage().rss;
    const to = stream === "stderr" ? ">&2" : "";
    const [result, ms] = await timed(() =>
      sh(`echo $$ >> pids; head -c 100000000 /dev/zero ${to}; sleep 60`),
    );
    expect(result).toMatchObject({ kind: "output_limit", stream });
    expect(result.kind === "output_limit" && result[stream].length).toBe(1 << 20);
    expect(ms).toBeLessThan(PROMPT);
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
    await noneAlive(1);
  });

  it("allows exactly the limit", async () => {
    const result = await sh("head -c 1000 /dev/zero", { maxOutputBytes: 1000 });
    expect(result.kind === "exited" && result.stdout.length).toBe(1000);
  });
});

describe("a process that cannot start is a result", () => {
  it.each([
    ["no such program", { file: "orcs-no-such-program" }, {}, "ENOENT"],
    ["no such directory", { command: "true" }, { cwd: "/no/such/dir" }, "ENOENT"],
    ["a NUL in the command", { command: "a\0b" }, {}, "ERR_INVALID_ARG_VALUE"],
    ["too long", { command: "x".repeat(10_000_000) }, {}, "E2BIG"],
  ])("%s", async (_, what, more, code) => {
    const result = await runProcess({ ...what, ...bounds(more) });
    expect(result).toMatchObject({ kind: "not_started", code });
  });

  it("without permission", async () => {
    const file = join(dir, "plain");
    writeFileSync(file, "#!/bin/sh\n");
    chmodSync(file, 0o644);
    expect(await runProcess({ file, ...bounds() })).toMatchObject({
      kind: "not_started",
      code: "EACCES",
    });
  });

  it("that names the possibly missing directory", async () => {
    const result = await sh("true", { cwd: "/no/such/dir" });
    expect(result.kind === "not_started" && result.error).toContain("/no/such/dir");
  });
});

describe("ProcessSet", () => {
  it("kills all processes when closed; nothing starts afterwards", async () => {
    const processes = new ProcessSet();
    const runs = [1, 2].map(() => sh("echo $$ >> pids; sleep 60", { processes }));
    await written(2);
    expect(processes.size).toBe(2);
    processes.close();
    expect((await Promise.all(runs)).map((result) => result.kind)).toEqual(["aborted", "aborted"]);
    expect(processes.size).toBe(0);
    await noneAlive(2);
    expect((await sh("echo $$ >> pids", { processes })).kind).toBe("aborted");
    expect(pids()).toHaveLength(2);
  });

  it("forgets processes that ended or did not start", async () => {
    const processes = new ProcessSet();
    await sh("true", { processes });
    await runProcess({ file: "orcs-no-such-program", ...bounds({ processes }) });
    expect(processes.size).toBe(0);
  });
});

it("many concurrent processes each return their own output", async () => {
  const results = await Promise.all(Array.from({ length: 40 }, (_, i) => sh(`echo ${i}`)));
  expect(results.map((result) => result.kind === "exited" && text(result.stdout))).toEqual(
    results.map((_, i) => `${i}\n`),
  );
});
