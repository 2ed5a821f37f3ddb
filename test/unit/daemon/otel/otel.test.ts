import type { Context, Span } from "@opentelemetry/api";
import { context, createContextKey, ROOT_CONTEXT, SpanStatusCode, trace } from "@opentelemetry/api";
import {
  InMemoryLogRecordExporter,
  LoggerProvider,
  SimpleLogRecordProcessor,
} from "@opentelemetry/sdk-logs";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { describe, expect, it, onTestFinished } from "vitest";
import type { CreateOrcsOptions } from "../../../../src/engine/orcs/options.ts";
import { ATTRIBUTES } from "../../../../src/daemon/otel/attributes.ts";
import { METERS } from "../../../../src/daemon/otel/meters.ts";
import type { OtelOptions } from "../../../../src/daemon/otel/otel.ts";
import { instrument } from "../../../../src/daemon/otel/otel.ts";
import { folder, open } from "../../engine/orcs/engine.ts";

/** An engine whose spans, metrics and records are kept. */
async function rig(options: CreateOrcsOptions = {}, more: OtelOptions = {}) {
  const exported = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exported)],
  });
  const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({
    exporter: measured,
    exportIntervalMillis: 2 ** 30,
  });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const records = new InMemoryLogRecordExporter();
  const loggerProvider = new LoggerProvider({
    processors: [new SimpleLogRecordProcessor({ exporter: records })],
  });
  const orcs = await open(options);
  const stop = instrument(orcs, { tracerProvider, meterProvider, loggerProvider, ...more });
  onTestFinished(() => meterProvider.shutdown());
  return {
    orcs,
    stop,
    spans: () => exported.getFinishedSpans(),
    records: () => records.getFinishedLogRecords(),
    async metrics() {
      await meterProvider.forceFlush();
      return (
        measured
          .getMetrics()
          .at(-1)
          ?.scopeMetrics.flatMap(({ metrics }) => metrics) ?? []
      );
    },
  };
}

/** The spans as a tree of names, the children of each in the order of their ends. */
function treeOf(spans: readonly ReadableSpan[], parent?: string): unknown[] {
  return spans
    .filter(({ parentSpanContext }) =>
      parent === undefined
        ? !spans.some((other) => other.spanContext().spanId === parentSpanContext?.spanId)
        : parentSpanContext?.spanId === parent,
    )
    .map((span) => {
      const below = treeOf(spans, span.spanContext().spanId);
      return below.length === 0 ? span.name : { [span.name]: below };
    });
}

const attributesOf = (spans: readonly ReadableSpan[], name: string) =>
  spans.find((span) => span.name === name)?.attributes;

