import { getEventListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { bench, hook } from "../registry/hooks.ts";
import { ask, failureOf, PROTOCOL, Servers, timed, webhook } from "./webhook-rig.ts";

const servers = new Servers();
afterEach(() => servers.close());

/** Roomy for a machine under load; what would go wrong otherwise lasts for the 20 s of `ask`. */
const PROMPT = 8_000;

describe("a webhook request", () => {
  it("has the protocol's body as JSON", async () => {
    const server = await servers.http((response) => response.end('{"action":"skip","result":1}'));
    const payload = { tool_name: "exec", args: { command: "é\u0000\n" } };
    const report = await ask(webhook(`${server.url}/a/b?c=d`), {}, payload);
    expect(report).toEqual({ answer: { action: "skip", result: 1 }, edits: [] });
    expect(server.got).toHaveLength(1);
    const [got] = server.got;
    expect(got).toMatchObject({ method: "POST", url: "/a/b?c=d" });
    expect(JSON.parse(got?.body ?? "")).toEqual({ point: "tool.pre_execute", payload });
    expect(got?.headers).toEqual({
      host: server.host,
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(got?.body ?? "")),
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": "orcs",
      connection: "close",
    });
  });

  it("has the hook's method and headers", async () => {
    const server = await servers.http((response) => response.end());
    const runner = webhook(server.url, {
      method: "PUT",
      headers: { "X-Thing": "a  b", "USER-AGENT": "mine" },
    });
    expect(await ask(runner)).toEqual({ answer: undefined, edits: [] });
    expect(server.got[0]).toMatchObject({
      method: "PUT",
      url: "/",
      headers: { "x-thing": "a  b", "user-agent": "mine" },
    });
  });

  it("sends no cookies and uses no proxy", async () => {
    const proxied: string[] = [];
    const proxy = await servers.http((response, _, request) => {
      proxied.push(request.url ?? "");
      response.end();
    });
    const names = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "NODE_USE_ENV_PROXY"];
    for (const name of names) process.env[name] = proxy.url;
    try {
      const server = await servers.http((response) =>
        response.writeHead(200, { "set-cookie": "a=1; Path=/" }).end(),
      );
      const runner = webhook(server.url);
      await ask(runner);
      await ask(runner);
      expect(server.got).toHaveLength(2);
      expect(server.got[1]?.headers.cookie).toBeUndefined();
      expect(proxied).toEqual([]);
    } finally {
      for (const name of names) delete process.env[name];
    }
  });

  it("leaves no connection open", async () => {
    const server = await servers.http((response) =>
      response.writeHead(200, { connection: "keep-alive" }).end("{}"),
    );
    const runner = webhook(server.url);
    await Promise.all(Array.from({ length: 50 }, () => ask(runner)));
    expect(server.got).toHaveLength(50);
    for (let i = 0; i < 100 && (await server.connections()) > 0; i++) await sleep(20);
    expect(await server.connections()).toBe(0);
  });

  it("does not affect concurrent requests", async () => {
    const server = await servers.http((response, nth) => {
      setTimeout(() => response.end(JSON.stringify({ nth })), (nth * 7) % 30);
    });
    const runner = webhook(`${server.url}/`);
    const reports = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => [
        i,
        await ask(runner, {}, { tool_name: "exec", args: { i } }),
      ]),
    );
    const asked = server.got.map(({ body }) => JSON.parse(body).payload.args.i as number);
    for (const [i, report] of reports)
      expect(report).toEqual({ answer: { nth: asked.indexOf(i as number) + 1 }, edits: [] });
  });
});

describe("a webhook in a chain", () => {
  it("has the effect of its response", async () => {
    const server = await servers.http((response, nth) =>
      response.end(nth === 1 ? "" : '{"action":"abort","reason":"no"}'),
    );
    const { registry } = bench();
    const runner = webhook(server.url);
    registry.register(hook(runner, { id: "first" }));
    registry.register(hook(runner, { id: "second" }));
    const outcome = await registry.dispatch("test.pre_run", {}, { trace: true });
    expect(outcome).toMatchObject({ action: "abort", reason: "no", hook: "second" });
    expect(outcome.trace?.map(({ id, status }) => [id, status])).toEqual([
      ["first", "ran"],
      ["second", "ran"],
    ]);
  });

  it("follows the protocol's failure mode unless the hook sets one", async () => {
    const server = await servers.http(() => {});
    const outcomes = [];
    for (const words of [{}, { onError: "closed" }, { onTimeout: "closed" }] as const) {
      const { registry } = bench();
      registry.register(hook(webhook(server.url), { timeoutMs: 50, ...words }));
      outcomes.push((await registry.dispatch("test.pre_run", {})).action);
    }
    expect(outcomes).toEqual(["continue", "abort", "abort"]);
  });
});

