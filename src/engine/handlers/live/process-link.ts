import { killGroup, runPiped } from "../../../machine/index.ts";
import type { PipedEnd, ProcessSet } from "../../../machine/index.ts";
import type { Link, LinkEvents } from "./link.ts";
import { readLines } from "./read-lines.ts";

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
