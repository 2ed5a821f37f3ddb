import { messageOf, OrcsError } from "../../core/errors.ts";
import type { Logger } from "../../core/ports.ts";
import type { ConfiguredHooks, Reloaded } from "./configured-hooks.ts";
import { Watcher } from "./watcher.ts";

/**
 * Loads a configuration anew whenever something of it was saved, once the watcher is started.
 * @param looksFor folders in which a configuration is looked for: one may yet be written
 */
export function watchConfiguration(
  configured: ConfiguredHooks,
  looksFor: readonly string[],
  engine: { readonly logger: Logger; reload(saved: boolean): Promise<Reloaded> },
): Watcher {
  const { logger } = engine;
  return new Watcher({
    files: () => configured.files,
    folders: () => [...looksFor, ...configured.folders],
    changed: async () => {
      try {
        const { hooks, duration_ms } = await engine.reload(true);
        logger.info(`reloaded: ${hooks} hooks in ${duration_ms.toFixed(0)} ms`);
      } catch (thrown) {
        // Mistakes were told; anything else must not end the watching.
        if (!(thrown instanceof OrcsError)) logger.error(`reload: ${messageOf(thrown)}`);
      }
    },
  });
}
