import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { call, errorOf, folder, open, isRunning } from "./engine.ts";

const NOTHING = (): void => undefined;

describe("closing the engine", () => {
  test("kills a running command and its child processes", async () => {
    const cwd = folder();
    const orcs = await open({ cwd });
    const running = orcs.get("exec", "sleep 300 & echo $! > pid; wait");
    const pid = await vi.waitFor(() => {
      const text = readFileSync(join(cwd, "pid"), "utf8");
      expect(text).toMatch(/\d+\n/);
      return Number(text);
    });
    expect(isRunning(pid)).toBe(true);
    await orcs.close();
    expect(await running).toMatchObject({ ok: false, error: "exec: the command was cancelled" });
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false));
  });

  test("aborts a pending HTTP request", async () => {
    const server = createServer(() => undefined).listen(0);
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const asked = new Promise((resolve) => server.once("request", resolve));
    const { port } = server.address() as AddressInfo;
    const orcs = await open();
    const running = orcs.get("http", `http://127.0.0.1:${port}/`);
    await asked;
    await orcs.close();
    expect(await running).toEqual({ ok: false, error: "http: the request was cancelled" });
  });

  test("ends a waiting hook and denies its operation", async () => {
    const config = {
      hooks: [{ id: "h", point: "tool.pre_execute", handler_inline: "orcs.sleep(60000)" }],
    };
    const orcs = await open({ config });
    const running = orcs.dispatch("tool.pre_execute", call("x"));
    await sleep(20);
    await orcs.close();
    expect(await running).toMatchObject({ action: "abort", hook: "h" });
  });

  test("ends a waiting program", async () => {
    const files = { "long.lua": 'orcs.emit_output("begun") orcs.sleep(60000)' };
    let begun = NOTHING;
    const started = new Promise<void>((resolve) => (begun = resolve));
    const orcs = await open({ cwd: folder(files), output: () => begun() });
    const running = errorOf(orcs.run("long.lua"));
    await started;
    await orcs.close();
    expect((await running).code).toBe("ORCS3002");
  });

  test("a program that has not started yet does not start", async () => {
    const output = vi.fn<(text: string) => void>();
    const orcs = await open({ cwd: folder({ "a.lua": 'orcs.emit_output("ran")' }), output });
    const running = errorOf(orcs.run("a.lua"));
    await orcs.close();
    expect((await running).code).toBe("ORCS2006");
    expect(output).not.toHaveBeenCalled();
  });

  test("makes every later call fail with ORCS2006; a second close does nothing", async () => {
    const orcs = await open();
    const wrapped = orcs.wrapTool("t", () => 1);
    await orcs.close();
    await orcs.close();
    const calls = [
      () => orcs.dispatch("tool.pre_execute", call("x")),
      () => orcs.invoke("tool.execute", call("x"), () => 1),
      () => orcs.get("read", "x"),
      () => orcs.run("x.lua"),
      () => wrapped(),
      () => orcs.wrapTool("u", () => 1),
      () => orcs.hook({ point: "tool.pre_execute", handler: () => undefined }),
      () => orcs.on("tool.pre_execute", () => undefined),
    ];
    for (const doing of calls) expect((await errorOf(doing)).code, String(doing)).toBe("ORCS2006");
  });

  test("does not affect another engine", async () => {
    const config = { hooks: [{ point: "tool.pre_execute", handler_inline: 'orcs.deny("no")' }] };
    const [first, second] = await Promise.all([open({ config }), open({ config })]);
    await first.close();
    expect((await second.dispatch("tool.pre_execute", call("x"))).action).toBe("abort");
  });
});

test("a pending retry ends when the engine closes", async () => {
  const orcs = await open();
  orcs.hook({
    point: "tool.pre_execute",
    handler: () => ({ action: "retry", delay_ms: 60_000 }),
  });
  let ran = false;
  const waiting = orcs.invoke("tool.execute", { tool_name: "x", args: {} }, () => (ran = true));
  await new Promise((resolve) => setTimeout(resolve, 10));
  await orcs.close();
  expect(await waiting).toMatchObject({
    action: "abort",
    reason: "the engine was closed while waiting for a retry",
  });
  expect(ran).toBe(false);
});

test("a tool whose pre hooks are still running does not start once the engine is closed", async () => {
  const orcs = await open();
  orcs.on("tool.pre_execute", () => sleep(50));
  let ran = false;
  const tool = orcs.wrapTool("t", () => (ran = true));
  const call = errorOf(() => tool());
  await orcs.close();
  expect(await call).toMatchObject({ message: expect.stringContaining("closed") as unknown });
  expect(ran).toBe(false);
});
