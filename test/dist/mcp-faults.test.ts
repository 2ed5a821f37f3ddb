import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folder, orcs, PATIENT } from "./orcs.ts";
import { call, Session, textOf, withFake } from "./mcp/session.ts";
import { isRunning } from "./processes.ts";

const MASK = `
[[hooks]]
id = "mask"
point = "tool.post_execute"
handler_inline = '''
for _, block in ipairs(ctx.payload.result.content) do
  if block.text then block.text = block.text:gsub("secret", "***") end
end
return ctx
'''
[[hooks]]
id = "no-crash"
point = "tool.pre_execute"
match = { tool = "forbidden" }
handler_inline = 'return orcs.deny("it is forbidden")'
${PATIENT}`;

const serverPid = (stderr: string): number => Number(/^server (\d+)$/m.exec(stderr)?.[1]);

test("orcs mcp without initialize: results, denials, server requests, out of order and duplicate ids", async () => {
  const session = withFake(MASK);
  session.say(call(1, "held"), call("1", "echo", { a: "secret" }), call(2, "forbidden"));
  expect(textOf(await session.answer("1"))).toBe('{"a":"***"}');
  expect(textOf(await session.answer(1))).toBe('{"held":true}');
  expect((await session.answer(2))["result"]).toEqual({
    content: [{ type: "text", text: "denied by hook no-crash: it is forbidden" }],
    isError: true,
    resultType: "complete",
  });
  session.say(call(3, "twice"), call(4, "question"));
  expect(textOf(await session.answer(3))).toBe("first");
  // A question back is none of the hooks' business.
  expect((await session.answer(4))["result"]["requestState"]).toBe("secret");
  session.say({ jsonrpc: "2.0", id: 5, method: "server/discover" });
  await session.answer(5);
  expect(session.answersTo(3)).toHaveLength(1);
  expect(session.stderr).toContain("answered 3 twice, or without a request");
  expect(await session.end()).toBe(0);
  expect(session.lines.join()).not.toContain("second");
  const args = ["audit", "show", "--json", "--config", "orcs.toml"];
  const env = { XDG_STATE_HOME: join(session.cwd, "state") };
  const { stdout } = await orcs(args, { cwd: session.cwd, env });
  expect(stdout.match(/"event":"server:answers"/g)).toHaveLength(1);
});

test("orcs mcp passes unusual bytes unchanged: invalid lines, CRLF, a byte order mark, partial lines", async () => {
  const session = withFake(MASK);
  const odd = ['\uFEFF{"jsonrpc":"2.0","method":"n"}', "rubbish", '{ "jsonrpc" :"2.0", "x": 1.0 }'];
  session.say(`${odd.join("\n")}\n`, call(1, "rubbish", { a: 1 }));
  await session.answer(1);
  const at = session.lines.indexOf("Listening on stdio\r");
  expect(session.lines.slice(at, at + 3)).toEqual(["Listening on stdio\r", "", "\u0000\u0001{]"]);
  expect(session.lines.filter((line) => line.includes("unreadable"))).toHaveLength(2);
  session.say(call(2, "slowly", { text: "täg secret" }));
  expect(textOf(await session.answer(2))).toBe(Buffer.from("täg ***").toString("latin1"));
  // A call by halves, and the last one without an end.
  const bytes = JSON.stringify(call(3, "echo", { x: 1 }));
  session.say(bytes.slice(0, 20));
  await new Promise((resolve) => setTimeout(resolve, 50));
  session.say(bytes.slice(20));
  expect(await session.end()).toBe(0);
  expect(textOf(await session.answer(3))).toBe('{"x":1}');
});

test("orcs mcp with 50 MB: other messages pass, calls and results are rejected", async () => {
  const session = withFake(MASK);
  const big = "y".repeat(50 * 2 ** 20);
  session.say({ jsonrpc: "2.0", id: "p", method: "ping", params: { big } });
  expect((await session.answer("p"))["result"]).toEqual({ method: "ping" });
  session.say(call(1, "echo", { big }));
  expect(textOf(await session.answer(1))).toContain("max_payload_mb");
  session.say(call(2, "big", { mb: 50 }));
  expect(textOf(await session.answer(2))).toContain("max_payload_mb");
  session.say(call(3, "big", { mb: 2 }));
  expect(textOf(await session.answer(3))).toHaveLength(2 * 2 ** 20);
  expect(await session.end()).toBe(0);
});

