import { loadConfig } from "../../config/load.ts";
import type { LoadedConfig, LoadOptions } from "../../config/load.ts";
import { SHIPPED_HOOKS } from "../loading/script-sources.ts";
import { TrustStore } from "./trust-store.ts";
import { vouchFor } from "./vouch-for.ts";

/**
 * Load a configuration as an engine does: of a project that nobody has trusted, nothing counts.
 * @throws OrcsError ORCS1015 with every mistake of what counts
 */
export function loadVouched(
  options: Omit<LoadOptions, "shippedDir" | "vouch">,
): Promise<LoadedConfig> {
  const trust = new TrustStore();
  return loadConfig({
    ...options,
    shippedDir: SHIPPED_HOOKS,
    vouch: (project) => vouchFor(project, trust),
  });
}
