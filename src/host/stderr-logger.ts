import { LOG_LEVELS } from "../core/ports.ts";
import type { Logger, LogLevel } from "../core/ports.ts";

/** A logger whose level can change while it is used. */
export interface StderrLogger extends Logger {
  /** What is below it is dropped. */
  least: LogLevel;
}

/**
 * A logger that writes lines to stderr.
 * @param print how, when not by the stream of the process
 */
export function stderrLogger(
  least: LogLevel,
  print = (line: string): void => void process.stderr.write(line),
): StderrLogger {
  const write =
    (level: LogLevel) =>
    (message: string): void => {
      if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(logger.least)) return;
      print(`orcs ${level}: ${oneLine(message)}\n`);
    };
  const logger: StderrLogger = {
    least,
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
  };
  return logger;
}

/** Control characters escaped, so that a message cannot forge a line or steer a terminal. */
function oneLine(message: string): string {
  return message.replaceAll(/\p{Cc}/gu, (char) =>
    char === "\t" ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
