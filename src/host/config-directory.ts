import { join } from "node:path";
import { userFolder } from "../config/found-files.ts";

/** The directory of the user's in which a configuration's state is kept when `[paths] state` does not say. */
export function userStateDir(): string {
  return join(userFolder("XDG_STATE_HOME", join(".local", "state")), "orcs");
}
