import { createServer, type Server, type Socket } from "node:net";
import { type ErrorCode, type NumberTokens, OrcsError, stringifyExact } from "../../core/index.ts";
import { LineSplitter } from "../../machine/index.ts";
import type { LineError } from "../service-protocol.ts";
import { type Answered, wireError } from "../wire/wire-requests.ts";
import { type Dismissal, WaitingRoom } from "./waiting-room.ts";

/** After this time without a new connection, in milliseconds, no client is left that connected to a removed socket. */
const ACCEPT_MS = 50;
/** Limits of connections without a request so far, and of idle ones. */
const SILENT = { most: 64, burst: 256 };
const QUIET = { most: 256, burst: 512 };
/** No new client can connect: more rounds than this are not needed. */
const ROUNDS = 20;

/** The side of a service that speaks JSON lines. */
export class SocketServer {
  readonly server: Server;
  readonly #connections = new Set<Connection>();
  /** Connections that are idle: an event must never wait or fail because of them. */
  readonly #silent: WaitingRoom<Connection>;
  readonly #quiet: WaitingRoom<Connection>;
  #isStopping = false;
  #taken = 0;

  constructor(service: LineService) {
    const dismiss = (connection: Connection, why: Dismissal): void =>
      connection.dismiss(why === "crowded" ? CROWDED : `nothing came in ${service.stallMs} ms`);
    this.#silent = new WaitingRoom({ ...SILENT, deadlineMs: service.stallMs }, dismiss);
    this.#quiet = new WaitingRoom(QUIET, dismiss);
    this.server = createServer({ allowHalfOpen: true }, (socket) => {
      const forget = (): void => {
        this.#silent.leave(connection);
        this.#quiet.leave(connection);
      };
      const connection: Connection = new Connection(socket, service, {
        busy: forget,
        quiet: () => this.#quiet.enter(connection),
      });
      this.#connections.add(connection);
      this.#silent.enter(connection);
      this.#taken++;
      socket.on("close", () => {
        this.#connections.delete(connection);
        forget();
      });
      if (this.#isStopping) connection.stop();
    });
  }

  /**
   * Answer received requests and end; resolves when all connections are closed. Remove the socket's path before:
   * clients that have connected by then are told to ask elsewhere.
   */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const connection of this.#connections) connection.stop();
    for (let round = 0, taken = -1; taken !== this.#taken && round < ROUNDS; round++) {
      taken = this.#taken;
      await new Promise((resolve) => setTimeout(resolve, ACCEPT_MS));
      // If hooks blocked the thread that long, no connection was accepted yet.
      await new Promise((resolve) => setImmediate(resolve));
    }
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  /** Close all connections at once. */
  destroy(): void {
    for (const connection of this.#connections) connection.destroy();
  }
}

const CROWDED = "too many connections wait and ask nothing";

/** The response to a line: an object, written as one line, or many. */
export type LineAnswer = Answered & {
  /** Of the request. Responses with an id may come in any order. */
  readonly id?: string | number | undefined;
  /** Those of the request. */
  readonly numbers?: NumberTokens | undefined;
};

/** How connections are served. */
interface LineService {
  /** Maximum length of a line, read when a connection starts. */
  maxLineBytes(): number;
  /** Time limit for the rest of an incomplete line, in milliseconds. */
  readonly stallMs: number;
  /** Called with each request; the returned function is called after its last response. */
  begin(): () => void;
  /** Answer a line. Never rejects. @param connection identifies where it came from */
  answer(line: string, connection: object): Promise<LineAnswer>;
  /** The response to a line that arrives during the end. */
  decline(line: string, why: string): LineAnswer & { readonly answer: object };
  /** A connection has ended. */
  gone(connection: object): void;
}

/** Callbacks about a connection's activity. */
interface ConnectionWatch {
  /** A request has arrived. */
  busy(): void;
  /** No request is pending any more. */
  quiet(): void;
}

/** Maximum number of concurrent requests per connection; more wait in the socket. */
const MAX_OUTSTANDING = 128;
/** Maximum size of unread responses; beyond it, the client is considered gone. */
const MAX_UNREAD_BYTES = 64 * 2 ** 20;
/** Time for a connected client to finish writing and to read a response, in milliseconds. */
const GOODBYE_MS = 500;

/** One connection with JSON lines in both directions. */
class Connection {
  readonly #socket: Socket;
  readonly #service: LineService;
  readonly #watch: ConnectionWatch;
  readonly #maxLineBytes: number;
  readonly #splitter: LineSplitter;
  #outstanding = 0;
  /** Of requests that have many responses. */
  readonly #readers = new Set<{ close(): void }>();
  /** Resolves when all requests without an id are answered. */
  #inOrder: Promise<unknown> = Promise.resolve();
  #stalled: NodeJS.Timeout | undefined;
  #leaving: NodeJS.Timeout | undefined;
  #isStopping = false;
  /** Input is read and dropped, so that the client can read the last response. */
  #isDeaf = false;
  /** The last line to send. */
  #parting: LineError | undefined;
  #isEnded = false;

  /** @param socket half open: a client that ends its side still gets responses */
  constructor(socket: Socket, service: LineService, watch: ConnectionWatch) {
    this.#socket = socket;
    this.#service = service;
    this.#watch = watch;
    this.#maxLineBytes = service.maxLineBytes();
    this.#splitter = new LineSplitter(this.#maxLineBytes + NEWLINE_BYTES, {
      // After a line that is too long, nothing is valid any more. Invalid UTF-8 becomes U+FFFD.
      line: (bytes) => this.#take(bytes.toString("utf8")),
      tooLong: () => undefined,
      overflows: () => this.#leave(`a line has more than ${this.#maxLineBytes} bytes`),
    });
    socket.on("data", (chunk: Buffer) => this.#read(chunk));
    socket.on("end", () => this.#finish());
    // It closes by itself then.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(this.#stalled);
      clearTimeout(this.#leaving);
      this.#isEnded = true;
      for (const reader of this.#readers) reader.close();
      service.gone(this);
    });
  }

  /** Answer received lines, decline further ones, and end. */
  stop(): void {
    this.#isStopping = true;
    this.#leaveWhenQuiet();
  }

  /** End an idle connection at once, with the reason. A client that is about to send learns that no hook has run. */
  dismiss(why: string): void {
    if (this.#outstanding > 0 || this.#isEnded) return;
    this.#isDeaf = true;
    this.#send(parting("ORCS7017", why));
    this.#isEnded = true;
    this.#socket.destroySoon();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    if (this.#isDeaf) return;
    this.#splitter.push(chunk);
    clearTimeout(this.#stalled);
    if (this.#splitter.isWithin && !this.#isDeaf) {
      const why = `a line was begun and not ended within ${this.#service.stallMs} ms`;
      this.#stalled = setTimeout(() => this.#leave(why), this.#service.stallMs);
    }
  }

  #take(line: string): void {
    if (this.#isDeaf || line.trim() === "") return;
    if (this.#isStopping) {
      const { id, answer } = this.#service.decline(line, STOPPING);
      this.#send(withId(id, answer));
      return;
    }
    if (++this.#outstanding >= MAX_OUTSTANDING) this.#socket.pause();
    this.#watch.busy();
    // Most clients send one request at a time: there is no order to wait for.
    const before = this.#outstanding > 1 ? this.#inOrder : undefined;
    const end = this.#service.begin();
    const sent = this.#sendInTurn(this.#service.answer(line, this), before, end);
    this.#inOrder = before ? Promise.all([before, sent]) : sent;
  }

  /** Never rejects. */
  async #sendInTurn(
    answered: Promise<LineAnswer>,
    before: Promise<unknown> | undefined,
    end: () => void,
  ): Promise<void> {
    try {
      const line = await answered;
      if (line.id === undefined && before) await before;
      if ("reader" in line) await this.#sendAll(line);
      else this.#send(withId(line.id, line.answer), line.numbers);
    } catch {
      // Without its response the client knows that it was lost; with another one it would be misled.
      this.#socket.destroy();
    }
    end();
    if (--this.#outstanding === MAX_OUTSTANDING - 1) this.#socket.resume();
    if (this.#outstanding === 0 && !this.#isEnded) this.#watch.quiet();
    this.#leaveWhenQuiet();
  }

  /** Send what a reader gets, as fast as the client reads; the reader drops what is too much. */
  async #sendAll({ id, reader }: Extract<LineAnswer, { reader: unknown }>): Promise<void> {
    if (this.#isEnded) return reader.close();
    this.#readers.add(reader);
    for (let batch = await reader.next(); batch; batch = await reader.next()) {
      if (this.#isEnded) break;
      this.#send(withId(id, batch));
      await this.#drained();
    }
    this.#readers.delete(reader);
    reader.close();
    this.#send(withId(id, parting("ORCS7018", STOPPING)));
  }

  /** Resolves when the client has read what was sent, or is gone. */
  #drained(): Promise<void> {
    const socket = this.#socket;
    if (!socket.writableNeedDrain || socket.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      const settle = (): void => {
        socket.off("drain", settle).off("close", settle);
        resolve();
      };
      socket.on("drain", settle).on("close", settle);
    });
  }

  #send(answer: object, numbers?: NumberTokens): void {
    if (this.#isEnded) return;
    this.#socket.write(`${stringifyExact(answer, numbers)}\n`);
    if (this.#socket.writableLength > MAX_UNREAD_BYTES) this.#socket.destroy();
  }

  /** The client has ended its side. */
  #finish(): void {
    clearTimeout(this.#stalled);
    if (this.#splitter.isWithin) this.#leave("the last line was cut off");
    this.#isDeaf = true;
    this.#leaveWhenQuiet();
  }

  #leaveWhenQuiet(): void {
    if (this.#outstanding > 0 || this.#isEnded) return;
    if (this.#isDeaf) this.#end();
    else if (this.#isStopping) {
      this.#leaving ??= setTimeout(() => this.#leave(STOPPING, "ORCS7018"), GOODBYE_MS);
    }
  }

  /** Accept nothing more; end when everything is answered, with the reason as the last line. */
  #leave(why: string, code: ErrorCode = "ORCS7017"): void {
    if (this.#isDeaf) return;
    this.#isDeaf = true;
    this.#parting = parting(code, why);
    this.#leaveWhenQuiet();
  }

  #end(): void {
    if (this.#parting !== undefined) this.#send(this.#parting);
    this.#isEnded = true;
    this.#leaving = setTimeout(() => this.#socket.destroy(), this.#service.stallMs);
    this.#socket.end(() => {
      clearTimeout(this.#leaving);
      // A client that is still writing gets time to read the reason.
      this.#leaving = setTimeout(() => this.#socket.destroy(), GOODBYE_MS);
    });
  }
}

const STOPPING = "stopping";
/** The splitter counts the end of a line as well. */
const NEWLINE_BYTES = 1;

/** A line that is not the response to a request. */
function parting(code: ErrorCode, why: string): LineError {
  return { error: wireError(new OrcsError(code, why)) };
}

function withId(id: string | number | undefined, answer: object): object {
  return id === undefined ? answer : { id, ...answer };
}
