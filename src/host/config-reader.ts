import type { LoadedConfig } from "../config/load.ts";
import type { PointSet } from "../core/points.ts";
import type { CreateOrcsOptions } from "./options.ts";
import { withSelfGuard } from "./self-guard.ts";
import { loadVouched } from "./trust/load-vouched.ts";

type ConfigOptions = Pick<
  CreateOrcsOptions,
  "config" | "overrides" | "agent" | "selfGuard" | "stateDir" | "auditDir"
>;

/** Reads an engine's configuration, at its start and for each reload: what is found counts when it is trusted. */
export function configReader(
  options: ConfigOptions,
  cwd: string,
  points: PointSet,
): () => Promise<LoadedConfig> {
  const { config, overrides, agent } = options;
  return async () => {
    const loaded = await loadVouched({
      ...(config !== undefined && { config }),
      ...(overrides && { overrides }),
      ...(agent !== undefined && { agent }),
      cwd,
      points,
    });
    return withSelfGuard(loaded, options, cwd);
  };
}
