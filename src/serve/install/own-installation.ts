import { randomUUID } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { OrcsError } from "../../core/errors.ts";
import type { UserFolders } from "../../host/config-directory.ts";
import { TrustStore } from "../../host/trust/trust-store.ts";
import {
  installationsFile,
  isMadeHere,
  lostText,
  machineName,
  newInstallationId,
  readInstallations,
  trustStoreIn,
} from "../installation.ts";
import { discard, settingsError } from "./settings-file.ts";

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
