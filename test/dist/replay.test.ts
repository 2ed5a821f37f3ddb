import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commitAll, folder, orcs, PATIENT, ROOT, writeFiles } from "./orcs.ts";

const AGENT = `
for _, command in ipairs({ "echo one", "echo two", "rm -rf x", "echo three" }) do orcs.exec(command) end
orcs.read("notes.txt")
`;
const GUARD = `
return {
  id = "guard",
  point = "tool.pre_execute",
  match = { tool = "exec" },
  handler = function(ctx)
    local command = ctx.payload.args.command
    if command:find("^rm") then return orcs.deny("nothing is removed") end
    if command == "echo two" then ctx.payload.args.command = "echo 2" end
  end,
}
`;
const CONFIG = `
[[hooks]]
script = "guard.lua"
[[hooks]]
id = "inline"
point = "tool.post_execute"
match = { tool = "read" }
handler_inline = "return orcs.replace({ ok = true, content = 'hidden' })"
${PATIENT}`;
const FILES = {
  "agent.lua": AGENT,
  "notes.txt": "notes",
  "orcs.toml": CONFIG,
  "hooks/guard.lua": GUARD,
};
const WITH = ["--config", "orcs.toml"] as const;

/** A project in which an agent was recorded. */
async function recorded(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const cwd = folder({ ...FILES, ...files });
  const { code, stderr } = await orcs(["run", "agent.lua", ...WITH, "--record", "r.jsonl"], {
    cwd,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return cwd;
}

interface RecordedLine {
  readonly point?: string;
  readonly payload?: { readonly tool_name?: string; readonly args?: { readonly command?: string } };
}

/** Numbers of the events that hold for a test, found without any of what replays them. */
function numbersOf(file: string, holds: (event: RecordedLine) => boolean): number[] {
  const [, ...lines] = readFileSync(file, "utf8").trimEnd().split("\n");
  const events = lines.map((line) => JSON.parse(line) as RecordedLine).filter(({ point }) => point);
  return events.flatMap((event, i) => (holds(event) ? [i + 1] : []));
}

interface JsonLine {
  readonly event?: number;
  readonly events?: number;
}

function jsonLines(stdout: string): { numbers: number[]; summary: JsonLine } {
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as JsonLine);
  const summary = lines.pop() ?? {};
  return { numbers: lines.map(({ event = 0 }) => event), summary };
}

test("tells what hooks in shadow, and those that warn, would have done with the record", async () => {
  const cwd = await recorded();
  const shadow = `
[[hooks]]
id = "shadowed"
mode = "audit"
point = "tool.pre_execute"
match = { tool = "exec" }
handler_inline = 'if ctx.payload.args.command:find("echo") then return orcs.deny("no echo") end'
[[hooks]]
id = "warner"
mode = "warn"
point = "tool.pre_execute"
match = { tool = "read" }
handler_inline = 'return orcs.deny("no reading")'
`;
  writeFiles(cwd, { "shadow.toml": CONFIG + shadow });
  const text = await orcs(["replay", "r.jsonl", "--config", "shadow.toml"], { cwd });
  expect(text.stdout).toMatch(/shadowed +\(audit, tool.pre_execute.*\n +3 entries: would deny 3/);
  expect(text.stdout).toMatch(/exec +echo three +deny: no echo/);
  expect(text.stdout).toMatch(/warner +\(warn, .*\n +1 entries: would deny 1/);
  const { stdout } = await orcs(["replay", "r.jsonl", "--config", "shadow.toml", "--json"], {
    cwd,
  });
  const { unenforced } = JSON.parse(stdout.trimEnd().split("\n").pop() ?? "") as {
    unenforced: { hook: string; would: { deny: number } }[];
  };
  const denied = unenforced.map(({ hook, would }) => [hook, would.deny]);
  expect(denied).toEqual([
    ["shadowed", 3],
    ["warner", 1],
  ]);
});

describe("orcs replay of the sample project", { concurrent: true }, () => {
  // What it writes and sends for is in a copy: the checkout is other tests', too.
  const sample = (): string => {
    const cwd = folder();
    execFileSync("cp", ["-r", "orcs.toml", "package.json", "hooks", "examples", cwd], {
      cwd: ROOT,
    });
    writeFiles(cwd, { "src/a.ts": "export function a() {}\n" });
    changed(cwd, "max_run_ms = 100 ", "max_run_ms = 5000\nmax_chain_ms = 20000 ");
    commitAll(cwd);
    return cwd;
  };
  const changed = (cwd: string, from: string, to: string): void => {
    const text = readFileSync(join(cwd, "orcs.toml"), "utf8");
    expect(text).toContain(from);
    writeFileSync(join(cwd, "orcs.toml"), text.replace(from, to));
  };

  test("shows no difference against itself, and one hook's differences after a change", async () => {
    const cwd = sample();
    const record = [...WITH, "--record", "r.jsonl"];
    expect((await orcs(["run", "examples/release-notes.lua", ...record], { cwd })).code).toBe(0);
    expect((await orcs(["run", "examples/lifecycle.lua", ...record], { cwd })).code).toBe(0);
    const all = numbersOf(join(cwd, "r.jsonl"), () => true).length;
    expect(all).toBeGreaterThan(40);

    const same = await orcs(["replay", "r.jsonl", ...WITH, "--json"], { cwd });
    expect(same).toMatchObject({ code: 0, stderr: "" });
    expect(jsonLines(same.stdout)).toMatchObject({
      numbers: [],
      summary: { events: all, differ: 0, not_compared: {} },
    });

    // One more is allowed: the call that was refused is not, and nothing else changes.
    changed(cwd, "max = 3", "max = 4");
    const limit = numbersOf(
      join(cwd, "r.jsonl"),
      ({ point, payload }) => point === "tool.pre_execute" && payload?.tool_name === "grep",
    );
    expect(limit).toHaveLength(4);
    const relaxed = await orcs(["replay", "r.jsonl", ...WITH, "--json"], { cwd });
    expect(relaxed.code).toBe(1);
    expect(jsonLines(relaxed.stdout).numbers).toEqual(limit.slice(3));

    changed(cwd, "max = 4", "max = 3");
    changed(cwd, "(--force|-f)", "(--mirror)");
    const forced = numbersOf(
      join(cwd, "r.jsonl"),
      ({ point, payload }) =>
        point === "tool.pre_execute" && payload?.args?.command?.includes("--force") === true,
    );
    expect(forced).toHaveLength(1);
    const open = await orcs(["replay", "r.jsonl", ...WITH, "--json"], { cwd });
    expect(jsonLines(open.stdout).numbers).toEqual(forced);
  });
});

describe("orcs replay", { concurrent: true }, () => {
  test("prints differences with hooks and positions, and a summary", async () => {
    const cwd = await recorded();
    const strict = GUARD.replace('command == "echo two"', 'command == "echo three"').replace(
      "nothing is removed",
      "never",
    );
    writeFileSync(join(cwd, "hooks/guard.lua"), strict);
    const { code, stdout, stderr } = await orcs(["replay", "r.jsonl", ...WITH], { cwd });
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    expect(stdout.replace(/; \d+ per second/, "; N per second")).toMatch(
      new RegExp(
        [
          /event \d+ {2}tool\.pre_execute {2}lua::main {2}exec {2}echo two/,
          / {2}was {2}continue/,
          / {7}\/payload\/args\/command = "echo 2"/,
          / {2}is {3}continue/,
          "",
          /event \d+ {2}tool\.pre_execute {2}lua::main {2}exec {2}rm -rf x/,
          / {2}was {2}abort by guard \(hooks\/guard\.lua:\d+\): nothing is removed/,
          / {2}is {3}abort by guard \(hooks\/guard\.lua:\d+\): never/,
          "",
          /event \d+ {2}tool\.pre_execute {2}lua::main {2}exec {2}echo three/,
          / {2}was {2}continue/,
          / {2}is {3}continue/,
          / {7}\/payload\/args\/command = "echo 2"/,
          / {7}changed by guard \(hooks\/guard\.lua:\d+\)/,
          "",
          /\d+ events, 3 differ, 0 not compared; N per second/,
          "$",
        ]
          .map((line) => (typeof line === "string" ? line : line.source))
          .join("\n"),
      ),
    );
  });

  test("escapes control characters from the record", async () => {
    const cwd = folder({ "orcs.toml": "" });
    const header = '{"orcs":"record","version":1,"time":"2026-01-01T00:00:00.000Z","whole":true}\n';
    const text = "\u001b[2Jx\n\u0007";
    const event = {
      at: 0,
      point: "tool.pre_execute",
      component: "host::main",
      channel: "main",
      principal: { type: "Host", id: "main" },
      payload: { tool_name: `e${text}`, args: { command: text } },
      outcome: {
        action: "abort",
        reason: text,
        hook: text,
        edits: [{ path: `/p${text}`, value: text }],
      },
      duration_ms: 0,
    };
    writeFileSync(join(cwd, "r.jsonl"), `${header}${JSON.stringify(event)}\n`);
    const { code, stdout } = await orcs(["replay", "r.jsonl", ...WITH], { cwd });
    expect(code).toBe(1);
    // oxlint-disable-next-line no-control-regex
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
  });

  test("names external handlers and does not run them", async () => {
    const shell = `[[hooks]]\nid = "sh"\npoint = "tool.pre_execute"\nshell = { command = "touch ran", parse_result = false }\n`;
    const cwd = await recorded();
    writeFileSync(join(cwd, "orcs.toml"), `${CONFIG}${shell}`);
    const passed = await orcs(["replay", "r.jsonl", ...WITH], { cwd });
    expect(passed).toMatchObject({
      code: 0,
      stderr: "orcs: not run without --outside: sh (shell)\n",
    });
    expect(existsSync(join(cwd, "ran"))).toBe(false);
    const run = await orcs(["replay", "r.jsonl", ...WITH, "--outside"], { cwd });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(existsSync(join(cwd, "ran"))).toBe(true);
  });

  test("exits with 2 for a damaged record, an option as revision, or an unknown hook", async () => {
    const cwd = await recorded();
    const [header = "", ...rest] = readFileSync(join(cwd, "r.jsonl"), "utf8").split("\n");
    writeFiles(cwd, {
      "broken.jsonl": [header, rest[0], "not JSON", rest[1], ""].join("\n"),
    });
    const of = async (...args: string[]) => {
      const { code, stderr } = await orcs(["replay", ...args, ...WITH], { cwd });
      return `${code} ${stderr}`;
    };
    const told = await Promise.all([
      of("broken.jsonl"),
      of("r.jsonl", "--against=--output=evil"),
      of("r.jsonl", "--save-test", "0"),
      of("r.jsonl", "--save-test", "1", "--hook", "no-such"),
      of("r.jsonl", "--save-test", "1", "--against", "HEAD"),
      of("r.jsonl", "--hook", "guard"),
    ]);
    expect(told).toEqual([
      expect.stringMatching(/^2 orcs: ORCS8007: .*broken\.jsonl:3: it is not JSON/),
      expect.stringMatching(/^2 orcs: ORCS5001: .*neither a folder nor a git revision/),
      expect.stringMatching(/^2 error: .*number of an event/),
      expect.stringMatching(/^2 orcs: ORCS5001: .*no hook "no-such"/),
      expect.stringMatching(/^2 error: .*cannot be used with/),
      expect.stringMatching(/^2 orcs: ORCS5001: --hook needs --save-test/),
    ]);
    expect(existsSync(join(cwd, "evil"))).toBe(false);
  });

  test("reports a truncated last line on stderr", async () => {
    const cwd = await recorded();
    const text = readFileSync(join(cwd, "r.jsonl"), "utf8");
    writeFileSync(join(cwd, "r.jsonl"), text.slice(0, -20));
    const { code, stderr } = await orcs(["replay", "r.jsonl", ...WITH], { cwd });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /^orcs: .*r\.jsonl is truncated in line \d+, which is ignored\n$/,
      ),
    });
  });

  test("removes its temporary files of a revision when it fails", async () => {
    const cwd = await recorded();
    commitAll(cwd);
    const TMPDIR = folder();
    writeFileSync(join(cwd, "bad.jsonl"), "no record\n");
    const failed = await orcs(["replay", "bad.jsonl", ...WITH, "--against", "HEAD"], {
      cwd,
      env: { TMPDIR },
    });
    expect(failed.code).toBe(2);
    expect(readdirSync(TMPDIR)).toEqual([]);
    writeFileSync(join(cwd, "hooks/guard.lua"), "return nil");
    const done = await orcs(["replay", "r.jsonl", ...WITH, "--against", "HEAD"], {
      cwd,
      env: { TMPDIR },
    });
    expect(done).toMatchObject({ code: 2, stderr: expect.stringContaining("ORCS3003") });
    expect(readdirSync(TMPDIR)).toEqual([]);
  });
});

