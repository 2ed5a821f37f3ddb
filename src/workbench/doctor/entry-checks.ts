import { AGENT_TOOLS, type Hook, type HostName, orUndefined } from "../../core/index.ts";
import { agentNames, type HostEvent, HOSTS, type TranslatedMatcher } from "../../formats/index.ts";
import { DEFAULT_TIMEOUT_MS } from "../../daemon/index.ts";
import { type NeededEvent, translateMatcher } from "../../agents/index.ts";
import { toolMatcher } from "../../matching/index.ts";
import { type EntryReport, type Finding, note, problem } from "./report.ts";
import type { FoundEntry } from "./settings-checks.ts";

export const SYNC = "orcs install --sync";

/** The context in which an entry is checked. */
export interface EntryContext {
  readonly host: HostName;
  readonly events: Readonly<Record<string, HostEvent>>;
  /** The hooks that the entry runs, at all points. */
  readonly hooks?: readonly Hook[] | undefined;
  /** What hooks need, here and in other places that share the entry; undefined when unknown. */
  readonly needed: readonly NeededEvent[] | undefined;
  /** The command that corrects entries. Default: the one for a user's own. */
  readonly fix?: string;
}

/** Check an entry as written. */
export function checkEntry(
  entry: FoundEntry,
  { host, events, hooks = [], needed, fix = SYNC }: EntryContext,
): Omit<EntryReport, "tried" | "works"> {
  const { event, command } = entry;
  const row = Object.hasOwn(events, event) ? events[event] : undefined;
  const need = needed?.find((each) => each.event === event);
  const { timeout } = entry.entry;
  const timeout_s = typeof timeout === "number" ? timeout / HOSTS[host].perSecond : null;
  const { failClosed } = HOSTS[host];
  const fail_closed =
    failClosed === undefined || row?.refusable !== true
      ? null
      : Object.entries(failClosed).every(([key, value]) => entry.entry[key] === value);
  const isIdle = needed !== undefined && need === undefined && !isSessionEvent(entry, host);
  const open = `it does not fail closed: without ${JSON.stringify(failClosed)?.slice(1, -1)}, a failure allows everything`;
  return {
    event,
    command,
    timeout_s,
    fail_closed,
    findings: [
      ...eventFindings(event, row, isIdle, fix),
      ...timeFindings(entry, timeout_s, need, row, fix),
      ...(fail_closed === false ? [problem(open, fix)] : []),
      ...keyFindings(entry, row),
      ...matcherFindings(entry, host, row, hooks),
    ],
  };
}

/**
 * Whether an event is sent to orcs independently of hooks: changed settings, and events that begin and end sessions.
 */
function isSessionEvent({ event, http }: FoundEntry, host: HostName): boolean {
  const { http: way, settingsReload } = HOSTS[host];
  return (
    event === settingsReload.event ||
    (http === true && way !== undefined && [...way.begins, way.changes, way.ends].includes(event))
  );
}

function eventFindings(
  event: string,
  row: HostEvent | undefined,
  isIdle: boolean,
  fix: string,
): Finding[] {
  if (row === undefined) {
    return [note(`the agent has no known event ${event}: its hook point is host.pre_event`)];
  }
  const harmful = `an entry at ${event} is harmful: the agent then leaves the operation to the command`;
  if (row.installed === false) return [problem(harmful, fix)];
  const idle = "no hook is on this event: the entry costs a process per event and does nothing";
  return isIdle ? [problem(idle, fix)] : [];
}

function timeFindings(
  { command }: FoundEntry,
  stated: number | null,
  need: NeededEvent | undefined,
  row: HostEvent | undefined,
  fix: string,
): Finding[] {
  const host = stated ?? (row ? row.timeoutMs / 1000 : undefined);
  if (host === undefined) return [];
  const [, written] = /[\s?](?:--)?timeout[\s=]+([\d.]+)/.exec(command) ?? [];
  const own = Number(written ?? DEFAULT_TIMEOUT_MS / 1000);
  const short = `its timeout of ${host} s is less than the ${need?.seconds} s that hooks may take`;
  if (need && need.seconds > host) return [problem(short, fix)];
  const late = `the agent stops waiting after ${host} s, but orcs only after ${own} s`;
  return own > host ? [problem(late, fix)] : [];
}

const isTrue = (value: unknown): boolean => value === true;

/** Keys of an entry with which calls pass unchecked. */
const KEY_PROBLEMS: readonly (readonly [string, is: (value: unknown) => boolean, string])[] = [
  ["async", isTrue, "it is async: the agent does not wait for its response"],
  ["asyncRewake", isTrue, "it is async: the agent does not wait for it"],
  ["once", isTrue, "it runs once: later events pass unchecked"],
  ["type", (type = "command") => type !== "command" && type !== "http", "it is not a command"],
];

function keyFindings({ entry, isOff }: FoundEntry, row: HostEvent | undefined): Finding[] {
  const byKey = KEY_PROBLEMS.flatMap(([key, is, text]) => (is(entry[key]) ? problem(text) : []));
  const { if: condition } = entry;
  const conditional = `it runs only if ${JSON.stringify(condition)}: what else happens passes unchecked`;
  return [
    ...(isOff ? [problem("it is disabled by its settings file")] : []),
    ...(condition === undefined
      ? []
      : [row?.refusable ? problem(conditional, "remove `if`") : note(conditional)]),
    ...byKey,
  ];
}

/** A matcher that leaves out calls for which hooks are. */
function matcherFindings(
  { event, matcher }: FoundEntry,
  host: HostName,
  row: HostEvent | undefined,
  hooks: readonly Hook[],
): Finding[] {
  if (row === undefined || matcher === undefined || matcher === "" || matcher === "*") return [];
  const covers = coveredBy(translateMatcher(host, event, row.point, matcher));
  const missed = hooks.filter(
    (hook) => hook.point.name === row.point && !namesOf(hook, host).every(covers),
  );
  const text = `it runs only where ${JSON.stringify(matcher)} matches`;
  if (missed.length === 0 || !row.refusable) return [note(text)];
  const ids = missed.map(({ id }) => id).join(", ");
  return [problem(`${text}, and other calls pass ${ids} unchecked`, 'set the matcher to "*"')];
}

function coveredBy(read: TranslatedMatcher): (name: string) => boolean {
  // What orcs cannot read covers nothing for certain.
  return ("match" in read && orUndefined(() => toolMatcher(read.match))) || (() => false);
}

/** The names with which an agent calls the tools of a hook; one that no agent has for a hook of any tool. */
function namesOf({ matcher }: Hook, host: HostName): readonly string[] {
  return (matcher?.tools ?? ["*"]).flatMap((tool) => {
    const names = agentNames(AGENT_TOOLS[host], tool);
    return names.length > 0 ? names : [tool];
  });
}
