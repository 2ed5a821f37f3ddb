import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isCall } from "../../src/records/recording/format.ts";
import type { RecordedEvent, RecordEntry } from "../../src/records/recording/format.ts";
import { readRecord } from "../../src/records/recording/read-record.ts";
import { ALONE, GUARD, HookRig } from "./hook-rig.ts";
import { folder, orcs, PATIENT } from "./orcs.ts";
import { serving, surroundings } from "./service.ts";

const TOKEN = `ghp_${"a1B2".repeat(9)}`;

function entries(file: string): RecordEntry[] {
  return [...readRecord(file, { strict: true })].map(({ entry }) => entry);
}

function events(file: string): RecordedEvent[] {
  return entries(file).flatMap((entry) => (isCall(entry) ? [] : [entry]));
}

const commandOf = ({ payload }: RecordedEvent): string =>
  String((payload["args"] as Record<string, unknown>)["command"]);

describe("orcs hook --record", () => {
  const rig = () => new HookRig({ "orcs.toml": `${ALONE}${GUARD}` });
  const args = ["--config", "orcs.toml", "--record", "r.jsonl"];

  test("five concurrent processes write whole lines into one file with one header", async () => {
    const hooks = rig();
    const commands = Array.from({ length: 5 }, (_, i) => (i % 2 ? `echo ${i}` : `rm -rf ${i}`));
    const answers = await Promise.all(
      commands.map((command) => hooks.command("claude-code", command, { args })),
    );
    expect(answers.map(({ code, stderr }) => [code, stderr])).toEqual(answers.map(() => [0, ""]));
    const file = join(hooks.dir, "r.jsonl");
    const read = events(file);
    expect(read.map(commandOf).toSorted()).toEqual(commands.toSorted());
    for (const event of read) {
      expect(event).toMatchObject({ point: "tool.pre_execute", component: "agent::claude-code" });
      const isRefused = commandOf(event).startsWith("rm");
      expect(event.outcome.action).toBe(isRefused ? "abort" : "continue");
    }
    expect(readFileSync(file, "utf8").match(/"orcs":"record"/g)).toHaveLength(1);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("masks secrets, or keeps them with --record-whole, in separate files", async () => {
    const hooks = rig();
    const command = `curl -H 'Authorization: Bearer ${TOKEN}' x`;
    await hooks.command("claude-code", command, { args });
    const whole = [...args.slice(0, 3), "w.jsonl", "--record-whole"];
    await hooks.command("claude-code", command, { args: whole });
    expect(readFileSync(join(hooks.dir, "r.jsonl"), "utf8")).not.toContain(TOKEN);
    expect(events(join(hooks.dir, "w.jsonl")).map(commandOf)).toEqual([command]);
    const { code, stderr } = await hooks.command("claude-code", command, {
      args: [...args, "--record-whole"],
    });
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /warn: the event is not recorded: ORCS8007: .*r\.jsonl: its secrets are masked/,
    );
    expect(events(join(hooks.dir, "r.jsonl"))).toHaveLength(1);
  });

  test("returns its result when recording fails, with a message", async () => {
    const hooks = rig();
    writeFileSync(join(hooks.dir, "notes"), "mine\n");
    for (const [file, why] of [
      ["no/r.jsonl", "ORCS8008: .*ENOENT"],
      ["notes", "ORCS8007: .*this is not a record of orcs; record into another file"],
    ] as const) {
      const asked = { args: ["--config", "orcs.toml", "--record", file] };
      const { code, stdout, stderr } = await hooks.command("claude-code", "rm -rf build", asked);
      expect(code).toBe(0);
      expect(stdout).toContain('"permissionDecision":"deny"');
      expect(stderr).toMatch(new RegExp(`^orcs warn: the event is not recorded: ${why}.*\n$`));
    }
    expect(readFileSync(join(hooks.dir, "notes"), "utf8")).toBe("mine\n");
  });

  test("--record-whole alone, or --record without a file, denies as a usage error", async () => {
    const hooks = rig();
    for (const [wrong, why] of [
      [["--record-whole"], "--record-whole needs --record"],
      [["--record"], "--record needs a value"],
    ] as const) {
      const { code, stderr } = await hooks.command("claude-code", "ls", { args: wrong });
      expect([code, stderr]).toEqual([2, `orcs hook: ${why} (see orcs hook --help)\n`]);
    }
  });

  test("does not use a running service", async () => {
    const hooks = rig();
    const service = await serving(hooks.dir, ["--config", "orcs.toml"]);
    const env = stateOf(hooks);
    await hooks.command("claude-code", "one", { args: ["--config", "orcs.toml"], env });
    await hooks.command("claude-code", "two", { args, env });
    expect(events(join(hooks.dir, "r.jsonl")).map(commandOf)).toEqual(["two"]);
    service.child.kill("SIGTERM");
    expect(await service.ended).toEqual([0, null]);
  });
});

/** The state of the services: one is asked by those alone who share it. */
function stateOf({ dir }: HookRig) {
  const { XDG_STATE_HOME } = surroundings(dir);
  return { XDG_STATE_HOME };
}

const TOML = `${GUARD}${PATIENT}`;
describe("orcs run --record", { concurrent: true }, () => {
  const files = {
    "orcs.toml": `${TOML}
[[hooks]]
id = "caller"
point = "tool.pre_execute"
match = { tool = "exec" }
handler_inline = 'ctx.metadata.content = orcs.read("agent.lua").ok'
`.replace(/(\[lua\][^[]*)([^]*)/, "$2\n$1"),
    "agent.lua": 'orcs.exec("echo one") orcs.exec("rm -rf nothing-here") return 1',
  };
  const run = ["run", "agent.lua", "--config", "orcs.toml"];

  test("records a program's whole run, with its hooks' calls", async () => {
    const cwd = folder(files);
    const { code, stderr } = await orcs([...run, "--record", "r.jsonl"], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const read = entries(join(cwd, "r.jsonl"));
    const points = read.map((entry) => (isCall(entry) ? `call ${entry.call.kind}` : entry.point));
    expect(points[0]).toBe("channel.pre_create");
    expect(points).toContain("auth.pre_check");
    expect(points).toContain("component.post_shutdown");
    expect(points.filter((point) => point.startsWith("call"))).toEqual(["call read"]);
    const calls = events(join(cwd, "r.jsonl")).filter(({ point }) => point === "tool.pre_execute");
    expect(calls.map((event) => [commandOf(event), event.outcome.action])).toEqual([
      ["echo one", "continue"],
      ["rm -rf nothing-here", "abort"],
    ]);
    expect(calls[0]?.outcome.edits).toEqual([{ path: "/metadata/content", value: true }]);
  });

  test("--record-whole alone is a usage error", async () => {
    const { code, stderr } = await orcs([...run, "--record-whole"], { cwd: folder(files) });
    expect(code).toBe(2);
    expect(stderr).toContain("ORCS5001: --record-whole needs --record FILE");
  });
});

describe("orcs serve --record", () => {
  test("records responses to all clients until it ends", async () => {
    const hooks = new HookRig({ "orcs.toml": `${ALONE}${GUARD}` });
    const config = ["--config", "orcs.toml"];
    const service = await serving(hooks.dir, [...config, "--record", "r.jsonl"]);
    const hosts = ["claude-code", "codex", "gemini", "cursor"] as const;
    const env = stateOf(hooks);
    for (const host of hosts) await hooks.command(host, `rm -rf ${host}`, { args: config, env });
    service.child.kill("SIGTERM");
    expect(await service.ended).toEqual([0, null]);
    expect(events(join(hooks.dir, "r.jsonl")).map(commandOf)).toEqual(
      hosts.map((host) => `rm -rf ${host}`),
    );
  });
});

describe("orcs mcp --record", () => {
  const mcp = ["mcp", "--config", "orcs.toml", "--name", "s"];
  const call = (command: string) =>
    JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "exec", arguments: { command } },
    });

  test("records the calls that pass", async () => {
    const cwd = folder({ "orcs.toml": TOML });
    const { stdout } = await orcs([...mcp, "--record", "r.jsonl", "--", "cat"], {
      cwd,
      stdin: `${call("rm -rf build")}\n`,
    });
    expect(stdout).toContain("denied by hook guard");
    const [event] = events(join(cwd, "r.jsonl"));
    expect(event).toMatchObject({
      component: "mcp::s",
      outcome: { action: "abort", hook: "guard" },
    });
  });
});

