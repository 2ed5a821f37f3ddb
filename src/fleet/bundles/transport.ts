import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { fileBytes } from "../../machine/index.ts";
import { messageOf, OrcsError, orFail } from "../../core/index.ts";
import { BUNDLE_LIMITS } from "./limits.ts";

/** Limits of one request, in milliseconds. */
export interface TransportTimes {
  /** Until the server has answered, in addition to what it was asked to wait. */
  readonly answer: number;
  /** For the whole body. */
  readonly body: number;
}

export const TRANSPORT_TIMES: TransportTimes = { answer: 15_000, body: 60_000 };

/** An answer of a server, or of a file. */
export interface Fetched {
  /** Undefined when the server says that nothing has changed. */
  readonly bytes: Uint8Array | undefined;
  readonly etag: string | null;
  /** Whether the server waits for a change before it answers, as it was asked to. */
  readonly waits: boolean;
}

export interface FetchOptions {
  /** Of what is already here. */
  readonly etag?: string | null | undefined;
  /** How long the server may wait for a change, in seconds: `Prefer: wait` of RFC 7240. */
  readonly waitSeconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly times?: TransportTimes | undefined;
}

/**
 * Fetch a bundle. Redirects are not followed: whoever can change an answer could lead a machine to another server.
 * @param url of a server, `file:`, or an absolute path
 * @throws OrcsError ORCS9006
 */
export async function fetchBundle(url: string, options: FetchOptions = {}): Promise<Fetched> {
  const path = pathOf(url);
  if (path !== undefined) return fromFile(path, url);
  const { etag, waitSeconds = 0, signal, times = TRANSPORT_TIMES } = options;
  const headers: Record<string, string> = { accept: "application/vnd.orcs.bundle, */*" };
  if (etag != null) headers["if-none-match"] = etag;
  if (waitSeconds > 0) headers["prefer"] = `wait=${waitSeconds}`;
  const limits = { answer: waitSeconds * 1000 + times.answer, body: times.body };
  return exchange(url, { headers }, limits, signal, async (response) => {
    const applied = response.headers.get("preference-applied") ?? "";
    const waits = /(^|[\s,])wait(=|$|[\s,;])/.test(applied);
    const stated = response.headers.get("etag");
    if (response.status === 304) return { bytes: undefined, etag: stated ?? etag ?? null, waits };
    if (response.status !== 200) throw new Error(statusText(response));
    return { bytes: await boundedBody(response), etag: stated, waits };
  }).catch((thrown: unknown) => Promise.reject(failed(url, messageOf(thrown))));
}

/**
 * Publish a bundle with PUT, or write it to a file path.
 * @param more additional headers, for example `authorization`
 * @throws OrcsError ORCS9006
 */
export async function putBundle(
  url: string,
  bytes: Uint8Array,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const headers = { ...more, "content-type": "application/vnd.orcs.bundle" };
  const request = { method: "PUT", body: Buffer.from(bytes), headers };
  const { body } = TRANSPORT_TIMES;
  await exchange(url, request, { answer: body, body }, undefined, async (response) => {
    await response.body?.cancel();
    if (!response.ok) throw new Error(statusText(response));
  }).catch((thrown: unknown) => Promise.reject(failed(url, messageOf(thrown))));
}

/** The path of a file; undefined for a server. @throws OrcsError ORCS9006 */
export function pathOf(url: string): string | undefined {
  if (isAbsolute(url)) return url;
  if (!URL.canParse(url)) throw failed(url, "it is neither a URL nor an absolute path");
  const parsed = new URL(url);
  if (parsed.protocol === "file:") return fileURLToPath(parsed);
  if (parsed.protocol === "https:" || parsed.protocol === "http:") return undefined;
  throw failed(url, `${parsed.protocol} is not supported; use https:, http: or file:`);
}

function fromFile(path: string, url: string): Fetched {
  return orFail(
    () => ({ bytes: fileBytes(path, BUNDLE_LIMITS.file), etag: null, waits: false }),
    (thrown) => failed(url, messageOf(thrown)),
  );
}

interface Request {
  readonly method?: string;
  readonly body?: Buffer;
  readonly headers: Record<string, string>;
}

/**
 * One request, without following redirects.
 * @throws Error with the cause in one line
 */
export async function exchange<T>(
  url: string,
  request: Request,
  times: TransportTimes,
  signal: AbortSignal | undefined,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const { href, authorization } = withoutPassword(url);
  const late = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  const limit = (ms: number, what: string): void => {
    const end = (): void => late.abort(new Error(`${what} took longer than ${ms} ms`));
    timers.push(setTimeout(end, ms).unref());
  };
  limit(times.answer, "the answer");
  try {
    const response = await fetch(href, {
      ...request,
      headers: { ...(authorization && { authorization }), ...request.headers },
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
    });
    limit(times.body, "the content");
    return await read(response);
  } catch (thrown) {
    const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
    throw new Error(messageOf(late.signal.aborted ? late.signal.reason : cause), { cause: thrown });
  } finally {
    timers.forEach(clearTimeout);
  }
}

/** `fetch` refuses a URL with a password, which is how some servers are used. */
function withoutPassword(url: string): { readonly href: string; readonly authorization?: string } {
  const parsed = new URL(url);
  const { username, password } = parsed;
  if (username === "" && password === "") return { href: parsed.href };
  parsed.username = "";
  parsed.password = "";
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { href: parsed.href, authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}

/** The body, of which no more than allowed is ever kept. */
async function boundedBody(response: Response): Promise<Uint8Array> {
  const stated = Number(response.headers.get("content-length") ?? 0);
  const tooLarge = `it has more than ${BUNDLE_LIMITS.file} bytes`;
  if (stated > BUNDLE_LIMITS.file) {
    await response.body?.cancel();
    throw new Error(tooLarge);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Whoever leaves the loop cancels the rest.
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > BUNDLE_LIMITS.file) throw new Error(tooLarge);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What a status says that is not the expected one. */
export function statusText(response: Response): string {
  const { status } = response;
  if (status >= 300 && status < 400)
    return `the server redirects (${status}), which is not followed`;
  return `the server answered ${status}`;
}

/** The URL without its password. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  if (parsed.password !== "") parsed.password = "***";
  const { href, search } = parsed;
  return search === "" ? href : `${href.slice(0, href.indexOf("?"))}?…`;
}

function failed(url: string, why: string): OrcsError {
  return new OrcsError("ORCS9006", `${shownUrl(url)}: ${why}`, { url: shownUrl(url) });
}
