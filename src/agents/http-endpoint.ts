import { createHmac, randomBytes } from "node:crypto";
import { get } from "node:http";
import { dirname, join } from "node:path";
import { makeFolder, objectInFile, replaceFile } from "../machine/index.ts";

/** The address of an HTTP side, and the token of its requests. */
export interface HttpEndpoint {
  /** Port on 127.0.0.1. */
  readonly port: number;
  readonly token: string;
}

/** The file in a state folder with the address of the user's HTTP side, for all configurations. */
export function httpEndpointFile(stateDir: string): string {
  return join(stateDir, "http.json");
}

/** The log of the user's HTTP side in a state folder. */
export function httpServiceLog(stateDir: string): string {
  return join(stateDir, "http.log");
}

/** A token that cannot be guessed: 32 random bytes. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** The content of a file; undefined when it cannot be read. */
export function readHttpEndpoint(file: string): HttpEndpoint | undefined {
  const { port, token } = objectInFile(file) ?? {};
  const isPort = typeof port === "number" && Number.isInteger(port) && port > 0 && port < 65_536;
  // A short token could be guessed.
  const isToken = typeof token === "string" && /^[\w-]{20,}$/.test(token);
  return isPort && isToken ? { port, token } : undefined;
}

/** Write the file, readable by the user only. @throws the system's error */
export function writeHttpEndpoint(file: string, { port, token }: HttpEndpoint): void {
  writePrivateJson(file, { port, token });
}

/** Write a file with JSON, readable by the user only. @throws the system's error */
export function writePrivateJson(file: string, value: object): void {
  makeFolder(dirname(file));
  replaceFile(file, `${JSON.stringify(value)}\n`);
}

/** Time limit of a response, in milliseconds. */
const ANSWER_MS = 1000;

/** Who listens on a port: the user's HTTP side, nobody, another program, or one that does not respond in time. */
type PortOwner = "ours" | "nobody" | "another" | "silent";

/** Proves that the responder has the token as well. */
export function tokenProof(token: string, nonce: string): string {
  return createHmac("sha256", token).update(nonce).digest("base64url");
}

/** Who listens: the owner of the token proves it, without receiving the token. */
export function whoListens({ port, token }: HttpEndpoint): Promise<PortOwner> {
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
          const body = Buffer.concat(chunks).toString("utf8");
          resolve(body.includes(tokenProof(token, nonce)) ? "ours" : "another");
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
