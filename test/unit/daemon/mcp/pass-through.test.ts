import { PassThrough } from "node:stream";
import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { mayNameCall } from "../../../../src/daemon/mcp/json-ambiguity.ts";
import { LineSplitter, LineWriter } from "../../../../src/machine/spawn/lines.ts";
import { pumpLines } from "../../../../src/daemon/mcp/run-mcp.ts";
import { quickTest as it, repeatedTest, runCount } from "../../../slow-test.ts";
import { call, line, rig, textResult } from "./rig.ts";

/** Messages that are none of the hooks' business, well-formed and not. */
const anyLine = fc.oneof(
  fc.json().map((json) => Buffer.from(`${json}\n`)),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.concat([Buffer.from(bytes), NL])),
  fc
    .record({
      jsonrpc: fc.constant("2.0"),
      id: fc.integer(),
      method: fc.string(),
      params: fc.object(),
    })
    .map((message) => Buffer.from(line(message))),
  fc
    .record({ jsonrpc: fc.constant("2.0"), id: fc.integer(), result: fc.jsonValue() })
    .map((message) => Buffer.from(line(message))),
  fc
    .constantFrom("\n", "\r\n", "\uFEFF{}\n", '{"a":1.0}\r\n', "{ }  \n", "Server started\n")
    .map((text) => Buffer.from(text)),
);
const NL = Buffer.from("\n");

/**
 * Whether a line holds an answer, or may hold one where some reader would look: in a batch within a batch, behind an
 * escape. The server was asked nothing here that would make one legitimate.
 */
function isAnswer(bytes: Buffer): boolean {
  let value: any;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    return false;
  }
  if (Array.isArray(value) && value.some(Array.isArray) && bytes.includes("\\u")) return true;
  return [value]
    .flat()
    .some(
      (m) =>
        m &&
        typeof m === "object" &&
        ("result" in m || "error" in m || ("id" in m && !("method" in m))),
    );
}
/** The id of a single message, as JSON; undefined when it has none. */
function idOf(bytes: Buffer): string | undefined {
  try {
    const message: any = JSON.parse(bytes.toString());
    return JSON.stringify(message?.id);
  } catch {
    return undefined;
  }
}
/** The ids of what a client asked. */
function asked(lines: readonly Buffer[]): Set<string | undefined> {
  const ids = new Set(lines.filter((bytes) => bytes.includes('"method"')).map(idOf));
  ids.delete(undefined);
  return ids;
}
const chunked = (bytes: Buffer, cuts: readonly number[]): Buffer[] => {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...at, bytes.length].map((end, i) => bytes.subarray(at[i - 1] ?? 0, end));
};
const stream = fc.record({
  lines: fc.array(anyLine, { maxLength: 12 }),
  rest: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
  cuts: fc.array(fc.nat(), { maxLength: 20 }),
});

describe("MCP proxy, traffic without tool calls", () => {
  repeatedTest(
    "passes unchanged in both directions, however split; unsolicited responses are dropped",
    async () => {
      await fc.assert(
        fc.asyncProperty(stream, stream, async (up, down) => {
          const made = await rig();
          made.client(call("a call", "x"));
          await made.quiet();
          made.toServer.length = 0;
          const out: Buffer[][] = [[], []];
          for (const [i, { lines, rest, cuts }] of [up, down].entries()) {
            const all = Buffer.concat([...lines, rest]);
            fc.pre(!mayNameCall(all) && !all.includes("tools/list") && !all.includes('"cancel'));
            // An answer to something that the client happened to ask is passed on.
            fc.pre(i === 0 || lines.every((bytes) => !asked(up.lines).has(idOf(bytes))));
            const splitter = new LineSplitter(1e6, {
              line: (bytes) => {
                const before = [made.toServer.length, made.toClient.length];
                if (i === 0) made.proxy.fromClient(bytes);
                else made.proxy.fromServer(bytes);
                const sent = i === 0 ? made.toServer : made.toClient;
                const isDropped = i === 1 && isAnswer(bytes);
                expect(sent.length).toBe((before[i] ?? 0) + (isDropped ? 0 : 1));
                out[i]?.push(isDropped ? bytes : (made.last ?? Buffer.alloc(0)));
              },
              tooLong: () => expect.unreachable(),
            });
            for (const chunk of chunked(all, cuts)) splitter.push(chunk);
            splitter.end();
            expect(Buffer.concat(out[i] ?? []).equals(all)).toBe(true);
          }
        }),
        { numRuns: runCount(150) },
      );
    },
  );

  it("passes at once and in order while a hook runs", async () => {
    let go = (): void => undefined;
    const thinks = new Promise<void>((resolve) => (go = resolve));
    const made = await rig([{ point: "tool.pre_execute", handler: () => thinks }]);
    made.client(call(1, "slow")).client({ jsonrpc: "2.0", id: 2, method: "ping" });
    made.client({ jsonrpc: "2.0", method: "notifications/roots/list_changed" });
    made.server({ jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } });
    made.server({ jsonrpc: "2.0", id: 1, method: "sampling/createMessage", params: {} });
    expect(made.serverGot.map(({ method }) => method)).toEqual([
      "ping",
      "notifications/roots/list_changed",
    ]);
    expect(made.clientGot.map(({ method }) => method)).toEqual([
      "notifications/progress",
      "sampling/createMessage",
    ]);
    // The server's own ids are its own: an answer to its request 1 is none to call 1.
    made.client({ jsonrpc: "2.0", id: 1, result: { role: "user" } });
    expect(made.serverGot.at(-1)).toEqual({ jsonrpc: "2.0", id: 1, result: { role: "user" } });
    go();
    await made.quiet();
    expect(made.serverGot.at(-1)).toEqual(call(1, "slow"));
    made.server(textResult(1, "done"));
    await made.quiet();
    expect(made.clientGot.at(-1)).toEqual(textResult(1, "done"));
  });

  it("calls and results that no hook changes keep their exact bytes", async () => {
    const made = await rig([
      { point: "tool.pre_execute", handler: () => undefined },
      { point: "tool.post_execute", handler: () => undefined },
    ]);
    const asked =
      '{ "method": "tools/call", "id": 7.0,  "params": {"arguments": {"n": 12345678901234567890, "x": 1.0}, "name": "t"}, "jsonrpc": "2.0" }\r\n';
    const answer =
      '{"id": 7, "jsonrpc":"2.0",  "result": {"content": [], "structuredContent": {"id": 9007199254740993}}}\r\n';
    made.client(asked);
    await made.quiet();
    expect(made.toServer).toEqual([asked]);
    made.server(answer);
    await made.quiet();
    expect(made.toClient).toEqual([answer]);
  });
});

describe("MCP proxy with a slow reader", () => {
  it("pauses the writer until the reader continues", async () => {
    const source = new PassThrough();
    const slow = new PassThrough({ highWaterMark: 10 });
    const sink = new LineWriter(slow);
    let lines = 0;
    const ended = pumpLines(source, sink, 1e6, {
      line: (bytes) => {
        lines++;
        sink.write(bytes);
      },
      tooLong: () => expect.unreachable(),
    });
    source.write("0123456789\n");
    await new Promise((resolve) => setImmediate(resolve));
    source.write("0123456789\n");
    await new Promise((resolve) => setImmediate(resolve));
    expect([lines, source.isPaused()]).toEqual([1, true]);
    slow.resume();
    source.end();
    await ended;
    expect(lines).toBe(2);
  });
});
