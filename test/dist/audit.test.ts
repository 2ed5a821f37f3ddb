import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { AuditLog } from "../../src/records/audit/audit-log.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { ALONE, CALLS, GUARD, HookRig } from "./hook-rig.ts";
import { FAKE, Session } from "./mcp/session.ts";
import { ended, folder, MAIN, orcs, start, writeFiles } from "./orcs.ts";
import { heard } from "./processes.ts";
import { ask, dispatchAt, serving } from "./service.ts";

type Line = Readonly<Record<string, unknown>>;

function linesIn(dir: string): Line[] {
  const text = readFileSync(join(dir, "audit.jsonl"), "utf8");
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Line]));
}

/** A log with these entries, written as an engine would. */
async function written(entries: readonly JsonObject[], maxBytes = 2 ** 20): Promise<string> {
  const dir = join(folder(), "audit");
  const log = logIn(dir, maxBytes);
  for (const entry of entries) await log.append(entry);
  await log.close();
  return dir;
}

function logIn(dir: string, maxBytes = 2 ** 20): AuditLog {
  return new AuditLog({
    dir,
    lock: () => ({ hold: (run) => run(false), close: () => undefined }),
    fsync: "never",
    maxBytes,
  });
}

const entry = (n: number, more: JsonObject = {}): JsonObject => ({
  kind: "dispatch",
  point: "tool.pre_execute",
  action: "abort",
  hook: `h${n}`,
  reason: `reason ${n}`,
  ...more,
});
const TEN = Array.from({ length: 10 }, (_, i) => entry(i + 1));

const audit = (args: readonly string[], cwd = folder()) => orcs(["audit", ...args], { cwd });

