import { Refusal } from "./refusal.ts";

const MAX_REDIRECTS = 5;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** Headers that are meant for one server alone. */
const PRIVATE_HEADERS: readonly string[] = ["authorization", "cookie", "proxy-authorization"];
/** Headers that speak of a body. */
const BODY_HEADERS: readonly string[] = ["content-type", "content-length", "content-encoding"];

/** One request. */
export interface HttpRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Make a request and follow at most five redirects by hand: each target must be http(s), too, and another
 * origin is not told credentials (`fetch` itself would take them along, facts.md).
 *
 * @throws Refusal for another scheme or too many redirects; what `fetch` throws.
 */
export async function fetchFollowing(request: HttpRequest): Promise<Response> {
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
  if (!URL.canParse(text, base)) throw new Refusal(`${JSON.stringify(text)} is not a URL`);
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
