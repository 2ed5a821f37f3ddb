import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { fileState } from "../../src/engine/orcs/state/file-state.ts";
import { folder, ROOT } from "./orcs.ts";
import { heard } from "./processes.ts";

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

/** Counts up for ever, or so many times; says each sum it was told. */
const COUNTER = `
import { writeSync } from "node:fs";
import { fileState } from ${JSON.stringify(pathToFileURL(join(ROOT, "build/engine/orcs/state/file-state.js")).href)};
const [file, times, filler] = process.argv.slice(2);
const quiet = () => {};
const state = fileState(file, { debug: quiet, info: quiet, warn: quiet, error: quiet });
for (let i = 0; i < Number(times); i++) {
  writeSync(1, state.incr("n", 1) + "\\n");
  if (filler) state.set("filler", filler.repeat(2000) + i);
}
`;

interface Counter {
  readonly child: ChildProcess;
  /** The sums it has told. */
  sums(): number[];
}

function counter(file: string, times: number, filler = ""): Counter {
  const args = ["--input-type=module", "-", file, `${times}`, filler];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const text = heard(child.stdout);
  child.stdin.end(COUNTER);
  return { child, sums: () => text().split("\n").slice(0, -1).map(Number) };
}

function stored(file: string) {
  const state = fileState(file, QUIET);
  onTestFinished(() => state.close());
  return state;
}

test.each([
  ["a file that grows", ""],
  ["a file that is written anew all the time", "x"],
])("several processes increment one counter without loss: %s", async (_what, filler) => {
  const file = join(folder(), "state.jsonl");
  const counters = [1, 2, 3, 4].map(() => counter(file, 250, filler));
  await Promise.all(counters.map(({ child }) => once(child, "close")));
  const sums = counters.flatMap((each) => each.sums()).sort((a, b) => a - b);
  expect(sums).toEqual(Array.from({ length: 1000 }, (_, i) => i + 1));
  expect(stored(file).get("n")).toBe(1000);
});

test("processes killed while counting lose no reported increment and leave no lock", async () => {
  const file = join(folder(), "state.jsonl");
  const lasting = counter(file, 400, "x");
  const told: number[] = [];
  const isOver = () => lasting.child.exitCode !== null;
  let killed = 0;
  const killing = async (): Promise<void> => {
    while (!isOver() && killed < 60) {
      const victim = counter(file, 1e6, "x");
      const wanted = 1 + (killed % 7);
      while (victim.sums().length < wanted && !isOver()) {
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      victim.child.kill("SIGKILL");
      await once(victim.child, "close");
      told.push(...victim.sums());
      killed++;
    }
  };
  await Promise.all([killing(), killing(), once(lasting.child, "close")]);
  expect(lasting.child.exitCode).toBe(0);
  expect(killed).toBeGreaterThan(2);
  const all = [...told, ...lasting.sums()];
  // Each sum was told once; what was counted and not told was a killed one's last word.
  expect(new Set(all).size).toBe(all.length);
  const state = stored(file);
  const sum = state.get("n") as number;
  expect(sum).toBeGreaterThanOrEqual(Math.max(...all));
  expect(sum - all.length).toBeLessThanOrEqual(killed + 2);
  expect(state.incr("n", 1)).toBe(sum + 1);
  expect(readFileSync(`${file}.lock`, "utf8")).toBe("");
}, 120_000);
