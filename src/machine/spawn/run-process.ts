import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { messageOf } from "../../core/index.ts";
import { type Background, leaveGroup } from "./background.ts";
import { killGroup, type ProcessSet, withUmask } from "./processes.ts";

/** What to run, and its limits. */
type RunRequest = RunBounds &
  (
    | {
        /** A line for the shell. */
        readonly command: string;
        /** Run as `<shell> -c <command>`; default `sh`. */
        readonly shell?: string | undefined;
      }
    | { readonly file: string; readonly args?: readonly string[] | undefined }
  );

/** Limits and environment of a run. */
export interface RunBounds {
  readonly cwd: string;
  /** The whole environment of the process; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Its file mode mask; default: that of this process. */
  readonly umask?: number | undefined;
  /** Written to its standard input, which is empty otherwise. */
  readonly stdin?: string | Uint8Array | undefined;
  /** Wall clock in milliseconds, at most 2^31 - 1. */
  readonly timeoutMs: number;
  /** Bytes of each of stdout and stderr. */
  readonly maxOutputBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** What it may leave when it ends by itself. Default: nothing. */
  readonly background?: Background | undefined;
  /** Tracks it while it runs. */
  readonly processes?: ProcessSet | undefined;
}

/** How long output is awaited after the process itself has ended, while another process keeps its pipes open. */
const GRACE_MS = 100;
/** Maximum of that time, while output keeps coming. */
const MAX_GRACE_MS = 1_000;

/**
 * Run a process in a group of its own and kill the whole group when it ends, in any way: at the timeout, when aborted,
 * over the output limit, and, unless `background` lets them live on, background processes when it ended by itself. It
 * settles then, without waiting for pipes that others keep open. Never rejects.
 * The usual libraries kill only the process and wait for its grandchildren (facts.md), hence this one.
 */
export async function runProcess(request: RunRequest): Promise<ProcessResult> {
  if (request.signal?.aborted || request.processes?.closed) {
    return { kind: "aborted", stdout: new Uint8Array(), stderr: new Uint8Array() };
  }
  let child: Child;
  try {
    child = start(request);
  } catch (error) {
    // Invalid arguments for a system call, such as NUL in one.
    return notStarted(error, request.cwd);
  }
  return follow(child, request);
}

/** Standard input exists only when something is written. */
type Child = ChildProcessByStdio<Writable | null, Readable, Readable>;

function start(request: RunRequest): Child {
  const { cwd, env, umask, stdin } = request;
  const [file, args] =
    "command" in request
      ? [request.shell ?? "sh", ["-c", request.command]]
      : [request.file, [...(request.args ?? [])]];
  const options = { cwd, env: { ...env }, detached: true, windowsHide: true };
  return withUmask(umask, () =>
    stdin === undefined
      ? spawn(file, args, { ...options, stdio: ["ignore", "pipe", "pipe"] })
      : spawn(file, args, { ...options, stdio: ["pipe", "pipe", "pipe"] }),
  );
}

function follow(child: Child, request: RunRequest): Promise<ProcessResult> {
  return new Promise((resolve) => {
    const undo: (() => void)[] = [];
    let settled = false;
    const settle = (result: (output: ProcessOutput) => ProcessResult): void => {
      if (settled) return;
      settled = true;
      for (const step of undo) step();
      const ended = result({ stdout: stdout.bytes(), stderr: stderr.bytes() });
      endGroup(child.pid, ended.kind === "exited" ? request.background : undefined);
      release(child);
      resolve(ended);
    };
    const overLimit = (stream: "stdout" | "stderr") => () =>
      settle((output) => ({ kind: "output_limit", stream, ...output }));
    const stdout = new BoundedOutput(child.stdout, request.maxOutputBytes, overLimit("stdout"));
    const stderr = new BoundedOutput(child.stderr, request.maxOutputBytes, overLimit("stderr"));

    child.on("error", (error) => settle(() => notStarted(error, request.cwd)));
    child.on("exit", (code, signal) => {
      if (settled) return;
      const end = (): void => settle((output) => ended(code, signal, output));
      child.on("close", end);
      undo.push(whenQuiet(() => stdout.length + stderr.length, end));
    });
    undo.push(...bound(request, settle));
    feed(child.stdin, request.stdin);
  });
}

