import { createOrcs } from "../engine/create-orcs.ts";
import type { CreateOrcsOptions } from "../engine/options.ts";
import type { Orcs } from "../engine/orcs.ts";
import { stderrLogger } from "../engine/redaction.ts";
import { printable } from "./table.ts";

/** What a verb wants of its engine besides. */
interface OpenOptions extends Pick<
  CreateOrcsOptions,
  "askTerminal" | "auditDir" | "record" | "watch"
> {
  /** Called when a signal ends the program, once the engine closes. */
  readonly interrupted?: () => void;
}

/**
 * An engine for a verb that runs hooks: with a trace, and what scripts print and give out on stderr. It keeps an
 * audit log where it is told to, and else none: to try hooks is no use of them.
 * @param config file of the configuration; default what is found
 */
export async function openOrcs(
  config: string | undefined,
  { interrupted, ...more }: OpenOptions = {},
): Promise<Orcs> {
  const logger = stderrLogger("info");
  const orcs = await createOrcs({
    auditDir: false,
    untrusted: "ignore",
    ...more,
    config,
    trace: true,
    logger,
    output: (text) => process.stderr.write(`${printable(text)}\n`),
  });
  if (orcs.settings.debug) logger.least = "debug";
  closeOnSignals(orcs, interrupted);
  return orcs;
}

/** Commands run in process groups of their own, which neither Ctrl-C nor a closed terminal reaches. */
function closeOnSignals(orcs: Orcs, interrupted: (() => void) | undefined): void {
  for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 })) {
    process.once(signal, () => {
      void orcs.close().finally(() => process.exit(128 + number));
      interrupted?.();
    });
  }
}
