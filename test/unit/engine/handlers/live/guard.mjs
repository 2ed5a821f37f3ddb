// A handler that lives on, in its shortest form: denies commands that contain a word.
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const result =
    method === "handshake"
      ? { protocol_version: "1.0", name: "guard", capabilities: [] }
      : params.payload.args.command?.includes("rm")
        ? { action: "abort", reason: `not ${params.payload.args.command}` }
        : null;
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}
