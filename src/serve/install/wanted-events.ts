import type { Hook } from "../../core/hook.ts";
import type { HostEvent, HostProtocol } from "../../protocols/host-protocol.ts";
import type { Fallback } from "./fallback.ts";
import { fallbackOf } from "./fallback.ts";

/** A hook point and the hooks on it. */
export interface UsedPoint {
  readonly point: string;
  /** Ids. */
  readonly hooks: readonly string[];
  /** The longest that one of them may take, in milliseconds. */
  readonly longestMs: number;
}

/** An event that hooks need. */
export interface NeededEvent {
  readonly event: string;
  /** After how many seconds the host is to go on without an answer. */
  readonly seconds: number;
}

/** An event that a host has to tell orcs of. */
export interface WantedEvent extends NeededEvent {
  /** Whether the host heeds a refusal at it. */
  readonly refusable: boolean;
  readonly fallback: Fallback;
}

type HostEvents = Readonly<Record<string, HostEvent>>;

/** What an entry says where nothing needs longer. */
const DEFAULT_SECONDS = 60;
/** What orcs itself may need besides the longest hook. */
const EXTRA_SECONDS = 5;

/** The events of a host that are of a point that some hook is on. */
export function neededEvents(used: readonly UsedPoint[], events: HostEvents): NeededEvent[] {
  return installable(events).flatMap(([event, row]) => {
    const use = used.find(({ point }) => point === row.point);
    return use ? [{ event, seconds: secondsFor(use.longestMs, row) }] : [];
  });
}

/** The points that no event of a host is of. */
export function pointsWithoutEvent(used: readonly UsedPoint[], events: HostEvents): UsedPoint[] {
  const rows = installable(events);
  return used.filter(({ point }) => !rows.some(([, row]) => row.point === point));
}

/** Events of which nobody knows how long their hooks take. */
export function defaultNeeds(names: readonly string[], events: HostEvents): NeededEvent[] {
  return installable(events).flatMap(([event, row]) =>
    names.includes(event) ? [{ event, seconds: secondsFor(0, row) }] : [],
  );
}

/** All that is needed, in the order of the host: each event once, with the longest time. */
export function mergedNeeds(needed: readonly NeededEvent[], events: HostEvents): NeededEvent[] {
  return installable(events).flatMap(([event]) => {
    const times = needed.filter((each) => each.event === event).map(({ seconds }) => seconds);
    return times.length > 0 ? [{ event, seconds: Math.max(...times) }] : [];
  });
}

/** The events that a host is to tell orcs of, each with what it is answered where orcs is gone. */
export function wantedEvents(
  needed: readonly NeededEvent[],
  events: HostEvents,
  protocol: HostProtocol,
): WantedEvent[] {
  return needed.flatMap(({ event, seconds }) => {
    const row = events[event];
    const { refusable = false } = row ?? {};
    return row ? [{ event, seconds, refusable, fallback: fallbackOf(protocol, event, row) }] : [];
  });
}

function installable(events: HostEvents): [string, HostEvent][] {
  return Object.entries(events).filter(([, { installed }]) => installed !== false);
}

/** Never longer than the host waits by itself: some end at that time whatever their settings say. */
function secondsFor(longestMs: number, { timeoutMs }: HostEvent): number {
  const needed = Math.max(DEFAULT_SECONDS, Math.ceil(longestMs / 1000) + EXTRA_SECONDS);
  return Math.max(1, Math.min(needed, Math.floor(timeoutMs / 1000)));
}

/** The points that hooks are on. */
export function pointsInUse(
  hooks: Iterable<Pick<Hook, "id" | "point" | "timeoutMs" | "async">>,
): UsedPoint[] {
  const points = new Map<string, UsedPoint>();
  for (const { id, point, timeoutMs, async } of hooks) {
    const { hooks: before = [], longestMs = 0 } = points.get(point.name) ?? {};
    points.set(point.name, {
      point: point.name,
      hooks: [...before, id],
      // Nobody waits for those that are asynchronous.
      longestMs: Math.max(longestMs, async ? 0 : timeoutMs),
    });
  }
  return [...points.values()];
}
