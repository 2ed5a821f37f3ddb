import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { messageOf, objectIn, OrcsError, orUndefined } from "../../core/index.ts";
import { WaitingRoom } from "../../daemon/index.ts";
import type { PageFile } from "./page-files.ts";
import type { Sessions } from "./sessions.ts";

/** A request that has passed all checks. */
export interface ApiCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The rest of the path. */
  readonly name: string;
  readonly query: URLSearchParams;
  /** The session lasts longer. */
  readonly keep: () => boolean;
  /** Of a POST: an object. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a route does; undefined when it has written the response itself. */
export type ApiRoute = (call: ApiCall) => Promise<object | undefined> | object | undefined;

/** Routes by method and path; a path that ends with a slash has one more part. */
export type ApiRoutes = Readonly<Record<`${"GET" | "POST"} /api/${string}`, ApiRoute>>;

export interface PageServerOptions {
  readonly files: ReadonlyMap<string, PageFile>;
  readonly routes: ApiRoutes;
  readonly sessions: Sessions;
}

/** Nothing from elsewhere, nothing inline, in no frame. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": POLICY,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

const MAX_BODY_BYTES = 4 * 2 ** 20;
const REQUEST_MS = 10_000;
/** Connections that anybody on this machine can open: they must not keep the page away. */
const UNPROVEN = { most: 16, burst: 48, deadlineMs: 2000 };
/** The path of a link. */
const OPEN = "/open/";

/**
 * The server of the page, on the loopback interface only. Without the cookie of a session, which one link gives to one
 * browser, and for requests that come from or through another site, there is nothing: a status, and no body. The
 * browser sends the cookie to all servers of this machine: what is not a file of the page needs the secret of the tab
 * as well.
 */
export class PageServer {
  readonly #options: PageServerOptions;
  readonly #server: Server;
  readonly #unproven = new WaitingRoom<Socket>(UNPROVEN, (socket) => socket.destroy());
  #port = 0;

