import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folder, MAIN } from "./orcs.ts";
import { heard, isRunning } from "./processes.ts";

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("%s ends orcs run and the commands of its script", async (signal, code) => {
  const cwd = folder({
    "agent.lua": 'orcs.exec("echo $$ > pid.tmp; mv pid.tmp pid; exec sleep 30")',
  });
  const child = spawn(process.execPath, [MAIN, "run", "agent.lua"], { cwd });
  const ended = once(child, "exit");
  await expect.poll(() => existsSync(join(cwd, "pid")), { timeout: 20_000 }).toBe(true);
  const pid = Number(readFileSync(join(cwd, "pid"), "utf8"));
  expect(isRunning(pid)).toBe(true);
  child.kill(signal);
  expect(await ended).toEqual([code, null]);
  await expect.poll(() => isRunning(pid), { timeout: 5000 }).toBe(false);
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s ends a component of orcs run with its shutdown",
  async (signal) => {
    const cwd = folder({
      "component.lua": `
        return {
          id = "busy",
          on_request = function() orcs.exec("touch begun; exec sleep 30") end,
          shutdown = function(status) orcs.emit_output("it was " .. status) end,
        }
      `,
      "orcs.toml": "",
    });
    const args = ["run", "component.lua", "--json", "--config", "orcs.toml"];
    const child = spawn(process.execPath, [MAIN, ...args], { cwd });
    const [stdout, stderr] = [heard(child.stdout), heard(child.stderr)];
    const closed = once(child, "close");
    await expect.poll(() => existsSync(join(cwd, "begun")), { timeout: 20_000 }).toBe(true);
    const began = performance.now();
    child.kill(signal);
    expect(await closed).toEqual([signal === "SIGINT" ? 130 : 143, null]);
    // Far less than what a channel that ends gives to the request that it serves.
    expect(performance.now() - began).toBeLessThan(4000);
    expect(stderr()).toBe("it was running\n");
    const lines = stdout().trimEnd().split("\n");
    const points = lines.map((line) => (JSON.parse(line) as { point: string }).point);
    expect(points.slice(-4)).toEqual([
      "channel.pre_destroy",
      "component.pre_shutdown",
      "component.post_shutdown",
      "channel.post_destroy",
    ]);
  },
);

const DENIES_ALL = `
[[hooks]]
point = "tool.pre_execute"
handler_inline = 'return orcs.deny("no")'
`;

test.each([
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("%s ends orcs test --fuzz, which removes its sandbox", async (signal, code) => {
  const cwd = folder({ "orcs.toml": DENIES_ALL, "tmp/.keep": "" });
  const tmp = join(cwd, "tmp");
  const fuzz = ["test", "--fuzz", "--never", "git push --force", "--runs", "999999"];
  const child = spawn(process.execPath, [MAIN, ...fuzz, "--config", "orcs.toml"], {
    cwd,
    env: { ...process.env, TMPDIR: tmp },
  });
  const ended = once(child, "exit");
  const roots = (): string[] => readdirSync(tmp).filter((name) => name.startsWith("orcs-fuzz-"));
  await expect.poll(() => roots().length, { timeout: 20_000 }).toBeGreaterThan(0);
  child.kill(signal);
  expect((await ended)[1]).toBe(null);
  expect(child.exitCode).toBe(code);
  expect(roots()).toEqual([]);
});
