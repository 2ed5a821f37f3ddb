import type { JsonObject } from "../../core/index.ts";

/** A record, as a logger of `@opentelemetry/api-logs` takes it. */
interface LogRecord {
  readonly eventName: string;
  readonly severityNumber: number;
  readonly severityText: string;
  readonly body: string;
  readonly attributes: Record<string, string | number | boolean>;
}

/** A logger of OpenTelemetry. Its API is a package of its own, which programs without logs do not need. */
export interface RecordLogger {
  emit(record: LogRecord): void;
}

/** The part of a `LoggerProvider` of OpenTelemetry that is used. */
export interface RecordLoggers {
  getLogger(name: string): RecordLogger;
}

/** Source: https://opentelemetry.io/docs/specs/otel/logs/data-model/#field-severitynumber */
const SEVERITY = { INFO: 9, WARN: 13 } as const;

/** Kinds of entries that somebody should look at. */
const WARNINGS: readonly unknown[] = ["gap", "dropped", "reload_failed", "refused"];

/** Emit an entry of the audit log as a log record: its line as the body. */
export function emitEntry(logger: RecordLogger, entry: JsonObject): void {
  const { kind, action } = entry;
  const severity = WARNINGS.includes(kind) || action === "abort" ? "WARN" : "INFO";
  logger.emit({
    eventName: "orcs.audit",
    severityNumber: SEVERITY[severity],
    severityText: severity,
    body: JSON.stringify(entry),
    attributes: scalars(entry),
  });
}

/** The values of an entry that can be searched for. */
function scalars(entry: JsonObject): Record<string, string | number | boolean> {
  const found: Record<string, string | number | boolean> = {};
  for (const [key, value] of Object.entries(entry)) {
    if (typeof value === "object") continue;
    found[`orcs.audit.${key}`] = value;
  }
  return found;
}
