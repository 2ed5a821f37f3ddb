import { afterEach, describe, expect, it } from "vitest";
import { isRetriedStatus, retryDelay } from "../../../../src/engine/handlers/webhook.ts";
import { ask, failureOf, Servers, timed, webhook } from "./webhook-rig.ts";

const servers = new Servers();
afterEach(() => servers.close());

describe("the delay before a webhook retry", () => {
  const NOW = Date.parse("Sat, 22 Nov 2025 10:00:00 GMT");
  it.each([
    [1, undefined, 100],
    [2, undefined, 200],
    [3, undefined, 400],
    [30, undefined, 5_000],
    [5_000, undefined, 5_000],
    [1, "0", 100],
    [1, "2", 2_000],
    [1, " 2 ", 2_000],
    [6, "1", 3_200],
    [1, "Sat, 22 Nov 2025 10:00:05 GMT", 5_000],
    [1, "Saturday, 22-Nov-25 10:00:05 GMT", 5_000],
    [1, "Fri, 21 Nov 2025 10:00:05 GMT", 100],
    [1, "-5", 100],
    [1, "1.5", 100],
    [1, "", 100],
    [1, "soon", 100],
    [1, "9".repeat(400), Infinity],
  ])("after attempt %d with Retry-After %j is %d ms", (tries, retryAfter, ms) => {
    expect(retryDelay(tries, retryAfter, NOW)).toBe(ms);
  });
});

it.each([
  [200, false],
  [304, false],
  [400, false],
  [408, false],
  [428, false],
  [429, true],
  [430, false],
  [499, false],
  [500, true],
  [503, true],
  [599, true],
])("webhook status %d is retried: %s", (status, again) => {
  expect(isRetriedStatus(status)).toBe(again);
});

describe("a webhook hook", () => {
  it.each([0, 1, 2])("with max_retries %d makes that many more requests", async (maxRetries) => {
    const server = await servers.http((response) => response.writeHead(500).end("no"));
    const failure = await failureOf(ask(webhook(server.url), { maxRetries }));
    // What a status means in the end is for the protocol.
    expect(failure).toEqual({ kind: "answer", message: "status 500" });
    expect(server.got).toHaveLength(maxRetries + 1);
    expect(new Set(server.got.map(({ body }) => body)).size).toBe(1);
  });

  it("uses the first successful response", async () => {
    const statuses = [503, 429, 200, 200];
    const server = await servers.http((response, nth) =>
      response.writeHead(statuses[nth - 1] ?? 200).end(`{"nth":${nth}}`),
    );
    expect(await ask(webhook(server.url), { maxRetries: 3 })).toEqual({
      answer: { nth: 3 },
      edits: [],
    });
    expect(server.got).toHaveLength(3);
    const [first = 0, second = 0, third = 0] = server.got.map(({ at }) => at);
    expect(second - first).toBeGreaterThan(95);
    expect(third - second).toBeGreaterThan(190);
  });

  it("does not retry other statuses", async () => {
    const server = await servers.http((response) => response.writeHead(404).end());
    await ask(webhook(server.url), { maxRetries: 3 });
    expect(server.got).toHaveLength(1);
  });

  it("retries after a broken connection and after a compressed error", async () => {
    const server = await servers.tcp((socket, nth) => {
      if (nth === 1) socket.resetAndDestroy();
      else if (nth === 2) socket.end("HTTP/1.1 502 Bad\r\nContent-Encoding: br\r\n\r\nxx");
      else socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
    });
    expect(await ask(webhook(server.url), { maxRetries: 2 })).toEqual({ answer: {}, edits: [] });
    expect(server.count()).toBe(3);
  });

  it("waits as long as Retry-After says, in seconds or until a date", async () => {
    const waited = async (retryAfter: () => string) => {
      const server = await servers.http((response, nth) =>
        response.writeHead(nth === 1 ? 429 : 200, { "retry-after": retryAfter() }).end("{}"),
      );
      expect(await ask(webhook(server.url), { maxRetries: 3 })).toEqual({ answer: {}, edits: [] });
      const [first = 0, second = 0] = server.got.map(({ at }) => at);
      return second - first;
    };
    const both = [() => "1", () => new Date(Date.now() + 2_000).toUTCString()].map(waited);
    // A date has whole seconds.
    for (const ms of await Promise.all(both)) expect(ms).toBeGreaterThan(950);
  });

  it.each([["3600"], ["9".repeat(400)], [new Date(Date.now() + 3_600_000).toUTCString()]])(
    "fails at once if Retry-After exceeds its timeout: %s",
    async (retryAfter) => {
      const server = await servers.http((response) =>
        response.writeHead(429, { "retry-after": retryAfter }).end(),
      );
      const [failure, took] = await timed(() =>
        failureOf(ask(webhook(server.url), { maxRetries: 3, timeoutMs: 15_000 })),
      );
      expect(failure).toEqual({ kind: "answer", message: "status 429" });
      expect(server.got).toHaveLength(1);
      expect(took).toBeLessThan(8_000);
    },
  );
});
