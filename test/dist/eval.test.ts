import { describe, expect, test } from "vitest";
import { folder, orcs, PATIENT, project, ROOT, start } from "./orcs.ts";
import type { Ended } from "./orcs.ts";

const SAMPLE = `
[[hooks]]
id = "guard"
fql = "builtin::*"
point = "tool.pre_execute"
match = { tool = "exec", command = 'rm\\s+-rf' }
handler_inline = 'return orcs.deny("rm -rf is not allowed")'

[[hooks]]
id = "rewrite"
point = "tool.pre_execute"
match = { tool = "write" }
handler_inline = """
function(ctx)
  print("to the log")
  orcs.emit_output("to the output")
  ctx.payload.args.path = "out/" .. ctx.payload.args.path
  ctx.metadata.seen = true
  return { action = "continue", decision = "ask", reason = "writes", inject = { "one", "two" } }
end
"""

[[hooks]]
id = "cache"
point = "request.pre_dispatch"
handler_inline = 'return orcs.skip({ cached = ctx.payload.operation })'

[[hooks]]
id = "later"
point = "signal.pre_dispatch"
max_retries = 2
handler_inline = 'return orcs.retry(50)'

[[hooks]]
id = "broken"
point = "child.pre_run"
handler_inline = 'error("boom")'
`;

async function run(args: string[], stdin?: string): Promise<Ended> {
  const cwd = await project({ "orcs.toml": SAMPLE + PATIENT });
  return orcs(["eval", ...args], { cwd, ...(stdin !== undefined && { stdin }) });
}

