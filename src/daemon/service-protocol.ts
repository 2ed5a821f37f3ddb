import { connect } from "node:net";
import type { Environment, HostName, TraceHeaders } from "../core/index.ts";
import { jsonOr, textsIn } from "../core/index.ts";
import { type HostAnswer, SESSION_VARIABLES } from "../formats/index.ts";
import { objectInFile } from "../machine/index.ts";

/**
 * Version of the request lines below, which `orcs hook` of the same installation sends; requests of other versions are
 * rejected. The lines for other programs are in `wire/operations.ts`.
 */
export const PROTOCOL_VERSION = 1;

/**
 * The time limit of an event when its entry does not state one (`--timeout`), in milliseconds. It is less than any host
 * waits at an event that hooks can deny.
 */
export const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * Share of the host's time limit in which an answer must be ready: the process that writes it needs the rest to end.
 */
export const HOST_SHARE = 0.95;

/** Share of the time left that a service gets: a late service must be reported before the time is over. */
export const SERVICE_SHARE = 0.97;

/** Variables of the environment of whoever asks; null: not set. */
export type CarriedVariables = Readonly<Record<string, string | null>>;

/** What is known without being sent: that these are not set. */
const UNSET: CarriedVariables = Object.fromEntries(SESSION_VARIABLES.map((name) => [name, null]));
/** For whom it is not known, files are private. */
const PRIVATE_UMASK = 0o077;

/** The environment that a request carries: never that of the service, which belongs to whoever started it. */
export function carriedEnvironment(env?: CarriedVariables, umask = PRIVATE_UMASK): Environment {
  return { variables: { ...UNSET, ...env }, isPart: true, umask };
}

/** The environment of this process, as far as it is carried. @param names from the well-known file of the service */
export function ownVariables(names: readonly string[]): CarriedVariables {
  return Object.fromEntries(names.map((name) => [name, process.env[name] ?? null]));
}

/** The variables that the hooks of a service may read, from its well-known file; none if it is not there yet. */
export function namesIn(wellKnown: string): readonly string[] {
  return textsIn(objectInFile(wellKnown)?.["env"]);
}

/** An entry of an agent's settings, as far as it determines the hooks. */
export interface EntryCall {
  /** The working directory, absolute; from bin/orcs-hook as the shell names it. */
  readonly cwd: string;
  /** Variables of its environment; null: not set. Those that determine folders may be missing instead. */
  readonly env: CarriedVariables;
  /** Its file mode mask. */
  readonly umask?: number | undefined;
  /** The words after `hook`. */
  readonly args: readonly string[];
}

/** The common keys of every request line, without its version. */
interface ServiceRequest {
  /** The requested configuration, from `serviceKey`. */
  readonly key: string;
  /** The event as sent by the agent. */
  readonly event: string;
  /** The agent's time limit, in milliseconds. */
  readonly within_ms?: number | undefined;
}

/** A request line with an event of an agent. */
interface HostRequest extends ServiceRequest, TraceHeaders, Pick<EntryCall, "env" | "umask"> {
  readonly host: HostName;
  /** Whether the entry denies tool calls in folders whose configuration was never trusted. */
  readonly strict?: boolean | undefined;
  /** The process that started the hook's. */
  readonly parent?: number | undefined;
}

/**
 * A request line for an entry that was not started, because its agent sends events over HTTP: the service checks
 * whether `orcs hook` would ask it.
 */
interface EntryRequest extends ServiceRequest {
  readonly entry: EntryCall;
}

/**
 * The response line to an event: a response for the agent, or an error; with an error, no hook has run. An error
 * without an id may also come unrequested, as the last line before the service ends.
 */
type ServiceAnswer = HostAnswer | LineError;

/** The response line to a request that was not carried out. */
export interface LineError {
  readonly error: {
    /** A code of `ErrorCode`. */
    readonly code: string;
    readonly message: string;
  };
}

/** The result of a request to a service. */
type ServiceReply =
  | { readonly kind: "answered"; readonly answer: HostAnswer }
  /** There is no service for us. No hook has run. */
  | { readonly kind: "nobody"; readonly why: string }
  /** It may have had the whole request, and did not respond. Hooks may have run. */
  | { readonly kind: "lost"; readonly why: string; readonly isLate?: boolean };

/**
 * Send one request to the service behind a socket.
 * @param withinMs time limit
 */
export function askService(
  socket: string,
  request: HostRequest | EntryRequest,
  withinMs: number,
): Promise<ServiceReply> {
  return new Promise((resolve) => {
    let isConnected = false;
    /** It acts on whole lines: what it did not get to its end, it did not carry out. */
    let sent = false;
    const chunks: Buffer[] = [];
    const connection = connect(socket);
    const settle = (asked: ServiceReply): void => {
      clearTimeout(timer);
      connection.destroy();
      resolve(asked);
    };
    const timer = setTimeout(() => {
      const why = `it did not respond within ${Math.round(withinMs)} ms`;
      settle({ kind: "lost", why, isLate: isConnected });
    }, withinMs);
    connection.on("connect", () => {
      isConnected = true;
      const line = `${JSON.stringify({ v: PROTOCOL_VERSION, ...request })}\n`;
      connection.write(line, (error) => (sent = !error));
    });
    connection.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      if (chunk.includes(10)) settle(readAnswer(Buffer.concat(chunks).toString("utf8")));
    });
    const ended = (why: string): void => settle({ kind: sent ? "lost" : "nobody", why });
    connection.on("error", ({ message }) => ended(message));
    connection.on("close", () => ended("it closed the connection without a response"));
  });
}

function readAnswer(text: string): ServiceReply {
  const lost = (why: string): ServiceReply => ({ kind: "lost", why: `its response ${why}` });
  const answer = jsonOr(text) as ServiceAnswer | null | undefined;
  if (answer === undefined) return lost("is not JSON");
  if (typeof answer !== "object" || answer === null) return lost("is not an object");
  if ("error" in answer) return { kind: "nobody", why: String(answer.error?.message) };
  return typeof answer.code === "number" ? { kind: "answered", answer } : lost("has no exit code");
}
