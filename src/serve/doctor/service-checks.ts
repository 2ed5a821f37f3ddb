import { statSync } from "node:fs";
import { connect } from "node:net";
import type { ServiceAddress } from "../address.ts";
import { PROTOCOL_VERSION } from "../service-protocol.ts";
import { pidAt } from "../service/socket-ownership.ts";
import type { Finding, ServiceReport } from "./report.ts";
import { problem } from "./report.ts";

/** A service answers this at once: a request that is for nobody runs no hook. */
const NOBODY = { v: PROTOCOL_VERSION, key: "orcs doctor" };
const WITHIN_MS = 2000;

/** Whether a service answers at an address, without any hook that runs. */
export async function checkService(
  address: ServiceAddress,
): Promise<{ readonly service: ServiceReport; readonly findings: readonly Finding[] }> {
  const { socket } = address;
  const asked = await ask(socket);
  const none = { socket, pid: null, since: null, ms: null };
  if (asked === "nobody") return { service: none, findings: [] };
  const pid = pidAt(address) ?? null;
  const since = statSync(address.pid, { throwIfNoEntry: false })?.mtime.toISOString() ?? null;
  if (typeof asked === "number")
    return { service: { socket, pid, since, ms: asked }, findings: [] };
  const text = `the service does not answer: ${asked.why}`;
  const hint = pid === null ? "end it: the next event starts another" : `kill ${pid}`;
  return { service: { socket, pid, since, ms: null }, findings: [problem(text, hint)] };
}

/** How many milliseconds it took to answer, that nobody listens, or why there was no answer. */
function ask(socket: string): Promise<number | "nobody" | { readonly why: string }> {
  return new Promise((resolve) => {
    const began = performance.now();
    let isConnected = false;
    const connection = connect(socket);
    const settle = (asked: Awaited<ReturnType<typeof ask>>): void => {
      clearTimeout(timer);
      connection.destroy();
      resolve(asked);
    };
    const timer = setTimeout(() => settle({ why: `not within ${WITHIN_MS} ms` }), WITHIN_MS);
    connection.on("connect", () => {
      isConnected = true;
      connection.write(`${JSON.stringify(NOBODY)}\n`);
    });
    connection.on("data", () => settle(Math.round((performance.now() - began) * 10) / 10));
    connection.on("error", (error) => settle(isConnected ? { why: error.message } : "nobody"));
    connection.on("close", () => settle({ why: "it hung up" }));
  });
}
