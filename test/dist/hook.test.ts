import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HOST_NAMES } from "../../src/core/hosts.ts";
import type { HostName } from "../../src/core/hosts.ts";
import { ALONE, CALLS, GUARD, HookRig } from "./hook-rig.ts";
import { ended, folder, MAIN, orcs, writeFiles } from "./orcs.ts";
import type { Ended } from "./orcs.ts";
import { tryOneOf } from "../slow-test.ts";

const guarded = (more = "") => new HookRig({ "orcs.toml": `${ALONE}${GUARD}${more}` });

/** What stands on stdout, which is one line of JSON and nothing else. */
function said(stdout: string): Record<string, unknown> {
  expect(stdout).toMatch(/^\{.*\}\n$/);
  return JSON.parse(stdout) as Record<string, unknown>;
}

const REASON = "denied by hook guard: not that";
const DENIED = { permissionDecision: "deny", permissionDecisionReason: REASON };
const DENIED_BY_NAME = { hookSpecificOutput: { hookEventName: "PreToolUse", ...DENIED } };
const TOLD = { user_message: REASON, agent_message: REASON };
const TOLD_BEFORE = { userMessage: REASON, agentMessage: REASON };
/** How each host is refused a command, and let pass one. */
const ANSWERS: Readonly<
  Record<HostName, { readonly no: object; readonly yes: object | undefined }>
> = {
  "claude-code": { no: DENIED_BY_NAME, yes: undefined },
  codex: { no: DENIED_BY_NAME, yes: undefined },
  gemini: { no: { decision: "deny", reason: REASON }, yes: {} },
  cursor: { no: { permission: "deny", continue: false, ...TOLD, ...TOLD_BEFORE }, yes: {} },
  copilot: { no: DENIED, yes: undefined },
  qwen: { no: { ...DENIED_BY_NAME, continue: false, stopReason: REASON }, yes: {} },
};

/** How the person is told at the first event that can carry it. */
const shownAlone = (text: string) => ({ shown: { systemMessage: text }, printed: "" });
const NOTICED: Readonly<
  Record<
    HostName,
    (text: string) => { readonly shown: object | undefined; readonly printed: string }
  >
> = {
  "claude-code": shownAlone,
  codex: shownAlone,
  gemini: shownAlone,
  cursor: (text) => ({ shown: { user_message: text }, printed: `${text}\n` }),
  copilot: (text) => ({ shown: undefined, printed: `${text}\n` }),
  qwen: (text) => ({ shown: {}, printed: `${text}\n` }),
};

/** Whether an answer keeps the host from going on. */
function refuses({ code, stdout }: { code: number | null; stdout: string }): boolean {
  return code === 2 || (code === 0 && /"(?:deny|block)"/.test(stdout));
}

/** That an answer refuses, and says why: on this stream, or on either. */
function expectRefused(answer: Ended, why: string | RegExp, on?: "stdout" | "stderr"): void {
  const text = on === undefined ? `${answer.stdout}${answer.stderr}` : answer[on];
  expect([refuses(answer), text]).toEqual([
    true,
    typeof why === "string" ? expect.stringContaining(why) : expect.stringMatching(why),
  ]);
  if (answer.stdout !== "") said(answer.stdout);
}

