// A fleet on this machine: a bundle server, a receiver of audit logs, Redis if it is installed, and machines, each an
// `orcs serve` of its own. It publishes a policy and changes it while calls run, and prints when how many machines had
// the change, whether each call was decided, what a budget admitted, and whether the received logs are intact.
//
//   node examples/fleet/demo.js [--services 5] [--light 1000]
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { startBundleServer } from "./bundle-server.js";
import { ORCS, startMachine } from "./machine.js";
import { startReceiver } from "./receiver.js";

const { values } = parseArgs({
  options: {
    services: { type: "string", default: "5" },
    light: { type: "string", default: "0" },
  },
});
const [SERVICES, LIGHT] = [Number(values.services), Number(values.light)];
const POLL_SECONDS = 2;
const BUDGET = 100;
const WAIT_MS = 120_000;
const TOKEN = "demo-token";
const POLLERS = fileURLToPath(new URL("pollers.js", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "orcs-fleet-"));
const children = [];
const failures = [];

try {
  await demo();
} finally {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}
for (const failure of failures) console.log(`FAILED: ${failure}`);
process.exit(failures.length === 0 ? 0 : 1);

async function demo() {
  const server = await startBundleServer(TOKEN);
  const receiver = await startReceiver(join(folder, "received"), TOKEN);
  const redis = await startRedis();
  const key = (await orcs("bundle", "keygen", "-o", join(folder, "policy.key"))).trim();
  await publish(server, receiver, 1);

  const toml = `${redis ? `[state]\nurl = "${redis}"\n` : ""}
[bundle]
url = "${server.url}"
keys = ["${key}"]
poll = "${POLL_SECONDS}s"
[ship]
token_file = "ship.token"
`;
  const pollers = LIGHT > 0 ? startPollers(server.url, key) : undefined;
  const machines = [];
  for (let i = 0; i < SERVICES; i++) {
    const machine = await startMachine(join(folder, `m${i}`), toml, { "ship.token": TOKEN });
    children.push(machine);
    machines.push(machine);
  }
  const loads = machines.map((machine) => startCalls(machine));
  await until(() => loads.every(({ at }) => at.has(1)), "every service has revision 1");
  await pollers?.had(1);
  // From here on, every call has to be decided by a revision.
  for (const load of loads) load.counts.undecided = 0;

  await change(2, "with hints", 2000);
  server.hold(false);
  await sleep(POLL_SECONDS * 1500);
  await change(3, "without hints", POLL_SECONDS * 1200 + 2000);

  async function change(revision, how, goal) {
    await publish(server, receiver, revision);
    const from = server.publishedAt;
    await until(() => loads.every(({ at }) => at.has(revision)), `revision ${revision}`);
    const real = loads.map(({ at }) => at.get(revision) - from);
    tell(`${SERVICES} services (processes), ${how}, until a call is decided by it`, real, goal);
    const light = await pollers?.had(revision);
    if (light)
      tell(
        `${LIGHT} simulated, ${how}, until it is verified`,
        light.map((at) => at - from),
        goal,
      );
  }

  const counts = await stopCalls(loads);
  console.log(
    `calls meanwhile: ${counts.calls}, dropped: ${counts.dropped}, undecided: ${counts.undecided}`,
  );
  if (counts.dropped + counts.undecided > 0) {
    const others = JSON.stringify(loads.map(({ other }) => other));
    failures.push(`a call was dropped or undecided; the last ones: ${others}`);
  }

  if (redis) await spend(machines);
  else
    console.log("BUDGET NOT SHOWN: redis-server is not installed, so nothing is counted together");

  await Promise.all(machines.map((machine) => machine.stop()));
  const shown = await orcs("audit", "verify", "--received", join(folder, "received"));
  console.log(shown.trim());
  if (receiver.lines < counts.denied) failures.push("denials are missing at the receiver");
  console.log(`received lines: ${receiver.lines}; denied calls: at least ${counts.denied}`);
  server.close();
  receiver.close();
}

/** Build, sign and publish a revision, as an administrator does. */
async function publish({ url }, receiver, revision) {
  const policy = join(folder, "policy");
  const file = join(folder, `${revision}.orcsbundle`);
  mkdirSync(policy, { recursive: true });
  writeFileSync(join(policy, "orcs.toml"), policyToml(receiver.url, revision));
  writeFileSync(join(folder, "push.token"), TOKEN);
  await orcs("bundle", "build", policy, "-o", file, "--revision", String(revision));
  await orcs("bundle", "sign", file, "--key", join(folder, "policy.key"), "--yes");
  await orcs("bundle", "push", file, url, "--token-file", join(folder, "push.token"));
}

