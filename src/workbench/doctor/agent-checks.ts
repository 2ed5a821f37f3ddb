import { AGENT_TOOLS, HOST_NAMES, compileFql, orUndefined, parseFql } from "../../core/index.ts";
import type { AgentName, Hook, HostName } from "../../core/index.ts";
import { programOnPath, userFolders, type UserFolders } from "../../machine/index.ts";
import { HOSTS, agentNames } from "../../formats/index.ts";
import type { HostEvent, HostProtocol, TranslatedMatcher } from "../../formats/index.ts";
import {
  defaultNeeds,
  installationStatus,
  isDeniedWithoutOrcs,
  lostInstallationText,
  lostInstallations,
  mergedNeeds,
  neededEvents,
  noticeNeeds,
  pointsInUse,
  pointsWithoutEvent,
  translateMatcher,
} from "../../agents/index.ts";
import type { InstallContext, NeededEvent } from "../../agents/index.ts";
import type { CheckedConfiguration } from "./configuration-checks.ts";
import type { EntryProbes } from "./entry-probes.ts";
import { note, problem } from "./report.ts";
import type { EntryReport, Finding, HostReport, IdleHook, SettingsReport } from "./report.ts";
import { type FoundEntry, type FoundSettings, checkSettings } from "./settings-checks.ts";
import { DEFAULT_TIMEOUT_MS } from "../../daemon/index.ts";
import { toolMatcher } from "../../matching/index.ts";

/** An agent whose settings are checked. */
interface AgentContext {
  readonly protocol: HostProtocol;
  /** Its settings files. */
  readonly files: readonly FoundSettings[];
  /** Files with entries above the project, which the agent does not read when started here. */
  readonly above: readonly string[];
  /** The configuration that is used here. */
  readonly here: CheckedConfiguration;
  /** The configuration that an entry uses. */
  readonly configurationOf: (entry: Pick<FoundEntry, "config">) => CheckedConfiguration;
  readonly trials: EntryProbes;
  /** Whether it was named with `--host`. */
  readonly isNamed: boolean;
  /** The `PATH` on which programs are searched. */
  readonly path: string | undefined;
}

/** Check one agent. @param host its name */
export async function checkAgent(
  host: FoundSettings["host"],
  around: AgentContext,
): Promise<HostReport> {
  const { files, path } = around;
  const { events } = around.protocol;
  const entries = files.flatMap((file) => file.entries);
  const settings: SettingsReport[] = [];
  for (const file of files) settings.push(await checkFile(file, around));
  const used = new Set(entries.map((entry) => around.configurationOf(entry)));
  const isOff = files.some((file) => file.switch !== undefined);
  const { machine, next, hasChildren, program } = HOSTS[host];
  const stays = machine?.ignoresSwitches === true;
  const covered = new Set(
    settings
      .filter(({ scope }) => !isOff || (stays && scope === "machine"))
      .flatMap(({ entries: all }) => all.flatMap(({ event, works }) => (works ? event : []))),
  );
  const hooks = [...used].flatMap((each) => each.hooks ?? []);
  const idle = idleHooks(hooks, { host, hasChildren, events, covered });
  return {
    host,
    program: programOnPath(program, path) ?? null,
    settings,
    hooks: hooks.length - idle.length,
    idle,
    findings: [
      ...aboveFindings(host, around),
      ...(entries.length === 0
        ? notInstalled(host, around)
        : [
            ...switchFindings(files, stays),
            ...missingFindings(host, around, entries),
            ...duplicateFindings(files),
            ...(next !== undefined && files.some(isOwn) ? [note(next)] : []),
          ]),
    ],
  };
}

function aboveFindings(host: FoundSettings["host"], { above, files }: AgentContext): Finding[] {
  const { label } = HOSTS[host];
  const isEverywhere = files.some(
    ({ scope, entries }) => scope !== "project" && entries.length > 0,
  );
  return above.map((path) => {
    const text = `${label} does not read ${path} when it is started here, only when it is started in the folder of that file`;
    const hint = `start it there, or: orcs install --host ${host} --user`;
    return (isEverywhere ? note : problem)(text, hint);
  });
}

/** Findings about entries of another machine, or with a lost state. */
async function installationFindings({ host, entries }: FoundSettings): Promise<Finding[]> {
  const findings: Finding[] = [];
  const seen = new Set<string>();
  for (const { id, folders } of entries) {
    if (id === undefined || !folders || seen.has(id)) continue;
    seen.add(id);
    const standing = await installationStatus(id, folders);
    if (standing === "lost")
      findings.push(problem(lostInstallationText(folders.state), "orcs doctor --repair"));
    if (standing === "elsewhere") {
      const text =
        "the entries were installed on another machine; on this machine, orcs was not installed for this agent";
      findings.push(problem(text, `orcs install --host ${host}`));
    }
    const here = userFolders();
    if (folders.config !== here.config || folders.state !== here.state) {
      const text = `the entries use ${folders.config} and ${folders.state}, but this shell uses ${here.config} and ${here.state}`;
      findings.push(note(text));
    }
  }
  return findings;
}