describe.each(HOST_NAMES)("orcs hook for %s", { concurrent: true }, (host) => {
  tryOneOf(3, HOST_NAMES.indexOf(host));
  const { no, yes } = ANSWERS[host];

  test("denies one command and allows another", async () => {
    const rig = guarded();
    const [refused, passed] = await Promise.all([
      rig.command(host, "rm -rf build"),
      rig.command(host, "ls"),
    ]);
    expect([refused.code, said(refused.stdout)]).toEqual([0, no]);
    expect([passed.code, passed.stdout]).toEqual([0, yes ? `${JSON.stringify(yes)}\n` : ""]);
    expect(passed.stderr).toBe("");
  });

  test("without a configuration continues, with a notice once per session", async () => {
    const rig = new HookRig({});
    const text = `orcs: no hook runs: there is no orcs.toml in ${rig.dir} or above, and none in ${join(rig.dir, "no-user/orcs")}; orcs init creates one`;
    const { shown, printed } = NOTICED[host](text);
    const first = await rig.command(host, "rm -rf build");
    const answer = first.stdout === "" ? undefined : said(first.stdout);
    expect([first.code, answer, first.stderr]).toEqual([0, shown, printed]);
    const { code, stdout, stderr } = await rig.command(host, "rm -rf build");
    expect([code, stdout, stderr]).toEqual([0, yes ? `${JSON.stringify(yes)}\n` : "", ""]);
  });

  test("denies an incomplete event with the reason", async () => {
    const stdin = '{"hook_event_name": "PreToolUse", "tool_na';
    const answer = await guarded().ask(host, undefined, { stdin });
    expectRefused(answer, "ORCS7001");
  });

  // What scripts and modules write is kept out before a response is made: with a host for which no decision is no
  // output at all, and with one for which it is an object. What each of them is told is above.
  test.runIf(["claude-code", "gemini"].includes(host))(
    "keeps script output out of the result",
    async () => {
      const noisy = `debug = true
[[hooks]]
id = "noisy"
point = "tool.pre_execute"
priority = 1
handler_inline = '''
print("printed") orcs.emit_output("emitted") orcs.log("warn", "logged")
return { action = "replace", result = 1 }
'''
[[hooks]]
id = "module"
point = "tool.pre_execute"
priority = 2
module = "./noisy.js"
[[hooks]]
id = "shell"
point = "tool.pre_execute"
priority = 3
shell = { command = "echo from the shell >&2; exit 0" }
`;
      const module = `console.log("at load"); process.stdout.write("at load, too\\n");
export default () => { console.log("from the module"); console.table([1]); };
`;
      const rig = new HookRig({
        "orcs.toml": `${noisy}${ALONE}${GUARD}`,
        "noisy.js": module,
        "package.json": '{"type":"module"}',
      });
      const refused = await rig.command(host, "rm -rf build");
      expect(said(refused.stdout)).toEqual(no);
      expect(refused.stderr).toContain("from the module");
      expect(refused.stderr).toContain("replace has no effect");
      const { stdout } = await rig.command(host, "ls");
      expect(stdout).toBe(yes ? `${JSON.stringify(yes)}\n` : "");
    },
  );
});

describe("orcs hook", { concurrent: true }, () => {
  const host = "claude-code";

  test("denies an event with a missing field, and names it", async () => {
    const { tool_input: _, ...rest } = CALLS[host]("ls");
    const answer = await guarded().ask(host, rest);
    expectRefused(answer, "tool_input");
  });

  test("passes an event unknown to this version to host.pre_event, else allows it", async () => {
    const event = { ...CALLS[host]("ls"), hook_event_name: "FromTheFuture", more: [1] };
    const rig = guarded(
      '[[hooks]]\nid = "future"\npoint = "host.pre_event"\nhandler_inline = \'orcs.deny(ctx.payload.event .. ctx.payload.host.more[1])\'\n',
    );
    const answer = await rig.ask(host, event);
    expect(`${answer.stdout}${answer.stderr}`).toContain("FromTheFuture1");
    const { code, stdout } = await guarded().ask(host, event);
    expect([code, ["", "{}\n"].includes(stdout)]).toEqual([0, true]);
  });

  // Three seconds may be over before the hook has begun, where a machine has many other things to do: hence the retries.
  test("denies when a hook times out, before the agent's timeout", { retry: 2 }, async () => {
    // Longer than its process is left alive: an answer is one in time. How long it has waited it says.
    const slow = `[[hooks]]\npoint = "tool.pre_execute"\nhandler_inline = 'orcs.sleep(60000)'\n`;
    const rig = new HookRig({ "orcs.toml": `${ALONE}${slow}` });
    const answer = await rig.command(host, "ls", { args: ["--timeout", "3"] });
    expect(refuses(answer)).toBe(true);
    const told = /took longer than the (\d+) ms/.exec(`${answer.stdout}${answer.stderr}`);
    expect(Number(told?.[1])).toBeGreaterThan(0);
    expect(Number(told?.[1])).toBeLessThan(3000);
  });
});

