import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder, realpath, replaceFile, sha256 } from "../../machine/index.ts";
import type { UserFolders } from "../../machine/index.ts";
import { OrcsError, type AgentName, type HostName } from "../../core/index.ts";
import { HOSTS, type HostEvent } from "../../formats/index.ts";
import { hintFor } from "./fallback.ts";
import { AcceptedFiles, projectIn, TrustStore } from "../../config/index.ts";
import type { HttpEndpoint } from "../http-endpoint.ts";
import {
  installationStatus,
  installationsFile,
  isMadeHere,
  lostInstallationText,
  machineName,
  newInstallationId,
  readInstallations,
  trustStoreIn,
} from "../installation.ts";
import {
  hasToken,
  originalContainers,
  settingsWithoutOrcs,
  withEntries,
  withToken,
} from "./entries.ts";
import type { OrcsCommand } from "./entry-command.ts";
import { holdsToken, mayHaveEntries, readHooksSection } from "./hooks-section.ts";
import type { ConfigurationUse, InstallRecord } from "./install-record.ts";
import { readRecord, removeRecord, writeRecord } from "./install-record.ts";
import type { SettingsFile } from "./settings-file.ts";
import {
  isOpenToOthers,
  readSettingsFile,
  removeFolders,
  removeSettingsFile,
  settingsText,
  writeSettingsFile,
  withSettings,
} from "./settings-file.ts";
import {
  settingsPaths,
  TOKEN_VARIABLE,
  type Scope,
  type SettingsPlace,
} from "./settings-places.ts";
import type { NeededEvent, UsedPoint } from "./wanted-events.ts";
import {
  defaultNeeds,
  mergedNeeds,
  noticeNeeds,
  neededEvents,
  pointsWithoutEvent,
  unmatchedPointNote,
  wantedEvents,
} from "./wanted-events.ts";

/**
 * The plan for making an agent send orcs every event that some hook is on.
 * @throws OrcsError ORCS7004 when the settings cannot be used, ORCS7008 when the state of an earlier installation is
 * lost, ORCS5001 when it would move to other folders; what `needs.used` throws
 */
export async function planInstall(
  target: InstallTarget,
  command: OrcsCommand,
  needs: InstallNeeds,
  around: InstallContext,
): Promise<InstallPlan> {
  const programs = [...around.programs, command.program];
  const looked = readTarget(target, { ...around, programs });
  for (const { id, folders } of looked.entries) {
    // Installing again does not confirm that the lost state may be ignored.
    if (id !== undefined && folders) {
      await expectNoneLost([id], folders);
      await expectSameFolders(target, { id, folders }, command);
    }
  }
  // Without `--transport`, it stays as it is.
  const http = command.http ?? looked.entries.some((entry) => entry.http === true);
  return planEntries(looked, { ...command, http }, needs, false);
}

/**
 * An agent could install again in another environment, whose configuration guards nothing: removing entries is denied
 * to it. Those of another machine become this one's.
 */
async function expectSameFolders(
  { host, path }: InstallTarget,
  { id, folders: was }: { readonly id: string; readonly folders: UserFolders },
  { folders: is }: OrcsCommand,
): Promise<void> {
  if (!is || (was.config === is.config && was.state === is.state)) return;
  if ((await installationStatus(id, was)) === "elsewhere") return;
  const why = `the entries in ${path} use ${was.config} and ${was.state}, and this environment has ${is.config} and ${is.state}: if you moved them, run orcs uninstall --host ${host} first`;
  throw new OrcsError("ORCS5001", why, { path });
}

/**
 * The plan for keeping an installation in sync with the hooks; undefined when orcs is not installed.
 * @throws OrcsError as `planInstall`
 */
