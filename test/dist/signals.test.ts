import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folder, ROOT } from "./orcs.ts";

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("%s ends the commands that a script runs, too", async (signal, code) => {
  const cwd = folder({
    "agent.lua": 'orcs.exec("echo $$ > pid.tmp; mv pid.tmp pid; exec sleep 30")',
  });
  const cli = join(ROOT, "dist/cli/main.js");
  const child = spawn(process.execPath, [cli, "run", "agent.lua"], { cwd });
  const ended = once(child, "exit");
  await expect.poll(() => existsSync(join(cwd, "pid")), { timeout: 20_000 }).toBe(true);
  const pid = Number(readFileSync(join(cwd, "pid"), "utf8"));
  expect(isRunning(pid)).toBe(true);
  child.kill(signal);
  expect(await ended).toEqual([code, null]);
  await expect.poll(() => isRunning(pid), { timeout: 5000 }).toBe(false);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
