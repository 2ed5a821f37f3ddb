import { loadBundles } from "../../fleet/index.ts";
import type { PointSet } from "../../core/index.ts";
import { loadTrusted } from "../../config/index.ts";
import type { LoadTrustedOptions, TrustedConfig } from "../../config/index.ts";
import type { EngineOptions } from "./options.ts";
import { withSelfGuard } from "./self-guard.ts";

/** Reads the configuration. */
export type ConfigReader = (
  how?: Pick<LoadTrustedOptions, "asActiveLast">,
) => Promise<TrustedConfig>;

type ConfigOptions = Pick<
  EngineOptions,
  | "config"
  | "overrides"
  | "seal"
  | "files"
  | "selfGuard"
  | "stateDir"
  | "auditDir"
  | "machine"
  | "beforeRead"
>;

/**
 * Creates the reader of an engine's configuration, used at the start and for each reload. A discovered configuration
 * counts only when it is trusted.
 */
export function configReader(options: ConfigOptions, cwd: string, points: PointSet): ConfigReader {
  const { config, overrides, seal, files, machine } = options;
  return async (how) => {
    options.beforeRead?.();
    const loaded = await loadTrusted({
      ...(config !== undefined && { config }),
      ...(overrides && { overrides }),
      ...how,
      seal,
      named: files,
      machine,
      bundles: loadBundles,
      cwd,
      points,
    });
    return withSelfGuard(loaded, options, cwd);
  };
}
