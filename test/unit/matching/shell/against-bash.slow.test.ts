import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ShellCommand } from "../../../../src/core/shell.ts";
import { createShellReader } from "../../../../src/matching/shell/reader.ts";
import { randomLines } from "./random-lines.ts";
import { recordRuns } from "./recorded-runs.ts";
import type { RecordedRun } from "./recorded-runs.ts";

/** More lines than the usual ones: `ORCS_SHELL_LINES=20000 npx vitest run …`. */
const COUNT = Number(process.env["ORCS_SHELL_LINES"] ?? 150);
const BATCH = 250;
const seed = Number(process.env["ORCS_SHELL_SEED"] ?? 1);

test("the shell reader lists every command that bash runs, or marks the line as not fully known", () => {
  const reader = createShellReader({ home: "/home/me" });
  const missed: string[] = [];
  let runs = 0;
  let certain = 0;
  for (let done = 0; done < COUNT; done += BATCH) {
    const lines = fc.sample(randomLines(2), {
      numRuns: Math.min(BATCH, COUNT - done),
      seed: seed + done,
    });
    const { folder, runs: recordedRuns } = recordRuns(lines);
    for (const [index, recorded] of recordedRuns.entries()) {
      const line = lines[index] ?? "";
      const { commands: listed } = reader.read(line, folder);
      for (const run of recorded) {
        runs++;
        if (listed.some((command) => !command.dynamic && covers(command, run))) certain++;
        else if (!listed.some((command) => covers(command, run)))
          missed.push(describe(line, run, listed));
      }
    }
  }
  expect(missed).toStrictEqual([]);
  // Else the test would show nothing.
  expect(runs).toBeGreaterThan(COUNT / 2);
  expect(certain / runs).toBeGreaterThan(0.4);
}, 600_000);

/** Whether a command that is listed may be this one. */
function covers(command: ShellCommand, run: RecordedRun): boolean {
  if (command.opaque) return true;
  if (command.cwd !== undefined && command.cwd !== run.cwd) return false;
  return matches(command.argv, command.unknown, run.argv);
}

/** A word that is not known may be any words. */
function matches(
  words: readonly string[],
  unknown: readonly number[],
  argv: readonly string[],
): boolean {
  // How many words of `argv` may be behind.
  let behind = new Set([0]);
  for (const [at, word] of words.entries()) {
    const next = new Set<number>();
    if (unknown.includes(at)) {
      for (let count = Math.min(...behind); count <= argv.length; count++) next.add(count);
    } else {
      for (const count of behind) if (argv[count] === word) next.add(count + 1);
    }
    behind = next;
  }
  return behind.has(argv.length);
}

function describe(line: string, run: RecordedRun, listed: readonly ShellCommand[]): string {
  const commands = listed.map(
    ({ argv, unknown, cwd }) => `  ${JSON.stringify(argv)} ${unknown.join()} in ${cwd}`,
  );
  return [line, `ran ${JSON.stringify(run.argv)} in ${run.cwd}`, ...commands].join("\n");
}
