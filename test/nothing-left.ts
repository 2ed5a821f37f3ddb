import { afterAll, beforeAll, expect, vi } from "vitest";

// Test files that share a process leave it as they found it: what one changed would be a riddle in another.

let before: unknown;
beforeAll(() => {
  before = surroundings();
});
afterAll(() => {
  vi.unstubAllEnvs();
  expect(surroundings()).toEqual(before);
});

function surroundings() {
  return {
    cwd: process.cwd(),
    env: { ...process.env },
    exitCode: process.exitCode,
    listeners: Object.fromEntries(
      process.eventNames().map((name) => [name, process.listenerCount(name)]),
    ),
    globals: Object.getOwnPropertyNames(globalThis).sort(),
    fakeTimers: vi.isFakeTimers(),
  };
}
