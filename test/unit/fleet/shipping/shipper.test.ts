import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Shipper } from "../../../../src/fleet/shipping/shipper.ts";
import type { ShipperOptions, Shipped } from "../../../../src/fleet/shipping/shipper.ts";
import { folder, linesIn, logIn, rewrite } from "../../records/audit/logs.ts";
import { Lines } from "../../engine/orcs/engine.ts";
import { logLines, receiver, type Receiver } from "./receiver.ts";

const WAIT = { timeout: 30_000, interval: 5 };

/** A log, its receiver, and what a service knows of both. */
async function rig() {
  const dir = folder();
  const state = folder();
  const server = await receiver();
  const logger = new Lines();
  const told: Shipped[] = [];
  const cursorFile = join(state, "audit-sent", "log.json");
  const options: ShipperOptions = {
    url: server.url,
    intervalMs: 5,
    statusMs: 3_600_000,
    dir,
    log: "log",
    stateDir: state,
    cursorFile,
    status: () => ({ hooks: 3 }),
    told: (shipped) => void told.push(shipped),
    logger,
    mostWaitMs: 20,
  };
  const begin = (more: Partial<ShipperOptions> = {}): Shipper => {
    const shipper = new Shipper({ ...options, ...more });
    onTestFinished(() => shipper.stop(0));
    return shipper;
  };
  return { dir, state, server, logger, told, cursorFile, begin };
}

async function append(dir: string, from: number, to: number, more: object = {}): Promise<void> {
  const log = logIn(dir, more);
  for (let n = from; n <= to; n++) await log.append({ n });
  await log.close();
}

const stored = (server: Receiver) => () => logLines(server.stored);
const batches = ({ requests }: Receiver) => requests.flatMap(({ header }) => header ?? []);

test("the lines are sent as they were written, once, with where they are in the chain", async () => {
  const { dir, server, begin } = await rig();
  await append(dir, 1, 5);
  begin();
  await expect.poll(stored(server), WAIT).toEqual(linesIn(dir));
  await append(dir, 6, 8);
  await expect.poll(stored(server), WAIT).toEqual(linesIn(dir));
  const hashes = linesIn(dir).map((line) => (JSON.parse(line) as { hash: string }).hash);
  const [first, second] = batches(server);
  expect(first).toMatchObject({ log: "log", after: 0, first: 1, last: 5, head: hashes[4] });
  expect(first?.prev).toBe("0".repeat(64));
  expect(second).toMatchObject({
    after: 5,
    first: 6,
    prev: hashes[4],
    head: hashes[second!.last - 1],
  });
  expect(second?.machine).toBe(first?.machine);
  const [{ request } = {}] = server.requests;
  expect(request?.headers).toMatchObject({
    "content-type": "application/x-ndjson",
    "content-encoding": "gzip",
    "idempotency-key": first?.id,
  });
});

test("the status comes at its interval, also without lines", async () => {
  const { server, begin } = await rig();
  begin({ statusMs: 20 });
  await expect.poll(() => server.stored.length, WAIT).toBeGreaterThan(2);
  expect(JSON.parse(server.stored[0] ?? "")).toMatchObject({
    orcs_status: 1,
    log: "log",
    hooks: 3,
  });
});

test("without new lines there is no request", async () => {
  const { dir, server, begin } = await rig();
  await append(dir, 1, 2);
  begin();
  await expect.poll(stored(server), WAIT).toHaveLength(2);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(server.requests).toHaveLength(1);
});

