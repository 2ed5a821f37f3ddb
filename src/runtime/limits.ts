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
