import { loadConfig } from "../config/load.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { PointSet } from "../core/points.ts";
import type { CreateOrcsOptions } from "./options.ts";
import { SHIPPED_HOOKS } from "./script-sources.ts";
import { TrustStore } from "./trust/trust-store.ts";
import { vouchFor } from "./trust/vouch-for.ts";

type ConfigOptions = Pick<CreateOrcsOptions, "config" | "overrides" | "agent">;

/** Reads an engine's configuration, at its start and for each reload: what is found counts when it is trusted. */
export function configReader(
  { config, overrides, agent }: ConfigOptions,
  cwd: string,
  points: PointSet,
): () => Promise<LoadedConfig> {
  const trust = new TrustStore();
  return () =>
    loadConfig({
      ...(config !== undefined && { config }),
      ...(overrides && { overrides }),
      ...(agent !== undefined && { agent }),
      cwd,
      points,
      shippedDir: SHIPPED_HOOKS,
      vouch: (project) => vouchFor(project, trust),
    });
}
