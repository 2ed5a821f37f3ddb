import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import type { Server, Socket } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { JsonObject } from "../../src/core/json.ts";

/** A service that does what a case says. */
export interface FakeScript {
  /** The answer to `hello`; default: version 1. */
  readonly hello?: JsonObject | string;
  /**
   * The answers to all other requests, over all connections: an object; `close`: the connection ends; `hang`: nothing;
   * `half`: half a line; `half-close`: half a line, then the end; `raw:TEXT`. The last one is repeated.
   */
  readonly answers: readonly (JsonObject | string)[];
}

/** A fake service with its well-known file. */
export class FakeService {
  readonly file: string;
  readonly requests: JsonObject[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #path: string;
  readonly #script: FakeScript;

  constructor(dir: string, script: FakeScript) {
    this.#path = join(dir, "fake.sock");
    this.#script = script;
    this.file = writeWellKnown(dir, this.#path);
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
      createInterface({ input: socket }).on("line", (line) => {
        this.#take(socket, JSON.parse(line) as JsonObject);
      });
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(this.#path, resolve));
    chmodSync(this.#path, 0o600);
    return this;
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #take(socket: Socket, request: JsonObject): void {
    const { hello = { v: 1, versions: [1], directory: "/", max_line_bytes: 1024 }, answers } =
      this.#script;
    const { op, id } = request;
    if (op !== "hello") this.requests.push(request);
    const answer = op === "hello" ? hello : (answers[this.requests.length - 1] ?? answers.at(-1));
    if (typeof answer === "object") {
      socket.write(`${JSON.stringify({ ...(id !== undefined && { id }), ...answer })}\n`);
    } else if (answer === "close") socket.destroy();
    else if (answer === "half") socket.write('{"action":');
    else if (answer === "half-close") socket.end('{"action":');
    else if (answer?.startsWith("raw:") === true) socket.write(`${answer.slice(4)}\n`);
  }
}

/** A well-known file in a folder. */
export function writeWellKnown(dir: string, socket: string): string {
  const file = join(dir, "0123456789abcdef.json");
  const content = {
    scope: "file",
    directory: dir,
    versions: [1],
    socket,
    key: "k",
    pid: 1,
    started: 1,
  };
  writeFileSync(file, JSON.stringify(content), { mode: 0o600 });
  return file;
}

/** The files of a service that cannot be used, by what is wrong with them. */
export const BROKEN: Readonly<Record<string, (dir: string) => Promise<string>>> = {
  missing: async (dir) => join(dir, "missing.json"),
  "no-socket": async (dir) => writeWellKnown(dir, join(dir, "missing.sock")),
  refused: async (dir) => {
    const path = join(dir, "left.sock");
    // Named anew, for Node removes the socket of a server that closes.
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(`${path}.new`, resolve));
    const { renameSync } = await import("node:fs");
    renameSync(`${path}.new`, path);
    chmodSync(path, 0o600);
    await new Promise((resolve) => server.close(resolve));
    return writeWellKnown(dir, path);
  },
  garbage: async (dir) => {
    const file = writeWellKnown(dir, "");
    writeFileSync(file, "{garbage");
    return file;
  },
  readable: async (dir) => {
    const file = writeWellKnown(dir, join(dir, "x.sock"));
    chmodSync(file, 0o644);
    return file;
  },
  link: async (dir) => {
    const link = join(dir, "link.json");
    symlinkSync(writeWellKnown(dir, join(dir, "x.sock")), link);
    return link;
  },
  "open-socket": async (dir) => {
    const fake = await new FakeService(dir, { answers: ["hang"] }).start();
    chmodSync(join(dir, "fake.sock"), 0o666);
    void fake;
    return join(dir, "0123456789abcdef.json");
  },
};