describe("orcs hook input errors", { concurrent: true }, () => {
  test.each([
    ["TOML", "[[hooks]\n", "orcs.toml:1:"],
    ["a key", `${GUARD}pirority = 1\n`, "orcs.toml:6:"],
    ["a script", '[[hooks]]\nscript = "hooks/bad.lua"\n', "bad.lua:2:"],
    ["no script", '[[hooks]]\nscript = "none.lua"\n', "orcs.toml:2:"],
  ])("a configuration error denies with its position: %s", async (_what, toml, place) => {
    const rig = new HookRig({ "orcs.toml": toml, "hooks/bad.lua": "local x = 1\nreturn x x\n" });
    await rig.trust({ dev: true });
    const answer = await rig.command("codex", "ls");
    expectRefused(answer, place);
    // Nothing was started for it.
    expect(existsSync(join(rig.dir, "run/orcs")) && readdirSync(join(rig.dir, "run/orcs"))).toEqual(
      [],
    );
  });

  test.each([
    ["nothing", ""],
    ["binary", Buffer.from([0, 255, 254, 123, 0, 125])],
    ["no UTF-8", Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc3]), Buffer.from('"}')])],
    ["no event", "{}"],
    ["deep", `{"hook_event_name":"PreToolUse","a":${"[".repeat(5000)}${"]".repeat(5000)}}`],
  ])("stdin with %s denies with the reason", async (_what, stdin) => {
    const answer = await guarded().ask("codex", undefined, { stdin });
    expectRefused(answer, /ORCS7001|UTF-8/);
  });
});

describe("the orcs hook command line", { concurrent: true }, () => {
  test("one that is wrong exits with 2, which denies", async () => {
    const { code, stdout, stderr } = await orcs(["hook", "--host", "codex", "--what", "1"], {
      cwd: folder(),
      stdin: "{}",
    });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain('unknown argument "--what"');
    expect(stderr).toContain("orcs hook --help");
  });

  test("--help", async () => {
    const { code, stdout } = await orcs(["hook", "--help"], { cwd: folder() });
    expect(code).toBe(0);
    for (const text of ["--host", "--config", "--timeout", ...HOST_NAMES]) {
      expect(stdout).toContain(text);
    }
  });

  test("--config names a file relative to the project directory; no notice is printed", async () => {
    const rig = new HookRig({
      "conf/guard.toml": `${ALONE}${GUARD}`,
      "orcs.toml": ALONE,
      "sub/x": "",
    });
    const named = [
      ["--config", "conf/guard.toml"],
      ["--config=conf/guard.toml"],
      ["--config", join(rig.dir, "conf/guard.toml")],
    ];
    for (const args of named) {
      const { stdout, stderr } = await rig.command("gemini", "rm -rf build", { args });
      expect([said(stdout), stderr]).toEqual([ANSWERS.gemini.no, ""]);
    }
    const env = { CLAUDE_PROJECT_DIR: rig.dir };
    const below = { args: ["--config", "conf/guard.toml"], cwd: join(rig.dir, "sub"), env };
    const { stdout } = await rig.command("claude-code", "rm -rf build", below);
    expect(said(stdout)).toEqual(ANSWERS["claude-code"].no);
    const missing = await rig.command("codex", "ls", { args: ["--config", "no.toml"] });
    expect(refuses(missing)).toBe(true);
    expect(missing.stderr).toContain("no.toml");
  });
});

