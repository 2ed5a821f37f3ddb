import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { Watcher } from "../../../../src/engine/orcs/reload/watcher.ts";
import { folder } from "./engine.ts";

test("Watcher reports a file created during a change callback", async () => {
  const dir = folder({ "a.lua": "1" });
  let told = 0;
  const watcher = new Watcher({
    files: () => [join(dir, "a.lua")],
    folders: () => [dir],
    changed: async () => {
      if (++told === 1) writeFileSync(join(dir, "b.lua"), "new");
    },
  });
  onTestFinished(() => watcher.close());
  await watcher.start(Infinity);
  writeFileSync(join(dir, "a.lua"), "22");
  await vi.waitFor(() => expect(told).toBe(2), { timeout: 10_000 });
});

test("Watcher does not report an existing file that it starts to watch after a change", async () => {
  const dir = folder({ "in/a.lua": "1", "out/b.lua": "1" });
  let told = 0;
  const files = [join(dir, "in/a.lua")];
  const watcher = new Watcher({
    files: () => files,
    folders: () => [join(dir, "in")],
    changed: async () => {
      told++;
      if (told === 1) files.push(join(dir, "out/b.lua"), join(dir, "in/missing.lua"));
    },
  });
  onTestFinished(() => watcher.close());
  await watcher.start(Infinity);
  writeFileSync(join(dir, "in/a.lua"), "22");
  await vi.waitFor(() => expect(told).toBe(1), { timeout: 10_000 });
  // It looks around every second by itself.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(told).toBe(1);
  writeFileSync(join(dir, "out/b.lua"), "22");
  await vi.waitFor(() => expect(told).toBe(2), { timeout: 10_000 });
});

test("Watcher reports saves in quick succession one by one from file events, without polling", async () => {
  // A second look comes once a second, here never: what no event tells is not told.
  vi.useFakeTimers({ toFake: ["setInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const dir = folder({ "a.lua": "0" });
  let told = (): void => undefined;
  const watcher = new Watcher({
    files: () => [join(dir, "a.lua")],
    folders: () => [dir],
    changed: async () => told(),
  });
  onTestFinished(() => watcher.close());
  await watcher.start(Infinity);
  for (let save = 1; save <= 40; save++) {
    const next = new Promise<void>((resolve) => (told = resolve));
    writeFileSync(join(dir, "a.lua"), "x".repeat(save));
    await next;
    // Nothing, or what an editor takes between two saves.
    await new Promise((resolve) => setTimeout(resolve, (save % 4) * 15));
  }
});