describe("a receiver that", () => {
  test.each<[string, NonNullable<Receiver["answer"]>]>([
    ["answers 500", (response) => response.writeHead(500).end("broken")],
    ["answers 400", (response) => response.writeHead(400).end()],
    ["answers 429", (response) => response.writeHead(429, { "retry-after": "0" }).end()],
    ["redirects", (response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end()],
    ["closes the connection", (response) => response.destroy()],
    ["never answers", () => undefined],
    [
      "answers without end and an error",
      (response) => {
        response.writeHead(503);
        const more = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536))) {
            // Until the buffer is full.
          }
        };
        response.on("drain", more);
        more();
      },
    ],
  ])("%s gets the same batch again, and later all lines", async (name, answer) => {
    const { dir, server, logger, told, begin } = await rig();
    await append(dir, 1, 3);
    server.answer = answer;
    // A busy machine must answer in time once it answers.
    const ms = /never|without end/.test(name) ? 400 : 20_000;
    begin({ times: { answer: ms, body: ms } });
    await expect.poll(() => server.requests.length, WAIT).toBeGreaterThan(1);
    await append(dir, 4, 6);
    await expect.poll(() => server.requests.length, WAIT).toBeGreaterThan(3);
    expect(new Set(batches(server).map(({ id }) => id)).size).toBe(1);
    expect(logger.lines.filter((line) => line.includes("ORCS9330"))).toHaveLength(1);
    expect(told.every(({ result }) => result === "failed")).toBe(true);
    server.answer = undefined;
    await expect.poll(stored(server), WAIT).toEqual(linesIn(dir));
  });

  test("refuses large requests gets smaller ones", async () => {
    const { dir, server, begin } = await rig();
    await append(dir, 1, 40);
    server.answer = (response, { lines }) => {
      if (lines.length > 8) return void response.writeHead(413).end();
      server.stored.push(...lines);
      response.writeHead(204).end();
    };
    begin();
    await expect.poll(stored(server), WAIT).toEqual(linesIn(dir));
  });

  test("asks for a pause gets it", async () => {
    const { dir, server, begin } = await rig();
    await append(dir, 1, 1);
    const at: number[] = [];
    server.answer = (response) => {
      at.push(performance.now());
      response.writeHead(503, { "retry-after": "1" }).end();
    };
    begin({ mostWaitMs: 200 });
    await expect.poll(() => at.length, WAIT).toBe(2);
    // Twice the longest wait of its own, at most.
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(390);
  });
});

test("what was received and not confirmed is sent again by the next service, with the same id", async () => {
  const { dir, server, begin } = await rig();
  await append(dir, 1, 4);
  server.answer = (response, { lines }) => {
    server.stored.push(...lines);
    response.destroy();
  };
  const first = begin();
  await expect.poll(() => server.requests.length, WAIT).toBeGreaterThan(0);
  await first.stop(0);
  await append(dir, 5, 9);
  server.answer = undefined;
  server.stored.length = 0;
  begin();
  await expect.poll(stored(server), WAIT).toEqual(linesIn(dir));
  const all = batches(server);
  const again = all.filter(({ first: from }) => from === 1);
  expect(again.length).toBeGreaterThan(1);
  expect(new Set(again.map(({ id }) => id)).size).toBe(1);
});

test("at its end a service sends what was just written", async () => {
  const { dir, server, begin } = await rig();
  await append(dir, 1, 1);
  const shipper = begin({ intervalMs: 60_000 });
  await expect.poll(stored(server), WAIT).toHaveLength(1);
  await append(dir, 2, 3);
  await shipper.stop(30_000);
  expect(stored(server)()).toEqual(linesIn(dir));
});

describe("rotation", () => {
  test("between two batches loses nothing", async () => {
    const { dir, server, begin } = await rig();
    const small = { maxBytes: 2000 };
    await append(dir, 1, 4, small);
    begin();
    await expect.poll(stored(server), WAIT).toEqual(linesIn(dir));
    await append(dir, 5, 60, small);
    await expect.poll(stored(server), WAIT).toEqual(linesIn(dir));
    expect(batches(server).every(({ after, first }) => first === after + 1)).toBe(true);
  });

  test("that removes lines before they are sent is said, here and to the receiver", async () => {
    const { dir, server, logger, told, begin } = await rig();
    const small = { maxBytes: 2000, keepBytes: 4000 };
    await append(dir, 1, 3, small);
    const first = begin();
    await expect.poll(() => told[0]?.lines, WAIT).toBe(3);
    await first.stop(0);
    await append(dir, 4, 60, small);
    begin();
    const [oldest = ""] = linesIn(dir);
    const { seq } = JSON.parse(oldest) as { seq: number };
    await expect.poll(stored(server), WAIT).toContain(linesIn(dir).at(-1));
    expect(batches(server)[1]).toMatchObject({ after: 3, first: seq });
    const lost = () => told.reduce((sum, shipped) => sum + shipped.lost, 0);
    await expect.poll(lost, WAIT).toBe(seq - 4);
    const said = `ORCS9331: lines 4 to ${seq - 1} of the audit log`;
    expect(logger.lines.filter((line) => line.includes(said))).toHaveLength(1);
  });
});

