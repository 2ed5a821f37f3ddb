import { OrcsError } from "../../core/errors.ts";

/** File in the directory of a log that its checkpoints are added to. */
export const CHECKPOINTS = "checkpoints.jsonl";

/** Where no log is. */
export function noLog(dir: string): OrcsError {
  return new OrcsError(
    "ORCS8006",
    `there is no audit log in ${dir}: nothing was written there yet`,
  );
}
