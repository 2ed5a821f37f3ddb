import { lstatSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { exactWords, OrcsError } from "../../core/index.ts";
import { weakPlace, type WeakPlace } from "../../machine/index.ts";
import { machineOf, type SettingsPlace } from "./settings-places.ts";

type MachineSite = Pick<SettingsPlace, "machine">;

/**
 * Expect that this process is run by the administrator of the machine.
 * @param user the id of the user who runs it; undefined on Windows
 * @throws OrcsError ORCS9323
 */
export function expectAdministrator(place: MachineSite, user = process.geteuid?.()): void {
  if (user === machineOf(place).owner) return;
  const why =
    user === undefined
      ? "the settings of a whole machine cannot be changed on Windows: orcs cannot see there who owns a file"
      : "only root can change the settings of a whole machine: run it with sudo, or install for yourself with --user";
  throw new OrcsError("ORCS9323", why);
}

/** Expect that only root can change settings, and that all users can read them. @throws OrcsError ORCS9324 */
export function expectSafeSettings(path: string, place: MachineSite): void {
  const weak = weakSettings(path, place);
  if (!weak) return;
  throw new OrcsError("ORCS9324", `${weak.path}: ${weak.why}; ${repair(weak)}`, {
    path: weak.path,
  });
}

/** The first place of settings that others can change, or cannot read; the settings may not exist. */
export function weakSettings(path: string, place: MachineSite): WeakPlace | undefined {
  let at = path;
  // A link to nothing is there.
  while (!isThere(at)) at = dirname(at);
  const { owner } = machineOf(place);
  // Of a folder that exists without the file, what else is in it does not matter.
  return weakPlace([at], { owner, isForAll: true, isAlone: at !== path });
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A file is above it.
    return false;
  }
}

/**
 * Expect that a program is only root's, and that all users can run it: whoever can replace it decides what it denies.
 * @param paths the program and all its files
 * @throws OrcsError ORCS9325
 */
export function expectSafeProgram(paths: Iterable<string>, place: MachineSite): void {
  const weak = weakProgram(paths, place);
  if (!weak) return;
  const why =
    `the agents of all users would run this orcs, but ${weak.path}: ${weak.why}; ` +
    "install orcs and Node.js as root, for example below /usr/local, and run that one";
  throw new OrcsError("ORCS9325", why, { path: weak.path });
}

/**
 * The first place of a program that others can change, or cannot reach. What is in its folders may be unreadable: a
 * cache that root wrote is.
 */
export function weakProgram(paths: Iterable<string>, place: MachineSite): WeakPlace | undefined {
  const { owner } = machineOf(place);
  const all = [...paths];
  return (
    weakPlace(all, { owner, most: MOST_FILES }) ??
    weakPlace(all, { owner, isForAll: true, isAlone: true })
  );
}

/** The files of a program as an entry starts it: Node.js, and orcs with its folder. */
export function filesOfProgram(program: string): string[] {
  const words = (exactWords(program) ?? []).filter((word) => isAbsolute(word));
  return words.map((word) => word.replace(/\/bin\/orcs\.cjs$/, ""));
}

/** A program with all the packages that it needs. */
const MOST_FILES = 200_000;

/** The command that makes a place safe. */
export function repair({ path }: WeakPlace): string {
  return `to repair it: chown root '${path}' && chmod go-w,a+rX '${path}'`;
}
