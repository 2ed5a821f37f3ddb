import type { PointSet } from "../core/points.ts";
import type { EngineOptions } from "./engine-options.ts";
import { withSelfGuard } from "./self-guard.ts";
import { loadVouched } from "./trust/load-vouched.ts";
import type { VouchedConfig, VouchedOptions } from "./trust/load-vouched.ts";

/** Reads the configuration again. */
export type ConfigReader = (how?: Pick<VouchedOptions, "asActiveLast">) => Promise<VouchedConfig>;

type ConfigOptions = Pick<
  EngineOptions,
  "config" | "overrides" | "agent" | "seal" | "selfGuard" | "stateDir" | "auditDir"
>;

/** Reads an engine's configuration, at its start and for each reload: what is found counts when it is trusted. */
export function configReader(options: ConfigOptions, cwd: string, points: PointSet): ConfigReader {
  const { config, overrides, agent, seal } = options;
  return async (how) => {
    const loaded = await loadVouched({
      ...(config !== undefined && { config }),
      ...(overrides && { overrides }),
      ...(agent !== undefined && { agent }),
      ...how,
      seal,
      cwd,
      points,
    });
    return withSelfGuard(loaded, options, cwd);
  };
}
