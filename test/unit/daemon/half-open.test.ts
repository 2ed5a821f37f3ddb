import { connect } from "node:net";
import type { Socket } from "node:net";
import { Agent, request } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { WaitingRoom } from "../../../src/daemon/service/waiting-room.ts";
import type { Dismissal } from "../../../src/daemon/service/waiting-room.ts";
import {
  dispatchRequest,
  http,
  httpOf,
  LineClient,
  preToolUse,
  serviceRig,
} from "./service-rig.ts";
import type { ServiceRig } from "./service-rig.ts";

/** Connections that say something, or nothing, and then wait. */
class Crowd {
  readonly sockets: Socket[] = [];
  readonly #to: { readonly port?: number; readonly path?: string };

  constructor(to: { readonly port?: number; readonly path?: string }) {
    this.#to = to;
    onTestFinished(() => this.sockets.forEach((socket) => socket.destroy()));
  }

  async grow(count: number, said = ""): Promise<this> {
    const connected = Array.from({ length: count }, () => {
      const { port = 0, path } = this.#to;
      const socket = path === undefined ? connect(port, "127.0.0.1") : connect(path);
      this.sockets.push(socket);
      socket.on("error", () => undefined);
      socket.resume();
      if (said !== "") socket.write(said);
      return new Promise<void>((resolve) => {
        socket.on("connect", () => resolve());
        socket.on("close", () => resolve());
      });
    });
    await Promise.all(connected);
    return this;
  }

  get open(): number {
    return this.sockets.filter((socket) => !socket.closed).length;
  }
}

const portOf = (rig: ServiceRig): number => rig.daemon.port ?? 0;
const forced = JSON.stringify({
  point: "tool.pre_execute",
  payload: { tool_name: "exec", args: { command: "--force" } },
});

/** It still answers, on each way in. */
async function answers(rig: ServiceRig): Promise<void> {
  const client = new LineClient(rig.address.socket);
  client.send(dispatchRequest({ command: "--force" }));
  const event = JSON.stringify(preToolUse("x --force"));
  const replies = [
    http(rig, "/v1/dispatch", { body: forced }),
    http(rig, "/hooks/claude-code", { body: event }),
  ];
  for (const reply of await Promise.all(replies)) {
    expect([reply.status, reply.body]).toEqual([200, expect.stringContaining("no force")]);
  }
  await expect.poll(() => client.answers, { timeout: 10_000 }).toMatchObject([{ action: "abort" }]);
}

describe("HTTP connections without the token", () => {
  const TOKEN_WRONG = "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer x\r\n";

  test("of 200, at most 32 are kept for a limited time, and events are still served", async () => {
    const rig = await serviceRig({}, { port: 0, times: { unproven: 500 } });
    const crowd = new Crowd({ port: portOf(rig) });
    for (const said of [
      "",
      "POST /hooks/codex HTTP/1.1\r\nHost: x\r\n",
      TOKEN_WRONG,
      `${TOKEN_WRONG}Content-Length: 5\r\n\r\n`,
      "x",
    ]) {
      await crowd.grow(40, said);
    }
    await answers(rig);
    await expect.poll(() => crowd.open, { timeout: 10_000 }).toBeLessThanOrEqual(32);
    await expect.poll(() => crowd.open, { timeout: 10_000 }).toBe(0);
    const told = rig.logger.lines.filter((line) => line.includes("without the token"));
    expect(told).toHaveLength(1);
  });

  test("are not kept alive by /healthz requests", async () => {
    const rig = await serviceRig({}, { port: 0, times: { unproven: 300 } });
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const reply = await new Promise<Record<string, unknown>>((resolve, reject) => {
      const asked = request(
        { agent, port: portOf(rig), host: "127.0.0.1", path: "/healthz" },
        (response) => {
          response.resume();
          response.on("end", () => resolve({ status: response.statusCode, ...response.headers }));
        },
      );
      asked.on("error", reject);
      asked.end();
    });
    expect(reply).toMatchObject({ status: 200, connection: "close" });
  });

  test("a connection that has sent the token is kept and does not count", async () => {
    const rig = await serviceRig({}, { port: 0, times: { unproven: 200 } });
    const { port, token } = httpOf(rig);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const ask = () =>
      new Promise<boolean>((resolve, reject) => {
        const headers = { authorization: `Bearer ${token}` };
        const asked = request(
          { agent, port, host: "127.0.0.1", path: "/metrics", headers },
          (response) => {
            response.resume();
            response.on("end", () => resolve(asked.reusedSocket));
          },
        );
        asked.on("error", reject);
        asked.end();
      });
    expect(await ask()).toBe(false);
    const crowd = await new Crowd({ port }).grow(150);
    await expect.poll(() => crowd.open, { timeout: 10_000 }).toBe(0);
    expect(await ask()).toBe(true);
  });
});

describe("idle connections to the socket", () => {
  test("of 300, the oldest are closed, and events are still served", async () => {
    const rig = await serviceRig({}, { port: 0 });
    const crowd = await new Crowd({ path: rig.address.socket }).grow(300);
    await answers(rig);
    await expect.poll(() => crowd.open, { timeout: 10_000 }).toBe(64);
    // Whoever is sent away hears that no hook has run, and asks its hooks by itself.
    const last = new LineClient(rig.address.socket);
    await crowd.grow(100);
    await expect
      .poll(() => last.answers, { timeout: 10_000 })
      .toMatchObject([{ error: expect.stringContaining("too many connections") }]);
    await answers(rig);
  });

  test("that have sent one request and then wait are limited too", async () => {
    const rig = await serviceRig();
    const line = `${JSON.stringify(dispatchRequest({}))}\n`;
    const crowd = await new Crowd({ path: rig.address.socket }).grow(400, line);
    await expect.poll(() => crowd.open, { timeout: 10_000 }).toBe(256);
  });

  test("that send nothing are closed after a time", async () => {
    const rig = await serviceRig({}, { times: { stall: 300 } });
    const client = new LineClient(rig.address.socket);
    await expect.poll(() => client.isClosed, { timeout: 10_000 }).toBe(true);
    expect(client.answers).toEqual([{ error: "ORCS7017: nothing came in 300 ms" }]);
  });

  test("that wait for a response stay open", async () => {
    const rig = await serviceRig({}, { times: { stall: 300 } });
    const client = new LineClient(rig.address.socket);
    client.send(dispatchRequest({ command: "--force", wait: 800 }));
    const crowd = await new Crowd({ path: rig.address.socket }).grow(300);
    await expect
      .poll(() => client.answers, { timeout: 10_000 })
      .toMatchObject([{ action: "abort" }]);
    expect(crowd.open).toBeLessThan(300);
  });
});

test("WaitingRoom dismisses the longest-waiting connections, at once in a burst", () => {
  const gone: [number, Dismissal][] = [];
  const room = new WaitingRoom<number>({ most: 2, burst: 4 }, (one, why) => gone.push([one, why]));
  for (let i = 0; i < 6; i++) room.enter(i);
  expect(gone).toEqual([
    [0, "crowded"],
    [1, "crowded"],
  ]);
  room.leave(2);
  room.enter(3);
  room.enter(6);
  expect(gone).toHaveLength(2);
  room.enter(7);
  expect(gone.at(-1)).toEqual([4, "crowded"]);
});
