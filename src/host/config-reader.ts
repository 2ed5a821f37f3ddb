import type { PointSet } from "../core/points.ts";
import type { EngineOptions } from "./engine-options.ts";
import { loadVouched } from "./trust/load-vouched.ts";
import type { VouchedConfig, VouchedOptions } from "./trust/load-vouched.ts";

/** Reads the configuration again. */
export type ConfigReader = (how?: Pick<VouchedOptions, "asActiveLast">) => Promise<VouchedConfig>;

type ConfigOptions = Pick<EngineOptions, "config" | "overrides" | "agent" | "seal">;

/** Reads an engine's configuration, at its start and for each reload: what is found counts when it is trusted. */
export function configReader(
  { config, overrides, agent, seal }: ConfigOptions,
  cwd: string,
  points: PointSet,
): ConfigReader {
  return (how) =>
    loadVouched({
      ...(config !== undefined && { config }),
      ...(overrides && { overrides }),
      ...(agent !== undefined && { agent }),
      ...how,
      seal,
      cwd,
      points,
    });
}
