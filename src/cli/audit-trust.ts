import { loadConfig } from "../config/load.ts";
import type { Settings } from "../config/settings.ts";
import { OrcsError } from "../core/errors.ts";
import { pointSet } from "../core/points.ts";
import type { TrustLine } from "../engine/orcs/audit/append-entry.ts";
import { appendTrustChange } from "../engine/orcs/audit/append-entry.ts";
import { configPlace } from "../config/trust/config-place.ts";
import { stderrLogger } from "../engine/orcs/loggers.ts";
import { defaultAuditDir } from "../daemon/default-dirs.ts";
import { shownMachineFiles } from "../config/trust/machine-configuration.ts";
import { SHIPPED_HOOKS } from "../config/trust/script-sources.ts";

/**
 * Record what `orcs trust` does before it does it, in the audit log of `orcs hook` for that directory.
 * @returns the reason why it must not be done: it cannot be recorded, and the user's `[audit] on_error` is not "open"
 */
export async function writeTrustLine(line: TrustLine): Promise<string | undefined> {
  const place = configPlace(line.directory, undefined);
  const settings = await ownSettings(line.directory);
  return appendTrustChange(line, settings, defaultAuditDir(place), stderrLogger("warn"));
}

/** The user's settings: a project must not influence what is recorded about it. Defaults if they have errors. */
async function ownSettings(cwd: string): Promise<Settings> {
  const around = {
    cwd,
    points: pointSet(),
    shippedDir: SHIPPED_HOOKS,
    machine: shownMachineFiles(),
  };
  try {
    const config = await loadConfig({ ...around, project: false });
    return config.settings;
  } catch (thrown) {
    if (!(thrown instanceof OrcsError)) throw thrown;
    return (await loadConfig({ ...around, config: false })).settings;
  }
}
