import type { Stats } from "node:fs";
import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { CONFIG_NAME } from "../config/discover.ts";
import type { HookEntry } from "../config/hook-entry.ts";
import type { LayerFiles } from "../config/layers.ts";
import { isPathInside } from "../config/path-inside.ts";
import { messageOf, OrcsError } from "../core/errors.ts";
import { hasMachineFile, machineFolder } from "../files/machine-folder.ts";
import { isShipped } from "./script-sources.ts";

/** Where the configuration of a machine is, and who may write it. */
export interface MachinePlace {
  /** Its folder, absolute. */
  readonly directory: string;
  /** The id of the user whose files count; root's always do. */
  readonly owner: number;
}

const ROOT = 0;

/** The place on this machine; undefined where there is none. */
export function defaultMachinePlace(): MachinePlace | undefined {
  const directory = machineFolder();
  return directory === undefined ? undefined : { directory, owner: ROOT };
}

/**
 * The configuration of the machine; undefined when there is none.
 * @throws OrcsError ORCS9320 when others than its owner could have written it
 */
export function machineFiles(place = defaultMachinePlace()): LayerFiles | undefined {
  if (!place) return undefined;
  const { directory, owner } = place;
  const file = join(directory, CONFIG_NAME);
  if (!hasMachineFile(file)) return undefined;
  expectUnwritable([directory], owner);
  return { directory, codeDir: directory, files: new Map([[CONFIG_NAME, undefined]]) };
}

/** The same for what only shows or records something; undefined also when others could have written it. */
export function shownMachineFiles(): LayerFiles | undefined {
  try {
    return machineFiles();
  } catch {
    // An engine reports why.
    return undefined;
  }
}

/**
 * Check the code outside of the folder that its hooks load.
 * @throws OrcsError ORCS9320
 */
export function expectMachineCode(hooks: readonly HookEntry[], place: MachinePlace): void {
  const { directory, owner } = place;
  const outside = hooks.flatMap(({ origin, handler, scriptRoots }) => {
    if (origin !== "machine") return [];
    const files = "file" in handler && !isShipped(handler.file) ? [handler.file] : [];
    return [...files, ...scriptRoots].filter((path) => !isPathInside(directory, path));
  });
  expectUnwritable(new Set(outside), owner);
}

/** Maximum number of files and folders. */
const MOST_ENTRIES = 10_000;

/**
 * Expect that nobody but their owner and root can change files and folders, anything in them, and the folders above.
 * @throws OrcsError ORCS9320
 */
function expectUnwritable(paths: Iterable<string>, owner: number): void {
  let left = MOST_ENTRIES;
  const above = new Set<string>();
  for (const path of paths) visit(path);

  function visit(path: string): void {
    if (left-- <= 0) throw unusable(path, `there are more than ${MOST_ENTRIES} files`);
    let real: string;
    let found: Stats;
    try {
      expectOwner(path, lstatSync(path));
      real = realpathSync(path);
      found = statSync(real);
    } catch (thrown) {
      throw thrown instanceof OrcsError ? thrown : unusable(path, messageOf(thrown));
    }
    expectOwner(real, found);
    if ((found.mode & OTHERS_WRITE) !== 0) throw unusable(real, "others can write it");
    for (let folder = dirname(real); !above.has(folder); folder = dirname(folder)) {
      above.add(folder);
      const { mode, uid } = statSync(folder);
      if (uid !== ROOT && uid !== owner) throw unusable(folder, `it belongs to the user ${uid}`);
      // In a folder such as /tmp, others can neither remove nor rename it.
      if ((mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0) {
        throw unusable(folder, "others can write it");
      }
    }
    if (found.isDirectory()) for (const name of namesIn(real)) visit(join(real, name));
  }

  function expectOwner(path: string, { uid }: Stats): void {
    if (uid !== ROOT && uid !== owner) throw unusable(path, `it belongs to the user ${uid}`);
  }
}

const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    throw unusable(folder, messageOf(thrown));
  }
}

function unusable(path: string, why: string): OrcsError {
  const text = `the configuration of this machine cannot be used: ${path}: ${why}; only root may be able to change it: chown -R root and chmod -R go-w repair that`;
  return new OrcsError("ORCS9320", text, { path });
}
