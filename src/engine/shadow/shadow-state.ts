import type { StateStore } from "../../core/ports.ts";
import type { Json } from "../../core/json.ts";
import { equalJson } from "../../core/json.ts";

/** What stands for a key that a shadow hook has deleted. */
const DELETED: Json = { "orcs:deleted": true };

/**
 * `orcs.state` as shadow hooks see it: what they write goes to a copy, and a key that none of them has written is as in
 * the real state.
 * @param own keeps what they write
 */
export function shadowState(real: StateStore, own: StateStore): StateStore {
  const isDeleted = (value: Json | undefined): boolean =>
    value !== undefined && equalJson(value, DELETED);
  const get = (key: string): Json | undefined => {
    const written = own.get(key);
    if (written === undefined) return real.get(key);
    return isDeleted(written) ? undefined : written;
  };
  return {
    get,
    set: (key, value) => own.set(key, value),
    delete(key) {
      const was = get(key) !== undefined;
      if (was) own.set(key, DELETED);
      return was;
    },
    incr(key, by, ttlMs) {
      const written = own.get(key);
      if (isDeleted(written)) own.delete(key);
      else if (written === undefined && ttlMs === undefined) {
        const value = real.get(key);
        if (value !== undefined) own.set(key, value);
      }
      // When a real counter expires is not known: one with a time to live begins anew.
      return own.incr(key, by, ttlMs);
    },
  };
}
