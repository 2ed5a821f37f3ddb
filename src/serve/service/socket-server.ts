import { createServer } from "node:net";
import type { Server } from "node:net";
import { Connection } from "./connection.ts";
import type { LineService } from "./connection.ts";
import { WaitingRoom } from "./waiting-room.ts";
import type { Dismissal } from "./waiting-room.ts";

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
