import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { freePort } from "../../../../src/cli/install.ts";
import type { HttpEndpoint } from "../../../../src/agents/http-endpoint.ts";
import {
  httpEndpointFile,
  newToken,
  whoListens,
  writeHttpEndpoint,
} from "../../../../src/agents/http-endpoint.ts";
import { endSession, saveSession } from "../../../../src/daemon/sessions/session-store.ts";
import { UserService } from "../../../../src/daemon/sessions/user-service.ts";

let state: string;
let place: HttpEndpoint;
const services: UserService[] = [];
beforeEach(async () => {
  state = mkdtempSync(join(tmpdir(), "orcs-user-"));
  place = { port: await freePort(), token: newToken() };
  writeHttpEndpoint(httpEndpointFile(state), place);
});
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.stop()));
  rmSync(state, { recursive: true, force: true });
});

const LOGGER = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  hears: () => false,
};
const SESSION = {
  host: "claude-code",
  id: "s",
  cwd: "/",
  env: {},
  args: [],
  key: "k",
  runtime: "/",
} as const;

async function serve(times = {}): Promise<UserService> {
  const service = new UserService({ stateDir: state, logger: LOGGER, isBackground: true, times });
  services.push(service);
  await service.start();
  return service;
}

const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`http://127.0.0.1:${place.port}${path}`, init);

test("whoListens identifies the service by the token", async () => {
  expect(await whoListens(place)).toBe("nobody");
  await serve();
  expect(await whoListens(place)).toBe("ours");
  expect(await whoListens({ ...place, token: newToken() })).toBe("another");
});

test.each([
  ["says that all is well", '{"ok":true}'],
  ["never ends", "x".repeat(100_000)],
])("whoListens reports a program that %s as another", async (_, said) => {
  const other = createServer((_request, response) => response.end(said));
  await new Promise<void>((resolve) => other.listen(place.port, "127.0.0.1", resolve));
  try {
    expect(await whoListens(place)).toBe("another");
    await expect(serve()).rejects.toThrow(/ORCS7003/);
  } finally {
    other.closeAllConnections();
    other.close();
  }
});

test("whoListens reports a silent program as unknown", async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(place.port, "127.0.0.1", resolve));
  expect(await whoListens(place)).toBe("silent");
  silent.closeAllConnections();
  silent.close();
});

test("the user service accepts coding agent events only", async () => {
  await serve();
  const headers = { authorization: `Bearer ${place.token}`, "content-type": "application/json" };
  const post = (path: string) => ask(path, { method: "POST", headers, body: "{}" });
  expect((await post("/hooks/claude-code")).status).toBe(200);
  expect((await post("/hooks/nobody")).status).toBe(404);
  expect((await post("/v1/dispatch")).status).toBe(404);
  expect((await ask("/metrics", { headers })).status).toBe(404);
  expect((await ask("/hooks/claude-code", { method: "POST", body: "{}" })).status).toBe(401);
  expect((await ask(`/healthz?nonce=${"a".repeat(201)}`)).status).toBe(400);
});

test("the user service runs while a session is open, then ends", async () => {
  saveSession(state, SESSION);
  const service = await serve({ tick: 20, idle: 0 });
  let hasEnded = false;
  void service.ended.then(() => (hasEnded = true));
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(hasEnded).toBe(false);
  endSession(state, SESSION);
  await service.ended;
  expect(await whoListens(place)).toBe("nobody");
});

test.each([
  ["gone", () => rmSync(httpEndpointFile(state))],
  [
    "of another port",
    () => writeHttpEndpoint(httpEndpointFile(state), { ...place, port: place.port + 1 }),
  ],
])("the user service ends when its endpoint file is %s", async (_, change) => {
  saveSession(state, SESSION);
  const service = await serve({ tick: 20 });
  change();
  await service.ended;
});

test("a new token applies as soon as it is written", async () => {
  await serve();
  const renewed = { ...place, token: newToken() };
  writeHttpEndpoint(httpEndpointFile(state), renewed);
  expect(await whoListens(place)).toBe("another");
  expect(await whoListens(renewed)).toBe("ours");
  expect(JSON.parse(readFileSync(httpEndpointFile(state), "utf8"))).toEqual(renewed);
});
