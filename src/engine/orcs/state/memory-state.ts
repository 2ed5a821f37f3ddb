import type { Clock, Json, LocalStateStore } from "../../../core/index.ts";
import { MAX_STATE_BYTES, stateFull, type StateSlot, storeOf } from "./local-store.ts";

interface Slot extends StateSlot {
  /** Approximate size, including its key. */
  readonly bytes: number;
}

/** Number of writes between two removals of expired counters. */
const SWEEP_EVERY = 1_024;

/** `orcs.state` in memory: shared by all hooks of an engine, and kept when it reloads. */
export function memoryState(clock: Clock, maxBytes = MAX_STATE_BYTES): LocalStateStore {
  const slots = new Map<string, Slot>();
  let written = 0;
  let bytes = 0;
  const remove = (key: string): void => {
    bytes -= slots.get(key)?.bytes ?? 0;
    slots.delete(key);
  };
  const isOver = ({ until }: Slot): boolean => until !== undefined && until <= clock.now();
  /** A counter that is never read again would stay for ever. */
  const sweep = (): void => {
    for (const [key, slot] of slots) if (isOver(slot)) remove(key);
  };
  const at = (key: string): Slot | undefined => {
    const slot = slots.get(key);
    if (!slot || !isOver(slot)) return slot;
    remove(key);
    return undefined;
  };
  const write = (key: string, slot: StateSlot): void => {
    if (slot.value === undefined) return remove(key);
    if (++written % SWEEP_EVERY === 0) sweep();
    const size = key.length + sizeOf(slot.value);
    const after = (): number => bytes - (slots.get(key)?.bytes ?? 0) + size;
    if (after() > maxBytes) sweep();
    if (after() > maxBytes) throw stateFull(key, maxBytes);
    remove(key);
    slots.set(key, { ...slot, bytes: size });
    bytes += size;
  };
  return storeOf({ at, write, now: () => clock.now(), atomic: (run) => run() });
}

function sizeOf(value: Json): number {
  if (typeof value === "string") return value.length;
  return typeof value === "object" ? JSON.stringify(value).length : 8;
}
