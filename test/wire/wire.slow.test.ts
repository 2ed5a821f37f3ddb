import type { ChildProcess } from "node:child_process";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { ClientOptions } from "../../src/daemon/client/client.ts";
import { OrcsClient } from "../../src/daemon/client/client.ts";
import { OPERATIONS } from "../../src/daemon/wire/operations.ts";
import { Daemon } from "../../src/daemon/service/daemon.ts";
import { configPlace } from "../../src/config/trust/config-place.ts";
import { folder, Lines } from "../unit/engine/orcs/engine.ts";
import { addressIn, LineClient, serviceRig } from "../unit/daemon/service-rig.ts";
import { trustedHere } from "../trusted.ts";
import type { Deed, WireCase } from "./cases.ts";
import { expected, wireCases, withTypeScript } from "./cases.ts";
import { BROKEN, FakeService } from "./fake-service.ts";
import { tryOneOf } from "../slow-test.ts";

/** The clients carry out the same cases, with the real service or a fake one. */

const CONFIG = readFileSync(new URL("orcs.toml", import.meta.url), "utf8");
const CASES = wireCases();
const HAS_PYTHON = spawnSync("python3", ["--version"]).status === 0;
if (!HAS_PYTHON) console.warn("SKIPPED: python3 is missing, so the Python client is not tested");

type CarryOut = (deed: Deed, options: ClientOptions) => Promise<object>;

/** Its hooks are no part of the cases. */
function withoutSelfGuard(): void {
  vi.stubEnv("XDG_CONFIG_HOME", folder({ "orcs/orcs.toml": "self_guard = false\n" }));
}

/** The Python client, in one process for all cases. */
class Python {
  #process: ChildProcess | undefined;
  readonly #waiting: ((line: string) => void)[] = [];
  readonly carryOut: CarryOut = (deed, { service, ...client }) =>
    new Promise((resolve) => {
      this.#waiting.push((line) => resolve(JSON.parse(line) as object));
      this.#process?.stdin?.write(`${JSON.stringify({ service, client, do: deed })}\n`);
    });