describe("orcs hook finds the configuration", { concurrent: true }, () => {
  test("by the agent's variable, whatever the working directory", async () => {
    const rig = guarded();
    const elsewhere = folder({ "orcs.toml": ALONE });
    const env = { CLAUDE_PROJECT_DIR: rig.dir };
    const { stdout } = await rig.command("claude-code", "rm -rf build", { cwd: elsewhere, env });
    expect(said(stdout)).toEqual(ANSWERS["claude-code"].no);
  });

  test("ignoring another agent's variable", async () => {
    const rig = guarded();
    const env = { CLAUDE_PROJECT_DIR: folder({ "orcs.toml": ALONE }) };
    const { stdout } = await rig.command("codex", "rm -rf build", { env });
    expect(said(stdout)).toEqual(ANSWERS.codex.no);
  });

  test("upwards from the directory, with the user's own, or the user's only", async () => {
    const rig = guarded();
    writeFiles(rig.dir, {
      "a/b/c/x": "",
      "home/orcs/orcs.toml": `${ALONE}[[hooks]]\nid = "own"\npoint = "tool.pre_execute"\nmatch = { command = "mine" }\nhandler_inline = 'orcs.deny("own")'\n`,
    });
    const cwd = join(rig.dir, "a/b/c");
    const env = { XDG_CONFIG_HOME: join(rig.dir, "home") };
    expect(said((await rig.command("codex", "rm -rf build", { cwd, env })).stdout)).toEqual(
      ANSWERS.codex.no,
    );
    expect((await rig.command("codex", "mine", { cwd, env })).stdout).toContain("own");
    const outside = folder();
    const own = await rig.command("codex", "mine", { cwd: outside, env });
    expect(own.stdout).toContain("own");
    expect((await rig.command("codex", "rm -rf build", { cwd: outside, env })).stdout).toBe("");
  });
});

