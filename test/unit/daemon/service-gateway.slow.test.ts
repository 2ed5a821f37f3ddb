import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { OrcsError } from "../../../src/core/errors.ts";
import type { HostName } from "../../../src/core/hosts.ts";
import type { HostProtocol } from "../../../src/formats/host-protocol.ts";
import { Gateway } from "../../../src/daemon/agent-gateway.ts";
import type { GatewayListener } from "../../../src/daemon/agent-gateway.ts";
import { errorOf, folder, Lines } from "../engine/orcs/engine.ts";
import { GUARD } from "./service-rig.ts";

const stub = vi.hoisted(() => ({ protocol: undefined as unknown }));
vi.mock("../../../src/formats/hosts.ts", async (original) => {
  const actual = await original<typeof import("../../../src/formats/hosts.ts")>();
  const { codex, gemini } = actual.HOSTS;
  const damaged = () => Promise.reject(new Error("its file is damaged"));
  return {
    ...actual,
    HOSTS: {
      ...actual.HOSTS,
      codex: { ...codex, load: async () => stub.protocol },
      gemini: { ...gemini, load: damaged },
    },
  };
});

const REFUSED = { output: { no: true }, code: 0, downgrades: [] };

/** A host that says what the chain came to. */
function protocol(more: Partial<HostProtocol> = {}): HostProtocol {
  return {
    name: "codex",
    fields: { settable: [], own: [], unsent: [] },
    events: {},
    decode: (event) => ({
      event: "Tool",
      point: "tool.pre_execute",
      payload: { tool_name: "exec", args: event["args"] ?? {} },
      component: "agent::codex",
      child: undefined,
      timeoutMs: 30_000,
    }),
    encode: (_, { action }) => ({ output: { action }, code: 0, downgrades: [] }),
    noticeAt: () => "stderr",
    sample: () => ({}),
    refuse: (event, reason) => ({ ...REFUSED, output: { event: event ?? null, reason } }),
    ...more,
  };
}

beforeEach(() => {
  stub.protocol = protocol();
});

function gateway(toml = GUARD, listener: GatewayListener = {}) {
  const logger = new Lines();
  const dir = folder({ "orcs.toml": toml });
  const made = new Gateway({ cwd: dir, config: "orcs.toml" }, logger, listener);
  onTestFinished(() => made.close());
  return { gateway: made, logger, dir };
}

const event = (args: object): string => JSON.stringify({ hook_event_name: "Tool", args });

describe("the gateway denies an event when", () => {
  test.each([
    [
      "decode throws an error of ours",
      { decode: fail(new OrcsError("ORCS7001", "it is none")) },
      "ORCS7001: it is none",
    ],
    [
      "decode throws another",
      { decode: fail(new TypeError("x of undefined")) },
      "orcs failed: x of undefined",
    ],
    ["encode throws", { encode: fail(new Error("no words")) }, "orcs failed: no words"],
    [
      "encode throws no error",
      { encode: fail(null) },
      "orcs failed: a value that is not an Error was thrown",
    ],
  ])("%s", async (_, more, reason) => {
    stub.protocol = protocol(more);
    const { gateway: asked, logger } = gateway();
    expect(await asked.answer("codex", event({}))).toMatchObject({
      output: { event: "Tool", reason },
    });
    expect(logger.lines).toContain(`error: ${reason}`);
  });

  test("the protocol's refuse throws as well: exit code 2 remains", async () => {
    stub.protocol = protocol({ decode: fail(new Error("a")), refuse: fail(new Error("b")) });
    const { gateway: asked } = gateway();
    expect(await asked.answer("codex", event({}))).toEqual({
      output: undefined,
      message: "orcs failed: a",
      code: 2,
      downgrades: [],
    });
  });

  test.each(["gemini", "emacs", "constructor"])(
    "the protocol cannot be loaded: %s",
    async (host) => {
      const { gateway: asked } = gateway();
      const answer = await asked.answer(host as HostName, event({}));
      expect(answer).toMatchObject({ output: undefined, code: 2 });
      expect(answer.message).toMatch(/^orcs failed: /);
    },
  );

  test.each([
    "{",
    "[]",
    "",
    " \n\n",
    "null",
    '{"a":1e999}',
    '"Tool"',
    '{"hook_event_name": "Tool", "tool_na',
    '{"hook_event_name":"Tool"}{"hook_event_name":"Tool"}',
  ])("the event is %s", async (text) => {
    const { gateway: asked } = gateway();
    expect(await asked.answer("codex", text)).toMatchObject({
      output: { event: null, reason: expect.stringContaining("ORCS7001: the event of codex ") },
    });
  });

  test.each([
    ["nested too deep", `"a":${"[".repeat(40)}${"]".repeat(40)}`],
    ["with a number beyond all", '"a":1e999'],
  ])("the event has a name but is invalid, %s: in that event's format", async (_, rest) => {
    const { gateway: asked } = gateway();
    expect(await asked.answer("codex", `{"hook_event_name":"Stop",${rest}}`)).toMatchObject({
      output: { event: "Stop", reason: expect.stringContaining("ORCS7001") },
    });
  });

  test("the payload is invalid for its point", async () => {
    const { gateway: asked } = gateway();
    expect(await asked.answer("codex", '{"args":1}')).toMatchObject({
      output: { reason: expect.stringContaining("ORCS2003") },
    });
  });

  test("the gateway is closed", async () => {
    const { gateway: asked } = gateway();
    await asked.close();
    expect(await asked.answer("codex", event({}))).toMatchObject({
      output: { reason: expect.stringContaining("ORCS2006") },
    });
  });
});

