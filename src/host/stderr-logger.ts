import { createRedactor } from "../audit/redact/redactor.ts";
import { oneLine } from "../core/one-line.ts";
import { LOG_LEVELS } from "../core/ports.ts";
import type { Logger, LogLevel, Redactor } from "../core/ports.ts";

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
      print(`orcs ${level}: ${oneLine(redactor.text(message))}\n`);
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
