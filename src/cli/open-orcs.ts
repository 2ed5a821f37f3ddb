import { onEndingSignals } from "./signals.ts";
import { traceContext, traceHeadersIn } from "../core/index.ts";
import { createOrcs, openOrcs as openEngine, stderrLogger } from "../engine/index.ts";
import type { CreateOrcsOptions, EngineOptions, Orcs } from "../engine/index.ts";
import { printable } from "./table.ts";

/** Options of the engine of a verb. */
interface OpenOptions extends Pick<
  EngineOptions,
  "askTerminal" | "auditDir" | "lines" | "opened" | "record" | "watch"
> {
  /** Called when a signal ends the program, after the engine was closed. */
  readonly interrupted?: () => void;
}

/** An engine to look at what it has: nothing is logged, and what is not trusted is inactive. */
export function openToLook(options: CreateOrcsOptions): Promise<Orcs> {
  const quiet = { auditDir: false, untrusted: "ignore", logger: stderrLogger("error") } as const;
  return createOrcs({ ...quiet, ...options });
}

/** The enabled hooks of a configuration, with those of orcs itself. No hook runs, but scripts are loaded. */
export async function enabledHooks(options: CreateOrcsOptions) {
  const orcs = await openToLook({ selfGuard: true, ...options });
  const { registry, notice, settings } = orcs;
  const hooks = registry.list().filter(({ id }) => registry.isEnabled(id));
  await orcs.close();
  return { hooks, notice, settings };
}

/**
 * An engine for a verb that runs hooks: with a trace, and with the output of scripts on stderr. It has an audit log
 * only if configured: trying hooks is not using them.
 * @param config file of the configuration; default: the discovered one
 */
export async function openOrcs(
  config: string | undefined,
  { interrupted, ...more }: OpenOptions = {},
): Promise<Orcs> {
  const logger = stderrLogger("info");
  const orcs = await openEngine({
    auditDir: false,
    untrusted: "ignore",
    ...more,
    ...traceContext(traceHeadersIn(process.env)),
    config,
    trace: true,
    logger,
    output: (text) => process.stderr.write(`${printable(text)}\n`),
  });
  if (orcs.settings.debug) logger.least = "debug";
  // Commands run in process groups of their own, which neither Ctrl-C nor a closed terminal reaches.
  onEndingSignals((exitCode) => {
    void orcs.close().finally(() => process.exit(exitCode));
    interrupted?.();
  });
  return orcs;
}