describe("spans", () => {
  it("are one for a call, and below it one for each hook and for what a hook calls", async () => {
    const { orcs, spans } = await rig();
    orcs.addTool("look", () => "seen");
    const asks = async (_: unknown, calls: { get(tool: string): Promise<unknown> }) =>
      void (await calls.get("look"));
    orcs.hook({ id: "guard", point: "tool.pre_execute", handler: () => undefined });
    orcs.hook({ id: "asks", point: "tool.pre_execute", match: { tool: "write" }, handler: asks });
    orcs.hook({ id: "mask", point: "tool.post_execute", handler: () => undefined });
    await orcs.call("write", { a: 1 }, { fn: () => "done", session_id: "s", tool_use_id: "t" });
    expect(treeOf(spans())).toEqual([
      {
        "execute_tool write": [
          "hook guard",
          { "execute_tool look": ["hook guard", "hook mask"] },
          "hook asks",
          "hook mask",
        ],
      },
    ]);
    expect(attributesOf(spans(), "execute_tool write")).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "write",
      "gen_ai.tool.call.id": "t",
      "gen_ai.conversation.id": "s",
      "orcs.point": "tool.pre_execute",
      "orcs.component": "host::main",
      "orcs.dispatch_id": expect.stringMatching(/^[0-9a-f]{16}$/),
      "orcs.action": "continue",
    });
    expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(1);
  });

  it("say who denied and why, with secrets masked, and what failed", async () => {
    const { orcs, spans } = await rig();
    orcs.hook({
      id: "breaks",
      point: "tool.pre_execute",
      onError: "open",
      handler: () => {
        throw new Error("password=hunter2hunter2");
      },
    });
    orcs.hook({
      id: "edits",
      point: "tool.pre_execute",
      handler: ({ payload }) => void ((payload["args"] as { b: number }).b = 2),
    });
    orcs.hook({
      id: "guard",
      point: "tool.pre_execute",
      handler: () => ({
        action: "abort",
        reason: "token=ghp_abcdefghijklmnopqrstuvwxyz0123456789",
      }),
    });
    await orcs.call("x", {}, { fn: () => 1 });
    const reason = "token=[redacted]";
    expect(attributesOf(spans(), "execute_tool x")).toMatchObject({
      "orcs.action": "abort",
      "orcs.hook.id": "guard",
      "orcs.reason": reason,
    });
    expect(attributesOf(spans(), "hook guard")).toMatchObject({
      "orcs.hook.status": "ran",
      "orcs.action": "abort",
      "orcs.reason": reason,
    });
    expect(attributesOf(spans(), "hook edits")).toMatchObject({ "orcs.hook.changes": 1 });
    const breaks = spans().find(({ name }) => name === "hook breaks");
    expect(breaks?.status).toEqual({ code: SpanStatusCode.ERROR, message: "password=[redacted]" });
    expect(breaks?.attributes).toMatchObject({ "error.type": "failed" });
    expect(spans().find(({ name }) => name === "execute_tool x")?.status.code).toBe(
      SpanStatusCode.UNSET,
    );
  });

  it("of a tool that throws have its error", async () => {
    const { orcs, spans } = await rig();
    const fn = (): never => {
      throw new TypeError("no");
    };
    await orcs.call("x", {}, { fn }).catch(() => undefined);
    expect(spans()).toHaveLength(1);
    expect(spans()[0]?.status).toEqual({ code: SpanStatusCode.ERROR, message: "no" });
    expect(spans()[0]?.attributes).toMatchObject({ "error.type": "TypeError" });
  });

  it("of events that come one by one are one each", async () => {
    const { orcs, spans } = await rig();
    orcs.hook({ id: "guard", point: "tool.pre_execute", handler: () => ({ decision: "ask" }) });
    const of = { tool_name: "exec", args: {}, tool_use_id: "t" };
    await orcs.dispatch("tool.pre_execute", of);
    await orcs.dispatch("tool.post_execute", { ...of, result: 1 });
    await orcs.dispatch("session.on_end", {});
    expect(treeOf(spans())).toEqual([
      { "execute_tool exec": ["hook guard"] },
      "execute_tool exec",
      "session.on_end",
    ]);
    expect(spans()[1]?.attributes).toMatchObject({ "orcs.decision": "ask" });
  });

  it("of asynchronous hooks belong to their dispatch", async () => {
    const { orcs, spans } = await rig();
    for (const id of ["one", "two"])
      orcs.hook({ id, point: "session.on_end", async: true, handler: () => undefined });
    await orcs.dispatch("session.on_end", {});
    await orcs.registry.idle();
    expect(treeOf(spans())).toEqual([{ "session.on_end": ["hook one", "hook two"] }]);
    expect(attributesOf(spans(), "hook two")).toMatchObject({ "orcs.hook.async": true });
  });

  it("carry arguments and results when asked, masked and cut", async () => {
    const { orcs, spans } = await rig({}, { content: true });
    const args = {
      command: "curl -H 'Authorization: Bearer ghp_abcdefghijklmnopqrstuvwxyz0123456789'",
    };
    await orcs.call("x", args, { fn: () => "y".repeat(20_000) });
    const { "gen_ai.tool.call.arguments": given, "gen_ai.tool.call.result": result } =
      attributesOf(spans(), "execute_tool x") ?? {};
    expect(given).toContain("curl");
    expect(given).not.toContain("ghp_");
    expect(result).toHaveLength(16_385);
  });

  it("continue the trace of the caller, or of the program's own span", async () => {
    const { orcs, spans } = await rig();
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    await orcs.dispatch("session.on_start", {}, { traceparent, tracestate: "a=b" });
    const [first] = spans();
    expect(first?.spanContext().traceId).toBe("4bf92f3577b34da6a3ce929d0e0e4736");
    expect(first?.parentSpanContext).toMatchObject({ spanId: "00f067aa0ba902b7", isRemote: true });
    expect(first?.parentSpanContext?.traceState?.get("a")).toBe("b");
    const outer = trace.wrapSpanContext({
      traceId: "1".repeat(32),
      spanId: "2".repeat(16),
      traceFlags: 1,
    });
    withActive(outer);
    await orcs.dispatch("session.on_end", {}, { traceparent });
    expect(spans()[1]?.parentSpanContext?.spanId).toBe("2".repeat(16));
  });

  it("are ended when the instrumentation ends, and none begins later", async () => {
    const { orcs, spans, stop } = await rig();
    let go = (): void => undefined;
    const waits = new Promise<void>((resolve) => (go = resolve));
    orcs.hook({ id: "waits", point: "session.on_end", handler: () => waits });
    const pending = orcs.dispatch("session.on_end", {});
    stop();
    expect(spans().map(({ name }) => name)).toEqual(["session.on_end"]);
    go();
    await pending;
    await orcs.dispatch("session.on_start", {});
    expect(spans()).toHaveLength(1);
  });

  it("have documented attributes only", async () => {
    const { orcs, spans } = await rig({ llm: () => "hi" }, { content: true });
    orcs.hook({ id: "a", point: "tool.pre_execute", handler: () => ({ decision: "allow" }) });
    await orcs.call("llm", "hello", { session_id: "s", agent_id: "a", tool_use_id: "t" });
    expect(spans().map(({ name }) => name)).toContain("chat");
    for (const { attributes } of spans()) {
      for (const [name, value] of Object.entries(attributes)) {
        expect(ATTRIBUTES).toHaveProperty([name]);
        expect(typeof value).toBe(ATTRIBUTES[name as keyof typeof ATTRIBUTES].kind);
      }
    }
  });
});

