import { createRequire } from "node:module";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { ClientOptions } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { onTestFinished } from "vitest";
import { folder, MAIN } from "../orcs.ts";
import { environment } from "./session.ts";

const require = createRequire(import.meta.url);
const SERVERS = {
  filesystem: require.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"),
  everything: require.resolve("@modelcontextprotocol/server-everything/dist/index.js"),
};

/** The official client, with `orcs mcp` between it and one of the official servers. */
export async function official(
  server: keyof typeof SERVERS,
  toml: string,
  capabilities: NonNullable<ClientOptions["capabilities"]> = {},
  prepare: (client: Client, dir: string) => void = () => undefined,
): Promise<{ client: Client; dir: string; stderr: () => string }> {
  const dir = folder({ "orcs.toml": toml, "public/a.txt": "a\n", "private/key.txt": "sk-12345\n" });
  const args = server === "filesystem" ? [dir] : [];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, "mcp", "--config", "orcs.toml", "--", process.execPath, SERVERS[server], ...args],
    cwd: dir,
    env: environment(dir),
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const client = new Client({ name: "test", version: "1" }, { capabilities });
  prepare(client, dir);
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, dir, stderr: () => stderr };
}
