import { loadBundles } from "../bundles/load-bundles.ts";
import type { PointSet } from "../core/points.ts";
import { defaultUserDir } from "../files/user-folders.ts";
import { looksOf } from "../trust/accepted.ts";
import type { LoadTrustedOptions, TrustedConfig } from "../trust/load-trusted.ts";
import { loadTrusted } from "../trust/load-trusted.ts";
import { TrustStore } from "../trust/trust-store.ts";
import { UserConfiguration } from "../trust/user-configuration.ts";
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

/** How often a configuration is read that changes while it is read. */
const TRIES = 4;

/**
 * Creates the reader of an engine's configuration, used at the start and for each reload. A discovered configuration
 * counts only when it is trusted, and when nothing of it was changed or put back while it was read.
 */
export function configReader(options: ConfigOptions, cwd: string, points: PointSet): ConfigReader {
  const { config, overrides, seal, files, machine, beforeRead } = options;
  return async (how) => {
    for (let left = TRIES; ; left--) {
      // What somebody is about to save is not put back, half written, before it is whole.
      if (beforeRead && config === undefined) await ownConfiguration().settled();
      beforeRead?.();
      const before = beforeRead && ownLooks();
      const loaded = await loadTrusted({
        ...(config !== undefined && { config }),
        ...(overrides && { overrides }),
        ...how,
        ...(left === 0 && { asActiveLast: true }),
        seal,
        named: files,
        machine,
        bundles: loadBundles,
        cwd,
        points,
        compared: beforeRead,
      });
      beforeRead?.();
      if (left > 0 && before !== undefined && ownLooks() !== before) continue;
      return withSelfGuard(loaded, options, cwd);
    }
  };
}

function ownConfiguration(): UserConfiguration {
  return new UserConfiguration(defaultUserDir(), new TrustStore());
}

/** What decides which content of the user's own configuration counts: metadata of its files, and whether it waits. */
function ownLooks(): string {
  const user = ownConfiguration();
  return [user.isHeld, ...user.files.map(looksOf)].join("\n");
}
