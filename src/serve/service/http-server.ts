import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "../../core/ports.ts";
import type { HttpErrorCode } from "./http-requests.ts";
import { bearsToken, expectLocal, HttpError } from "./http-requests.ts";
import type { Reply, Route } from "./http-routes.ts";
import type { Dismissal } from "./waiting-room.ts";
import { WaitingRoom } from "./waiting-room.ts";

/** What the HTTP side needs. */
export interface HttpOptions {
  /** All that it answers. */
  readonly routes: readonly Route[];
  /** What a request has to bear, just now. */
  readonly token: () => string;
  readonly logger: Logger;
  /** How long a request may take to come, in milliseconds. */
  readonly requestMs: number;
  /** How long a connection may take to show the token, in milliseconds. */
  readonly tokenMs: number;
  /** Called with each request that asks hooks; what it returns is called when it was answered. */
  begin(): () => void;
}

/** Connections that have not shown the token, and those that have and ask nothing just now. */
const UNPROVEN = { most: 32, burst: 128 };
const IDLE = { most: 64, burst: 128 };
/** How often it is told that connections were sent away, in milliseconds. */
const TELL_MS = 60_000;
const HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

/** The side of a service that speaks HTTP, on the loopback interface alone. */
export class HttpServer {
  readonly #server: Server;
  readonly #options: HttpOptions;
  /** Connections that anybody on this machine can open. They must not keep those from being heard who have the token. */
  readonly #unproven: WaitingRoom<Socket>;
  readonly #idle: WaitingRoom<Socket>;
  /** Those that have shown the token once. */
  readonly #proven = new WeakSet<Socket>();
  #toldAt = -Infinity;
  #port = 0;

  constructor(options: HttpOptions) {
    this.#options = options;
    const { requestMs, tokenMs } = options;
    this.#unproven = new WaitingRoom({ ...UNPROVEN, deadlineMs: tokenMs }, (socket, why) =>
      this.#dismiss(socket, why),
    );
    this.#idle = new WaitingRoom(IDLE, (socket) => socket.destroy());
    this.#server = createServer(
      {
        headersTimeout: requestMs,
        requestTimeout: requestMs,
        connectionsCheckingInterval: Math.ceil(requestMs / 10),
        keepAliveTimeout: 65_000,
      },
      (request, response) => void this.#serve(request, response),
    );
    this.#server.on("clientError", answerUnread);
    this.#server.on("connection", (socket: Socket) => {
      this.#unproven.enter(socket);
      socket.on("close", () => {
        this.#unproven.leave(socket);
        this.#idle.leave(socket);
      });
    });
  }

  /** Where it listens. */
  get port(): number {
    return this.#port;
  }

  /**
   * Listen.
   * @param port 0 for any
   * @throws the error of `listen`
   */
  async listen(port: number): Promise<void> {
    this.#server.listen(port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Take no more connections; resolves when all requests that have come are answered. */
  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    await closed;
  }

  /** End all connections at once. */
  destroy(): void {
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const end = request.method === "POST" ? this.#options.begin() : undefined;
    response.on("error", () => undefined);
    try {
      const reply = await this.#reply(request, response);
      const isKept = this.#server.listening && this.#proven.has(request.socket);
      send(response, reply, isKept ? {} : { connection: "close" });
    } catch (thrown) {
      const error = thrown instanceof HttpError ? thrown : new HttpError("internal");
      if (error !== thrown) this.#options.logger.error(stackOf(thrown));
      // What was not read of the request is no request.
      send(
        response,
        { status: error.status, body: error.body },
        { ...error.headers, connection: "close" },
      );
    } finally {
      end?.();
    }
  }

  async #reply(request: IncomingMessage, response: ServerResponse): Promise<Reply> {
    expectLocal(request, this.#port);
    const [path = "", query = ""] = (request.url ?? "").split(/\?(.*)/s);
    const routes = this.#options.routes.filter((route) => route.path.test(path));
    if (bearsToken(request, this.#options.token())) this.#prove(request.socket, response);
    else if (!routes.some(({ isOpen }) => isOpen === true)) {
      throw new HttpError("unauthorized", {}, { "www-authenticate": "Bearer" });
    }
    if (routes.length === 0) throw new HttpError("not_found");
    const route = routes.find(({ method }) => method === request.method);
    if (!route) {
      const allow = routes.map(({ method }) => method).join(", ");
      throw new HttpError("method_not_allowed", {}, { allow });
    }
    const [, name = ""] = route.path.exec(path) ?? [];
    return route.answer({ request, name, query: new URLSearchParams(query) });
  }

  /** A connection has shown the token: it counts among the others only while it asks nothing. */
  #prove(socket: Socket, response: ServerResponse): void {
    this.#proven.add(socket);
    this.#unproven.leave(socket);
    this.#idle.leave(socket);
    response.on("close", () => {
      if (!socket.destroyed) this.#idle.enter(socket);
    });
  }

  #dismiss(socket: Socket, why: Dismissal): void {
    if (why === "late") answerUnread({ code: "ERR_HTTP_REQUEST_TIMEOUT" }, socket);
    else socket.destroy();
    const now = performance.now();
    if (now - this.#toldAt < TELL_MS) return;
    this.#toldAt = now;
    const most = `${UNPROVEN.most} at a time, ${this.#options.tokenMs} ms each`;
    this.#options.logger.warn(`HTTP connections without the token were closed: ${most}`);
  }
}

function send(
  response: ServerResponse,
  { status = 200, type = "application/json; charset=utf-8", body }: Reply,
  headers: Readonly<Record<string, string>>,
): void {
  if (response.headersSent || response.destroyed) return;
  const length = Buffer.byteLength(body);
  response.writeHead(status, {
    ...HEADERS,
    "content-type": type,
    "content-length": length,
    ...headers,
  });
  response.end(body);
}

/** By the code of Node's error, for requests that never became one. */
const UNREAD: Readonly<Record<string, HttpErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
  HPE_HEADER_OVERFLOW: "headers_too_large",
};

function answerUnread(error: Pick<NodeJS.ErrnoException, "code">, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const { status, body } = new HttpError(UNREAD[error.code ?? ""] ?? "bad_request");
  const head = [
    `HTTP/1.1 ${status} Error`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