/** The one line of JSON that stands on stdout, and nothing else does. */
function json({ stdout }: Ended): Record<string, unknown> {
  expect(stdout.endsWith("}\n")).toBe(true);
  expect(stdout.trimEnd()).not.toContain("\n");
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe("orcs eval --json", { concurrent: true }, () => {
  test("prints an error as JSON on stdout and as text on stderr", async () => {
    const cwd = folder({ "orcs.toml": `debug = "yes"` });
    const ended = await orcs(["eval", "Stop", "--config", "orcs.toml", "--json"], { cwd });
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining("ORCS1015") as string });
    expect(json(ended)).toMatchObject({
      error: {
        code: "ORCS1015",
        message: expect.stringContaining("debug") as string,
        diagnostics: [{ code: "ORCS1004", file: "orcs.toml", line: 1, column: 9 }],
      },
    });
    const misused = await orcs(["eval", "--nonsense", "--json"], { cwd });
    expect(json(misused)).toMatchObject({ error: { code: "ORCS5001" } });
  });

  // Its limits are the usual ones, and a machine with other things to do may hold a hook up that long.
  test("with the sample configuration denies a force push", { retry: 3 }, async () => {
    const words = ["tool=exec", "command=git push --force", "--config", "orcs.toml", "--json"];
    const ended = await orcs(["eval", "tool.pre_execute", ...words], { cwd: ROOT });
    expect(ended.code).toBe(0);
    expect(ended.stderr).toMatch(/^orcs info: \[AUDIT\] .*\n$/);
    expect(json(ended)).toMatchObject({
      action: "abort",
      hook: "no-force-push",
      reason: "force pushes lose work of others; use --force-with-lease",
      payload: { tool_name: "exec", args: { command: "git push --force" } },
      metadata: {},
      inject: [],
      trace: [
        { id: "audit-tools", status: "ran", action: "continue" },
        { id: "no-force-push", status: "ran", action: "abort" },
        { id: "grep-limit", status: "not_reached" },
        { id: "short-log", status: "not_reached" },
      ],
    });
  });

  test("prints payload, metadata, decision, inject and trace", async () => {
    const ended = await run(["pre_tool_use", "tool=write", "path=a.txt", "--json"]);
    const answer = json(ended);
    expect(Object.keys(answer).sort()).toEqual(
      "action decision effects hook inject metadata payload reason trace".split(" "),
    );
    expect(answer).toMatchObject({
      action: "continue",
      decision: "ask",
      reason: "writes",
      hook: "rewrite",
      inject: ["one", "two"],
      metadata: { seen: true },
      payload: { tool_name: "write", args: { path: "out/a.txt" } },
    });
    expect(answer["trace"]).toEqual([
      {
        id: "guard",
        source: { file: "orcs.toml", line: 7 },
        status: "not_matched",
        failing: "fql",
      },
      {
        id: "rewrite",
        source: { file: "orcs.toml", line: 14 },
        status: "ran",
        action: "continue",
        decision: "ask",
        reason: "writes",
        duration_ms: expect.any(Number),
        changed: ["/payload/args/path", "/metadata/seen"],
      },
    ]);
    // What scripts print is not an answer.
    expect(ended.stderr).toBe("orcs info: to the log\nto the output\n");
  });

  test("prints skip with result, retry with delay, and a failure with on_error closed", async () => {
    const [skip, retry, failed] = await Promise.all([
      run(["request.pre_dispatch", "id=r1", "operation=chat", "--json"]),
      run(["signal.pre_dispatch", 'signal={"kind":"stop"}', "--json"]),
      run(["child.pre_run", "--json", "--fail"]),
    ]);
    expect(json(skip)).toMatchObject({ action: "skip", hook: "cache", result: { cached: "chat" } });
    expect(json(retry)).toMatchObject({ action: "retry", hook: "later", delay_ms: 50 });
    expect(json(failed)).toMatchObject({
      action: "abort",
      hook: "broken",
      reason: "hook broken failed: orcs.toml:37: boom",
    });
    expect(failed.code).toBe(1);
    expect(failed.stderr).toBe(
      "orcs error: hook broken failed at child.pre_run: orcs.toml:37: boom; the operation is denied\n",
    );
  });

  test("-i - reads the payload from stdin, with words on top", async () => {
    const stdin = '{"tool_name":"exec","args":{"command":"ls"},"session_id":"s-1"}';
    const ended = await run(["PreToolUse", "-i", "-", "cwd=/x", "n=1", "--json"], stdin);
    expect(json(ended)["payload"]).toEqual({
      tool_name: "exec",
      tool: "exec",
      args: { command: "ls", n: 1 },
      cwd: "/x",
      session_id: "s-1",
    });
  });
});

