import { createRedactor } from "../audit/redact/redactor.ts";
import type { Settings } from "../config/settings.ts";
import type { Logger, LogLevel, Redactor } from "../core/ports.ts";
import { LOG_LEVELS } from "../core/ports.ts";
import { escapeControl } from "../core/text.ts";
import { compileMask } from "../patterns/mask-regex.ts";

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

/** A logger whose level can change while it is used. */
export interface StderrLogger extends Logger {
  /** What is below it is dropped. */
  least: LogLevel;
}

/**
 * A logger that writes lines to stderr. What shows as a secret is masked: much is said before there is an engine
 * with a redactor of its own, such as the line of a configuration that is wrong.
 * @param print how, when not by the stream of the process
 */
export function stderrLogger(
  least: LogLevel,
  print = (line: string): void => void process.stderr.write(line),
): StderrLogger {
  let redactor: Redactor | undefined;
  const hears = (level: LogLevel): boolean =>
    LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(logger.least);
  const write =
    (level: LogLevel) =>
    (message: string): void => {
      if (!hears(level)) return;
      redactor ??= createRedactor({ keys: [], masks: [] });
      print(`orcs ${level}: ${escapeControl(redactor.text(message))}\n`);
    };
  const logger: StderrLogger = {
    least,
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    hears,
  };
  return logger;
}
