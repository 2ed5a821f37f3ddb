import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { folder } from "../dist/orcs.ts";
import { dispatchAt, serving, trustedByServices } from "../dist/service.ts";

/** `orcs serve` and a collector that speaks OTLP over HTTP, on loopback. */

const HOOKS = ["one", "two", "three"];
const TOML = `[lua]
max_run_ms = 5000
max_chain_ms = 20000
${HOOKS.map((id) => `[[hooks]]\nid = "${id}"\npoint = "tool.pre_execute"\nhandler_inline = "return nil"`).join("\n")}
`;

interface SpanJson {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
}

interface Collector {
  readonly url: string;
  readonly spans: SpanJson[];
  readonly metrics: Set<string>;
  readonly logs: string[];
}

interface Sent {
  resourceSpans?: { scopeSpans: { spans: SpanJson[] }[] }[];
  resourceMetrics?: { scopeMetrics: { metrics: { name: string }[] }[] }[];
  resourceLogs?: { scopeLogs: { logRecords: { body: { stringValue: string } }[] }[] }[];
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function collector(): Promise<Collector> {
  const spans: SpanJson[] = [];
  const metrics = new Set<string>();
  const logs: string[] = [];
  const take = ({ resourceSpans, resourceMetrics, resourceLogs }: Sent): void => {
    for (const { scopeSpans } of resourceSpans ?? [])
      for (const scope of scopeSpans) spans.push(...scope.spans);
    for (const { scopeMetrics } of resourceMetrics ?? [])
      for (const scope of scopeMetrics) for (const { name } of scope.metrics) metrics.add(name);
    for (const { scopeLogs } of resourceLogs ?? [])
      for (const { logRecords } of scopeLogs)
        logs.push(...logRecords.map(({ body }) => body.stringValue));
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => void parts.push(part));
    request.on("end", () => {
      take(JSON.parse(Buffer.concat(parts).toString()) as Sent);
      response.setHeader("content-type", "application/json").end("{}");
    });
  });
  return { url: await listening(server), spans, metrics, logs };
}

/** A service of a project whose collector is there. */
async function service(endpoint: string) {
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint);
  onTestFinished(() => void vi.unstubAllEnvs());
  const dir = folder({ "orcs.toml": TOML });
  await trustedByServices(dir);
  return { dir, ...(await serving(dir)) };
}

/** Send requests on one connection. @returns the answers, in order, once all are there */
function askAll(socket: string, requests: readonly unknown[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const connection = connect(socket);
    let text = "";
    connection.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      const lines = text.split("\n");
      if (lines.length <= requests.length) return;
      connection.destroy();
      resolve(lines.slice(0, requests.length));
    });
    connection.on("error", reject);
    connection.write(requests.map((request) => `${JSON.stringify(request)}\n`).join(""));
  });
}

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceparent = `00-${TRACE}-00f067aa0ba902b7-01`;

describe("orcs serve with a collector", { timeout: 120_000 }, () => {
  test("sends 10,000 spans, each below its parent, and loses none when it ends", async () => {
    const to = await collector();
    const { at, child, ended } = await service(to.url);
    // The exporters are loaded beside the first events.
    await expect
      .poll(
        async () => {
          await askAll(at.socket, [dispatchAt({ command: "ls" })]);
          return to.spans.length;
        },
        { timeout: 60_000, interval: 500 },
      )
      .toBeGreaterThan(0);
    const dispatches = 2500;
    const requests = Array.from({ length: dispatches }, (_, n) => ({
      ...dispatchAt({ command: `echo ${n}` }),
      traceparent,
    }));
    for (let from = 0; from < dispatches; from += 100)
      await askAll(at.socket, requests.slice(from, from + 100));
    child.kill("SIGTERM");
    await ended;
    const traced = to.spans.filter(({ traceId }) => traceId === TRACE);
    const calls = traced.filter(({ name }) => name === "execute_tool exec");
    const hooks = traced.filter(({ name }) => name.startsWith("hook "));
    expect(calls).toHaveLength(dispatches);
    expect(new Set(traced.map(({ spanId }) => spanId)).size).toBe(traced.length);
    // The hooks of the project, and the policy that keeps orcs switched on.
    expect(hooks.length).toBeGreaterThanOrEqual(dispatches * HOOKS.length);
    expect(calls.every(({ parentSpanId }) => parentSpanId === "00f067aa0ba902b7")).toBe(true);
    const ids = new Set(calls.map(({ spanId }) => spanId));
    expect(hooks.every(({ parentSpanId }) => ids.has(parentSpanId ?? ""))).toBe(true);
    for (const id of HOOKS)
      expect(hooks.filter(({ name }) => name === `hook ${id}`)).toHaveLength(dispatches);
    expect([...to.metrics]).toEqual(
      expect.arrayContaining(["orcs.dispatch.duration", "orcs.hook.duration"]),
    );
  });

  test("decides as fast when the collector is down, or never answers", async () => {
    const silent = createServer(() => undefined);
    for (const endpoint of ["http://127.0.0.1:9", await listening(silent)]) {
      const { at, child, ended } = await service(endpoint);
      const slowest = { ms: 0 };
      for (let n = 0; n < 300; n++) {
        const began = performance.now();
        await askAll(at.socket, [dispatchAt({ command: "ls" })]);
        slowest.ms = Math.max(slowest.ms, performance.now() - began);
      }
      // An exporter waits for ten seconds.
      expect(slowest.ms).toBeLessThan(5000);
      const asked = performance.now();
      child.kill("SIGTERM");
      const [code] = await ended;
      expect(code).toBe(0);
      expect(performance.now() - asked).toBeLessThan(8000);
    }
  });

  test("says which packages are missing, and serves", async () => {
    const to = await collector();
    vi.stubEnv("NODE_OPTIONS", `--import ${HIDE}`);
    const { at, stderr } = await service(to.url);
    const [answer] = await askAll(at.socket, [dispatchAt({ command: "ls" })]);
    expect(answer).toContain('"action":"continue"');
    await expect.poll(stderr, { timeout: 30_000 }).toContain("ORCS7013");
    expect(stderr()).toContain("@opentelemetry/exporter-trace-otlp-http");
  });
});

/** Makes the packages of OpenTelemetry unfindable. */
const HIDE = `data:text/javascript,${encodeURIComponent(`
import { register } from "node:module";
register("data:text/javascript," + encodeURIComponent(
  "export async function resolve(name, context, next) {" +
  "  if (name.startsWith('@opentelemetry/')) throw new Error('Cannot find package ' + name);" +
  "  return next(name, context);" +
  "}"));
`)}`;
