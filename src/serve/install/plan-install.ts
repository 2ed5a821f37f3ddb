import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { OrcsError } from "../../core/errors.ts";
import { realpath } from "../../files/real-path.ts";
import type { UserFolders } from "../../files/user-folders.ts";
import { HOST_PROTOCOLS } from "../../protocols/host-protocols.ts";
import { projectIn } from "../../trust/project.ts";
import { TrustStore } from "../../trust/trust-store.ts";
import type { HttpPlace } from "../http-place.ts";
import {
  installationsFile,
  isMadeHere,
  lostText,
  machineName,
  newInstallationId,
  readInstallations,
  trustStoreIn,
} from "../installation.ts";
import { keptBefore, withEntries } from "./entries.ts";
import type { OrcsCommand } from "./entry-command.ts";
import { mayHaveEntries, readHooksSection } from "./hooks-section.ts";
import type { Use } from "./install-record.ts";
import { hashOf, readRecord } from "./install-record.ts";
import type {
  InstallAround,
  InstallNeeds,
  InstallPlan,
  InstallTarget,
  UsedPoints,
} from "./plan.ts";
import { withoutOurEntries } from "./remove-entries.ts";
import { discard, readSettingsFile, settingsError, settingsText } from "./settings-file.ts";
import { HOST_SETTINGS, TOKEN_VARIABLE } from "./settings-places.ts";
import type { NeededEvent, UsedPoint } from "./wanted-events.ts";
import {
  joinedEvents,
  neededEvents,
  pointsWithout,
  unknownNeeds,
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
  around: InstallAround,
): Promise<InstallPlan> {
  const programs = [...around.programs, command.program];
  const looked = look(target, { ...around, programs });
  for (const { id, folders } of looked.entries) {
    // That it was installed once more is no word of a person that what was lost is well lost.
    if (id !== undefined && folders) await expectNoneLost([id], folders);
  }
  // Who does not say how has it as it is.
  const http = command.http ?? looked.entries.some((entry) => entry.http === true);
  return plan(looked, { ...command, http }, needs, false);
}

/**
 * What it takes to keep an installation in step with the hooks; undefined where orcs is not installed.
 * @throws OrcsError as `planInstall`
 */
export async function planSync(
  target: InstallTarget,
  needs: InstallNeeds,
  around: InstallAround,
): Promise<InstallPlan | undefined> {
  const { bytes } = readSettingsFile(target.path);
  if (!mayHaveEntries(bytes) && !readRecord(around.records, target.path)) return undefined;
  const looked = look(target, around);
  const { record, entries, isAsWritten } = looked;
  const entry = entries.find(({ isRequest }) => !isRequest);
  if (entry) {
    // Not every entry says all: some deny nothing, some take Node.
    const missing = entries.find((each) => each.missing !== undefined)?.missing;
    const launcher = entries.find((each) => each.launcher !== undefined)?.launcher;
    const http = entries.some((each) => each.http === true);
    return plan(looked, { ...entry, missing, launcher, http }, needs, true);
  }
  // No hook was left when it was last kept in step. Where somebody else took the entries out, they stay out.
  if (!record || !isAsWritten) return undefined;
  const command = record.command ?? { program: record.program, config: undefined };
  return plan(looked, { ...command, config: undefined, seal: undefined }, needs, true);
}

function look(target: InstallTarget, around: InstallAround) {
  const { host, path } = target;
  const before = readSettingsFile(path);
  const record = readRecord(around.records, path);
  const programs = [...around.programs, ...(record ? [record.program] : [])];
  try {
    const { mark, text } = settingsText(before.bytes);
    const { entries } = readHooksSection(text, host, programs);
    const kept = keptBefore(record, host);
    const isAsWritten = before.bytes !== undefined && record?.written === hashOf(before.bytes);
    const { http } = around;
    return { target, before, record, programs, mark, text, entries, kept, isAsWritten, http };
  } catch (thrown) {
    throw settingsError(path, "cannot use", thrown);
  }
}

type Looked = ReturnType<typeof look>;