  start(): void {
    const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
    const child = spawn("python3", [path("driver.py"), path("../../clients/python")], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    createInterface({ input: child.stdout }).on("line", (line) => this.#waiting.shift()?.(line));
    this.#process = child;
  }

  stop(): void {
    this.#process?.kill();
  }
}

const python = new Python();
beforeAll(() => {
  if (HAS_PYTHON) python.start();
});
afterAll(() => python.stop());

async function carriedOut(
  { service, fake, do: deed, client = {} }: WireCase,
  carryOut: CarryOut,
  transport: "socket" | "http",
): Promise<object> {
  if (fake) {
    const served = await new FakeService(folder(), fake).start();
    onTestFinished(() => served.stop());
    const result = await carryOut(deed, { ...client, service: served.file });
    const sent = served.requests.at(-1);
    return { ...result, sent };
  }
  if (service !== undefined) {
    const file = await BROKEN[service]?.(folder());
    return carryOut(deed, { ...client, service: file });
  }
  withoutSelfGuard();
  const { address } = await serviceRig({ "orcs.toml": CONFIG });
  return carryOut(deed, { ...client, service: address.wellKnown, transport });
}

const CLIENTS: readonly (readonly [string, CarryOut, "socket" | "http"])[] = [
  ["TypeScript, socket", withTypeScript, "socket"],
  ["TypeScript, HTTP", withTypeScript, "http"],
  ["Python", (deed, options) => python.carryOut(deed, options), "socket"],
];

test("there are 100 cases, with different names", () => {
  const names = CASES.flatMap(([file, cases]) => cases.map(({ name }) => `${file}: ${name}`));
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(100);
});

describe.each(CLIENTS)("%s", (name, carryOut, transport) => {
  tryOneOf(
    2,
    CLIENTS.findIndex(([client]) => client === name),
  );
  const isOurs = name !== "Python" || HAS_PYTHON;
  for (const [file, cases] of CASES) {
    // A fake service has no HTTP.
    const those = cases.filter(
      ({ fake, service }) => transport === "socket" || (!fake && service === undefined),
    );
    if (those.length === 0) continue;
    describe.runIf(isOurs)(file, () => {
      test.each(those)("$name", async (each) => {
        const result = await carriedOut(each, carryOut, transport);
        expect(result).toMatchObject(expected(each.expect) as object);
        if ("ran" in each.expect) expect(result).toHaveProperty("ran", each.expect["ran"]);
      });
    });
  }
});

test("answers of the service have the published form", async () => {
  const { address } = await serviceRig({ "orcs.toml": CONFIG });
  for (const [, cases] of CASES) {
    for (const { do: deed, fake, service } of cases) {
      if (fake || service !== undefined || !("dispatch" in deed)) continue;
      const { dispatch: point, payload, options } = deed;
      const client = new LineClient(address.socket);
      client.send({ v: 1, op: "dispatch", point, payload, ...options });
      await expect.poll(() => client.answers.length, { timeout: 30_000 }).toBe(1);
      const [answer] = client.answers;
      if (answer?.error !== undefined) continue;
      expect(OPERATIONS.dispatch.answer.safeParse(answer).error).toBeUndefined();
    }
  }
});

test.runIf(HAS_PYTHON)("the recipes of the Python client's README", async () => {
  withoutSelfGuard();
  const denying = `
[[hooks]]
id = "deny"
point = "tool.pre_execute"
match = { tool = "run_command" }
handler_inline = 'if ctx.payload.args.command == "deny" then return orcs.deny("not this") end'
`;
  const runtime = folder();
  mkdirSync(join(runtime, "orcs"), { mode: 0o700 });
  vi.stubEnv("XDG_RUNTIME_DIR", runtime);
  const dir = folder({ "orcs.toml": denying, "notes.txt": "some notes" });
  await trustedHere(dir, folder());
  const place = configPlace(dir, undefined);
  const address = {
    ...addressIn(folder()),
    wellKnown: join(runtime, "orcs", "0123456789abcdef.json"),
  };
  const daemon = new Daemon({ place, address, logger: new Lines(), isBackground: false });
  onTestFinished(() => daemon.stop());
  await daemon.start();
  const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
  const args = [
    path("recipes.py"),
    path("../../clients/python"),
    path("../../clients/python/README.md"),
  ];
  const child = spawn("python3", args, { cwd: dir, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (part: string) => (text += part));
  }
  await new Promise((resolve) => child.on("close", resolve));
  expect(text.split("\n")).toEqual([
    "ran ls",
    "denied by hook deny: not this",
    "ran ls",
    "denied by hook deny: not this",
    "1",
    "some notes",
    "",
  ]);
});

describe.each(["socket", "http"] as const)("events over %s", (transport) => {
  async function connected(): Promise<OrcsClient> {
    withoutSelfGuard();
    const { address } = await serviceRig({ "orcs.toml": CONFIG });
    const client = new OrcsClient({ service: address.wellKnown, transport });
    onTestFinished(() => client.close());
    return client;
  }

  test("with brief, what passed is a summary, and the rest of it is there while the stream is open", async () => {
    const client = await connected();
    const events = client.events({ brief: true });
    await events.next();
    const payload = { tool_name: "look", args: { command: "ls" }, session_id: "s" };
    await client.dispatch("tool.pre_execute", payload);
    const [summary] = (await events.next()).value?.events ?? [];
    expect(summary).toMatchObject({ brief: true, tool_name: "look", subject: "ls" });
    const id = summary?.dispatch_id ?? "";
    expect(await client.event(id)).toMatchObject({
      dispatch_id: id,
      payload,
      hooks: [{}, { hook: "pre" }, {}],
    });
    expect(await client.event("another")).toBeUndefined();
    await events.return();
    await expect.poll(() => client.event(id), { timeout: 30_000 }).toBeUndefined();
  });

  test("without it everything comes whole, and a misspelt field is an error", async () => {
    const client = await connected();
    const events = client.events();
    await events.next();
    await client.dispatch("tool.pre_execute", { tool_name: "look", args: {} });
    const [whole] = (await events.next()).value?.events ?? [];
    expect(whole).toMatchObject({ payload: { tool_name: "look" } });
    expect(whole?.["hooks"]).toHaveLength(3);
    expect(await client.event(whole?.dispatch_id ?? "")).toBeUndefined();
    await expect(client.events({ breif: true } as object).next()).rejects.toThrow("ORCS7014");
  });
});
