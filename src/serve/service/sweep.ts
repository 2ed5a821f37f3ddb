import type { Stats } from "node:fs";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { isAbsolute, join } from "node:path";
import { isPlainObject } from "../../core/json.ts";
import { userStateDir } from "../../files/user-folders.ts";
import type { ConfigPlace } from "../../trust/config-place.ts";
import { expectPrivateFolder, routesFolder, runtimeFolder } from "../address.ts";
import { defaultStateDir } from "../default-dirs.ts";
import { sessionsFolder } from "../sessions/session-store.ts";
import { isServed } from "./socket-ownership.ts";

/** What a configuration left behind goes when its folder has been gone for so long, in milliseconds. */
const KEPT_MS = 30 * 86_400_000;
const EVERY_MS = 86_400_000;

/** In the folder of a configuration's state: which configuration that is. */
const OWNER = "configuration.json";
/** The same, from when on its folder is known to be gone. */
const GONE = "gone";
/** In the user's state folder: when it was swept last. */
const SWEPT = "swept";

/** Folders of state, and in them what may go. Audit logs stay, and whatever else somebody has put there. */
const STATE_FOLDER = /^[0-9a-f]{16}$/;
const STATE_FILES = ["state.jsonl", "state.jsonl.new", "state.jsonl.lock"];
/** What services leave beside their sockets, by what they have in common. */
const RUNTIME_FILE = /^([0-9a-f]{16})\.(?:sock|hook|pid|lock|http\.json|log)$/;
/** Of a start that was killed. */
const RUNTIME_ASIDE = /^([0-9a-f]{8})\.new(?:\.pid)?$/;

export interface SweptPlaces {
  /** The user's state folder. */
  readonly state: string;
  /** The folder for sockets. */
  readonly runtime: string;
}

/** Say in the folder of a configuration's state whose it is, so that it can be swept when that is gone. Never throws. */
export function noteOwner(place: ConfigPlace): void {
  // Without a configuration, or with the user's own, there is no project that could go.
  if (place.config === false || (place.config === undefined && place.found === undefined)) return;
  const folder = defaultStateDir(place);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const text = `${JSON.stringify({ v: 1, directory: place.directory })}\n`;
    writeFileSync(join(folder, OWNER), text, { flag: "wx", mode: 0o600 });
  } catch {
    // It is there, or cannot be written: then the state stays for good.
  }
}

/**
 * Remove what configurations have left whose folders have been gone for 30 days: `orcs.state`, and what their services
 * left. Trust, seals, records of installations and audit logs stay. At most once a day; links are not followed, and no
 * file goes that orcs does not make. Never rejects.
 * @param now milliseconds since 1970
 */
export async function sweep(
  { state, runtime }: SweptPlaces = { state: userStateDir(), runtime: runtimeFolder() },
  now = Date.now(),
): Promise<void> {
  try {
    if (!isDue(join(state, SWEPT), now)) return;
    for (const name of namesIn(state).filter((each) => STATE_FOLDER.test(each))) {
      sweepState(join(state, name), now);
      // Whoever asks for an answer goes first.
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const folder of [routesFolder(state), sessionsFolder(state)]) sweepFolder(folder, now);
    await sweepRuntime(runtime, now);
  } catch {
    // What cannot be looked at stays.
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
  // Whose the rest is stays known.
  if (namesIn(folder).some((name) => name !== OWNER && name !== GONE)) return;
  for (const name of [GONE, OWNER]) removeOwn(join(folder, name));
  rmdirSync(folder);
}

/** A route that is asked for again is written again, and so is a session that goes on. */
function sweepFolder(folder: string, now: number): void {
  if (!isOwnFolder(folder)) return;
  for (const file of namesIn(folder).map((name) => join(folder, name))) {
    if (now - (lstatOf(file)?.mtimeMs ?? now) >= KEPT_MS) removeOwn(file);
  }
}

/** What no process uses any more: a service that serves has a socket that answers. */
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

/** Which folder a configuration is in; undefined where nobody has said so. */
function ownerOf(file: string): string | undefined {
  if (!lstatOf(file)?.isFile()) return undefined;
  try {
    const said: unknown = JSON.parse(readFileSync(file, "utf8"));
    const directory = isPlainObject(said) ? said["directory"] : undefined;
    return typeof directory === "string" && isAbsolute(directory) ? directory : undefined;
  } catch {
    return undefined;
  }
}

/** Only where it is certain: what cannot be looked at may be there. */
function isGone(directory: string): boolean {
  try {
    lstatSync(directory);
    return false;
  } catch (thrown) {
    const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
    return code === "ENOENT" || code === "ENOTDIR";
  }
}

function isOwnFolder(path: string): boolean {
  const found = lstatOf(path);
  return found?.isDirectory() === true && found.uid === (process.getuid?.() ?? found.uid);
}

/** No link, no folder, and nobody else's. */
function removeOwn(path: string): void {
  const found = lstatOf(path);
  if (found?.isFile() === true || found?.isSocket() === true) unlinkSync(path);
}

function touchMark(file: string, now: number): void {
  writeFileSync(file, "", { flag: "a", mode: 0o600 });
  utimesSync(file, now / 1000, now / 1000);
}

/** What stands there itself, be it a link. */
function lstatOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
