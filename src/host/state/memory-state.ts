import { OrcsError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import type { Clock, StateStore } from "../../core/ports.ts";

interface Slot {
  readonly value: Json;
  /** When a counter ends, on the engine's clock. */
  readonly until: number;
}

/** So many counts lie between two looks for counters that have ended. */
const SWEEP_EVERY = 1_024;

/** `orcs.state` in memory: shared by all hooks of an engine, kept over a reload. */
export function memoryState(clock: Clock): StateStore {
  const slots = new Map<string, Slot>();
  let counted = 0;
  /** Counters that nobody asks for again would stay for ever. */
  const sweep = (): void => {
    const now = clock.now();
    for (const [key, { until }] of slots) if (until <= now) slots.delete(key);
  };
  const live = (key: string): Slot | undefined => {
    const slot = slots.get(key);
    if (slot && slot.until <= clock.now()) {
      slots.delete(key);
      return undefined;
    }
    return slot;
  };
  return {
    get: (key) => live(key)?.value,
    set: (key, value) => void slots.set(key, { value, until: Infinity }),
    delete: (key) => live(key) !== undefined && slots.delete(key),
    incr(key, by, ttlMs) {
      if (++counted % SWEEP_EVERY === 0) sweep();
      const slot = live(key);
      const value = sumOf(key, slot?.value, by);
      const until = slot?.until ?? (ttlMs === undefined ? Infinity : clock.now() + ttlMs);
      slots.set(key, { value, until });
      return value;
    },
  };
}

/**
 * What a counter comes to.
 * @throws OrcsError ORCS4002 when something else stands under its key
 */
export function sumOf(key: string, before: Json | undefined, by: number): number {
  const held = before ?? 0;
  if (typeof held === "number") return held + by;
  throw new OrcsError("ORCS4002", `state ${JSON.stringify(key)} is not a number`, { key });
}