/** End the run at its timeout, on abort, and when its set closes. Returns a function that removes these. */
function bound(
  request: RunRequest,
  settle: (result: (output: ProcessOutput) => ProcessResult) => void,
): (() => void)[] {
  const abort = (): void => settle((output) => ({ kind: "aborted", ...output }));
  const expire = (): void => settle((output) => ({ kind: "timeout", ...output }));
  const timer = setTimeout(expire, request.timeoutMs);
  request.signal?.addEventListener("abort", abort, { once: true });
  const leave = request.processes?.add(abort);
  return [
    () => clearTimeout(timer),
    () => request.signal?.removeEventListener("abort", abort),
    () => leave?.(),
  ];
}

function endGroup(pid: number | undefined, background: Background | undefined): void {
  if (pid === undefined) return;
  if (background) leaveGroup(pid, background);
  else killGroup(pid);
}

function feed(stdin: Writable | null, input: string | Uint8Array | undefined): void {
  if (!stdin) return;
  // EPIPE: it ended, or closed its input, without reading everything. Its own end tells what that means.
  stdin.on("error", () => {});
  stdin.end(input);
}

/**
 * Call `end` once no more output has come for a while; a background process may keep the pipe open for ever.
 * @returns stops watching
 */
function whenQuiet(received: () => number, end: () => void): () => void {
  const last = performance.now() + MAX_GRACE_MS;
  let timer: NodeJS.Timeout;
  let check: NodeJS.Immediate | undefined;
  const watch = (): void => {
    const before = received();
    timer = setTimeout(() => {
      // When the event loop was blocked, the timer is late and the output still unread: read it first.
      check = setImmediate(() => {
        if (received() > before && performance.now() < last) watch();
        else end();
      });
    }, GRACE_MS);
  };
  watch();
  return () => {
    clearTimeout(timer);
    clearImmediate(check);
  };
}

function ended(
  code: number | null,
  signal: NodeJS.Signals | null,
  output: ProcessOutput,
): ProcessResult {
  if (signal !== null) return { kind: "signalled", signal, ...output };
  return { kind: "exited", code: code ?? 0, ...output };
}

function notStarted(error: unknown, cwd: string): ProcessResult {
  const code = (error as NodeJS.ErrnoException).code;
  // The system does not tell which of the two is missing.
  const hint = code === "ENOENT" ? ` (the program, or the working directory ${cwd})` : "";
  return { kind: "not_started", error: messageOf(error) + hint, code };
}

/** Release everything that would keep the event loop alive. */
function release(child: Child): void {
  child.stdin?.destroy();
  child.stdout.destroy();
  child.stderr.destroy();
  child.unref();
}

/** The output of a stream, up to a limit. */
class BoundedOutput {
  readonly #chunks: Buffer[] = [];
  readonly #limit: number;
  #length = 0;

  /**
   * @param limit bytes that are kept
   * @param onOver called when more than that arrives
   */
  constructor(stream: Readable, limit: number, onOver: () => void) {
    this.#limit = limit;
    stream.on("data", (chunk: Buffer) => {
      if (this.#take(chunk)) onOver();
    });
    // A pipe error ends it; earlier output counts.
    stream.on("error", () => {});
  }

  /** Bytes that are kept. */
  get length(): number {
    return this.#length;
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#chunks, this.#length);
  }

  #take(chunk: Buffer): boolean {
    const room = this.#limit - this.#length;
    const kept = chunk.length > room ? chunk.subarray(0, room) : chunk;
    this.#chunks.push(kept);
    this.#length += kept.length;
    return chunk.length > room;
  }
}

/** The captured output of a process. */
export interface ProcessOutput {
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

/** How a run ended. */
export type ProcessResult =
  | ({ readonly kind: "exited"; readonly code: number } & ProcessOutput)
  /** Ended by a signal that was not ours. */
  | ({ readonly kind: "signalled"; readonly signal: NodeJS.Signals } & ProcessOutput)
  /** Killed at its timeout. */
  | ({ readonly kind: "timeout" } & ProcessOutput)
  /** Killed, or never begun, because the caller's signal aborted or its `ProcessSet` was closed. */
  | ({ readonly kind: "aborted" } & ProcessOutput)
  /** Killed because one stream exceeded the limit; the output is truncated there. */
  | ({ readonly kind: "output_limit"; readonly stream: "stdout" | "stderr" } & ProcessOutput)
  /** Never ran; `code` is the system's, such as ENOENT or EACCES, when there is one. */
  | { readonly kind: "not_started"; readonly error: string; readonly code: string | undefined };
