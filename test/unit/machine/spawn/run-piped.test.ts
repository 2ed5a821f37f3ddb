import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runPiped } from "../../../../src/machine/spawn/run-piped.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "orcs-piped-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const sh = (command: string) => runPiped({ file: "sh", args: ["-c", `cd '${dir}'; ${command}`] });

/** The process id that a command wrote to `pid`. */
async function pid(): Promise<number> {
  const file = join(dir, "pid");
  await expect
    .poll(() => existsSync(file) && readFileSync(file, "utf8").trim() !== "", { timeout: 8000 })
    .toBe(true);
  return Number(readFileSync(file, "utf8"));
}

/** Whether a process is running; a zombie is not. */
function isRunning(id: number): boolean {
  try {
    return !/^\S+ \(.*\) [ZX]/.test(readFileSync(`/proc/${id}/stat`, "utf8"));
  } catch {
    return false;
  }
}

it("runPiped passes stdin and stdout, and reports the exit code", async () => {
  const child = sh('read line; echo "got $line"; exit 3');
  child.stdin.end("hello\n");
  expect(await text(child.stdout)).toBe("got hello\n");
  expect(await child.ended).toEqual({ kind: "exited", code: 3 });
});

it("runPiped reports a signal from elsewhere", async () => {
  const child = sh("kill -USR1 $$");
  child.stdout.resume();
  expect(await child.ended).toEqual({ kind: "signalled", signal: "SIGUSR1" });
});

it.each([
  ["is not there", "/no/such/program"],
  ["has no name that a system call takes", "a\0b"],
])("runPiped reports that a program that %s was not started", async (_, file) => {
  const child = runPiped({ file, args: [] });
  child.stdin.write("into nothing\n");
  child.stdout.resume();
  child.stop(10);
  expect(await child.ended).toMatchObject({ kind: "not_started", error: expect.any(String) });
});

it("runPiped kills background processes, and does not wait for their pipes", async () => {
  const child = sh("sleep 60 & echo $! > pid; exit 0");
  child.stdout.resume();
  const id = await pid();
  const began = performance.now();
  expect(await child.ended).toEqual({ kind: "exited", code: 0 });
  expect(performance.now() - began).toBeLessThan(8000);
  await expect.poll(() => isRunning(id), { timeout: 8000 }).toBe(false);
});

it("runPiped stop sends SIGTERM", async () => {
  const child = sh("trap 'echo bye; exit 0' TERM; echo $$ > pid; while :; do sleep 0.05; done");
  await pid();
  const said = text(child.stdout);
  child.stop(60_000);
  expect(await child.ended).toEqual({ kind: "exited", code: 0 });
  expect(await said).toBe("bye\n");
});

it("runPiped kills at the deadline a process that ignores SIGTERM; the earliest deadline counts", async () => {
  const child = sh("trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done");
  child.stdout.resume();
  await pid();
  child.stop(60_000);
  child.stop(50);
  child.stop(60_000);
  expect(await child.ended).toEqual({ kind: "signalled", signal: "SIGKILL" });
});

it("runPiped keeps output for a slow reader", async () => {
  const child = sh("head -c 300000 /dev/zero; echo end");
  await sleep(1200);
  expect((await text(child.stdout)).length).toBe(300_004);
  expect(await child.ended).toEqual({ kind: "exited", code: 0 });
});
