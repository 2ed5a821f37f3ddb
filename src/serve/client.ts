import { connect } from "node:net";
import type { HostAnswer } from "../protocols/host-protocol.ts";
import { PROTOCOL_VERSION } from "./service-protocol.ts";
import type { EntryLine, HostRequest, ServiceAnswer } from "./service-protocol.ts";

/** What became of a request to a service. */
export type Asked =
  | { readonly kind: "answered"; readonly answer: HostAnswer }
  /** There is no service, or it is none for us. No hook has run. */
  | { readonly kind: "nobody"; readonly why: string }
  /** It had the request and gave no answer. Hooks may have run. */
  | { readonly kind: "lost"; readonly why: string; readonly isLate?: boolean };

/**
 * Ask the service behind a socket, once.
 * @param withinMs how long at most
 */
export function askService(
  socket: string,
  request: Omit<HostRequest, "v"> | Omit<EntryLine, "v">,
  withinMs: number,
): Promise<Asked> {
  return new Promise((resolve) => {
    let sent = false;
    const chunks: Buffer[] = [];
    const connection = connect(socket);
    const settle = (asked: Asked): void => {
      clearTimeout(timer);
      connection.destroy();
      resolve(asked);
    };
    const timer = setTimeout(() => {
      const why = `it did not answer within ${Math.round(withinMs)} ms`;
      settle(sent ? { kind: "lost", why, isLate: true } : { kind: "lost", why });
    }, withinMs);
    connection.on("connect", () => {
      sent = true;
      connection.write(`${JSON.stringify({ v: PROTOCOL_VERSION, ...request })}\n`);
    });
    connection.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      if (chunk.includes(10)) settle(readAnswer(Buffer.concat(chunks).toString("utf8")));
    });
    connection.on("error", (error) => {
      settle(sent ? { kind: "lost", why: error.message } : { kind: "nobody", why: error.message });
    });
    connection.on("close", () => settle({ kind: "lost", why: "it ended before it answered" }));
  });
}

function readAnswer(text: string): Asked {
  let answer: ServiceAnswer | null;
  try {
    answer = JSON.parse(text) as ServiceAnswer | null;
  } catch {
    return { kind: "lost", why: "its answer is not JSON" };
  }
  if (typeof answer !== "object" || answer === null) {
    return { kind: "lost", why: "its answer is no object" };
  }
  if ("error" in answer) return { kind: "nobody", why: answer.error };
  if (typeof answer.code !== "number") return { kind: "lost", why: "its answer is no answer" };
  return { kind: "answered", answer };
}
