import { connect } from "node:net";
import type { Link, LinkEvents } from "./link.ts";
import { readLines } from "./read-lines.ts";

/** Connect to a Unix socket, or a named pipe of Windows. Whoever listens there is not ours to end. */
export function openSocket(path: string, maxLineBytes: number, events: LinkEvents): Link {
  const socket = connect({ path });
  let why: string | undefined;
  readLines(socket, maxLineBytes, events, (reason) => (why = reason));
  socket.on("error", (error: NodeJS.ErrnoException) => {
    why ??= `it cannot be reached: ${error.code ?? error.message}`;
  });
  // Without this, a socket whose other end was closed stays half open.
  socket.on("end", () => void socket.destroy());
  const ended = new Promise<void>((resolve) => {
    socket.on("close", () => {
      events.ended(why ?? "it closed the connection");
      resolve();
    });
  });
  return {
    send: (line) => void socket.write(line),
    get backlog() {
      return socket.writableLength;
    },
    keepAlive: (isNeeded) => void (isNeeded ? socket.ref() : socket.unref()),
    close() {
      why ??= "the connection was closed";
      socket.destroy();
      return ended;
    },
  };
}
