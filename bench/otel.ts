import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { SpanExporter } from "@opentelemetry/sdk-trace-base";
import { createOrcs } from "orcs";
import { instrument } from "orcs/otel";
import { PAYLOAD } from "./context.ts";
import { timings } from "./measure.ts";
import type { Row } from "./report.ts";
import { ENFORCED } from "./shadow.ts";

const POINT = "tool.pre_execute";
/** What a collector takes is no cost of the process that decides. */
const NOWHERE: SpanExporter = {
  export: (_spans, done) => done({ code: 0 }),
  shutdown: () => Promise.resolve(),
};

/** What OpenTelemetry costs a decision, and what events cost when nobody listens any more. */
export async function otelRows(): Promise<Row[]> {
  const config = { hooks: ENFORCED };
  const [plain, heard, traced] = await Promise.all([
    createOrcs({ config }),
    createOrcs({ config }),
    createOrcs({ config }),
  ]);
  heard.events.on("hook", () => undefined)();
  const tracerProvider = new BasicTracerProvider({
    spanProcessors: [new BatchSpanProcessor(NOWHERE, { maxQueueSize: 100_000 })],
  });
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const stop = instrument(traced, { tracerProvider, meterProvider });
  const dispatch = (orcs: typeof plain) => () => orcs.dispatch(POINT, PAYLOAD);
  const [off = 0, after = 0, on = 0] = await timings([
    { name: "off", run: dispatch(plain) },
    { name: "after", run: dispatch(heard) },
    { name: "on", run: dispatch(traced) },
  ]);
  stop();
  await Promise.all([tracerProvider.shutdown(), meterProvider.shutdown()]);
  await Promise.all([plain.close(), heard.close(), traced.close()]);
  const against = "a decision of a guard and two hooks";
  return [
    row("otel", `${against} with spans and metrics, against none`, on, off),
    row("events_off", `${against} after a listener has gone, against never one`, after, off),
  ];
}

function row(key: string, what: string, us: number, baseline: number): Row {
  return { key, what, us, baseline, ratio: us / baseline };
}
