import { type MeterProvider, metrics, trace, type TracerProvider } from "@opentelemetry/api";
import type { JsonObject } from "../../core/index.ts";
import type { Orcs } from "../../engine/index.ts";
import { MetricWriter } from "./meters.ts";
import { SpanWriter } from "./spans.ts";

export { ATTRIBUTES } from "./attributes.ts";
export { METERS } from "./meters.ts";

/** A record, as a logger of `@opentelemetry/api-logs` takes it. */
interface LogRecord {
  readonly eventName: string;
  readonly severityNumber: number;
  readonly severityText: string;
  readonly body: string;
  readonly attributes: Record<string, string | number | boolean>;
}

/** A logger of OpenTelemetry. Its API is a package of its own, which programs without logs do not need. */
interface RecordLogger {
  emit(record: LogRecord): void;
}

/** The part of a `LoggerProvider` of OpenTelemetry that is used. */
interface RecordLoggers {
  getLogger(name: string): RecordLogger;
}

/** Where spans, metrics and log records go. */
export interface OtelOptions {
  /** Default: the one that the program has registered globally. */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Default: the one that the program has registered globally. */
  readonly meterProvider?: MeterProvider | undefined;
  /** Gets the entries of the audit log; without it, they are not sent. */
  readonly loggerProvider?: RecordLoggers | undefined;
  /** Whether spans carry arguments and results of tools, with secrets masked. Default: false. */
  readonly content?: boolean | undefined;
}

/** The name of the instrumentation. */
const SCOPE = "orcs";

/**
 * Report what an engine does to OpenTelemetry: a span for each operation or dispatch and for each hook, metrics, and
 * the entries of the audit log as log records. Nothing that it does can delay or fail a dispatch.
 * @returns ends it; spans that are still open are ended
 */
export function instrument(
  orcs: Pick<Orcs, "events" | "redact">,
  options: OtelOptions = {},
): () => void {
  const tracers = options.tracerProvider ?? trace.getTracerProvider();
  const meters = options.meterProvider ?? metrics.getMeterProvider();
  const spans = new SpanWriter({
    tracer: tracers.getTracer(SCOPE),
    content: options.content === true,
    redact: (value) => orcs.redact(value),
  });
  const counts = new MetricWriter(meters.getMeter(SCOPE));
  const logger = options.loggerProvider?.getLogger(SCOPE);
  const { events } = orcs;
  const stops = [
    events.on("dispatch_started", (event) => spans.started(event)),
    events.on("hook", (step) => {
      spans.hook(step);
      counts.hook(step);
    }),
    events.on("failed", (event) => counts.failed(event)),
    events.on("dropped", (event) => counts.dropped(event)),
    events.on("dispatched", (event) => {
      spans.dispatched(event);
      counts.dispatched(event);
    }),
    events.on("operation_ended", (event) => spans.operationEnded(event)),
  ];
  if (logger) stops.push(events.on("audited", ({ entry }) => emitEntry(logger, entry)));
  return () => {
    for (const stop of stops) stop();
    spans.close();
  };
}

/** Source: https://opentelemetry.io/docs/specs/otel/logs/data-model/#field-severitynumber */
const SEVERITY = { INFO: 9, WARN: 13 } as const;

/** Kinds of entries that somebody should look at. */
const WARNINGS: readonly unknown[] = ["gap", "dropped", "reload_failed", "refused"];

/** Emit an entry of the audit log as a log record: its line as the body. */
function emitEntry(logger: RecordLogger, entry: JsonObject): void {
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
