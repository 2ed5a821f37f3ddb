import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { HttpError } from "./http-error.ts";

/**
 * Refuse what a web page sends: its browser tells where it comes from, and a name that was made to lead here
 * stands in `Host`.
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

/** Whether the request bears the token. */
export function bearsToken(request: IncomingMessage, token: string): boolean {
  const [given = "", ...more] = request.headersDistinct["authorization"] ?? [];
  const [, bearer = ""] = /^Bearer +(\S+)$/i.exec(given) ?? [];
  // Of one length, so that comparing takes the same time whatever was sent.
  return more.length === 0 && timingSafeEqual(digest(bearer), digest(token));
}

/** @throws HttpError when the body is not said to be JSON */
export function expectJson(request: IncomingMessage): void {
  const { "content-type": type = "", "content-encoding": encoding } = request.headers;
  const isJson = /^application\/json *(;|$)/i.test(type);
  if (!isJson || encoding !== undefined) throw new HttpError("unsupported_media_type");
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
