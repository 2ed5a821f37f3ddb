import { statSync } from "node:fs";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { HTTP_ERRORS } from "../../../src/daemon/service/http-requests.ts";
import { GUARD, http, httpOf, preToolUse, serviceRig } from "./service-rig.ts";
import type { ServiceRig } from "./service-rig.ts";

const dispatch = (args: object): string =>
  JSON.stringify({ point: "tool.pre_execute", payload: { tool_name: "exec", args } });
const JSON_TYPE = "application/json; charset=utf-8";

type HttpRequest = NonNullable<Parameters<typeof http>[2]>;

const json = (body: unknown): HttpRequest => ({ body: JSON.stringify(body) });
const header = (name: string, value: string): HttpRequest => ({ headers: { [name]: value } });
const GET: HttpRequest = { method: "GET" };
const OPEN: HttpRequest = { token: undefined };
const NOTHING = json({});
const NO_UTF8: HttpRequest = { body: Buffer.from([0xff]) };
const FOR_X = { point: "tool.pre_execute", payload: { tool_name: "x", args: {} } };
const FORM = header("content-type", "application/x-www-form-urlencoded");
const MUCH = { body: Buffer.alloc(20 * 2 ** 20, "x") };
const DEEP = { body: `{"payload":${'{"a":'.repeat(5000)}1${"}".repeat(5000)}}` };

type Row = readonly [
  name: string,
  status: number,
  path: string,
  request: HttpRequest,
  code?: string,
];

/** Everything that a request can be answered with, and why. */
const TABLE: readonly Row[] = [
  ["a dispatch", 200, "/v1/dispatch", { body: dispatch({}) }],
  ["by its alias", 200, "/v1/dispatch?x=1", json({ ...FOR_X, point: "PreToolUse" })],
  ["an event", 200, "/hooks/claude-code", json(preToolUse("ls"))],
  ["an event that is none", 200, "/hooks/claude-code", NOTHING],
  ["an event that is no JSON", 200, "/hooks/claude-code", { body: "{" }],
  ["an event that is not UTF-8", 200, "/hooks/codex", NO_UTF8],
  ["no event", 200, "/hooks/cursor", {}],
  ["health", 200, "/healthz", { ...GET, ...OPEN }],
  ["metrics", 200, "/metrics", GET],
  ["not JSON", 400, "/v1/dispatch", { body: "{" }, "bad_request"],
  ["not UTF-8", 400, "/v1/dispatch", NO_UTF8, "bad_request"],
  ["a list", 400, "/v1/dispatch", json([]), "bad_request"],
  ["nothing", 400, "/v1/dispatch", {}, "bad_request"],
  ["no payload", 400, "/v1/dispatch", NOTHING, "ORCS7014"],
  ["a wrong payload", 400, "/v1/dispatch", json({ ...FOR_X, payload: { args: 1 } }), "ORCS2003"],
  ["no component", 400, "/v1/dispatch", json({ ...FOR_X, component: "x" }), "ORCS1010"],
  ["deep nesting", 400, "/v1/dispatch", DEEP, "bad_request"],
  ["no token", 401, "/v1/dispatch", OPEN, "unauthorized"],
  ["a wrong token", 401, "/metrics", { ...GET, token: "x" }, "unauthorized"],
  ["an empty token", 401, "/metrics", { ...GET, token: "" }, "unauthorized"],
  [
    "no bearer",
    401,
    "/metrics",
    { ...GET, ...header("authorization", "Basic eA==") },
    "unauthorized",
  ],
  ["an unknown path, without a token", 401, "/x", OPEN, "unauthorized"],
  ["another name", 403, "/metrics", header("host", "evil.example"), "forbidden_host"],
  ["another port", 403, "/metrics", header("host", "localhost:1"), "forbidden_host"],
  ["no port", 403, "/metrics", header("host", "127.0.0.1"), "forbidden_host"],
  [
    "a page",
    403,
    "/healthz",
    { ...GET, ...header("origin", "http://localhost") },
    "forbidden_origin",
  ],
  ["a page of no origin", 403, "/metrics", header("origin", "null"), "forbidden_origin"],
  ["a hidden page", 403, "/metrics", header("sec-fetch-site", "cross-site"), "forbidden_origin"],
  ["its own page", 403, "/metrics", header("sec-fetch-site", "same-origin"), "forbidden_origin"],
  ["what a person types", 200, "/metrics", { ...GET, ...header("sec-fetch-site", "none") }],
  ["a preflight", 401, "/hooks/codex", { method: "OPTIONS", ...OPEN }, "unauthorized"],
  ["another path", 404, "/", {}, "not_found"],
  ["a path below", 404, "/hooks/codex/x", {}, "not_found"],
  ["a path with dots", 404, "/healthz/../metrics", {}, "not_found"],
  ["an unknown host", 404, "/hooks/emacs", NOTHING, "not_found"],
  ["a host of the prototype", 404, "/hooks/constructor", NOTHING, "not_found"],
  ["an unknown point", 404, "/v1/dispatch", json({ point: "x.y", payload: {} }), "ORCS1005"],
  ["an unknown operation", 404, "/v1/x", NOTHING, "not_found"],
  ["another version", 404, "/v2/dispatch", { body: dispatch({}) }, "not_found"],
  ["events by POST", 404, "/v1/events", NOTHING, "not_found"],
  ["GET of a hook", 405, "/hooks/codex", GET, "method_not_allowed"],
  ["POST of metrics", 405, "/metrics", {}, "method_not_allowed"],
  ["PUT", 405, "/v1/dispatch", { method: "PUT" }, "method_not_allowed"],
  ["a body that is too large", 413, "/v1/dispatch", MUCH, "payload_too_large"],
  ["a form", 415, "/v1/dispatch", FORM, "unsupported_media_type"],
  ...Object.entries({
    text: { ...NOTHING, ...header("content-type", "text/plain") },
    "no type": { ...NOTHING, ...header("content-type", "") },
    "what only begins like it": header("content-type", "application/jsonx"),
    "a compressed body": { ...NOTHING, ...header("content-encoding", "gzip") },
  }).map(([name, request]): Row => [name, 415, "/hooks/codex", request, "unsupported_media_type"]),
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
    for (const [name, status, path, request, code] of TABLE) {
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
    for (const [name, status, path, request] of TABLE) {
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
