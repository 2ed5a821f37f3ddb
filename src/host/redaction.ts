import { createRedactor } from "../audit/redact/redactor.ts";
import type { Settings } from "../config/settings.ts";
import type { Logger, LogLevel, Redactor } from "../core/ports.ts";
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
  const masked =
    (level: LogLevel) =>
    (message: string): void => {
      if (logger.hears?.(level) !== false) logger[level](redactor.text(message));
    };
  return {
    debug: masked("debug"),
    info: masked("info"),
    warn: masked("warn"),
    error: masked("error"),
    hears: (level) => logger.hears?.(level) ?? true,
  };
}
