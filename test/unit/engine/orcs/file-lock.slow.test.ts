import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { FileLock, withFileLock } from "../../../../src/machine/files/file-lock.ts";
import { ownIdentity } from "../../../../src/machine/files/process-identity.ts";
import { errorOf, folder } from "./engine.ts";

const place = (): string => join(folder(), "lock");

/** The number of a process that is over. */
const dead = (): number => spawnSync(process.execPath, ["-e", "0"]).pid;

/** The line of one who holds the lock. */
function claim(of: Readonly<Record<string, unknown>> = {}): string {
  return `\n${JSON.stringify({ ...ownIdentity(), id: "other", at: Date.now(), ...of })}\n`;
}

/** How long it takes to get a lock, in milliseconds. */
function wait(path: string): number {
  const started = performance.now();
  expect(withFileLock(path, () => "had")).toBe("had");
  return performance.now() - started;
}

const isLinux = process.platform === "linux";

describe("withFileLock", () => {
  test("returns or throws what the function does, and releases the lock", async () => {
    const path = place();
    expect(withFileLock(path, () => 7)).toBe(7);
    const why = new Error("mine");
    expect(() =>
      withFileLock(path, () => {
        expect(readFileSync(path, "utf8")).toContain(`"pid":${process.pid}`);
        throw why;
      }),
    ).toThrow(why);
    expect(readFileSync(path, "utf8")).toBe("");
    expect(wait(path)).toBeLessThan(1000);
  });

  test.each([
    ["a process that is over", () => claim({ pid: dead() })],
    ["several of them", () => claim({ pid: dead(), id: "a" }) + claim({ pid: dead(), id: "b" })],
    ["one that died as it wrote", () => claim().slice(0, 20)],
    ["one that died before it wrote", () => ""],
    ["one that withdrew", () => `${claim()}{"gone":"other"}\n`],
    ["rubbish", () => "\0\0\0{}[]null\n7\n{}\nnull\n[]\n"],
  ])("takes a lock left behind by %s", (_who, left) => {
    const path = place();
    writeFileSync(path, left());
    expect(wait(path)).toBeLessThan(1000);
    expect(readFileSync(path, "utf8")).toBe("");
  });

  test.runIf(isLinux)("takes a lock whose process id was reused by another process", () => {
    const path = place();
    writeFileSync(path, claim({ started: "1" }));
    expect(wait(path)).toBeLessThan(1000);
  });

  test("does not take a lock that its holder released and another process took after the file was read", () => {
    const path = place();
    const gone = dead();
    writeFileSync(path, claim({ pid: gone }));
    const kill = process.kill.bind(process);
    onTestFinished(() => void vi.restoreAllMocks());
    let checks = 0;
    vi.spyOn(process, "kill").mockImplementation((pid, signal) => {
      const waits = readFileSync(path, "utf8").includes(`"id":"${process.pid}-`);
      if (pid === gone && waits) {
        // Its last act was to release the lock. Another process came first to the empty file.
        writeFileSync(path, claim({ id: "next" }));
      } else if (pid === process.pid && ++checks === 3) truncateSync(path, 0);
      return kill(pid, signal);
    });
    withFileLock(path, () => expect(readFileSync(path, "utf8")).not.toContain("next"));
    expect(checks).toBe(3);
  });

  test("takes a lock of an unknown or remote process once it is old", () => {
    for (const other of [{ space: "another machine" }, { started: undefined }]) {
      const path = place();
      writeFileSync(path, claim({ ...other, at: Date.now() - 60_000 }));
      expect(wait(path)).toBeLessThan(1000);
      writeFileSync(path, claim({ ...other, pid: isLinux ? 1 : process.pid, space: "another" }));
      const waited = wait(path);
      expect([waited > 1500, waited < 4900]).toEqual([true, true]);
    }
  });

  test("ignores a release line until it is complete", () => {
    const path = place();
    const stranger = (): string => claim({ space: "another machine", at: Date.now() });
    writeFileSync(path, `${stranger()}\n{"gone":"other"}\n`);
    expect(wait(path)).toBeLessThan(1000);
    writeFileSync(path, `${stranger()}\n{"gone":"other"}`);
    // Also with the claim of the one who waits behind it.
    expect(wait(path)).toBeGreaterThan(1500);
  });

  test.runIf(isLinux)(
    "waits for a live process, then fails with ORCS5002 and leaves no claim behind",
    async () => {
      const path = place();
      writeFileSync(path, claim());
      let ran = false;
      const { code, message } = await errorOf(() => withFileLock(path, () => (ran = true)));
      expect([code, message, ran]).toEqual([
        "ORCS5002",
        `ORCS5002: ${path} is still locked by process ${process.pid}`,
        false,
      ]);
      // It is free as soon as that one goes, whoever gave up in between.
      appendFileSync(path, '\n{"gone":"other"}\n');
      expect(wait(path)).toBeLessThan(1000);
    },
  );

  test("fails with ORCS5002 when the directory is missing or the path is a directory", async () => {
    const dir = folder();
    for (const path of [join(dir, "no", "lock"), dir]) {
      const { code, message } = await errorOf(() => withFileLock(path, () => 1));
      expect([code, message.includes(`${path} cannot be locked`)]).toEqual(["ORCS5002", true]);
    }
  });
});

