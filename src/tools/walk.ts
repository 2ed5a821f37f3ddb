import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { Refusal } from "./refusal.ts";

/** Directories that hold what nobody wrote by hand. */
const PASSED_OVER: readonly string[] = [".git", "node_modules"];

/** How long a search may hold the thread before others have a turn, in milliseconds. */
const TURN_MS = 4;

/** How far a search may go; shared by all steps of one call. Times are on the clock of `performance.now()`. */
export interface SearchBudget {
  readonly signal: AbortSignal | undefined;
  readonly deadline: number;
  turnEnds: number;
  /** Set when something was left out. */
  truncated: boolean;
}

/** A budget that begins now. */
export function searchBudget(ms: number, signal: AbortSignal | undefined): SearchBudget {
  const now = performance.now();
  return { signal, deadline: now + ms, turnEnds: now + TURN_MS, truncated: false };
}

/** Whether it is time to ask `mayGoOn`, for loops that are too tight to wait at each step. */
export function turnIsOver(budget: SearchBudget): boolean {
  return performance.now() >= budget.turnEnds;
}

/**
 * Whether the search may go on; lets others have a turn when its own is over.
 * @throws Refusal when the call was cancelled.
 */
export async function mayGoOn(budget: SearchBudget): Promise<boolean> {
  if (turnIsOver(budget)) await nextTurn(budget);
  if (budget.signal?.aborted) throw new Refusal("the search was cancelled");
  if (performance.now() < budget.deadline) return true;
  budget.truncated = true;
  return false;
}

/** Let others have a turn. */
export async function nextTurn(budget: SearchBudget): Promise<void> {
  await setImmediate();
  budget.turnEnds = performance.now() + TURN_MS;
}

/**
 * The regular files below a directory, as paths relative to it, in the order of their names. Links are not
 * followed; `.git` and `node_modules` are passed over, and so is what cannot be read.
 */
export async function* walk(directory: string, budget: SearchBudget): AsyncGenerator<string> {
  const pending: string[] = [""];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (!(await mayGoOn(budget))) return;
    const entries = await entriesOf(join(directory, at), budget, at === "");
    for (const entry of entries) if (entry.isFile()) yield join(at, entry.name);
    const below = entries.filter((entry) => entry.isDirectory());
    // The last one pushed comes first.
    for (const entry of below.reverse()) {
      if (!PASSED_OVER.includes(entry.name)) pending.push(join(at, entry.name));
    }
  }
}

async function entriesOf(
  directory: string,
  budget: SearchBudget,
  required: boolean,
): Promise<Dirent[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (required) throw error;
    budget.truncated = true;
    return [];
  }
}
