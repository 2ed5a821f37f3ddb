import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  appendToFile,
  makeFolder,
  moveFile,
  namesIn,
  textIfReadable,
  withFileLock,
} from "../../../../machine/index.ts";
import { readJson } from "../../../../core/index.ts";

/** An increment that the server has to count, or to take back, when it can be reached again. */
export interface PendingCount {
  /** Counted once, however often it is sent. */
  readonly id: string;
  readonly key: string;
  readonly by: number;
  readonly ttlMs?: number | undefined;
  /** When it was made, in milliseconds since 1970 on the clock of this machine. */
  readonly at: number;
  /** Its caller was told that it failed. */
  readonly retract?: true | undefined;
}

/** Increments that wait for the server. */
export interface PendingCounts {
  add(count: PendingCount): void;
  /** Take all of them. `done` says that they need not be kept any longer. */
  take(): { readonly counts: readonly PendingCount[]; done(): void } | undefined;
}

/** Number of increments that are kept in memory. */
const MOST = 100_000;
/** Size of the file from which on no more are kept. */
const MOST_BYTES = 32 * 2 ** 20;

/** Increments that end with this process. */
export function pendingInMemory(): PendingCounts {
  let counts: PendingCount[] = [];
  return {
    add(count) {
      if (counts.length < MOST) counts = [...counts, count];
    },
    take() {
      if (counts.length === 0) return undefined;
      const taken = counts;
      return { counts: taken, done: () => void (counts = counts.slice(taken.length)) };
    },
  };
}

const FILE = "pending-counts.jsonl";

/**
 * Increments in a file that the processes of a state directory share. Whoever reaches the server sends them; two that
 * send the same ones do no harm, as each id is counted once.
 */
export function pendingInFile(dir: string): PendingCounts {
  const file = join(dir, FILE);
  const taken = `${FILE}.taken`;
  const locked = <T>(run: () => T): T => {
    makeFolder(dir);
    return withFileLock(`${file}.lock`, run);
  };
  return {
    add(count) {
      locked(() => {
        if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MOST_BYTES) return;
        appendToFile(file, `${JSON.stringify(count)}\n`);
      });
    },
    take() {
      const files = namesIn(dir).filter((name) => name === FILE || name.startsWith(taken));
      if (files.length === 0) return undefined;
      const mine = locked(() =>
        // Those that another process has taken, too: it may have ended before it sent them.
        namesIn(dir).flatMap((name) => {
          if (name.startsWith(taken)) return [join(dir, name)];
          if (name !== FILE) return [];
          const aside = join(dir, `${taken}.${process.pid}.${Date.now()}`);
          moveFile(file, aside);
          return [aside];
        }),
      );
      const counts = mine.flatMap(countsIn);
      const done = (): void => {
        for (const each of mine) rmSync(each, { force: true });
      };
      return { counts, done };
    },
  };
}

function countsIn(file: string): PendingCount[] {
  return (textIfReadable(file) ?? "").split("\n").flatMap((line) => {
    const read = readJson(line);
    return read.ok && isCount(read.value) ? [read.value] : [];
  });
}

/** A line may be cut short by a full disk. */
function isCount(value: unknown): value is PendingCount {
  if (typeof value !== "object" || value === null) return false;
  const { id, key, by, at } = value as Partial<Record<keyof PendingCount, unknown>>;
  return (
    typeof id === "string" &&
    typeof key === "string" &&
    typeof by === "number" &&
    typeof at === "number"
  );
}
