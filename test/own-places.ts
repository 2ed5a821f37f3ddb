import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where path-guard lets anybody write: tests of what lies outside need a home directory that does. */
const TEMPORARY = /^(\/private)?\/(tmp|var\/tmp|var\/folders|dev\/shm)(\/|$)/;
/** No letters at random: what a line of a shell makes of a path may depend on them. */
const NAME = `.orcs-tests-${process.pid}`;
const MEMORY = "/dev/shm";
/** What some tests write at once, and a lot more. */
const ROOM = 2 * 2 ** 30;
const ROOT = fileURLToPath(new URL("..", import.meta.url));

/**
 * Give all tests of a run a home directory, and with it a place for state, configuration and sockets, and a temporary
 * folder of their own: nothing of whoever runs them counts, and nothing is left there.
 * @returns removes both
 */
export function takeOwnPlaces(): () => void {
  // Vitest sets up each project of a run.
  if (basename(homedir()) === NAME) return () => {};
  const run = process.env["XDG_RUNTIME_DIR"] ?? "/run";
  // A home directory or a repository may itself lie in a temporary folder.
  const home = ownFolder([homedir(), ROOT, run], (path) => !TEMPORARY.test(path));
  const temporary = ownFolder(
    [...(suits(MEMORY) ? [MEMORY] : []), tmpdir(), "/tmp"],
    // Short: the address of a socket has a hundred characters.
    (path) => TEMPORARY.test(path) && path.length < 60,
  );
  // As temporary folders are: others may use it, too.
  chmodSync(temporary, 0o1777);
  for (const name of Object.keys(process.env)) {
    if (name.startsWith("XDG_")) delete process.env[name];
  }
  Object.assign(process.env, { HOME: home, TMPDIR: temporary });
  return () => {
    for (const folder of [home, temporary]) {
      try {
        rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
      } catch {
        // A service that a test has started still writes there, and ends when it sees that its folder is gone.
      }
    }
  };
}

/** Whether temporary folders can be in memory, where thousands of them are made and removed in a tenth of the time. */
function suits(memory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    const dir = mkdtempSync(join(memory, ".orcs-"));
    const script = join(dir, "script");
    writeFileSync(script, "#!/bin/sh\n", { mode: 0o755 });
    const { status } = spawnSync(script);
    rmSync(dir, { recursive: true });
    return status === 0 && bavail * bsize > ROOM;
  } catch {
    return false;
  }
}

/** A new folder in the first of these that is such a place and can be written to. */
function ownFolder(places: readonly string[], isSuch: (path: string) => boolean): string {
  for (const place of places) {
    try {
      const real = realpathSync(place);
      if (!isSuch(real)) continue;
      const own = join(real, NAME);
      rmSync(own, { recursive: true, force: true });
      mkdirSync(own, { mode: 0o700 });
      return own;
    } catch {
      // The next one.
    }
  }
  throw new Error(`tests can make a folder of their own in none of ${places.join(", ")}`);
}
