import { configPlace, loadConfig, type Settings, shownMachineFiles } from "../config/index.ts";
import { OrcsError } from "../core/index.ts";
import { appendTrustChange, stderrLogger, type TrustLine } from "../engine/index.ts";
import { defaultAuditDir } from "../daemon/index.ts";

/**
 * Record what `orcs trust` does before it does it, in the audit log of `orcs hook` for that directory.
 * @returns the reason why it must not be done: it cannot be recorded, and the user's `[audit] on_error` is not "open"
 */
export async function writeTrustLine(line: TrustLine): Promise<string | undefined> {
  const place = configPlace(line.directory, undefined);
  const settings = await ownSettings(line.directory);
  return appendTrustChange(line, settings, defaultAuditDir(place), stderrLogger("warn"));
}

/**
 * The same for what must be recorded.
 * @throws OrcsError ORCS8005 with the reason
 */
export async function requireTrustLine(line: TrustLine): Promise<void> {
  const refusal = await writeTrustLine(line);
  if (refusal !== undefined) throw new OrcsError("ORCS8005", refusal.replace(/^ORCS8005: /, ""));
}

/** The user's settings: a project must not influence what is recorded about it. Defaults if they have errors. */
async function ownSettings(cwd: string): Promise<Settings> {
  const around = {
    cwd,
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
