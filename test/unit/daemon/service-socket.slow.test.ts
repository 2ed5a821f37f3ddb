import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { PROTOCOL_VERSION } from "../../../src/daemon/service-protocol.ts";
import {
  dispatchRequest,
  GUARD,
  idleRig,
  LineClient,
  preToolUse,
  serviceRig,
} from "./service-rig.ts";
import type { ServiceRig } from "./service-rig.ts";

/** Only what never happens is to reach it. */
const PATIENCE = { timeout: 60_000 };

describe("socket service: requests", () => {
  test("socket and pid file are accessible to the user only", async () => {
    const { address } = await serviceRig();
    expect(statSync(address.socket).mode & 0o777).toBe(0o600);
    expect(statSync(address.pid).mode & 0o777).toBe(0o600);
  });

  test("accepts an agent event as text or object, and a dispatch", async () => {
    const { address, key } = await serviceRig();
    const client = new LineClient(address.socket);
    const event = preToolUse("git push --force");
    client.send({ v: PROTOCOL_VERSION, key, host: "claude-code", event: JSON.stringify(event) });
    client.send({ v: PROTOCOL_VERSION, key, host: "claude-code", event, within_ms: 20_000 });
    client.send({
      v: PROTOCOL_VERSION,
      key,
      host: "claude-code",
      event: JSON.stringify(preToolUse("ls")),
    });
    client.send(dispatchRequest({ command: "x --force" }, { metadata: { m: 1 }, child: "kid" }));
    await expect.poll(() => client.answers.length, PATIENCE).toBe(4);
    const refused = {
      code: 0,
      output: { hookSpecificOutput: { permissionDecision: "deny" } },
      downgrades: [],
    };
    expect(client.answers[0]).toMatchObject(refused);
    expect(client.answers[1]).toEqual(client.answers[0]);
    expect(client.answers[2]?.["output"]).toBeUndefined();
    expect(client.answers[3]).toMatchObject({
      action: "abort",
      hook: "guard",
      reason: "no force",
      metadata: { m: 1 },
      trace: [],
    });
  });

  test("responses with an id come when ready, others in request order", async () => {
    const { address, key } = await serviceRig();
    const client = new LineClient(address.socket);
    client.send(
      dispatchRequest({ wait: 400, command: "first" }),
      dispatchRequest({ command: "second --force" }),
      dispatchRequest({ wait: 200 }, { id: "slow" }),
      dispatchRequest({ command: "--force" }, { id: 7 }),
      { v: PROTOCOL_VERSION, key, id: "bad" },
    );
    await expect.poll(() => client.answers.length, PATIENCE).toBe(5);
    const ids = client.answers.map(({ id }) => id);
    expect(ids.indexOf(7)).toBeLessThan(ids.indexOf("slow"));
    expect(client.answers.find(({ id }) => id === 7)).toMatchObject({ action: "abort" });
    expect(client.answers.find(({ id }) => id === "bad")).toHaveProperty("error");
    const inOrder = client.answers.filter(({ id }) => id === undefined);
    expect(inOrder.map(({ action }) => action)).toEqual(["continue", "abort"]);
  });

  test("a line may arrive in pieces and end with CR LF; blank lines are ignored", async () => {
    const { address } = await serviceRig();
    const client = new LineClient(address.socket);
    const text = `\n${JSON.stringify(dispatchRequest({ command: "é --force ✓" }))}\r\n\n`;
    for (const byte of Buffer.from(text)) {
      client.socket.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await expect.poll(() => client.answers.length, PATIENCE).toBe(1);
    expect(client.answers[0]).toMatchObject({
      action: "abort",
      payload: { args: { command: "é --force ✓" } },
    });
  });

  const wrong: readonly [name: string, line: (key: string) => unknown, why: RegExp][] = [
    ["not JSON", () => undefined, /not JSON/],
    ["a list", () => [], /must be a JSON object/],
    ["null", () => null, /must be a JSON object/],
    ["no version", (key) => ({ key, host: "codex", event: "{}" }), /^ORCS7014: v must be 1$/],
    [
      "another version",
      (key) => ({ v: 2, key, host: "codex", event: "{}" }),
      /^ORCS7014: v must be 1$/,
    ],
    ["another key", () => ({ v: 1, key: "x", host: "codex", event: "{}" }), /another config/],
    ["no key", () => ({ v: 1, host: "codex", event: "{}" }), /another config/],
    [
      "another host",
      (key) => ({ v: 1, key, host: "emacs", event: "{}" }),
      /^ORCS7014: host must be one of/,
    ],
    [
      "a host's name on the prototype",
      (key) => ({ v: 1, key, host: "toString" }),
      /^ORCS7014: host must/,
    ],
    ["no event", (key) => ({ v: 1, key, host: "codex" }), /^ORCS7014: event must be/],
    [
      "a list as event",
      (key) => ({ v: 1, key, host: "codex", event: [] }),
      /^ORCS7014: event must be/,
    ],
    [
      "no time",
      (key) => ({ v: 1, key, host: "codex", event: "{}", within_ms: 0 }),
      /^ORCS7014: within_ms must be/,
    ],
    [
      "a time as text",
      (key) => ({ v: 1, key, host: "codex", event: "{}", within_ms: "9" }),
      /^ORCS7014: within_ms must be/,
    ],
    ["neither host nor op", (key) => ({ v: 1, key }), /host must be one of/],
    ["an unknown op", () => ({ v: 1, op: "x" }), /^ORCS7014: unknown op "x"/],
    ["an op on the prototype", () => ({ v: 1, op: "toString" }), /^ORCS7014: unknown op/],
    ["an op that is no text", () => ({ v: 1, op: 1 }), /^ORCS7014: unknown op 1/],
    ["an op without a version", () => ({ op: "state" }), /^ORCS7015: v is undefined/],
    ["an op of another version", () => ({ v: 2, op: "state" }), /^ORCS7015: v is 2/],
    ["an unknown field", () => ({ v: 1, op: "state", x: 1, y: 2 }), /unknown field x, y$/],
    ["no point", () => ({ v: 1, op: "dispatch", payload: {} }), /point must be a string/],
    ["an unknown point", () => ({ v: 1, op: "dispatch", point: "x.y", payload: {} }), /ORCS1005/],
    [
      "no payload",
      () => ({ v: 1, op: "dispatch", point: "tool.pre_execute" }),
      /payload must be an object/,
    ],
    [
      "a payload that does not fit",
      () => ({ v: 1, op: "dispatch", point: "tool.pre_execute", payload: { args: 1 } }),
      /ORCS2003/,
    ],
    ["no component", () => dispatchRequest({}, { component: "no-namespace" }), /ORCS1010/],
    ["a child that is none", () => dispatchRequest({}, { child: 1 }), /^ORCS7014: child must be/],
    [
      "metadata that is none",
      () => dispatchRequest({}, { metadata: [] }),
      /^ORCS7014: metadata must be/,
    ],
  ];

  test("an invalid request gets an error, and the next one is served", async () => {
    const { address, key } = await serviceRig();
    for (const [name, line, why] of wrong) {
      const client = new LineClient(address.socket);
      client.socket.write(`${JSON.stringify(line(key)) ?? "{nothing"}\n`);
      client.send(dispatchRequest({}));
      await expect.poll(() => client.answers.length, PATIENCE).toBe(2);
      expect(client.answers[0]?.error, name).toMatch(why);
      expect(client.answers[1]?.action, name).toBe("continue");
    }
  });

  test("an invalid or too long id is not echoed", async () => {
    const { address } = await serviceRig();
    const client = new LineClient(address.socket);
    for (const id of [{}, null, true, "x".repeat(257)]) {
      client.send(dispatchRequest({}, { id }));
    }
    await expect.poll(() => client.answers.length, PATIENCE).toBe(4);
    expect(client.answers.every((answer) => !("id" in answer))).toBe(true);
  });

  test("100 concurrent connections each get their own response", async () => {
    const { address } = await serviceRig();
    const clients = Array.from({ length: 100 }, (_, i) => {
      const client = new LineClient(address.socket);
      const command = i % 2 === 0 ? `${i} --force` : `${i}`;
      client.send(dispatchRequest({ command, wait: i % 7 }));
      return client;
    });
    await expect
      .poll(() => clients.every(({ answers }) => answers.length === 1), PATIENCE)
      .toBe(true);
    clients.forEach(({ answers }, i) => {
      expect(answers[0]).toMatchObject({
        action: i % 2 === 0 ? "abort" : "continue",
        payload: { args: { command: i % 2 === 0 ? `${i} --force` : `${i}` } },
      });
    });
  });

  test("2,000 requests on one connection exceed the concurrency limit and all complete", async () => {
    const { address } = await serviceRig();
    const client = new LineClient(address.socket);
    for (let i = 0; i < 2000; i++) client.send(dispatchRequest({ command: `${i}` }));
    await expect.poll(() => client.answers.length, PATIENCE).toBe(2000);
    const commands = client.answers.map(
      ({ payload }) => (payload as { args: { command: string } }).args.command,
    );
    expect(commands).toEqual(commands.map((_, i) => `${i}`));
  });
});

describe("socket service: misbehaving clients", () => {
  test("a line that never ends is closed after a time", async () => {
    const { address } = await serviceRig({}, { times: { stall: 300 } });
    const client = new LineClient(address.socket);
    client.send(dispatchRequest({}));
    client.socket.write('{"v":1,');
    await expect.poll(() => client.isClosed, PATIENCE).toBe(true);
    expect(client.answers.map(({ action, error }) => action ?? error)).toEqual([
      "continue",
      "ORCS7017: a line was begun and not ended within 300 ms",
    ]);
  });

  test("a client that pauses between lines is kept", async () => {
    const { address } = await serviceRig({}, { times: { stall: 100 } });
    const client = new LineClient(address.socket);
    client.send(dispatchRequest({}));
    await new Promise((resolve) => setTimeout(resolve, 500));
    client.send(dispatchRequest({ wait: 300 }));
    await expect.poll(() => client.answers.length, PATIENCE).toBe(2);
    expect(client.answers.map(({ action }) => action)).toEqual(["continue", "continue"]);
  });

  test("a line that is too long gets an error", async () => {
    const { address } = await serviceRig({ "orcs.toml": "[engine]\nmax_payload_mb = 1\n" });
    const client = new LineClient(address.socket);
    client.send(dispatchRequest({ command: "x" }));
    const part = Buffer.alloc(2 ** 20, "x");
    for (let i = 0; i < 20; i++) client.socket.write(part);
    await expect.poll(() => client.isClosed, PATIENCE).toBe(true);
    expect(client.answers.map(({ action, error }) => action ?? error)).toEqual([
      "continue",
      `ORCS7017: a line has more than ${3 * 2 ** 20} bytes`,
    ]);
  });

  test("an event over max_payload_mb is denied, not declined", async () => {
    const { address, key } = await serviceRig({ "orcs.toml": "[engine]\nmax_payload_mb = 1\n" });
    const client = new LineClient(address.socket);
    const event = JSON.stringify(preToolUse('"'.repeat(600_000)));
    client.send({ v: PROTOCOL_VERSION, key, host: "claude-code", event });
    await expect.poll(() => client.answers.length, PATIENCE).toBe(1);
    expect(client.answers[0]).toMatchObject({
      output: { hookSpecificOutput: { permissionDecision: "deny" } },
    });
  });

  test("a half-closed client gets its response, but not for an incomplete line", async () => {
    const { address } = await serviceRig();
    const client = new LineClient(address.socket);
    client.send(dispatchRequest({ wait: 200, command: "--force" }));
    client.socket.end(JSON.stringify(dispatchRequest({})));
    await expect.poll(() => client.isClosed, PATIENCE).toBe(true);
    expect(client.answers.map(({ action, error }) => action ?? error)).toEqual([
      "abort",
      "ORCS7017: the last line was cut off",
    ]);
  });

  test("clients that disconnect do not affect others", async () => {
    const { address } = await serviceRig();
    for (let i = 0; i < 20; i++) {
      const gone = new LineClient(address.socket);
      gone.send(dispatchRequest({ wait: 50 }));
      setTimeout(() => gone.socket.destroy(), i);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
    const client = new LineClient(address.socket);
    client.send(dispatchRequest({}));
    await expect.poll(() => client.answers.length, PATIENCE).toBe(1);
  });
});

describe("socket service: stop", () => {
  test("received requests are completed, later ones are declined", async () => {
    const { address, daemon } = await serviceRig();
    const busy = new LineClient(address.socket);
    const quiet = new LineClient(address.socket);
    busy.send(dispatchRequest({ wait: 300, command: "--force" }));
    await expect.poll(() => busy.socket.bytesWritten > 0 && !quiet.socket.connecting).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const ended = daemon.stop();
    expect(() => statSync(address.socket)).toThrow("ENOENT");
    expect(() => statSync(address.pid)).toThrow("ENOENT");
    busy.send(dispatchRequest({}, { id: "late" }));
    await ended;
    await daemon.ended;
    await expect.poll(() => busy.isClosed && quiet.isClosed).toBe(true);
    expect(busy.answers.slice(0, 2)).toMatchObject([
      { id: "late", error: "ORCS7018: stopping" },
      { action: "abort" },
    ]);
    // Nobody is left to wonder whether a request was taken.
    expect(quiet.answers).toEqual([{ error: "ORCS7018: stopping" }]);
  });

  test("connected clients that have sent nothing are declined too", async () => {
    const { address, daemon } = await serviceRig();
    const clients = Array.from({ length: 50 }, () => new LineClient(address.socket));
    const ended = daemon.stop();
    for (const client of clients) client.send(dispatchRequest({}));
    await ended;
    await expect.poll(() => clients.every(({ isClosed }) => isClosed)).toBe(true);
    for (const { answers } of clients) {
      expect(answers[0]?.error ?? answers[0]?.action).toMatch(/^(ORCS7018: stopping|continue)$/);
    }
  });

  test("a hook that does not finish in time is denied", async () => {
    const { address, key, daemon } = await serviceRig({}, { times: { stop: 700 } });
    const client = new LineClient(address.socket);
    const tool_input = { command: "x", wait: 60_000 };
    client.send({ v: 1, key, host: "claude-code", event: preToolUse("x", { tool_input }) });
    await new Promise((resolve) => setTimeout(resolve, 200));
    const began = performance.now();
    await daemon.stop();
    expect(performance.now() - began).toBeLessThan(4000);
    await expect.poll(() => client.isClosed).toBe(true);
    expect(client.answers).toHaveLength(1);
    expect(client.answers[0]).toMatchObject({
      output: { hookSpecificOutput: { permissionDecision: "deny" } },
    });
  });

  test("abort denies pending requests", async () => {
    const { address, key, daemon } = await serviceRig();
    const client = new LineClient(address.socket);
    const tool_input = { command: "x", wait: 60_000 };
    client.send({ v: 1, key, host: "claude-code", event: preToolUse("x", { tool_input }) });
    await new Promise((resolve) => setTimeout(resolve, 200));
    await daemon.abort("a fault");
    await expect.poll(() => client.isClosed).toBe(true);
    expect(JSON.stringify(client.answers[0])).toContain("ORCS7002: a fault");
    expect(client.answers[0]).toMatchObject({
      output: { hookSpecificOutput: { permissionDecision: "deny" } },
    });
  });

  test("stop works before start, and twice", async () => {
    const { daemon } = idleRig();
    await Promise.all([daemon.stop(), daemon.stop(), daemon.ended]);
  });

  describe("when idle", () => {
    const HALF = `${GUARD}\n[serve]\nidle_minutes = 0.5\n`;
    // Time passes when the test says so, however long the machine takes.
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ["performance"] });
      onTestFinished(() => void vi.useRealTimers());
    });
    const pass = async (seconds: number): Promise<void> => {
      vi.advanceTimersByTime(seconds * 1000);
      // It looks every 20 ms.
      await new Promise((resolve) => setTimeout(resolve, 200));
    };
    const started = (isBackground: boolean) =>
      serviceRig({ "orcs.toml": HALF }, { isBackground, times: { tick: 20 } });
    const isThere = ({ address }: ServiceRig): boolean => existsSync(address.socket);

    test("a background service ends, another stays", async () => {
      const [stays, left] = [await started(false), await started(true)];
      for (let i = 0; i < 3; i++) {
        const client = new LineClient(left.address.socket);
        client.send(dispatchRequest({}));
        await expect.poll(() => client.answers.length, PATIENCE).toBe(1);
        await pass(29);
        expect(isThere(left)).toBe(true);
      }
      await pass(2);
      await left.daemon.ended;
      expect(left.logger.lines).toContain(
        "info: there was no request for 0.5 minutes: this service exits",
      );
      expect([isThere(left), isThere(stays)]).toEqual([false, true]);
    });

    test("a running request counts as activity", async () => {
      const rig = await started(true);
      const client = new LineClient(rig.address.socket);
      client.send(dispatchRequest({ command: "first" }));
      await expect.poll(() => client.answers.length, PATIENCE).toBe(1);
      client.send(dispatchRequest({ wait: 2500, command: "--force" }));
      await expect.poll(() => client.socket.writableLength, PATIENCE).toBe(0);
      await new Promise((resolve) => setTimeout(resolve, 600));
      await pass(31);
      expect(isThere(rig)).toBe(true);
      await expect.poll(() => client.answers.length, PATIENCE).toBe(2);
      expect(client.answers[1]).toMatchObject({ action: "abort" });
      await pass(31);
      await rig.daemon.ended;
    });
  });

  test("ends when the pid file has another pid, and leaves the files", async () => {
    const { address, daemon } = await serviceRig({}, { times: { tick: 50 } });
    writeFileSync(address.pid, "1\n");
    await daemon.ended;
    expect(() => statSync(address.socket)).not.toThrow();
    expect(() => statSync(address.pid)).not.toThrow();
  });
});

