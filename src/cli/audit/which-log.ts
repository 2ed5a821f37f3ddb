import { OrcsError } from "../../core/errors.ts";
import { pointSet } from "../../core/points.ts";
import { auditDirOf } from "../../host/audit/open-trail.ts";
import { configPlace } from "../../host/config-place.ts";
import { loadVouched } from "../../host/trust/load-vouched.ts";
import { defaultAuditDir } from "../../serve/state-file.ts";

/** Which log is meant. */
export interface LogChoice {
  /** Its directory. */
  readonly dir?: string;
  /** Else that of this configuration; else that of the one that is found. */
  readonly config?: string;
}

/** The directory of the log that `orcs hook` and the others would write, for the same configuration. */
export async function logDirectory({ dir, config }: LogChoice): Promise<string> {
  if (dir !== undefined) return dir;
  const place = configPlace(process.cwd(), config);
  const standard = defaultAuditDir(place);
  if (place.config === false) return standard;
  try {
    const { settings, error } = await loadVouched({
      ...(place.config !== undefined && { config: place.config }),
      cwd: place.directory,
      points: pointSet(),
    });
    if (error) {
      process.stderr.write(
        "orcs: your configuration has errors: the log of its last good copy is meant\n",
      );
    }
    return auditDirOf(settings, standard) ?? standard;
  } catch (thrown) {
    if (!(thrown instanceof OrcsError) || config !== undefined) throw thrown;
    // What was written before it had mistakes can still be looked at.
    process.stderr.write(
      `orcs: the configuration has mistakes: the log is taken for ${standard}\n`,
    );
    return standard;
  }
}
