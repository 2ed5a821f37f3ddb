import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { OrcsError } from "../../core/errors.ts";
import type { HostName } from "../../core/hosts.ts";
import { realpath } from "../../files/real-path.ts";
import type { UserFolders } from "../../files/user-folders.ts";
import type { HostEvent } from "../../protocols/host-protocol.ts";
import { HOSTS } from "../../protocols/hosts.ts";
import { projectIn } from "../../trust/project.ts";
import { TrustStore } from "../../trust/trust-store.ts";
import type { HttpEndpoint } from "../http-endpoint.ts";
import {
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
import { mayHaveEntries, readHooksSection } from "./hooks-section.ts";
import type { ConfigurationUse, InstallRecord } from "./install-record.ts";
import { hashOf, readRecord, removeRecord, writeRecord } from "./install-record.ts";
import type { SettingsFile } from "./settings-file.ts";
import {
  discard,
  readSettingsFile,
  removeFolders,
  removeSettingsFile,
  settingsError,
  settingsText,
  writeSettingsFile,
} from "./settings-file.ts";
import type { Scope, SettingsPlace } from "./settings-places.ts";
import { TOKEN_VARIABLE } from "./settings-places.ts";
import type { NeededEvent, UsedPoint } from "./wanted-events.ts";
import {
  defaultNeeds,
  mergedNeeds,
  neededEvents,
  pointsWithoutEvent,
  wantedEvents,
} from "./wanted-events.ts";

/**
 * What it takes so that a host asks orcs at every event that some hook is on.
 * @throws OrcsError ORCS7004 when the settings cannot be used, ORCS7008 when what they were installed with is lost;
 *   what `needs.used` throws
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
    // That it was installed once more is no word of a person that what was lost is well lost.
    if (id !== undefined && folders) await expectNoneLost([id], folders);
  }
  // Who does not say how has it as it is.
  const http = command.http ?? looked.entries.some((entry) => entry.http === true);
  return planEntries(looked, { ...command, http }, needs, false);
}

/**
 * What it takes to keep an installation in step with the hooks; undefined where orcs is not installed.
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
    // Not every entry says all: some deny nothing, some take Node.
    const missing = entries.find((each) => each.missing !== undefined)?.missing;
    const launcher = entries.find((each) => each.launcher !== undefined)?.launcher;
    const http = entries.some((each) => each.http === true);
    return planEntries(looked, { ...entry, missing, launcher, http }, needs, true);
  }
  // No hook was left when it was last kept in step. Where somebody else took the entries out, they stay out.
  if (!record || !isAsWritten) return undefined;
  const command = record.command ?? { program: record.program, config: undefined };
  return planEntries(looked, { ...command, config: undefined, seal: undefined }, needs, true);
}

function readTarget(target: InstallTarget, around: InstallContext) {
  const { host, path } = target;
  const before = readSettingsFile(path);
  const record = readRecord(around.records, path);
  const programs = [...around.programs, ...(record ? [record.program] : [])];
  try {
    const { mark, text } = settingsText(before.bytes);
    const { entries } = readHooksSection(text, host, programs);
    const kept = originalContainers(record, host);
    const isAsWritten = before.bytes !== undefined && record?.written === hashOf(before.bytes);
    const { http } = around;
    return { target, before, record, programs, mark, text, entries, kept, isAsWritten, http };
  } catch (thrown) {
    throw settingsError(path, "cannot use", thrown);
  }
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
  const uses: ConfigurationUse[] = [{ config: used.config, events: onceEach(own, needs) }];
  // Entries that name a configuration serve that one alone.
  const isShared = scope === "user" && command.config === undefined;
  if (isShared) uses.push(...otherUses(looked, used.config, needs));
  const http = command.http === true ? httpPlaceOf(looked) : undefined;
  const needed = uses.flatMap((use) => use.events);
  const way = HOSTS[host].http;
  if (http && way && needed.length > 0) {
    needed.push(...defaultNeeds([...way.begins, way.changes, way.ends], needs.events));
  }
  const protocol = await HOSTS[host].load();
  const all = wantedEvents(mergedNeeds(needed, needs.events), needs.events, protocol);
  let after: Buffer;
  try {
    // What the environment says here, it says to the host as well.
    const isSaid = process.env[TOKEN_VARIABLE] === http?.token;
    const isInSettings = keepsChanges ? undefined : !isSaid;
    const wanted = { host, command, events: all, programs, kept, keepsChanges, http, isInSettings };
    const written = withEntries(text, wanted);
    after = written === text && before.bytes ? before.bytes : Buffer.from(mark + written);
  } catch (thrown) {
    throw settingsError(path, "cannot use", thrown);
  }
  const notes = [
    ...(used.note === undefined ? [] : [used.note]),
    ...pointsWithoutEvent(used.points, needs.events).map((point) =>
      unmatchedPointNote(point, host),
    ),
  ];
  const names = all.map(({ event }) => event);
  const isInstalled = looked.record !== undefined || looked.entries.length > 0;
  if (all.length === 0 && (!before.bytes || !isInstalled)) {
    return {
      ...target,
      before,
      after: before.bytes,
      record: undefined,
      events: [],
      folders: [],
      notes,
    };
  }
  return {
    ...target,
    before,
    after,
    events: names,
    folders: [],
    notes,
    record: {
      host,
      path,
      original: originalOf(looked),
      folders: looked.record?.folders ?? [],
      written: hashOf(after),
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
    throw new OrcsError(
      "ORCS5001",
      `${host} cannot send events over HTTP: install without --transport http`,
    );
  }
  if (http !== undefined) return http;
  const why = `the HTTP address is lost; run orcs install --host ${host} --transport http`;
  throw new OrcsError("ORCS5002", why, { path });
}

/** What the file held before orcs: since then somebody may have changed it, and that is to stay. */
function originalOf({ target, before, record, isAsWritten, entries, programs, kept }: ReadTarget) {
  const { bytes } = before;
  if (!bytes) return null;
  if (record && isAsWritten) return record.original;
  return entries.length === 0
    ? bytes
    : settingsWithoutOrcs({ bytes, host: target.host, record, programs, kept });
}

/** In the place of a configuration: whose entries these are nobody knows, so they stay. */
const UNKNOWN_CONFIGURATION = "*";

/**
 * What other projects need of a user's settings: their guards must not be taken out because one is kept in step
 * that has no such hooks.
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
 * What is installed for a configuration that is not in force: its guards are not to be taken out because nobody has
 * trusted it yet, or trusts what it has become.
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

/** Whether a configuration is there, or what was trusted of it is active in its place. */
function isActive(config: string): boolean {
  if (existsSync(config)) return true;
  try {
    return projectIn(realpath(dirname(config)), new TrustStore().all()).said !== undefined;
  } catch {
    // Nobody can say: what is not known to be over stays.
    return true;
  }
}

function onceEach(needed: readonly NeededEvent[], { events }: InstallNeeds): NeededEvent[] {
  return mergedNeeds(needed, events);
}

function unmatchedPointNote({ point, hooks }: UsedPoint, host: InstallTarget["host"]): string {
  const shown =
    hooks.length > 3
      ? `${hooks.slice(0, 3).join(", ")} and ${hooks.length - 3} more`
      : hooks.join(", ");
  return `${host} has no event for ${point}: ${shown} will not run there`;
}

/** The installation that entries of this user's name; it is kept once they are written. */
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

/** The ids that were made here and that the state does not know any more. */
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
 * What is lost is not made up for by installing once more: that would take no more than an agent may do.
 * @throws OrcsError ORCS7008
 */
export async function expectNoneLost(ids: Iterable<string>, folders: UserFolders): Promise<void> {
  const lost = await lostInstallations(ids, folders);
  if (lost.length > 0) throw new OrcsError("ORCS7008", lostInstallationText(folders.state), {});
}

/** Know these installations again, with what is trusted if that is there. @throws OrcsError ORCS7004, ORCS8002 */
export function restoreInstallations(ids: readonly string[], { state }: UserFolders): void {
  new TrustStore(trustStoreIn(state)).renewIfGone();
  writeInstallations(state, [...(readInstallations(state)?.ids ?? []), ...ids]);
}

function writeInstallations(state: string, ids: readonly string[]): void {
  const file = installationsFile(state);
  const temporary = `${file}.${randomUUID()}.tmp`;
  const installations = { version: 1, machine: machineName(), ids: [...new Set(ids)] };
  try {
    mkdirSync(state, { recursive: true, mode: 0o700 });
    new TrustStore(trustStoreIn(state)).begin();
    writeFileSync(temporary, `${JSON.stringify(installations)}\n`, { mode: 0o600 });
    renameSync(temporary, file);
  } catch (thrown) {
    discard(temporary);
    throw settingsError(file, "cannot keep the installation in", thrown);
  }
}

/**
 * What it takes to have settings as they were before orcs: byte for byte where nobody has changed them since,
 * else without its entries. Undefined where orcs is not installed.
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
  if (record && record.written === hashOf(before.bytes)) {
    return { ...same, after: record.original ?? undefined, folders };
  }
  try {
    const known = [...programs, ...(record ? [record.program] : [])];
    const { entries } = readHooksSection(settingsText(before.bytes).text, host, known);
    if (entries.length === 0) return record && { ...same, after: before.bytes };
    const kept = originalContainers(record, host);
    const after = settingsWithoutOrcs({ bytes: before.bytes, host, record, programs: known, kept });
    return { ...same, after: after ?? undefined, folders: after ? [] : folders };
  } catch (thrown) {
    throw settingsError(path, "cannot use", thrown);
  }
}

/**
 * What it takes to have another token in settings that hold one; undefined where they hold none.
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
  if (before.bytes === undefined) return undefined;
  try {
    const { mark, text } = settingsText(before.bytes);
    if (!hasToken(text, host)) return undefined;
    const after = Buffer.from(mark + withToken(text, host, token));
    const isAsWritten = record?.written === hashOf(before.bytes);
    const written = record && isAsWritten ? { ...record, written: hashOf(after) } : record;
    return { ...target, before, after, record: written, events: [], folders: [], notes: [] };
  } catch (thrown) {
    throw settingsError(path, "cannot use", thrown);
  }
}

/** The settings that orcs is to be put into, or taken out of. */
export interface InstallTarget {
  readonly host: HostName;
  readonly scope: Scope;
  /** Absolute. */
  readonly path: string;
}

/** What is known besides. */
export interface InstallContext {
  readonly place: SettingsPlace;
  /** Where records are kept. */
  readonly records: string;
  /** What starts orcs here, besides what is called so: entries are known by it. */
  readonly programs: readonly string[];
  /** Where the HTTP side of the user listens, where it was installed. */
  readonly http?: HttpEndpoint | undefined;
}

/** Which hook points a configuration uses. */
export interface UsedPoints {
  /** Its file; empty when there is none. */
  readonly config: string;
  readonly points: readonly UsedPoint[];
  /** Why those of a project are not among them: it is not trusted. What is installed for it stays. */
  readonly note?: string | undefined;
}

/** The events of a host, and what a configuration needs of them. */
export interface InstallNeeds {
  readonly events: Readonly<Record<string, HostEvent>>;
  /**
   * @param config as an entry names it; undefined for what is found from the project
   * @throws OrcsError ORCS1015 and others when it does not load
   */
  used(config: string | undefined): Promise<UsedPoints>;
}

/** What becomes of settings. Nothing is changed before `carryOut`. */
export interface InstallPlan extends InstallTarget {
  readonly before: SettingsFile;
  /** Undefined when the file goes. */
  readonly after: Buffer | undefined;
  /** What is kept of it then; undefined when nothing. */
  readonly record: InstallRecord | undefined;
  /** Events that have an entry then. */
  readonly events: readonly string[];
  /** Folders that go with the file when they are empty. */
  readonly folders: readonly string[];
  /** What is worth knowing, one line each. */
  readonly notes: readonly string[];
}

/** What a plan does to the file. */
export type PlanStatus = "created" | "changed" | "removed" | "unchanged";

export function planStatus({ before, after }: InstallPlan): PlanStatus {
  if (before.bytes === undefined) return after === undefined ? "unchanged" : "created";
  if (after === undefined) return "removed";
  return before.bytes.equals(after) ? "unchanged" : "changed";
}

/** Do what a plan says. @throws OrcsError ORCS7004; nothing was changed then */
export function applyPlan(plan: InstallPlan, records: string): void {
  const { before, after, record, folders, path } = plan;
  const old = readRecord(records, path);
  // First what undoes it: a file that was changed without is one that nobody can put back.
  if (record) writeRecord(records, record);
  try {
    const status = planStatus(plan);
    if (status === "removed") removeSettingsFile(before);
    else if (status !== "unchanged" && after) {
      const made = writeSettingsFile(before, after);
      if (record && made.length > 0) writeRecord(records, { ...record, folders: made });
    }
  } catch (thrown) {
    if (old) writeRecord(records, old);
    else removeRecord(records, path);
    throw thrown;
  }
  if (after === undefined) removeFolders(folders);
  if (!record) removeRecord(records, path);
}
