import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ancestors } from "../../../../src/machine/spawn/ancestors.ts";

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
});
