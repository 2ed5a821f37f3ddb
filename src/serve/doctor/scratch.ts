import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HOST_NAMES } from "../../core/hosts.ts";
import type { HostName } from "../../core/hosts.ts";
import { KNOWN_HOSTS } from "./known-hosts.ts";

/** The longest folder in which a socket's path is not too long. */
const MAX_FOLDER = 50;

/** Use a folder that is gone afterwards. */
export async function withScratch<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const above = tmpdir().length <= MAX_FOLDER ? tmpdir() : "/tmp";
  const folder = mkdtempSync(join(above, "orcs-doctor-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The environment that a host gives its hooks, with state and sockets in a scratch folder: counters and budgets
 * stay as they are, `once` is not used up, and neither is a running service asked nor another started.
 */
export function trialEnv(
  host: HostName,
  project: string,
  scratch: string,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  // This process may have been started by a host itself, which has said where it works.
  const said = new Set(HOST_NAMES.flatMap((name) => Object.keys(KNOWN_HOSTS[name].env(""))));
  const kept = Object.entries(env).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && !said.has(pair[0]),
  );
  return {
    ...Object.fromEntries(kept),
    ...KNOWN_HOSTS[host].env(project),
    ORCS_PATHS_STATE: join(scratch, "state"),
    ORCS_PATHS_AUDIT: join(scratch, "audit"),
    ORCS_SERVE_AUTO: "false",
    XDG_RUNTIME_DIR: scratch,
  };
}