describe.each([
  ["run", ["agent.lua"], []],
  ["serve", [], []],
  ["mcp", [], ["--", "sh", "-c", "touch ran; cat"]],
])(
  "orcs %s --record into what cannot be recorded into",
  { concurrent: true },
  (verb, first, last) => {
    test.each([
      ["no/r.jsonl", /ORCS8008: .*no\/r\.jsonl cannot be opened for recording: ENOENT/],
      [
        "orcs.toml",
        /ORCS8007: .*orcs\.toml: this is not a record of orcs; record into another file/,
      ],
    ])("%s: nothing runs, exit code 2", async (record, why) => {
      const cwd = folder({ "orcs.toml": TOML, "agent.lua": 'orcs.write("ran", "x")' });
      const args = [verb, ...first, "--config", "orcs.toml", "--record", record, ...last];
      const { code, stderr } = await orcs(args, { cwd, env: { XDG_RUNTIME_DIR: folder() } });
      expect(code).toBe(2);
      expect(stderr).toMatch(why);
      expect(stderr).not.toContain("serving");
      expect(existsSync(join(cwd, "ran"))).toBe(false);
    });
  },
);

test("a truncated line of a killed process is reported before recording continues", async () => {
  const cwd = folder({ "orcs.toml": TOML, "agent.lua": 'orcs.exec("echo one")' });
  const run = ["run", "agent.lua", "--config", "orcs.toml", "--record", "r.jsonl"];
  expect((await orcs(run, { cwd })).code).toBe(0);
  const file = join(cwd, "r.jsonl");
  writeFileSync(file, readFileSync(file).subarray(0, -9));
  const { code, stderr } = await orcs(run, { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain(
    "its last line is incomplete; remove the line, or record into another file",
  );
  expect([...readRecord(file)].length).toBeGreaterThan(5);
});
