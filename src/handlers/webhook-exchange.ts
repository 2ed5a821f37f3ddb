import { request as httpRequest } from "node:http";
import type { IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { readText } from "./webhook-body.ts";

/** One request to be made. */
export interface Outgoing {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Finds the addresses to connect to. */
  readonly lookup: LookupFunction;
  /** Bytes of the answer's body. */
  readonly maxAnswerBytes: number;
  readonly signal: AbortSignal;
}

/** The answer to one request. */
export interface Incoming {
  readonly status: number;
  readonly location: string | undefined;
  readonly retryAfter: string | undefined;
  /** The body, or why it cannot be used. */
  readonly body: string | { readonly unfit: string };
}

/**
 * Make one request on a connection of its own and read the whole answer; nothing is open afterwards. It
 * follows no redirect, keeps no cookies and knows no proxy.
 *
 * Node's `fetch` lets nobody into its look-up of names without a package, so this is `node:http`.
 *
 * @throws what the connection fails with, an error with the system's `code`; an AbortError
 */
export async function exchange(outgoing: Outgoing): Promise<Incoming> {
  const connection = connect(outgoing);
  try {
    const response = await connection.response;
    const body = await readText(response, outgoing.maxAnswerBytes);
    // A body that lasts until the connection ends looks complete where the connection broke.
    outgoing.signal.throwIfAborted();
    if (connection.error) throw connection.error;
    return {
      status: response.statusCode ?? 0,
      location: response.headers.location,
      retryAfter: response.headers["retry-after"],
      body,
    };
  } catch (thrown) {
    // The response only knows that it was cut off; the request knows why.
    throw connection.error ?? thrown;
  } finally {
    connection.destroy();
  }
}

interface Connection {
  readonly response: Promise<IncomingMessage>;
  /** The first thing that went wrong, before the response or after it. */
  readonly error: Error | undefined;
  destroy(): void;
}

function connect({ url, method, headers, body, lookup, signal }: Outgoing): Connection {
  const start = url.protocol === "https:" ? httpsRequest : httpRequest;
  const request = start({
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port,
    path: url.pathname + url.search,
    method,
    headers,
    lookup,
    signal,
    // A connection that is kept would outlive the call, and the process would wait for it.
    agent: false,
  });
  let error: Error | undefined;
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    request.on("response", resolve);
    request.on("error", (thrown) => {
      error ??= thrown;
      reject(thrown);
    });
    // After a switch to another protocol that nobody asked for, no other event comes.
    request.on("close", () => reject(new NoResponse()));
    request.end(body);
  });
  return {
    response,
    get error() {
      return error;
    },
    destroy: () => void request.destroy(),
  };
}

class NoResponse extends Error {
  override readonly name = "NoResponse";
  readonly code = "ECONNRESET";
}