export async function planSync(
  target: InstallTarget,
  needs: InstallNeeds,
  around: InstallContext,
): Promise<InstallPlan | undefined> {
  const { bytes } = readSettingsFile(target.path);
  if (!mayHaveEntries(bytes) && !readRecord(around.records, target.path)) return undefined;
  const looked = readTarget(target, around);
  const { record, entries, isAsWritten } = looked;
  const entry = entries.find(({ isRequest }) => !isRequest);
  if (entry) {
    // Not every entry has all parts: some deny nothing, some need Node.
    const missing = entries.find((each) => each.missing !== undefined)?.missing;
    const launcher = entries.find((each) => each.launcher !== undefined)?.launcher;
    const http = entries.some((each) => each.http === true);
    return planEntries(looked, { ...entry, missing, launcher, http }, needs, true);
  }
  // No hook was left at the last sync. If somebody else removed the entries, they stay removed.
  if (!record || !isAsWritten) return undefined;
  const command = record.command ?? { program: record.program, config: undefined };
  return planEntries(looked, { ...command, config: undefined, seal: undefined }, needs, true);
}

function readTarget(target: InstallTarget, around: InstallContext) {
  const { host, path } = target;
  const before = readSettingsFile(path);
  const record = readRecord(around.records, path);
  const programs = [...around.programs, ...(record ? [record.program] : [])];
  return withSettings(path, "cannot use", () => {
    const { mark, text } = settingsText(before.bytes);
    const { entries } = readHooksSection(text, host, programs);
    const kept = originalContainers(record, host);
    const covered = target.scope === "machine" ? new Set<string>() : machineEvents(host, around);
    const isAsWritten = before.bytes !== undefined && record?.written === sha256(before.bytes);
    const { http } = around;
    const seen = { target, before, record, programs, mark, text, entries };
    return { ...seen, kept, covered, isAsWritten, http };
  });
}

type ReadTarget = ReturnType<typeof readTarget>;

async function planEntries(
  looked: ReadTarget,
  command: OrcsCommand,
  needs: InstallNeeds,
  keepsChanges: boolean,
): Promise<InstallPlan> {
  const { target, before, programs, mark, text, kept } = looked;
  const { host, path, scope } = target;
  const used = await needs.used(command.config);
  const own = [...neededEvents(used.points, needs.events), ...inactiveNeeds(looked, used, needs)];
  const uses: ConfigurationUse[] = [
    { config: used.config, events: mergedNeeds(own, needs.events) },
  ];
  // Entries that name a configuration serve only that one.
  const isShared = scope === "user" && command.config === undefined;
  if (isShared) uses.push(...otherUses(looked, used.config, needs));
  const http = command.http === true ? httpPlaceOf(looked) : undefined;
  const needed = uses.flatMap((use) => use.events);
  const way = HOSTS[host].http;
  if (http && way && needed.length > 0) {
    needed.push(...defaultNeeds([...way.begins, way.changes, way.ends], needs.events));
  }
  const { event: reload } = HOSTS[host].settingsReload;
  // It says what a call has changed, where that counts at once. Nothing of a user ends the entries of the machine.
  const isNeeded = needed.some(({ event }) => !looked.covered.has(event));
  if (reload !== undefined && scope === "user" && isNeeded) {
    needed.push(...defaultNeeds([reload], needs.events));
  }
  const protocol = await HOSTS[host].load();
  needed.push(...noticeNeeds(needed, protocol, needs.events));
  const hint = hintFor(scope, host, path);
  const wantedBy = wantedEvents(mergedNeeds(needed, needs.events), needs.events, protocol, hint);
  const twice = wantedBy.filter(({ event }) => looked.covered.has(event));
  // Those of the machine do the same for this user. Others have another configuration, or other users.
  const isLeft = isShared && http === undefined;
  const all = isLeft ? wantedBy.filter((each) => !twice.includes(each)) : wantedBy;
  const after = withSettings(path, "cannot use", () => {
    // The agent inherits the variable of this environment.
    const isSaid = process.env[TOKEN_VARIABLE] === http?.token;
    const isInSettings = keepsChanges ? undefined : !isSaid;
    const entries = { host, scope, command, events: all, programs };
    const wanted = { ...entries, kept, keepsChanges, http, isInSettings };
    const written = withEntries(text, wanted);
    return written === text && before.bytes ? before.bytes : Buffer.from(mark + written);
  });
  const notes = [
    ...(used.note === undefined ? [] : [used.note]),
    ...pointsWithoutEvent(used.points, needs.events).map((point) =>
      unmatchedPointNote(point, host),
    ),
    ...machineNotes(
      host,
      twice.map(({ event }) => event),
      isLeft,
    ),
  ];
  const covered = isLeft && twice.length > 0;
  const names = all.map(({ event }) => event);
  const isInstalled = looked.record !== undefined || looked.entries.length > 0;
  const plan = { ...target, before, events: names, folders: [], notes, covered };
  if (all.length === 0 && (!before.bytes || !isInstalled)) {
    return { ...plan, after: before.bytes, record: undefined };
  }
  return {
    ...plan,
    after,
    record: {
      host,
      path,
      original: originalOf(looked),
      folders: looked.record?.folders ?? [],
      written: sha256(after),
      program: command.program,
      command: commandOnly(command),
      uses,
    },
  };
}