describe("gateway timeouts", () => {
  test.each([
    ["the caller's", 400, 30_000],
    ["the event's", undefined, 400],
    ["the caller's, not the event's own,", 400, 200],
  ])(
    "a chain that takes longer than %s timeout is denied and leaves nothing running",
    async (_, within, ms) => {
      stub.protocol = protocol({
        decode: (read) => ({ ...protocol().decode(read), timeoutMs: ms }),
      });
      const { gateway: asked } = gateway();
      await asked.engine();
      const began = performance.now();
      const answer = await asked.answer("codex", event({ wait: 1500 }), within);
      expect(performance.now() - began).toBeGreaterThan(350);
      expect(performance.now() - began).toBeLessThan(1400);
      expect(answer).toMatchObject({
        output: {
          reason: expect.stringMatching(
            /^ORCS7002: hook guard took longer than the 360 ms that the agent's time limit leaves/,
          ),
        },
      });
      // What it comes to in the end is nobody's any more.
      await new Promise((resolve) => setTimeout(resolve, 1500));
      expect(await asked.answer("codex", event({}))).toMatchObject({
        output: { action: "continue" },
      });
    },
  );

  test("a denial because of it is in the audit log", async () => {
    const dir = folder({ "orcs.toml": GUARD });
    const auditDir = join(dir, "log");
    const asked = new Gateway({ cwd: dir, config: "orcs.toml", auditDir }, new Lines());
    onTestFinished(() => asked.close());
    await asked.engine();
    const answer = await asked.answer("codex", event({ wait: 60_000 }), 400);
    expect(JSON.stringify(answer)).toContain("ORCS7002");
    const text = readFileSync(join(auditDir, "audit.jsonl"), "utf8").trimEnd();
    expect(text.split("\n").map((line) => JSON.parse(line) as object)).toMatchObject([
      { kind: "refused", host: "codex", event: "Tool", action: "abort" },
    ]);
  });

  test("an infinite timeout is ignored", async () => {
    const { gateway: asked } = gateway();
    stub.protocol = protocol({
      decode: (read) => ({ ...protocol().decode(read), timeoutMs: Infinity }),
    });
    expect(await asked.answer("codex", event({ wait: 50 }), 2 ** 40)).toMatchObject({
      output: { action: "continue" },
    });
  });

  test("giveUp denies all pending events and no later ones", async () => {
    const { gateway: asked } = gateway();
    await asked.engine();
    const waiting = [1, 2, 3].map(() => asked.answer("codex", event({ wait: 20_000 })));
    const dispatched = errorOf(
      asked.withEngine((orcs) =>
        orcs.dispatch("tool.pre_execute", { tool_name: "x", args: { wait: 20_000 } }),
      ),
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    asked.giveUp("enough");
    for (const answer of await Promise.all(waiting)) {
      expect(answer).toMatchObject({ output: { reason: "ORCS7002: enough" } });
    }
    expect(await dispatched).toMatchObject({ code: "ORCS7002" });
    expect(await asked.answer("codex", event({}))).toMatchObject({
      output: { action: "continue" },
    });
  });
});

test("the gateway emits each response with the downgrades", async () => {
  const told: unknown[] = [];
  stub.protocol = protocol({
    encode: () => ({ output: undefined, code: 0, downgrades: ["it cannot ask"] }),
  });
  const { gateway: asked, logger } = gateway(GUARD, {
    answered: (host, { downgrades }, ms) => told.push([host, downgrades.length, ms > 0]),
    opened: () => told.push("opened"),
  });
  await asked.answer("codex", event({}));
  await asked.answer("codex", "{");
  expect(told).toEqual(["opened", ["codex", 1, true], ["codex", 0, true]]);
  expect(logger.lines).toContain("warn: Tool: it cannot ask");
});

describe("a denial without a loaded engine", () => {
  const broken = "[[hooks]]\n";
  const said = (dir: string): object => {
    const [line = ""] = readFileSync(join(dir, "audit.jsonl"), "utf8").split("\n");
    return JSON.parse(line) as object;
  };

  test("is written to the audit log, masked, before the response", async () => {
    const dir = folder({ "orcs.toml": 'x = { password = "tr0ub4dor" "y" }\n' });
    const auditDir = join(dir, "log");
    const asked = new Gateway({ cwd: dir, config: "orcs.toml", auditDir }, new Lines());
    onTestFinished(() => asked.close());
    const answer = await asked.answer("codex", event({}));
    expect(answer).toMatchObject({ output: { reason: expect.stringContaining("ORCS1015") } });
    expect(said(auditDir)).toMatchObject({
      kind: "refused",
      host: "codex",
      event: "Tool",
      action: "abort",
      reason: expect.stringMatching(/ORCS1015/),
    });
    // The line that is wrong is shown; the host hands it to its model.
    expect(JSON.stringify([said(auditDir), answer])).not.toContain("tr0ub4dor");
    expect(JSON.stringify(answer)).toContain("password");
  });

  test("is returned even if the audit log cannot be written", async () => {
    const dir = folder({ "orcs.toml": broken, log: "a file" });
    const logger = new Lines();
    const options = { cwd: dir, config: "orcs.toml", auditDir: join(dir, "log") };
    const asked = new Gateway(options, logger);
    onTestFinished(() => asked.close());
    const answer = await asked.answer("codex", event({}));
    expect(answer).toMatchObject({ output: { reason: expect.stringContaining("ORCS1015") } });
    expect(logger.lines).toContainEqual(expect.stringContaining("ORCS8005"));
  });

  test("is not logged without an audit log", async () => {
    const dir = folder({ "orcs.toml": broken });
    const asked = new Gateway({ cwd: dir, config: "orcs.toml" }, new Lines());
    onTestFinished(() => asked.close());
    await asked.answer("codex", event({}));
    expect(readdirSync(dir)).toEqual(["orcs.toml"]);
  });
});

describe("the gateway's engine", () => {
  test("an invalid configuration is retried at most once a second", async () => {
    const { gateway: asked, dir } = gateway("[[hooks]]\n");
    const answers = await Promise.all([1, 2, 3].map(() => asked.answer("codex", event({}))));
    for (const answer of answers) {
      expect(answer).toMatchObject({ output: { reason: expect.stringContaining("ORCS1015") } });
    }
    writeFileSync(join(dir, "orcs.toml"), GUARD);
    // It was read a moment ago.
    expect(await asked.answer("codex", event({}))).toHaveProperty("output.reason");
    await expect
      .poll(() => asked.answer("codex", event({ command: "--force" })), { timeout: 10_000 })
      .toMatchObject({ output: { action: "abort" } });
  });

  test("pending calls finish on the old engine while it is replaced", async () => {
    const logger = new Lines();
    const dir = folder({ "orcs.toml": GUARD });
    const asked = new Gateway({ cwd: dir, config: "orcs.toml", watch: true }, logger);
    onTestFinished(() => asked.close());
    const before = await asked.engine();
    const slow = asked.answer("codex", event({ wait: 2500, command: "--force" }));
    writeFileSync(join(dir, "orcs.toml"), `${GUARD}\n[engine]\nmax_depth = 7\n`);
    const depth = async (): Promise<number> => (await asked.engine()).settings.engine.max_depth;
    await expect.poll(depth, { timeout: 10_000 }).toBe(7);
    expect(before.settings.engine.max_depth).toBe(4);
    expect(await slow).toMatchObject({ output: { action: "abort" } });
    // Then nobody needs it.
    await expect
      .poll(() =>
        errorOf(() => before.hook({ point: "tool.pre_execute", handler: () => undefined })),
      )
      .toMatchObject({ code: "ORCS2006" });
    expect(await asked.answer("codex", event({ command: "--force" }))).toMatchObject({
      output: { action: "abort" },
    });
  });
});

function fail(thrown: unknown) {
  return (): never => {
    throw thrown;
  };
}
