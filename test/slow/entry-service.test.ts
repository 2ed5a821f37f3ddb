import { spawn } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { HOST_NAMES } from "../../src/core/hosts.ts";
import type { HostName } from "../../src/core/hosts.ts";
import { CALLS, GUARD, HookRig } from "../dist/hook-rig.ts";
import { ended, folder, MAIN, PATIENT, ROOT } from "../dist/orcs.ts";
import type { Ended } from "../dist/orcs.ts";
import { isRunning, kill } from "../dist/processes.ts";
import { partOf } from "../slow-test.ts";

// bin/orcs-hook in front of a real service, and what starts Node in its place.

const LAUNCHER = join(ROOT, "bin/orcs-hook");

const rigs: Entries[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) for (const pid of rig.pids()) kill(pid);
});

/** What one entry was asked with. */
interface Call {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly launcher?: string;
}

/** A project whose events the launcher hands on, with a program that writes down that it was started. */
class Entries extends HookRig {
  readonly #log = join(folder(), "started");
  readonly #program = join(folder(), "program");

  constructor(files: Readonly<Record<string, string>>) {
    super(files);
    rigs.push(this);
    const call = `#!/bin/sh\necho >>"${this.#log}"\nexec "${process.execPath}" "${MAIN}" "$@"\n`;
    writeFileSync(this.#program, call, { mode: 0o755 });
  }

  pids(): number[] {
    const run = join(this.dir, "run/orcs");
    const files = existsSync(run) ? readdirSync(run) : [];
    return files
      .filter((name) => name.endsWith(".pid"))
      .map((name) => Number(readFileSync(join(run, name), "utf8")));
  }

  /** How often Node was started. */
  get started(): number {
    return existsSync(this.#log) ? readFileSync(this.#log, "utf8").length : 0;
  }

  async entry(host: HostName, event: unknown, call: Call = {}): Promise<Ended> {
    const { args = [], env = {}, cwd = this.dir, launcher = LAUNCHER } = call;
    const words = [this.#program, "hook", "--host", host, "--timeout", "60", ...args];
    const clean = { CLAUDE_PROJECT_DIR: "", GEMINI_PROJECT_DIR: "", CURSOR_PROJECT_DIR: "" };
    const child = spawn(launcher, words, {
      cwd,
      timeout: 60_000,
      env: { ...process.env, ...clean, ...this.env, ...env },
    });
    return ended(child, JSON.stringify(event));
  }

  /** Whether Node is started for such an event. */
  async startsNode(call: Call = {}): Promise<boolean> {
    const before = this.started;
    await this.entry("claude-code", CALLS["claude-code"]("ls"), call);
    return this.started > before;
  }
}

/** A project with a service that answers the launcher. */
async function served(files: Readonly<Record<string, string>> = {}): Promise<Entries> {
  const rig = new Entries({ "orcs.toml": `${GUARD}${PATIENT}`, ...files });
  await rig.trust();
  await routed(rig);
  return rig;
}

/** Ask until the launcher finds the service. */
async function routed(rig: Entries, call: Call = {}): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (!(await rig.startsNode(call))) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("the launcher never found the service");
}

test.each(partOf(HOST_NAMES, 3))(
  "%s is answered by the service as by orcs hook, without starting Node",
  async (host) => {
    const rig = await served();
    // Its own working directory has a route by now, where it asks without a variable.
    const { started } = rig;
    for (const command of ["ls", "rm -rf x", "rm -rf 'ü\n'"]) {
      const event = CALLS[host](command);
      expect(await rig.entry(host, event)).toEqual(await rig.ask(host, event));
    }
    for (const event of [
      {},
      [],
      "text",
      { hook_event_name: "Unknown", session_id: "s", cwd: "/" },
    ]) {
      expect(await rig.entry(host, event)).toEqual(await rig.ask(host, event));
    }
    expect(rig.started).toBe(started);
  },
);

test("a configuration change applies, as for orcs hook", async () => {
  const rig = await served();
  writeFileSync(join(rig.dir, "orcs.toml"), PATIENT);
  const event = CALLS["claude-code"]("rm -rf x");
  // Nobody has trusted the change: the hooks that were trusted run on, and the answer says so.
  const before = await rig.entry("claude-code", event);
  expect(before.stdout).toContain("not that");
  await rig.trust();
  await expect
    .poll(async () => (await rig.entry("claude-code", event)).stdout, { timeout: 20_000 })
    .not.toContain("not that");
});

test("calls that orcs hook would not send to this service start Node", async () => {
  const rig = await served({ "sub/deep/file": "", "other.toml": PATIENT });
  const other = folder();
  const copied = join(folder(), "orcs-hook");
  copyFileSync(LAUNCHER, copied);
  const here = [
    "--config-dir",
    join(rig.dir, "no-user/orcs"),
    "--state-dir",
    join(rig.state, "orcs"),
  ];
  const cases: readonly (readonly [string, boolean, Call])[] = [
    ["as before", false, {}],
    ["its own folders", false, { args: here }],
    ["a file that is named", true, { args: ["--config", "other.toml"] }],
    ["another folder of configuration", true, { env: { XDG_CONFIG_HOME: other } }],
    [
      "other folders in the entry",
      true,
      { args: ["--config-dir", other, "--state-dir", join(rig.state, "orcs")] },
    ],
    ["settings elsewhere", true, { env: { CODEX_HOME: other } }],
    ["an installation that is not known", true, { args: [...here, "--id", "0.0"] }],
    ["another copy of the launcher", true, { launcher: copied }],
    ["a wrong option", true, { args: ["--state-dir", join(rig.state, "orcs")] }],
  ];
  for (const [what, startsNode, call] of cases) {
    expect([what, await rig.startsNode(call)]).toEqual([what, startsNode]);
  }
  // Below the project the same service answers, until a configuration that nobody has trusted lies on the way.
  const cwd = join(rig.dir, "sub/deep");
  await routed(rig, { cwd });
  writeFileSync(join(rig.dir, "sub/orcs.toml"), GUARD);
  expect(await rig.startsNode({ cwd })).toBe(true);
});

test("a stopped service: Node handles the event and starts the next service", async () => {
  const rig = await served();
  const [pid = 0] = rig.pids();
  kill(pid);
  // Until it has ended, what connects to it may be lost, which is a denial.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const event = CALLS["claude-code"]("rm -rf x");
  const { started } = rig;
  expect((await rig.entry("claude-code", event)).stdout).toContain("not that");
  expect(rig.started).toBe(started + 1);
  await routed(rig);
  expect(rig.pids()).not.toContain(pid);
  expect((await rig.entry("claude-code", event)).stdout).toContain("not that");
});

test("a hanging service: the event is denied in time, and the service is killed", async () => {
  const rig = await served();
  const [pid = 0] = rig.pids();
  kill(pid, "SIGSTOP");
  const began = performance.now();
  const args = ["--timeout", "12"];
  const { stdout, stderr } = await rig.entry("claude-code", CALLS["claude-code"]("ls"), { args });
  expect(stdout + stderr).toContain("ORCS7002");
  expect(performance.now() - began).toBeLessThan(12_000);
  await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false);
}, 60_000);

test("twenty concurrent events each get their own response", async () => {
  const rig = await served();
  const { started } = rig;
  const all = Array.from({ length: 20 }, (_, i) =>
    rig.entry("claude-code", CALLS["claude-code"](i % 2 ? `rm -rf ${i}` : `ls ${i}`)),
  );
  for (const [i, { stdout, code }] of (await Promise.all(all)).entries()) {
    expect([code, stdout.includes("not that")]).toEqual([0, i % 2 === 1]);
  }
  expect(rig.started).toBe(started);
});

test("an empty state folder: Node handles the event", async () => {
  const rig = await served();
  const env = { XDG_STATE_HOME: join(rig.dir, "nothing") };
  mkdirSync(env.XDG_STATE_HOME);
  expect(await rig.startsNode({ env })).toBe(true);
});
