import { isUtf8 } from "node:buffer";
import { connect } from "node:net";
import type { Readable } from "node:stream";
import { killGroup, LineSplitter, runPiped } from "../../../machine/index.ts";
import type { PipedEnd, ProcessSet } from "../../../machine/index.ts";
import type { Link, LinkEvents } from "./link.ts";

/** A process that is a handler. */
export interface LiveProcess {
  /** The program, and its arguments. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Its file mode mask; default: that of this process. */
  readonly umask?: number | undefined;
  /** Maximum size of a line, in bytes. */
  readonly maxLineBytes: number;
  readonly processes: ProcessSet;
  readonly stderr: (chunk: Buffer) => void;
}

/** Start a process, in a group of its own, whose standard input and output are the connection. */
export function openProcess(of: LiveProcess, events: LinkEvents): Link {
  const { cwd, env, umask, stderr } = of;
  const [file = "", ...args] = of.argv;
  const child = runPiped({ file, args, cwd, env, umask, stderr });
  const { pid } = child;
  const kill = (): void => {
    if (pid !== undefined) killGroup(pid);
  };
  const leave = of.processes.add(kill);
  let why: string | undefined;
  readLines(child.stdout, of.maxLineBytes, events, (reason) => {
    why = reason;
    kill();
  });
  const end = async (): Promise<void> => {
    const how = await child.ended;
    leave();
    events.ended(why ?? endText(how));
  };
  const ended = end();
  let isCorked = false;
  const uncork = (): void => {
    isCorked = false;
    child.stdin.uncork();
  };
  return {
    send(line) {
      child.stdin.write(line);
      if (isCorked) return;
      // The handler begins with the first request of a moment at once; the others are one write.
      isCorked = true;
      child.stdin.cork();
      process.nextTick(uncork);
    },
    get backlog() {
      return child.stdin.writableLength;
    },
    keepAlive: (isNeeded) => child.keepAlive(isNeeded),
    close(graceMs) {
      why ??= "it was ended";
      child.keepAlive(true);
      child.stdin.end();
      if (graceMs === 0) {
        child.stdout.destroy();
        kill();
      } else child.stop(graceMs);
      return ended;
    },
  };
}

function endText(end: PipedEnd): string {
  switch (end.kind) {
    case "exited":
      return `it exited with code ${end.code}`;
    case "signalled":
      return `it was killed by ${end.signal}`;
    case "not_started":
      return `it could not be started: ${end.error}`;
  }
}

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

/**
 * Pass on the lines of a stream as messages.
 * @param maxBytes of a line; reading stops as soon as one is longer, whether or not it ends
 * @param overflow called then
 */
export function readLines(
  stream: Readable,
  maxBytes: number,
  events: Pick<LinkEvents, "message" | "stray">,
  overflow: (why: string) => void,
): void {
  const splitter = new LineSplitter(maxBytes, {
    line(bytes) {
      if (stream.destroyed) return;
      if (!isUtf8(bytes)) return events.stray("is not valid UTF-8");
      const text = bytes.toString("utf8");
      if (text.trim() !== "") events.message(text);
    },
    tooLong: () => undefined,
    overflows() {
      stream.destroy();
      overflow(`it sent a line of more than ${maxBytes} bytes`);
    },
  });
  // An incomplete last line is no message.
  stream.on("data", (chunk: Buffer) => {
    if (!stream.destroyed) splitter.push(chunk);
  });
  stream.on("error", () => undefined);
}
