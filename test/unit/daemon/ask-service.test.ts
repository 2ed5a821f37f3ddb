import { once } from "node:events";
import { createServer } from "node:net";
import type { Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { askService } from "../../../src/daemon/service-protocol.ts";
import { folder } from "../engine/orcs/engine.ts";

const REQUEST = { key: "k", host: "claude-code", event: "{}", env: {}, umask: 0o22 } as const;

/** What becomes of a request to something that does this with its connection. */
async function asked(answer: (socket: Socket) => void, withinMs = 20_000) {
  const path = join(folder(), "s");
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    answer(socket);
  }).listen(path);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return askService(path, REQUEST, withinMs);
}

const says = (text: string) => (socket: Socket) => void socket.write(text);
const drips = (socket: Socket): void => {
  const drip = setInterval(() => socket.write(" "), 20);
  socket.on("close", () => clearInterval(drip));
};

test.each<[string, (socket: Socket) => void, string, number?]>([
  ["ends politely", (at) => at.once("data", () => at.end()), "it closed the connection without"],
  ["answers half a line", (at) => at.once("data", () => at.end('{"code":0,"outp')), "it closed"],
  ["answers rubbish", says("HTTP/1.1 400 Bad Request\r\n\r\n"), "its response is not JSON"],
  ["answers null", says("null\n"), "its response is not an object"],
  ["answers a number", says("0\n"), "its response is not an object"],
  ["answers a list", says("[]\n"), "its response has no exit code"],
  ["answers an object", says('{"ok":true}\n'), "its response has no exit code"],
  ["says nothing", () => undefined, "it did not respond within 300 ms", 300],
  ["drips", drips, "it did not respond within 300 ms", 300],
])("a service that %s is lost: hooks may have run", async (_, answer, why, withinMs) => {
  expect(await asked(answer, withinMs)).toMatchObject({
    kind: "lost",
    why: expect.stringContaining(why) as string,
  });
});

test("one that declines has run nothing", async () => {
  const declines = says('{"error":{"code":"ORCS7014","message":"another configuration"}}\n');
  expect(await asked(declines)).toEqual({ kind: "nobody", why: "another configuration" });
});
