import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const UNPRIVILEGED = "setpriv --reuid=65534 --regid=65534 --clear-groups";

/** What stands before a command that an unprivileged user runs. */
export const AS_USER = UNPRIVILEGED;

const HERE = fileURLToPath(import.meta.url);
const asUser = (...command: string[]): boolean =>
  spawnSync("unshare", ["-m", ...UNPRIVILEGED.split(" "), ...command]).status === 0;

/** Whether a namespace of mounts can be had here, and another user who can read this checkout. */
export const canIsolate = process.getuid?.() === 0 && asUser("test", "-r", HERE);
if (!canIsolate && process.getuid?.() === 0 && asUser("true"))
  console.warn(
    `SKIPPED: other users cannot read ${HERE}: run these tests in a folder that they can`,
  );

/**
 * Run lines of sh as root with an `/etc` and a `/var/lib` that only they see.
 * @param dir a folder of this test
 * @param lines the first that fails ends them
 * @returns what they print, to stdout and then to stderr
 */
export function inOwnEtc(dir: string, lines: string): string {
  const outer = `set -e
mkdir ${dir}/etc
mount -t tmpfs tmpfs ${dir}/etc
cp -a /etc/. ${dir}/etc/
rm -rf ${dir}/etc/orcs
mount --bind ${dir}/etc /etc
mount -t tmpfs tmpfs /var/lib
${lines}`;
  const ran = spawnSync("unshare", ["-m", "sh", "-c", outer], { encoding: "utf8" });
  return `${ran.stdout}${ran.stderr}`;
}
