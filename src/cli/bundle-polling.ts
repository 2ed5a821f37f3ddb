import { type Logger, messageOf } from "../core/index.ts";
import type { ConfigPlace, Settings } from "../config/index.ts";
import { type DaemonOptions, defaultAuditDir } from "../daemon/index.ts";

type PollBundle = NonNullable<DaemonOptions["pollBundle"]>;

/** Keeps the bundle of a service up to date. What it needs is loaded when there is one. */
export function bundlePolling(place: ConfigPlace, logger: Logger): PollBundle {
  return (settings, polled) => {
    if (settings.bundle.url === undefined) return undefined;
    const poller = begin(settings, place, logger, polled);
    const stopped = inBackground(poller, "the bundle is not polled", logger);
    return () => void stopped((begun) => begun.stop());
  };
}

/** Work that has to be loaded first. @param problem what is said when that fails @returns ends it; never rejects */
export function inBackground<T>(begun: Promise<T>, problem: string, logger: Logger) {
  begun.catch((thrown: unknown) => logger.error(`${problem}: ${messageOf(thrown)}`));
  return async (stop: (work: T) => unknown): Promise<void> => {
    await begun.then(stop).catch(() => undefined);
  };
}

async function begin(
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
