import { defineTool } from "./define-tool.ts";
import type { BuiltinTool } from "./define-tool.ts";
import { fetchFollowing } from "./fetch-following.ts";
import { reasonOf, Refusal } from "./refusal.ts";
import type { ToolSurroundings } from "./surroundings.ts";

/** `http`: one request, redirects followed; any response is an answer, whatever its status. */
export function httpTool({ limits }: ToolSurroundings): BuiltinTool<"http"> {
  return defineTool("http", async ({ url, method, headers = {}, body }, call) => {
    const controller = new AbortController();
    const cancel = (): void => controller.abort(new Refusal("the request was cancelled"));
    const expire = (): void =>
      controller.abort(new Refusal(`no complete response within ${limits.httpMs} ms`));
    const timer = setTimeout(expire, limits.httpMs);
    call.signal?.addEventListener("abort", cancel, { once: true });
    if (call.signal?.aborted) cancel();
    try {
      const response = await fetchFollowing({
        url,
        method: (method ?? (body === undefined ? "GET" : "POST")).toUpperCase(),
        headers,
        body,
        signal: controller.signal,
      });
      return {
        ok: true,
        status: response.status,
        headers: headersOf(response.headers),
        body: await bodyText(response, limits.httpBytes),
      };
    } catch (error) {
      throw error instanceof Refusal ? error : new Refusal(networkReason(error));
    } finally {
      clearTimeout(timer);
      call.signal?.removeEventListener("abort", cancel);
      // Whatever is still open of it, such as a body that was too large.
      controller.abort();
    }
  });
}

function headersOf(headers: Headers): Record<string, string> {
  const found = Object.fromEntries(headers);
  // The one header that `fetch` gives line by line: an object would keep the last alone.
  const cookies = headers.getSetCookie();
  return cookies.length > 0 ? { ...found, "set-cookie": cookies.join(", ") } : found;
}

/** The body as text, cut off as soon as it is over the limit; compressed ones count decompressed. */
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

/** `fetch` says "fetch failed"; why stands in the cause, or in the causes of the cause. */
function networkReason(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  return reasonOf(cause instanceof Error ? cause : error);
}
