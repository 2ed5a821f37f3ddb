import { afterAll } from "vitest";

// Test files that share a process load a module once: its own `afterAll` would be of the first of them only.

const all: (() => void | Promise<void>)[] = [];

/** What a module that test files have in common does at the end of each. */
export function atFileEnd(work: () => void | Promise<void>): void {
  all.push(work);
}

afterAll(async () => {
  for (const work of all) await work();
}, 60_000);
