import { createRedactor } from "../audit/redact/redactor.ts";
import type { Settings } from "../config/settings.ts";
import type { Logger, Redactor } from "../core/ports.ts";
import { compileMask } from "../matchers/mask-regex.ts";

/**
 * The one redactor of an engine: what is known to be secret, and what `[redact]` says.
 * @throws OrcsError ORCS1012 for a pattern that is not valid
 */
export function redactorOf({ redact }: Pick<Settings, "redact">): Redactor {
  const masks = redact.patterns.map((pattern) => compileMask("redact", pattern));
  return createRedactor({ keys: redact.keys, masks });
}

/** A text with what is known anyway to be a secret masked: for what is said where there is no engine. */
export function maskedText(text: string): string {
  return createRedactor({ keys: [], masks: [] }).text(text);
}

/** A logger whose messages are masked before anybody sees them. */
export function redactedLogger(logger: Logger, redactor: Redactor): Logger {
  return {
    debug: (message) => logger.debug(redactor.text(message)),
    info: (message) => logger.info(redactor.text(message)),
    warn: (message) => logger.warn(redactor.text(message)),
    error: (message) => logger.error(redactor.text(message)),
  };
}