describe("orcs hook reads stdin", { concurrent: true }, () => {
  test("that stays open after a complete event", async () => {
    const rig = guarded();
    const started = performance.now();
    const { stdout } = await rig.command("gemini", "rm -rf build", { open: true });
    expect(said(stdout)).toEqual(ANSWERS.gemini.no);
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  test("that stays open after half an event: denies at the timeout", async () => {
    const rig = guarded();
    const started = performance.now();
    const answer = await rig.ask("gemini", undefined, {
      stdin: '{"hook_event_name":"BeforeTool","tool_na',
      open: true,
      args: ["--timeout", "3"],
    });
    expect(performance.now() - started).toBeLessThan(10_000);
    expectRefused(answer, "stdin did not end within", "stdout");
  });

  test("of 20 MB: denies over engine.max_payload_mb, else answers", async () => {
    const rig = guarded();
    const padded = (mb: number) => ({
      ...CALLS.codex("rm -rf build"),
      more: "x".repeat(mb * 2 ** 20),
    });
    const answer = await rig.ask("codex", padded(20));
    expectRefused(answer, "max_payload_mb", "stderr");
    expect(said((await rig.ask("codex", padded(10), { open: true })).stdout)).toEqual(
      ANSWERS.codex.no,
    );
  });

  test("of 65 MB without reading to the end", async () => {
    const answer = await guarded().ask("codex", undefined, {
      stdin: Buffer.alloc(65 * 2 ** 20, 32),
    });
    expectRefused(answer, "more than 67108864 bytes", "stderr");
  });

  test("from a file, and closed stdin", async () => {
    const rig = guarded();
    await rig.trust();
    writeFileSync(join(rig.dir, "event"), JSON.stringify(CALLS.gemini("rm -rf build")));
    const shell = (redirected: string) => {
      const command = `"${process.execPath}" "${MAIN}" hook --host gemini ${redirected}`;
      return ended(
        spawn("sh", ["-c", command], { cwd: rig.dir, env: { ...process.env, ...rig.env } }),
      );
    };
    expect(said((await shell("< event")).stdout)).toEqual(ANSWERS.gemini.no);
    for (const none of ["< /dev/null", "<&-"]) expect(refuses(await shell(none))).toBe(true);
  });
});

describe("orcs hook in a faulty environment", { concurrent: true }, () => {
  const refused = ANSWERS.codex.no;

  test("a closed stdout keeps the exit code, and nothing hangs", async () => {
    const rig = guarded();
    await rig.trust();
    const child = rig.start("codex");
    child.stdout.destroy();
    child.stdin.end(JSON.stringify(CALLS.codex("rm -rf build")));
    expect((await ended(child)).code).toBe(0);
  });

  test("a closed stderr does not matter", async () => {
    const rig = guarded();
    await rig.trust();
    const child = rig.start("codex");
    child.stderr.destroy();
    child.stdin.end(JSON.stringify(CALLS.codex("rm -rf build")));
    expect(said((await ended(child)).stdout)).toEqual(refused);
  });

  test("a deleted working directory does not matter", async () => {
    const rig = guarded();
    await rig.trust();
    mkdirSync(join(rig.dir, "gone"));
    const script = 'cd gone && rmdir ../gone && exec "$@"';
    const args = ["-c", script, "sh", process.execPath, MAIN, "hook", "--host", "claude-code"];
    const env = { ...process.env, ...rig.env };
    for (const [more, named] of [
      [{}, []],
      [{ CLAUDE_PROJECT_DIR: rig.dir }, []],
      [{}, ["--config", join(rig.dir, "orcs.toml")]],
    ] as const) {
      mkdirSync(join(rig.dir, "gone"), { recursive: true });
      const child = spawn("sh", [...args, ...named], {
        cwd: rig.dir,
        env: { ...env, CLAUDE_PROJECT_DIR: undefined, ...more },
      });
      child.stdin.on("error", () => undefined);
      child.stdin.end(JSON.stringify(CALLS["claude-code"]("rm -rf build")));
      expect(refuses(await ended(child))).toBe(true);
    }
  });

  test.each([
    ["no home", { HOME: undefined, XDG_CONFIG_HOME: undefined }],
    ["an empty home", { HOME: "", XDG_CONFIG_HOME: undefined }],
    ["relative XDG paths", { XDG_CONFIG_HOME: "conf", XDG_RUNTIME_DIR: "run" }],
    ["no PATH", { PATH: undefined }],
    [
      "a great environment",
      Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`X${i}`, "x".repeat(100_000)])),
    ],
    ["XDG_RUNTIME_DIR that cannot be", { XDG_RUNTIME_DIR: "/dev/null/run" }],
    ["XDG_RUNTIME_DIR longer than a socket may be", { XDG_RUNTIME_DIR: `/tmp/${"x".repeat(120)}` }],
  ])("%s", async (_what, env) => {
    const rig = guarded();
    // What a project would have to hold to pass for the user's own.
    const evil = `[engine]\non_error = "open"\n[[hooks]]\nid = "guard"\nenabled = false\npoint = "tool.pre_execute"\nhandler_inline = ''\n`;
    writeFiles(rig.dir, { ".config/orcs/orcs.toml": evil, "conf/orcs/orcs.toml": evil });
    const { code, stdout } = await rig.command("codex", "rm -rf build", { env });
    expect([code, said(stdout)]).toEqual([0, refused]);
  });

  test.each([
    ["that is relative", () => ({ XDG_STATE_HOME: "state" }), "are inactive"],
    ["in the project", (dir: string) => ({ XDG_STATE_HOME: join(dir, "state") }), "ORCS8002"],
    ["below a home in it", (dir: string) => ({ HOME: dir, XDG_STATE_HOME: undefined }), "ORCS8002"],
    [
      "below a home that is relative",
      () => ({ HOME: ".", XDG_STATE_HOME: undefined }),
      "are inactive",
    ],
  ])("a trust store %s, which a project could provide, is ignored", async (_where, envOf, says) => {
    const rig = guarded();
    const said = { dev: true, at: "2026-01-01T00:00:00.000Z" };
    const store = JSON.stringify({ version: 1, trusted: { [rig.dir]: said } });
    for (const folder of ["state/orcs", ".local/state/orcs"]) {
      writeFiles(rig.dir, { [`${folder}/trust.json`]: store });
      chmodSync(join(rig.dir, folder), 0o700);
      chmodSync(join(rig.dir, folder, "trust.json"), 0o600);
    }
    const { code, stdout } = await rig.command("codex", "rm -rf build", { env: envOf(rig.dir) });
    expect([code, stdout.includes("not that")]).toEqual([0, false]);
    expect(stdout).toContain(says);
  });

  test("a socket folder open to others is not used, with a message", async () => {
    const rig = guarded();
    mkdirSync(join(rig.dir, "run/orcs"), { recursive: true, mode: 0o777 });
    chmodSync(join(rig.dir, "run/orcs"), 0o777);
    const { stdout, stderr } = await rig.command("codex", "rm -rf build");
    expect(said(stdout)).toEqual(refused);
    expect(stderr).toContain("ORCS7006");
  });

  test("a module that throws asynchronously denies, a rejected promise does not", async () => {
    const toml = `${ALONE}[[hooks]]\npoint = "tool.pre_execute"\nmodule = "./m.js"\n`;
    const body = (line: string) =>
      `export default async () => { ${line}; await new Promise((r) => setTimeout(r, 200)); };\n`;
    const files = { "orcs.toml": toml, "package.json": '{"type":"module"}' };
    const throws = new HookRig({
      ...files,
      "m.js": body('setTimeout(() => { throw new Error("stray"); }, 10)'),
    });
    const answer = await throws.command("claude-code", "ls");
    // It ends the process of the modules, not the one that answers.
    expectRefused(answer, "stray", "stderr");
    const rejects = new HookRig({
      ...files,
      "m.js": body('void Promise.reject(new Error("stray"))'),
    });
    const passed = await rejects.command("claude-code", "ls");
    expect([passed.code, passed.stdout, passed.stderr.includes("stray")]).toEqual([0, "", true]);
  });

  test("a module that never loads or exits the process denies", async () => {
    const toml = `${ALONE}[[hooks]]\npoint = "tool.pre_execute"\nmodule = "./m.js"\n`;
    const files = { "orcs.toml": toml, "package.json": '{"type":"module"}' };
    const never = new HookRig({
      ...files,
      "m.js": "await new Promise(() => {});\nexport default () => {};\n",
    });
    const answer = await never.command("claude-code", "ls", { args: ["--timeout", "3"] });
    expectRefused(answer, "took longer", "stdout");
    const ends = new HookRig({ ...files, "m.js": "process.exit();\n" });
    expect(refuses(await ends.command("claude-code", "ls"))).toBe(true);
  });
});