describe("the audit log is written by", () => {
  const toml = `${ALONE}[paths]\naudit = "log"\n${GUARD}`;

  // Several processes at once are in audit-log-processes.test.ts.
  test("orcs hook", async () => {
    const rig = new HookRig({ "orcs.toml": toml });
    await rig.command("claude-code", "rm -rf build");
    const line = { point: "tool.pre_execute", action: "abort", hook: "guard", reason: "not that" };
    expect(linesIn(join(rig.dir, "log"))).toMatchObject([line]);
  });

  test("orcs serve", async () => {
    const dir = folder({ "orcs.toml": toml });
    const { at, child, ended } = await serving(dir, ["--config", "orcs.toml"]);
    await ask(at.socket, dispatchAt({ command: "rm -rf build" }));
    expect(linesIn(join(dir, "log"))).toMatchObject([{ action: "abort", hook: "guard" }]);
    child.kill("SIGTERM");
    await ended;
  });

  test("orcs mcp", async () => {
    const dir = folder({
      "orcs.toml": `${toml}[[hooks]]\nid = "no"\npoint = "tool.pre_execute"\nhandler_inline = 'orcs.deny("never")'\n`,
    });
    const options = ["--config", "orcs.toml", "--name", "fake"];
    const session = new Session(dir, [process.execPath, FAKE], options);
    const params = { name: "echo", arguments: {} };
    session.say({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    await session.answer(1);
    expect(linesIn(join(dir, "log"))).toMatchObject([
      { component: "mcp::fake", action: "abort", hook: "no", reason: "never" },
    ]);
    await session.end();
  });

  test("orcs run, by default beside the state file", async () => {
    const dir = folder({
      "orcs.toml": ALONE + GUARD,
      "agent.lua": 'return orcs.exec("rm -rf /").ok',
    });
    const env = { XDG_STATE_HOME: join(dir, "state") };
    const args = ["--config", "orcs.toml"];
    await orcs(["run", "agent.lua", ...args], { cwd: dir, env });
    const { stdout } = await orcs(["audit", "show", "--json", ...args], { cwd: dir, env });
    expect(JSON.parse(stdout)).toMatchObject({ action: "abort", hook: "guard", tool: "exec" });
    const kept = readdirSync(join(dir, "state/orcs")).filter((name) => name !== "audit-heads");
    expect(kept).toHaveLength(1);
    const [only = ""] = kept;
    expect(existsSync(join(dir, "state/orcs", only, "audit/audit.jsonl"))).toBe(true);
  });

  test("no other command: trying a hook is not recorded", async () => {
    const dir = folder({ "orcs.toml": toml });
    const event = ["tool.pre_execute", "tool=exec", "command=rm -rf /"];
    for (const verb of [["eval", ...event], ["eval", "--explain", ...event], ["list"], ["check"]]) {
      const { code } = await orcs([...verb, "--config", "orcs.toml"], { cwd: dir });
      expect([verb[0], code]).toEqual([verb[0], 0]);
    }
    await orcs(["test", "--config", "orcs.toml"], { cwd: dir });
    await orcs(["test", "--bench", "-n", "10", "--config", "orcs.toml"], { cwd: dir });
    expect(existsSync(join(dir, "log"))).toBe(false);
  });
});

test("at the file size limit orcs hook denies with the reason, and orcs run continues", async () => {
  const rewrite = `[[hooks]]\nid = "r"\npoint = "tool.pre_execute"\nhandler_inline = 'ctx.payload.args.command = "true"'\n`;
  const rig = new HookRig({
    "orcs.toml": `${ALONE}[paths]\naudit = "log"\n${rewrite}`,
    "agent.lua": 'return orcs.exec("ls").ok',
  });
  await rig.trust();
  const limited = ["-c", 'ulimit -f 0; exec "$0" "$@"', process.execPath, MAIN];
  const config = ["--config", join(rig.dir, "orcs.toml")];
  const asked = spawn("bash", [...limited, "hook", "--host", "claude-code", ...config], {
    cwd: rig.dir,
    env: { ...process.env, ...rig.env },
  });
  asked.stdin.end(JSON.stringify(CALLS["claude-code"]("ls")));
  const answer = await ended(asked);
  expect([answer.code, answer.stdout]).toEqual([
    0,
    expect.stringMatching(/"deny".*ORCS8005: .*EFBIG/),
  ]);
  const run = await start("bash", [...limited, "run", "agent.lua", ...config], {
    cwd: rig.dir,
    env: rig.env,
  });
  expect(run.code).toBe(0);
  expect(run.stderr).toMatch(/ORCS8005: .*EFBIG/);
});

describe("orcs audit verify", { concurrent: true }, () => {
  test("reports a changed line", async () => {
    const dir = await written(TEN);
    const file = join(dir, "audit.jsonl");
    writeFileSync(file, readFileSync(file, "utf8").replace("reason 5", "reason 6"));
    const { code, stdout } = await audit(["verify", "--dir", dir]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^audit\.jsonl:5: ./m);
    expect(stdout).toMatch(/of damage\n$/);
    const told = JSON.parse((await audit(["verify", "--dir", dir, "--json"])).stdout) as object;
    expect(told).toMatchObject({ ok: false, dir });
  });

  test("finds a truncated log only by a checkpoint, beside it or elsewhere", async () => {
    const dir = await written(TEN);
    const elsewhere = join(folder(), "kept.jsonl");
    const made = await audit(["checkpoint", "--dir", dir, "--out", elsewhere]);
    expect(made.code).toBe(0);
    expect(JSON.parse(made.stdout)).toMatchObject({ v: 1, seq: 10 });
    expect(existsSync(join(dir, "checkpoints.jsonl"))).toBe(false);
    await audit(["checkpoint", "--dir", dir]);
    expect((await audit(["verify", "--dir", dir])).code).toBe(0);

    const file = join(dir, "audit.jsonl");
    const lines = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, `${lines.slice(0, 8).join("\n")}\n`);
    expect((await audit(["verify", "--dir", dir])).code).toBe(1);
    expect((await audit(["verify", "--dir", dir, "--checkpoint", elsewhere])).code).toBe(1);
    rmSync(join(dir, "checkpoints.jsonl"));
    expect((await audit(["verify", "--dir", dir])).code).toBe(0);
  });

  describe("of a log written by an engine", () => {
    const LOGGED = {
      "orcs.toml": `${ALONE}[paths]\naudit = "log"\n${GUARD}`,
      "agent.lua": 'return orcs.exec("rm -rf build").error',
    };
    const used = async (rounds = 3) => {
      const dir = folder(LOGGED);
      const env = { XDG_STATE_HOME: join(dir, "state") };
      const run = () => orcs(["run", "agent.lua", "--config", "orcs.toml"], { cwd: dir, env });
      for (let i = 0; i < rounds; i++) await run();
      const verify = (...more: string[]) =>
        orcs(["audit", "verify", "--config", "orcs.toml", ...more], { cwd: dir, env });
      return { dir, log: join(dir, "log"), run, verify };
    };
    const ENDS = /ends before the last recorded head \(line 3 of \d{4}-\d\d-\d\dT[^)]*Z\)/;

    test("fails when it was removed with its folder", async () => {
      const at = await used();
      expect((await at.verify()).code).toBe(0);
      rmSync(at.log, { recursive: true });
      const { code, stdout } = await at.verify();
      expect([code, stdout]).toEqual([1, expect.stringMatching(ENDS)]);
      expect(stdout).toMatch(/note: the saved head is entry 3, in .*audit-heads/);
      const { head, damage } = JSON.parse((await at.verify("--json")).stdout) as any;
      expect(head).toMatchObject({ seq: 3 });
      expect(damage).toContainEqual(expect.objectContaining({ kind: "cut_tail" }));
      // Whoever removed it on purpose begins anew.
      rmSync(head.path);
      await at.run();
      expect((await at.verify()).code).toBe(0);
    });

    test("notes that no head is known without the user's state folder", async () => {
      const at = await used(1);
      rmSync(join(at.dir, "state"), { recursive: true });
      const { code, stdout } = await at.verify();
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^note: no saved head/m)]);
    });
  });

  test("without a log or checkpoint file is an error", async () => {
    const dir = await written(TEN);
    const empty = folder();
    for (const args of [
      ["verify", "--dir", empty],
      ["verify", "--dir", join(empty, "nowhere")],
      ["verify", "--dir", dir, "--checkpoint", join(empty, "none")],
      ["show", "--dir", empty],
      ["tail", "--dir", empty],
      ["checkpoint", "--dir", empty],
    ]) {
      const { code, stdout, stderr } = await audit(args);
      expect([args[0], code, stdout]).toEqual([args[0], 2, ""]);
      expect(stderr).toMatch(/ORCS8006/);
    }
    expect(readdirSync(empty)).toEqual([]);
  });
});

