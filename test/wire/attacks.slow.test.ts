import { describe, expect, test } from "vitest";
import { OrcsClient } from "../../src/daemon/client/client.ts";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServiceRig } from "../unit/daemon/service-rig.ts";
import { http, LineClient, serviceRig } from "../unit/daemon/service-rig.ts";

const PATIENCE = { timeout: 30_000 };

/** Writes every failure of a tool into `orcs.state`. */
const CONFIG = `
lua = { max_run_ms = 10000, max_chain_ms = 20000 }
[engine]
max_payload_mb = 1
[serve]
port = 0
[[hooks]]
id = "wait"
point = "tool.pre_execute"
handler_inline = 'if ctx.payload.args.wait then orcs.sleep(ctx.payload.args.wait) end'
[[hooks]]
id = "failures"
point = "tool.on_failure"
handler_inline = 'orcs.state.set("failed:" .. ctx.payload.tool_name, ctx.payload.error)'
`;

const rigOf = (times = {}): Promise<ServiceRig> => serviceRig({ "orcs.toml": CONFIG }, { times });

function clientOf({ address }: ServiceRig, more = {}): OrcsClient {
  return new OrcsClient({ service: address.wellKnown, ...more });
}

async function answersOf(client: LineClient, count: number): Promise<LineClient["answers"]> {
  await expect.poll(() => client.answers.length, PATIENCE).toBe(count);
  return client.answers;
}

describe("a client that is killed in the middle of invoke", () => {
  test("while its tool runs: the tool has failed, and its call is unknown", async () => {
    const rig = await rigOf();
    const victim = new LineClient(rig.address.socket);
    victim.send({ v: 1, op: "invoke", tool: "a", args: {} });
    const [step] = await answersOf(victim, 1);
    expect(step).toMatchObject({ status: "run" });
    victim.socket.destroy();
    const client = clientOf(rig);
    await expect
      .poll(async () => (await client.state("failed:a")).value, PATIENCE)
      .toBe("the caller was gone before it reported a result");
    const other = new LineClient(rig.address.socket);
    other.send({ v: 1, op: "result", call: step?.["call"], result: "late" });
    const [answer] = await answersOf(other, 1);
    expect(answer?.error).toMatch(/^ORCS7016/);
    client.close();
  });

  test("while its pre hooks run: its tool is never waited for", async () => {
    const rig = await rigOf();
    const victim = new LineClient(rig.address.socket);
    victim.send({ v: 1, op: "invoke", tool: "b", args: { wait: 500 } });
    const client = clientOf(rig);
    await client.state();
    victim.socket.destroy();
    await expect.poll(async () => (await client.state("failed:b")).value, PATIENCE).toBeDefined();
    client.close();
  });

  test("1,024 calls can be open, and all end with their connection", async () => {
    const rig = await rigOf();
    const greedy = new LineClient(rig.address.socket);
    for (let id = 0; id < 1025; id++) greedy.send({ v: 1, op: "invoke", id, tool: "c", args: {} });
    const answers = await answersOf(greedy, 1025);
    expect(answers.filter(({ error }) => error?.startsWith("ORCS7017"))).toHaveLength(1);
    const client = clientOf(rig);
    expect(await client.invoke("d", {}, () => 1)).toMatchObject({ ok: false });
    greedy.socket.destroy();
    await expect.poll(async () => (await client.invoke("d", {}, () => 1)).ok, PATIENCE).toBe(true);
    client.close();
  });

  test("a result counts once, and is either a result or an error", async () => {
    const rig = await rigOf();
    const client = new LineClient(rig.address.socket);
    client.send({ v: 1, op: "invoke", tool: "a", args: {} });
    const [step] = await answersOf(client, 1);
    const call = step?.["call"];
    client.send({ v: 1, op: "result", call }, { v: 1, op: "result", call, result: 1, error: "x" });
    client.send({ v: 1, op: "result", call, result: 1 }, { v: 1, op: "result", call, result: 2 });
    const answers = await answersOf(client, 5);
    expect(answers.slice(1).map(({ error, status }) => error?.slice(0, 8) ?? status)).toEqual([
      "ORCS7014",
      "ORCS7014",
      "done",
      "ORCS7016",
    ]);
  });

  test("over HTTP, the tool has failed after tool_ms", async () => {
    const rig = await rigOf();
    const body = JSON.stringify({ tool: "e", args: {}, tool_ms: 50 });
    expect((await http(rig, "/v1/invoke", { body })).body).toContain('"status":"run"');
    const client = clientOf(rig);
    await expect
      .poll(async () => (await client.state("failed:e")).value, PATIENCE)
      .toBe("the tool did not return within 50 ms");
    client.close();
  });
});

