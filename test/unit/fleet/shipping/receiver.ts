import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import { readEnvelope, type BatchHeader } from "../../../../src/fleet/shipping/batch.ts";

/** A request, as the receiver of an audit log got it. */
export interface Received {
  readonly request: IncomingMessage;
  /** Decompressed, without the newlines. */
  readonly lines: readonly string[];
  readonly header: BatchHeader | undefined;
}

/** A receiver on loopback, which stores what it confirms. */
export interface Receiver {
  readonly url: string;
  /** Everything that arrived, confirmed or not. */
  readonly requests: Received[];
  /** The lines of all confirmed requests, as stored. */
  readonly stored: string[];
  /** Answers in place of confirming, when set. */
  answer: ((response: ServerResponse, received: Received) => void) | undefined;
}

/** It runs until the test has ended. */
export async function receiver(): Promise<Receiver> {
  const server = createServer((request, response) => void take(request, response));
  const all: Receiver = { url: "", requests: [], stored: [], answer: undefined };
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = gunzipSync(Buffer.concat(chunks)).toString("utf8");
    const lines = text.split("\n").slice(0, -1);
    const first = readEnvelope(lines[0] ?? "");
    const received = { request, lines, header: first?.is === "batch" ? first.header : undefined };
    all.requests.push(received);
    if (all.answer) return all.answer(response, received);
    all.stored.push(...lines);
    response.writeHead(204).end();
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(all, { url: `http://127.0.0.1:${port}/logs` });
}

/** The lines of logs among those that were received. */
export function logLines(lines: readonly string[]): string[] {
  return lines.filter((line) => readEnvelope(line) === undefined);
}
