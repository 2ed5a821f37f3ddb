import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
 * @param env of an agent
 */
export function trialEnv(
  host: HostName,
  project: string,
  scratch: string,
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  const own = { ORCS_TRIAL_DIR: scratch, XDG_RUNTIME_DIR: scratch };
  return { ...env, ...KNOWN_HOSTS[host].env(project), ...own };
}
