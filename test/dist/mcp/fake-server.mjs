// A server of MCP as no server should be: what it does is in the name of the tool that is called, or in its argument.
import { createInterface } from "node:readline";

const [mode = ""] = process.argv.slice(2);
const say = (text) => process.stdout.write(text);
const tell = (message) => say(`${JSON.stringify(message)}\n`);
const held = [];

const TOOLS = {
  echo: (id, args) =>
    tell({
      id,
      jsonrpc: "2.0",
      result: { content: [{ type: "text", text: JSON.stringify(args) }] },
    }),
  twice: (id) => {
    for (const text of ["first", "second secret"]) {
      tell({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } });
    }
  },
  // Answered when the next call comes, after that one.
  held: (id) => held.push(id),
  crash: () => process.exit(3),
  half: (id) => {
    say(
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"sec`,
    );
    process.stdout.write("", () => process.exit(1));
  },
  rubbish: (id, args) => {
    say("Listening on stdio\r\n\n\u0000\u0001{]\n");
    TOOLS.echo(id, args);
  },
  big: (id, { mb }) =>
    tell({
      jsonrpc: "2.0",
      id,
      result: { content: [{ type: "text", text: "x".repeat(mb * 2 ** 20) }] },
    }),
  slowly: (id, args) => {
    const line = Buffer.from(
      `${JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: args.text }] } })}\n`,
    );
    for (const byte of line) process.stdout.write(Buffer.from([byte]));
  },
  question: (id) =>
    tell({
      jsonrpc: "2.0",
      id,
      result: { resultType: "input_required", inputRequests: {}, requestState: "secret" },
    }),
};

if (mode === "deaf") process.on("SIGTERM", () => undefined);
if (mode === "deaf") setInterval(() => undefined, 1000);
process.stderr.write(`server ${process.pid}\n`);

createInterface({ input: process.stdin }).on("line", (line) => {
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return tell({ jsonrpc: "2.0", method: "notifications/unreadable", params: { line } });
  }
  const { id, method, params } = message;
  if (method === "tools/call") {
    TOOLS[params.name]?.(id, params.arguments);
    if (params.name !== "held")
      for (const other of held.splice(0)) TOOLS.echo(other, { held: true });
  } else if (id !== undefined && method !== undefined)
    tell({ jsonrpc: "2.0", id, result: { method } });
  else tell({ jsonrpc: "2.0", method: "notifications/seen", params: message });
});
