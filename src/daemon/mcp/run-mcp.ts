import { randomUUID } from "node:crypto";
import { basename, dirname, extname } from "node:path";
import type { Readable } from "node:stream";
import {
  messageOf,
  OrcsError,
  traceContext,
  traceHeadersIn,
  withTimeLimit,
} from "../../core/index.ts";
import { LineSplitter, LineWriter, runPiped } from "../../machine/index.ts";
import type { Lines, PipedEnd } from "../../machine/index.ts";
import { type EngineLease, stdioLease, type StdioOptions } from "../engine-lease.ts";
import { Telemetry } from "../telemetry.ts";
import { errorAnswer, lineOf, RPC_ERRORS } from "./json-rpc.ts";
import { McpProxy } from "./proxy.ts";

/** The server to run for a client. */
interface McpOptions extends StdioOptions {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Name of the server, in `mcp::<name>`. */
  readonly name: string;
  /** Resolves when the program must end, with the milliseconds that the server has for it. */
  readonly stopped: Promise<number>;
}

/** The longest message, in bytes: a JavaScript string can hold little more. */
const MAX_LINE = 256 * 2 ** 20;
/** How long the server has to end by itself after its input was closed, in milliseconds. */
const CLOSE_MS = 1_000;
/** How long it has to answer pending requests before that. */
const DRAIN_MS = 30_000;
/** Time from SIGTERM to SIGKILL. */
const KILL_MS = 5_000;
/** How long requests get an error response when there is no server. */
const ANSWER_MS = 250;
/** How long the client has to read the rest. */
const FLUSH_MS = 2_000;
/** Interval of checking whether the server has answered everything. */
const POLL_MS = 10;

/**
 * Run the proxy between a client and a server until one of them ends.
 * @returns the exit code: 0 when the client closed, 2 when the server could not be started, otherwise 1
 */
export async function runMcp(options: McpOptions): Promise<number> {
  const { command, input, output, log, stopped } = options;
  const telemetry = new Telemetry(log);
  const door = openEngine(options, telemetry);
  const [file = "", ...args] = command;
  const server = runPiped({ file, args });
  const toClient = new LineWriter(output);
  const toServer = new LineWriter(server.stdin);
  const proxy = proxyOf(options, door, toClient, toServer);
  const fromClient = pumpLines(input, toServer, MAX_LINE, {
    line: (line) => proxy.fromClient(line),
    tooLong: () => {
      log.error(TOO_LONG);
      toClient.write(lineOf(errorAnswer(null, RPC_ERRORS.invalidRequest, TOO_LONG)));
    },
  });
  const fromServer = pumpLines(server.stdout, toClient, MAX_LINE, {
    line: (line) => proxy.fromServer(line),
    tooLong: () => {
      log.error(TOO_LONG);
      proxy.lost(TOO_LONG);
    },
  });
  const ended = Promise.all([server.ended, fromServer]).then(([end]) => end);
  const asked = Promise.race([stopped, toClient.closed.then(() => KILL_MS)]);
  void asked.then((graceMs) => server.stop(graceMs));
  const first = await Promise.race([
    fromClient.then(() => "client" as const),
    ended.then(() => "server" as const),
    asked.then(() => "stopped" as const),
  ]);
  if (first === "client") {
    await drain(proxy, toServer, Promise.race([ended, asked]));
    server.stop(KILL_MS);
  }
  const end = await ended;
  const why = endReason(end, command);
  const waited = proxy.serverGone(why);
  const isQuiet = end.kind === "exited" && end.code === 0;
  const isFine = waited === 0 && (first === "server" ? isQuiet : end.kind !== "not_started");
  if (!isFine) log.error(why);
  // A client that has just started to send gets the reason.
  if (end.kind === "not_started") await arrivesWithin(ANSWER_MS, fromClient);
  await arrivesWithin(KILL_MS, proxy.settled());
  await arrivesWithin(KILL_MS, proxy.end());
  input.destroy();
  await Promise.all([toClient.flushed(FLUSH_MS), door.close()]);
  await telemetry.shutdown(FLUSH_MS);
  if (end.kind === "not_started") return 2;
  return isFine ? 0 : 1;
}

const TOO_LONG = `a message of more than ${MAX_LINE / 2 ** 20} MB was dropped`;

function openEngine(options: McpOptions, telemetry: Telemetry): EngineLease {
  const { log } = options;
  const door = stdioLease(options, (orcs) => void telemetry.attach(orcs));
  door.engine().catch((thrown: unknown) => {
    for (const line of messageOf(thrown).split("\n")) log.error(line);
    log.error("every tools/call is denied until this is fixed");
  });
  return door;
}

