import { join } from "node:path";
import { vi } from "vitest";
import { inspectProject, trust } from "../src/config/trust/inspect-project.ts";
import { TrustStore } from "../src/config/trust/trust-store.ts";

/**
 * Trust the project that a folder lies in, for all that has this `XDG_STATE_HOME`.
 * @param dev whatever it will hold; default as it is now
 */
export async function trusted(
  dir: string,
  stateHome: string,
  { dev = false }: { readonly dev?: boolean } = {},
): Promise<void> {
  const store = new TrustStore(join(stateHome, "orcs", "trust.json"));
  const look = await inspectProject(dir, store);
  trust(look, store, dev);
}

/** The same for this process, whose state is there until `vi.unstubAllEnvs`. */
export async function trustedHere(
  dir: string,
  stateHome: string,
  how?: Parameters<typeof trusted>[2],
): Promise<void> {
  vi.stubEnv("XDG_STATE_HOME", stateHome);
  await trusted(dir, stateHome, how);
}
