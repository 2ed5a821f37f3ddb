import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { shownFile } from "../../config/index.ts";
import type { HookSteps, LineStep, LineSteps } from "../lua/index.ts";
import { isSpec } from "./project-tests.ts";

/** Which lines of a file ran; lines count from 1. */
export interface FileCoverage {
  readonly file: string;
  /** How many lines have code. */
  readonly lines: number;
  readonly ran: number;
  /** Lines with code that did not run. */
  readonly missed: readonly number[];
}

/**
 * The coverage of the tested files: scripts and modules, without the tests themselves.
 * @param files by name, relative to `cwd` or absolute; a file can have several names
 */
export function fileCoverage(files: LineSteps["files"], cwd: string): FileCoverage[] {
  const byPath = new Map<string, { active: Set<number>; ran: Set<number> }>();
  for (const [name, { active, ran }] of files) {
    const path = resolve(cwd, name);
    if (isSpec(path) || !existsSync(path)) continue;
    const known = byPath.get(path) ?? { active: new Set(), ran: new Set() };
    for (const line of active) known.active.add(line);
    for (const line of ran) known.ran.add(line);
    byPath.set(path, known);
  }
  return [...byPath].map(([path, { active, ran }]) => {
    const missed = [...active].filter((line) => !ran.has(line)).sort((a, b) => a - b);
    const file = shownFile(path, cwd);
    return { file, lines: active.size, ran: active.size - missed.length, missed };
  });
}

/** How long a line of hooks took, in microseconds. */
export type LineTime = Pick<LineStep, "file" | "line" | "ran" | "us" | "source">;

/** The times of all hooks together, the slowest line first. */
export function lineTimes(hooks: ReadonlyMap<string, HookSteps>, cwd: string): LineTime[] {
  const sums = new Map<string, { -readonly [K in keyof LineTime]: LineTime[K] }>();
  for (const { file, line, source, ran, us } of [...hooks.values()].flatMap((of) => of.lines)) {
    const sum = sums.get(`${file}:${line}`);
    if (sum) {
      sum.ran += ran;
      sum.us += us;
    } else if (ran > 0) {
      const shown = shownFile(resolve(cwd, file), cwd);
      sums.set(`${file}:${line}`, { file: shown, line, ran, us, source });
    }
  }
  return [...sums.values()].sort((a, b) => b.us - a.us);
}

/** Lines as ranges: `3, 7-9`. */
export function lineRanges(lines: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const line of lines) {
    const last = ranges.at(-1);
    if (last && line === last[1] + 1) last[1] = line;
    else ranges.push([line, line]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(", ");
}