describe("what is on disk", () => {
  test("a log that was removed is sent from its start", async () => {
    const { dir, server, begin } = await rig();
    await append(dir, 1, 5);
    begin();
    await expect.poll(stored(server), WAIT).toHaveLength(5);
    rmSync(join(dir, "audit.jsonl"));
    await append(dir, 1, 5, { now: () => 1 });
    await expect.poll(stored(server), WAIT).toHaveLength(10);
    expect(batches(server)[1]).toMatchObject({ after: 0, first: 1 });
  });

  test("lines that were damaged are left out or sent as they are, and never again and again", async () => {
    const { dir, server, begin } = await rig();
    await append(dir, 1, 6);
    begin();
    await expect.poll(stored(server), WAIT).toHaveLength(6);
    rewrite(dir, (lines) =>
      lines.with(2, "rubbish").with(5, (lines[5] ?? "").replace('"n":6', '"n":7')),
    );
    await append(dir, 7, 8);
    await expect.poll(() => server.stored.at(-1), WAIT).toBe(linesIn(dir).at(-1));
    const before = server.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(server.requests.length).toBe(before);
  });

  test("an incomplete line waits for its end", async () => {
    const { dir, server, begin } = await rig();
    await append(dir, 1, 2);
    const path = join(dir, "audit.jsonl");
    const whole = readFileSync(path);
    writeFileSync(path, whole.subarray(0, -10));
    begin();
    await expect.poll(stored(server), WAIT).toHaveLength(1);
    writeFileSync(path, whole);
    await expect.poll(stored(server), WAIT).toEqual(linesIn(dir));
  });

  test("a cursor that cannot be written delays nothing, and is written later", async () => {
    const { dir, state, server, logger, cursorFile, begin } = await rig();
    // As on a full disk: nothing can be created there.
    writeFileSync(join(state, "audit-sent"), "");
    await append(dir, 1, 3);
    begin();
    await expect.poll(stored(server), WAIT).toEqual(linesIn(dir));
    await append(dir, 4, 6);
    await expect.poll(stored(server), WAIT).toEqual(linesIn(dir));
    expect(logger.lines.filter((line) => line.includes("ORCS9332"))).toHaveLength(1);
    rmSync(join(state, "audit-sent"));
    await expect.poll(() => readFileSync(cursorFile, "utf8"), WAIT).toContain(`"seq":6`);
    expect(stored(server)()).toHaveLength(6);
  });

  test("a damaged cursor sends all of it again", async () => {
    const { dir, server, cursorFile, begin } = await rig();
    await append(dir, 1, 3);
    const first = begin();
    await expect.poll(stored(server), WAIT).toHaveLength(3);
    await first.stop(0);
    writeFileSync(cursorFile, '{"seq":-1}');
    begin();
    await expect.poll(stored(server), WAIT).toEqual([...linesIn(dir), ...linesIn(dir)]);
  });

  test("two services of one log send each line, and agree on where it ends", async () => {
    const { dir, server, cursorFile, begin } = await rig();
    begin();
    begin();
    await append(dir, 1, 30);
    await expect.poll(() => new Set(stored(server)()), WAIT).toEqual(new Set(linesIn(dir)));
    await expect.poll(() => readFileSync(cursorFile, "utf8"), WAIT).toContain(`"seq":30`);
  });
});

test("the token is read from its file for each request", async () => {
  const { dir, state, server, logger, begin } = await rig();
  const tokenFile = join(state, "token");
  await append(dir, 1, 1);
  begin({ tokenFile });
  await expect.poll(() => logger.lines.join(""), WAIT).toContain("no such file");
  expect(server.requests).toEqual([]);
  writeFileSync(tokenFile, "secret\n");
  await expect.poll(stored(server), WAIT).toHaveLength(1);
  expect(server.requests[0]?.request.headers.authorization).toBe("Bearer secret");
});

test("the id of a machine is made once", async () => {
  const { state, server, begin } = await rig();
  mkdirSync(state, { recursive: true });
  begin({ statusMs: 10 });
  begin({ statusMs: 10 });
  await expect.poll(() => server.stored.length, WAIT).toBeGreaterThan(3);
  const ids = server.stored.map((line) => (JSON.parse(line) as { machine: string }).machine);
  expect([...new Set(ids)]).toEqual([readFileSync(join(state, "machine-id"), "utf8").trim()]);
});
