import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folder, ROOT } from "./orcs.ts";

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s ends the commands that a script runs, too", async (signal, code) => {
  // A length of its own, so that the process can be told from others.
  const seconds = `31.${process.pid}${code}`;
  const cwd = folder({ "agent.lua": `orcs.log("ready") orcs.exec("sleep ${seconds}")` });
  const cli = join(ROOT, "dist/cli/main.js");
  const child = spawn(process.execPath, [cli, "run", "agent.lua"], { cwd });
  const running = () =>
    spawnSync("pgrep", ["-f", `sleep ${seconds}`])
      .stdout.toString()
      .trim();
  const ended = once(child, "exit");
  await expect.poll(running, { timeout: 20_000 }).not.toBe("");
  child.kill(signal);
  expect(await ended).toEqual([code, null]);
  await expect.poll(running, { timeout: 5000 }).toBe("");
});
