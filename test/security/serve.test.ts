import {
  chmodSync,
  chownSync,
  mkdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { OrcsError } from "../../src/core/errors.ts";
import { configPlace } from "../../src/config/trust/config-place.ts";
import { serviceAddress } from "../../src/daemon/address.ts";
import { folder } from "../unit/engine/orcs/engine.ts";
import {
  http,
  httpOf,
  LineClient,
  dispatchRequest,
  preToolUse,
  serviceRig,
} from "../unit/daemon/service-rig.ts";
import type { ServiceRig } from "../unit/daemon/service-rig.ts";

const httpRig = (times = {}): Promise<ServiceRig> => serviceRig({}, { port: 0, times });
const event = JSON.stringify(preToolUse("ls"));

/** What a browser adds to requests of pages, as the fetch standard says. */
const PAGES: readonly [name: string, headers: Record<string, string>][] = [
  ["a form", { origin: "http://evil.example", "content-type": "text/plain" }],
  ["a form of a file", { origin: "null", "content-type": "text/plain" }],
  ["fetch without CORS", { "sec-fetch-site": "cross-site", "content-type": "text/plain" }],
  ["fetch with CORS", { origin: "http://evil.example", "sec-fetch-site": "cross-site" }],
  ["a page on another port", { origin: "http://localhost:3000", "sec-fetch-site": "same-site" }],
  ["an image", { "sec-fetch-site": "cross-site", "sec-fetch-dest": "image" }],
  ["a web socket", { origin: "http://evil.example", upgrade: "websocket", connection: "upgrade" }],
];

describe("requests from web pages are rejected, with and without the token", () => {
  test.each(PAGES)("%s", async (_, headers) => {
    const rig = await httpRig();
    for (const path of ["/healthz", "/metrics", "/hooks/claude-code", "/v1/dispatch"]) {
      for (const method of ["GET", "POST", "OPTIONS"]) {
        for (const more of [{}, { token: undefined }]) {
          const reply = await http(rig, path, { method, headers, ...more });
          expect({ path, method, status: reply.status }).toEqual({ path, method, status: 403 });
          expect(Object.keys(reply.headers).filter((name) => name.startsWith("access-"))).toEqual(
            [],
          );
        }
      }
    }
    expect((await http(rig, "/metrics", { method: "GET" })).body).not.toContain(
      "host_events_total{",
    );
  });

  test("DNS rebinding: a foreign Host header is rejected", async () => {
    const rig = await httpRig();
    const { port } = httpOf(rig);
    const names = [
      "evil.example",
      `evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      `localhost.evil.example:${port}`,
      `localhost.:${port}`,
      `127.0.0.1:${port}@evil.example`,
      `0.0.0.0:${port}`,
      `127.1:${port}`,
      `[::1]:${port}`,
      `127.0.0.1:${port} `.padEnd(40, "x"),
      `localhost:${port + 1}`,
      "localhost",
    ];
    for (const host of names) {
      const reply = await http(rig, "/hooks/claude-code", { headers: { host }, body: event });
      expect({ host, status: reply.status }).toEqual({ host, status: 403 });
    }
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
      const reply = await http(rig, "/hooks/claude-code", { headers: { host }, body: event });
      expect(reply.status).toBe(200);
    }
  });
});

describe("the HTTP token", () => {
  test("only the exact token is accepted", async () => {
    const rig = await httpRig();
    const { token } = httpOf(rig);
    const wrong = [
      "",
      "x",
      token.slice(0, -1),
      `${token}x`,
      token.toLowerCase(),
      `${token} ${token}`,
      "undefined",
      "x".repeat(8000),
    ];
    for (const given of wrong) {
      const reply = await http(rig, "/hooks/claude-code", { token: given, body: event });
      expect({ given, status: reply.status }).toEqual({ given, status: 401 });
      expect(reply.body).not.toContain(token);
    }
    const twice = { authorization: [`Bearer ${token}`, "Bearer x"] };
    const reply = await http(rig, "/hooks/claude-code", { headers: twice, body: event });
    expect([200, 401]).toContain(reply.status);
    // Not where it would get into logs.
    const query = `/hooks/claude-code?token=${token}&access_token=${token}`;
    expect((await http(rig, query, { token: undefined, body: event })).status).toBe(401);
  });

  test("appears only in its file", async () => {
    const rig = await httpRig();
    const { token } = httpOf(rig);
    const replies = await Promise.all([
      http(rig, "/healthz", { method: "GET" }),
      http(rig, "/metrics", { method: "GET" }),
      http(rig, "/x"),
      http(rig, "/hooks/claude-code", { body: "{" }),
    ]);
    expect(JSON.stringify(replies)).not.toContain(token);
    expect(rig.logger.lines.join("\n")).not.toContain(token);
  });

  test("is not written to an existing file placed in wait", async () => {
    const dir = folder();
    const bait = join(dir, "bait");
    writeFileSync(bait, "before", { mode: 0o644 });
    const address = {
      folder: dir,
      socket: join(dir, "s.sock"),
      entry: join(dir, "s.hook"),
      pid: join(dir, "s.pid"),
      lock: join(dir, "s.lock"),
      wellKnown: join(dir, "s.json"),
      log: join(dir, "s.log"),
    };
    symlinkSync(bait, address.wellKnown);
    const rig = await serviceRig({}, { port: 0, address });
    expect(statSync(bait).size).toBe(6);
    expect(statSync(address.wellKnown).mode & 0o777).toBe(0o600);
    expect(httpOf(rig).port).toBe(rig.daemon.port);
  });

  test("the service listens on loopback only", async () => {
    const { networkInterfaces } = await import("node:os");
    const rig = await httpRig();
    const others = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .filter(({ internal, family }) => !internal && family === "IPv4");
    for (const { address } of others) {
      await expect(
        new Promise((resolve, reject) => {
          const socket = connect(rig.daemon.port ?? 0, address, () => resolve("open"));
          socket.setTimeout(2000, () => socket.destroy(new Error("no answer")));
          socket.on("error", reject);
        }),
      ).rejects.toThrow();
    }
    expect(rig.daemon.port).toBeGreaterThan(0);
  });
});

describe("large and slow requests", () => {
  test("20 MB with and without the token are rejected, and the next request is served", async () => {
    const rig = await httpRig();
    const body = Buffer.alloc(20 * 2 ** 20, "[");
    expect((await http(rig, "/v1/dispatch", { body })).status).toBe(413);
    // A host would go on at 413.
    const refused = await http(rig, "/hooks/claude-code", { body });
    expect(refused.status).toBe(200);
    expect(JSON.parse(refused.body)).toMatchObject({ decision: "block" });
    const outsider = await http(rig, "/hooks/claude-code", { body, token: "x" }).catch(
      (error: NodeJS.ErrnoException) => error.code,
    );
    expect(typeof outsider === "string" || outsider?.status === 401).toBe(true);
    expect((await http(rig, "/hooks/claude-code", { body: event })).status).toBe(200);
  });

  test("a large Content-Length is rejected without reading", async () => {
    const rig = await httpRig();
    const headers = { "content-length": String(2 ** 40) };
    const began = performance.now();
    const reply = await http(rig, "/v1/dispatch", { headers, body: "x" });
    expect(reply.status).toBe(413);
    expect(performance.now() - began).toBeLessThan(5000);
  });

  test("100 slow requests do not block others, and are closed", async () => {
    const rig = await httpRig({ stall: 1500 });
    const { port, token } = httpOf(rig);
    const head = `POST /hooks/claude-code HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX: `;
    const slow = Array.from({ length: 100 }, () => {
      const socket = connect(port, "127.0.0.1", () => socket.write(head));
      const drip = setInterval(() => socket.write("a"), 100);
      socket.on("error", () => undefined);
      return new Promise<void>((resolve) => {
        socket.on("close", () => {
          clearInterval(drip);
          resolve();
        });
        socket.resume();
      });
    });
    expect((await http(rig, "/hooks/claude-code", { body: event, token })).status).toBe(200);
    await Promise.all(slow);
  });

  test("100 partial lines on the socket do not block others, and are closed", async () => {
    const { address } = await serviceRig({}, { times: { stall: 1000 } });
    const slow = Array.from({ length: 100 }, () => {
      const client = new LineClient(address.socket);
      client.socket.write('{"v":1,"key":');
      return client;
    });
    const client = new LineClient(address.socket);
    client.send(dispatchRequest({ command: "--force" }));
    await expect.poll(() => client.answers.length, { timeout: 5000 }).toBe(1);
    await expect.poll(() => slow.every(({ isClosed }) => isClosed), { timeout: 15_000 }).toBe(true);
  });
});

test("names in a request cannot reach a prototype", async () => {
  const { address } = await serviceRig();
  const client = new LineClient(address.socket);
  const text = JSON.stringify(dispatchRequest({ command: "x" }));
  const poison =
    '"__proto__":{"polluted":1,"host":"codex"},"constructor":{"prototype":{"polluted":1}}';
  client.socket.write(`${text.replace("{", `{${poison},`)}\n`);
  client.socket.write(`${text.replace('"args":{', `"args":{${poison},`)}\n`);
  await expect.poll(() => client.answers.length, { timeout: 10_000 }).toBe(2);
  expect(client.answers).toMatchObject([
    { error: expect.stringMatching(/^ORCS7014: unknown field __proto__, constructor/) },
    { action: "continue" },
  ]);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

describe("the socket folder", () => {
  const at = (run: string): unknown => {
    const before = process.env["XDG_RUNTIME_DIR"];
    process.env["XDG_RUNTIME_DIR"] = run;
    try {
      return serviceAddress(configPlace(folder({ "orcs.toml": "" }), "orcs.toml")).folder;
    } catch (thrown) {
      return thrown instanceof OrcsError ? thrown.code : thrown;
    } finally {
      if (before === undefined) delete process.env["XDG_RUNTIME_DIR"];
      else process.env["XDG_RUNTIME_DIR"] = before;
    }
  };

  test("is created accessible to the user only", () => {
    const run = folder();
    expect(at(run)).toBe(join(run, "orcs"));
    expect(statSync(join(run, "orcs")).mode & 0o777).toBe(0o700);
    expect(at(run)).toBe(join(run, "orcs"));
  });

  test.each([0o710, 0o720, 0o740, 0o701, 0o702, 0o704, 0o777])(
    "open to others is rejected: %o",
    (mode) => {
      const run = folder();
      mkdirSync(join(run, "orcs"));
      chmodSync(join(run, "orcs"), mode);
      expect(at(run)).toBe("ORCS7006");
    },
  );

  test("as a symlink is rejected", () => {
    const run = folder();
    mkdirSync(join(run, "real"), { mode: 0o700 });
    symlinkSync(join(run, "real"), join(run, "orcs"));
    expect(at(run)).toBe("ORCS7006");
  });

  test.runIf(process.getuid?.() === 0)("owned by another user is rejected", () => {
    const run = folder();
    mkdirSync(join(run, "orcs"), { mode: 0o700 });
    chownSync(join(run, "orcs"), 65_534, 65_534);
    expect(at(run)).toBe("ORCS7006");
    renameSync(join(run, "orcs"), join(run, "theirs"));
    expect(at(run)).toBe(join(run, "orcs"));
  });
});