describe("socket service: configurations", () => {
  test("an invalid configuration is served with denials until it is fixed", async () => {
    const { address, key, dir, logger } = await serviceRig({ "orcs.toml": "[[hooks]]\n" });
    expect(logger.lines.join("\n")).toContain("error: all calls are denied: ORCS1015");
    const client = new LineClient(address.socket);
    const ask = () =>
      client.send({ v: 1, key, host: "claude-code", event: preToolUse("git status") });
    ask();
    await expect.poll(() => client.answers.length, PATIENCE).toBe(1);
    expect(JSON.stringify(client.answers[0])).toMatch(/deny.*ORCS1015/);
    writeFileSync(join(dir, "orcs.toml"), GUARD);
    await expect
      .poll(() => {
        ask();
        return client.answers.at(-1)?.["code"] === 0 && client.answers.at(-1)?.["output"];
      }, PATIENCE)
      .toBeUndefined();
  });

  test("changes, also of settings read at start, apply to the next requests", async () => {
    const { address, dir, logger } = await serviceRig();
    const client = new LineClient(address.socket);
    const reason = async (): Promise<unknown> => {
      const before = client.answers.length;
      client.send(dispatchRequest({ command: "--force" }));
      await expect.poll(() => client.answers.length, PATIENCE).toBe(before + 1);
      return client.answers.at(-1)?.["reason"];
    };
    expect(await reason()).toBe("no force");
    const changed = GUARD.replace("no force", "not at all");
    writeFileSync(join(dir, "orcs.toml"), changed);
    await expect.poll(reason, PATIENCE).toBe("not at all");
    // A chain that fails is passed over from now on.
    const open = `${changed.replace('return orcs.deny("not at all")', "error('x')")}
[engine]
on_error = "open"
`;
    writeFileSync(join(dir, "orcs.toml"), open);
    await expect.poll(reason, PATIENCE).toBeUndefined();
    expect(logger.lines.join("\n")).toContain("the changed settings are active");
  });
});
