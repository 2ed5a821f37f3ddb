import { lstatSync, rmdirSync, type Stats, unlinkSync, utimesSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import {
  appendToFile,
  expectPrivateFolder,
  makeFolder,
  namesIn,
  objectInFile,
  replaceFile,
  runtimeFolder,
  userStateDir,
} from "../../machine/index.ts";
import { codeOf } from "../../core/index.ts";
import type { ConfigPlace } from "../../config/index.ts";
import { routesFolder } from "../address.ts";
import { defaultStateDir } from "../default-dirs.ts";
import { sessionsFolder } from "../sessions/session-store.ts";
import { isServed } from "./socket-ownership.ts";

/** The state of a configuration is removed when its folder has been gone for this long, in milliseconds. */
const KEPT_MS = 30 * 86_400_000;
const EVERY_MS = 86_400_000;

/** The file in a configuration's state folder that names the configuration. */
const OWNER = "configuration.json";
/** The file that records since when the folder is known to be gone. */
const GONE = "gone";
/** The file in the user's state folder that records the last sweep. */
const SWEPT = "swept";

/** State folders, and the files in them that may be removed. Audit logs and unknown files stay. */
const STATE_FOLDER = /^[0-9a-f]{16}$/;
const STATE_FILES = ["state.jsonl", "state.jsonl.new", "state.jsonl.lock"];
/** Files of services beside their sockets, by their common name. */
const RUNTIME_FILE = /^([0-9a-f]{16})\.(?:sock|hook|pid|lock|json|log)$/;
/** Files of a killed start. */
const RUNTIME_ASIDE = /^([0-9a-f]{8})\.new(?:\.pid)?$/;

/**
 * Record the configuration of a state folder, so that it can be removed when the configuration is gone. Never throws.
 */
export function noteOwner(place: ConfigPlace): void {
  // Without a configuration, or with the user's own, there is no project that could be gone.
  if (place.config === false || (place.config === undefined && place.found === undefined)) return;
  const folder = defaultStateDir(place);
  try {
    makeFolder(folder);
    const text = `${JSON.stringify({ v: 1, directory: place.directory })}\n`;
    replaceFile(join(folder, OWNER), text, { isNew: true });
  } catch {
    // It exists, or cannot be written: then the state stays.
  }
}

/**
 * Remove what configurations have left whose folders have been gone for 30 days: `orcs.state`, and the files of their
 * services. Trust, seals, installation records and audit logs stay. Runs at most once a day; links are not followed,
 * and only files made by orcs are removed. Never rejects.
 * @param places the user's state folder, and the folder for sockets
 * @param now milliseconds since 1970
 */
export async function sweep(
  { state, runtime } = { state: userStateDir(), runtime: runtimeFolder() },
  now = Date.now(),
): Promise<void> {
  try {
    if (!isDue(join(state, SWEPT), now)) return;
    for (const name of namesIn(state).filter((each) => STATE_FOLDER.test(each))) {
      sweepState(join(state, name), now);
      // Pending requests go first.
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const folder of [routesFolder(state), sessionsFolder(state)]) sweepFolder(folder, now);
    await sweepRuntime(runtime, now);
  } catch {
    // Unreadable folders stay.
  }
}

/** Whether nobody has swept today; it counts as swept then. */
function isDue(mark: string, now: number): boolean {
  const found = lstatOf(mark);
  if (found && now - found.mtimeMs < EVERY_MS && found.mtimeMs <= now) return false;
  if (found && !found.isFile()) return false;
  touchMark(mark, now);
  return true;
}

function sweepState(folder: string, now: number): void {
  if (!isOwnFolder(folder)) return;
  const directory = ownerOf(join(folder, OWNER));
  if (directory === undefined) return;
  const mark = join(folder, GONE);
  const marked = lstatOf(mark);
  if (!isGone(directory)) {
    if (marked?.isFile()) unlinkSync(mark);
    return;
  }
  if (!marked) return touchMark(mark, now);
  const files = STATE_FILES.map((name) => join(folder, name));
  const last = Math.max(marked.mtimeMs, ...files.map((file) => lstatOf(file)?.mtimeMs ?? 0));
  if (now - last < KEPT_MS) return;
  for (const file of files) removeOwn(file);
  // The owner of remaining files stays recorded.
  if (namesIn(folder).some((name) => name !== OWNER && name !== GONE)) return;
  for (const name of [GONE, OWNER]) removeOwn(join(folder, name));
  rmdirSync(folder);
}

/** A route or session that is still used is written again. */
function sweepFolder(folder: string, now: number): void {
  if (!isOwnFolder(folder)) return;
  for (const file of namesIn(folder).map((name) => join(folder, name))) {
    if (now - (lstatOf(file)?.mtimeMs ?? now) >= KEPT_MS) removeOwn(file);
  }
}

/** Removes files that no process uses any more: the socket of a running service responds. */
async function sweepRuntime(folder: string, now: number): Promise<void> {
  if (!lstatOf(folder)) return;
  expectPrivateFolder(folder);
  const groups = new Map<string, string[]>();
  for (const name of namesIn(folder)) {
    const [, group] = RUNTIME_FILE.exec(name) ?? RUNTIME_ASIDE.exec(name) ?? [];
    if (group !== undefined) groups.set(group, [...(groups.get(group) ?? []), join(folder, name)]);
  }
  for (const files of groups.values()) {
    const last = Math.max(...files.map((file) => lstatOf(file)?.mtimeMs ?? 0));
    if (now - last < KEPT_MS) continue;
    const sockets = files.filter((file) => lstatOf(file)?.isSocket());
    const served = await Promise.all(sockets.map((socket) => isServed(socket)));
    if (served.includes(true)) continue;
    for (const file of files) removeOwn(file);
  }
}

/** The folder of a configuration; undefined when it is not recorded. */
function ownerOf(file: string): string | undefined {
  if (!lstatOf(file)?.isFile()) return undefined;
  const directory = objectInFile(file)?.["directory"];
  return typeof directory === "string" && isAbsolute(directory) ? directory : undefined;
}

/** Only if certain: an inaccessible folder may exist. */
function isGone(directory: string): boolean {
  try {
    lstatSync(directory);
    return false;
  } catch (thrown) {
    const code = codeOf(thrown);
    return code === "ENOENT" || code === "ENOTDIR";
  }
}

function isOwnFolder(path: string): boolean {
  const found = lstatOf(path);
  return found?.isDirectory() === true && found.uid === (process.getuid?.() ?? found.uid);
}

/** Removes only plain files of this user. */
function removeOwn(path: string): void {
  const found = lstatOf(path);
  if (found?.isFile() === true || found?.isSocket() === true) unlinkSync(path);
}

function touchMark(file: string, now: number): void {
  appendToFile(file, "");
  utimesSync(file, now / 1000, now / 1000);
}

/** The entry itself, even if it is a link. */
function lstatOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
