import type { Server, Socket } from "node:net";
import { createServer } from "node:net";
import type { Dismissal } from "./waiting-room.ts";
import { WaitingRoom } from "./waiting-room.ts";

/** When nobody was taken for this time, in milliseconds, nobody is left who has connected to a socket that is gone. */
const ACCEPT_MS = 50;
/** Connections that have asked nothing yet, and those that ask nothing just now. */
const SILENT = { most: 64, burst: 256 };
const QUIET = { most: 256, burst: 512 };
/** Nobody new can come: more rounds than this are not needed. */
const ROUNDS = 20;

/** The side of a service that speaks lines of JSON. */
export class SocketServer {
  readonly server: Server;
  readonly #connections = new Set<Connection>();
  /** An event must never wait, or fail, because others hold connections and say nothing. */
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
   * Answer what was received and end; resolves when all connections have. The path of the socket is to be removed
   * before: who has connected by then is taken, and told to ask somebody else.
   */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const connection of this.#connections) connection.stop();
    for (let round = 0, taken = -1; taken !== this.#taken && round < ROUNDS; round++) {
      taken = this.#taken;
      await new Promise((resolve) => setTimeout(resolve, ACCEPT_MS));
      // If hooks have kept the thread that long, nobody was taken yet.
      await new Promise((resolve) => setImmediate(resolve));
    }
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  /** End all connections at once. */
  destroy(): void {
    for (const connection of this.#connections) connection.destroy();
  }
}

const CROWDED = "too many connections wait and ask nothing";

/** The answer to a line: an object, to be written as one. */
export interface LineAnswer {
  /** Answers with an id may come in any order. */
  readonly hasId: boolean;
  readonly answer: object;
}

/** How connections are served. */
interface LineService {
  /** How long a line may be, asked when a connection begins. */
  maxLineBytes(): number;
  /** How long a line that has begun may wait for more of it, in milliseconds. */
  readonly stallMs: number;
  /** Answer a line. Never rejects. */
  answer(line: string): Promise<LineAnswer>;
  /** What a line gets that comes when the end has begun. */
  decline(line: string, why: string): LineAnswer;
}

/** Told of what a connection does. */
interface ConnectionWatch {
  /** A request has come. */
  busy(): void;
  /** Nothing is asked any more. */
  quiet(): void;
}

/** Requests of one connection that are worked on at a time; more of them wait in the socket. */
const MAX_OUTSTANDING = 128;
/** Answers that wait for somebody to read them; beyond it, nobody will. */
const MAX_UNREAD_BYTES = 64 * 2 ** 20;
/** A client that has connected and means to write does so within this time, and has read an answer. */
const GOODBYE_MS = 500;

/** One connection that sends lines and is answered with lines. */
class Connection {
  readonly #socket: Socket;
  readonly #service: LineService;
  readonly #watch: ConnectionWatch;
  readonly #maxLineBytes: number;
  readonly #splitter: LineSplitter;
  #outstanding = 0;
  /** Resolves when those who have no id are answered. */
  #inOrder: Promise<unknown> = Promise.resolve();
  #stalled: NodeJS.Timeout | undefined;
  #leaving: NodeJS.Timeout | undefined;
  #isStopping = false;
  /** Nothing more is taken: what is still sent is read and forgotten, so that the last answer is read. */
  #isDeaf = false;
  /** What is said last. */
  #parting: string | undefined;
  #isEnded = false;