function proxyOf(
  { name, log }: McpOptions,
  door: EngineLease,
  toClient: LineWriter,
  toServer: LineWriter,
): McpProxy {
  return new McpProxy({
    use: (run) => door.use(run),
    refused: (refusal) => door.refused(refusal),
    component: `mcp::${name}`,
    server: name,
    sessionId: randomUUID(),
    cwd: process.cwd(),
    trace: traceContext(traceHeadersIn(process.env)),
    log,
    toClient: (line) => toClient.write(line),
    toServer: (line) => toServer.write(line),
  });
}

/**
 * The client has ended: let the server answer pending requests, close its input, and let it end by itself.
 * @param over ends the waiting early
 */
async function drain(proxy: McpProxy, toServer: LineWriter, over: Promise<unknown>): Promise<void> {
  // Calls may be in their hooks, and a retry needs an open input.
  const inTime = await arrivesWithin(DRAIN_MS, Promise.race([over, proxy.settled()]));
  toServer.end();
  if (inTime) await arrivesWithin(DRAIN_MS, Promise.race([over, idle(proxy)]));
  await arrivesWithin(CLOSE_MS, over);
}

async function idle(proxy: McpProxy): Promise<void> {
  while (!proxy.isIdle) await new Promise((resolve) => setTimeout(resolve, POLL_MS).unref());
}

function endReason(end: PipedEnd, command: readonly string[]): string {
  const why = {
    not_started: `${command.join(" ")} could not be started: ${"error" in end ? end.error : ""}`,
    exited: `the MCP server ended with exit code ${"code" in end ? end.code : ""}`,
    signalled: `the MCP server was ended by ${"signal" in end ? end.signal : ""}`,
  }[end.kind];
  return new OrcsError("ORCS7005", why).message;
}

/**
 * Wait for a promise with a time limit.
 * @returns whether it settled in time
 */
async function arrivesWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  const arrived = promise.then(() => true);
  return (await withTimeLimit(ms, arrived)) ?? false;
}

/**
 * Read a stream line by line, no faster than the receiver.
 * @param maxBytes of a line
 * @returns resolves at its end
 */
export function pumpLines(
  source: Readable,
  sink: LineWriter,
  maxBytes: number,
  lines: Lines,
): Promise<void> {
  const splitter = new LineSplitter(maxBytes, lines);
  return new Promise((resolve) => {
    source.on("data", (chunk: Buffer) => {
      splitter.push(chunk);
      if (!sink.isFull) return;
      source.pause();
      void sink.drained().then(() => source.resume());
    });
    const end = (): void => {
      splitter.end();
      resolve();
    };
    source.on("end", end);
    // A broken pipe ends the reading; `close` is emitted in any case.
    source.on("error", () => undefined);
    source.on("close", end);
  });
}

/** Programs that only start others: the name is that of the started one. */
const LAUNCHERS = new Set(
  "node npx npm pnpm yarn bun bunx deno tsx uv uvx pipx python python3 ruby php java docker podman sh bash env".split(
    " ",
  ),
);
const LAUNCHER_VERBS = new Set(["run", "exec", "dlx", "x"]);
/** Names of files and folders that do not describe their content. */
const GENERIC_NAMES = new Set(
  "index main server cli app start run mcp stdio dist build lib out src bin __main__".split(" "),
);

/** A name for a server from its command: for `npx -y @scope/server-files@1.2 /tmp` it is `server-files`. */
export function serverName([file = "", ...args]: readonly string[]): string {
  const program = plainName(file);
  if (!LAUNCHERS.has(program)) return validName(program);
  const target = args.find((arg) => !arg.startsWith("-") && !LAUNCHER_VERBS.has(arg));
  return validName(target === undefined ? program : targetName(target));
}

/** Whether a name is valid in `mcp::<name>`. */
export function isServerName(name: string): boolean {
  return name !== "" && validName(name) === name;
}

/** The last descriptive part of a path; for a package, without scope and version. */
function targetName(target: string): string {
  const path = target.replace(/(?<=[^/])@[^/@]*$/, "");
  for (let at = path; basename(at) !== ""; at = dirname(at)) {
    const name = plainName(at);
    if (!GENERIC_NAMES.has(name) && name !== "." && name !== "..") return name;
    if (dirname(at) === at) break;
  }
  return plainName(path);
}

function plainName(path: string): string {
  const extension = /^\.(?:[cm]?[jt]s|py|rb|php|jar|exe|cmd|sh)$/.test(extname(path));
  return basename(path, extension ? extname(path) : "");
}

function validName(name: string): string {
  return name.replaceAll(/[^\w.-]+/g, "-").replaceAll(/^-+|-+$/g, "") || "server";
}
