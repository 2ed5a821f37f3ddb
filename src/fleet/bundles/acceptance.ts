import { isLaterVersion, OrcsError } from "../../core/index.ts";
import type { BundleHeader } from "./header.ts";

/** What a machine requires of a bundle that a trusted key signed. */
export interface Acceptance {
  /** In milliseconds since 1970. */
  readonly now: number;
  /** The version of this orcs. */
  readonly version: string;
  /** The latest that was active, if any. */
  readonly last?: SeenRevision | undefined;
}

/** What counts of a bundle that was active, by one of the keys that signed it. */
export type SeenRevision = Pick<BundleHeader, "name" | "revision" | "not_before">;

/** Whether one is later: by its revision, and among equal ones by the time from which it is valid. */
export function isLater(one: SeenRevision, other: SeenRevision): boolean {
  if (one.revision !== other.revision) return one.revision > other.revision;
  return (one.not_before ?? "") > (other.not_before ?? "");
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
  if (last && isLater(last, header)) {
    const from = last.revision === revision ? `, valid from ${last.not_before},` : ",";
    const why = `${what} is older than revision ${last.revision}${from} which was active`;
    throw new OrcsError("ORCS9004", why, { name, revision, last: last.revision });
  }
}