async function checkFile(file: FoundSettings, around: AgentContext): Promise<SettingsReport> {
  const { host, path, scope, exists, others } = file;
  const findings = [
    ...file.findings,
    ...(await installationFindings(file)),
    ...(await around.trials.programs(file)),
  ];
  const entries: EntryReport[] = [];
  for (const entry of file.entries) {
    const needed = neededOf(entry, file, around);
    // One at which no hook is starts the same program as the others: what is wrong with that is said once.
    const isExtra = needed?.some(({ event }) => event === entry.event) !== true && !entry.http;
    const { event } = HOSTS[host].settingsReload;
    if (isExtra && event === entry.event && file.entries.length > 1) continue;
    const fix = scope === "machine" ? `orcs install --host ${host} --machine` : SYNC;
    const { hooks } = around.configurationOf(entry);
    const looked = checkEntry(entry, { host, events: around.protocol.events, hooks, needed, fix });
    const seconds =
      looked.timeout_s ?? (around.protocol.events[entry.event]?.timeoutMs ?? 60_000) / 1000;
    const row = around.protocol.events[entry.event];
    const denies = row !== undefined && isDeniedWithoutOrcs(row);
    const trial = await around.trials.entry(entry, file, seconds, denies);
    const works = trial.works && !entry.isOff;
    entries.push({ ...looked, ...trial, works, findings: [...looked.findings, ...trial.findings] });
  }
  return { path, scope, exists, entries, others, findings };
}

/** What the hooks of an entry need, here and elsewhere; undefined when a configuration does not load. */
function neededOf(
  entry: FoundEntry,
  { scope, record, entries, isPlugin }: FoundSettings,
  { protocol, configurationOf }: AgentContext,
): readonly NeededEvent[] | undefined {
  if (isPlugin) return undefined;
  const { events } = protocol;
  const { used, report, isHeld } = configurationOf(entry);
  if (!used || isHeld) return undefined;
  const here = neededEvents(used, events);
  if (scope === "project" || entry.config !== undefined) {
    return [...here, ...noticeNeeds(here, protocol, events)];
  }
  // The user's own settings serve other projects as well, and those of the machine other users.
  const elsewhere =
    record && scope === "user"
      ? record.uses.filter(({ config }) => config !== report.file).flatMap((use) => use.events)
      : defaultNeeds(
          entries.map(({ event }) => event),
          events,
        );
  const needed = [...here, ...elsewhere];
  return mergedNeeds([...needed, ...noticeNeeds(needed, protocol, events)], events);
}

/** @param stays whether the hooks of the machine run nevertheless */
function switchFindings(files: readonly FoundSettings[], stays: boolean): Finding[] {
  const isAll = !stays || files.some(isOwn);
  return files.flatMap(({ switch: setting, path }) => {
    if (setting === undefined || !isAll) return [];
    const what = stays ? "only the hooks of this machine" : "no hooks";
    return [problem(`${setting} in ${path}: the agent runs ${what}`, "remove it")];
  });
}

/** Whether settings have entries that the user can change. */
function isOwn({ scope, entries }: FoundSettings): boolean {
  return scope !== "machine" && entries.length > 0;
}

function missingFindings(
  host: FoundSettings["host"],
  { here, protocol, files, configurationOf }: AgentContext,
  entries: readonly FoundEntry[],
): Finding[] {
  const covered = new Set(
    entries.flatMap((entry) => {
      const used = configurationOf(entry);
      const { file } = used.report;
      // The same file can be named by an entry and be discovered.
      const isSame = used === here || (file !== null && file === here.report.file);
      return isSame ? [entry.event] : [];
    }),
  );
  if (covered.size === 0) {
    const file = here.report.file ?? "the configuration discovered here";
    return [problem(`no entry uses ${file}; the entries use another configuration`)];
  }
  const hasMachine = files.some(({ scope, entries: own }) => scope === "machine" && own.length > 0);
  const { events } = protocol;
  const needed = neededEvents(here.used ?? [], events);
  const told = noticeNeeds(needed, protocol, events);
  return [...needed, ...told].flatMap(({ event }) => {
    if (covered.has(event)) return [];
    if (told.some((each) => each.event === event)) {
      const what = `no entry at ${event}: without one, the agent's user is not told when hooks are inactive`;
      return [problem(what, SYNC)];
    }
    const on = here.used?.find(({ point }) => point === events[event]?.point)?.hooks ?? [];
    const isOfMachine = here.hooks?.some(({ id, rank }) => on.includes(id) && rank < 0) === true;
    const fix = isOfMachine && hasMachine ? `sudo orcs install --machine --host ${host}` : SYNC;
    return [problem(`no entry at ${event}, where ${on.join(", ")} should run`, fix)];
  });
}

