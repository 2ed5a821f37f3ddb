import { createOrcs } from "../host/create-orcs.ts";
import type { Orcs } from "../host/orcs.ts";
import { stderrLogger } from "../host/stderr-logger.ts";
import { printable } from "./table.ts";

/**
 * An engine for a verb that runs hooks: with a trace, and what scripts print and give out on stderr.
 * @param config file of the configuration; default what is found
 */
export async function openOrcs(config: string | undefined): Promise<Orcs> {
  const logger = stderrLogger("info");
  const orcs = await createOrcs({
    config,
    trace: true,
    logger,
    output: (text) => process.stderr.write(`${printable(text)}\n`),
  });
  if (orcs.settings.debug) logger.least = "debug";
  return orcs;
}
