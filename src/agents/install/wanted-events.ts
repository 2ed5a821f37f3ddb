import type { AgentName, Hook } from "../../core/index.ts";
import { HOSTS, type HostEvent, type HostProtocol } from "../../formats/index.ts";
import { fallbackOf, type Fallback } from "./fallback.ts";

/** A hook point and its hooks. */
export interface UsedPoint {
  readonly point: string;
  /** Ids. */
  readonly hooks: readonly string[];
  /** The longest timeout of its hooks, in milliseconds. */
  readonly longestMs: number;
}

/** An event that hooks need. */
export interface NeededEvent {
  readonly event: string;
  /** How long its hooks may take, in seconds. */
  readonly seconds: number;
}

/** An event that an agent must send to orcs. */
export interface WantedEvent {
  readonly event: string;
  /** The timeout for the agent, in seconds. */
  readonly seconds: number;
  /** Whether the agent lets hooks deny it. */
  readonly refusable: boolean;
  readonly fallback: Fallback;
}

type HostEvents = Readonly<Record<string, HostEvent>>;

/**
 * The timeout of an entry where the agent's settings decide alone: as long as Claude Code and Codex wait by default.
 * What is shorter is `longestMs` of an event. Hooks have limits of their own, so that one that hangs is ended much
 * earlier.
 */
export const ENTRY_SECONDS = 600;
/** Time for orcs itself, in addition to the longest hook. */
const EXTRA_SECONDS = 5;

/** The events of an agent whose point has a hook. */
export function neededEvents(used: readonly UsedPoint[], events: HostEvents): NeededEvent[] {
  return installable(events).flatMap(([event, row]) => {
    const use = used.find(({ point }) => point === row.point);
    return use ? [{ event, seconds: secondsFor(use.longestMs, row) }] : [];
  });
}

/** The points for which an agent has no event. */
export function pointsWithoutEvent(used: readonly UsedPoint[], events: HostEvents): UsedPoint[] {
  const rows = installable(events);
  return used.filter(({ point }) => !rows.some(([, row]) => row.point === point));
}

/** The note about hooks at a point that an agent has no event for. */
export function unmatchedPointNote({ point, hooks }: UsedPoint, agent: AgentName): string {
  const shown =
    hooks.length > 3
      ? `${hooks.slice(0, 3).join(", ")} and ${hooks.length - 3} more`
      : hooks.join(", ");
  return `${agent} has no event for ${point}: ${shown} will not run there`;
}

/** Needs of events whose hooks are unknown. */
export function defaultNeeds(names: readonly string[], events: HostEvents): NeededEvent[] {
  return installable(events).flatMap(([event, row]) =>
    names.includes(event) ? [{ event, seconds: secondsFor(0, row) }] : [],
  );
}

/**
 * The need of the event at which the user is shown notices, if none of these events can show one: an agent that only
 * logs what hooks print before a call would otherwise not tell that hooks are inactive.
 */
export function noticeNeeds(
  needed: readonly NeededEvent[],
  protocol: HostProtocol,
  events: HostEvents,
): NeededEvent[] {
  const { noticeEvent, noticeDenies } = HOSTS[protocol.name];
  const isShown = needed.some(
    ({ event }) =>
      event === noticeEvent ||
      !(noticeDenies || ["stderr", "none"].includes(protocol.noticeAt(event))),
  );
  return isShown || needed.length === 0 ? [] : defaultNeeds([noticeEvent], events);
}

/** The union of needs, in the order of the agent: each event once, with the longest time. */
export function mergedNeeds(needed: readonly NeededEvent[], events: HostEvents): NeededEvent[] {
  return installable(events).flatMap(([event]) => {
    const times = needed.filter((each) => each.event === event).map(({ seconds }) => seconds);
    return times.length > 0 ? [{ event, seconds: Math.max(...times) }] : [];
  });
}

/** The events to install, each with its fallback. @param hint as of `fallbackOf` */
export function wantedEvents(
  needed: readonly NeededEvent[],
  events: HostEvents,
  protocol: HostProtocol,
  hint?: string,
): WantedEvent[] {
  return needed.flatMap(({ event, seconds }) => {
    const row = events[event];
    if (!row) return [];
    const fallback = fallbackOf(protocol, event, row, hint);
    const timeout = allowed(Math.max(seconds, ENTRY_SECONDS), row);
    return [{ event, seconds: timeout, refusable: row.refusable, fallback }];
  });
}

function installable(events: HostEvents): [string, HostEvent][] {
  return Object.entries(events).filter(([, { installed }]) => installed !== false);
}

/** What a hook and orcs itself need. */
function secondsFor(hookMs: number, row: HostEvent): number {
  return allowed(Math.ceil(hookMs / 1000) + EXTRA_SECONDS, row);
}

/** Never longer than an agent waits whatever its settings state: it would continue before orcs denies. */
export function allowed(seconds: number, { longestMs = Infinity }: HostEvent): number {
  return Math.max(1, Math.min(seconds, Math.floor(longestMs / 1000)));
}

/** The points of hooks. */
export function pointsInUse(
  hooks: Iterable<Pick<Hook, "id" | "point" | "timeoutMs" | "async" | "runner">>,
): UsedPoint[] {
  const points = new Map<string, UsedPoint>();
  const use = (point: string, id: string, ms: number): void => {
    const { hooks: before = [], longestMs = 0 } = points.get(point) ?? {};
    points.set(point, { point, hooks: [...before, id], longestMs: Math.max(longestMs, ms) });
  };
  for (const { id, point, timeoutMs, async, runner } of hooks) {
    // Nobody waits for asynchronous hooks.
    use(point.name, id, async ? 0 : timeoutMs);
    // What it leaves in the background ends with the session.
    if (runner.leavesProcesses === true && point.name !== "session.on_end") {
      use("session.on_end", id, 0);
    }
  }
  return [...points.values()];
}
