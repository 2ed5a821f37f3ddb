import { setTimeout } from "node:timers/promises";
import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-http";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchLogRecordProcessor, LoggerProvider } from "@opentelemetry/sdk-logs";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { Orcs } from "../../engine/index.ts";
import { ownVersion } from "../../machine/index.ts";
import { instrument } from "./otel.ts";

/** Where to send, and what. */
export interface ExportOptions {
  /** The base URL of a collector that speaks OTLP over HTTP; default: what the variables of OpenTelemetry say. */
  readonly endpoint: string | undefined;
  readonly content: boolean;
}

/** Providers that export what the engines of a process do. */
export interface Exporting {
  /** Report what an engine does, until it is closed. */
  attach(orcs: Orcs): void;
  /** Send what is held back, within the time limit, while the collector takes it. Never rejects. */
  shutdown(withinMs: number): Promise<void>;
}

/**
 * Spans and records that are held back while the collector is slow; more are dropped. At a kilobyte each, this is the
 * memory that a collector which is down may cost.
 */
const QUEUE = { maxQueueSize: 65_536, maxExportBatchSize: 512, scheduledDelayMillis: 1000 };

/** A collector that takes nothing for so long is not waited for at the end. */
const STALLED_MS = 2000;

/** Open exporters. This file is loaded when they are wanted, and not before: it takes longer to load than orcs does. */
export function openExporters({ endpoint, content }: ExportOptions): Exporting {
  const at = (signal: string) =>
    endpoint === undefined ? {} : { url: `${endpoint.replace(/\/$/, "")}/v1/${signal}` };
  const name = process.env["OTEL_SERVICE_NAME"] || "orcs";
  const resource = resourceFromAttributes({
    "service.name": name,
    "service.version": ownVersion(),
  });
  let sent = 0;
  const counting = <Items>(exporter: Exporter<Items>): void => {
    const send = exporter.export.bind(exporter);
    exporter.export = (items, done) =>
      send(items, (result) => {
        if (result.code === 0) sent++;
        done(result);
      });
  };
  const traces = new OTLPTraceExporter(at("traces"));
  const metrics = new OTLPMetricExporter(at("metrics"));
  const logs = new OTLPLogExporter(at("logs"));
  counting(traces);
  counting(metrics);
  counting(logs);
  const tracerProvider = new BasicTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(traces, QUEUE)],
  });
  const meterProvider = new MeterProvider({
    resource,
    readers: [new PeriodicExportingMetricReader({ exporter: metrics })],
  });
  const loggerProvider = new LoggerProvider({
    resource,
    processors: [new BatchLogRecordProcessor({ exporter: logs, ...QUEUE })],
  });
  const providers = { tracerProvider, meterProvider, loggerProvider };
  const stops = new Set<() => void>();
  return {
    attach(orcs) {
      stops.add(instrument(orcs, { ...providers, content }));
    },
    async shutdown(withinMs) {
      for (const stop of stops) stop();
      const ended = Promise.allSettled(
        [tracerProvider, meterProvider, loggerProvider].map((provider) => provider.shutdown()),
      );
      await whileMoving(ended, () => sent, withinMs);
    },
  };
}

/** What all three exporters have. */
interface Exporter<Items> {
  export(items: Items, done: (result: { code: number }) => void): void;
}

/** Wait for an end, at most `withinMs`, and only while a count goes up. */
async function whileMoving(
  ended: Promise<unknown>,
  count: () => number,
  withinMs: number,
): Promise<void> {
  const over = ended.then(() => true);
  for (let left = withinMs; left > 0; left -= STALLED_MS) {
    const before = count();
    const timer = new AbortController();
    const late = setTimeout(Math.min(left, STALLED_MS), false, { signal: timer.signal });
    const isOver = await Promise.race([over, late.catch(() => false)]);
    timer.abort();
    if (isOver || count() === before) return;
  }
}
