import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A server of one bundle on loopback. */
export interface BundleServer {
  readonly url: string;
  /** What it serves, with an ETag; undefined for 404. */
  bytes: Uint8Array | undefined;
  /** Answers in place of that, when set. */
  answer: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  /** The statuses that it has answered. */
  readonly statuses: number[];
  readonly requests: IncomingMessage[];
}

/** It runs until the test has ended. */
export async function bundleServer(bytes?: Uint8Array): Promise<BundleServer> {
  const served: BundleServer = { url: "", bytes, answer: undefined, statuses: [], requests: [] };
  const server = createServer((request, response) => {
    served.requests.push(request);
    response.on("close", () => served.statuses.push(response.statusCode));
    if (served.answer) return served.answer(request, response);
    if (request.method === "PUT") return void receive(request, response);
    const { bytes: now } = served;
    if (!now) return void response.writeHead(404).end();
    const etag = `"${createHash("sha256").update(now).digest("hex")}"`;
    if (request.headers["if-none-match"] === etag)
      return void response.writeHead(304, { etag }).end();
    response.writeHead(200, { etag }).end(now);
  });
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    served.bytes = Buffer.concat(chunks);
    response.writeHead(201).end();
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(served, { url: `http://127.0.0.1:${port}/policy.orcsbundle` });
}
