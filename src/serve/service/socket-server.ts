import { createServer } from "node:net";
import type { Server } from "node:net";
import { Connection } from "./connection.ts";
import type { LineService } from "./connection.ts";

/** What has connected to a socket that is gone is taken within this time, in milliseconds. */
const ACCEPT_MS = 50;

/** The side of a service that speaks lines of JSON. */
export class SocketServer {
  readonly server: Server;
  readonly #connections = new Set<Connection>();
  #isStopping = false;

  constructor(service: LineService) {
    this.server = createServer({ allowHalfOpen: true }, (socket) => {
      const connection = new Connection(socket, service);
      this.#connections.add(connection);
      socket.on("close", () => this.#connections.delete(connection));
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
    await new Promise((resolve) => setTimeout(resolve, ACCEPT_MS));
    // If hooks have kept the thread that long, nobody was taken yet.
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  /** End all connections at once. */
  destroy(): void {
    for (const connection of this.#connections) connection.destroy();
  }
}