/** An entry of settings has more than its command. */
function commandOnly(command: OrcsCommand): OrcsCommand {
  const { program, launcher, config, seal, folders, id, strict, missing, http } = command;
  return { program, launcher, config, seal, folders, id, strict, missing, http };
}

/** @throws OrcsError ORCS5001, ORCS5002 */
function httpPlaceOf({ target, http }: ReadTarget): HttpEndpoint {
  const { host, path } = target;
  if (HOSTS[host].http === undefined) {
    const why = `${host} cannot send events over HTTP: install without --transport http`;
    throw new OrcsError("ORCS5001", why);
  }
  if (http !== undefined) return http;
  const why = `the HTTP address is lost; run orcs install --host ${host} --transport http`;
  throw new OrcsError("ORCS5002", why, { path });
}

/** The content of the file before the installation. Later changes by others must stay. */
function originalOf({ target, before, record, isAsWritten, entries, programs, kept }: ReadTarget) {
  const { bytes } = before;
  if (!bytes) return null;
  if (record && isAsWritten) return record.original;
  return entries.length === 0
    ? bytes
    : settingsWithoutOrcs(bytes, record, { host: target.host, programs, kept });
}

/** The events for which the settings of the machine start orcs. */
function machineEvents(
  host: HostName,
  { place, programs }: Pick<InstallContext, "place" | "programs">,
): ReadonlySet<string> {
  const events = settingsPaths(host, "machine", place).flatMap((path) => {
    try {
      const { bytes } = readSettingsFile(path);
      if (path.endsWith(".toml") || !mayHaveEntries(bytes)) return [];
      return readHooksSection(settingsText(bytes).text, host, programs).entries;
    } catch {
      // What cannot be read starts nothing; `orcs doctor` reports it.
      return [];
    }
  });
  return new Set(events.map(({ event }) => event));
}

/**
 * Notes about events that the settings of the machine start orcs for, too.
 * @param isLeft whether the events are left to the settings of the machine
 */
function machineNotes(host: HostName, events: readonly string[], isLeft: boolean): string[] {
  if (events.length === 0) return [];
  const what = `${host}: the settings of this machine already start orcs at ${events.join(", ")}`;
  return [
    isLeft ? `${what}, so that no entry is needed there` : `${what}: hooks run twice there, here`,
  ];
}

/** Stands for an unknown configuration, whose entries stay. */
const UNKNOWN_CONFIGURATION = "*";

/**
 * The needs of other projects that share a user's settings: their guards must not be removed because a project without
 * such hooks is synced.
 */
function otherUses(
  { record, entries }: ReadTarget,
  config: string,
  { events }: InstallNeeds,
): ConfigurationUse[] {
  if (record) {
    return record.uses.filter(
      (use) =>
        use.config !== config && (use.config === UNKNOWN_CONFIGURATION || isActive(use.config)),
    );
  }
  const found = entries.filter((entry) => entry.config === undefined);
  const names = found.map(({ event }) => event);
  return names.length > 0
    ? [{ config: UNKNOWN_CONFIGURATION, events: defaultNeeds(names, events) }]
    : [];
}

/**
 * The needs of an inactive configuration: its guards must not be removed because it, or its change, is not trusted yet.
 */
function inactiveNeeds(
  { record, entries }: ReadTarget,
  { config, note }: UsedPoints,
  { events }: InstallNeeds,
): NeededEvent[] {
  if (note === undefined) return [];
  const known = record?.uses.find((use) => use.config === config)?.events ?? [];
  const names = entries.map(({ event }) => event);
  const missing = names.filter((name) => !known.some(({ event }) => event === name));
  return [...known, ...defaultNeeds(missing, events)];
}

