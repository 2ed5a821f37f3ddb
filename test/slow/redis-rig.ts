import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";

/** A logger of engines whose words do not count. */
export const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Whether there is a redis-server here; says so if not. */
export function hasRedis(): boolean {
  const has = spawnSync("redis-server", ["--version"]).status === 0;
  if (!has)
    console.error("\n*** redis-server is missing: tests of the shared state are SKIPPED ***\n");
  return has;
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** A redis-server that accepts connections, without a configuration file. */
export async function startRedis(args: readonly string[]): Promise<ChildProcess> {
  const server = spawn("redis-server", [...args], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  await new Promise<void>((resolve, reject) => {
    server.stdout.on("data", (text: Buffer) => {
      said += text.toString();
      if (said.includes("Ready to accept")) resolve();
    });
    server.once("exit", () => reject(new Error(`redis-server ended: ${said}`)));
  });
  return server;
}

/** Kill it without a chance to write anything. */
export async function killRedis(server: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGKILL");
  await ended;
}