describe("a webhook response", () => {
  it.each([
    [200, "{}", { answer: {}, edits: [] }],
    [200, "\uFEFF{}", { answer: {}, edits: [] }],
    [204, "", { answer: undefined, edits: [] }],
    [404, "{}", { failure: { kind: "answer", message: "status 404" } }],
    [200, "<html>é</html>", { failure: { kind: "answer", message: "not JSON: <html>é</html>" } }],
  ])("with status %d and body %j is passed to the protocol", async (status, body, report) => {
    const server = await servers.http((response) => response.writeHead(status).end(body));
    expect(await ask(webhook(server.url))).toEqual(report);
  });

  it.each([
    ["a lone byte", Buffer.from([0x22, 0xff, 0x22])],
    ["a surrogate", Buffer.from([0xed, 0xa0, 0x80])],
    ["a cut sequence", Buffer.from([0xc3])],
    ["gzip that says nothing of it", gzipSync("{}")],
  ])("that is not UTF-8 (%s) is a failure", async (_, body) => {
    const server = await servers.http((response) => response.end(body));
    expect(await failureOf(ask(webhook(server.url)))).toEqual({
      kind: "answer",
      message: `the response of the webhook at ${server.host}, status 200, is not valid UTF-8`,
    });
  });

  const bomb = gzipSync(Buffer.alloc(5_000_000));
  it.each(["gzip", "deflate", "br", "zstd", "GZIP", "identity, gzip"])(
    "encoded as %s is a failure and is not decoded",
    async (encoding) => {
      const server = await servers.http((response) =>
        response.writeHead(200, { "content-encoding": encoding }).end(bomb),
      );
      expect(await failureOf(ask(webhook(server.url)))).toEqual({
        kind: "answer",
        message: `the response of the webhook at ${server.host}, status 200, is encoded as "${encoding.toLowerCase()}", which was not requested`,
      });
    },
  );

  it("with identity encoding is accepted", async () => {
    const server = await servers.http((response) =>
      response.writeHead(200, { "content-encoding": "identity" }).end("{}"),
    );
    expect(await ask(webhook(server.url))).toEqual({ answer: {}, edits: [] });
  });

  it("with a transfer encoding is a failure", async () => {
    const server = await servers.tcp((socket) => {
      socket.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n");
    });
    const failure = await failureOf(ask(webhook(server.url)));
    expect(failure.kind).toBe("answer");
    expect(failure.message).toContain('encoded as "gzip, chunked"');
  });

  it("may be as large as the limit, not larger", async () => {
    const server = await servers.http((response, nth) =>
      response.end(`"${"x".repeat(nth === 1 ? 98 : 99)}"`),
    );
    const runner = webhook(server.url, { maxAnswerBytes: 100 });
    expect(await ask(runner)).toEqual({ answer: "x".repeat(98), edits: [] });
    expect(await failureOf(ask(runner))).toEqual({
      kind: "answer",
      message: `the response of the webhook at ${server.host}, status 200, is larger than 100 bytes`,
    });
  });

  it.each([
    ["announced", { "content-length": String(2 ** 30) }],
    ["not announced", {}],
  ])("of a gigabyte, %s, is cut off", async (_, headers) => {
    const chunk = Buffer.alloc(1 << 16, "x");
    let written = 0;
    const server = await servers.http((response) => {
      response.writeHead(200, headers);
      const more = (): void => {
        while (written < 2 ** 30 && !response.destroyed) {
          written += chunk.length;
          if (!response.write(chunk)) return;
        }
      };
      response.on("drain", more);
      more();
    });
    const failure = await failureOf(ask(webhook(server.url)));
    expect(failure.message).toContain("is larger than 1048576 bytes");
    expect(written).toBeLessThan(2 ** 26);
  });

  it("that the protocol cannot read is a failure", async () => {
    const server = await servers.http((response) => response.end("{}"));
    const protocol = {
      ...PROTOCOL,
      readHttp: () => {
        throw new Error("broken");
      },
    };
    expect(await failureOf(ask(webhook(server.url, { protocol })))).toEqual({
      kind: "error",
      message: `the response of the webhook at ${server.host} could not be read: broken`,
    });
  });

  it.each([
    ["no HTTP", "SSH-2.0-OpenSSH_9.6\r\n", /returned what is not HTTP: HPE_/],
    [
      "both lengths",
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
      /HPE_/,
    ],
    ["endless headers", `HTTP/1.1 200 OK\r\nX: ${"x".repeat(200_000)}`, /HPE_HEADER_OVERFLOW/],
    ["a broken chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", /HPE_/],
  ])("that is %s is a failure", async (_, text, message) => {
    const server = await servers.tcp((socket) => void socket.end(text));
    const failure = await failureOf(ask(webhook(server.url)));
    expect(failure.kind).toBe("answer");
    expect(failure.message).toMatch(message);
    expect(failure.message).toContain(server.host);
  });

  it("that switches protocols is a failure", async () => {
    const server = await servers.tcp((socket) => {
      socket.write("HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
    });
    const [failure, took] = await timed(() => failureOf(ask(webhook(server.url))));
    expect(failure.kind).not.toBe("timeout");
    expect(took).toBeLessThan(PROMPT);
  });
});

describe("a webhook's deadline", () => {
  const slow: readonly [string, string][] = [
    ["no answer at all", ""],
    ["headers and no body", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"],
    ["half a body", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{"],
    ["a body without end", "HTTP/1.1 200 OK\r\n\r\n{}"],
    ["half a header", "HTTP/1.1 200 OK\r\nConte"],
  ];

  it.each(slow)("ends %s", async (_, text) => {
    const server = await servers.tcp((socket) => void socket.write(text));
    const [failure, took] = await timed(() =>
      failureOf(ask(webhook(server.url), { timeoutMs: 150 })),
    );
    expect(failure).toEqual({
      kind: "timeout",
      message: `no complete response from the webhook at ${server.host} within 150 ms; shorten it or raise timeout_ms`,
      mode: "open",
    });
    expect(took).toBeGreaterThan(140);
    expect(took).toBeLessThan(PROMPT);
  });

  it.each([
    ["a body", "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", " "],
    ["a header", "HTTP/1.1 200 OK\r\nX: ", "x"],
    ["news that are no answer", "", "HTTP/1.1 102 Processing\r\n\r\n"],
  ])("ends %s sent byte by byte", async (_, head, drop) => {
    const server = await servers.tcp((socket) => {
      socket.write(head);
      const timer = setInterval(() => socket.write(drop), 10);
      socket.on("close", () => clearInterval(timer));
    });
    const [failure, took] = await timed(() =>
      failureOf(ask(webhook(server.url), { timeoutMs: 200 })),
    );
    expect(failure.kind).toBe("timeout");
    expect(took).toBeLessThan(PROMPT);
  });

  it("ends a host lookup that never returns", async () => {
    const runner = webhook("http://hook.test/", { resolve: () => new Promise(() => {}) });
    const [failure, took] = await timed(() => failureOf(ask(runner, { timeoutMs: 100 })));
    expect(failure.kind).toBe("timeout");
    expect(took).toBeLessThan(PROMPT);
  });

  it("covers all attempts together", async () => {
    const server = await servers.http((response) => {
      setTimeout(() => response.writeHead(500).end(), 120);
    });
    const [failure, took] = await timed(() =>
      failureOf(ask(webhook(server.url), { timeoutMs: 500, maxRetries: 1_000 })),
    );
    expect(["timeout", "answer"]).toContain(failure.kind);
    expect(server.got.length).toBeGreaterThan(0);
    expect(took).toBeLessThan(PROMPT);
  });
});

describe("an unreachable webhook server", () => {
  it("that refuses the connection is a failure", async () => {
    const { url, host } = await servers.http(() => {});
    await servers.close();
    expect(await failureOf(ask(webhook(url)))).toEqual({
      kind: "error",
      message: `the webhook at ${host} could not be reached: ECONNREFUSED`,
      mode: "closed",
    });
    const again = await failureOf(ask(webhook(url), { maxRetries: 2 }));
    expect(again.message).toMatch(/ECONNREFUSED \(3 tries\)$/);
  });

  it("that resets the connection within the body is a failure", async () => {
    const server = await servers.tcp((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", () =>
        socket.resetAndDestroy(),
      );
    });
    const failure = await failureOf(ask(webhook(server.url), { maxRetries: 1 }));
    expect(failure).toMatchObject({ kind: "error", mode: "closed" });
    expect(failure.message).toContain("ECONNRESET (2 tries)");
    expect(server.count()).toBe(2);
  });

  it("that resets the connection instead of ending the body is a failure", async () => {
    const server = await servers.tcp((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n{}", () => {
        setTimeout(() => socket.resetAndDestroy(), 30);
      });
    });
    expect((await failureOf(ask(webhook(server.url)))).message).toContain("ECONNRESET");
  });

  it("that ends within the body is a failure", async () => {
    const server = await servers.tcp((socket) => {
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}");
    });
    expect((await failureOf(ask(webhook(server.url)))).message).toContain("ECONNRESET");
  });

  it("that does not speak TLS is a failure without retry", async () => {
    const server = await servers.tcp((socket) => void socket.end("HTTP/1.1 400 Bad\r\n\r\n"));
    const runner = webhook(server.url.replace("http:", "https:"));
    const failure = await failureOf(ask(runner, { maxRetries: 3 }));
    expect(failure).toMatchObject({ kind: "error", mode: "closed" });
    expect(server.count()).toBe(1);
  });

  it("with an unknown name is a failure", async () => {
    const resolve = async (): Promise<never> => {
      throw Object.assign(new Error("secret"), { code: "ENOTFOUND" });
    };
    const runner = webhook("http://hook.test/", { resolve });
    expect(await failureOf(ask(runner, { maxRetries: 3 }))).toEqual({
      kind: "error",
      message: "the webhook at hook.test could not be reached: ENOTFOUND",
      mode: "closed",
    });
    const empty = webhook("http://hook.test/", { resolve: async () => [] });
    expect((await failureOf(ask(empty))).message).toContain("ENOTFOUND");
  });
});

