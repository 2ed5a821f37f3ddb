import { equalJson, OrcsError } from "../../../core/index.ts";
import type { Clock, Json, LocalStateStore } from "../../../core/index.ts";

interface Slot {
  readonly value: Json;
  /** When a counter expires, on the engine's clock. */
  readonly until: number;
  /** Approximate size, including its key. */
  readonly bytes: number;
}

/** Limit for a whole store, in bytes: its content outlives the hooks, and their memory limits do not include it. */
export const MAX_STATE_BYTES = 64 * 2 ** 20;

/** Number of increments between two removals of expired counters. */
const SWEEP_EVERY = 1_024;

/** `orcs.state` in memory: shared by all hooks of an engine, and kept when it reloads. */
export function memoryState(clock: Clock, maxBytes = MAX_STATE_BYTES): LocalStateStore {
  const slots = new Map<string, Slot>();
  let counted = 0;
  let bytes = 0;
  const remove = (key: string): boolean => {
    bytes -= slots.get(key)?.bytes ?? 0;
    return slots.delete(key);
  };
  const put = (key: string, value: Json, until: number): void => {
    const size = key.length + sizeOf(value);
    const held = slots.get(key)?.bytes ?? 0;
    if (bytes - held + size > maxBytes) {
      sweep();
      if (bytes - (slots.get(key)?.bytes ?? 0) + size > maxBytes) throw stateFull(key, maxBytes);
    }
    remove(key);
    slots.set(key, { value, until, bytes: size });
    bytes += size;
  };
  /** A counter that is never read again would stay for ever. */
  const sweep = (): void => {
    const now = clock.now();
    for (const [key, { until }] of slots) if (until <= now) remove(key);
  };
  const live = (key: string): Slot | undefined => {
    const slot = slots.get(key);
    if (slot && slot.until <= clock.now()) {
      remove(key);
      return undefined;
    }
    return slot;
  };
  return {
    waits: false,
    get: (key) => live(key)?.value,
    set: (key, value) => put(key, value, Infinity),
    delete: (key) => live(key) !== undefined && remove(key),
    incr(key: string, by: number, ttlMs?: number, max?: number) {
      if (++counted % SWEEP_EVERY === 0) sweep();
      const slot = live(key);
      const value = sumOf(key, slot?.value, by);
      // A counter is limited upwards only: one that is above its limit can be lowered.
      if (max !== undefined && by > 0 && value > max) return undefined as never;
      const until = slot?.until ?? (ttlMs === undefined ? Infinity : clock.now() + ttlMs);
      put(key, value, until);
      return value;
    },
    compareAndSet(key, expected, value) {
      if (!isSameValue(live(key)?.value, expected)) return false;
      if (value === undefined) remove(key);
      else put(key, value, Infinity);
      return true;
    },
  };
}

/** Whether a key has the value that is expected; undefined: none. The order of keys does not count. */
export function isSameValue(held: Json | undefined, expected: Json | undefined): boolean {
  if (held === undefined || expected === undefined) return held === expected;
  return equalJson(held, expected);
}

function sizeOf(value: Json): number {
  if (typeof value === "string") return value.length;
  return typeof value === "object" ? JSON.stringify(value).length : 8;
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
export function sumOf(key: string, before: Json | undefined, by: number): number {
  const held = before ?? 0;
  if (typeof held === "number") return held + by;
  throw new OrcsError("ORCS4002", `state ${JSON.stringify(key)} is not a number`, { key });
}