function policyToml(receiverUrl, revision) {
  return `[ship]
url = "${receiverUrl}"
interval = "1s"
status = "2s"

[lua] # on a busy machine, too
max_run_ms = 5000
max_chain_ms = 20000

[[hooks]]
id = "guard"
point = "tool.pre_execute"
match = { command = "rm -rf build" }
handler_inline = 'return orcs.deny("revision ${revision}")'
[[hooks.tests]]
name = "denies"
event = { tool_name = "exec", args = { command = "rm -rf build" } }
expect = { action = "abort" }

[[hooks]]
id = "balance"
point = "tool.pre_execute"
match = { command = "balance" }
on_store_error = "closed"
handler_inline = 'orcs.state.get("spent")'

[[hooks]]
id = "budget"
point = "tool.pre_execute"
match = { command = "spend" }
on_store_error = "closed"
handler_inline = '''
if not orcs.state.incr("spent", 1, 3600 * 1000, ${BUDGET}) then return orcs.deny("spent") end
'''
`;
}

/** One call after another: what they came to, and when the first one was decided by each revision. */
function startCalls(machine) {
  const load = {
    at: new Map(),
    stopped: false,
    counts: { calls: 0, dropped: 0, undecided: 0, denied: 0 },
  };
  const { counts } = load;
  load.ended = (async () => {
    while (!load.stopped) {
      const outcome = await machine.call("rm -rf build");
      counts.calls++;
      const [, revision] = /revision (\d+)/.exec(JSON.stringify(outcome)) ?? [];
      if (revision !== undefined) counts.denied++;
      else if (outcome === "dropped") counts.dropped++;
      else counts.undecided++;
      if (revision === undefined) load.other = outcome;
      if (revision !== undefined && !load.at.has(Number(revision)))
        load.at.set(Number(revision), Date.now());
      await sleep(20);
    }
  })();
  return load;
}

async function stopCalls(loads) {
  for (const load of loads) load.stopped = true;
  await Promise.all(loads.map(({ ended }) => ended));
  const sum = (name) => loads.reduce((total, { counts }) => total + counts[name], 0);
  return Object.fromEntries(
    ["calls", "dropped", "undecided", "denied"].map((name) => [name, sum(name)]),
  );
}

/** Twice the budget, all calls at the same time. */
async function spend(machines) {
  const counts = { asked: 0, admitted: 0, unreachable: 0 };
  const each = Math.ceil((2 * BUDGET) / machines.length);
  // The first call connects; one that cannot wait for that is denied.
  await Promise.all(machines.map(connected));
  const calls = machines.flatMap((machine) =>
    Array.from({ length: each }, async () => {
      const outcome = await machine.call("spend");
      counts.asked++;
      if (outcome.action === "continue") counts.admitted++;
      else if (outcome.reason !== "spent") counts.unreachable++;
    }),
  );
  await Promise.all(calls);
  const { asked, admitted, unreachable } = counts;
  console.log(
    `a budget of ${BUDGET}, asked ${asked} times: admitted ${admitted}; denied as the state did not answer in time: ${unreachable}`,
  );
  if (admitted !== BUDGET) failures.push(`the budget admitted ${admitted}`);
}

async function connected(machine) {
  for (let tries = 0; tries < 100; tries++) {
    if ((await machine.call("balance")).action === "continue") return;
    await sleep(100);
  }
  throw new Error("a machine does not reach the state");
}

function startPollers(url, key) {
  const args = [POLLERS, url, key, String(LIGHT), String(POLL_SECONDS)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const arrived = new Map();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { revision, at } = JSON.parse(line);
    arrived.set(revision, at);
  });
  return {
    async had(revision) {
      await until(() => arrived.has(revision), `every simulated machine has revision ${revision}`);
      return arrived.get(revision);
    },
  };
}

async function startRedis() {
  const port = await freePort();
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder];
  const child = spawn("redis-server", args, { stdio: ["ignore", "pipe", "ignore"] });
  const isMissing = once(child, "error").then(() => true);
  const lines = createInterface({ input: child.stdout });
  const isReady = new Promise((resolve) => {
    lines.on("line", (line) => line.includes("Ready to accept connections") && resolve(false));
  });
  if (await Promise.race([isMissing, isReady])) return undefined;
  children.push(child);
  return `redis://127.0.0.1:${port}/0`;
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

async function orcs(...args) {
  const env = {
    ...process.env,
    XDG_CONFIG_HOME: join(folder, "admin"),
    XDG_STATE_HOME: folder,
    NO_COLOR: "1",
  };
  const { stdout } = await promisify(execFile)(process.execPath, [ORCS, ...args], {
    cwd: folder,
    env,
  });
  return stdout;
}

async function until(isSo, what) {
  const end = Date.now() + WAIT_MS;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`not within ${WAIT_MS} ms: ${what}`);
    await sleep(10);
  }
}

/** @param goal of the 95th percentile, in milliseconds */
function tell(what, times, goal) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)];
  console.log(`${what}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms (goal ${goal} ms)`);
}
