import { type MeterProvider, metrics, trace, type TracerProvider } from "@opentelemetry/api";
import type { Orcs } from "../../engine/index.ts";
import { emitEntry, type RecordLoggers } from "./logs.ts";
import { MetricWriter } from "./meters.ts";
import { SpanWriter } from "./spans.ts";

export { ATTRIBUTES } from "./attributes.ts";
export { METERS } from "./meters.ts";

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
