import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";

/**
 * Start a process that outlives this one, with nothing on its stdin; what it writes goes to the end of a
 * file. Whether it comes up is not awaited, and what keeps it from starting is no concern of the caller's.
 */
export function startDetached(
  file: string,
  args: readonly string[],
  cwd: string,
  log: string,
): void {
  try {
    const out = openSync(log, "a", 0o600);
    const child = spawn(file, args, { cwd, detached: true, stdio: ["ignore", out, out] });
    child.on("error", () => undefined);
    child.unref();
    closeSync(out);
  } catch {
    // The next call will be as slow as this one.
  }
}