describe("a webhook payload that is not JSON", () => {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  const throwing = Object.defineProperty({}, "x", {
    enumerable: true,
    get: () => {
      throw new Error("no reading");
    },
  });
  it.each([
    ["a cycle", cycle],
    ["a getter that throws", throwing],
    ["a revoked proxy", revoked()],
  ])("with %s is a failure, and nothing is sent", async (_, x) => {
    const server = await servers.http((response) => response.end());
    const failure = await failureOf(ask(webhook(server.url), {}, { x }));
    expect(failure.kind).toBe("payload");
    expect(failure.message).toMatch(/^the context cannot be written as JSON: ./);
    expect(failure.message).not.toContain("\n");
    expect(server.got).toEqual([]);
  });

  it.each<[string, unknown, unknown]>([
    ["a bigint", 1n, "1"],
    [
      "a toJSON that throws a string",
      {
        toJSON: () => {
          throw "no"; // oxlint-disable-line no-throw-literal
        },
      },
      { toJSON: null },
    ],
    ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
  ])("with %s is sent as hooks read it", async (_, x, read) => {
    const server = await servers.http((response) => response.end("{}"));
    expect(await ask(webhook(server.url), {}, { x })).not.toHaveProperty("failure");
    expect(server.got).toHaveLength(1);
    expect(JSON.parse(server.got[0]?.body ?? "")).toMatchObject({ payload: { x: read } });
  });

  function revoked(): unknown {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  }
});