describe("orcs audit show", { concurrent: true }, () => {
  const FAILED = entry(3, {
    action: "continue",
    failures: [{ hook: "broken", kind: "timeout", message: "too late" }],
  });
  const MANY: readonly JsonObject[] = [
    entry(1, { session: "s-1", tool: "exec" }),
    entry(2, { action: "continue", decision: "ask", point: "auth.pre_check" }),
    FAILED,
    entry(4, { action: "rewrite", changed: [{ hook: "mend", paths: ["/payload/args/x"] }] }),
    { kind: "reload", hooks: 3, config: "c", duration_ms: 1 },
    { kind: "reload_failed", reason: "ORCS1015: mistakes" },
  ];
  const FILTERS: readonly [string[], number[]][] = [
    [[], [1, 2, 3, 4, 5, 6]],
    [
      ["-n", "2"],
      [5, 6],
    ],
    [
      ["-n", "0"],
      [1, 2, 3, 4, 5, 6],
    ],
    [
      ["--point", "tool.pre_execute"],
      [1, 3, 4],
    ],
    [["--point", "PermissionRequest"], [2]],
    [["--hook", "h1"], [1]],
    [["--hook", "broken"], [3]],
    [["--hook", "mend"], [4]],
    [["--action", "abort"], [1]],
    [["--action", "ask"], [2]],
    [["--session", "s-1"], [1]],
    [["--failed"], [3, 6]],
    [["--failed", "--hook", "broken", "-n", "1"], [3]],
    [
      ["--since", "1h"],
      [1, 2, 3, 4, 5, 6],
    ],
    [["--since", "2999-01-01"], []],
  ];
  test.each(FILTERS)("%j", async (args, wanted) => {
    const dir = await written(MANY);
    const { code, stdout } = await audit(["show", "--dir", dir, "--json", ...args]);
    const lines = stdout.split("\n").filter(Boolean);
    const seqs = lines.map((line) => (JSON.parse(line) as Line)["seq"]);
    expect([code, seqs]).toEqual([0, wanted]);
  });

  test("prints a table", async () => {
    const dir = await written(MANY);
    const { stdout } = await audit(["show", "--dir", dir]);
    const rows = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/));
    expect(rows[0]).toEqual(["seq", "time", "what", "action", "hook", "tool", "why"]);
    // Without the time.
    for (const row of rows) row.splice(1, 1);
    expect(rows.slice(2)).toEqual([
      ["1", "tool.pre_execute", "abort", "h1", "exec", "reason 1"],
      ["2", "auth.pre_check", "ask", "h2", "reason 2"],
      ["3", "tool.pre_execute", "continue", "h3", "reason 3; broken failed (timeout)"],
      ["4", "tool.pre_execute", "rewrite", "h4", "reason 4; mend changed /payload/args/x"],
      ["5", "reload", "hooks 3, config c, duration_ms 1"],
      ["6", "reload_failed", "ORCS1015: mistakes"],
    ]);
    expect((await audit(["show", "--dir", dir, "--hook", "nobody"])).stdout).toBe(
      "no entries match\n",
    );
  });

  test("escapes control characters, also from a forged file", async () => {
    const evil = "\u001b[2J\u009b31m\u202egnp\r\u0007\u2028\u{e0041}";
    const dir = await written([entry(1, { reason: evil, hook: evil, tool: evil })]);
    writeFileSync(join(dir, "audit.jsonl"), `${evil.replace("\r", "")} no json\n`, { flag: "a" });
    for (const args of [["show"], ["show", "--json"], ["tail"], ["tail", "--json"], ["verify"]]) {
      const { stdout, stderr } = await audit([...args, "--dir", dir]);
      expect(stdout).not.toBe("");
      expect(stdout.replaceAll("\n", "") + stderr.replaceAll("\n", "")).not.toMatch(
        /[\p{Cc}\p{Cf}\u2028\u2029]/u,
      );
    }
    const { stdout } = await audit(["show", "--json", "--dir", dir]);
    expect(JSON.parse(stdout.split("\n")[0] ?? "")).toMatchObject({ reason: evil, hook: evil });
  });

  test.each([
    ["show", "--since", "yesterday"],
    ["show", "-n", "-1"],
    ["tail", "-n", "many"],
    ["show", "--nonsense"],
    ["nonsense"],
  ])("%j is an error", async (...args) => {
    const { code, stderr } = await audit(args);
    expect(code).toBe(2);
    expect(stderr).toMatch(/error: /);
  });
});

