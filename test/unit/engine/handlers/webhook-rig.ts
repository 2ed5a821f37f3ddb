import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { createServer as createTcpServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import type { Hook, HookFailure, HookReport, Turn } from "../../../../src/core/hook.ts";
import { pointSet, type PointSpec } from "../../../../src/core/points.ts";
import { WebhookRunner, type WebhookOptions } from "../../../../src/engine/handlers/webhook.ts";
import type { HandlerProtocol } from "../../../../src/formats/handler-protocol.ts";
import { hook, scope, type HookWords } from "../registry/hooks.ts";

export const POINT = pointSet().get("tool.pre_execute") as PointSpec;

/** A protocol of the tests' own: a good status and a JSON body are an answer, all else is a failure. */
export const PROTOCOL: HandlerProtocol = {
  name: "test",
  encode: ({ point, ctx }) => ({
    body: { point: point.name, payload: ctx.payload as never },
    env: {},
  }),
  readExit: () => {
    throw new Error("not a command");
  },
  readHttp: ({ status, body }) => {
    if (status < 200 || status > 299) return answerFailure(`status ${status}`);
    if (body === "") return { answer: undefined, edits: [] };
    try {
      return { answer: JSON.parse(body) as unknown, edits: [] };
    } catch {
      return answerFailure(`not JSON: ${body.slice(0, 200)}`);
    }
  },
  fails: { timeout: "open", unreachable: "closed", answer: undefined },
};

function answerFailure(message: string): HookReport {
  return { failure: { kind: "answer", message } };
}

/** A request as a server got it. */
export interface Got {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Milliseconds, for distances between requests. */
  readonly at: number;
}

/** Servers of one test. */
export class Servers {
  readonly #close: (() => Promise<void>)[] = [];

  /** An HTTP server on loopback; `respond` is called when the body is complete. */
  async http(
    respond: (response: ServerResponse, nth: number, request: IncomingMessage) => void,
  ): Promise<{ url: string; host: string; got: Got[]; connections: () => Promise<number> }> {
    const got: Got[] = [];
    const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
      request.on("end", () => {
        const { method, url, headers } = request;
        got.push({ method, url, headers, body, at: performance.now() });
        respond(response, got.length, request);
      });
    });
    const host = await this.#listen(server);
    return { url: `http://${host}`, host, got, connections: () => connectionsOf(server) };
  }

  /** A TCP server on loopback that writes what it is told to. */
  async tcp(
    talk: (socket: Socket, nth: number) => void,
  ): Promise<{ url: string; host: string; count: () => number }> {
    let count = 0;
    const server = createTcpServer((socket) => {
      count += 1;
      socket.on("error", () => {});
      const nth = count;
      socket.once("data", () => talk(socket, nth));
    });
    const host = await this.#listen(server);
    return { url: `http://${host}`, host, count: () => count };
  }

  async close(): Promise<void> {
    await Promise.all(this.#close.splice(0).map((close) => close()));
  }

  async #listen(server: Server): Promise<string> {
    const sockets = new Set<Socket>();
    server.on("connection", (socket: Socket) => {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    this.#close.push(
      () =>
        new Promise((resolve) => {
          server.close(() => resolve());
          for (const socket of sockets) socket.destroy();
        }),
    );
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

/** A runner whose loopback is allowed unless the test says otherwise. */
export function webhook(url: string, more: Partial<WebhookOptions> = {}): WebhookRunner {
  return new WebhookRunner({
    url,
    method: "POST",
    headers: {},
    allowEnv: [],
    allowHosts: ["127.0.0.1"],
    environment: { variables: {} },
    protocol: PROTOCOL,
    maxAnswerBytes: 1 << 20,
    ...more,
  });
}

/** Ask once, and return what was reported: exactly one report. */
export async function ask(
  runner: WebhookRunner,
  words: HookWords = {},
  payload: Record<string, unknown> = { tool_name: "exec", args: {} },
): Promise<HookReport> {
  const reports: HookReport[] = [];
  const own: Hook = hook(runner, { point: POINT.name, timeoutMs: 20_000, maxRetries: 0, ...words });
  const turn: Turn = {
    trace: undefined,
    environment: undefined,
    hook: own,
    ctx: {
      hook_point: POINT.name,
      component_id: "host::main",
      channel_id: "main",
      principal: { type: "User", id: "u" },
      timestamp_ms: 1,
      payload,
      metadata: {},
      depth: 0,
      max_depth: 4,
    },
    followed: false,
    scope: scope(1),
    view: undefined,
    spent: { luaMs: 0 },
    wait: () => undefined,
    settle: (report) => void reports.push(report),
  };
  await runner.run(turn);
  const [report] = reports;
  if (reports.length !== 1 || !report) throw new Error(`${reports.length} reports`);
  return report;
}

/** The failure of a report that must be one. */
export async function failureOf(report: HookReport | Promise<HookReport>): Promise<HookFailure> {
  const settled = await report;
  if (!("failure" in settled)) throw new Error(`no failure: ${JSON.stringify(settled)}`);
  return settled.failure;
}

/** What something took, in milliseconds. */
export async function timed<T>(run: () => Promise<T>): Promise<[T, number]> {
  const started = performance.now();
  return [await run(), performance.now() - started];
}
