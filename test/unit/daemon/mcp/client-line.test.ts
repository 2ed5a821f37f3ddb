import { describe, expect, it } from "vitest";
import { readClientLine } from "../../../../src/daemon/mcp/client-line.ts";
import { call, line } from "./rig.ts";

const read = (text: string | Buffer) => readClientLine(Buffer.from(text as string));
const CALL = line(call(1, "rm", { path: "/" })).trim();

describe("parsing a line from an MCP client", () => {
  it.each([
    ["plain", CALL],
    ["an escaped slash", CALL.replace("tools/call", "tools\\/call")],
    ["an escaped letter", CALL.replace("tools/call", "\\u0074ools/call")],
    ["all of it escaped", CALL.replaceAll(/[a-z/]+call/g, escaped)],
    ["an escaped key", CALL.replace('"method"', '"meth\\u006fd"')],
    ["a byte order mark", `\uFEFF${CALL}`],
    ["white space", `  \t${CALL}  \r\n`],
    [
      "keys in another order",
      '{"params":{"arguments":{},"name":"rm"},"id":1,"method":"tools/call"}',
    ],
    ["no version", '{"id":1,"method":"tools/call","params":{"name":"rm"}}'],
  ])("recognizes a tool call: %s", (_, text) => {
    expect(read(text)).toMatchObject({ kind: "call", id: 1, params: { name: "rm" } });
  });

  it.each([
    ["not valid JSON", CALL.slice(0, -1)],
    ["a comma too many", CALL.replace(/}$/, ",}")],
    ["single quotes", CALL.replaceAll('"', "'")],
    ["NaN", CALL.replace('"/"', "NaN")],
    ["a control character in a text", CALL.replace('"/"', '"\u0001"')],
    ["two messages on a line", `{"method":"ping"}${CALL}`],
    ["two messages, and a carriage return between", `{"method":"ping"}\r${CALL}`],
    ["a piece of a message over several lines", '"method": "tools/call",'],
    ["a piece that is JSON by itself", '"tools/call"'],
    ["such a piece, escaped", '"tools\\/c\\u0061ll"'],
    ["escapes that are none", CALL.replace("tools/call", "t\\ools/call")],
    ["UTF-16", Buffer.from(CALL, "utf16le")],
    ["UTF-16 with its mark", Buffer.from(`\uFEFF${CALL}`, "utf16le")],
    ["bytes that a reader may leave out", splitBy(0xff)],
    ["a NUL that a reader may leave out", splitBy(0)],
    ["the method twice, the call first", CALL.replace(/}$/, ',"method":"ping"}')],
    ["the method twice, once escaped", CALL.replace(/}$/, ',"m\\u0065thod":"ping"}')],
    ["another spelling of method", CALL.replace('"method"', '"Method"')],
    ["another spelling beside it", CALL.replace(/}$/, ',"METHOD":"ping"}')],
    ["another spelling of params", CALL.replace(/}$/, ',"Params":{"name":"x"}}')],
    ["a spelling that Go reads", CALL.replace('"params"', '"param\u017f"')],
    ["another spelling of arguments", CALL.replace('"arguments"', '"Arguments"')],
    ["another spelling of name beside it", CALL.replace('"name"', '"Name":"x","name"')],
    ["a method that ends early for readers in C", CALL.replace("tools/call", "tools/call\\u0000x")],
    ["a key that ends early for them", CALL.replace('"method"', '"method\\u0000x"')],
    ["a tool's name that ends early for them", CALL.replace('"rm"', '"rm\\u0000x"')],
    ["a carriage return around a message in a message", `{"x":\r${CALL}\r}`],
    ["no id: a notification", CALL.replace('"id":1,', "")],
    ["an id that is null", CALL.replace('"id":1', '"id":null')],
    ["an id that no double holds", CALL.replace('"id":1', '"id":9007199254740993')],
    ["an id that is a list", CALL.replace('"id":1', '"id":[1]')],
    ["a list with such an id", '{"id":9007199254740993,"method":"tools/list"}'],
    ["no name", CALL.replace('"rm"', "1")],
    ["arguments that are a list", CALL.replace('{"path":"/"}', '["/"]')],
    ["arguments that are a text", CALL.replace('{"path":"/"}', '"/"')],
    ["a name that is not UTF-8", Buffer.from(CALL.replace("rm", "r\u00ff"), "latin1")],
    ["in a batch", `[${CALL}]`],
    [
      "in a batch with a cancellation",
      `[{"method":"notifications/cancelled","params":{"requestId":1}}]`,
    ],
    ["in a batch in a batch", `[[${CALL}]]`],
    ["in a batch, twice a key", `[{"method":"tools/call","method":"ping","id":1}]`],
  ])("rejects: %s", (_, text) => {
    expect(read(text)).toMatchObject({ kind: "refused" });
  });

  it.each([
    ["equal keys", CALL.replace(/}}/, ',"path":"/x"},"x":1}')],
    ["equal keys, one escaped", CALL.replace('"path":"/"', '"path":"/","p\\u0061th":"/x"')],
    ["the whole params twice", CALL.replace(/}$/, ',"params":{"name":"rm"}}')],
    ["a carriage return that a reader may take for an end", CALL.replace('"id"', '\r"id"')],
  ])("re-serializes an ambiguous call: %s", (_, text) => {
    expect(read(`${text}\n`)).toMatchObject({ kind: "call", line: undefined });
  });

  it.each([
    ["plain", `${CALL}\n`],
    [
      "spaces, and numbers of other spelling",
      '{ "id":1.0, "method":"tools/call", "params":{"name":"a","arguments":{"n":1e2}}}\r\n',
    ],
    [
      "equal keys in objects of their own",
      '{"id":1,"method":"tools/call","params":{"name":"a","arguments":{"a":{"k":1},"b":{"k":1},"c":[{"k":":"},{"k":1}]}}}',
    ],
    [
      "a text before a colon in a text",
      '{"id":1, "method":"tools/call","params":{"name":"a","arguments":{"a":"b\\\\","c":"\\"a\\":","b":"a"}}}',
    ],
  ])("keeps the exact bytes: %s", (_, text) => {
    const whole = `${text.trimEnd()}\n`;
    expect(read(whole)).toMatchObject({ kind: "call", line: Buffer.from(whole) });
  });
});

