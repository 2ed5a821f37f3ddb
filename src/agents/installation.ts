import { statSync } from "node:fs";
import { homedir, hostname, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { fileText } from "../machine/index.ts";

// Loaded by the process of every hook: it must stay light, and loads cryptography only when needed.

/**
 * The status of an installation in an entry: `installed` when its state knows it; `lost` when it was made on this
 * machine for this home, and the state does not know it; `elsewhere` when it was made on another machine.
 */
export type InstallationStatus = "installed" | "lost" | "elsewhere";

/** The installations in a state folder. */
export interface Installations {
  readonly version: 1;
  /** From `machineName`. */
  readonly machine: string;
  /** As in entries. */
  readonly ids: readonly string[];
  /** Whether the state folder has what was accepted of the settings; missing in those of older versions. */
  readonly accepted?: true;
}

/** The file in a state folder that lists its installations. */
export function installationsFile(stateDir: string): string {
  return join(stateDir, "installations.json");
}

/** The trust store in a state folder, which existed when an installation was made. */
export function trustStoreIn(stateDir: string): string {
  return join(stateDir, "trust.json");
}

/** Undefined when there are none that can be read, or the trust store beside them is gone. */
export function readInstallations(stateDir: string): Installations | undefined {
  try {
    if (!statSync(trustStoreIn(stateDir), { throwIfNoEntry: false })) return undefined;
    const read = JSON.parse(fileText(installationsFile(stateDir))) as Installations;
    const isOne = read.version === 1 && Array.isArray(read.ids) && typeof read.machine === "string";
    return isOne ? read : undefined;
  } catch {
    return undefined;
  }
}

/** Why calls are denied for a lost installation, and what to do. */
export function lostInstallationText(state: string): string {
  return (
    `the state of this installation, in ${state}, is gone or incomplete, including which projects ` +
    "you trust: " +
    "calls of tools are denied until you run: orcs doctor --repair"
  );
}

/** The status of an entry with this id. @param id from `newInstallationId` */
export async function installationStatus(
  id: string,
  folders: StatusFolders,
): Promise<InstallationStatus> {
  const known = readInstallations(folders.state);
  const isKnown = known?.ids.includes(id) === true;
  if (isKnown && known.machine === machineName()) return "installed";
  const isHere = await isMadeHere(id, folders);
  if (!isHere) return "elsewhere";
  return isKnown ? "installed" : "lost";
}

interface StatusFolders {
  readonly config: string;
  readonly state: string;
}

/** A new id: random, with a hash of this machine and the home directory, which reveals nothing. */
export async function newInstallationId(home: string): Promise<string> {
  const { randomBytes } = await import("node:crypto");
  const salt = randomBytes(8).toString("hex");
  return `${salt}.${await machineHash(salt, home)}`;
}

/** Whether an id was made on this machine, for a home of this user. */
export async function isMadeHere(id: string, folders: StatusFolders): Promise<boolean> {
  const [salt = "", bound = ""] = id.split(".");
  for (const home of possibleHomes(folders)) {
    if ((await machineHash(salt, home)) === bound) return true;
  }
  return false;
}

async function machineHash(salt: string, home: string): Promise<string> {
  const { createHmac } = await import("node:crypto");
  return createHmac("sha256", salt).update(`${machineName()}\n${home}`).digest("hex").slice(0, 32);
}

/** Identifies this machine. */
export function machineName(): string {
  for (const file of ["/etc/machine-id", "/var/lib/dbus/machine-id"]) {
    try {
      const name = fileText(file).trim();
      if (name !== "" && name !== "uninitialized") return name;
    } catch {
      // Containers and other systems have none.
    }
  }
  return hostname();
}

/**
 * The possible home directories of this user. An agent may have another `HOME`, so that of the user's account counts as
 * well, and so does each folder of the user that contains an entry's own folders.
 */
function possibleHomes({ config, state }: StatusFolders): Set<string> {
  const found = new Set<string>([homedir()]);
  try {
    found.add(userInfo().homedir);
  } catch {
    // The account has no entry.
  }
  const uid = process.getuid?.();
  for (const folder of [config, state]) {
    for (let at = dirname(folder); at !== dirname(at); at = dirname(at)) {
      if (uid !== undefined && ownerOf(at) === uid) found.add(at);
    }
  }
  return found;
}

function ownerOf(folder: string): number | undefined {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.uid;
  } catch {
    return undefined;
  }
}
