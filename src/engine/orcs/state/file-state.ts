import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder, ownIdentity, withFileLock } from "../../../machine/index.ts";
import { messageOf, OrcsError } from "../../../core/index.ts";
import type { LocalStateStore, Logger } from "../../../core/index.ts";
import { isSameValue, MAX_STATE_BYTES, sumOf } from "./memory-state.ts";
import { StateLog } from "./state-log.ts";

/** `orcs.state` in a file. */
export interface FileState extends LocalStateStore {
  /** Delete all keys. */
  clear(): void;
  /** Close the file; a later operation opens it again. */
  close(): void;
}

/**
 * `orcs.state` in a file that several processes share: one JSON line per change. Each process reads on from where it
 * stopped. Each operation is atomic; a line that a crash cut short is skipped.
 * @param now milliseconds since 1970
 * @param maxBytes limit for all keys together
 * @throws OrcsError ORCS5002 from every operation when the file cannot be read or written
 */
export function fileState(
  file: string,
  logger: Logger,
  now = Date.now,
  maxBytes = MAX_STATE_BYTES,
): FileState {
  const log = new StateLog(file, logger, now, maxBytes);
  const self = ownIdentity();
  const coded = <T>(run: () => T): T => {
    try {
      return run();
    } catch (thrown) {
      if (thrown instanceof OrcsError) throw thrown;
      const why = `orcs.state cannot be stored in ${file}: ${messageOf(thrown)}`;
      throw new OrcsError("ORCS5002", why, { path: file }, { cause: thrown });
    }
  };
  const locked = <T>(run: () => T): T =>
    coded(() => {
      makeFolder(dirname(file));
      return withFileLock(`${file}.lock`, run, self);
    });
  return {
    waits: false,
    get: (key) => coded(() => log.at(key)?.value),
    set: (key, value) => locked(() => log.write(key, { value })),
    delete: (key) =>
      locked(() => {
        const held = log.at(key) !== undefined;
        if (held) log.write(key, {});
        return held;
      }),
    incr: (key: string, by: number, ttlMs?: number, max?: number) =>
      locked(() => {
        const slot = log.at(key);
        const value = sumOf(key, slot?.value, by);
        if (max !== undefined && by > 0 && value > max) return undefined as never;
        const until = slot || ttlMs === undefined ? slot?.until : now() + ttlMs;
        log.write(key, { value, ...(until !== undefined && { until }) });
        return value;
      }),
    compareAndSet: (key, expected, value) =>
      locked(() => {
        if (!isSameValue(log.at(key)?.value, expected)) return false;
        if (value !== undefined || expected !== undefined) {
          log.write(key, value === undefined ? {} : { value });
        }
        return true;
      }),
    clear: () =>
      locked(() => {
        log.close();
        rmSync(file, { force: true });
      }),
    close: () => log.close(),
  };
}
