import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { folder, isRunning, Lines, open } from "./engine.ts";

const SLOW_TOOL = "handler_inline = \"orcs.get('slow', {})\"";

/** An HTTP server that never answers. */
async function silent(): Promise<string> {
  const server = createServer(() => undefined).listen(0, "127.0.0.1");
  onTestFinished(() => server.close().closeAllConnections());
  await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** A command whose process, and one that it starts, say who they are and take their time. */
const COMMAND = "sleep 60 & echo $! $$ > pids; wait";

test.each([
  ["a Lua hook", () => 'handler_inline = "orcs.sleep(5000)"'],
  [
    "a Lua hook that asks again and again",
    () => `handler_inline = "while true do pcall(orcs.get, 'slow', {}) end"`,
  ],
  ["a Lua hook that waits for a command", () => `handler_inline = "orcs.exec('${COMMAND}')"`],
  [
    "a hook of the tool that a hook calls",
    () =>
      `${SLOW_TOOL}\n[[hooks]]\npoint = "tool.pre_execute"\nmatch = { tool = "slow" }\nshell = "${COMMAND}"`,
  ],
  ["a Lua hook that waits for a tool", () => SLOW_TOOL],
  ["a shell handler", () => `shell = "${COMMAND}"`],
  [
    "a live handler",
    () => `handler = { process = ["sh", "-c", "${COMMAND}"], protocol = "jsonrpc" }`,
  ],
  [
    "a URL that is a handler",
    (url: string) =>
      `handler = { url = "${url}", allow_hosts = ["127.0.0.1"], protocol = "jsonrpc" }`,
  ],
  ["a webhook", (url: string) => `webhook = { url = "${url}", allow_hosts = ["127.0.0.1"] }`],
  ["a module", () => 'module = "./m.mjs#wait"'],
  ["a module that never returns", () => 'module = "./m.mjs#never"'],
  ["a retry", () => 'handler_inline = "orcs.retry(5000)"'],
])("an abort is heard at once in %s", async (_, handler) => {
  const cwd = folder({
    "m.mjs": `export const wait = () => new Promise((done) => setTimeout(done, 5000).unref());
export const never = () => new Promise(() => undefined);\n`,
    "orcs.toml": "",
  });
  const logger = new Lines();
  const toml = `[[hooks]]\npoint = "tool.pre_execute"\nmatch = { tool = "t" }\n${handler(await silent())}\n`;
  writeFileSync(
    join(cwd, "orcs.toml"),
    `${toml}[[hooks]]\nid = "next"\npoint = "tool.pre_execute"\nhandler_inline = "orcs.state.set('next', 1)"\n`,
  );
  const orcs = await open({ cwd, config: "orcs.toml", logger });
  orcs.addTool("slow", () => new Promise((done) => setTimeout(done, 5000).unref()));
  let ran = 0;
  const tool = orcs.wrapTool("t", (_args: object) => ++ran);
  const abort = new AbortController();
  const reason = new Error("enough");
  const count = handler("").includes("sleep 60") ? 2 : 0;
  const pids = (): string[] =>
    existsSync(join(cwd, "pids")) ? readFileSync(join(cwd, "pids"), "utf8").trim().split(" ") : [];
  let aborted = Infinity;
  const begun = async (): Promise<void> => {
    await wait(300);
    // On a busy machine, a shell is not there at once.
    await vi.waitFor(() => expect(pids()).toHaveLength(count), 20_000);
    aborted = performance.now();
    abort.abort(reason);
  };
  void begun();
  await expect(tool.with({ signal: abort.signal })({})).rejects.toBe(reason);
  // Each of them would wait for 5 s or more.
  expect(performance.now() - aborted).toBeLessThan(4000);
  await vi.waitFor(() => expect(pids().filter((pid) => isRunning(Number(pid)))).toEqual([]));
  expect(ran).toBe(0);
  expect(logger.lines).toEqual([]);
});

test("an abort by a hook ends a dispatch, and one before it those that wait", async () => {
  const orcs = await open();
  const abort = new AbortController();
  orcs.on("tool.pre_execute", () => abort.abort("stop"));
  orcs.on("tool.pre_execute", () => ({ action: "abort", reason: "never asked" }));
  const payload = { tool_name: "t", args: {} };
  const dispatch = async (): Promise<unknown> =>
    orcs.dispatch("tool.pre_execute", payload, { signal: abort.signal });
  await expect(dispatch()).rejects.toBe("stop");
  expect(await dispatch()).toMatchObject({ action: "abort", reason: "never asked" });
  orcs.hook({
    point: "tool.pre_execute",
    priority: 1,
    handler: () => new Promise(() => undefined),
  });
  await expect(dispatch()).rejects.toBe("stop");
});

test("an abort ends the wait for an answer", async () => {
  const orcs = await open({ onAsk: () => new Promise(() => undefined) });
  orcs.hook({ point: "tool.pre_execute", handler: () => ({ decision: "ask" }) });
  const tool = orcs.wrapTool("t", () => 1);
  const begin = () => AbortSignal.timeout(50);
  await expect(tool.with({ signal: begin() })()).rejects.toMatchObject({ name: "TimeoutError" });
  const payload = { tool_name: "t", args: {} };
  const invoked = orcs.invoke("tool.execute", payload, () => 1, { signal: begin() });
  await expect(invoked).rejects.toMatchObject({ name: "TimeoutError" });
});