  constructor(options: PageServerOptions) {
    this.#options = options;
    this.#server = createServer(
      { headersTimeout: REQUEST_MS, requestTimeout: REQUEST_MS, keepAliveTimeout: 30_000 },
      (request, response) => void this.#serve(request, response),
    );
    this.#server.on("connection", (socket: Socket) => {
      this.#unproven.enter(socket);
      socket.on("close", () => this.#unproven.leave(socket));
    });
  }

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

  /** A link that opens the page once. */
  newLink(): string {
    return `http://127.0.0.1:${this.#port}${OPEN}${this.#options.sessions.newLink()}`;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => undefined);
    try {
      await this.#answer(request, response);
    } catch (thrown) {
      if (thrown instanceof Denied) return end(response, thrown.status);
      const code = thrown instanceof OrcsError ? thrown.code : "internal";
      const status = thrown instanceof OrcsError ? 422 : 500;
      sendJson(response, { error: { code, message: messageOf(thrown) } }, status);
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#expectOwnName(request);
    const [path = "", query = ""] = (request.url ?? "").split(/\?(.*)/s);
    if (path.startsWith(OPEN)) return this.#open(request, response, path.slice(OPEN.length));
    this.#expectCookie(request);
    const file = this.#options.files.get(path);
    if (file && request.method === "GET") return sendFile(request, response, file);
    const tab = request.headersDistinct["x-orcs-tab"]?.join() ?? "";
    const keep = (): boolean => this.#options.sessions.holds("tab", tab);
    if (!keep()) throw new Denied(401);
    this.#unproven.leave(request.socket);
    await this.#call({ request, response, keep }, path, new URLSearchParams(query));
  }

  /** @throws Denied for a name that was bound to this address, and for requests of other sites */
  #expectOwnName({ headersDistinct, method }: IncomingMessage): void {
    const { host = [], origin, "sec-fetch-site": site = [] } = headersDistinct;
    const own = `127.0.0.1:${this.#port}`;
    if (host.length !== 1 || host[0] !== own) throw new Denied(403);
    if (origin !== undefined && (origin.length !== 1 || origin[0] !== `http://${own}`)) {
      throw new Denied(403);
    }
    // A browser names the origin of a POST; other programs have to say so as well.
    if (method !== "GET" && origin === undefined) throw new Denied(403);
    if (site.some((from) => from !== "none" && from !== "same-origin")) throw new Denied(403);
  }

  #open({ method }: IncomingMessage, response: ServerResponse, link: string): void {
    if (method !== "GET") throw new Denied(405);
    const session = this.#options.sessions.open(link);
    if (session === undefined) throw new Denied(401);
    const cookie = `${this.#cookieName}=${session.cookie}; HttpOnly; SameSite=Strict; Path=/`;
    // Not a redirect: a browser sends a strict cookie only to a page that the same site has opened.
    response.writeHead(200, {
      ...HEADERS,
      "content-type": "text/html; charset=utf-8",
      "set-cookie": cookie,
    });
    response.end(
      `<!doctype html><meta http-equiv="refresh" content="0;url=/#tab=${session.tab}">` +
        '<link rel="icon" href="data:,"><title>orcs</title>',
    );
  }

  /** Cookies do not tell ports apart. */
  get #cookieName(): string {
    return `orcs_ui_${this.#port}`;
  }

  /** @throws Denied without a session */
  #expectCookie({ headers }: IncomingMessage): void {
    const name = `${this.#cookieName}=`;
    const given = (headers.cookie ?? "").split(/; */).filter((part) => part.startsWith(name));
    const [cookie = ""] = given;
    const isHeld = this.#options.sessions.holds("cookie", cookie.slice(name.length));
    if (given.length !== 1 || !isHeld) throw new Denied(401);
  }

  async #call(
    call: Pick<ApiCall, "request" | "response" | "keep">,
    path: string,
    query: URLSearchParams,
  ): Promise<void> {
    const { request, response } = call;
    const { routes } = this.#options;
    const method = request.method === "GET" || request.method === "POST" ? request.method : "GET";
    if (method !== request.method) throw new Denied(405);
    const cut = path.lastIndexOf("/") + 1;
    const own: ApiRoutes[keyof ApiRoutes] | undefined =
      routes[`${method} ${path}` as keyof ApiRoutes];
    const route = own ?? routes[`${method} ${path.slice(0, cut)}` as keyof ApiRoutes];
    if (!route) throw new Denied(404);
    const name = own ? "" : orUndefined(() => decodeURIComponent(path.slice(cut)));
    if (name === undefined) throw new Denied(404);
    const body = method === "POST" ? await readObject(request) : {};
    const answer = await route({ ...call, name, query, body });
    if (answer) sendJson(response, answer);
  }
}

/** A request that gets a status and nothing else. */
class Denied extends Error {
  readonly status: number;

  constructor(status: number) {
    super(String(status));
    this.status = status;
  }
}

async function readObject(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  if (!/^application\/json *(;|$)/i.test(request.headers["content-type"] ?? "")) {
    throw new Denied(415);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Denied(413);
    chunks.push(chunk);
  }
  const value = objectIn(Buffer.concat(chunks).toString("utf8"));
  if (!value) throw new Denied(400);
  return value;
}

function end(response: ServerResponse, status: number): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { ...HEADERS, "content-length": 0, connection: "close" });
  response.end();
}

/** Start a response that goes on. */
export function beginStream(response: ServerResponse): void {
  response.writeHead(200, { ...HEADERS, "content-type": "text/event-stream" });
  response.flushHeaders();
}

function sendJson(response: ServerResponse, value: object, status = 200): void {
  if (response.headersSent || response.destroyed) return;
  const body = JSON.stringify(value);
  response.writeHead(status, {
    ...HEADERS,
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}

function sendFile({ headers }: IncomingMessage, response: ServerResponse, file: PageFile): void {
  const isZipped = /\bgzip\b/.test(String(headers["accept-encoding"] ?? ""));
  const body = isZipped ? file.gzip : file.body;
  response.writeHead(200, {
    ...HEADERS,
    "content-type": file.type,
    "content-length": body.length,
    vary: "accept-encoding",
    ...(isZipped && { "content-encoding": "gzip" }),
  });
  response.end(body);
}
