import { equalJson, type Json, type LocalStateStore, OrcsError } from "../../../core/index.ts";

/** Limit for a whole store, in bytes: its content outlives the hooks, and their memory limits do not include it. */
export const MAX_STATE_BYTES = 64 * 2 ** 20;

/** The content of a key; without a value it was deleted. */
export interface StateSlot {
  readonly value?: Json;
  /** When a counter expires, on the clock of its store, in milliseconds. */
  readonly until?: number;
}

/** Where a store keeps its keys. */
interface StateSlots {
  /** Undefined for a key without a value, and for a counter that has expired. */
  readonly at: (key: string) => StateSlot | undefined;
  /** @throws OrcsError ORCS4002 when the store is full */
  readonly write: (key: string, slot: StateSlot) => void;
  readonly now: () => number;
  /** Run an operation in which nobody else writes. */
  readonly atomic: <T>(run: () => T) => T;
}

/** `orcs.state` on this machine. */
export function storeOf({ at, write, now, atomic }: StateSlots): LocalStateStore {
  return {
    waits: false,
    get: (key) => at(key)?.value,
    set: (key, value) => atomic(() => write(key, { value })),
    delete: (key) =>
      atomic(() => {
        const isHeld = at(key) !== undefined;
        if (isHeld) write(key, {});
        return isHeld;
      }),
    incr: (key: string, by: number, ttlMs?: number, max?: number) =>
      atomic(() => {
        const slot = at(key);
        const value = sumOf(key, slot?.value, by);
        // A counter is limited upwards only: one that is above its limit can be lowered.
        if (max !== undefined && by > 0 && value > max) return undefined as never;
        const until = slot || ttlMs === undefined ? slot?.until : now() + ttlMs;
        write(key, { value, ...(until !== undefined && { until }) });
        return value;
      }),
    compareAndSet: (key, expected, value) =>
      atomic(() => {
        if (!isSameValue(at(key)?.value, expected)) return false;
        if (value !== undefined) write(key, { value });
        else if (expected !== undefined) write(key, {});
        return true;
      }),
  };
}

/** Whether a key has the value that is expected; undefined: none. The order of keys does not count. */
export function isSameValue(held: Json | undefined, expected: Json | undefined): boolean {
  if (held === undefined || expected === undefined) return held === expected;
  return equalJson(held, expected);
}

/** The error of a full store. Nothing was changed. */
export function stateFull(key: string, maxBytes: number): OrcsError {
  const why = `state ${JSON.stringify(key)} cannot be set: the limit of ${maxBytes / 2 ** 20} MB in total is exceeded; delete keys`;
  return new OrcsError("ORCS4002", why, { key });
}

/**
 * The new value of a counter.
 * @throws OrcsError ORCS4002 when the key holds something that is not a counter
 */
function sumOf(key: string, before: Json | undefined, by: number): number {
  const held = before ?? 0;
  if (typeof held === "number") return held + by;
  throw new OrcsError("ORCS4002", `state ${JSON.stringify(key)} is not a number`, { key });
}
