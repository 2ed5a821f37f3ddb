import { rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isUtf8 } from "node:buffer";
import { numbersOf, type Logger, messageOf } from "../../core/index.ts";
import { moveFile, withFileLock } from "../../machine/index.ts";
import type { ServiceAddress } from "../address.ts";
import { type Gateway, NotCarried } from "../agent-gateway.ts";
import { JsonEndDetector, withoutMark } from "../hook/event-io.ts";
import { SERVICE_SHARE } from "../service-protocol.ts";
import { asideOf, listenAt, ownsSocket } from "./socket-ownership.ts";
import { entryAnswer, launcherRequest } from "./entry-request.ts";

/** What the server for bin/orcs-hook needs. */
export interface EntryOptions {
  readonly address: ServiceAddress;
  /** Key of the served configuration. */
  readonly key: string;
  readonly gateway: Gateway;
  readonly logger: Logger;
  /** Time limit for receiving a request, in milliseconds. */
  readonly requestMs: number;
  /** Called with each event; the returned function is called after the response. */
  begin(): () => void;
}

/** Maximum number of connections; further ones are declined. */
const MAX_CONNECTIONS = 128;
/** Maximum size of an event, and of the header before it, in bytes. */
const MAX_EVENT_BYTES = 64 * 2 ** 20;
const MAX_ABOUT_BYTES = 64 * 2 ** 10;
/** The response before any hook has run: the launcher starts Node. */
const DECLINED = "orcs declines\n.\n";
/** The path of the socket is removed before it stops: after this time, in milliseconds, nobody connects any more. */
const ACCEPT_MS = 50;

/**
 * Answers bin/orcs-hook: a simple protocol for curl over a socket that is private to the user. An event that is not for
 * this service is declined before any hook has run.
 */
export class EntryServer {
  readonly #options: EntryOptions;
  readonly #server: Server;
  /** Those that are declined before they have said anything. */
  readonly #declined = new WeakSet<Socket>();
  #connections = 0;
  #isStopping = false;

  constructor(options: EntryOptions) {
    const { requestMs } = options;
    this.#options = options;
    this.#server = createServer(
      {
        headersTimeout: requestMs,
        requestTimeout: requestMs,
        connectionsCheckingInterval: Math.ceil(requestMs / 10),
      },
      (request, response) => void this.#serve(request, response),
    );
    this.#server.on("connection", (socket) => {
      socket.on("close", () => this.#connections--);
      if (++this.#connections <= MAX_CONNECTIONS && !this.#isStopping) return;
      this.#declined.add(socket);
      socket.end(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${DECLINED}`);
    });
    this.#server.on("clientError", (_error, socket) => socket.destroy());
  }

  /** Listen on the socket of bin/orcs-hook. Never rejects: without it, Node is used. */
  async listen(): Promise<void> {
    const { address, logger } = this.#options;
    const aside = asideOf(address);
    try {
      await listenAt(aside, this.#server);
      withFileLock(address.lock, () => {
        if (ownsSocket(address)) moveFile(aside, address.entry);
        else rmSync(aside, { force: true });
      });
    } catch (thrown) {
      rmSync(aside, { force: true });
      logger.warn(
        `each event starts Node: cannot listen on ${address.entry}: ${messageOf(thrown)}`,
      );
    }
  }

  /** Decline what has not begun; resolves when begun requests are answered. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await new Promise((resolve) => setTimeout(resolve, ACCEPT_MS));
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** Close all connections at once. */
  destroy(): void {
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#declined.has(request.socket)) return;
    response.on("error", () => undefined);
    const end = this.#options.begin();
    try {
      const accepted = await this.#accept(request).catch((thrown: unknown) => {
        this.#options.logger.error(messageOf(thrown));
        return undefined;
      });
      const body = accepted === undefined ? DECLINED : await responseOf(accepted);
      response.writeHead(200, { "content-length": Buffer.byteLength(body), connection: "close" });
      response.end(body);
    } catch (thrown) {
      this.#options.logger.error(messageOf(thrown));
      // Without a response, the launcher denies: hooks may have run.
      response.destroy();
    } finally {
      end();
    }
  }

  /** What answers a request; undefined for one that is not for this service. */
  async #accept(request: IncomingMessage): Promise<(() => Promise<string>) | undefined> {
    const { key, gateway } = this.#options;
    const came = performance.now();
    const read = await readEntry(request);
    if (read === undefined) return undefined;
    const asked = await launcherRequest(read.about, key);
    if (typeof asked === "string" || this.#isStopping) return undefined;
    const { host, withinMs, strict, parent, trace, environment } = asked;
    const left = Math.max(1, (withinMs - (performance.now() - came)) * SERVICE_SHARE);
    const entry = { strict, parent, environment, canRun: true, ...trace };
    return async () => {
      const answer = await gateway.answer(host, read.event, left, entry);
      return entryAnswer(answer, numbersOf(read.event));
    };
  }
}

async function responseOf(accepted: () => Promise<string>): Promise<string> {
  try {
    return await accepted();
  } catch (thrown) {
    // No hook has run: Node has the whole environment.
    if (thrown instanceof NotCarried) return DECLINED;
    throw thrown;
  }
}

/** The header and the complete event of bin/orcs-hook; undefined for input whose error Node should report. */
function readEntry(
  request: IncomingMessage,
): Promise<{ readonly about: string; readonly event: string } | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const end = new JsonEndDetector();
    let bytes = 0;
    let about: string | undefined;
    const settle = (): void => {
      const event = Buffer.concat(chunks);
      resolve(
        about !== undefined && bytes <= MAX_EVENT_BYTES && isUtf8(event)
          ? { about, event: withoutMark(event.toString("utf8")) }
          : undefined,
      );
    };
    request.on("data", (chunk: Buffer) => {
      let piece = chunk;
      if (about === undefined) {
        const all = Buffer.concat([...chunks.splice(0), chunk]);
        const at = all.indexOf("\n\n");
        if (at < 0) {
          chunks.push(all);
          if (all.length > MAX_ABOUT_BYTES) settle();
          return;
        }
        about = all.toString("utf8", 0, at);
        piece = all.subarray(at + 2);
      }
      chunks.push(piece);
      bytes += piece.length;
      // Some agents leave stdin open. A client that knows the length has sent all of it, or nothing that counts.
      const isWhole = request.headers["content-length"] === undefined && end.isIn(piece);
      if (bytes > MAX_EVENT_BYTES || isWhole) settle();
    });
    request.on("end", settle);
    request.on("close", () => resolve(undefined));
  });
}
