import { HOST_NAMES, type ErrorCode } from "../../core/index.ts";
import { realpath, replaceFile, shownPath, userFolders } from "../../machine/index.ts";
import {
  AcceptedFiles,
  restore,
  TrustStore,
  trustStorePath,
  UserConfiguration,
} from "../../config/index.ts";
import type { AcceptedFile, OpenChange } from "../../config/index.ts";
import { installationsFile, readInstallations } from "../installation.ts";
import { readRecord, recordFile, recordsFolder } from "../install/install-record.ts";
import type { SettingsPlace } from "../install/settings-places.ts";
import { placeHere, settingsPath, settingsPaths } from "../install/settings-places.ts";

/** The command with which a person accepts what was changed. */
export const ACCEPT = "orcs trust --accept";

/**
 * The files that decide whether hooks run, apart from the user's own configuration, which is kept with the trust store:
 * settings with entries of orcs, and what orcs stores about trust and installations.
 */
function watchedFiles(place: SettingsPlace): Map<string, AcceptedFile["settings"]> {
  const state = [trustStorePath(), installationsFile(userFolders().state)];
  const watched = new Map<string, AcceptedFile["settings"]>(state.map((path) => [path, undefined]));
  const records = recordsFolder(place);
  for (const host of HOST_NAMES) {
    const own = settingsPath(host, "user", place);
    const record = readRecord(records, own);
    if (record === undefined) continue;
    watched.set(recordFile(records, own), undefined);
    for (const path of settingsPaths(host, "user", place)) {
      watched.set(path, { host, program: record.program });
    }
  }
  return watched;
}

/**
 * Accept all files as they are now, those that can be read.
 * @param isAgain whether those that were accepted before are accepted again; otherwise only new ones are
 * @param before writes some of them first, while nobody compares
 * @throws OrcsError ORCS5002
 */
export function acceptNow(
  accepted = new AcceptedFiles(userFolders().state),
  isAgain = true,
  place: SettingsPlace = placeHere(),
  before: () => void = () => undefined,
): void {
  accepted.locked(() => {
    before();
    const { state } = userFolders();
    const installations = readInstallations(state);
    if (installations && installations.accepted !== true) {
      const text = JSON.stringify({ ...installations, accepted: true });
      replaceFile(installationsFile(state), `${text}\n`);
    }
    const known = accepted.files();
    const files = new Map<string, AcceptedFile>();
    for (const [path, settings] of watchedFiles(place)) {
      const old = isAgain ? undefined : known.get(path);
      try {
        files.set(path, { ...(old ?? accepted.present(path)), settings });
      } catch {
        // It is no regular file: it is compared again once it is one, and was accepted.
      }
    }
    accepted.write(files, isAgain ? new Map() : accepted.changes());
  });
}

/** The changes that can be accepted, with what is said about each. */
export function openChanges(
  accepted = new AcceptedFiles(userFolders().state),
): { readonly path: string; readonly text: string; readonly digest: string | undefined }[] {
  // Whoever puts a file back notes it a moment later.
  const changes = accepted.isBegun ? accepted.locked(() => accepted.changes()) : new Map();
  return [...changes].map(([path, change]) => {
    return { path, text: changeText(path, change), digest: change.digest ?? undefined };
  });
}

/**
 * Accept what was changed: what was put back is as it was changed, and what waits applies.
 * @returns the paths
 * @throws OrcsError ORCS5002; the system's error
 */
export async function acceptChanges(
  accepted = new AcceptedFiles(userFolders().state),
): Promise<string[]> {
  // A comparison that has begun ends first.
  const endWriting = accepted.locked(() => accepted.beginWriting());
  const changes = accepted.changes();
  const files = accepted.files();
  const write = (isUsers: boolean): void => {
    for (const [path, { state, digest, isOfUser = false }] of changes) {
      if (state === "back" && isOfUser === isUsers)
        restore(path, files.get(path)?.real ?? realpath(path), accepted.content(digest));
    }
  };
  try {
    write(true);
    const isOfUser = [...changes.values()].some((change) => change.isOfUser);
    // What it is from now on is in the trust store, which is written before that is accepted.
    if (isOfUser) await new UserConfiguration(userFolders().config, new TrustStore()).accept();
    acceptNow(accepted, true, placeHere(), () => write(false));
  } finally {
    endWriting();
  }
  return [...changes.keys()];
}

/**
 * Begin a command with which a person writes the user's own configuration.
 * @returns accepts what it wrote, if that was accepted before
 */
export function acceptingWrites(
  accepted = new AcceptedFiles(userFolders().state),
): () => Promise<void> {
  const user = new UserConfiguration(userFolders().config, new TrustStore());
  if (!accepted.isBegun || user.isChanged) return () => Promise.resolve();
  const endWriting = accepted.beginWriting();
  return async () => {
    try {
      if (user.isChanged) await user.accept();
    } finally {
      endWriting();
    }
  };
}

const CODES = {
  back: "ORCS7025",
  stuck: "ORCS7026",
  waits: "ORCS7027",
} as const satisfies Record<OpenChange["state"], ErrorCode>;

/** What is said about a change, to a person and to the model. */
export function changeText(path: string, { state, why }: OpenChange): string {
  const file = `${CODES[state]}: ${shownPath(path)}`;
  switch (state) {
    case "back":
      return `${file} was changed during a call of an agent so that less would be guarded, and was put back; if the change was yours, run in a terminal: ${ACCEPT}`;
    case "stuck":
      return `${file} was changed during a call of an agent so that less would be guarded, and cannot be put back: ${why}; calls are denied until you correct that, or run in a terminal: ${ACCEPT}`;
    case "waits":
      return `${file} was changed during a session so that less would be guarded; the session goes on as before, and calls are asked about until you run in a terminal: ${ACCEPT}`;
  }
}