async function plan(
  looked: Looked,
  command: OrcsCommand,
  needs: InstallNeeds,
  keepsChanges: boolean,
): Promise<InstallPlan> {
  const { target, before, programs, mark, text, kept } = looked;
  const { host, path, scope } = target;
  const used = await needs.used(command.config);
  const own = [...neededEvents(used.points, needs.events), ...heldNeeds(looked, used, needs)];
  const uses: Use[] = [{ config: used.config, events: onceEach(own, needs) }];
  // Entries that name a configuration serve that one alone.
  const isShared = scope === "user" && command.config === undefined;
  if (isShared) uses.push(...otherUses(looked, used.config, needs));
  const http = command.http === true ? httpPlaceOf(looked) : undefined;
  const needed = uses.flatMap((use) => use.events);
  const way = HOST_SETTINGS[host].http;
  if (http && way && needed.length > 0) {
    needed.push(...unknownNeeds([...way.begins, way.changes, way.ends], needs.events));
  }
  const protocol = await HOST_PROTOCOLS[host]();
  const all = wantedEvents(joinedEvents(needed, needs.events), needs.events, protocol);
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
    ...pointsWithout(used.points, needs.events).map((point) => noteOf(point, host)),
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
function httpPlaceOf({ target, http }: Looked): HttpPlace {
  const { host, path } = target;
  if (HOST_SETTINGS[host].http === undefined) {
    throw new OrcsError(
      "ORCS5001",
      `${host} sends no events over HTTP: install it without --transport http`,
    );
  }
  if (http !== undefined) return http;
  const why = `where events are sent is not known any more; run orcs install --host ${host} --transport http`;
  throw new OrcsError("ORCS5002", why, { path });
}

/** What the file held before orcs: since then somebody may have changed it, and that is to stay. */
function originalOf({ target, before, record, isAsWritten, entries, programs, kept }: Looked) {
  const { bytes } = before;
  if (!bytes) return null;
  if (record && isAsWritten) return record.original;
  return entries.length === 0
    ? bytes
    : withoutOurEntries({ bytes, host: target.host, record, programs, kept });
}

/** In the place of a configuration: whose entries these are nobody knows, so they stay. */
const UNKNOWN = "*";

/**
 * What other projects need of a user's settings: their guards must not be taken out because one is kept in step
 * that has no such hooks.
 */
function otherUses({ record, entries }: Looked, config: string, { events }: InstallNeeds): Use[] {
  if (record) {
    return record.uses.filter(
      (use) => use.config !== config && (use.config === UNKNOWN || isInForce(use.config)),
    );
  }
  const found = entries.filter((entry) => entry.config === undefined);
  const names = found.map(({ event }) => event);
  return names.length > 0 ? [{ config: UNKNOWN, events: unknownNeeds(names, events) }] : [];
}

/**
 * What is installed for a configuration that is not in force: its guards are not to be taken out because nobody has
 * trusted it yet, or trusts what it has become.
 */
function heldNeeds(
  { record, entries }: Looked,
  { config, note }: UsedPoints,
  { events }: InstallNeeds,
): NeededEvent[] {
  if (note === undefined) return [];
  const known = record?.uses.find((use) => use.config === config)?.events ?? [];
  const names = entries.map(({ event }) => event);
  const missing = names.filter((name) => !known.some(({ event }) => event === name));
  return [...known, ...unknownNeeds(missing, events)];
}

/** Whether a configuration is there, or what was trusted of it is active in its place. */
function isInForce(config: string): boolean {
  if (existsSync(config)) return true;
  try {
    return projectIn(realpath(dirname(config)), new TrustStore().all()).said !== undefined;
  } catch {
    // Nobody can say: what is not known to be over stays.
    return true;
  }
}

function onceEach(needed: readonly NeededEvent[], { events }: InstallNeeds): NeededEvent[] {
  return joinedEvents(needed, events);
}

function noteOf({ point, hooks }: UsedPoint, host: InstallTarget["host"]): string {
  const shown =
    hooks.length > 3
      ? `${hooks.slice(0, 3).join(", ")} and ${hooks.length - 3} more`
      : hooks.join(", ");
  return `no event of ${host} is ${point}: ${shown} will not run there`;
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
  if (lost.length > 0) throw new OrcsError("ORCS7008", lostText(folders.state), {});
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