it("adds a missing newline to the last line", () => {
  expect(read(CALL)).toMatchObject({ kind: "call", line: undefined });
});

describe("a client message that is not a tool call", () => {
  it.each([
    [
      "a completion that speaks of calls",
      '{"jsonrpc":"2.0","id":3,"method":"completion/complete","params":{"v":"tools/call"}}',
      [3],
    ],
    [
      "an answer that speaks of them",
      '{"jsonrpc":"2.0","id":3,"result":{"text":"{\\"method\\":\\"tools/call\\"}"}}',
      [],
    ],
    ["one within another", '{"jsonrpc":"2.0","id":3,"result":{"x":{"method":"tools/call"}}}', []],
    ["another method", '{"jsonrpc":"2.0","id":"a","method":"tools/call/x"}', ["a"]],
    [
      "a batch",
      '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"id":2,"method":"x"},{"method":"n"},7]',
      [1, 2],
    ],
    ["rubbish", "hello", []],
    ["an empty line", "\r\n", []],
    ["a number", "7", []],
    ["equal keys, and no call", '{"a":1,"a":2}', []],
  ])("%s", (_, text, ids) => {
    const line = read(text);
    if (line.kind !== "other") throw new Error(line.kind);
    expect(line.requests.map(({ id }) => id)).toEqual(ids);
  });

  it.each([
    ["a number", '{"id":1,"method":"x","params":{"_meta":{"progressToken":7}}}', [[1, 7]]],
    ["a text", '{"id":1,"method":"x","params":{"_meta":{"progressToken":"7"}}}', [[1, "7"]]],
    ["none", '{"id":1,"method":"x","params":{"_meta":{}}}', [[1, undefined]]],
    ["a list", '{"id":1,"method":"x","params":{"_meta":{"progressToken":[7]}}}', [[1, undefined]]],
    ["an id that no double holds", '{"id":9007199254740993,"method":"x"}', [[2 ** 53, undefined]]],
    ["megabytes of params", `{"id":1,"method":"x","x":"${"y".repeat(2 ** 20)}"}`, [[1, undefined]]],
    ["nothing that it asks", '{"id":1}', [[1, undefined]]],
  ])("has its id and progress token: %s", (_, text, known) => {
    const line = read(text);
    if (line.kind !== "other") throw new Error(line.kind);
    expect(line.requests.map(({ id, token }) => [id, token])).toEqual(known);
  });

  it("in a rejected batch gets an error response per request", () => {
    const batch = read(`[${CALL},{"id":"b","method":"tools/list"},{"method":"n"}]`);
    if (batch.kind !== "refused") throw new Error(batch.kind);
    expect(batch.answer).toMatchObject([
      { id: 1, error: { code: -32600 } },
      { id: "b", error: { code: -32600 } },
    ]);
  });

  it("may be nested to any depth", () => {
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    const nested = CALL.replace('"/"', deep);
    expect(read(nested)).toMatchObject({ kind: "call" });
    expect(read(`{"id":1,"method":"x","params":${deep}}`)).toMatchObject({ kind: "other" });
  });
});

function escaped(text: string): string {
  return text.replaceAll(/./g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The call with a byte in the middle of its method. */
function splitBy(byte: number): Buffer {
  const [before = "", after = ""] = CALL.split("ls/ca");
  return Buffer.concat([
    Buffer.from(`${before}l`),
    Buffer.from([byte]),
    Buffer.from(`s/ca${after}`),
  ]);
}
