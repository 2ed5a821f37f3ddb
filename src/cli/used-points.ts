import { join } from "node:path";
import { CONFIG_NAME } from "../config/found-files.ts";
import { configPlace } from "../host/config-place.ts";
import { createOrcs } from "../host/create-orcs.ts";
import { stderrLogger } from "../host/stderr-logger.ts";
import type { UsedPoints } from "../serve/install/plan.ts";
import { usedBy } from "../serve/install/used-by.ts";

/**
 * The hook points of the hooks that are on, in the configuration that `orcs hook` would have. No hook runs, but
 * scripts are loaded.
 * @param config a file that was named, relative to `cwd`; undefined for what is found
 * @throws OrcsError ORCS1015 with every mistake
 */
export async function usedPoints(cwd: string, config: string | undefined): Promise<UsedPoints> {
  const place = configPlace(cwd, config);
  const orcs = await createOrcs({
    cwd: place.directory,
    config: place.config,
    auditDir: false,
    untrusted: "ignore",
    selfGuard: true,
    logger: stderrLogger("error"),
  });
  const points = usedBy(orcs.registry.list().filter(({ id }) => orcs.registry.isEnabled(id)));
  const { notice } = orcs;
  await orcs.close();
  const file = place.config === false ? "" : join(place.directory, CONFIG_NAME);
  return {
    config: typeof place.config === "string" ? place.config : file,
    points,
    note: notice && `${notice.text}; then run orcs install again`,
  };
}
