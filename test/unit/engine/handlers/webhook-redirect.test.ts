import { afterEach, describe, expect, it } from "vitest";
import { ask, failureOf, Servers, webhook } from "./webhook-rig.ts";

const servers = new Servers();
afterEach(() => servers.close());

/** A server whose `/` redirects and whose other paths answer. */
async function redirecting(status: number, location: (host: string) => string | undefined) {
  const server = await servers.http((response, _, request) => {
    if (request.url !== "/") return void response.end('{"there":true}');
    const to = location(request.headers.host ?? "");
    response.writeHead(status, to === undefined ? {} : { location: to }).end("moved");
  });
  return server;
}

describe("a webhook redirect to the same origin", () => {
  it.each([
    [307, () => "/next?a=b"],
    [308, () => "next?a=b#c"],
    [307, (host: string) => `http://${host}/next?a=b`],
    [308, (host: string) => `//${host}/next?a=b`],
    [308, (host: string) => `HTTP://user:pw@${host}/next?a=b`],
  ])("with status %d is followed with method, headers and body", async (status, location) => {
    const server = await redirecting(status, location);
    const runner = webhook(server.url, { method: "PUT", headers: { authorization: "Bearer x" } });
    expect(await ask(runner)).toEqual({ answer: { there: true }, edits: [] });
    expect(server.got).toHaveLength(2);
    const [first, second] = server.got;
    expect(second).toEqual({ ...first, url: "/next?a=b", at: second?.at });
    expect(second).toMatchObject({ method: "PUT", headers: { authorization: "Bearer x" } });
  });

  it("is followed three times", async () => {
    const server = await servers.http((response, nth) => {
      if (nth <= 3) response.writeHead(307, { location: `/${nth}` }).end();
      else response.end("{}");
    });
    expect(await ask(webhook(server.url))).toEqual({ answer: {}, edits: [] });
    expect(server.got.map(({ url }) => url)).toEqual(["/", "/1", "/2", "/3"]);
  });

  it("is not followed a fourth time", async () => {
    const server = await servers.http((response) =>
      response.writeHead(307, { location: "/" }).end(),
    );
    expect(await failureOf(ask(webhook(server.url), { maxRetries: 3 }))).toEqual({
      kind: "answer",
      message: `the webhook at ${server.host} redirected more than 3 times`,
    });
    expect(server.got).toHaveLength(4);
  });
});

describe("a webhook redirect is not followed", () => {
  it.each([301, 302, 303])("with status %d, which drops the body", async (status) => {
    const server = await redirecting(status, () => "/next");
    expect(await failureOf(ask(webhook(server.url), { maxRetries: 3 }))).toEqual({
      kind: "answer",
      message: `the webhook at ${server.host} redirected with status ${status}, which would drop the body`,
    });
    expect(server.got).toHaveLength(1);
  });

  it("to another port, which gets no request", async () => {
    const other = await servers.http((response) => response.end("{}"));
    const server = await redirecting(307, () => `${other.url}/secret-path`);
    expect(await failureOf(ask(webhook(server.url), { maxRetries: 3 }))).toEqual({
      kind: "answer",
      message: `the webhook at ${server.host} redirected with status 307 to another origin, ${other.url}`,
    });
    expect(other.got).toEqual([]);
    expect(server.got).toHaveLength(1);
  });

  it.each([
    ["http://169.254.169.254/latest/meta-data/"],
    ["http://localhost/"],
    ["//0x7f.1/"],
    ["//hook.test/"],
    ["https://127.0.0.1/"],
    ["ftp://127.0.0.1/"],
    ["file:///etc/passwd"],
    ["data:application/json,{}"],
    ["javascript:0"],
  ])("to %s", async (location) => {
    const server = await redirecting(308, () => location);
    const failure = await failureOf(ask(webhook(server.url)));
    expect(failure.kind).toBe("answer");
    expect(failure.message).toContain("to another origin");
    expect(server.got).toHaveLength(1);
  });

  it("to another scheme", async () => {
    const server = await redirecting(307, (host) => `https://${host}/`);
    expect((await failureOf(ask(webhook(server.url)))).message).toContain("to another origin");
  });

  it.each([undefined, "", "http://", "http://a b/"])("without a valid location: %j", async (to) => {
    const server = await servers.http((response, nth) => {
      if (nth > 1) return void response.end("{}");
      response.writeHead(307, to === undefined ? {} : { location: to }).end();
    });
    const report = await ask(webhook(server.url));
    // An empty one is the page itself, by the rules of URLs.
    if (to === "") expect(report).toEqual({ answer: {}, edits: [] });
    else expect((await failureOf(report)).message).toContain("status 307 without a target");
  });
});

it.each([300, 304, 305])(
  "webhook status %d is no redirect and is passed to the protocol",
  async (status) => {
    const server = await redirecting(status, () => "/next");
    expect((await failureOf(ask(webhook(server.url)))).message).toBe(`status ${status}`);
    expect(server.got).toHaveLength(1);
  },
);

it("a webhook host is resolved and checked again after a redirect", async () => {
  const server = await redirecting(307, () => "/next");
  let looked = 0;
  const resolve = async () => {
    looked += 1;
    return [{ address: "127.0.0.1", family: 4 }];
  };
  const port = server.host.split(":")[1] ?? "";
  const runner = webhook(`http://hook.test:${port}/`, { allowHosts: ["hook.test"], resolve });
  expect(await ask(runner)).toEqual({ answer: { there: true }, edits: [] });
  expect(looked).toBe(2);
});
