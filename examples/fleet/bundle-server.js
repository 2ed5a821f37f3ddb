import { createHash } from "node:crypto";
import { createServer } from "node:http";

/**
 * A server of one file, as bundles need it: an ETag, PUT with a token, and requests that are held until there is
 * something new (`Prefer: wait`, RFC 7240), if `holds`.
 */
export async function startBundleServer(token) {
  let bytes;
  let etag;
  const held = new Set();
  const state = { holds: true, polls: 0, publishedAt: 0, url: "", close };

  const server = createServer(async (request, response) => {
    if (request.method === "PUT") return receive(request, response);
    state.polls++;
    const isNew = bytes !== undefined && request.headers["if-none-match"] !== etag;
    const [, seconds] = /(?:^|[\s,])wait=(\d+)/.exec(request.headers["prefer"] ?? "") ?? [];
    if (isNew || !state.holds || seconds === undefined) return answer(request, response);
    const waiting = { request, response };
    held.add(waiting);
    const timer = setTimeout(() => release(waiting), Number(seconds) * 1000);
    response.on("close", () => {
      clearTimeout(timer);
      held.delete(waiting);
    });
  });

  function answer(request, response) {
    const applied = state.holds ? { "preference-applied": "wait" } : {};
    if (bytes === undefined) return response.writeHead(404, applied).end();
    if (request.headers["if-none-match"] === etag)
      return response.writeHead(304, { etag, ...applied }).end();
    response.writeHead(200, { etag, ...applied }).end(bytes);
  }

  function release(waiting) {
    held.delete(waiting);
    answer(waiting.request, waiting.response);
  }

  async function receive(request, response) {
    if (request.headers["authorization"] !== `Bearer ${token}`)
      return response.writeHead(401).end();
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    publish(Buffer.concat(chunks));
    response.writeHead(201).end();
  }

  function publish(next) {
    bytes = next;
    etag = `"${createHash("sha256").update(next).digest("hex")}"`;
    state.publishedAt = Date.now();
    for (const waiting of held) release(waiting);
  }

  function close() {
    server.closeAllConnections();
    server.close();
  }

  /** From now on, requests are held or not. */
  state.hold = (holds) => {
    state.holds = holds;
    for (const waiting of held) release(waiting);
  };
  await new Promise((resolve) => server.listen(0, "127.0.0.1", 4096, resolve));
  state.url = `http://127.0.0.1:${server.address().port}/policy.orcsbundle`;
  return state;
}
