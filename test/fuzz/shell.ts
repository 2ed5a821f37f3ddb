import type { HookDefinition } from "orcs";
import type { FuzzHole, FuzzReport } from "orcs/testing";
import { fuzz } from "orcs/testing";
import { PLANTED } from "./planted.ts";

/** Rules whose holes are documented: what a script in a file does is not read by `match.runs`. */
const DOCUMENTED = ["file", "file by tee", "file, made executable", "BASH_ENV"];

const HOLES_SHOWN = 40;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/**
 * Spellings of `git push --force` against `match.runs`, which must let none pass but those of scripts in files.
 * @returns whether it did
 */
export async function fuzzRuns(runs: number, seed: number, seconds: number): Promise<boolean> {
  const never = "git push --force";
  // What was found so far is shown, and the sandbox is removed.
  const stop = new AbortController();
  for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) process.once(signal, () => stop.abort());
  const report = await fuzz({
    hooks: [
      {
        id: "runs",
        point: "tool.pre_execute",
        match: { runs: [never, "?"] },
        handler: () => ({ action: "abort", reason: "no" }),
      },
    ],
    never,
    runs,
    seed,
    seconds,
    most: HOLES_SHOWN,
    signal: stop.signal,
    progress: ({ spellings, holes }) => {
      if (spellings % 50_000 === 0) say(`${spellings} spellings, ${holes} holes`);
    },
  });
  const found = report.holes.filter(
    ({ rules }) => !rules.some((rule) => DOCUMENTED.includes(rule)),
  );
  show(report, found);
  say(`match.runs: ${found.length} holes that are not documented`);
  return found.length === 0;
}

/** Each planted hole for some seconds. @returns whether enough were found */
export async function fuzzPlanted(seed: number, seconds: number, least: number): Promise<boolean> {
  let found = 0;
  for (const { name, stops } of PLANTED) {
    const began = performance.now();
    const hook: HookDefinition = {
      id: "planted",
      point: "tool.pre_execute",
      handler: ({ payload }) =>
        stops(String((payload["args"] as Record<string, unknown>)["command"]))
          ? { action: "abort", reason: "no" }
          : undefined,
    };
    const report = await fuzz({
      hooks: [hook],
      never: "git push --force",
      runs: 10_000_000,
      seconds,
      seed,
      most: 1,
    });
    const hole = report.holes.find(({ rules }) => !rules.some((rule) => DOCUMENTED.includes(rule)));
    if (hole) found++;
    const took = ((performance.now() - began) / 1000).toFixed(1);
    say(`${hole ? "found" : "NOT FOUND"}  ${took} s  ${name}  ${JSON.stringify(hole?.line ?? "")}`);
  }
  say(`${found} of ${PLANTED.length} planted holes found in ${seconds} s each`);
  return found >= least;
}

function show(report: FuzzReport, holes: readonly FuzzHole[]): void {
  for (const { line, rules } of holes) say(`hole: ${JSON.stringify(line)} (${rules.join(", ")})`);
  const { spellings, stopped, passed, ran, seed, checkedBy } = report;
  say(
    `seed ${seed}: ${spellings} spellings, ${stopped} stopped, ${passed} passed, ${ran} of these ran it (${checkedBy})`,
  );
}
