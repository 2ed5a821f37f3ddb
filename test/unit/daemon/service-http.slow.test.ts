import { statSync } from "node:fs";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { HTTP_ERRORS } from "../../../src/daemon/service/http-requests.ts";
import { GUARD, http, httpOf, preToolUse, serviceRig } from "./service-rig.ts";
import type { ServiceRig } from "./service-rig.ts";

const dispatch = (args: object): string =>
  JSON.stringify({ point: "tool.pre_execute", payload: { tool_name: "exec", args } });
const JSON_TYPE = "application/json; charset=utf-8";

/** Everything that a request can be answered with, and why. */
const TABLE: readonly [
  name: string,
  path: string,
  request: NonNullable<Parameters<typeof http>[2]>,
  status: number,
  code?: string,
][] = [
  ["a dispatch", "/v1/dispatch", { body: dispatch({}) }, 200],
  [
    "by its alias",
    "/v1/dispatch?x=1",
    { body: JSON.stringify({ point: "PreToolUse", payload: { tool_name: "x", args: {} } }) },
    200,
  ],
  ["an event", "/hooks/claude-code", { body: JSON.stringify(preToolUse("ls")) }, 200],
  ["an event that is none", "/hooks/claude-code", { body: "{}" }, 200],
  ["an event that is no JSON", "/hooks/claude-code", { body: "{" }, 200],
  ["an event that is not UTF-8", "/hooks/codex", { body: Buffer.from([0xff]) }, 200],
  ["no event", "/hooks/cursor", {}, 200],
  ["health", "/healthz", { method: "GET", token: undefined }, 200],
  ["metrics", "/metrics", { method: "GET" }, 200],
  ["not JSON", "/v1/dispatch", { body: "{" }, 400, "bad_request"],
  ["not UTF-8", "/v1/dispatch", { body: Buffer.from([0xff]) }, 400, "bad_request"],
  ["a list", "/v1/dispatch", { body: "[]" }, 400, "bad_request"],
  ["nothing", "/v1/dispatch", {}, 400, "bad_request"],
  ["no payload", "/v1/dispatch", { body: "{}" }, 400, "ORCS7014"],
  [
    "a payload that does not fit",
    "/v1/dispatch",
    { body: JSON.stringify({ point: "tool.pre_execute", payload: { args: 1 } }) },
    400,
    "ORCS2003",
  ],
  [
    "a component that is none",
    "/v1/dispatch",
    {
      body: JSON.stringify({
        point: "tool.pre_execute",
        payload: { tool_name: "x", args: {} },
        component: "x",
      }),
    },
    400,
    "ORCS1010",
  ],
  [
    "deep nesting",
    "/v1/dispatch",
    { body: `{"payload":${'{"a":'.repeat(5000)}1${"}".repeat(5000)}}` },
    400,
    "bad_request",
  ],
  ["no token", "/v1/dispatch", { token: undefined }, 401, "unauthorized"],
  ["a wrong token", "/metrics", { method: "GET", token: "x" }, 401, "unauthorized"],
  ["an empty token", "/metrics", { method: "GET", token: "" }, 401, "unauthorized"],
  [
    "another scheme",
    "/metrics",
    { method: "GET", headers: { authorization: "Basic eA==" } },
    401,
    "unauthorized",
  ],
  ["an unknown path, without a token", "/x", { token: undefined }, 401, "unauthorized"],
  ["another name", "/metrics", { headers: { host: "evil.example" } }, 403, "forbidden_host"],
  ["another port", "/metrics", { headers: { host: "localhost:1" } }, 403, "forbidden_host"],
  ["no port", "/metrics", { headers: { host: "127.0.0.1" } }, 403, "forbidden_host"],
  [
    "a page",
    "/healthz",
    { method: "GET", headers: { origin: "http://localhost" } },
    403,
    "forbidden_origin",
  ],
  ["a page of no origin", "/metrics", { headers: { origin: "null" } }, 403, "forbidden_origin"],
  [
    "a page that hides it",
    "/metrics",
    { headers: { "sec-fetch-site": "cross-site" } },
    403,
    "forbidden_origin",
  ],
  [
    "its own page",
    "/metrics",
    { headers: { "sec-fetch-site": "same-origin" } },
    403,
    "forbidden_origin",
  ],
  [
    "what a person types",
    "/metrics",
    { method: "GET", headers: { "sec-fetch-site": "none" } },
    200,
  ],
  ["a preflight", "/hooks/codex", { method: "OPTIONS", token: undefined }, 401, "unauthorized"],
  ["another path", "/", {}, 404, "not_found"],
  ["a path below", "/hooks/codex/x", {}, 404, "not_found"],
  ["a path with dots", "/healthz/../metrics", {}, 404, "not_found"],
  ["an unknown host", "/hooks/emacs", { body: "{}" }, 404, "not_found"],
  ["a host of the prototype", "/hooks/constructor", { body: "{}" }, 404, "not_found"],
  [
    "an unknown point",
    "/v1/dispatch",
    { body: JSON.stringify({ point: "x.y", payload: {} }) },
    404,
    "ORCS1005",
  ],
  ["an unknown operation", "/v1/x", { body: "{}" }, 404, "not_found"],
  ["another version", "/v2/dispatch", { body: dispatch({}) }, 404, "not_found"],
  ["events by POST", "/v1/events", { body: "{}" }, 404, "not_found"],
  ["GET of a hook", "/hooks/codex", { method: "GET" }, 405, "method_not_allowed"],
  ["POST of metrics", "/metrics", {}, 405, "method_not_allowed"],
  ["PUT", "/v1/dispatch", { method: "PUT" }, 405, "method_not_allowed"],
  [
    "a body that is too large",
    "/v1/dispatch",
    { body: Buffer.alloc(20 * 2 ** 20, "x") },
    413,
    "payload_too_large",
  ],
  [
    "text",
    "/hooks/codex",
    { headers: { "content-type": "text/plain" }, body: "{}" },
    415,
    "unsupported_media_type",
  ],
  [
    "a form",
    "/v1/dispatch",
    { headers: { "content-type": "application/x-www-form-urlencoded" } },
    415,
    "unsupported_media_type",
  ],
  [
    "no type",
    "/hooks/codex",
    { headers: { "content-type": "" }, body: "{}" },
    415,
    "unsupported_media_type",
  ],
  [
    "what only begins like it",
    "/hooks/codex",
    { headers: { "content-type": "application/jsonx" } },
    415,
    "unsupported_media_type",
  ],
  [
    "a compressed body",
    "/hooks/codex",
    { headers: { "content-encoding": "gzip" }, body: "{}" },
    415,
    "unsupported_media_type",
  ],
];

