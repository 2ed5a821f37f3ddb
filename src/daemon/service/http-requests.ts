import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { isSecret, secretDigest } from "../../machine/index.ts";

/** Every error response by its code: the status, and the text in the body. */
export const HTTP_ERRORS = {
  bad_request: [400, "the request cannot be read"],
  unauthorized: [401, "send the bearer token of this service"],
  forbidden_host: [403, "the Host header must name this service on loopback"],
  forbidden_origin: [403, "requests from web pages are denied"],
  not_found: [404, "no such path"],
  method_not_allowed: [405, "this path needs another method"],
  request_timeout: [408, "the request took too long to arrive"],
  payload_too_large: [413, "the body is larger than engine.max_payload_mb allows"],
  unsupported_media_type: [415, "the body must be application/json"],
  headers_too_large: [431, "the headers are too large"],
  internal: [500, "orcs failed; see its log"],
  unavailable: [503, "the hooks cannot be asked"],
} as const satisfies Readonly<Record<string, readonly [status: number, message: string]>>;

export type HttpErrorCode = keyof typeof HTTP_ERRORS;

/** A request that gets an error response. */
export class HttpError extends Error {
  readonly status: number;
  /** A code of `HTTP_ERRORS`, or of an `OrcsError`. */
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    kind: HttpErrorCode,
    shown: { readonly code?: string; readonly message?: string; readonly status?: number } = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    const [status, message] = HTTP_ERRORS[kind];
    super(shown.message ?? message);
    this.status = shown.status ?? status;
    this.code = shown.code ?? kind;
    this.headers = headers;
  }

  /** The body of the response. */
  get body(): string {
    return JSON.stringify({ error: { code: this.code, message: this.message } });
  }
}

/**
 * Reject requests of web pages: a browser sends their origin, and a name that resolves to this machine appears in
 * `Host`.
 * @throws HttpError
 */
export function expectLocal(request: IncomingMessage, port: number): void {
  const { host = [], origin, "sec-fetch-site": site = ["none"] } = request.headersDistinct;
  const [name] = host;
  if (host.length !== 1 || (name !== `127.0.0.1:${port}` && name !== `localhost:${port}`)) {
    throw new HttpError("forbidden_host");
  }
  if (origin !== undefined || site.some((from) => from !== "none")) {
    throw new HttpError("forbidden_origin");
  }
}

/** Whether the request has the token. */
export function bearsToken(request: IncomingMessage, token: string): boolean {
  const [given = "", ...more] = request.headersDistinct["authorization"] ?? [];
  const [, bearer = ""] = /^Bearer +(\S+)$/i.exec(given) ?? [];
  return more.length === 0 && isSecret(secretDigest(token), bearer);
}

/** @throws HttpError when the content type is not JSON */
export function expectJson(request: IncomingMessage): void {
  const { "content-type": type = "", "content-encoding": encoding } = request.headers;
  const isJson = /^application\/json *(;|$)/i.test(type);
  if (!isJson || encoding !== undefined) throw new HttpError("unsupported_media_type");
}

/** Up to this size a body that is too large is still read and dropped: a client reads no response while it sends. */
const MAX_READ_BYTES = 64 * 2 ** 20;

/** The body of a request, or why it cannot be used. */
export type Body =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly kind: "too large" | "not UTF-8" | "cut off" };

/** Read a body. Never rejects. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Body> {
  return new Promise((resolve) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    const tooLarge = (): void => resolve({ ok: false, kind: "too large" });
    if (Number(request.headers["content-length"] ?? 0) > MAX_READ_BYTES) return tooLarge();
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) chunks.push(chunk);
      else chunks = [];
      if (bytes > MAX_READ_BYTES) tooLarge();
    });
    request.on("end", () => {
      if (bytes > maxBytes) return tooLarge();
      const body = Buffer.concat(chunks);
      if (isUtf8(body)) resolve({ ok: true, text: body.toString("utf8") });
      else resolve({ ok: false, kind: "not UTF-8" });
    });
    request.on("error", () => resolve({ ok: false, kind: "cut off" }));
    request.on("close", () => resolve({ ok: false, kind: "cut off" }));
  });
}
