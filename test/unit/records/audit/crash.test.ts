import * as fs from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import type { LogLock } from "../../../../src/records/audit/audit-log.ts";
import { verifyLog } from "../../../../src/records/audit/verify-log.ts";
import { folder, logIn, namesIn } from "./logs.ts";

/** Calls of the file system that are still answered; then the process is as good as dead. */
const life = vi.hoisted(() => ({ calls: Infinity, wasHalf: false }));

vi.mock("node:fs", async (original) => {
  const real = await original<typeof import("node:fs")>();
  const mortal =
    (name: string, run: (...args: never[]) => unknown) =>
    (...args: never[]): unknown => {
      if (life.calls-- > 0) return run(...args);
      if (name === "writeSync" && life.calls === -1) {
        // It dies within: a part is written.
        const [fd, bytes] = args as unknown as [number, Uint8Array | string];
        const whole = Buffer.from(bytes);
        real.writeSync(fd, whole.subarray(0, Math.floor(whole.length / 2)));
        life.wasHalf = true;
      }
      throw new Error("killed");
    };
  const changing = [
    "openSync",
    "writeSync",
    "ftruncateSync",
    "renameSync",
    "unlinkSync",
    "fdatasyncSync",
    "fsyncSync",
    "mkdirSync",
    "closeSync",
  ] as const;
  return {
    ...real,
    ...Object.fromEntries(changing.map((name) => [name, mortal(name, real[name] as never)])),
  };
});

beforeEach(() => {
  life.calls = Infinity;
  life.wasHalf = false;
});

test.each(["never", "always"] as const)(
  "after a crash at any file system call during rotation, fsync %s: acknowledged entries exist, the chain continues",
  async (fsync) => {
    let halves = 0;
    let asides = 0;
    for (let calls = 0; ; calls++) {
      const dir = folder();
      const options = {
        maxBytes: 900,
        keepBytes: 3600,
        fsync,
        lock: ownLock,
      };
      const log = logIn(dir, options);
      const answered: number[] = [];
      life.calls = calls;
      for (let n = 0; n < 12; n++) {
        const isThere = await log.append({ n }).then(
          () => true,
          () => false,
        );
        if (isThere) answered.push(n);
      }
      const isOver = life.calls > 0;
      life.calls = Infinity;
      if (life.wasHalf) halves++;
      life.wasHalf = false;
      const before = fs.existsSync(dir) ? verifyLog(dir) : undefined;
      expect([calls, before?.damage ?? []]).toEqual([calls, []]);
      const next = logIn(dir, options);
      for (const n of [100, 101]) await next.append({ n });
      expect([calls, verifyLog(dir).damage]).toEqual([calls, []]);
      const kept = present(dir);
      // Those of files that were removed for their age are gone.
      const first = kept.find((n) => n < 100) ?? 100;
      expect([calls, kept.filter((n) => n < 100)]).toEqual([
        calls,
        answered.filter((n) => n >= first),
      ]);
      expect(kept.slice(-2)).toEqual([100, 101]);
      asides = Math.max(asides, namesIn(dir).length);
      if (isOver) break;
    }
    expect([halves > 8, asides]).toEqual([true, 4]);
  },
);

/** Nobody else writes: what it was told about others before holds still. */
function ownLock(): LogLock {
  let wasHeld = false;
  return {
    hold(run) {
      const isUndisturbed = wasHeld;
      wasHeld = true;
      return run(isUndisturbed);
    },
    close: () => undefined,
  };
}

/** The entries of whole lines, as far as they are the test's own. */
function present(dir: string): number[] {
  return namesIn(dir)
    .flatMap((name) => fs.readFileSync(join(dir, name), "utf8").split("\n").slice(0, -1))
    .flatMap((line) => {
      try {
        const { n } = JSON.parse(line) as { n?: number };
        return n ?? [];
      } catch {
        return [];
      }
    });
}
