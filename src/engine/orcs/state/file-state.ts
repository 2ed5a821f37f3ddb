import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder, ownIdentity, withFileLock } from "../../../machine/index.ts";
import { type LocalStateStore, type Logger, messageOf, OrcsError } from "../../../core/index.ts";
import { MAX_STATE_BYTES, storeOf } from "./local-store.ts";
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
  const at = (key: string) => coded(() => log.at(key));
  return {
    ...storeOf({ at, write: (key, slot) => log.write(key, slot), now, atomic: locked }),
    clear: () =>
      locked(() => {
        log.close();
        rmSync(file, { force: true });
      }),
    close: () => log.close(),
  };
}
