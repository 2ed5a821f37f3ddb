import { type Diagnostic, isSameText, OrcsError } from "../../core/index.ts";
import type { EditedScript } from "../../engine/index.ts";
import type { SeenDispatch } from "../../daemon/index.ts";
import { outcomeDifference } from "../../records/index.ts";
import type { Replayed } from "../replay/replay-set.ts";
import { replay } from "../replay/replay.ts";
import type { ReplayAnswer } from "./api.ts";
import { withRecord } from "./one-record.ts";

/** The configuration of the page. */
export interface InspectedPlace {
  /** A file; undefined for the one that is discovered from the directory. */
  readonly config: string | undefined;
  readonly directory: string;
  /** Whether its hooks answer coding agents: orcs' own guard is in front of them. */
  readonly isService?: boolean;
}

/**
 * Run the hooks as they are now, or with an edited script, on an event that has happened. No tool, command, webhook or
 * module runs.
 */
export async function replayOne(
  dispatch: SeenDispatch,
  { config, directory }: InspectedPlace,
  edited: EditedScript | undefined,
): Promise<ReplayAnswer> {
  const logs: string[] = [];
  const log = (text: string): void => void logs.push(text);
  const logger = { debug: log, info: log, warn: log, error: log };
  let is: Replayed | undefined;
  let outside: string[] = [];
  try {
    await withRecord(dispatch, (file) =>
      replay({
        file,
        set: { config, cwd: directory, logger, edited },
        differs: () => undefined,
        begun: (set) => {
          logs.length = 0;
          outside = set.outside.map(({ id }) => id);
        },
        replayed: (_event, replayed) => (is = replayed),
      }),
    );
  } catch (thrown) {
    if (!(thrown instanceof OrcsError) || thrown.code !== "ORCS1015") throw thrown;
    return { problems: thrown.diagnostics.map(shownProblem) };
  }
  if (!is) {
    throw new OrcsError("ORCS8007", "this event cannot be replayed with these hooks");
  }
  const { outcome: was } = dispatch;
  const difference = outcomeDifference(was, is.outcome, isSameText);
  return {
    was,
    is: is.outcome,
    differs: difference ? difference.keys : [],
    logs,
    unrecorded: is.unrecorded,
    not_run: is.wouldLeave ? outside : [],
  };
}

/** A finding for the editor. */
export function shownProblem({ message, severity, place, hint }: Diagnostic) {
  return {
    message: hint === undefined ? message : `${message} (${hint})`,
    severity,
    ...(place && { file: place.file, line: place.line }),
    ...(place?.column !== undefined && { column: place.column }),
  };
}
