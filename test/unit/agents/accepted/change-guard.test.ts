import {
  appendFileSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect } from "vitest";
import type { Outcome } from "../../../../src/core/outcome.ts";
import { pointSet } from "../../../../src/core/points.ts";
import { configReader } from "../../../../src/engine/orcs/config-reader.ts";
import type { DecodedEvent } from "../../../../src/formats/host-protocol.ts";
import { acceptChanges, acceptNow } from "../../../../src/agents/accepted/accept.ts";
import { ChangeGuard } from "../../../../src/agents/accepted/change-guard.ts";
import { recordsFolder, writeRecord } from "../../../../src/agents/install/install-record.ts";
import { placeHere } from "../../../../src/agents/install/settings-places.ts";
import { sha256 } from "../../../../src/machine/index.ts";
import { TrustStore } from "../../../../src/config/trust/trust-store.ts";
import { UserConfiguration } from "../../../../src/config/trust/user-configuration.ts";
import { isWholeRun, quickTest as test, repeatedTest, slowTest } from "../../../slow-test.ts";

/** Each is written to the disk, and waited for. */
const COUNT = isWholeRun ? 200 : 10;

const NAMES = ["HOME", "ORCS_CONFIG_HOME", "ORCS_STATE_HOME", "CLAUDE_CONFIG_DIR"];
const QUIET = {
  debug() {},
  info() {},
  warn() {},
  error(text: string) {
    throw new Error(text);
  },
};
const ENTRY = {
  matcher: "*",
  hooks: [{ type: "command", command: "/opt/orcs hook --host claude-code" }],
};
const SETTINGS = {
  model: "a",
  hooks: { PreToolUse: [ENTRY] },
  permissions: { allow: [] as string[] },
};
const HOOK = (id: string): string =>
  `[[hooks]]\nid = "${id}"\npoint = "tool.pre_execute"\nhandler_inline = "return nil"\n`;
const CONFIG = `debug = false\n${HOOK("a")}${HOOK("b")}`;

const saved = new Map(NAMES.map((name) => [name, process.env[name]]));
let home = "";
let settings = "";
let config = "";
let store: TrustStore;

beforeEach(async () => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "orcs-accepted-")));
  const [state, own] = [join(home, "state"), join(home, "config")];
  Object.assign(process.env, { HOME: home, ORCS_CONFIG_HOME: own, ORCS_STATE_HOME: state });
  delete process.env["CLAUDE_CONFIG_DIR"];
  settings = join(home, ".claude/settings.json");
  config = join(own, "orcs.toml");
  for (const folder of [dirname(settings), state, own]) mkdirSync(folder, { mode: 0o700 });
  write(settings, JSON.stringify(SETTINGS, undefined, 2));
  write(config, CONFIG);
  store = new TrustStore();
  store.begin();
  await new UserConfiguration(own, store).accept();
  const record = {
    host: "claude-code",
    path: settings,
    original: null,
    folders: [],
    program: "/opt/orcs",
    uses: [],
  } as const;
  writeRecord(recordsFolder(placeHere()), { ...record, written: sha256(readFileSync(settings)) });
  write(join(state, "installations.json"), JSON.stringify({ version: 1, machine: "m", ids: [] }));
  acceptNow();
});
afterEach(() => {
  for (const [name, value] of saved) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  rmSync(home, { recursive: true, force: true });
});

function write(file: string, text: string): void {
  writeFileSync(file, text);
}

const event = (point: DecodedEvent["point"], name = point): DecodedEvent => ({
  event: name,
  point,
  payload: { session_id: "s", tool_name: "exec", args: { command: "x" } },
  component: "agent::claude-code",
  child: undefined,
  timeoutMs: 1000,
});

/** A guard that has seen a session begin, and a call of it if asked. */
function guard(calls: boolean): ChangeGuard {
  const all = new ChangeGuard(QUIET);
  all.arrived("claude-code", event("session.on_start"), undefined);
  if (calls) all.arrived("claude-code", event("tool.pre_execute"), undefined);
  return all;
}

/** What becomes of a call that the hooks let pass; undefined if it still passes. */
function decision(all: ChangeGuard) {
  const passed = { action: "continue", inject: [], ctx: { metadata: {} } } as unknown as Outcome;
  const outcome = all.decided("claude-code", event("tool.pre_execute"), passed);
  all.takeLines();
  return outcome === passed ? undefined : (outcome as { action: string; decision?: string });
}

