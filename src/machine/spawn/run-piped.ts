import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { messageOf } from "../../core/index.ts";
import { killGroup, withUmask } from "./processes.ts";

/** A program to communicate with while it runs. */
export interface PipedRequest {
  readonly file: string;
  readonly args: readonly string[];
  /** Default: this process's own. */
  readonly cwd?: string | undefined;
  /** The whole environment; default: this process's own. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Its file mode mask; default: this process's own. */
  readonly umask?: number | undefined;
  /** Receives stderr, which is inherited otherwise. */
  readonly stderr?: ((chunk: Buffer) => void) | undefined;
}

/** How it ended. Nothing of its process group is left then. */
export type PipedEnd =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signalled"; readonly signal: NodeJS.Signals }
  /** It never ran; `error` is the system's message. */
  | { readonly kind: "not_started"; readonly error: string };

/** A running program. */
export interface PipedProcess {
  /** Undefined when it was not started. */
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when it has ended and its output was read. Never rejects. */
  readonly ended: Promise<PipedEnd>;
  /**
   * Signal the whole group to end, and kill the rest later; the earliest such time counts.
   * @param graceMs its time in milliseconds
   */
  stop(graceMs: number): void;
  /** Whether this process has to wait for it; when it does not, it ends without it. */
  keepAlive(isNeeded: boolean): void;
}

/** How long output is awaited after the program has ended, in milliseconds: another process may keep its pipe open. */
const QUIET_MS = 500;

type Child = ChildProcessByStdio<Writable, Readable, Readable | null>;

/**
 * Start a program in a process group of its own, with pipes for its input and output. What the request does not state,
 * it inherits. When it ends, background processes it left are killed.
 */
export function runPiped(request: PipedRequest): PipedProcess {
  let child: Child;
  try {
    child = withUmask(request.umask, () => start(request));
  } catch (thrown) {
    // Invalid arguments for a system call, such as NUL in one.
    const ended = Promise.resolve({ kind: "not_started", error: messageOf(thrown) } as const);
    return {
      pid: undefined,
      stdin: new PassThrough().resume(),
      stdout: new PassThrough().end(),
      ended,
      stop: () => undefined,
      keepAlive: () => undefined,
    };
  }
  // EPIPE: it has ended, or stopped reading. Its end tells the rest.
  child.stdin.on("error", () => undefined);
  child.stdout.on("error", () => undefined);
  let timer: NodeJS.Timeout | undefined;
  let deadline = Infinity;
  const ended = endOf(child).finally(() => {
    deadline = -Infinity;
    clearTimeout(timer);
  });
  return {
    pid: child.pid,
    stdin: child.stdin,
    stdout: child.stdout,
    ended,
    keepAlive: (isNeeded) => keepAlive(child, isNeeded),
    stop: (graceMs) => {
      const { pid } = child;
      const until = performance.now() + graceMs;
      if (pid === undefined || until >= deadline) return;
      if (timer === undefined) killGroup(pid, "SIGTERM");
      clearTimeout(timer);
      deadline = until;
      timer = setTimeout(() => killGroup(pid), graceMs);
    },
  };
}

function start({ file, args, cwd, env, stderr }: PipedRequest): Child {
  const options = { cwd, env, detached: true, windowsHide: true };
  if (!stderr) return spawn(file, args, { ...options, stdio: ["pipe", "pipe", "inherit"] });
  const child = spawn(file, args, { ...options, stdio: ["pipe", "pipe", "pipe"] });
  child.stderr.on("data", stderr);
  child.stderr.on("error", () => undefined);
  return child;
}

function keepAlive(child: Child, isNeeded: boolean): void {
  // Streams of a child process are sockets, which Node's types do not tell.
  const handles = [child, child.stdin, child.stdout, child.stderr] as (Partial<Socket> | null)[];
  for (const handle of handles) {
    if (isNeeded) handle?.ref?.();
    else handle?.unref?.();
  }
}

function endOf(child: Child): Promise<PipedEnd> {
  return new Promise((resolve) => {
    child.on("error", (error) => {
      // The error may also be a signal that could not be sent.
      if (child.pid === undefined) resolve({ kind: "not_started", error: error.message });
    });
    child.on("exit", (code, signal) => {
      const end: PipedEnd =
        signal === null ? { kind: "exited", code: code ?? 0 } : { kind: "signalled", signal };
      const settle = (): void => {
        clearTimeout(quiet);
        // The reader is slow: that is not silence.
        if (child.stdout.isPaused() && !child.stdout.closed) {
          quiet = setTimeout(settle, QUIET_MS);
          return;
        }
        if (child.pid !== undefined) killGroup(child.pid);
        child.stdout.destroy();
        child.stderr?.destroy();
        resolve(end);
      };
      let quiet = setTimeout(settle, QUIET_MS);
      // Remaining output is read to its end.
      child.stdout.on("data", () => {
        clearTimeout(quiet);
        quiet = setTimeout(settle, QUIET_MS);
      });
      // All of its output was read.
      child.on("close", settle);
    });
  });
}
