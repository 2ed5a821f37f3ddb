import { createHash } from "node:crypto";
import { join } from "node:path";
import { userStateDir } from "../files/user-folders.ts";
import type { ConfigPlace } from "../trust/config-place.ts";

/** Where `orcs.state` of a configuration is kept when `[paths] state` does not say. */
export function defaultStateDir({ key }: ConfigPlace): string {
  return join(userStateDir(), createHash("sha256").update(key).digest("hex").slice(0, 16));
}

/** Where the audit log of a configuration is kept when `[paths] audit` does not say. */
export function defaultAuditDir(place: ConfigPlace): string {
  return join(defaultStateDir(place), "audit");
}
