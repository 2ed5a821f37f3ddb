import fc from "fast-check";
import { expect, test } from "vitest";
import type { ShellCommand } from "../../../../src/core/shell.ts";
import { createShellReader } from "../../../../src/matchers/shell/reader.ts";
import { randomLines } from "./random-lines.ts";
import { recordRuns } from "./recorded-runs.ts";
import type { RecordedRun } from "./recorded-runs.ts";

/** More lines than the usual ones: `ORCS_SHELL_LINES=20000 npx vitest run …`. */
const COUNT = Number(process.env["ORCS_SHELL_LINES"] ?? 150);
const BATCH = 250;
const seed = Number(process.env["ORCS_SHELL_SEED"] ?? 1);

test("what bash runs is listed, or something listed says that it is not known", () => {
  const reader = createShellReader({ home: "/home/me" });
  const missed: string[] = [];
  let runs = 0;
  let certain = 0;
  for (let done = 0; done < COUNT; done += BATCH) {
    const lines = fc.sample(randomLines(2), { numRuns: Math.min(BATCH, COUNT - done), seed: seed + done });
    const { folder, runs: recordedRuns } = recordRuns(lines);
    for (const [index, recorded] of recordedRuns.entries()) {
      const line = lines[index] ?? "";
      const listed = reader.read(line, folder);
      for (const run of recorded) {
        runs++;
        if (listed.some((command) => !command.dynamic && covers(command, run))) certain++;
        else if (!listed.some((command) => covers(command, run))) missed.push(describe(line, run, listed));
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
  return matches(command.argv, new Set(command.unknown), 0, run.argv, 0);
}

/** A word that is not known may be any words. */
function matches(
  words: readonly string[],
  unknown: ReadonlySet<number>,
  at: number,
  argv: readonly string[],
  from: number,
): boolean {
  if (at === words.length) return from === argv.length;
  if (!unknown.has(at)) {
    return words[at] === argv[from] && from < argv.length && matches(words, unknown, at + 1, argv, from + 1);
  }
  for (let next = from; next <= argv.length; next++) {
    if (matches(words, unknown, at + 1, argv, next)) return true;
  }
  return false;
}

function describe(line: string, run: RecordedRun, listed: readonly ShellCommand[]): string {
  const commands = listed.map(({ argv, unknown, cwd }) => `  ${JSON.stringify(argv)} ${unknown.join()} in ${cwd}`);
  return [line, `ran ${JSON.stringify(run.argv)} in ${run.cwd}`, ...commands].join("\n");
}
