import { codeOf } from "../../core/index.ts";
import type { Agent as HttpAgent, IncomingMessage, request as httpRequest } from "node:http";
import type { LookupFunction } from "node:net";

const MAX_REDIRECTS = 3;
/** Repeat the same request in another place. */
const KEPT: readonly number[] = [307, 308];
/** Turn it into a GET without a body. */
const CHANGED: readonly number[] = [301, 302, 303];

/** Thrown for a redirect that is not followed. */
export class RefusedRedirect extends Error {
  override readonly name = "RefusedRedirect";
}

/**
 * Make a request and follow at most three redirects to the same scheme, host and port, with the same method and body.
 * The context is meant for the named server, and a GET would not carry it.
 * @param first the first request; later ones get a lookup of their own from `lookupFor`
 * @throws RefusedRedirect for any other redirect; what `exchange` and `lookupFor` throw
 */
export async function exchangeFollowing(
  first: Omit<Outgoing, "lookup">,
  lookupFor: (url: URL) => Outgoing["lookup"],
): Promise<Incoming> {
  let { url } = first;
  for (let redirects = 0; ; redirects++) {
    const incoming = await exchange({ ...first, url, lookup: lookupFor(url) });
    if (CHANGED.includes(incoming.status)) {
      throw new RefusedRedirect(
        `redirected with status ${incoming.status}, which would drop the body`,
      );
    }
    if (!KEPT.includes(incoming.status)) return incoming;
    if (redirects === MAX_REDIRECTS) {
      throw new RefusedRedirect(`redirected more than ${MAX_REDIRECTS} times`);
    }
    url = target(incoming, url);
  }
}

function target({ status, location }: Incoming, from: URL): URL {
  if (location === undefined || !URL.canParse(location, from.href)) {
    throw new RefusedRedirect(`redirected with status ${status} without a target`);
  }
  const to = new URL(location, from.href);
  if (to.origin === from.origin) return to;
  // The target is not named: its path or its credentials may be a secret.
  throw new RefusedRedirect(`redirected with status ${status} to another origin, ${to.origin}`);
}

/** A request. */
export interface Outgoing {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Resolves the addresses to connect to. */
  readonly lookup: LookupFunction;
  /** Maximum size of the response body, in bytes. */
  readonly maxAnswerBytes: number;
  readonly signal: AbortSignal;
  /** Keeps connections for further requests; without it, each request has its own. */
  readonly agent?: HttpAgent | undefined;
}

/** The response to a request. */
export interface Incoming {
  readonly status: number;
  readonly location: string | undefined;
  readonly retryAfter: string | undefined;
  /** The body, or why it cannot be used. */
  readonly body: string | { readonly unfit: string };
}

/**
 * Make one request and read the complete response; without an agent, nothing stays open. It follows no redirects, keeps
 * no cookies and uses no proxy.
 * Node's `fetch` does not allow another lookup without a package, so this uses `node:http`.
 * @throws the connection's error with the system's `code`; an AbortError
 */
async function exchange(outgoing: Outgoing): Promise<Incoming> {
  const connection = connect(await requestOf(outgoing.url), outgoing);
  let isKept = false;
  try {
    const response = await connection.response;
    const body = await readText(response, outgoing.maxAnswerBytes);
    // A body that ends with the connection looks complete when the connection broke.
    outgoing.signal.throwIfAborted();
    if (connection.error) throw connection.error;
    isKept = outgoing.agent !== undefined && typeof body === "string";
    return {
      status: response.statusCode ?? 0,
      location: response.headers.location,
      retryAfter: response.headers["retry-after"],
      body,
    };
  } catch (thrown) {
    // The server may close a kept connection at the moment in which it is used again. It can then not have answered.
    if (connection.isReused && codeOf(connection.error) === "ECONNRESET") {
      outgoing.signal.throwIfAborted();
      return await exchange(outgoing);
    }
    // The response only knows that it was aborted; the request knows why.
    throw connection.error ?? thrown;
  } finally {
    if (!isKept) connection.destroy();
  }
}

interface Connection {
  readonly response: Promise<IncomingMessage>;
  /** The first error, before or after the response. */
  readonly error: Error | undefined;
  /** Whether it was kept from an earlier request, and there was no response to this one. */
  readonly isReused: boolean;
  destroy(): void;
}

/** Loaded with the first request: few processes make one, and each would wait for it. */
async function requestOf({ protocol }: URL): Promise<typeof httpRequest> {
  return (protocol === "https:" ? await import("node:https") : await import("node:http")).request;
}

function connect(
  start: typeof httpRequest,
  { url, method, headers, body, lookup, signal, agent }: Outgoing,
): Connection {
  const request = start({
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port,
    path: url.pathname + url.search,
    method,
    headers,
    lookup,
    signal,
    // A kept-alive connection would outlive the call and keep the process running.
    agent: agent ?? false,
  });
  let error: Error | undefined;
  let hasResponse = false;
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    request.on("response", (found) => {
      hasResponse = true;
      resolve(found);
    });
    request.on("error", (thrown) => {
      error ??= thrown;
      reject(thrown);
    });
    // After an unrequested protocol switch, no other event is emitted.
    request.on("close", () => reject(new NoResponse()));
    request.end(body);
  });
  return {
    response,
    get error() {
      return error;
    },
    get isReused() {
      return request.reusedSocket && !hasResponse;
    },
    destroy: () => void request.destroy(),
  };
}

class NoResponse extends Error {
  override readonly name = "NoResponse";
  readonly code = "ECONNRESET";
}

/**
 * The body of a response as text. Reading stops as soon as it is too large, whatever length was announced.
 * @returns the text, or why it cannot be used
 * @throws the connection's error before the body is complete
 */
async function readText(
  response: IncomingMessage,
  limit: number,
): Promise<string | { readonly unfit: string }> {
  const encoding = encodingOf(response);
  if (encoding !== undefined) {
    return { unfit: `is encoded as ${JSON.stringify(encoding)}, which was not requested` };
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > limit) return { unfit: `is larger than ${limit} bytes` };
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks, length));
  } catch {
    return { unfit: "is not valid UTF-8" };
  }
}

/** The encoding of the body, except for chunks. */
function encodingOf({ headers }: IncomingMessage): string | undefined {
  const content = headers["content-encoding"]?.trim().toLowerCase() ?? "";
  if (content !== "" && content !== "identity") return content.slice(0, 40);
  const transfer = headers["transfer-encoding"]?.trim().toLowerCase() ?? "";
  return transfer === "" || transfer === "chunked" ? undefined : transfer.slice(0, 40);
}