describe("orcs eval as text", { concurrent: true }, () => {
  test("prints the outcome, the hooks and the payload", async () => {
    const { stdout, code } = await run([
      "BeforeTool",
      "tool=exec",
      "command=rm -rf /",
      "--component",
      "builtin::llm/agent-1#0",
    ]);
    const lines = stdout.replaceAll(/\d+\.\d\d/g, "#.##").split("\n");
    expect(lines[0]).toBe("abort by guard: rm -rf is not allowed");
    expect(lines[1]).toBe("it removes /**");
    expect(lines[5]).toMatch(/^guard +ran +abort +#\.## +orcs\.toml:7$/);
    expect(lines[6]).toMatch(/^rewrite +not_reached +orcs\.toml:14$/);
    expect(lines[8]).toMatch(/^payload {3}\{"tool_name":"exec"/);
    expect(code).toBe(0);
  });

  test("--component sets the component; hooks for another one do not match", async () => {
    const words = ["tool=exec", "command=rm -rf /", "--fail"];
    const [other, builtin] = await Promise.all([
      run(["tool.pre_execute", ...words, "--component", "plugin::x"]),
      run(["tool.pre_execute", ...words, "--component", "builtin::x"]),
    ]);
    expect(other.stdout).toMatch(/^continue\n/);
    expect(other.code).toBe(0);
    expect(builtin.code).toBe(1);
  });

  test("prints decision, metadata and injected text", async () => {
    const { stdout } = await run(["tool.pre_execute", "tool=write", "path=a"]);
    expect(stdout).toMatch(/^continue, ask by rewrite: writes\n/);
    expect(stdout).toContain('metadata  {"seen":true}\ninject    one\ninject    two\n');
  });

  test('prints "continue" at a point without hooks', async () => {
    const { stdout, code } = await run(["bus.on_register", "component_id=a::b"]);
    expect(stdout).toBe('continue\n\npayload   {"component_id":"a::b"}\n');
    expect(code).toBe(0);
  });
});

describe(
  "orcs eval: usage errors exit with 2 and print nothing on stdout",
  { concurrent: true },
  () => {
    const wrong: [string, string[], RegExp][] = [
      [
        "an unknown point",
        ["tool.pre_execut"],
        /^orcs: ORCS1005: .*did you mean tool\.pre_execute\?\n$/,
      ],
      [
        "a word that is not KEY=VALUE",
        ["PreToolUse", "ls"],
        /^orcs: ORCS5001: "ls" is not KEY=VALUE\n$/,
      ],
      [
        "input that is not JSON",
        ["PreToolUse", "-i", "-"],
        /^orcs: ORCS5001: the payload in - cannot be/,
      ],
      [
        "a payload that does not fit",
        ["PreToolUse"],
        /^orcs: ORCS2003: payload\.tool_name is missing\n$/,
      ],
      ["an unknown option", ["PreToolUse", "--jsno"], /unknown option '--jsno'.*--json/s],
    ];
    test.each(wrong)("%s", async (_name, args, message) => {
      const { code, stdout, stderr } = await run(args, "not json");
      expect(stderr).toMatch(message);
      // No stack: it is the user's to mend.
      expect(stderr).not.toMatch(/^\s+at /m);
      expect(stdout).toBe("");
      expect(code).toBe(2);
    });
  },
);

test("an event as an agent sends it", async () => {
  const event = {
    session_id: "s",
    cwd: "/w",
    hook_event_name: "PreToolUse",
    tool_name: "Write",
    tool_input: { file_path: "a", content: "b" },
  };
  const stdin = JSON.stringify(event);
  const { stdout } = await run(["--host", "claude-code", "--json"], stdin);
  expect(JSON.parse(stdout)).toMatchObject({
    decision: "ask",
    payload: {
      session_id: "s",
      cwd: "/w",
      tool_name: "write",
      args: { path: "out/a" },
      host: event,
    },
  });
  const explained = await run(["--explain", "--host", "claude-code"], stdin);
  expect(explained.stdout).toMatch(/^tool\.pre_execute: continue, ask/);
  expect(await run(["--host", "claude-code"], "{}")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("ORCS7001"),
  });
  expect(await run([])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("it needs a hook point, or --host"),
  });
});

test("a module that ends the process, and a folder that is gone, are errors of the verb", async () => {
  const hook = '[[hooks]]\npoint = "tool.pre_execute"\nmodule = "./m.mjs"\n';
  const cwd = folder({ "orcs.toml": hook, "m.mjs": "export default () => process.exit(0);" });
  const words = ["eval", "--config", "orcs.toml", "tool.pre_execute", "tool=exec", "--json"];
  const ended = await orcs(words, { cwd });
  expect(ended).toMatchObject({ code: 2, stdout: expect.stringContaining('{"error":') as string });
  expect(ended.stderr).toContain("the module of a hook ended orcs");
  const line = `mkdir "$0/gone" && cd "$0/gone" && rmdir "$0/gone" && exec "$@"`;
  const main = `${ROOT}/dist/cli/main.js`;
  const gone = await start("/bin/sh", ["-c", line, cwd, process.execPath, main, "status"], { cwd });
  expect(gone.code).toBe(2);
  expect(gone.stderr).toBe(
    "orcs: ORCS5001: the folder in which orcs was started no longer exists: change to another one\n",
  );
});