/** Whether a configuration exists, or its trusted version is active instead. */
function isActive(config: string): boolean {
  if (existsSync(config)) return true;
  try {
    return projectIn(realpath(dirname(config)), new TrustStore().all()).decision !== undefined;
  } catch {
    // Unknown: it stays.
    return true;
  }
}

/** The installation in this user's entries; recorded once the entries are written. */
export async function ownInstallation(
  { state }: UserFolders,
  home: string,
): Promise<{ readonly id: string; readonly keep: () => void }> {
  const known = readInstallations(state);
  const isOurs = known?.machine === machineName();
  const [first] = isOurs ? known.ids : [];
  const id = first ?? (await newInstallationId(home));
  return { id, keep: () => writeInstallations(state, [...(isOurs ? known.ids : []), id]) };
}

/** The ids that were made here and are unknown to the state. */
export async function lostInstallations(
  ids: Iterable<string>,
  folders: UserFolders,
): Promise<string[]> {
  const known = new Set(readInstallations(folders.state)?.ids);
  const lost: string[] = [];
  for (const id of new Set(ids)) {
    if (!known.has(id) && (await isMadeHere(id, folders))) lost.push(id);
  }
  return lost;
}

/**
 * A lost state must not be repaired by installing again, which an agent could do.
 * @throws OrcsError ORCS7008
 */
export async function expectNoneLost(ids: Iterable<string>, folders: UserFolders): Promise<void> {
  const lost = await lostInstallations(ids, folders);
  if (lost.length > 0) throw new OrcsError("ORCS7008", lostInstallationText(folders.state), {});
}

/**
 * Register these installations again, together with the trust store if it exists. @throws OrcsError ORCS7004, ORCS8002
 */
export function restoreInstallations(ids: readonly string[], { state }: UserFolders): void {
  new TrustStore(trustStoreIn(state)).renewIfGone();
  writeInstallations(state, [...(readInstallations(state)?.ids ?? []), ...ids]);
}

function writeInstallations(state: string, ids: readonly string[]): void {
  const file = installationsFile(state);
  const { accepted } = readInstallations(state) ?? {};
  const installations = { version: 1, machine: machineName(), ids: [...new Set(ids)], accepted };
  withSettings(file, "cannot keep the installation in", () => {
    makeFolder(state);
    new TrustStore(trustStoreIn(state)).begin();
    new AcceptedFiles(state).moving([file], () =>
      replaceFile(file, `${JSON.stringify(installations)}\n`),
    );
  });
}

/**
 * The plan for removing orcs from settings: byte for byte as before if nobody has changed them since, otherwise without
 * its entries. Undefined when orcs is not installed.
 * @throws OrcsError ORCS7004 when the settings cannot be used
 */
export function planUninstall(
  target: InstallTarget,
  { records, programs }: InstallContext,
): InstallPlan | undefined {
  const { host, path } = target;
  const before = readSettingsFile(path);
  const record = readRecord(records, path);
  const same = { ...target, before, record: undefined, events: [], folders: [], notes: [] };
  if (!record && !mayHaveEntries(before.bytes)) return undefined;
  const folders = record?.folders ?? [];
  if (!before.bytes) return record && { ...same, after: undefined, folders };
  if (record && record.written === sha256(before.bytes)) {
    return { ...same, after: record.original ?? undefined, folders };
  }
  const { bytes } = before;
  return withSettings(path, "cannot use", () => {
    const known = [...programs, ...(record ? [record.program] : [])];
    const { entries } = readHooksSection(settingsText(bytes).text, host, known);
    if (entries.length === 0) return record && { ...same, after: bytes };
    const kept = originalContainers(record, host);
    const after = settingsWithoutOrcs(bytes, record, { host, programs: known, kept });
    return { ...same, after: after ?? undefined, folders: after ? [] : folders };
  });
}

/**
 * The plan for replacing the token in settings; undefined when they contain none.
 * @throws OrcsError ORCS7004 when the settings cannot be used
 */
