import { defaultUserDir } from "../../machine/index.ts";
import { loadBundles } from "../../fleet/index.ts";
import type { PointSet } from "../../core/index.ts";
import { loadTrusted, looksOf, TrustStore, UserConfiguration } from "../../config/index.ts";
import type { LoadTrustedOptions, TrustedConfig } from "../../config/index.ts";
import type { EngineOptions } from "./options.ts";
import { withSelfGuard } from "./self-guard.ts";

/** Reads the configuration. */
export type ConfigReader = (
  how?: Pick<LoadTrustedOptions, "asActiveLast">,
) => Promise<TrustedConfig>;

/** How often a configuration is read that changes while it is read. */
const TRIES = 4;

/**
 * Creates the reader of an engine's configuration, used at the start and for each reload. A discovered configuration
 * counts only when it is trusted, and when nothing of it was changed or put back while it was read.
 */
export function configReader(options: EngineOptions, cwd: string, points: PointSet): ConfigReader {
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
