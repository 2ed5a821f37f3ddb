import { sha256, userStateDir } from "../machine/index.ts";
import { join } from "node:path";
import type { ConfigPlace } from "../config/index.ts";

/** The default directory of a configuration's `orcs.state`, without `[paths] state`. */
export function defaultStateDir({ key }: ConfigPlace): string {
  return join(userStateDir(), sha256(key).slice(0, 16));
}

/** The default directory of a configuration's audit log, without `[paths] audit`. */
export function defaultAuditDir(place: ConfigPlace): string {
  return join(defaultStateDir(place), "audit");
}
