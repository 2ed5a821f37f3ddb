import { type Logger, stackOf } from "../../core/index.ts";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { bearsToken, expectLocal, HttpError, type HttpErrorCode } from "./http-requests.ts";
import type { Reply, Route, StreamReply } from "./http-routes.ts";
import { type Dismissal, WaitingRoom } from "./waiting-room.ts";

/** What the HTTP side needs. */
export interface HttpOptions {
  /** Its routes. */
  readonly routes: readonly Route[];
  /** The current token. */
  readonly token: () => string;
  readonly logger: Logger;
  /** Time limit for receiving a request, in milliseconds. */
  readonly requestMs: number;
  /** Time limit for a connection to send the token, in milliseconds. */
  readonly tokenMs: number;
  /** Called with each request for hooks; the returned function is called after the response. */
  begin(): () => void;
}

/** Limits of connections without a proven token, and of idle ones with it. */
const UNPROVEN = { most: 32, burst: 128 };
const IDLE = { most: 64, burst: 128 };
/** Interval of logging that connections were closed, in milliseconds. */
const TELL_MS = 60_000;
const HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

/** The HTTP side of a service, on the loopback interface only. */
export class HttpServer {
  readonly #server: Server;
  readonly #options: HttpOptions;
  /** Connections that anybody on this machine can open. They must not block those with the token. */
  readonly #unproven: WaitingRoom<Socket>;
  readonly #idle: WaitingRoom<Socket>;
  /** Connections that have sent the token once. */
  readonly #proven = new WeakSet<Socket>();
  #reportedAt = -Infinity;
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

  /** Its port. */
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

  /** Accept no more connections; resolves when all received requests are answered. */
  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    await closed;
  }

  /** Close all connections at once. */
  destroy(): void {
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let end = request.method === "POST" ? this.#options.begin() : undefined;
    response.on("error", () => undefined);
    try {
      const reply = await this.#reply(request, response);
      if ("reader" in reply) {
        end = this.#options.begin();
        return await stream(response, reply);
      }
      const isKept = this.#server.listening && this.#proven.has(request.socket);
      send(response, reply, isKept ? {} : { connection: "close" });
    } catch (thrown) {
      const error = thrown instanceof HttpError ? thrown : new HttpError("internal");
      if (error !== thrown) this.#options.logger.error(stackOf(thrown));
      // Unread input of the request is not another request.
      send(
        response,
        { status: error.status, body: error.body },
        { ...error.headers, connection: "close" },
      );
    } finally {
      end?.();
    }
  }

  async #reply(request: IncomingMessage, response: ServerResponse): Promise<Reply | StreamReply> {
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

  /** A connection has sent the token: it counts towards a limit only while idle. */
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
    if (now - this.#reportedAt < TELL_MS) return;
    this.#reportedAt = now;
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

/** Send what a reader gets, one JSON object a line, as fast as the client reads. */
async function stream(response: ServerResponse, { reader }: StreamReply): Promise<void> {
  const close = (): void => reader.close();
  response.on("close", close);
  if (response.destroyed) return close();
  response.writeHead(200, { ...HEADERS, "content-type": "application/x-ndjson" });
  response.flushHeaders();
  for (let batch = await reader.next(); batch; batch = await reader.next()) {
    if (response.write(`${JSON.stringify(batch)}\n`) || response.destroyed) continue;
    await Promise.race([once(response, "drain"), once(response, "close")]);
  }
  response.end();
}

/** By the code of Node's error, for input that is not a valid request. */
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