/** Changes of settings and of the own configuration, by their number, and whether they take something away. */
function change(number: number): { file: string; text: string; isLess: boolean } {
  const edited = structuredClone(SETTINGS) as Record<string, unknown> & typeof SETTINGS;
  const kinds: (() => boolean | string)[] = [
    () => ((edited.model = `m${number}`), false),
    () => (edited.permissions.allow.push(`Bash(x${number})`), false),
    () => ((edited["env"] = { LANG: `${number}` }), false),
    () => ((edited["disableAllHooks"] = true), (edited.model = `m${number}`), true),
    () => ((edited.hooks.PreToolUse = []), (edited.model = `m${number}`), true),
    () => `# ${number}\n${CONFIG}`,
    () => `${CONFIG}${HOOK(`c${number}`)}`,
    () => `# ${number}\ndebug = true\n${HOOK("a")}${HOOK("b")}`,
    () => `debug = false\n# ${number}\n${HOOK("a")}`,
    () => `mode = "audit"\n# ${number}\n${CONFIG}`,
  ];
  const made = kinds[number % kinds.length]?.() ?? false;
  return typeof made === "string"
    ? { file: config, text: made, isLess: number % kinds.length >= 8 }
    : { file: settings, text: JSON.stringify(edited), isLess: made };
}

repeatedTest(
  `${COUNT} changes by a person outside of calls stay, and those that take away wait until they are accepted`,
  async () => {
    const all = guard(false);
    for (let number = 0; number < COUNT; number++) {
      const { file, text, isLess } = change(number);
      write(file, text);
      all.check();
      expect(readFileSync(file, "utf8")).toBe(text);
      expect(decision(all)?.decision, text).toBe(isLess ? "ask" : undefined);
      if (isLess) expect(all.notices[0]?.text).toMatch(/^ORCS7027: .*orcs trust --accept$/);
      await acceptChanges();
      all.check();
      expect(decision(all)).toBeUndefined();
      expect(readFileSync(file, "utf8")).toBe(text);
      if (file === config) {
        write(config, CONFIG);
        await new UserConfiguration(dirname(config), store).accept();
      } else {
        write(settings, JSON.stringify(SETTINGS, undefined, 2));
        acceptNow();
      }
    }
  },
);

repeatedTest(
  `${COUNT / 5} changes by a person during a call are put back, and recovered by one command`,
  async () => {
    const all = guard(true);
    const taken = Array.from({ length: 200 }, (_, number) => change(number)).filter(
      ({ isLess }) => isLess,
    );
    for (const { file, text } of taken.slice(0, COUNT / 5)) {
      const before = readFileSync(file, "utf8");
      write(file, text);
      all.check();
      const isBack =
        file === config
          ? readFileSync(file, "utf8") === before
          : !/"PreToolUse":\[\]|disableAll/.test(readFileSync(file, "utf8"));
      expect(isBack, text).toBe(true);
      expect(all.takeLines()).toMatchObject([{ action: "put_back", file }]);
      expect(decision(all)).toBeUndefined();
      expect(all.notices[0]?.text).toMatch(/^ORCS7025: .*orcs trust --accept$/);
      await acceptChanges();
      all.check();
      expect(readFileSync(file, "utf8")).toBe(text);
      expect(all.notices).toEqual([]);
      write(settings, JSON.stringify(SETTINGS, undefined, 2));
      write(config, CONFIG);
      await new UserConfiguration(dirname(config), store).accept();
      acceptNow();
    }
  },
);

test("a file that is being saved in place is compared when it is whole", async () => {
  const all = guard(true);
  const end = all.watch(() => undefined);
  const text = JSON.stringify({ ...SETTINGS, hooks: {}, theme: "dark" });
  const file = openSync(settings, "w");
  // As of an editor on a busy machine.
  for (const part of [text.slice(0, 20), text.slice(20)]) {
    await sleep(60);
    writeSync(file, part);
  }
  closeSync(file);
  await expect.poll(() => all.notices.length, { timeout: 5000 }).toBe(1);
  expect(readFileSync(settings, "utf8")).toContain("dark");
  await acceptChanges();
  end();
  expect(readFileSync(settings, "utf8")).toBe(text);
});

test("while a change waits, what was accepted stays active, and the trust store counts as it was", () => {
  const all = guard(false);
  write(store.path, '{"version":2,"projects":{"/x":{"dev":true,"at":"","folders":{}}},"user":{}}');
  all.check();
  expect(decision(all)).toMatchObject({ decision: "ask" });
  expect([...store.all().projects.keys()]).toEqual([]);
  expect(store.all().user.size).toBe(1);
});

test("a change that a person was asked about moves what is accepted", () => {
  const all = guard(true);
  const asked = {
    action: "continue",
    decision: "ask",
    hook: "orcs:self-guard",
    ctx: { metadata: {} },
  };
  all.decided("claude-code", event("tool.pre_execute"), asked as never);
  write(settings, JSON.stringify({ ...SETTINGS, hooks: {} }));
  all.check();
  expect(readFileSync(settings, "utf8")).toContain('"hooks":{}');
  expect(all.notices).toEqual([]);
});

