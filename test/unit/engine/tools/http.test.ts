import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { errorOf, sandboxFixture, type Fixture } from "./sandbox-fixture.ts";

let box: Fixture;
let server: Server;
let other: Server;
let base: string;
let elsewhere: string;
beforeEach(() => {
  box = sandboxFixture();
});
afterEach(() => box.cleanUp());
beforeAll(async () => {
  server = createServer(respond);
  other = createServer(respond);
  base = await listen(server);
  elsewhere = await listen(other);
});
afterAll(() => {
  for (const each of [server, other]) {
    each.closeAllConnections();
    each.close();
  }
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function respond(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? "/", "http://x");
  const to = url.searchParams.get("to") ?? "";
  const status = Number(url.searchParams.get("status") ?? 302);
  const hop = Number(url.searchParams.get("n") ?? 0);
  switch (url.pathname) {
    case "/echo": {
      let body = "";
      request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
      request.on("end", () =>
        response.end(JSON.stringify({ method: request.method, headers: request.headers, body })),
      );
      return;
    }
    case "/status":
      return void response.writeHead(status, { "X-Thing": "a", __proto__x: "b" }).end("é");
    case "/cookies":
      return void response.writeHead(200, { "Set-Cookie": ["a=1", "b=2"] }).end();
    case "/to":
      return void response.writeHead(status, { location: to }).end("moved");
    case "/hops":
      if (hop === 0) return void response.end("there");
      return void response.writeHead(307, { location: `/hops?n=${hop - 1}` }).end();
    case "/big":
      return void response.end("x".repeat(5_000_000));
    case "/bomb":
      return void response
        .writeHead(200, { "content-encoding": "gzip" })
        .end(gzipSync(Buffer.alloc(50_000_000)));
    case "/drip": {
      const timer = setInterval(() => response.write("x"), 20);
      return void response.on("close", () => clearInterval(timer));
    }
    case "/reset":
      return void request.socket.destroy();
    case "/half":
      response.writeHead(200, { "content-length": "100" }).write("half");
      return void setTimeout(() => request.socket.destroy(), 30);
    default:
    // Never answered.
  }
}

const echoed = (
  answer: unknown,
): { method: string; headers: Record<string, string>; body: string } =>
  JSON.parse((answer as { body: string }).body) as ReturnType<typeof echoed>;

it("http returns status, headers and body for any status", async () => {
  for (const status of [200, 404, 500]) {
    const answer = await box.call("http", { url: `${base}/status?status=${status}` });
    expect(answer).toMatchObject({ ok: true, status, headers: { "x-thing": "a" }, body: "é" });
    expect(Object.keys(answer).sort()).toEqual(["body", "headers", "ok", "status"]);
  }
  const empty = await box.call("http", { url: `${base}/status?status=204` });
  expect(empty).toMatchObject({ status: 204, body: "" });
});

it("http returns every cookie", async () => {
  const answer = await box.call("http", { url: `${base}/cookies` });
  expect(answer).toMatchObject({ headers: { "set-cookie": "a=1, b=2" } });
});

it("http sends method, headers and body", async () => {
  const url = `${base}/echo`;
  expect(echoed(await box.call("http", { url })).method).toBe("GET");
  expect(echoed(await box.call("http", { url, body: "é" }))).toMatchObject({
    method: "POST",
    body: "é",
  });
  const put = await box.call("http", { url, method: "put", headers: { "X-A": "1" }, body: "" });
  expect(echoed(put)).toMatchObject({ method: "PUT", headers: { "x-a": "1" } });
});

describe("http redirects", () => {
  it("are followed, five at most", async () => {
    expect(await box.call("http", { url: `${base}/hops?n=5` })).toMatchObject({
      status: 200,
      body: "there",
    });
    expect(errorOf(await box.call("http", { url: `${base}/hops?n=6` }))).toContain(
      "more than 5 redirects",
    );
  });

  it.each([
    [301, "POST", "GET", ""],
    [302, "POST", "GET", ""],
    [303, "PUT", "GET", ""],
    [302, "PUT", "PUT", "b"],
    [307, "POST", "POST", "b"],
    [308, "POST", "POST", "b"],
  ])("%d turn %s into %s", async (status, method, expected, body) => {
    const answer = await box.call("http", {
      url: `${base}/to?status=${status}&to=/echo`,
      method,
      headers: { "Content-Type": "text/x" },
      body: "b",
    });
    expect(echoed(answer)).toMatchObject({ method: expected, body });
    expect(echoed(answer).headers["content-type"]).toBe(body === "" ? undefined : "text/x");
  });

  it("keep credentials for the same origin only", async () => {
    const headers = { Authorization: "Bearer t", Cookie: "c=1", "X-Kept": "k" };
    const same = await box.call("http", { url: `${base}/to?to=${base}/echo`, headers });
    expect(echoed(same).headers).toMatchObject({ authorization: "Bearer t", cookie: "c=1" });
    const away = await box.call("http", { url: `${base}/to?to=${elsewhere}/echo`, headers });
    expect(echoed(away).headers).toMatchObject({ "x-kept": "k" });
    expect(echoed(away).headers).not.toHaveProperty("authorization");
    expect(echoed(away).headers).not.toHaveProperty("cookie");
  });

  it.each(["file:///etc/passwd", "data:text/plain,x", "ftp://x/", "javascript:1"])(
    "to %s are rejected",
    async (to) => {
      const answer = await box.call("http", { url: `${base}/to?to=${encodeURIComponent(to)}` });
      expect(errorOf(answer)).toContain("is not http: or https:");
    },
  );

  it("without a location are returned", async () => {
    expect(await box.call("http", { url: `${base}/status?status=304` })).toMatchObject({
      status: 304,
    });
  });
});

describe("http errors are results", () => {
  it.each([
    ["not a url", "is not a valid URL"],
    ["file:///etc/passwd", "is not http: or https:"],
    ["/etc/passwd", "is not a valid URL"],
    ["http://user:pass@127.0.0.1/", "credentials"],
    ["http://127.0.0.1:1/", "bad port"],
    ["http://127.0.0.1:9/", "bad port"],
  ])("%s", async (url, why) => {
    const error = errorOf(await box.call("http", { url }));
    expect(error).toContain(why);
    expect(error.startsWith("http: ")).toBe(true);
  });

  it("for failed connections", async () => {
    const closed = createServer();
    const url = await listen(closed);
    await new Promise((resolve) => closed.close(resolve));
    expect(errorOf(await box.call("http", { url }))).toContain("ECONNREFUSED");
    for (const path of ["/reset", "/half"])
      expect(errorOf(await box.call("http", { url: base + path })).length).toBeGreaterThan(10);
  });

  it("for invalid methods, headers and bodies", async () => {
    const url = `${base}/echo`;
    expect(errorOf(await box.call("http", { url, method: "G T" }))).toContain("method");
    expect(errorOf(await box.call("http", { url, headers: { "a b": "c" } }))).toContain("header");
    expect(errorOf(await box.call("http", { url, headers: { a: "b\nc: d" } }))).toContain("header");
    expect(errorOf(await box.call("http", { url, method: "GET", body: "x" }))).toContain("body");
  });
});

describe("http limits", () => {
  it.each(["/big", "/bomb"])("cut %s off", async (path) => {
    expect(errorOf(await box.call("http", { url: base + path }))).toContain(
      "limit of 1048576 bytes",
    );
  });

  it.each(["/never", "/drip"])("end %s at the timeout", async (path) => {
    const started = performance.now();
    const answer = await box.call("http", { url: base + path }, { limits: { httpMs: 200 } });
    expect(errorOf(answer)).toBe("http: no complete response within 200 ms");
    expect(performance.now() - started).toBeLessThan(8_000);
  });
});
