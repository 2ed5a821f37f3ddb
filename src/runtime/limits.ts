import { OrcsError } from "../core/errors.ts";
import { nearest } from "../core/nearest.ts";

/** Bounds of a runtime; times in milliseconds. */
export interface RuntimeLimits {
  /** Events and requests that may wait for one channel. */
  readonly mailbox: number;
  /** A request, event or run of a child that says nothing else. */
  readonly requestMs: number;
  /** Each of `init`, `restore`, `onSignal`, `shutdown` and `snapshot`. */
  readonly lifecycleMs: number;
  /** How long a channel that ends waits for the request it serves. */
  readonly graceMs: number;
  /** Children of one parent. */
  readonly children: number;
  /** Children of one component, theirs included: a tree of them would have no other bound. */
  readonly descendants: number;
  /** How deep children may be nested. */
  readonly childDepth: number;
  readonly channels: number;
}

export const DEFAULT_LIMITS: RuntimeLimits = {
  mailbox: 1024,
  requestMs: 30_000,
  lifecycleMs: 10_000,
  graceMs: 5000,
  children: 64,
  descendants: 1024,
  childDepth: 8,
  channels: 10_000,
};

/**
 * The limits with the defaults filled in.
 * @throws OrcsError ORCS1003 (unknown), ORCS1004 (no whole number from 1; graceMs: from 0)
 */
export function filledLimits(given: Partial<RuntimeLimits> = {}): RuntimeLimits {
  const filled: Record<keyof RuntimeLimits, number> = { ...DEFAULT_LIMITS };
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(filled, key)) {
      const meant = nearest(key, Object.keys(filled));
      const hint = meant === undefined ? "" : `, did you mean ${meant}?`;
      throw new OrcsError("ORCS1003", `a runtime has no limit ${key}${hint}`, { key });
    }
    // No wait for what is served is a grace, too.
    const least = key === "graceMs" ? 0 : 1;
    if (!Number.isSafeInteger(value) || value < least) {
      const why = `the limit ${key} of a runtime must be a whole number from ${least}`;
      throw new OrcsError("ORCS1004", why, { key });
    }
    filled[key as keyof RuntimeLimits] = value;
  }
  return filled;
}