test("what a denied call would have changed is nobody's: the session waits for a person", () => {
  const all = guard(true);
  all.decided("claude-code", event("tool.pre_execute"), {
    action: "abort",
    ctx: { metadata: {} },
  } as never);
  const until = Date.now() + 60;
  while (Date.now() < until);
  write(settings, "{}");
  all.check();
  expect(readFileSync(settings, "utf8")).toBe("{}");
  expect(decision(all)).toMatchObject({ decision: "ask" });
});

test("without an open session, a change counts at once", () => {
  const all = new ChangeGuard(QUIET);
  write(settings, "{}");
  all.check();
  expect(all.notices).toEqual([]);
  expect(decision(all)).toBeUndefined();
});

test("what an agent changes while the configuration is read, or kept as last active, is neither active nor kept", async () => {
  const all = guard(true);
  let reads = 0;
  const beforeRead = (): void => {
    all.check();
    if (reads++ === 0) write(config, HOOK("a"));
  };
  const loaded = await configReader({ beforeRead, machine: false }, home, pointSet())();
  expect(loaded.hooks.map(({ id }) => id)).toEqual(["a", "b"]);
  write(config, HOOK("a"));
  await loaded.keep();
  expect(readFileSync(config, "utf8")).toBe(CONFIG);
  write(config, HOOK("b"));
  all.check();
  expect(readFileSync(config, "utf8")).toBe(CONFIG);
});

test("what cannot be put back denies until it is", () => {
  const all = guard(true);
  rmSync(settings);
  mkdirSync(settings);
  all.check();
  expect(decision(all)).toMatchObject({
    action: "abort",
    reason: expect.stringMatching(/^ORCS7026/) as string,
  });
  rmSync(settings, { recursive: true });
  all.check();
  expect(decision(all)).toBeUndefined();
  expect(readFileSync(settings, "utf8")).toContain("/opt/orcs");
});

test("nothing is written through a link that was not there, and nothing to where a folder's link leads", () => {
  const all = guard(true);
  const other = join(home, "other.json");
  write(other, "{}");
  rmSync(settings);
  process.getBuiltinModule("node:fs").symlinkSync(other, settings);
  all.check();
  expect(readFileSync(other, "utf8")).toBe("{}");
  expect(process.getBuiltinModule("node:fs").lstatSync(settings).isFile()).toBe(true);
});

/** Processor time of one of many runs, in milliseconds: the least of ten rounds, as others use the machine as well. */
function leastMs(run: (count: number) => void): number {
  const rounds = Array.from({ length: 10 }, () => {
    const began = process.cpuUsage();
    run(50);
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1000 / 50;
  });
  return Math.min(...rounds);
}

slowTest("the comparison of an event takes less than 0.4 ms of CPU time", () => {
  const all = guard(false);
  all.check();
  for (let i = 0; i < 200; i++) all.check();
  const ms = leastMs((count) => {
    for (let i = 0; i < count; i++) all.check();
  });
  // The goal is 0.2 ms on a machine with nothing else to do.
  expect(ms).toBeLessThan(0.4);
});

slowTest("the note of an event takes less than 0.25 ms of CPU time", () => {
  const all = guard(true);
  const note = (count: number): void => {
    for (let i = 0; i < count; i++) {
      const point = i % 2 === 0 ? "tool.post_execute" : "tool.pre_execute";
      all.arrived("claude-code", event(point), undefined);
    }
  };
  note(200);
  // The goal is 0.2 ms, with the comparison, on a machine with nothing else to do.
  expect(leastMs(note)).toBeLessThan(0.25);
});

test("what is known of calls is read from the last whole line, and stays small", () => {
  const all = guard(true);
  const folder = join(home, "state/calls");
  const file = join(folder, readdirSync(folder)[0] ?? "");
  for (let i = 0; i < 300; i++) all.arrived("claude-code", event("tool.pre_execute"), undefined);
  expect(readFileSync(file).length).toBeLessThan(20_000);
  appendFileSync(file, '{"first":1,"la');
  write(settings, "{}");
  new ChangeGuard(QUIET).check();
  expect(readFileSync(settings, "utf8")).toContain("/opt/orcs");
});

test("notes of sessions that are long over are removed", () => {
  const folder = join(home, "state/calls");
  guard(true);
  for (let i = 0; i < 600; i++) {
    write(join(folder, `old${i}`), "{}\n");
    utimesSync(join(folder, `old${i}`), 1, 1);
  }
  const later = { ...event("session.on_start"), payload: { session_id: "another" } };
  new ChangeGuard(QUIET).arrived("claude-code", later, undefined);
  expect(readdirSync(folder)).toHaveLength(2);
});

test("a file that was only touched is read once, and nothing is said", () => {
  const all = guard(true);
  utimesSync(settings, new Date(), new Date());
  all.check();
  expect(all.notices).toEqual([]);
});