/** Entries for one event in two files: both run, and stateful hooks count twice. */
function duplicateFindings(files: readonly FoundSettings[]): Finding[] {
  const places = new Map<string, string[]>();
  for (const { entries, path } of files) {
    for (const { event } of entries) places.set(event, [...(places.get(event) ?? []), path]);
  }
  const plugin = files.some(({ isPlugin }) => isPlugin);
  const ofMachine = files.filter(({ scope }) => scope === "machine").map(({ path }) => path);
  const twice = [...places].filter(([, paths]) => paths.length > 1);
  if (twice.length === 0) return [];
  const names = twice.map(([event]) => event).join(", ");
  const paths = [...new Set(twice.flatMap(([, each]) => each))].join(" and ");
  const isOfMachine = twice.some(([, each]) => each.some((path) => ofMachine.includes(path)));
  const hint = isOfMachine
    ? "orcs install --sync takes them out of your own settings; for those of a project: orcs uninstall --project"
    : `orcs uninstall --user or --project${plugin ? ", or remove the plugin in the agent" : ""}`;
  return [problem(`hooks run twice at ${names}: entries are in ${paths}`, hint)];
}

function notInstalled(
  host: FoundSettings["host"],
  { here, protocol, isNamed, files }: AgentContext,
): Finding[] {
  if (files.some((file) => file.findings.length > 0)) return [];
  const hint = `orcs install --host ${host}`;
  const needed = neededEvents(here.used ?? [], protocol.events);
  const isKnown = here.used !== undefined && !here.isHeld;
  if (isKnown && needed.length === 0) return [note("no hook is on an event of it")];
  return [(isNamed ? problem : note)("orcs is not installed: no hook runs", hint)];
}

/** The agent for which idle hooks are listed. */
interface IdleContext {
  readonly host: AgentName;
  /** Whether its events name subagents. */
  readonly hasChildren: boolean;
  readonly events: Readonly<Record<string, HostEvent>>;
  /** Events that the agent sends to orcs. */
  readonly covered: ReadonlySet<string>;
}

/** Hooks that never run for an agent, with the reason. */
export function idleHooks(hooks: readonly Hook[], host: IdleContext): IdleHook[] {
  const without = new Set(
    pointsWithoutEvent(pointsInUse(hooks), host.events).map(({ point }) => point),
  );
  return hooks.flatMap((hook) => {
    const { id, point } = hook;
    const why = whyIdle(hook, without, host);
    return why === undefined ? [] : [{ id, point: point.name, why }];
  });
}

function whyIdle(
  { enabled, point, fql }: Hook,
  without: ReadonlySet<string>,
  { host, hasChildren, events, covered }: IdleContext,
): string | undefined {
  if (!enabled) return "it is disabled";
  if (without.has(point.name)) return `${host} has no event for ${point.name}`;
  const pattern = parseFql(fql);
  const { child, instance, ...component } = pattern;
  if (!compileFql(component)({ component: `agent::${host}` })) {
    return `its fql ${fql} does not match agent::${host}`;
  }
  if (instance !== undefined)
    return `its fql ${fql} names an instance, but coding agents have none`;
  if (child !== undefined && !hasChildren) {
    return `its fql ${fql} names a child, but ${host} reports none`;
  }
  const of = Object.keys(events).filter((event) => events[event]?.point === point.name);
  if (!of.some((event) => covered.has(event))) return `no working entry at ${of.join(" or ")}`;
  return undefined;
}

/** Installations with a lost state, by its folder. */
interface LostEntries {
  readonly folders: UserFolders;
  readonly ids: readonly string[];
}

/** Installations in the entries of all agents that were made on this machine and are unknown to their state. */
export async function lostEntries(around: InstallContext): Promise<LostEntries[]> {
  const entries = HOST_NAMES.flatMap((host) =>
    checkSettings(host, around).flatMap((file) => file.entries),
  );
  const byState = new Map<string, { folders: UserFolders; ids: string[] }>();
  for (const { id, folders } of entries) {
    if (id === undefined || !folders) continue;
    const known = byState.get(folders.state) ?? { folders, ids: [] };
    byState.set(folders.state, { folders, ids: [...known.ids, id] });
  }
  const lost: LostEntries[] = [];
  for (const { folders, ids } of byState.values()) {
    const gone = await lostInstallations(ids, folders);
    if (gone.length > 0) lost.push({ folders, ids: gone });
  }
  return lost;
}

const SYNC = "orcs install --sync";

/** The context in which an entry is checked. */
interface EntryContext {
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
