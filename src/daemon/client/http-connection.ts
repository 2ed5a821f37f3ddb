import { Agent, type IncomingMessage, request } from "node:http";
import type { OperationName } from "../wire/operations.ts";
import type { Connection, Received } from "./connection.ts";
import { ConnectionLost, lostAnswer, NoAnswer, received } from "./connection.ts";

/** The HTTP side of a service, with connections that are kept. */
export class HttpConnection implements Connection {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #at: { readonly port: number; readonly token: string };

  constructor(at: { readonly port: number; readonly token: string }) {
    this.#at = at;
  }

  async request(op: OperationName, fields: object, withinMs: number): Promise<Received> {
    const signal = AbortSignal.timeout(Math.ceil(withinMs));
    let isSent = false;
    try {
      const response = await this.#ask("POST", op, { fields, signal, sent: () => (isSent = true) });
      const chunks: string[] = [];
      response.setEncoding("utf8");
      for await (const chunk of response) chunks.push(chunk as string);
      return received(chunks.join(""));
    } catch (thrown) {
      if (!signal.aborted) throw lostAnswer(op, (thrown as Error).message, isSent);
      throw new NoAnswer(`the service did not respond within ${Math.round(withinMs)} ms`);
    }
  }

  async *follow(fields: object): AsyncGenerator<Received> {
    const response = await this.#ask("GET", `events${queryOf(fields)}`);
    try {
      let text = "";
      response.setEncoding("utf8");
      for await (const chunk of response) {
        const lines = (text + (chunk as string)).split("\n");
        text = lines.pop() ?? "";
        for (const line of lines) yield received(line);
      }
      if (text !== "") yield received(text);
    } finally {
      response.destroy();
    }
    throw new ConnectionLost("the service has ended");
  }

  close(): void {
    this.#agent.destroy();
  }

  #ask(
    method: string,
    path: string,
    { fields, signal, sent }: Asking = {},
  ): Promise<IncomingMessage> {
    const { port, token } = this.#at;
    const body = fields && JSON.stringify(fields);
    return new Promise((resolve, reject) => {
      const asked = request(
        {
          host: "127.0.0.1",
          port,
          path: `/v1/${path}`,
          method,
          agent: this.#agent,
          signal,
          headers: {
            authorization: `Bearer ${token}`,
            ...(body !== undefined && {
              "content-type": "application/json",
              "content-length": Buffer.byteLength(body),
            }),
          },
        },
        resolve,
      );
      asked.on("error", (error) => reject(new ConnectionLost(error.message)));
      asked.end(body, sent);
    });
  }
}

interface Asking {
  readonly fields?: object;
  readonly signal?: AbortSignal;
  /** Called when the system has the whole request. */
  readonly sent?: () => void;
}

function queryOf(fields: object): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams();
  for (const [name, value] of given) query.set(name, String(value));
  return query.size > 0 ? `?${query.toString()}` : "";
}
