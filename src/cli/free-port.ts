import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { OrcsError } from "../core/errors.ts";

/** Below the ports that systems give to connections, which come and go. */
const FROM = 20_000;
const TO = 32_000;
const TRIES = 50;

/** A port of 127.0.0.1 on which nobody listens now. @throws OrcsError ORCS5002 */
export async function freePort(): Promise<number> {
  for (let i = 0; i < TRIES; i++) {
    const port = randomInt(FROM, TO);
    if (await isFree(port)) return port;
  }
  throw new OrcsError("ORCS5002", "no free port was found: say one with --port");
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
