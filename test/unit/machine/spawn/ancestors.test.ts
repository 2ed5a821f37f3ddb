import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { agentProcess, ancestors, hasStarted } from "../../../../src/machine/spawn/ancestors.ts";

describe.skipIf(process.platform === "win32")("the processes that a process comes from", () => {
  test("are this one, and the one that started it", () => {
    const [own, parent] = ancestors(process.pid);
    expect(own?.args.join(" ")).toContain("node");
    const [alone] = ancestors(process.ppid);
    expect(parent).toEqual(alone);
  });

  test("are none for a process that is gone, and end with the first of the system", () => {
    const { pid } = spawnSync("true");
    expect([...ancestors(pid)]).toEqual([]);
    expect([...ancestors(1)]).toEqual([]);
    expect([...ancestors(process.pid)].length).toBeLessThan(9);
  });
});

describe.skipIf(process.platform !== "linux")("on Linux", () => {
  /** A program that prints its process id, and waits. */
  async function started(command: string, args: readonly string[]) {
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
    const [text] = (await once(child.stdout, "data")) as [Buffer];
    return { child, pid: Number(text.toString().trim()) };
  }

  const WAITS = "echo $$; read -r line";

  test("arguments are whole, and a pipe is no terminal", async () => {
    const { child, pid } = await started("sh", ["-c", `${WAITS}; : '(b) c'`]);
    const [found] = ancestors(pid);
    child.kill();
    expect(found).toMatchObject({ args: ["sh", "-c", `${WAITS}; : '(b) c'`], hasTerminal: false });
  });

  test.skipIf(!existsSync("/usr/bin/script"))("a terminal is seen", async () => {
    const { child, pid } = await started("script", ["-qec", WAITS, "/dev/null"]);
    const [found] = ancestors(pid);
    child.kill();
    expect(found?.hasTerminal).toBe(true);
  });

  test("a process of an agent's tool is seen while it runs, not one that was started before, nor one of this process", async () => {
    const from = Date.now();
    const agent = agentProcess(process.ppid) ?? "";
    const isSeen = (since = from): boolean => hasStarted(agent, ["ORCS_TOOL"], since, Date.now());
    const own = spawn("sleep", ["20"], { env: { PATH: process.env["PATH"], ORCS_TOOL: "1" } });
    await once(own, "spawn");
    expect(isSeen()).toBe(false);
    own.kill();
    // It belongs to nobody: the shell that started it has ended.
    const { stdout } = spawnSync("sh", ["-c", "ORCS_TOOL=1 sleep 20 > /dev/null 2>&1 & echo $!"]);
    const pid = Number(stdout.toString());
    expect(isSeen()).toBe(true);
    expect(isSeen(Date.now() + 200)).toBe(false);
    process.kill(pid);
    for (let i = 0; i < 100 && isSeen(); i++)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isSeen()).toBe(false);
  });
});