  /** @param socket half open: one that ends its side is still answered */
  constructor(socket: Socket, service: LineService, watch: ConnectionWatch) {
    this.#socket = socket;
    this.#service = service;
    this.#watch = watch;
    this.#maxLineBytes = service.maxLineBytes();
    this.#splitter = new LineSplitter(this.#maxLineBytes);
    socket.on("data", (chunk: Buffer) => this.#read(chunk));
    socket.on("end", () => this.#finish());
    // It closes by itself then.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(this.#stalled);
      clearTimeout(this.#leaving);
      this.#isEnded = true;
    });
  }

  /** Answer what was received, decline what comes now, and end. */
  stop(): void {
    this.#isStopping = true;
    this.#leaveWhenQuiet();
  }

  /** End at once, with the reason: it asks nothing. A client that means to ask hears that no hook has run. */
  dismiss(why: string): void {
    if (this.#outstanding > 0 || this.#isEnded) return;
    this.#isDeaf = true;
    this.#send({ error: why });
    this.#isEnded = true;
    this.#socket.destroySoon();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    if (this.#isDeaf) return;
    const { lines, isTooLong } = this.#splitter.push(chunk);
    for (const line of lines) if (line.trim() !== "") this.#take(line);
    clearTimeout(this.#stalled);
    if (isTooLong) {
      this.#leave(`a line has more than ${this.#maxLineBytes} bytes`);
    } else if (this.#splitter.isWithin) {
      const why = `a line was begun and not ended within ${this.#service.stallMs} ms`;
      this.#stalled = setTimeout(() => this.#leave(why), this.#service.stallMs);
    }
  }

  #take(line: string): void {
    if (this.#isStopping) {
      this.#send(this.#service.decline(line, STOPPING).answer);
      return;
    }
    if (++this.#outstanding >= MAX_OUTSTANDING) this.#socket.pause();
    this.#watch.busy();
    // Most clients ask once, or one thing after the other: there is no turn to wait for then.
    const before = this.#outstanding > 1 ? this.#inOrder : undefined;
    const sent = this.#sendInTurn(this.#service.answer(line), before);
    this.#inOrder = before ? Promise.all([before, sent]) : sent;
  }

  /** Never rejects. */
  async #sendInTurn(answered: Promise<LineAnswer>, before: Promise<unknown> | undefined) {
    try {
      const { hasId, answer } = await answered;
      if (!hasId && before) await before;
      this.#send(answer);
    } catch {
      // Without its answer the client knows that it was lost; with another's it would be misled.
      this.#socket.destroy();
    }
    if (--this.#outstanding === MAX_OUTSTANDING - 1) this.#socket.resume();
    if (this.#outstanding === 0 && !this.#isEnded) this.#watch.quiet();
    this.#leaveWhenQuiet();
  }

  #send(answer: object): void {
    if (this.#isEnded) return;
    this.#socket.write(`${JSON.stringify(answer)}\n`);
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
      this.#leaving ??= setTimeout(() => this.#leave(STOPPING), GOODBYE_MS);
    }
  }

  /** Take nothing more; end when all is answered, with the reason as the last line. */
  #leave(why: string): void {
    if (this.#isDeaf) return;
    this.#isDeaf = true;
    this.#parting = why;
    this.#leaveWhenQuiet();
  }

  #end(): void {
    if (this.#parting !== undefined) this.#send({ error: this.#parting });
    this.#isEnded = true;
    this.#leaving = setTimeout(() => this.#socket.destroy(), this.#service.stallMs);
    this.#socket.end(() => {
      clearTimeout(this.#leaving);
      // A client that still writes has a moment to read what it was told.
      this.#leaving = setTimeout(() => this.#socket.destroy(), GOODBYE_MS);
    });
  }
}

const STOPPING = "stopping";

const NEWLINE = 10;

/** Cuts a stream of bytes into lines, none longer than it may be. */
class LineSplitter {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether a line has begun that has not ended. */
  get isWithin(): boolean {
    return this.#bytes > 0;
  }

  /**
   * The lines that end in a chunk, and whether one is too long: what follows it is no line any more.
   * Bytes that are not UTF-8 come as U+FFFD.
   */
  push(chunk: Buffer): { readonly lines: string[]; readonly isTooLong: boolean } {
    const lines: string[] = [];
    for (let from = 0; from < chunk.length;) {
      const end = chunk.indexOf(NEWLINE, from);
      const part = chunk.subarray(from, end < 0 ? chunk.length : end);
      this.#bytes += part.length;
      if (this.#bytes > this.#maxBytes) {
        this.#parts = [];
        return { lines, isTooLong: true };
      }
      this.#parts.push(part);
      if (end < 0) break;
      const whole = this.#parts.length === 1 ? part : Buffer.concat(this.#parts);
      lines.push(whole.toString("utf8"));
      this.#parts = [];
      this.#bytes = 0;
      from = end + 1;
    }
    return { lines, isTooLong: false };
  }
}