/** `orcs audit tail -f` as a process of its own. */
function following(dir: string, ...args: string[]) {
  const tail = [MAIN, "audit", "tail", "--dir", dir, "-f", ...args];
  const child = spawn(process.execPath, tail, { cwd: folder() });
  onTestFinished(() => void child.kill("SIGKILL"));
  return { child, stdout: heard(child.stdout) };
}

// One after the other: processes are killed at the end of their test.
describe("orcs audit tail", () => {
  test("prints the last lines in short form", async () => {
    const dir = await written(TEN);
    const { stdout } = await audit(["tail", "--dir", dir, "-n", "2"]);
    expect(stdout.split("\n").map((line) => line.split(/ {2}/).at(-1))).toEqual([
      "reason 9",
      "reason 10",
      "",
    ]);
  });

  test("-f prints each line once and in order, across rotation, until Ctrl-C", async () => {
    const dir = await written(TEN);
    const { child, stdout } = following(dir, "--json", "-n", "3", "--action", "abort");
    const hooks = () =>
      stdout()
        .split("\n")
        .flatMap((line) => (line === "" ? [] : [(JSON.parse(line) as Line)["hook"]]));
    await until(() => hooks().length === 3);
    const log = logIn(dir, 3000);
    for (let i = 11; i <= 60; i++) {
      await log.append(entry(i));
      if (i % 20 === 0) await until(() => hooks().includes(`h${i}`));
    }
    await log.close();
    await until(() => hooks().includes("h60"));
    expect(readdirSync(dir).length).toBeGreaterThan(4);
    child.kill("SIGINT");
    const [code] = (await once(child, "close")) as [number | null];
    expect(code).toBe(0);
    expect(hooks()).toEqual(Array.from({ length: 53 }, (_, i) => `h${i + 8}`));
  });

  test("-f waits for a log to be created, and skips incomplete lines", async () => {
    const dir = join(folder(), "log");
    const { child, stdout } = following(dir, "--hook", "h2");
    const other = await written([entry(1), entry(2), entry(3)]);
    const text = readFileSync(join(other, "audit.jsonl"), "utf8");
    const half = text.indexOf('"h2"');
    mkdirSync(dir);
    writeFileSync(join(dir, "audit.jsonl"), text.slice(0, half));
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(stdout()).toBe("");
    writeFileSync(join(dir, "audit.jsonl"), text.slice(half), { flag: "a" });
    await until(() => stdout().includes("reason 2"));
    child.kill("SIGTERM");
    await once(child, "close");
    expect(stdout().trimEnd().split("\n")).toHaveLength(1);
  });
});

function until(holds: () => boolean): Promise<void> {
  return expect.poll(holds, { timeout: 15_000, interval: 20 }).toBe(true);
}

test("orcs audit works despite configuration errors", async () => {
  const dir = folder({ "orcs.toml": ALONE + GUARD, "agent.lua": 'orcs.exec("rm -rf /")' });
  const env = { XDG_STATE_HOME: join(dir, "state"), XDG_CONFIG_HOME: join(dir, "user") };
  writeFiles(dir, { "user/orcs/orcs.toml": ALONE + GUARD });
  const cwd = folder({ "agent.lua": 'return orcs.exec("rm -rf /").ok' });
  await orcs(["run", "agent.lua"], { cwd, env });
  writeFiles(dir, { "user/orcs/orcs.toml": "nonsense = 1" });
  const { code, stdout, stderr } = await orcs(["audit", "show"], { cwd, env });
  expect([code, stdout.includes("guard")]).toEqual([0, true]);
  expect(stderr).toMatch(/has errors: using the log of its last valid version/);
});
