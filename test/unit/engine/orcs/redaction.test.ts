import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { SECRETS } from "../../guards/redact/secrets.ts";
import { call, errorOf, Lines, open } from "./engine.ts";

const token = SECRETS["GitHub token"] ?? "";

function withHook(
  handler: string,
  more: Readonly<Record<string, unknown>> = {},
  logger = new Lines(),
) {
  const hook = { id: "h", point: "tool.pre_execute", handler_inline: handler };
  return open({ config: { hooks: [hook], ...more }, logger, trace: "values" });
}

describe("log output", () => {
  test("of scripts, and of the engine about scripts, is masked", async () => {
    const logger = new Lines();
    const orcs = await withHook(
      `function(ctx)
        print("a", ctx.payload.args.command)
        orcs.log("warn", "b password=hunter2")
        orcs.emit_output("c " .. ctx.payload.args.command)
        error("d " .. ctx.payload.args.command)
      end`,
      {},
      logger,
    );
    await orcs.dispatch("tool.pre_execute", call("exec", { command: token }));
    const text = logger.lines.join("\n");
    expect(logger.lines).toContain("info: a\t[redacted]");
    expect(logger.lines).toContain("warn: b password=[redacted]");
    expect(logger.lines).toContain("info: c [redacted]");
    expect(text).toContain("d [redacted]");
    expect(text).not.toContain(token);
  });

  test("uses the keys and patterns in [redact]", async () => {
    const logger = new Lines();
    const redact = { keys: ["acme_pin"], patterns: ["acme-[0-9]+"] };
    const orcs = await withHook(`print("acmePin=abc acme-123 acme-x") `, { redact }, logger);
    await orcs.dispatch("tool.pre_execute", call("exec"));
    expect(logger.lines).toContain("info: acmePin=[redacted] [redacted] acme-x");
    expect(orcs.redact({ "ACME-PIN": 12, b: "acme-9" })).toEqual({
      "ACME-PIN": "[redacted]",
      b: "[redacted]",
    });
  });

  test("an invalid pattern in [redact] is a configuration error", async () => {
    const error = await errorOf(open({ config: { redact: { patterns: ["a", "("] } } }));
    expect(error.code).toBe("ORCS1015");
    expect(error.message).toContain("ORCS1012");
  });
});

describe("traces", () => {
  test("mask secrets in reasons and values", async () => {
    const orcs = await withHook(`function(ctx)
      ctx.payload.args.command = ctx.payload.args.command .. " x"
      ctx.payload.args.password = "second"
      ctx.metadata.credentials = { user = "deep" }
      return orcs.deny("not with ${token}")
    end`);
    const payload = call("exec", { command: `run ${token}`, password: "first" });
    const outcome = await orcs.dispatch("tool.pre_execute", payload);
    // The answer itself is the agent's.
    expect(outcome).toMatchObject({ action: "abort", reason: `not with ${token}` });
    expect(outcome.ctx.payload.args).toMatchObject({ password: "second" });
    const text = JSON.stringify(outcome.trace);
    for (const hidden of [token, "first", "second", "deep"]) expect(text).not.toContain(hidden);
    expect(outcome.trace?.[0]).toMatchObject({
      reason: "not with [redacted]",
      changes: expect.arrayContaining([
        { path: "/payload/args/command", before: "run [redacted]", after: "run [redacted] x" },
        { path: "/payload/args/password", before: "[redacted]", after: "[redacted]" },
        { path: "/metadata/credentials", after: { user: "[redacted]" } },
      ]),
    });
  });

  test("mask secrets in the message of a failed hook", async () => {
    const orcs = await withHook(`error("bad ${token}")`);
    const { trace } = await orcs.dispatch("tool.pre_execute", call("exec"));
    expect(trace?.[0]?.status).toBe("failed");
    expect(trace?.[0]?.reason).toContain("bad [redacted]");
  });

  test("show non-JSON values as hooks read them, masked", async () => {
    const orcs = await withHook(`ctx.payload.args = { a = 1 }`);
    const when = new Map([["at", { date: new Date(0), password: "x" }]]);
    const payload = { tool_name: "exec", args: { when, token: "x" } };
    const { trace } = await orcs.dispatch("tool.pre_execute", payload as never);
    expect(trace?.[0]?.changes).toEqual([
      {
        path: "/payload/args",
        before: {
          when: [["at", { date: "1970-01-01T00:00:00.000Z", password: "[redacted]" }]],
          token: "[redacted]",
        },
        after: { a: 1 },
      },
    ]);
  });

  test("do not show values that cannot be read", async () => {
    const orcs = await withHook(`ctx.payload.args = { a = 1 }`);
    const payload = { tool_name: "exec", args: { later: Promise.resolve("x"), n: 1 } };
    const { trace } = await orcs.dispatch("tool.pre_execute", payload as never);
    expect(trace?.[0]?.changes).toEqual([
      { path: "/payload/args", before: "[redacted]", after: { a: 1 } },
    ]);
  });
});

test.each([
  ["masked", {}, false],
  ["whole, where it says so", { redact: false }, true],
])("webhooks are sent the payload %s", async (_, more, whole) => {
  let got = "";
  const server = createServer((request, response) => {
    request.on("data", (chunk: Buffer) => (got += chunk.toString()));
    request.on("end", () => response.end("null"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const webhook = { url: `http://127.0.0.1:${port}`, allow_hosts: ["127.0.0.1"], ...more };
  const orcs = await open({ config: { hooks: [{ point: "PreToolUse", webhook }] } });
  const outcome = await orcs.dispatch("tool.pre_execute", call("exec", { command: token }));
  expect(outcome).toMatchObject({
    action: "continue",
    ctx: { payload: { args: { command: token } } },
  });
  expect(got.includes(token)).toBe(whole);
  expect(got).toContain('"command":');
});

describe("orcs.redact", () => {
  test("masks strings and JSON, and returns a value without secrets unchanged", async () => {
    const orcs = await open();
    expect(orcs.redact(`a ${token}`)).toBe("a [redacted]");
    const plain = { a: ["b"] };
    expect(orcs.redact(plain)).toBe(plain);
    await orcs.close();
    expect(orcs.redact("password=hunter2")).toBe("password=[redacted]");
  });

  test("in scripts masks strings and tables", async () => {
    const orcs = await withHook(
      `function(ctx)
      local m, args = ctx.metadata, ctx.payload.args
      m.text = orcs.redact("password=hunter2 acme-1")
      m.same = orcs.redact("plain")
      m.all = orcs.redact(args)
      m.list = orcs.redact({ "--token", "x" })
      m.null = orcs.redact(orcs.null) == orcs.null
      m.none = orcs.redact(nil) == nil
      m.number = orcs.redact(1.5)
      m.empty = orcs.redact(orcs.array())
      m.own = args.password
    end`,
      { redact: { patterns: ["acme-[0-9]"] } },
    );
    const payload = call("exec", { command: token, password: "hunter2", n: 1 });
    expect((await orcs.dispatch("tool.pre_execute", payload)).ctx.metadata).toEqual({
      text: "password=[redacted] [redacted]",
      same: "plain",
      all: { command: "[redacted]", password: "[redacted]", n: 1 },
      list: ["--token", "[redacted]"],
      null: true,
      none: true,
      number: 1.5,
      empty: [],
      own: "hunter2",
    });
  });
});
