import { type Logger, traceContext, traceHeadersIn } from "../core/index.ts";
import type { CreateOrcsOptions, Orcs } from "../engine/index.ts";
import { configPlace } from "../config/index.ts";
import { EngineLease } from "./agent-gateway.ts";
import { defaultAuditDir, defaultStateDir } from "./default-dirs.ts";
import { selfGuardOptions } from "../agents/index.ts";

/**
 * The engine of a program that another one has started and talks to over the standard streams: with the configuration
 * of the working directory, and the trace of whoever started it.
 * @param config a file in its place
 */
export function stdioLease(
  config: string | undefined,
  record: CreateOrcsOptions["record"],
  log: Logger,
  opened?: (orcs: Orcs) => void,
): EngineLease {
  const place = configPlace(process.cwd(), config);
  const options = {
    cwd: place.directory,
    config: place.config,
    stateDir: defaultStateDir(place),
    auditDir: defaultAuditDir(place),
    untrusted: "ignore" as const,
    watch: true,
    record,
    ...traceContext(traceHeadersIn(process.env)),
    ...selfGuardOptions(place),
  };
  return new EngineLease(options, log, opened);
}