describe("the abort signal of a webhook", () => {
  it("ends a running request", async () => {
    const server = await servers.http(() => {});
    const controller = new AbortController();
    const runner = webhook(server.url, { signal: controller.signal });
    const reports = [failureOf(ask(runner)), failureOf(ask(runner))];
    while (server.got.length < 2) await sleep(5);
    const [failures, took] = await timed(async () => {
      controller.abort();
      return Promise.all(reports);
    });
    for (const failure of failures) {
      expect(failure).toEqual({
        kind: "killed",
        message: `the request to the webhook at ${server.host} was cancelled with the call`,
      });
    }
    expect(took).toBeLessThan(PROMPT);
    for (let i = 0; i < 100 && (await server.connections()) > 0; i++) await sleep(20);
    expect(await server.connections()).toBe(0);
  });

  it("ends the wait for a retry", async () => {
    const server = await servers.http((response) =>
      response.writeHead(429, { "retry-after": "15" }).end(),
    );
    const controller = new AbortController();
    const report = failureOf(
      ask(webhook(server.url, { signal: controller.signal }), { maxRetries: 1 }),
    );
    while (server.got.length < 1) await sleep(5);
    await sleep(50);
    const [failure, took] = await timed(() => {
      controller.abort();
      return report;
    });
    expect(failure.kind).toBe("killed");
    expect(took).toBeLessThan(PROMPT);
  });

  it("prevents a request once aborted", async () => {
    const server = await servers.http((response) => response.end());
    const runner = webhook(server.url, { signal: AbortSignal.abort() });
    expect((await failureOf(ask(runner, { maxRetries: 3 }))).kind).toBe("killed");
    expect(server.got).toEqual([]);
  });

  it("has no listener left after each call", async () => {
    const server = await servers.http((response) => response.end());
    const { signal } = new AbortController();
    const runner = webhook(server.url, { signal });
    const warnings: Error[] = [];
    const warned = (warning: Error): void => void warnings.push(warning);
    process.on("warning", warned);
    await Promise.all(Array.from({ length: 20 }, () => ask(runner)));
    await sleep(10);
    process.off("warning", warned);
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(warnings).toEqual([]);
  });
});
