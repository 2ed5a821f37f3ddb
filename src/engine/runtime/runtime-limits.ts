import { OrcsError, suggestion } from "../../core/index.ts";

/** Limits of a runtime; times in milliseconds. */
export interface RuntimeLimits {
  /** Capacity of a channel's mailbox. */
  readonly mailbox: number;
  /** Default time limit of a request, an event or a child's run. */
  readonly requestMs: number;
  /** Time limit of each of `init`, `restore`, `onSignal`, `shutdown` and `snapshot`. */
  readonly lifecycleMs: number;
  /** How long an ending channel waits for the request that it is serving. */
  readonly graceMs: number;
  /** Children of one parent. */
  readonly children: number;
  /** Children of one component, including nested ones; without it, a tree of children would be unbounded. */
  readonly descendants: number;
  /** Maximum nesting of children. */
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
 * The limits with defaults.
 * @throws OrcsError ORCS1003 (unknown), ORCS1004 (not a whole number from 1; graceMs: from 0)
 */
export function filledLimits(given: Partial<RuntimeLimits> = {}): RuntimeLimits {
  const filled: Record<keyof RuntimeLimits, number> = { ...DEFAULT_LIMITS };
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(filled, key)) {
      const hint = suggestion(key, Object.keys(filled));
      throw new OrcsError("ORCS1003", `a runtime has no limit ${key}${hint}`, { key });
    }
    // A grace of 0 is valid.
    const least = key === "graceMs" ? 0 : 1;
    if (!Number.isSafeInteger(value) || value < least) {
      const why = `the runtime limit ${key} must be an integer >= ${least}`;
      throw new OrcsError("ORCS1004", why, { key });
    }
    filled[key as keyof RuntimeLimits] = value;
  }
  return filled;
}