test("orcs replay --list has the numbers that --save-test takes", async () => {
  const cwd = await recorded();
  const { code, stdout } = await orcs(["replay", "r.jsonl", "--list", "--json"], { cwd });
  const rows = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const denied = rows.find(({ action }) => action === "abort");
  expect({ code, denied }).toMatchObject({
    code: 0,
    denied: { point: "tool.pre_execute", tool: "exec", subject: "rm -rf x", hook: "guard" },
  });
  const [number] = numbersOf(
    join(cwd, "r.jsonl"),
    ({ point, payload }) => point === "tool.pre_execute" && payload?.args?.command === "rm -rf x",
  );
  expect(denied?.["event"]).toBe(number);
  const table = await orcs(["replay", "r.jsonl", "--list"], { cwd });
  expect(table.stdout).toMatch(
    new RegExp(`^${number} +tool\\.pre_execute +exec +rm -rf x +abort +guard$`, "m"),
  );
});

describe("orcs replay --save-test", { concurrent: true }, () => {
  const refused = (cwd: string): number => {
    const [number = 0] = numbersOf(
      join(cwd, "r.jsonl"),
      ({ point, payload }) => point === "tool.pre_execute" && payload?.args?.command === "rm -rf x",
    );
    return number;
  };

  test("writes a passing test, once", async () => {
    const cwd = await recorded();
    const number = refused(cwd);
    const save = ["replay", "r.jsonl", ...WITH, "--save-test", String(number)];
    const saved = await orcs(save, { cwd });
    expect(saved).toEqual({
      code: 0,
      stderr: "",
      stdout: `wrote a test of event ${number} to hooks/replay_test.lua\n\n  orcs test hooks/replay_test.lua\n`,
    });
    const text = readFileSync(join(cwd, "hooks/replay_test.lua"), "utf8");
    const again = await orcs(save, { cwd });
    expect(again.stdout).toBe(`event ${number} is already a test in hooks/replay_test.lua\n`);
    expect(readFileSync(join(cwd, "hooks/replay_test.lua"), "utf8")).toBe(text);
    expect(readdirSync(join(cwd, "hooks")).sort()).toEqual(["guard.lua", "replay_test.lua"]);

    const [edited = 0] = numbersOf(
      join(cwd, "r.jsonl"),
      ({ point, payload }) => point === "tool.pre_execute" && payload?.args?.command === "echo two",
    );
    const second = await orcs(["replay", "r.jsonl", ...WITH, "--save-test", String(edited)], {
      cwd,
    });
    expect(second.code).toBe(0);
    const passed = await orcs(["test", "hooks/replay_test.lua", ...WITH], { cwd });
    expect(passed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^2 passed in/) });
    expect(readFileSync(join(cwd, "hooks/replay_test.lua"), "utf8").startsWith(text)).toBe(true);

    writeFileSync(join(cwd, "hooks/guard.lua"), GUARD.replace("nothing is removed", "no"));
    expect((await orcs(["test", ...WITH], { cwd })).code).toBe(1);
  });

  test("writes nothing through a link, and says so", async () => {
    const cwd = await recorded();
    const number = refused(cwd);
    const target = join(cwd, "trust.json");
    writeFileSync(target, "{}");
    symlinkSync(target, join(cwd, "hooks/replay_test.lua"));
    const save = ["replay", "r.jsonl", ...WITH, "--save-test", String(number)];
    const { code, stderr } = await orcs(save, { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/ORCS5002: \S+replay_test.lua cannot be written: it is a symbolic link/);
    expect(readFileSync(target, "utf8")).toBe("{}");
  });
});