test("orcs mcp: when the server crashes, pending requests get an error, and the exit code shows it", async () => {
  const session = withFake(MASK);
  session.say(call(1, "held"), call(2, "crash"));
  for (const id of [1, 2]) {
    expect((await session.answer(id))["error"]).toEqual({
      code: -32000,
      message: "ORCS7005: the MCP server ended with exit code 3",
    });
  }
  expect(await session.ended()).toBe(1);
  expect(session.stderr).toContain("ORCS7005");
});

test("orcs mcp: a partial line at the server's end does not bypass the hooks", async () => {
  const session = withFake(MASK);
  session.say(call(1, "half"));
  expect((await session.answer(1))["error"]).toBeDefined();
  expect(await session.ended()).toBe(1);
  expect(session.lines.join("\n")).not.toContain("sec");
});

test("orcs mcp: a server that cannot start gives errors to requests, and exit code 2", async () => {
  const session = new Session(folder(), ["no-such-program-here"]);
  session.say({ jsonrpc: "2.0", id: 0, method: "initialize", params: {} });
  expect((await session.answer(0))["error"]["message"]).toMatch(/ORCS7005.*no-such-program-here/);
  expect(await session.ended()).toBe(2);
  expect(session.stderr).toContain("ORCS7005");
});

test("orcs mcp kills a server that ignores the client's end", async () => {
  const session = withFake(MASK, "deaf");
  session.say(call(1, "echo"));
  await session.answer(1);
  const pid = serverPid(session.stderr);
  expect(isRunning(pid)).toBe(true);
  expect(await session.end()).toBe(0);
  expect(isRunning(pid)).toBe(false);
});

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
  "orcs mcp: %s ends the server",
  async (signal) => {
    const session = withFake(MASK);
    session.say(call(1, "echo"));
    await session.answer(1);
    const pid = serverPid(session.stderr);
    session.child.kill(signal);
    await session.ended();
    expect(isRunning(pid)).toBe(false);
  },
);

test("orcs mcp: configuration errors deny calls with the errors, until fixed", async () => {
  const session = withFake(
    '[[hooks]]\nid = "x"\npoint = "tool.pre_exekute"\nhandler_inline = ""\n',
  );
  session.say(call(1, "echo"), { jsonrpc: "2.0", id: 2, method: "tools/list" });
  expect(textOf(await session.answer(1))).toMatch(/ORCS1015[\s\S]*tool\.pre_execute/);
  expect((await session.answer(2))["result"]).toEqual({ method: "tools/list" });
  writeFileSync(join(session.cwd, "orcs.toml"), MASK);
  for (let id = 10; ; id++) {
    session.say(call(id, "echo", { a: "secret" }));
    const text = textOf(await session.answer(id));
    if (text === '{"a":"***"}') break;
    expect(text).toContain("ORCS1015");
    expect(id).toBeLessThan(200);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  // And what is saved while it serves is in force soon.
  writeFileSync(join(session.cwd, "orcs.toml"), MASK.replace('"***"', '"+++"'));
  for (let id = 1000; ; id++) {
    session.say(call(id, "echo", { a: "secret" }));
    if (textOf(await session.answer(id)) === '{"a":"+++"}') break;
    expect(id).toBeLessThan(1200);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(await session.end()).toBe(0);
});

test("orcs mcp: slow hooks block nothing else, and thousands of calls are all answered", async () => {
  const session = withFake(`
    [[hooks]]
    point = "tool.pre_execute"
    handler_inline = "if ctx.payload.args.slow then orcs.sleep(300) end"
    ${PATIENT}`);
  session.say(call("slow", "echo", { slow: true }), { jsonrpc: "2.0", id: "ping", method: "ping" });
  await session.answer("ping");
  expect(session.answersTo("slow")).toEqual([]);
  for (let id = 0; id < 3000; id++) session.say(call(id, "echo", { id }));
  await session.answer(2999);
  for (const id of [0, 1500, 2999]) expect(textOf(await session.answer(id))).toBe(`{"id":${id}}`);
  await session.answer("slow");
  expect(await session.end()).toBe(0);
  expect(session.lines).toHaveLength(3002);
});

test.each([
  ["no command", ["mcp"]],
  ["a name that is none", ["mcp", "--name", "a::b", "--", "node"]],
])("orcs mcp: %s is a usage error", async (_, args) => {
  const { code, stdout } = await orcs(args, { cwd: folder() });
  expect([code, stdout]).toEqual([2, ""]);
});
