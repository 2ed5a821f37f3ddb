import { hostname, platform } from "node:os";
import { join } from "node:path";
import type { BundleState } from "../fleet/index.ts";
import { type ConfigPlace, type Settings, durationMs } from "../config/index.ts";
import { type JsonObject, type Logger, messageOf } from "../core/index.ts";
import { auditDirOf, logIdOf } from "../engine/index.ts";
import { ownVersion, userStateDir } from "../machine/index.ts";
import { type DaemonOptions, defaultAuditDir } from "../daemon/index.ts";

type ShipLog = NonNullable<DaemonOptions["shipLog"]>;

/** Sends the audit log of a service to its receiver. What it needs is loaded when there is one. */
export function logShipping(place: ConfigPlace, logger: Logger): ShipLog {
  return (settings, metrics) => {
    if (settings.ship.url === undefined) return undefined;
    const shipper = beginShipping(settings, place, logger, metrics);
    const stopped = inBackground(shipper, "the audit log is not sent", logger);
    return async (withinMs) => stopped((begun) => begun.stop(withinMs));
  };
}

async function beginShipping(
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

type PollBundle = NonNullable<DaemonOptions["pollBundle"]>;

/** Keeps the bundle of a service up to date. What it needs is loaded when there is one. */
export function bundlePolling(place: ConfigPlace, logger: Logger): PollBundle {
  return (settings, polled) => {
    if (settings.bundle.url === undefined) return undefined;
    const poller = beginPolling(settings, place, logger, polled);
    const stopped = inBackground(poller, "the bundle is not polled", logger);
    return () => void stopped((begun) => begun.stop());
  };
}

/** Work that has to be loaded first. @param problem what is said when that fails @returns ends it; never rejects */
function inBackground<T>(begun: Promise<T>, problem: string, logger: Logger) {
  begun.catch((thrown: unknown) => logger.error(`${problem}: ${messageOf(thrown)}`));
  return async (stop: (work: T) => unknown): Promise<void> => {
    await begun.then(stop).catch(() => undefined);
  };
}

async function beginPolling(
  settings: Settings,
  place: ConfigPlace,
  logger: Logger,
  polled: Parameters<PollBundle>[1],
) {
  const { BundlePoller, shownUrl } = await import("../fleet/index.ts");
  const { appendBundleLine } = await import("../engine/index.ts");
  const { proofProblem } = await import("./bundle-proof.ts");
  const { url = "" } = settings.bundle;
  let refused: string | undefined;
  return new BundlePoller({ ...settings.bundle, url }, { prove: proofProblem }, (result) => {
    polled(result);
    const note = (line: Parameters<typeof appendBundleLine>[0]): void =>
      void appendBundleLine(line, settings, defaultAuditDir(place), logger);
    if (result.is === "refused") {
      // The same refusal at each poll is told once.
      if (refused === result.message) return;
      refused = result.message;
      logger.error(`the last good bundle stays: ${result.message}`);
      note({ action: "refused", url: shownUrl(url), reason: result.message });
      return;
    }
    refused = undefined;
    if (result.is === "unchanged") return;
    const { name, revision } = result;
    logger.info(`fetched the bundle ${name}, revision ${revision}`);
    note({ action: "activated", url: shownUrl(url), name, revision });
  });
}
