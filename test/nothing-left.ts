import { afterAll, beforeAll, expect, vi } from "vitest";

// Test files that share a process leave it as they found it: what one changed would be a riddle in another.

let before: unknown;
beforeAll(() => {
  before = surroundings();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  // A thread that was told to end takes a moment.
  await vi.waitFor(() => expect(surroundings()).toEqual(before), 2000);
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
