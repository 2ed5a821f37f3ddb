import { spawn, spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { publicKeyOf } from "../../src/fleet/bundles/keys.ts";
import { CALLS } from "../dist/hook-rig.ts";
import type { Service } from "../dist/service.ts";
import { ask, dispatchAt, serving, surroundings } from "../dist/service.ts";
import { folder, MAIN, orcsAlone, PATIENT, writeFiles } from "../dist/orcs.ts";
import { heard } from "../dist/processes.ts";
import { files, newKey, signed } from "../unit/fleet/bundles/rig.ts";
import { isWholeRun } from "../slow-test.ts";
import { bundleServer } from "../unit/fleet/bundles/server.ts";
import type { Receiver } from "../unit/fleet/shipping/receiver.ts";
import { logLines, receiver } from "../unit/fleet/shipping/receiver.ts";
import { freePort, hasRedis, killRedis, startRedis } from "./redis-rig.ts";
import { canIsolate } from "./own-etc.ts";

/** Faults of servers, disks, clocks and keys, with services as processes. */

const WAIT = { timeout: 60_000, interval: 100 };
const DAY = 86_400_000;
const { privateKey } = generateKeyPairSync("ed25519");
const KEY = publicKeyOf(privateKey).text;

interface Made {
  readonly expires?: string | null;
  readonly keys?: readonly KeyObject[];
  readonly more?: string;
}

/** A bundle whose hook denies with a word, and has so many bytes besides. */
function bundle(
  revision: number,
  word: string,
  { expires = null, keys = [privateKey], more = "" }: Made = {},
): Buffer {
  const toml = `${PATIENT}${more}[[hooks]]
id = "guard"
point = "tool.pre_execute"
match = { command = "evil" }
handler_inline = 'return orcs.deny("${word}")'
`;
  return signed({ revision, not_before: null, expires }, files({ "orcs.toml": toml }), ...keys);
}

function configured(toml: string): string {
  const dir = folder();
  writeFiles(dir, { "no-user/orcs/orcs.toml": toml });
  return dir;
}

const bundled = (url: string, keys: readonly string[] = [KEY], more = ""): string =>
  `${more}[bundle]\nurl = "${url}"\nkeys = ${JSON.stringify(keys)}\npoll = "1s"\n`;

const decided =
  ({ at }: Awaited<ReturnType<typeof serving>>, command = "evil") =>
  () =>
    ask(at.socket, dispatchAt({ command }));

async function ended({ child, ended: end }: Service): Promise<void> {
  child.kill("SIGTERM");
  await end;
}

/** A server as a process: it sends a file, or only half of it and then nothing. */
const SERVER = `const { createServer } = require("node:http"), { readFileSync } = require("node:fs");
const [, file, half, port] = process.argv;
createServer((request, response) => {
  const bytes = readFileSync(file);
  response.writeHead(200, { "content-length": bytes.length });
  if (half !== "half") return response.end(bytes);
  response.write(bytes.subarray(0, bytes.length / 2));
  console.log("half");
}).listen(Number(port), "127.0.0.1", () => console.log("ready"));`;

async function serverProcess(file: string, how: "half" | "whole", port: number) {
  const child = spawn(process.execPath, ["-e", SERVER, file, how, String(port)]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = heard(child.stdout);
  await expect.poll(said, WAIT).toContain("ready");
  const kill = async (): Promise<void> => {
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  };
  return { said, kill };
}

test("a server that is killed in the middle of a download: the last good bundle stays, and the next answer counts", async () => {
  const port = await freePort();
  const file = join(folder(), "policy.orcsbundle");
  writeFileSync(file, bundle(1, "first"));
  const first = await serverProcess(file, "whole", port);
  const dir = configured(bundled(`http://127.0.0.1:${port}/`));
  const service = await serving(dir);
  await expect.poll(decided(service), WAIT).toContain("first");
  await first.kill();
  writeFileSync(file, bundle(2, "second"));
  const second = await serverProcess(file, "half", port);
  await expect.poll(second.said, WAIT).toContain("half");
  await second.kill();
  await expect.poll(() => service.stderr(), WAIT).toMatch(/ORCS9006: .*(terminated|closed|reset)/);
  expect(await decided(service)()).toContain("first");
  await serverProcess(file, "whole", port);
  await expect.poll(decided(service), WAIT).toContain("second");
  const shown = await orcsAlone(["doctor"], { cwd: dir, env: surroundings(dir) });
  expect(shown.stdout).toContain("the bundle policy, revision 2, is active");
});

test("a key is rotated while a service runs, and the old one is taken out", async () => {
  const next = newKey();
  const nextKey = publicKeyOf(next).text;
  const server = await bundleServer(bundle(1, "old key"));
  const dir = configured(bundled(server.url));
  const config = join(dir, "no-user/orcs/orcs.toml");
  const service = await serving(dir);
  await expect.poll(decided(service), WAIT).toContain("old key");
  // Signed by the new key alone too early: refused, and the old one stays.
  server.bytes = bundle(2, "too early", { keys: [next] });
  await expect.poll(() => service.stderr(), WAIT).toContain("ORCS9002");
  expect(await decided(service)()).toContain("old key");
  server.bytes = bundle(2, "both keys", { keys: [privateKey, next] });
  await expect.poll(decided(service), WAIT).toContain("both keys");
  writeFileSync(config, bundled(server.url, [KEY, nextKey]));
  server.bytes = bundle(3, "new key", { keys: [next] });
  await expect.poll(decided(service), WAIT).toContain("new key");
  writeFileSync(config, bundled(server.url, [nextKey]));
  server.bytes = bundle(4, "stolen key", { keys: [privateKey] });
  await expect.poll(() => service.stderr(), WAIT).toMatch(/signed by \w+, and trusted are/);
  expect(await decided(service)()).toContain("new key");
});

const seqs = ({ stored }: Receiver) => [
  ...new Set(logLines(stored).map((line) => (JSON.parse(line) as { seq: number }).seq)),
];

async function damage({ stored }: Receiver, dir: string): Promise<unknown> {
  const file = join(folder(), "received.ndjson");
  writeFileSync(file, stored.map((line) => `${line}\n`).join(""));
  const args = ["audit", "verify", "--received", file, "--json"];
  const { stdout } = await orcsAlone(args, { cwd: dir, env: surroundings(dir) });
  return (JSON.parse(stdout) as { damage: unknown }).damage;
}

test("two services race: one bundle, exact counts, every line received once or more, nothing damaged", async () => {
  const log = await receiver();
  const server = await bundleServer(bundle(1, "revision 1"));
  const budget = `[[hooks]]
id = "budget"
point = "tool.pre_execute"
match = { command = "counted" }
handler_inline = 'if not orcs.state.incr("raced", 1, 3600000, 25) then return orcs.deny("over") end'
`;
  // One folder of state and one log: otherwise each folder of a user has its own.
  const paths = `[paths]\nstate = "${folder()}"\naudit = "${folder()}"\n`;
  const ship = `${paths}[ship]\nurl = "${log.url}"\ninterval = "1s"\nstatus = "1s"\n[audit]\nlevel = "all"\n`;
  const toml = bundled(server.url, [KEY], ship) + budget;
  const dirs = [configured(toml), configured(toml)];
  const services = [await serving(dirs[0] ?? ""), await serving(dirs[1] ?? "")];
  for (const service of services) await expect.poll(decided(service), WAIT).toContain("revision 1");
  for (let revision = 2; revision <= 5; revision++) {
    server.bytes = bundle(revision, `revision ${revision}`);
    const word = `revision ${revision}`;
    await Promise.all(
      services.map((service) => expect.poll(decided(service), WAIT).toContain(word)),
    );
  }
  const calls = await Promise.all(
    Array.from({ length: 60 }, (_, i) => decided(services[i % 2] ?? expect.fail(), "counted")()),
  );
  expect(calls.filter((each) => each.includes("over"))).toHaveLength(35);
  await Promise.all(services.map(ended));
  const store = join(surroundings(dirs[0] ?? "")["XDG_STATE_HOME"] ?? "", "orcs/bundle");
  expect(JSON.parse(readFileSync(join(store, "state.json"), "utf8"))).toMatchObject({
    revision: 5,
    refused: null,
  });
  expect(readdirSync(store).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  // Each service notes what it has fetched itself: a revision at most once each.
  const activated = logLines(log.stored).filter((line) => line.includes('"activated"'));
  const bySeq = new Map(activated.map((line) => [(JSON.parse(line) as { seq: number }).seq, line]));
  for (let revision = 1; revision <= 5; revision++) {
    const lines = [...bySeq.values()].filter((line) => line.includes(`"revision":${revision}`));
    expect(lines.length, `revision ${revision}`).toBeGreaterThan(0);
    expect(lines.length, `revision ${revision}`).toBeLessThanOrEqual(2);
  }
  const received = seqs(log).toSorted((a, b) => a - b);
  const from = received[0] ?? 0;
  expect(received).toEqual(received.map((_, i) => from + i));
  expect(await damage(log, dirs[0] ?? "")).toEqual([]);
});

/** A program that is told another time. */
function withClock(byMs: number): void {
  const file = join(folder(), "clock.cjs");
  writeFileSync(
    file,
    `const Real = Date, by = ${byMs};
globalThis.Date = class Date extends Real {
  constructor(...given) { given.length === 0 ? super(Real.now() + by) : super(...given); }
  static now() { return Real.now() + by; }
};`,
  );
  vi.stubEnv("NODE_OPTIONS", `--require ${file}`);
  onTestFinished(() => void vi.unstubAllEnvs());
}

describe("a wrong clock", () => {
  const clocks = [
    ["two days ahead", 2 * DAY, /ORCS9003: .*expired at/],
    ["two days behind", -2 * DAY, /ORCS9003: .*correct the clock/],
  ] as const;
  test.each(isWholeRun ? clocks : clocks.slice(0, 1))(
    "%s: the bundle is not used, and is again with the right one",
    async (_what, byMs, why) => {
      const expires = new Date(Math.floor(Date.now() / 1000) * 1000 + DAY)
        .toISOString()
        .replace(".000Z", "Z");
      const server = await bundleServer(bundle(1, "on time", { expires }));
      const dir = configured(bundled(server.url));
      const before = await serving(dir);
      await expect.poll(decided(before), WAIT).toContain("on time");
      await ended(before);
      server.answer = (request) => request.socket.destroy();
      withClock(byMs);
      const wrong = await serving(dir);
      expect(await decided(wrong, "harmless")()).toMatch(why);
      await ended(wrong);
      vi.unstubAllEnvs();
      const right = await serving(dir);
      expect(await decided(right)()).toContain("on time");
      expect(await decided(right, "harmless")()).toContain('"continue"');
    },
  );

  test.runIf(isWholeRun)(
    "lines that seem to be written before those before them are sent and intact",
    async () => {
      const log = await receiver();
      const said = `[[hooks]]
id = "guard"
point = "tool.pre_execute"
handler_inline = 'return orcs.deny("no " .. ctx.payload.args.command)'
`;
      const dir = configured(`[ship]\nurl = "${log.url}"\ninterval = "1s"\n${PATIENT}${said}`);
      for (const [word, byMs] of [
        ["one", 0],
        ["two", -2 * DAY],
        ["three", 2 * DAY],
        ["four", 0],
      ] as const) {
        if (byMs === 0) vi.unstubAllEnvs();
        else withClock(byMs);
        const service = await serving(dir);
        await decided(service, word)();
        await ended(service);
      }
      vi.unstubAllEnvs();
      const text = log.stored.join("\n");
      for (const word of ["one", "two", "three", "four"]) expect(text).toContain(`no ${word}`);
      expect(await damage(log, dir)).toEqual([]);
    },
  );

  test.skipIf(!hasRedis())("machines with clocks days apart count together", async () => {
    const port = await freePort();
    const redis = await startRedis(["--port", String(port), "--save", "", "--dir", folder()]);
    onTestFinished(() => killRedis(redis));
    const toml = `[state]
url = "redis://127.0.0.1:${port}"
${PATIENT}[[hooks]]
id = "budget"
point = "tool.pre_execute"
on_store_error = "closed"
handler_inline = 'if not orcs.state.incr("skewed", 1, 3600000, 10) then return orcs.deny("over") end'
`;
    const services = [];
    for (const byMs of [0, -2 * DAY, 2 * DAY]) {
      if (byMs !== 0) withClock(byMs);
      services.push(await serving(configured(toml)));
      vi.unstubAllEnvs();
    }
    let [admitted, over] = [0, 0];
    const until = performance.now() + 60_000;
    // One that the store did not answer in time was not counted.
    for (let i = 0; admitted + over < 24 && performance.now() < until; i++) {
      const said = await decided(services[i % 3] ?? expect.fail())();
      if (said.includes('"continue"')) admitted++;
      else if (said.includes("over")) over++;
    }
    expect([admitted, over]).toEqual([10, 14]);
  });
});

test.skipIf(!canIsolate)(
  "a full disk: the last good bundle stays, calls are decided, and nothing is half-written",
  () => {
    const dir = folder();
    for (const name of ["state", "home/orcs", "p"]) mkdirSync(join(dir, name), { recursive: true });
    const url = join(dir, "policy.orcsbundle");
    const open = '[serve]\nauto = false\n[audit]\non_error = "open"\n';
    const budget = `[[hooks]]
id = "budget"
point = "tool.pre_execute"
match = { command = "counted" }
handler_inline = 'if not orcs.state.incr("n", 1, 3600000, 2) then return orcs.deny("over") end'
`;
    const event = (command: string) => JSON.stringify(CALLS["claude-code"](command));
    writeFiles(dir, {
      "home/orcs/orcs.toml": bundled(url, [KEY], open) + budget,
      "1.orcsbundle": bundle(1, "first"),
      // More than the space that is left.
      "2.orcsbundle": bundle(2, "second", { more: `# ${"0123456789".repeat(9000)}\n` }),
      ...Object.fromEntries(["evil", "counted", "fine"].map((name) => [name, event(name)])),
    });
    const lines = `D=${dir}
mount -t tmpfs -o size=1m tmpfs $D/state
export XDG_CONFIG_HOME=$D/home XDG_STATE_HOME=$D/state ORCS_SERVE_AUTO=0 NO_COLOR=1
cd $D/p
orcs() { '${process.execPath}' '${MAIN}' "$@" 2>&1; echo "code $?"; }
event() { echo "== $1"; orcs hook --host claude-code < $D/$2; }
cp $D/1.orcsbundle ${url}; echo "== pull"; orcs bundle pull
event before evil
event counted-1 counted
dd if=/dev/zero of=$D/state/fill bs=4k 2> /dev/null
cp $D/2.orcsbundle ${url}; echo "== pull full"; orcs bundle pull
event full evil
event full-other fine
event counted-full counted
rm $D/state/fill
event after evil
event counted-2 counted
event counted-3 counted
event counted-4 counted
echo "== pull after"; orcs bundle pull
event end evil
echo "== left"; find $D/state -name '*.tmp'
orcs audit verify
`;
    const ran = spawnSync("unshare", ["-m", "sh", "-c", lines], { encoding: "utf8" });
    const part = (name: string): string =>
      ran.stdout.split(`== ${name}\n`)[1]?.split("== ")[0] ?? "";
    expect(part("before"), ran.stdout + ran.stderr).toContain("first");
    expect(part("pull full")).toMatch(/ORCS5002: .*ENOSPC/);
    expect(part("full")).toContain("first");
    expect(part("full-other")).not.toContain("deny");
    // What cannot be counted is not admitted.
    expect(part("counted-full")).toContain("deny");
    expect(part("after")).toContain("first");
    const admitted = ["counted-1", "counted-2", "counted-3", "counted-4"].filter(
      (name) => !part(name).includes("deny"),
    );
    expect(admitted, ran.stdout).toHaveLength(2);
    expect(part("pull after")).toContain("revision 2, is active now");
    expect(part("end")).toContain("second");
    expect(part("left")).not.toContain(".tmp");
  },
);
