import { escapeControl, LOG_LEVELS, loggerOf } from "../../core/index.ts";
import type { Logger, LogLevel, Redactor } from "../../core/index.ts";
import { createRedactor } from "../../guards/index.ts";

/** A logger that redacts its messages. */
export function redactedLogger(logger: Logger, redactor: Redactor): Logger {
  const masked = loggerOf((level, message) => {
    if (logger.hears?.(level) !== false) logger[level](redactor.text(message));
  });
  return { ...masked, hears: (level) => logger.hears?.(level) ?? true };
}

/** A logger that begins each message with a text. */
export function prefixedLogger(logger: Logger, prefix: string): Logger {
  return {
    ...loggerOf((level, message) => logger[level](prefix + message)),
    hears: (level) => logger.hears?.(level) ?? true,
  };
}

/** Log an error line by line: a log does not show line breaks, and a caret must stay below its column. */
export function logLines(logger: Logger, text: string): void {
  for (const line of text.split("\n")) logger.error(line);
}

/** A logger with a level that can be changed. */
export interface StderrLogger extends Logger {
  /** Messages below this level are dropped. */
  least: LogLevel;
}

/**
 * A logger that writes lines to stderr. Known kinds of secrets are redacted: messages such as the line of an invalid
 * configuration are printed before there is an engine with its own redactor.
 * @param print writes a line; default: the stderr of the process
 */
export function stderrLogger(
  least: LogLevel,
  print = (line: string): void => void process.stderr.write(line),
): StderrLogger {
  let redactor: Redactor | undefined;
  const hears = (level: LogLevel): boolean =>
    LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(logger.least);
  const written = loggerOf((level, message) => {
    if (!hears(level)) return;
    redactor ??= createRedactor();
    print(`orcs ${level}: ${escapeControl(redactor.text(message))}\n`);
  });
  const logger: StderrLogger = { least, ...written, hears };
  return logger;
}
