import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { codeOf, messageOf } from "../../core/index.ts";
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
      : [request.file, request.args ?? []];
  const options = { cwd, env, detached: true, windowsHide: true };
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
      if (child.pid !== undefined) {
        const { background } = request;
        if (background && ended.kind === "exited") leaveGroup(child.pid, background);
        else killGroup(child.pid);
      }
      // Whatever would keep the event loop alive.
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
      child.unref();
      resolve(ended);
    };
    const overLimit = (stream: "stdout" | "stderr") => () =>
      settle((output) => ({ kind: "output_limit", stream, ...output }));
    const stdout = boundedOutput(child.stdout, request.maxOutputBytes, overLimit("stdout"));
    const stderr = boundedOutput(child.stderr, request.maxOutputBytes, overLimit("stderr"));

    child.on("error", (error) => settle(() => notStarted(error, request.cwd)));
    child.on("exit", (code, signal) => {
      if (settled) return;
      const end = (): void =>
        settle((output) =>
          signal === null
            ? { kind: "exited", code: code ?? 0, ...output }
            : { kind: "signalled", signal, ...output },
        );
      child.on("close", end);
      undo.push(whenQuiet(() => stdout.length() + stderr.length(), end));
    });
    undo.push(...bound(request, settle));
    // EPIPE: it ended, or closed its input, without reading everything. Its own end tells what that means.
    child.stdin?.on("error", () => {});
    child.stdin?.end(request.stdin);
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

function notStarted(error: unknown, cwd: string): ProcessResult {
  const code = codeOf(error);
  // The system does not tell which of the two is missing.
  const hint = code === "ENOENT" ? ` (the program, or the working directory ${cwd})` : "";
  return { kind: "not_started", error: messageOf(error) + hint, code };
}

/**
 * The output of a stream, up to a limit.
 * @param limit bytes that are kept
 * @param onOver called when more than that arrives
 */
function boundedOutput(stream: Readable, limit: number, onOver: () => void) {
  const chunks: Buffer[] = [];
  let length = 0;
  stream.on("data", (chunk: Buffer) => {
    const kept = chunk.subarray(0, limit - length);
    chunks.push(kept);
    length += kept.length;
    if (kept.length < chunk.length) onOver();
  });
  // A pipe error ends it; earlier output counts.
  stream.on("error", () => {});
  return { length: () => length, bytes: (): Uint8Array => Buffer.concat(chunks, length) };
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
