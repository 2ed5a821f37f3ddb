import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runShell } from "./shell-rig.ts";

/** What a command leaves in the background: `background_s`. */

let dir: string;
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), "orcs-background-"))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const PAYLOAD = { tool_name: "exec", args: {}, session_id: "s" };
const marks = (): string => join(dir, "marks");

/** Run a command; its background process writes its id into `pid`, and `late` after a while. */
const run = (backgroundS: number, after = 0.5, hook = {}, then = "true") =>
  runShell(
    `nohup sh -c 'echo $$ > pid; sleep ${after}; touch late; exec sleep 60' </dev/null >/dev/null 2>&1 &
    while [ ! -s pid ]; do sleep 0.05; done; ${then}`,
    { cwd: dir, backgroundS, sessionMarks: marks },
    hook,
    PAYLOAD,
  );

const file = (name: string): boolean => existsSync(join(dir, name));

function isAlive(): boolean {
  const pid = Number(readFileSync(join(dir, "pid"), "utf8"));
  try {
    // A zombie has ended; in a container nobody may have buried it.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

const gone = () => expect.poll(isAlive, { timeout: 20_000, interval: 100 }).toBe(false);

it("lives on for its time, and the result does not wait for it", async () => {
  const ran = await run(2);
  expect([ran.status, ran.outcome.action, file("late"), isAlive()]).toEqual([
    "ran",
    "continue",
    false,
    true,
  ]);
  await expect.poll(() => file("late"), { timeout: 10_000 }).toBe(true);
  await gone();
  await expect.poll(() => file("marks"), { timeout: 10_000 }).toBe(false);
});

it("ends with the session", async () => {
  await run(600);
  expect(isAlive()).toBe(true);
  rmSync(marks(), { recursive: true });
  await gone();
});

it("ends with the command by default, and with one that is late or fails to end by itself", async () => {
  await run(0, 1);
  await gone();
  rmSync(join(dir, "pid"));
  expect((await run(600, 1, { timeoutMs: 1000 }, "sleep 60")).status).toBe("timed_out");
  await gone();
  await sleep(1500);
  expect(file("late")).toBe(false);
});

it("nothing is started for a command that leaves nothing", async () => {
  await runShell("true", { cwd: dir, backgroundS: 600, sessionMarks: marks }, {}, PAYLOAD);
  expect(file("marks")).toBe(false);
});
