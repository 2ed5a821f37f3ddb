import type { IncomingMessage } from "node:http";

/**
 * The body of an answer as text. It is cut off as soon as it is too large, whatever length was announced.
 *
 * @returns the text, or why it cannot be used
 * @throws what the connection fails with before the body is complete
 */
export async function readText(
  response: IncomingMessage,
  limit: number,
): Promise<string | { readonly unfit: string }> {
  const encoding = encodingOf(response);
  if (encoding !== undefined) {
    return { unfit: `is encoded as ${JSON.stringify(encoding)}, which was not asked for` };
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
    return { unfit: "is not UTF-8" };
  }
}

/** What would have to be undone before the body could be read, other than chunks. */
function encodingOf({ headers }: IncomingMessage): string | undefined {
  const content = headers["content-encoding"]?.trim().toLowerCase() ?? "";
  if (content !== "" && content !== "identity") return content.slice(0, 40);
  const transfer = headers["transfer-encoding"]?.trim().toLowerCase() ?? "";
  return transfer === "" || transfer === "chunked" ? undefined : transfer.slice(0, 40);
}