export function planToken(
  target: InstallTarget,
  { records }: InstallContext,
  token: string,
): InstallPlan | undefined {
  const { host, path } = target;
  const before = readSettingsFile(path);
  const record = readRecord(records, path);
  const { bytes } = before;
  if (bytes === undefined) return undefined;
  return withSettings(path, "cannot use", () => {
    const { mark, text } = settingsText(bytes);
    if (!hasToken(text, host)) return undefined;
    const after = Buffer.from(mark + withToken(text, host, token));
    const isAsWritten = record?.written === sha256(bytes);
    const written = record && isAsWritten ? { ...record, written: sha256(after) } : record;
    return { ...target, before, after, record: written, events: [], folders: [], notes: [] };
  });
}

/** The settings to change. */
export interface InstallTarget {
  readonly host: HostName;
  readonly scope: Scope;
  /** Absolute. */
  readonly path: string;
}

/** The context of a plan. */
export interface InstallContext {
  readonly place: SettingsPlace;
  /** The folder of the records. */
  readonly records: string;
  /** Other commands that start orcs here, to recognise entries. */
  readonly programs: readonly string[];
  /** The user's HTTP side, if it was installed. */
  readonly http?: HttpEndpoint | undefined;
}

/** The hook points that a configuration uses. */
export interface UsedPoints {
  /** Its file; empty when there is none. */
  readonly config: string;
  readonly points: readonly UsedPoint[];
  /** Why a project's points are missing: it is not trusted. Its installed entries stay. */
  readonly note?: string | undefined;
}

/** The events of an agent, and the needs of a configuration. */
export interface InstallNeeds {
  readonly events: Readonly<Record<string, HostEvent>>;
  /**
   * @param config as named in an entry; undefined for the one discovered from the project
   * @throws OrcsError ORCS1015 and others when it does not load
   */
  used(config: string | undefined): Promise<UsedPoints>;
}

/** The planned change of settings, or of a plugin. Nothing is changed before `applyPlan`. */
export interface SettingsPlan {
  readonly host: AgentName;
  readonly scope: Scope;
  /** Absolute. */
  readonly path: string;
  readonly before: SettingsFile;
  /** Undefined when the file is removed. */
  readonly after: Buffer | undefined;
  /** The record to keep; undefined for none. */
  readonly record: InstallRecord | undefined;
  /** Events with an entry after the change. */
  readonly events: readonly string[];
  /** Folders to remove with the file if they are empty. */
  readonly folders: readonly string[];
  /** Notes for the user, one line each. */
  readonly notes: readonly string[];
}

/** The planned change of settings with entries. */
export interface InstallPlan extends SettingsPlan {
  readonly host: HostName;
  /** Whether events are left to the settings of the machine. */
  readonly covered?: boolean;
}

/** The effect of a plan on the file. */
export type PlanStatus = "created" | "changed" | "removed" | "unchanged";

export function planStatus({ before, after }: SettingsPlan): PlanStatus {
  if (before.bytes === undefined) return after === undefined ? "unchanged" : "created";
  if (after === undefined) return "removed";
  // An older version left the token readable by other users.
  const isShown = holdsToken(after) && isOpenToOthers(before.file);
  return before.bytes.equals(after) && !isShown ? "unchanged" : "changed";
}

/** Carry out a plan. @throws OrcsError ORCS7004; nothing was changed then */
export function applyPlan(plan: SettingsPlan, records: string): void {
  const { before, after, record, folders, path } = plan;
  const old = readRecord(records, path);
  // The record first: without it, a changed file could not be restored.
  if (record) writeRecord(records, record);
  try {
    const status = planStatus(plan);
    const made = new AcceptedFiles(dirname(records)).moving([path], () => {
      if (status === "removed") removeSettingsFile(before);
      else if (status !== "unchanged" && after) {
        const who = holdsToken(after) ? "user" : "as before";
        return writeSettingsFile(before, after, plan.scope === "machine" ? "all" : who);
      }
      return [];
    });
    if (record && made.length > 0) writeRecord(records, { ...record, folders: made });
  } catch (thrown) {
    if (old) writeRecord(records, old);
    else removeRecord(records, path);
    throw thrown;
  }
  if (after === undefined) removeFolders(folders);
  if (!record) removeRecord(records, path);
}