test(
  "a client that never reads its events slows nobody, and learns what it has lost",
  { timeout: 300_000 },
  async () => {
    const rig = await rigOf();
    const sleeper = new LineClient(rig.address.socket);
    sleeper.send({ v: 1, op: "events", id: 1 });
    await answersOf(sleeper, 1);
    sleeper.socket.pause();
    const client = clientOf(rig);
    const payload = { tool_name: "exec", args: { text: "x".repeat(2000) } };
    for (let i = 0; i < 6000; i += 100) {
      await Promise.all(
        Array.from({ length: 100 }, () => client.dispatch("tool.pre_execute", payload)),
      );
    }
    sleeper.socket.resume();
    const lost = (): number =>
      sleeper.answers.reduce((sum, answer) => sum + Number(answer["lost"]), 0);
    const told = (): number =>
      sleeper.answers.reduce((sum, answer) => sum + (answer["events"] as unknown[]).length, 0);
    await expect.poll(() => lost() + told(), PATIENCE).toBe(6000);
    expect(lost()).toBeGreaterThan(0);
    client.close();
  },
);

test("a fifth reader of events is declined, until another one has gone", async () => {
  const rig = await rigOf();
  const readers = Array.from({ length: 5 }, () => new LineClient(rig.address.socket));
  for (const reader of readers) {
    reader.send({ v: 1, op: "events" });
    await answersOf(reader, 1);
  }
  expect(readers[4]?.answers[0]?.error).toMatch(/^ORCS7017/);
  readers[0]?.socket.destroy();
  const next = (): Promise<unknown> => {
    const client = clientOf(rig);
    return client
      .events()
      .next()
      .finally(() => client.close())
      .catch(() => undefined);
  };
  await expect.poll(next, PATIENCE).toMatchObject({ value: { events: [], lost: 0 } });
});

test.each([2, 0, 1.5, "1", null, [1], true])("version %j is not spoken", async (v) => {
  const rig = await rigOf();
  const client = new LineClient(rig.address.socket);
  client.send({ v, op: "state" }, { op: "hello", versions: [v] }, { v: 1, op: "state" });
  const answers = await answersOf(client, 3);
  expect(answers[0]?.error).toMatch(/^ORCS7015/);
  expect(answers[1]?.error).toMatch(/^ORCS701[45]/);
  expect(answers[2]).toHaveProperty("hooks");
});

test("hello of a client of another configuration is declined", async () => {
  const rig = await rigOf();
  const client = new LineClient(rig.address.socket);
  client.send({ op: "hello", versions: [1], key: "x" });
  const [answer] = await answersOf(client, 1);
  expect(answer?.error).toMatch(/^ORCS7014: this service serves another configuration/);
});

test("a wrong token denies", async () => {
  const rig = await rigOf();
  const known = JSON.parse(readFileSync(rig.address.wellKnown, "utf8")) as object;
  const file = join(rig.dir, "forged.json");
  writeFileSync(file, JSON.stringify({ ...known, token: "x".repeat(43) }), { mode: 0o600 });
  const client = new OrcsClient({ service: file, transport: "http" });
  expect(await client.dispatch("tool.pre_execute", { tool_name: "x", args: {} })).toMatchObject({
    action: "abort",
    hook: "orcs:client",
  });
  client.close();
});

test("a service that ends tells its readers, and a client finds the next one", async () => {
  const rig = await rigOf();
  const client = clientOf(rig);
  const events = client.events();
  await events.next();
  expect(await client.invoke("d", {}, () => 1)).toMatchObject({ ok: true });
  await rig.daemon.stop();
  const rest = async (): Promise<void> => {
    for (let next = await events.next(); next.done !== true;) next = await events.next();
  };
  await expect(rest()).rejects.toThrow("ORCS7018");
  const denied = await client.dispatch("tool.pre_execute", { tool_name: "x", args: {} });
  expect(denied).toMatchObject({ action: "abort", hook: "orcs:client" });
  client.close();
});

test("a restart while a tool runs: its result passes the post hooks of the next service", async () => {
  const replacing = `
[[hooks]]
id = "mask"
point = "tool.post_execute"
handler_inline = 'if ctx.payload.result == "secret" then return orcs.replace("[masked]") end'
`;
  const first = await serviceRig({ "orcs.toml": replacing });
  const client = clientOf(first);
  const ended = await client.invoke("exec", {}, async () => {
    await first.daemon.stop();
    const { address } = first;
    await serviceRig({ "orcs.toml": replacing }, { address });
    return "secret";
  });
  expect(ended).toMatchObject({ ok: true, result: "[masked]" });
  client.close();
});
