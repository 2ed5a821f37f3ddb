import { createHmac, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { dirname, join } from "node:path";
import { isPlainObject } from "../core/json.ts";

/** Where an HTTP side is found, and what a request to it has to bear. */
export interface HttpEndpoint {
  /** Of 127.0.0.1. */
  readonly port: number;
  readonly token: string;
}

/** The file of a state folder in which it is kept where its user's own HTTP side listens, whatever its configuration. */
export function httpEndpointFile(stateDir: string): string {
  return join(stateDir, "http.json");
}

/** The file of a state folder in which that says what happens to it. */
export function httpServiceLog(stateDir: string): string {
  return join(stateDir, "http.log");
}

/** A token that nobody guesses: 32 random bytes. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** What a file says; undefined where there is none that can be read. */
export function readHttpEndpoint(file: string): HttpEndpoint | undefined {
  try {
    const read: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (!isPlainObject(read)) return undefined;
    const { port, token } = read;
    const isPort = typeof port === "number" && Number.isInteger(port) && port > 0 && port < 65_536;
    // A short one could be guessed.
    const isToken = typeof token === "string" && /^[\w-]{20,}$/.test(token);
    return isPort && isToken ? { port, token } : undefined;
  } catch {
    return undefined;
  }
}

/** Write it down, for the user alone. @throws what the system says */
export function writeHttpEndpoint(file: string, { port, token }: HttpEndpoint): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Written aside: nobody reads half a token, and a file that was there with other rights is gone.
  const aside = `${file}.${randomBytes(4).toString("hex")}`;
  writeFileSync(aside, `${JSON.stringify({ port, token })}\n`, { mode: 0o600, flag: "wx" });
  renameSync(aside, file);
}

/** How long an answer may take, in milliseconds. */
const ANSWER_MS = 1000;

/** Whoever has a port: the HTTP side of this user, nobody, another program, or one that does not answer in time. */
type PortOwner = "ours" | "nobody" | "another" | "silent";

/** What proves to somebody who has the token that the one who answers has it, too. */
export function tokenProof(token: string, nonce: string): string {
  return createHmac("sha256", token).update(nonce).digest("base64url");
}

/** Who listens: the one that has the token proves it, without having been told. */
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
          const said = Buffer.concat(chunks).toString("utf8");
          resolve(said.includes(tokenProof(token, nonce)) ? "ours" : "another");
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
