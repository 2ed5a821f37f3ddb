import { connect } from "node:net";
import type { HostName } from "../core/hosts.ts";
import type { JsonObject } from "../core/json.ts";
import type { HostAnswer } from "../protocols/host-protocol.ts";

/** Version of what goes over the socket; another one is not answered. */
export const PROTOCOL_VERSION = 1;

/**
 * The time limit of an event when its entry does not state one (`--timeout`), in milliseconds. It is less than any host
 * waits at an event that hooks can deny.
 */
export const DEFAULT_TIMEOUT_MS = 30_000;

/** Share of the host's time limit in which an answer must be ready: the process that writes it needs the rest to end. */
export const HOST_SHARE = 0.95;

/** Share of the time left that a service gets: a late service must be reported before the time is over. */
export const SERVICE_SHARE = 0.97;

/** An entry of a host's settings, as far as it decides which hooks are asked. */
export interface EntryCall {
  /** The working directory, absolute; of bin/orcs-hook as the shell names it. */
  readonly cwd: string;
  /** The variables that say where things are; one that is not set is missing or empty. */
  readonly env: Readonly<Record<string, string>>;
  /** The words after `hook`. */
  readonly args: readonly string[];
}

/** What every line says that a service is sent. */
interface ServiceRequest {
  readonly v: number;
  /** Which configuration is meant, as `serviceKey` says it. */
  readonly key: string;
  /**
   * Comes back with the answer. Answers with an id come when they are ready; those without come in the order of
   * their requests.
   */
  readonly id?: string | number | undefined;
}

/** One line of JSON that a service is sent: an event of a host. */
interface HostRequest extends ServiceRequest {
  readonly host: HostName;
  /** The event as the host sent it: the text, or what it says. */
  readonly event: string | JsonObject;
  /** Milliseconds within which the host wants its answer. */
  readonly within_ms?: number | undefined;
  /** Whether its entry denies calls of tools in folders whose configuration was never trusted. */
  readonly strict?: boolean | undefined;
}

/**
 * The same of an entry that was not started, because its host speaks HTTP: the service looks whether it would be the one
 * that `orcs hook` asks.
 */
interface EntryRequest extends ServiceRequest {
  readonly entry: EntryCall;
  /** The event as the host sent it. */
  readonly event: string;
  /** Milliseconds within which the host wants its answer. */
  readonly within_ms: number;
}

/** The other one: run the hooks of a point. The answer is the outcome as `orcs eval --json` prints it. */
export interface DispatchRequest extends ServiceRequest {
  readonly point: string;
  readonly payload: JsonObject;
  /** `namespace::name`; default `host::main`. */
  readonly component?: string | undefined;
  readonly child?: string | undefined;
  readonly metadata?: JsonObject | undefined;
}

/**
 * One line of JSON that it answers to an event: an answer for the host, or why it gives none; then no hook has
 * run. An error without an id may also come unasked, as the last line before the service ends.
 */
type ServiceAnswer = HostAnswer | { readonly error: string };

/** What became of a request to a service. */
type ServiceReply =
  | { readonly kind: "answered"; readonly answer: HostAnswer }
  /** There is no service, or it is none for us. No hook has run. */
  | { readonly kind: "nobody"; readonly why: string }
  /** It had the request and gave no answer. Hooks may have run. */
  | { readonly kind: "lost"; readonly why: string; readonly isLate?: boolean };

/**
 * Ask the service behind a socket, once.
 * @param withinMs how long at most
 */
export function askService(
  socket: string,
  request: Omit<HostRequest, "v"> | Omit<EntryRequest, "v">,
  withinMs: number,
): Promise<ServiceReply> {
  return new Promise((resolve) => {
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
      settle(sent ? { kind: "lost", why, isLate: true } : { kind: "lost", why });
    }, withinMs);
    connection.on("connect", () => {
      sent = true;
      connection.write(`${JSON.stringify({ v: PROTOCOL_VERSION, ...request })}\n`);
    });
    connection.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      if (chunk.includes(10)) settle(readAnswer(Buffer.concat(chunks).toString("utf8")));
    });
    connection.on("error", (error) => {
      settle(sent ? { kind: "lost", why: error.message } : { kind: "nobody", why: error.message });
    });
    connection.on("close", () =>
      settle({ kind: "lost", why: "it closed the connection without a response" }),
    );
  });
}

function readAnswer(text: string): ServiceReply {
  let answer: ServiceAnswer | null;
  try {
    answer = JSON.parse(text) as ServiceAnswer | null;
  } catch {
    return { kind: "lost", why: "its response is not JSON" };
  }
  if (typeof answer !== "object" || answer === null) {
    return { kind: "lost", why: "its response is not an object" };
  }
  if ("error" in answer) return { kind: "nobody", why: answer.error };
  if (typeof answer.code !== "number")
    return { kind: "lost", why: "its response has no exit code" };
  return { kind: "answered", answer };
}
