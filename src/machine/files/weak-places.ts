import { lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { messageOf } from "../../core/index.ts";

/** A file or folder that others can change, or that they cannot use, and why. */
export interface WeakPlace {
  readonly path: string;
  readonly why: string;
}

interface Expected {
  /** The id of the user who may change it; root always may. */
  readonly owner: number;
  /** Maximum number of files and folders. Default: 10,000. */
  readonly most?: number;
  /** Whether all users must be able to read it. Default: no. */
  readonly isForAll?: boolean;
  /** Whether what is in a folder does not matter. Default: no. */
  readonly isAlone?: boolean;
}

const ROOT = 0;
const MOST_ENTRIES = 10_000;
const OTHERS_WRITE = 0o022;
const OTHERS_READ = 0o004;
const OTHERS_ENTER = 0o001;
const STICKY = 0o1000;

/**
 * The first place that others than its owner and root can change: among the given files and folders, everything in
 * these, what links lead to, and the folders above.
 */
export function weakPlace(
  paths: Iterable<string>,
  { owner, most = MOST_ENTRIES, isForAll = false, isAlone = false }: Expected,
): WeakPlace | undefined {
  const above = new Set<string>();
  const left = [...paths];
  for (let seen = 0; left.length > 0; seen++) {
    const path = left.pop() ?? "";
    if (seen >= most) return { path, why: `there are more than ${most} files` };
    let real = path;
    try {
      const link = lstatSync(path);
      real = realpathSync(path);
      const found = statSync(real);
      const why = ownerOf(link) ?? ownerOf(found) ?? modeOf(found);
      if (why !== undefined) return { path: real, why };
      const weak = weakAbove(real);
      if (weak) return weak;
      if (isAlone || !found.isDirectory()) continue;
      left.push(...readdirSync(real).map((name) => join(real, name)));
    } catch (thrown) {
      return { path: real, why: messageOf(thrown) };
    }
  }
  return undefined;

  function weakAbove(real: string): WeakPlace | undefined {
    for (let folder = dirname(real); !above.has(folder); folder = dirname(folder)) {
      above.add(folder);
      const found = statSync(folder);
      const { mode } = found;
      // In a folder such as /tmp, others can neither remove nor rename it.
      const isOpen = (mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0;
      const isShut = isForAll && (mode & OTHERS_ENTER) === 0;
      const why =
        ownerOf(found) ?? (isOpen ? OPEN : isShut ? "others cannot use what is in it" : undefined);
      if (why !== undefined) return { path: folder, why };
    }
    return undefined;
  }

  function ownerOf({ uid }: Stats): string | undefined {
    return uid === ROOT || uid === owner ? undefined : `it belongs to the user ${uid}`;
  }

  function modeOf(found: Stats): string | undefined {
    if ((found.mode & OTHERS_WRITE) !== 0) return OPEN;
    const needed = OTHERS_READ | (found.isDirectory() ? OTHERS_ENTER : 0);
    return isForAll && (found.mode & needed) !== needed ? "others cannot read it" : undefined;
  }
}

const OPEN = "others can write it";
