import { createHmac, randomBytes } from "node:crypto";
import { get } from "node:http";
import type { HttpPlace } from "../http-place.ts";

/** How long an answer may take, in milliseconds. */
const ANSWER_MS = 1000;

/** Whoever has a port: the HTTP side of this user, nobody, another program, or one that does not answer in time. */
export type Listener = "ours" | "nobody" | "another" | "silent";

/** What proves to somebody who has the token that the one who answers has it, too. */
export function proofOf(token: string, nonce: string): string {
  return createHmac("sha256", token).update(nonce).digest("base64url");
}

/** Who listens: the one that has the token proves it, without having been told. */
export function whoListens({ port, token }: HttpPlace): Promise<Listener> {
  const nonce = randomBytes(16).toString("hex");
  return new Promise((resolve) => {
    const request = get(
      {
        host: "127.0.0.1",
        port,
        path: `/healthz?nonce=${nonce}`,
        agent: false,
        timeout: ANSWER_MS,
      },
      (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes <= MAX_ANSWER_BYTES) chunks.push(chunk);
          else request.destroy();
        });
        response.on("error", () => resolve("another"));
        response.on("close", () => {
          const said = Buffer.concat(chunks).toString("utf8");
          resolve(said.includes(proofOf(token, nonce)) ? "ours" : "another");
        });
      },
    );
    request.on("timeout", () => {
      resolve("silent");
      request.destroy();
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      resolve(error.code === "ECONNREFUSED" ? "nobody" : "another");
    });
  });
}

const MAX_ANSWER_BYTES = 4096;
