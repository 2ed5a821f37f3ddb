import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isPlainObject } from "../core/json.ts";

/** Where an HTTP side is found, and what a request to it has to bear. */
export interface HttpPlace {
  /** Of 127.0.0.1. */
  readonly port: number;
  readonly token: string;
}

/** The file of a state folder in which it is kept where its user's own HTTP side listens, whatever its configuration. */
export function userHttpFile(stateDir: string): string {
  return join(stateDir, "http.json");
}

/** The file of a state folder in which that says what happens to it. */
export function userHttpLog(stateDir: string): string {
  return join(stateDir, "http.log");
}

/** A token that nobody guesses: 32 random bytes. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** What a file says; undefined where there is none that can be read. */
export function readHttpPlace(file: string): HttpPlace | undefined {
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
export function writeHttpPlace(file: string, { port, token }: HttpPlace): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Written aside: nobody reads half a token, and a file that was there with other rights is gone.
  const aside = `${file}.${randomBytes(4).toString("hex")}`;
  writeFileSync(aside, `${JSON.stringify({ port, token })}\n`, { mode: 0o600, flag: "wx" });
  renameSync(aside, file);
}
