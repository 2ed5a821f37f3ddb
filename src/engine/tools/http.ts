import { timedSignal } from "../../core/index.ts";
import type { ToolDeps } from "./builtin-tools.ts";
import { type BuiltinTool, defineTool, reasonOf, Refusal } from "./define-tool.ts";

/** `http`: one request with redirects; any response is a result, whatever its status. */
export function httpTool({ limits }: ToolDeps): BuiltinTool<"http"> {
  return defineTool("http", async ({ url, method, headers = {}, body }, call) => {
    const within = timedSignal(limits.httpMs, call.signal);
    try {
      const response = await fetchFollowing({
        url,
        method: (method ?? (body === undefined ? "GET" : "POST")).toUpperCase(),
        headers,
        body,
        signal: within.signal,
      });
      return {
        ok: true,
        status: response.status,
        headers: headersOf(response.headers),
        body: await bodyText(response, limits.httpBytes),
      };
    } catch (error) {
      if (error instanceof Refusal) throw error;
      if (!within.signal.aborted) throw new Refusal(networkReason(error));
      const late = `no complete response within ${limits.httpMs} ms`;
      throw new Refusal(within.isLate ? late : "the request was cancelled");
    } finally {
      // Closes what is still open, such as a body that was too large.
      within.end();
    }
  });
}

function headersOf(headers: Headers): Record<string, string> {
  const found = Object.fromEntries(headers);
  // The only header that `fetch` returns line by line: in an object only the last one would remain.
  const cookies = headers.getSetCookie();
  return cookies.length > 0 ? { ...found, "set-cookie": cookies.join(", ") } : found;
}

/** The body as text, aborted as soon as it exceeds the limit; a compressed one counts decompressed. */
async function bodyText(response: Response, limit: number): Promise<string> {
  if (!response.body) return "";
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > limit)
      throw new Refusal(`the response is larger than the limit of ${limit} bytes`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks, length));
}

/** `fetch` only says "fetch failed"; the reason is in the chain of causes. */
function networkReason(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  return reasonOf(cause instanceof Error ? cause : error);
}

const MAX_REDIRECTS = 5;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** Headers for one server only. */
const PRIVATE_HEADERS: readonly string[] = ["authorization", "cookie", "proxy-authorization"];
/** Headers that describe a body. */
const BODY_HEADERS: readonly string[] = ["content-type", "content-length", "content-encoding"];

/** One request. */
interface HttpRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Make a request and follow at most five redirects by hand: each target must be http(s) as well, and another origin
 * gets no credentials (`fetch` itself would send them, facts.md).
 * @throws Refusal for another scheme or too many redirects; what `fetch` throws
 */
async function fetchFollowing(request: HttpRequest): Promise<Response> {
  let current: Hop = { ...request, url: httpUrl(request.url) };
  for (let redirects = 0; ; redirects++) {
    const { url, method, headers, body, signal } = current;
    const response = await fetch(url, {
      method,
      headers,
      signal,
      redirect: "manual",
      ...(body !== undefined && { body }),
    });
    const location = response.headers.get("location");
    if (!REDIRECTS.includes(response.status) || location === null) return response;
    await response.body?.cancel();
    if (redirects === MAX_REDIRECTS) throw new Refusal(`more than ${MAX_REDIRECTS} redirects`);
    current = redirected(current, response.status, httpUrl(location, url.href));
  }
}

function httpUrl(text: string, base?: string): URL {
  if (!URL.canParse(text, base)) throw new Refusal(`${JSON.stringify(text)} is not a valid URL`);
  const url = new URL(text, base);
  if (url.protocol === "http:" || url.protocol === "https:") return url;
  throw new Refusal(`${JSON.stringify(url.protocol)} is not http: or https:`);
}

type Hop = Omit<HttpRequest, "url"> & { readonly url: URL };

/** The request that a redirect asks for, as browsers make it (Fetch standard, HTTP-redirect fetch). */
function redirected(from: Hop, status: number, url: URL): Hop {
  const becomesGet =
    (status === 303 && from.method !== "HEAD") || (status < 303 && from.method === "POST");
  const dropped = [
    ...(url.origin === from.url.origin ? [] : PRIVATE_HEADERS),
    ...(becomesGet ? BODY_HEADERS : []),
  ];
  const headers = Object.fromEntries(
    Object.entries(from.headers).filter(([name]) => !dropped.includes(name.toLowerCase())),
  );
  if (!becomesGet) return { ...from, url, headers };
  return { ...from, url, headers, method: "GET", body: undefined };
}