describe("state across orcs hook processes", { concurrent: true }, () => {
  const counter = `[[hooks]]\npoint = "tool.pre_execute"\nhandler_inline = 'orcs.deny(tostring(orcs.state.incr("n", 1)))'\n`;

  // More of them count at once in state-processes.test.ts.

  test("[paths] state sets the file; an unusable file is a hook failure", async () => {
    const rig = new HookRig({ "orcs.toml": `${ALONE}[paths]\nstate = "here"\n${counter}` });
    expect((await rig.command("gemini", "ls")).stdout).toContain(": 1");
    expect(readFileSync(join(rig.dir, "here/state.jsonl"), "utf8")).toBe(
      '{"key":"orcs:project:n","value":1}\n',
    );
    rmSync(join(rig.dir, "here"), { recursive: true });
    writeFiles(rig.dir, { here: "a file" });
    const answer = await rig.command("gemini", "ls");
    expectRefused(answer, "ORCS5002", "stdout");
  });

  test("async hooks run after the response, before the process ends", async () => {
    const later = `[[hooks]]\npoint = "tool.pre_execute"\nasync = true\nshell = { command = "sleep 0.3; echo done > done" }\n`;
    const rig = new HookRig({
      "orcs.toml": `${ALONE}${GUARD}${later}`.replace(
        'id = "guard"',
        'id = "guard"\npriority = 200',
      ),
    });
    const event = { ...CALLS.codex("rm -rf build"), cwd: rig.dir };
    expect(said((await rig.ask("codex", event)).stdout)).toEqual(ANSWERS.codex.no);
    expect(existsSync(join(rig.dir, "done"))).toBe(true);
  });
});

test.runIf(existsSync("/dev/full"))(
  "orcs hook denies when its output cannot be written",
  async () => {
    const rig = guarded();
    await rig.trust();
    const line = 'exec "$0" "$@" > /dev/full';
    const args = ["-c", line, process.execPath, MAIN, "hook", "--host", "claude-code"];
    const asked = spawn("bash", args, { cwd: rig.dir, env: { ...process.env, ...rig.env } });
    asked.stdin.end(JSON.stringify(CALLS["claude-code"]("rm -rf build")));
    const { code, stderr } = await ended(asked);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/the response .*ENOSPC/)]);
  },
);