it("metrics count decisions, durations, failures and dropped runs", async () => {
  const made = await rig();
  const { orcs } = made;
  orcs.hook({
    id: "guard",
    point: "tool.pre_execute",
    handler: ({ payload }) =>
      payload["tool_name"] === "rm" ? { action: "abort", reason: "no" } : undefined,
  });
  orcs.hook({
    id: "breaks",
    point: "tool.pre_execute",
    onError: "open",
    handler: () => {
      throw new Error("boom");
    },
  });
  for (const tool_name of ["ls", "ls", "rm"])
    await orcs.dispatch("tool.pre_execute", { tool_name, args: {} });
  const all = await made.metrics();
  const of = (name: string) =>
    all
      .find(({ descriptor }) => descriptor.name === name)
      ?.dataPoints.map(({ attributes, value }) => {
        const n = typeof value === "number" ? value : (value as { count: number }).count;
        return Object.assign({}, attributes, { n });
      });
  const at = { "orcs.point": "tool.pre_execute" };
  expect(of("orcs.hook.failures")).toEqual([
    { ...at, "orcs.hook.id": "breaks", "error.type": "error", n: 2 },
  ]);
  expect(of("orcs.dispatch.duration")).toEqual([
    { ...at, "orcs.action": "continue", n: 2 },
    { ...at, "orcs.action": "abort", n: 1 },
  ]);
  expect(of("orcs.hook.duration")).toEqual([
    { ...at, "orcs.hook.id": "guard", "orcs.action": "continue", n: 2 },
    { ...at, "orcs.hook.id": "breaks", n: 2 },
    { ...at, "orcs.hook.id": "guard", "orcs.action": "abort", n: 1 },
  ]);
  for (const { descriptor, dataPoints } of all) {
    const row = METERS[descriptor.name as keyof typeof METERS];
    for (const { attributes } of dataPoints) {
      for (const name of Object.keys(attributes)) expect(row.attributes).toContain(name);
    }
  }
});

it("each line of the audit log is a record", async () => {
  const { orcs, records } = await rig({ auditDir: folder() });
  orcs.hook({
    id: "guard",
    point: "tool.pre_execute",
    handler: () => ({ action: "abort", reason: "password=hunter2hunter2" }),
  });
  await orcs.dispatch("tool.pre_execute", { tool_name: "rm", args: {}, session_id: "s" });
  expect(records()).toHaveLength(1);
  const [record] = records();
  expect(record).toMatchObject({
    eventName: "orcs.audit",
    severityText: "WARN",
    attributes: {
      "orcs.audit.kind": "dispatch",
      "orcs.audit.hook": "guard",
      "orcs.audit.session": "s",
      "orcs.audit.reason": "password=[redacted]",
    },
  });
  expect(JSON.parse(record?.body as string)).toMatchObject({ kind: "dispatch", tool: "rm" });
});

/** Make a span the active one until the test is over: without asynchronous contexts, there is one for all. */
function withActive(span: Span): void {
  const active = trace.setSpan(ROOT_CONTEXT.setValue(createContextKey("test"), 1), span);
  context.setGlobalContextManager({
    active: () => active,
    with: (_: Context, fn, self, ...args) => fn.call(self as never, ...args),
    bind: (_: Context, target) => target,
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  });
  onTestFinished(() => context.disable());
}
