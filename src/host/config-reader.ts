import type { LoadedConfig } from "../config/load.ts";
import type { PointSet } from "../core/points.ts";
import type { CreateOrcsOptions } from "./options.ts";
import { loadVouched } from "./trust/load-vouched.ts";

type ConfigOptions = Pick<CreateOrcsOptions, "config" | "overrides" | "agent">;

/** Reads an engine's configuration, at its start and for each reload: what is found counts when it is trusted. */
export function configReader(
  { config, overrides, agent }: ConfigOptions,
  cwd: string,
  points: PointSet,
): () => Promise<LoadedConfig> {
  return () =>
    loadVouched({
      ...(config !== undefined && { config }),
      ...(overrides && { overrides }),
      ...(agent !== undefined && { agent }),
      cwd,
      points,
    });
}
