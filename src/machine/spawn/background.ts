import { spawn } from "node:child_process";
import { dirname } from "node:path";
import { makeFolder } from "../files/read-bounded.ts";
import { createFile } from "../files/stored-file.ts";

/** Processes that a command may leave in the background. */
export interface Background {
  /** How long they may live, in seconds. */
  readonly seconds: number;
  /** A file while which exists they may live; undefined if nobody tells when that ends. */
  readonly mark?: ((leader: number) => string) | undefined;
}

/**
 * Leave what is still in a process group, and end it later. A process of its own does so: the one that ran the command
 * may end at once. Nothing is started if the group is empty.
 * @param leader the id of the group
 * @returns whether anything was left
 */
export function leaveGroup(leader: number, { seconds, mark }: Background): boolean {
  try {
    process.kill(-leader, 0);
  } catch {
    return false;
  }
  const file = markedFile(mark?.(leader));
  const args = ["-c", END_LATER, "orcs", String(leader), String(seconds), file];
  const child = spawn("/bin/sh", args, { cwd: "/", detached: true, stdio: "ignore" });
  child.on("error", () => undefined);
  child.unref();
  return true;
}

/** Empty if it cannot be written: then the time alone counts. */
function markedFile(path: string | undefined): string {
  if (path === undefined) return "";
  try {
    makeFolder(dirname(path));
    createFile(path, "");
    return path;
  } catch {
    return "";
  }
}

/**
 * Gets the group, its seconds and the file. A group whose processes have ended cannot be taken by another meanwhile.
 */
const END_LATER = `n=0; s=1
while [ "$n" -lt "$2" ] && { [ -z "$3" ] || [ -e "$3" ]; } && kill -s 0 -- "-$1" 2>/dev/null; do
  sleep "$s"; n=$((n + s)); [ "$s" -ge 5 ] || s=$((s + 1))
done
kill -s KILL -- "-$1" 2>/dev/null
[ -z "$3" ] || { rm -f "$3"; rmdir "\${3%/*}" 2>/dev/null; }`;
