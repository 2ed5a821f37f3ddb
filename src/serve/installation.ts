import { readFileSync, statSync } from "node:fs";
import { homedir, hostname, userInfo } from "node:os";
import { dirname, join } from "node:path";

// Loaded by the process of every hook: it must stay as light as it is, and loads no cryptography unless it must.

/**
 * What becomes of an entry that names an installation: `installed` where its state knows it; `lost` where it was
 * made on this machine, for this home, and the state does not know it any more; `elsewhere` where it was made on
 * another machine.
 */
export type InstallationStatus = "installed" | "lost" | "elsewhere";

/** What the state folder holds of the installations that were made with it. */
export interface Installations {
  readonly version: 1;
  /** As `machineName` says it. */
  readonly machine: string;
  /** As entries name them. */
  readonly ids: readonly string[];
}

/** The file in a state folder that says which installations were made with it. */
export function installationsFile(stateDir: string): string {
  return join(stateDir, "installations.json");
}

/** The file in a state folder that says what is trusted: it was there when an installation was made. */
export function trustStoreIn(stateDir: string): string {
  return join(stateDir, "trust.json");
}

/** Undefined where there are none that can be read, or where the store of what is trusted is gone from beside them. */
export function readInstallations(stateDir: string): Installations | undefined {
  try {
    if (!statSync(trustStoreIn(stateDir), { throwIfNoEntry: false })) return undefined;
    const read = JSON.parse(readFileSync(installationsFile(stateDir), "utf8")) as Installations;
    const isOne = read.version === 1 && Array.isArray(read.ids) && typeof read.machine === "string";
    return isOne ? read : undefined;
  } catch {
    return undefined;
  }
}

/** Why calls are denied where an installation is lost, and what to do. */
export function lostInstallationText(state: string): string {
  return (
    `the state of this installation, in ${state}, is gone or incomplete, including which projects ` +
    "you trust: " +
    "calls of tools are denied until you run: orcs doctor --repair"
  );
}

/** How an entry with this id stands. @param id as `newInstallationId` gives it */
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

/** A new id: random, and a hash of this machine and the home directory, which says nothing to others. */
export async function newInstallationId(home: string): Promise<string> {
  const { randomBytes } = await import("node:crypto");
  const salt = randomBytes(8).toString("hex");
  return `${salt}.${await machineHash(salt, home)}`;
}

/** Whether an id was made on this machine, for a home that is this user's. */
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

/** What tells this machine from others. */
export function machineName(): string {
  for (const file of ["/etc/machine-id", "/var/lib/dbus/machine-id"]) {
    try {
      const name = readFileSync(file, "utf8").trim();
      if (name !== "" && name !== "uninitialized") return name;
    } catch {
      // Containers and other systems have none.
    }
  }
  return hostname();
}

/**
 * The directories that may have been this user's home: `HOME` may say what it likes to an agent, so that of the
 * user's account counts as well, and so does each folder of the user's that an entry's own folders are below.
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
