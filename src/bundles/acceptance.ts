import { isLaterVersion } from "../core/versions.ts";
import { OrcsError } from "../core/errors.ts";
import type { BundleHeader } from "./header.ts";

/** What a machine requires of a bundle that a trusted key signed. */
export interface Acceptance {
  /** In milliseconds since 1970. */
  readonly now: number;
  /** The version of this orcs. */
  readonly version: string;
  /** The name and revision that was active last, if any. */
  readonly last?: { readonly name: string; readonly revision: number } | undefined;
}

/** How far the clocks of two machines may differ. */
export const SKEW_MS = 5 * 60_000;

/**
 * Expects that a bundle may be used here and now.
 * @throws OrcsError ORCS9003 for its time, ORCS9004 for an older revision, ORCS9008 for a later orcs
 */
export function expectAcceptable(header: BundleHeader, { now, version, last }: Acceptance): void {
  const { name, revision, not_before, expires, requires } = header;
  const what = `the bundle ${name}, revision ${revision},`;
  const clock = new Date(now).toISOString();
  if (not_before !== null && Date.parse(not_before) > now + SKEW_MS) {
    const why = `${what} is valid from ${not_before}, and the clock of this machine is at ${clock}`;
    throw new OrcsError("ORCS9003", why, { name, revision, not_before });
  }
  if (expires !== null && Date.parse(expires) <= now) {
    const why = `${what} expired at ${expires}; the clock of this machine is at ${clock}`;
    throw new OrcsError("ORCS9003", why, { name, revision, expires });
  }
  if (isLaterVersion(requires, version)) {
    const why = `${what} needs orcs ${requires} or later, and this is ${version}`;
    throw new OrcsError("ORCS9008", why, { name, revision, requires });
  }
  if (last && last.name !== name) {
    const why = `${what} has another name than ${last.name}, which was active: publish it at another url, and set that in [bundle]`;
    throw new OrcsError("ORCS9004", why, { name, revision });
  }
  if (last && last.revision > revision) {
    const why = `${what} is older than revision ${last.revision}, which was active`;
    throw new OrcsError("ORCS9004", why, { name, revision, last: last.revision });
  }
}
