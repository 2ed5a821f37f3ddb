import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";

/** Up to here a body that is too large is still read, and forgotten: a client reads no answer while it sends. */
const MAX_READ_BYTES = 64 * 2 ** 20;

/** What a request holds, or why it is nothing to work with. */
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
