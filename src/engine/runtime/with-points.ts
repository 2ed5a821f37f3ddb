import { type Clock, denialError, type PointName } from "../../core/index.ts";
import { invoke } from "../registry/index.ts";
import type { DispatchOptions, InvokeHost, InvokeShape } from "../registry/index.ts";

type Payload = Record<string, unknown>;
type Metadata = Readonly<Record<string, unknown>>;

/** The operations of the runtime, with their points. */
const POINTS = {
  "component.init": ["component.pre_init", "component.post_init"],
  "component.shutdown": ["component.pre_shutdown", "component.post_shutdown"],
  "request.dispatch": ["request.pre_dispatch", "request.post_dispatch"],
  "signal.dispatch": ["signal.pre_dispatch", "signal.post_dispatch"],
  "child.spawn": ["child.pre_spawn", "child.post_spawn"],
  "child.run": ["child.pre_run", "child.post_run"],
  "channel.create": ["channel.pre_create", "channel.post_create"],
  "channel.destroy": ["channel.pre_destroy", "channel.post_destroy"],
  "bus.broadcast": ["bus.pre_broadcast", "bus.post_broadcast"],
} as const satisfies Record<string, readonly [PointName, PointName]>;

type RuntimeOperation = keyof typeof POINTS;

/** How an operation is presented to its hooks, and when it is given up. */
interface Passage extends InvokeShape {
  /** Aborts when nobody waits any more: then it is neither started nor retried. */
  readonly giveUp?: (() => AbortSignal) | undefined;
  /** Longest delay of a retry, in milliseconds; default: as long as the hook asks for. */
  readonly longestDelayMs?: number | undefined;
}

/** The result of an operation between its hooks. */
export interface WithPoints {
  readonly result: unknown;
  /** The hook that skipped the operation. */
  readonly skippedBy?: string;
}

/**
 * Run an operation of the runtime between its pre and its post point. Without hooks, the operation runs directly: such
 * points cost a lookup.
 * @param operation gets the payload and the metadata as the pre hooks left them
 * @throws OrcsError ORCS2001 when a hook denied it; the reason of `giveUp`; what the operation throws
 */
export function withPoints(
  host: InvokeHost,
  name: RuntimeOperation,
  payload: Payload,
  operation: (payload: Payload, metadata: Metadata) => unknown,
  options: DispatchOptions,
  passage?: Passage,
): WithPoints | Promise<WithPoints> {
  if (!host.registry.isQuiet(POINTS[name], options.depth)) {
    return hooked(host, name, payload, operation, options, passage);
  }
  const result = operation(payload, options.metadata ?? NOTHING);
  if (result instanceof Promise) return result.then((value: unknown) => ({ result: value }));
  return { result };
}

async function hooked(
  ...[host, name, payload, operation, options, passage = {}]: Parameters<typeof withPoints>
): Promise<WithPoints> {
  const { registry, points, clock } = host;
  const { giveUp, longestDelayMs = Infinity } = passage;
  const closing = giveUp?.() ?? host.closing;
  const bounded: Clock = {
    now: () => clock.now(),
    sleep: (ms, signal) => clock.sleep(Math.min(ms, longestDelayMs), signal),
  };
  const outcome = await invoke(
    { registry, points, clock: bounded, closing },
    name,
    payload,
    (after, ctx) => operation(after, ctx.metadata),
    options,
    undefined,
    passage,
  );
  if (outcome.action === "abort") {
    if (giveUp && closing?.aborted) throw closing.reason;
    throw denialError(name, outcome, { operation: name });
  }
  if (outcome.action === "skip") return { result: outcome.result, skippedBy: outcome.hook };
  return { result: outcome.result };
}

const NOTHING: Metadata = {};