describe("FileLock", () => {
  const held = (lock: FileLock): boolean => lock.hold((isUndisturbed) => isUndisturbed);
  const kept = (path: string): FileLock => {
    const lock = new FileLock(path);
    onTestFinished(() => lock.close());
    return lock;
  };

  test("hold returns or throws what the function does, and releases the lock", () => {
    const path = place();
    const lock = kept(path);
    expect(lock.hold(() => 7)).toBe(7);
    const why = new Error("mine");
    expect(() =>
      lock.hold(() => {
        throw why;
      }),
    ).toThrow(why);
    expect(wait(path)).toBeLessThan(1000);
    expect(lock.hold(() => 8)).toBe(8);
    lock.close();
    expect(lock.hold(() => 9)).toBe(9);
  });

  test("hold reports whether another process has had the lock in between", () => {
    const path = place();
    const lock = kept(path);
    const other = kept(path);
    expect([held(lock), held(lock), held(lock)]).toEqual([false, true, true]);
    expect([held(other), held(lock), held(lock)]).toEqual([false, false, true]);
    withFileLock(path, () => 1);
    expect([held(lock), held(lock)]).toEqual([false, true]);
    // Whoever waits and goes away again changes nothing, but cannot be told from one who did not wait in vain.
    appendFileSync(path, `${claim({ pid: dead() })}{"gone":"other"}\n`);
    expect([held(lock), held(lock)]).toEqual([false, true]);
  });

  test("hold detects a replaced file of the same length", () => {
    const path = place();
    const lock = kept(path);
    held(lock);
    held(lock);
    const { size } = statSync(path);
    truncateSync(path);
    appendFileSync(path, "x".repeat(size));
    expect([held(lock), held(lock)]).toEqual([false, true]);
  });

  test("hold waits for a process that has claimed the lock", () => {
    const path = place();
    const lock = kept(path);
    expect([held(lock), held(lock)]).toEqual([false, true]);
    appendFileSync(path, claim({ space: "another machine" }));
    const started = performance.now();
    expect(held(lock)).toBe(false);
    expect(performance.now() - started).toBeGreaterThan(1000);
  });

  test("hold keeps the lock file short", () => {
    const path = place();
    const lock = kept(path);
    let most = 0;
    const all: boolean[] = [];
    for (let n = 0; n < 500; n++) {
      all.push(held(lock));
      most = Math.max(most, statSync(path).size);
    }
    expect(most).toBeLessThan(10_000);
    expect(all.filter((isUndisturbed) => !isUndisturbed)).toHaveLength(1);
  });

  test("hold detects that the lock file was removed", async () => {
    const path = place();
    const lock = kept(path);
    expect([held(lock), held(lock)]).toEqual([false, true]);
    rmSync(path);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([held(lock), held(kept(path)), held(lock)]).toEqual([false, false, false]);
  });
});
