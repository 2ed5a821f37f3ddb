import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the scripted model does in a turn: call one tool, or say something and be done. */
export type Turn =
  | { readonly tool: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly text: string };

/** A model on loopback that plays a script, whatever it is asked. */
export interface ModelServer {
  readonly url: string;
  /** Bodies of the requests that a turn answered. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** Answers one request with a turn, in the words of one provider. */
export type Speak = (turn: Turn, answer: ServerResponse, request: IncomingMessage) => void;

/**
 * Serve a script. A conversation is at the turn whose number is how many results of tools it holds, so that
 * requests on the side, such as one for a title, do not use up turns.
 * @param position how many turns a request's body has behind it; undefined when it is none of the conversation
 */
export async function modelServer(
  script: readonly Turn[],
  speak: Speak,
  position: (body: string, path: string) => number | undefined,
): Promise<ModelServer> {
  const requests: string[] = [];
  const server = createServer((request, answer) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      const at = position(body, request.url ?? "");
      if (at !== undefined) requests.push(body);
      speak((at === undefined ? undefined : script[at]) ?? { text: "done" }, answer, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Begin an answer of server-sent events; returns what sends one. */
export function eventStream(answer: ServerResponse): (data: object, event?: string) => void {
  answer.writeHead(200, { "content-type": "text/event-stream" });
  return (data, event) => {
    answer.write(
      `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`,
    );
  };
}
