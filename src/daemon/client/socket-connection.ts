import { connect, type Socket } from "node:net";
import { OrcsError } from "../../core/index.ts";
import { LineSplitter } from "../../machine/index.ts";
import type { OperationName } from "../wire/operations.ts";
import type { Connection, Received } from "./connection.ts";
import { ConnectionLost, lostAnswer, NoAnswer, received } from "./connection.ts";
import { expectOwn } from "./find-service.ts";

/** A connection to the socket of a service, for many requests at a time. */
export class SocketConnection implements Connection {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  #next = 0;
  #lost: Error | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    const line = (bytes: Buffer): void => this.#take(bytes.toString("utf8"));
    const splitter = new LineSplitter(Infinity, { line, tooLong: () => undefined });
    socket.on("data", (chunk: Buffer) => {
      try {
        splitter.push(chunk);
      } catch (thrown) {
        this.#lose((thrown as Error).message);
      }
    });
    socket.on("error", (error) => this.#lose(error.message));
    socket.on("close", () => this.#lose("the service has closed the connection"));
  }

  /** @throws OrcsError ORCS7006, ORCS7019 */
  static open(path: string): Promise<SocketConnection> {
    expectOwn(path);
    return new Promise((resolve, reject) => {
      const socket = connect(path);
      const failed = (error: Error): void => {
        reject(new OrcsError("ORCS7019", `no service answers: ${error.message}`));
      };
      socket.once("error", failed);
      socket.once("connect", () => {
        socket.off("error", failed);
        resolve(new SocketConnection(socket));
      });
    });
  }

  request(op: OperationName, fields: object, withinMs: number): Promise<Received> {
    return new Promise((resolve, reject) => {
      if (this.#lost) return reject(this.#lost);
      const id = ++this.#next;
      const late = (): void => {
        settled();
        reject(new NoAnswer(`the service did not respond within ${Math.round(withinMs)} ms`));
      };
      const timer = setTimeout(late, withinMs);
      const settled = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        // A program with nothing else to do may end.
        if (this.#waiting.size === 0) this.#socket.unref();
      };
      let isSent = false;
      this.#waiting.set(id, {
        take: (answer) => {
          settled();
          resolve(answer);
        },
        lose: (why, hasRun) => {
          settled();
          reject(lostAnswer(op, why, isSent && hasRun));
        },
      });
      this.#send(op, id, fields, () => (isSent = true));
    });
  }

  async *follow(fields: object): AsyncGenerator<Received> {
    const queue: Received[] = [];
    let wake: () => void = () => undefined;
    const id = ++this.#next;
    this.#waiting.set(id, {
      take: (answer) => {
        queue.push(answer);
        // The service drops what a slow reader does not take, and counts it.
        if (queue.length >= MOST_QUEUED) this.#socket.pause();
        wake();
      },
      lose: () => wake(),
    });
    this.#send("events", id, fields);
    try {
      for (;;) {
        const batch = queue.shift();
        if (queue.length < MOST_QUEUED) this.#socket.resume();
        if (batch) yield batch;
        else if (this.#lost) throw this.#lost;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      this.close();
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  /** @param sent called when the system has the whole line */
  #send(op: OperationName, id: number, fields: object, sent?: () => void): void {
    this.#socket.ref();
    const line = `${JSON.stringify({ v: 1, op, id, ...fields })}\n`;
    this.#socket.write(line, (error) => error ?? sent?.());
  }

  #take(line: string): void {
    const answer = received(line);
    const { id } = answer;
    // Without an id, an error is the last line: no hook has run for what is still open.
    if (id === undefined && !answer.ok) this.#lose(answer.message, false);
    else if (typeof id === "number") this.#waiting.get(id)?.take(answer);
  }

  /** @param mayHaveRun whether hooks may have run for a request that was sent */
  #lose(why: string, mayHaveRun = true): void {
    this.#lost ??= new ConnectionLost(why);
    this.#socket.destroy();
    for (const { lose } of this.#waiting.values()) lose(why, mayHaveRun);
  }
}

const MOST_QUEUED = 16;

interface Waiting {
  readonly take: (answer: Received) => void;
  readonly lose: (why: string, mayHaveRun: boolean) => void;
}
