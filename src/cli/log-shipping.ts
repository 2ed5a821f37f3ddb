import { hostname, platform } from "node:os";
import { join } from "node:path";
import type { BundleState } from "../fleet/index.ts";
import { type ConfigPlace, durationMs, type Settings } from "../config/index.ts";
import type { JsonObject, Logger } from "../core/index.ts";
import { auditDirOf, logIdOf } from "../engine/index.ts";
import { ownVersion, userStateDir } from "../machine/index.ts";
import { type DaemonOptions, defaultAuditDir } from "../daemon/index.ts";
import { inBackground } from "./bundle-polling.ts";

type ShipLog = NonNullable<DaemonOptions["shipLog"]>;

/** Sends the audit log of a service to its receiver. What it needs is loaded when there is one. */
export function logShipping(place: ConfigPlace, logger: Logger): ShipLog {
  return (settings, metrics) => {
    if (settings.ship.url === undefined) return undefined;
    const shipper = begin(settings, place, logger, metrics);
    const stopped = inBackground(shipper, "the audit log is not sent", logger);
    return async (withinMs) => stopped((begun) => begun.stop(withinMs));
  };
}

async function begin(
  settings: Settings,
  place: ConfigPlace,
  logger: Logger,
  metrics: Parameters<ShipLog>[1],
) {
  const { BundleStore, Shipper } = await import("../fleet/index.ts");
  const { url = "", token_file, interval, status } = settings.ship;
  const dir = auditDirOf(settings, defaultAuditDir(place)) ?? defaultAuditDir(place);
  const stateDir = userStateDir();
  const log = logIdOf(dir);
  const bundle = new BundleStore();
  return new Shipper({
    url,
    tokenFile: token_file,
    intervalMs: durationMs(interval),
    statusMs: durationMs(status),
    dir,
    log,
    stateDir,
    cursorFile: join(stateDir, "audit-sent", `${log}.json`),
    status: () => ({
      host: hostname(),
      platform: platform(),
      orcs: ownVersion(),
      node: process.versions.node,
      ...metrics.status(),
      bundle: settings.bundle.url === undefined ? null : bundleStatus(bundle.state()),
    }),
    told: (shipped) => metrics.shipped(shipped),
    logger,
  });
}

function bundleStatus(state: BundleState | undefined): JsonObject | null {
  if (!state) return null;
  const { name, revision, checked, refused } = state;
  return {
    name,
    revision,
    checked: new Date(checked).toISOString(),
    refused: refused?.message ?? null,
  };
}