async function httpRig(toml = GUARD): Promise<ServiceRig> {
  return serviceRig({ "orcs.toml": toml }, { port: 0 });
}

describe("HTTP service: status codes", () => {
  test("the token file is readable by the user only", async () => {
    const rig = await httpRig();
    expect(statSync(rig.address.wellKnown).mode & 0o777).toBe(0o600);
    const { port, token } = httpOf(rig);
    expect(port).toBe(rig.daemon.port);
    expect(Buffer.from(token, "base64url")).toHaveLength(32);
    await rig.daemon.stop();
    expect(() => statSync(rig.address.wellKnown)).toThrow("ENOENT");
    expect(httpOf(await httpRig()).token).not.toBe(token);
  });

  test("each invalid request has its status and code", async () => {
    const rig = await httpRig();
    for (const [name, path, request, status, code] of TABLE) {
      const reply = await http(rig, path, request);
      expect({ name, status: reply.status }).toEqual({ name, status });
      expect(reply.headers["cache-control"], name).toBe("no-store");
      expect(reply.headers, name).not.toHaveProperty("access-control-allow-origin");
      if (status === 200) continue;
      expect(reply.headers["content-type"]).toBe(JSON_TYPE);
      const { error } = JSON.parse(reply.body) as { error: { code: string; message: string } };
      expect({ name, ...error }).toEqual({ name, code, message: expect.stringMatching(/\S/) });
      expect(reply.body, name).not.toMatch(/\.[tj]s:\d| at .*\(/);
      if (status === 405) expect(reply.headers["allow"], name).toMatch(/^(GET|POST)$/);
      if (status === 401) expect(reply.headers["www-authenticate"]).toBe("Bearer");
    }
    // All that can be said without breaking off a connection is said above.
    const said = new Set(TABLE.map(([, , , , code]) => code));
    const others = ["request_timeout", "headers_too_large", "internal", "unavailable"];
    for (const code of Object.keys(HTTP_ERRORS)) {
      expect(said.has(code) || others.includes(code), code).toBe(true);
    }
  });

  test("the token is checked before anything else", async () => {
    const rig = await httpRig();
    for (const [name, path, request, status] of TABLE) {
      if (path.startsWith("/healthz") || status === 403) continue;
      const { body: _, ...rest } = request;
      const reply = await http(rig, path, { ...rest, token: "wrong", headers: {} });
      expect({ name, status: reply.status }).toEqual({ name, status: 401 });
    }
  });

  test("an invalid configuration: /healthz is 503, events are denied with 200", async () => {
    const rig = await httpRig("[[hooks]]\n");
    expect(await http(rig, "/healthz", { method: "GET" })).toMatchObject({
      status: 503,
      body: '{"ok":false}',
    });
    const reply = await http(rig, "/v1/dispatch", { body: dispatch({}) });
    expect(reply.status).toBe(503);
    expect(JSON.parse(reply.body)).toMatchObject({ error: { code: "ORCS1015" } });
    const event = await http(rig, "/hooks/claude-code", { body: JSON.stringify(preToolUse("ls")) });
    expect(event.status).toBe(200);
    expect(JSON.parse(event.body)).toMatchObject({
      hookSpecificOutput: { permissionDecision: "deny" },
    });
    expect((await http(rig, "/metrics", { method: "GET" })).status).toBe(200);
  });
});

describe("HTTP service: /hooks", () => {
  const body = async (rig: ServiceRig, path: string, text: string | Buffer): Promise<unknown> => {
    const { status, body } = await http(rig, path, { body: text });
    expect(status).toBe(200);
    return JSON.parse(body);
  };

  test("an event without objections returns an empty object", async () => {
    const rig = await httpRig();
    const event = JSON.stringify(preToolUse("ls"));
    expect(await body(rig, "/hooks/claude-code", event)).toEqual({});
  });

  test("an unreadable event is denied with status 200", async () => {
    const rig = await httpRig();
    const events = ["", "[]", "{", "{}", Buffer.from([0xff]), Buffer.alloc(20 * 2 ** 20, "x")];
    for (const event of events) {
      expect(await body(rig, "/hooks/claude-code", event)).toMatchObject({ decision: "block" });
    }
    const large = JSON.stringify(preToolUse("x".repeat(17 * 2 ** 20)));
    expect(await body(rig, "/hooks/claude-code", large)).toMatchObject({
      hookSpecificOutput: { permissionDecision: "deny" },
    });
  });

  test("a denial that a command signals by exit code is in the body", async () => {
    const rig = await httpRig(`
[[hooks]]
point = "host.pre_event"
handler_inline = 'return orcs.deny("not this one")'
`);
    const event = (hook_event_name: string): string =>
      JSON.stringify({ session_id: "s", cwd: "/tmp", hook_event_name });
    const reason = expect.stringContaining("not this one") as unknown;
    expect(await body(rig, "/hooks/claude-code", event("TaskCreated"))).toMatchObject({
      decision: "block",
      reason,
    });
    // Codex has no words for an event that it does not know, and is told by the code alone.
    expect(await body(rig, "/hooks/codex", event("OfTomorrow"))).toEqual({
      decision: "block",
      reason,
      continue: false,
      stopReason: reason,
    });
  });

  test("the agent's timeout can be passed", async () => {
    const rig = await httpRig();
    const slow = preToolUse("x", { tool_input: { command: "x", wait: 20_000 } });
    const refused = { hookSpecificOutput: { permissionDecision: "deny" } };
    const began = performance.now();
    const answer = await body(rig, "/hooks/claude-code?timeout=0.5", JSON.stringify(slow));
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(answer).toMatchObject(refused);
    expect(JSON.stringify(answer)).toContain("longer than the 450 ms");
    for (const timeout of ["0", "-1", "x", ""]) {
      const ls = JSON.stringify(preToolUse("ls"));
      expect(await body(rig, `/hooks/claude-code?timeout=${timeout}`, ls)).toMatchObject({
        decision: "block",
      });
    }
  });
});

describe("HTTP service: connections", () => {
  test("100 concurrent requests each get their own response", async () => {
    const rig = await httpRig();
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        http(rig, "/v1/dispatch", {
          body: dispatch({ command: i % 2 === 0 ? `${i} --force` : `${i}`, wait: i % 5 }),
        }),
      ),
    );
    replies.forEach(({ body }, i) => {
      expect(JSON.parse(body)).toMatchObject({
        action: i % 2 === 0 ? "abort" : "continue",
        payload: { args: { command: i % 2 === 0 ? `${i} --force` : `${i}` } },
      });
    });
  });

  test.each([
    ["half a head", "POST /hooks/codex HTTP/1.1\r\nHost: x\r\n", "request_timeout"],
    ["no HTTP", "hello\r\n\r\n", "bad_request"],
    [
      "a head that is too large",
      `GET / HTTP/1.1\r\nx: ${"y".repeat(20_000)}\r\n`,
      "headers_too_large",
    ],
    ["no Host", "GET /healthz HTTP/1.1\r\n\r\n", "bad_request"],
    ["no Host, HTTP/1.0", "GET /healthz HTTP/1.0\r\n\r\n", "forbidden_host"],
    [
      "two lengths",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      "bad_request",
    ],
  ] as const)("%s gets a JSON error and is closed", async (_, sent, code) => {
    const rig = await serviceRig({}, { port: 0, times: { stall: 500 } });
    const text = await exchange(rig, sent);
    if (code === "bad_request" && !text.includes("{")) {
      // Node answers some of them by itself, without a body.
      expect(text).toMatch(/^HTTP\/1\.1 400 /);
      return;
    }
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${HTTP_ERRORS[code][0]} `));
    expect(text).toContain(`"code":"${code}"`);
  });

  test("two Host headers are rejected", async () => {
    const rig = await httpRig();
    const { port } = httpOf(rig);
    const text = await exchange(
      rig,
      `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nHost: evil.example\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 40[03] /);
  });

  test("an incomplete body times out with a denial", async () => {
    const rig = await serviceRig({}, { port: 0, times: { stall: 500 } });
    const { port, token } = httpOf(rig);
    const began = performance.now();
    const head = [
      "POST /hooks/claude-code HTTP/1.1",
      `Host: 127.0.0.1:${port}`,
      `Authorization: Bearer ${token}`,
      "Content-Type: application/json",
      "Content-Length: 100",
    ];
    const text = await exchange(rig, `${head.join("\r\n")}\r\n\r\n{"half`);
    expect(performance.now() - began).toBeLessThan(5000);
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
  });

  test("on stop, pending requests are completed, then the port is closed", async () => {
    const rig = await httpRig();
    const slow = http(rig, "/v1/dispatch", {
      body: dispatch({ command: "--force", wait: 400 }),
    });
    await new Promise((resolve) => setTimeout(resolve, 150));
    const ended = rig.daemon.stop();
    expect(JSON.parse((await slow).body)).toMatchObject({ action: "abort" });
    expect((await slow).headers["connection"]).toBe("close");
    await ended;
    const { port } = rig.daemon;
    await expect(
      new Promise((resolve, reject) => {
        const socket = connect(port ?? 0, "127.0.0.1", () => resolve("open"));
        socket.on("error", reject);
      }),
    ).rejects.toThrow("ECONNREFUSED");
  });

  test("a port in use is reported; the socket is served", async () => {
    const first = await httpRig();
    const second = await serviceRig({}, { port: first.daemon.port, times: { tick: 100 } });
    expect(second.daemon.port).toBeUndefined();
    expect(second.logger.lines.join("\n")).toContain("EADDRINUSE");
    const { port } = first.daemon;
    await first.daemon.stop();
    await expect.poll(() => second.daemon.port, { timeout: 10_000 }).toBe(port);
    expect((await http(second, "/healthz", { method: "GET" })).status).toBe(200);
    expect(second.logger.lines.filter((line) => line.includes("EADDRINUSE"))).toHaveLength(1);
  });
});

/** All that comes back for some bytes, until the other side closes. */
function exchange({ daemon }: ServiceRig, sent: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(daemon.port ?? 0, "127.0.0.1");
    let text = "";
    socket.setEncoding("utf8").on("data", (part: string) => (text += part));
    socket.on("error", reject);
    socket.on("close", () => resolve(text));
    socket.write(sent);
  });
}