const EVENTS = process.env["ORCS_SOAK"] === "1" ? 1_000_000 : 250_000;

test(`orcs replay handles ${EVENTS} events in constant memory`, { timeout: 300_000 }, async () => {
  const cwd = folder({ "orcs.toml": CONFIG, "hooks/guard.lua": GUARD });
  const header = '{"orcs":"record","version":1,"time":"2026-01-01T00:00:00.000Z","whole":true}\n';
  const line = JSON.stringify({
    at: 1_767_225_600_000,
    point: "tool.pre_execute",
    component: "host::main",
    channel: "main",
    principal: { type: "Host", id: "main" },
    payload: { tool_name: "exec", tool: "exec", args: { command: "echo one" } },
    outcome: { action: "continue", edits: [] },
    duration_ms: 0,
  });
  const block = `${line}\n`.repeat(10_000);
  writeFileSync(join(cwd, "r.jsonl"), header);
  for (let i = 0; i < EVENTS; i += 10_000)
    writeFileSync(join(cwd, "r.jsonl"), block, { flag: "a" });
  const differs = line.replace("echo one", "rm one");
  writeFileSync(join(cwd, "r.jsonl"), `${differs}\n`, { flag: "a" });
  // What is kept of so many events would be far more than that.
  const NODE_OPTIONS = "--max-old-space-size=48";
  const main = join(ROOT, "dist/cli/main.js");
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [main, "replay", "r.jsonl", ...WITH, "--json"],
    { cwd, env: { ...process.env, NODE_OPTIONS }, encoding: "utf8" },
  );
  expect({ status, stderr }).toEqual({ status: 1, stderr: "" });
  expect(jsonLines(stdout)).toMatchObject({
    numbers: [EVENTS + 1],
    summary: { events: EVENTS + 1, differ: 1, not_compared: {} },
  });
});
