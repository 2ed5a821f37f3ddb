import type { IncomingMessage } from "node:http";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";

const MAX_REDIRECTS = 3;
/** These ask for the same request elsewhere. */
const KEPT: readonly number[] = [307, 308];
/** These make a GET without a body out of it. */
const CHANGED: readonly number[] = [301, 302, 303];

/** Thrown for a redirect that is not followed. */
export class RefusedRedirect extends Error {
  override readonly name = "RefusedRedirect";
}

/**
 * Make a request and follow its redirects, at most three: to the same scheme, host and port, with the same
 * method and body. A hook's context is for the server that was named, and a GET would not carry it.
 *
 * @param first the request; each after it gets a look-up of its own from `lookupFor`
 * @throws RefusedRedirect for any other; what `exchange` and `lookupFor` throw
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
  // The place itself is not told: its path or its credentials may be a secret.
  throw new RefusedRedirect(`redirected with status ${status} to another origin, ${to.origin}`);
}

/** One request to be made. */
interface Outgoing {
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
async function exchange(outgoing: Outgoing): Promise<Incoming> {
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

/**
 * The body of an answer as text. It is cut off as soon as it is too large, whatever length was announced.
 *
 * @returns the text, or why it cannot be used
 * @throws what the connection fails with before the body is complete
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

/** What would have to be undone before the body could be read, other than chunks. */
function encodingOf({ headers }: IncomingMessage): string | undefined {
  const content = headers["content-encoding"]?.trim().toLowerCase() ?? "";
  if (content !== "" && content !== "identity") return content.slice(0, 40);
  const transfer = headers["transfer-encoding"]?.trim().toLowerCase() ?? "";
  return transfer === "" || transfer === "chunked" ? undefined : transfer.slice(0, 40);
}
