import { describe, expect, test } from "vitest";
import { errorOf, loadToml, reportOn } from "./folder.ts";

/** A hook without mistakes, for tests that need one around what they are about. */
const GOOD = `handler_inline = "return nil"`;

/** What is wrong with a file: where, how far it reaches, and what helps. How that is shown has a test of its own. */
async function findings(toml: string): Promise<string> {
  const { diagnostics } = await errorOf(loadToml(toml));
  return diagnostics
    .map(({ code, message, place, length, hint }) =>
      [`${place?.line}:${place?.column}+${length} ${code} ${message}`, hint]
        .filter(Boolean)
        .join(" | "),
    )
    .join("\n");
}

describe("configuration key errors", () => {
  test("an unknown top-level key, with a suggestion", async () => {
    expect(await reportOn(`modle = 1`)).toMatchInlineSnapshot(`
      "orcs.toml:1:1: error ORCS1003: unknown key "modle"
       1 | modle = 1
         | ^^^^^
        hint: did you mean "mode"?"
    `);
  });

  test("an unknown key in a section, without a suggestion", async () => {
    expect(await findings(`[hosts]\nbackground = "blue"`)).toMatchInlineSnapshot(
      `"2:1+10 ORCS1003 unknown key "background" | known keys: ask, rewrite"`,
    );
  });

  test("keys of earlier versions, with what to do instead", async () => {
    const toml = `
audit.keep = 3
[model]
name = "large"
[engine]
trace = true
test_on_reload = true
[paths]
snapshots = "kept"
`;
    const { warnings } = await loadToml(toml);
    expect(warnings.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'ORCS1016 ignored: model is no setting of orcs; pass the model with each call: orcs.get("llm", { prompt = …, model = … })',
      "ORCS1016 ignored: engine.trace is no setting of orcs; use createOrcs({ trace: true }), or orcs eval --explain",
      "ORCS1016 ignored: engine.test_on_reload is no setting of orcs; run orcs test before you save, or in CI",
      "ORCS1016 ignored: paths.snapshots is no setting of orcs; store the snapshot that stop() returns, and pass it to spawn()",
      "ORCS1016 ignored: audit.keep is no setting of orcs; set keep_days and keep_mb",
    ]);
  });

  test("unknown keys in a hook, in its match and in an agent", async () => {
    const toml = `
[[hooks]]
point = "tool.pre_execute"
prioritty = 3
match.comand = "rm"
${GOOD}

[agents.reviewer]
overide = []
`;
    expect(await findings(toml)).toMatchInlineSnapshot(`
      "4:1+9 ORCS1003 unknown key "prioritty" | did you mean "priority"?
      5:7+6 ORCS1003 unknown key "comand" | did you mean "command"?
      9:1+7 ORCS1003 unknown key "overide" | did you mean "override"?"
    `);
  });

  test("keys of later versions are unknown", async () => {
    const codes = async (toml: string) =>
      (await errorOf(loadToml(toml))).diagnostics.map(({ code, message }) => `${code} ${message}`);
    expect(await codes(`[cluster]\nlevel = "all"`)).toEqual([`ORCS1003 unknown key "cluster"`]);
  });

  test("__proto__ is an unknown key, except in options", async () => {
    const toml = `
__proto__.debug = true
[engine]
__proto__ = 1
[agents.__proto__]
override = []
[agents.constructor]
toString = 1
[[hooks]]
point = "Stop"
${GOOD}
__proto__.priority = 1
match.__proto__ = { tool = "x" }
`;
    expect(await findings(toml)).toMatchInlineSnapshot(`
      "2:1+9 ORCS1003 unknown key "__proto__" | known keys: debug, self_guard, enforced, hil, paths, state, scripts, permissions, engine, lua, serve, hosts, audit, otel, bundle, ship, redact, trust, protocol, mode, extends, packages, hooks, agents
      4:1+9 ORCS1003 unknown key "__proto__" | known keys: on_error, mode, max_depth, max_payload_mb, load_ms
      5:9+9 ORCS1003 "__proto__" is not a valid agent name
      8:1+8 ORCS1003 unknown key "toString" | known keys: hooks, mode, override
      12:1+9 ORCS1003 unknown key "__proto__" | known keys: id, point, fql, priority, enabled, match, once, async, observe, stream, timeout_ms, max_retries, options, on_error, on_timeout, on_store_error, mode, rollout, shadow_effects, files, unsealed, enforced, script, handler_inline, shell, webhook, module, handler, type, tests, name, event, matcher, async_execution, tool_matcher, path_pattern, command_pattern, session_id, timeout_sec
      13:7+9 ORCS1003 unknown key "__proto__" | known keys: tool, tool_regex, path, command, runs, writes, removes, reads, connects, unsure, session, agent, event, source"
    `);
    expect(({} as Record<string, unknown>)["debug"]).toBeUndefined();
    const loaded = await loadToml(`
[[hooks]]
point = "Stop"
${GOOD}
options = { __proto__ = { x = 1 }, deep = [{ __proto__ = 2 }] }
`);
    expect(JSON.stringify(loaded.hooks[0]?.options)).toBe(
      `{"__proto__":{"x":1},"deep":[{"__proto__":2}]}`,
    );
    expect(Object.getPrototypeOf(loaded.hooks[0]?.options)).toBe(Object.prototype);
  });
});

describe("configuration value errors", () => {
  test("a value of the wrong type", async () => {
    const toml = `
debug = "yes"
audit = 1979-05-27

hosts = []
agents = 1
`;
    expect(await findings(toml)).toMatchInlineSnapshot(`
      "2:9+5 ORCS1004 debug: expected true or false, got "yes"
      3:9+10 ORCS1004 audit: expected a table, got a date
      5:9+2 ORCS1004 hosts: expected a table, got a list
      6:10+1 ORCS1004 agents: expected a table, got 1"
    `);
  });

  test("a value out of range", async () => {
    const toml = `
[lua]
max_run_ms = 0
max_chain_ms = 1.5
memory_mb = 9999999999999999999
[serve]
idle_minutes = nan
[hil]
timeout_ms = 2147483648
[engine]
max_depth = 1e300
`;
    expect(await findings(toml)).toMatchInlineSnapshot(`
      "3:14+1 ORCS1004 max_run_ms: expected at least 1, got 0
      4:16+3 ORCS1004 max_chain_ms: expected an integer, got 1.5
      5:13+19 ORCS1004 memory_mb: expected a number, got 9999999999999999999, an integer beyond 2^53
      7:16+3 ORCS1004 idle_minutes: expected a number, got NaN
      9:14+10 ORCS1004 timeout_ms: expected at most 2147483647, got 2147483648
      11:13+5 ORCS1004 max_depth: expected at most 100, got 1e+300"
    `);
  });

  test("a value that is not in the list", async () => {
    const toml = `
[hil]
mode = "terminl"
[permissions]
capabilities = ["READ", "write", 3]
[engine]
on_error = 1979-05-27
`;
    expect(await findings(toml)).toMatchInlineSnapshot(`
      "3:8+9 ORCS1004 mode: expected "terminal", "callback" or "deny", got "terminl" | did you mean "terminal"?
      5:25+7 ORCS1004 capabilities[1]: expected "READ", "WRITE", "DELETE", "EXECUTE", "SPAWN", "LLM" or "HTTP", got "write" | did you mean "WRITE"?
      5:34+1 ORCS1004 capabilities[2]: expected "READ", "WRITE", "DELETE", "EXECUTE", "SPAWN", "LLM" or "HTTP", got 3
      7:12+10 ORCS1004 on_error: expected "open" or "closed", got a date"
    `);
  });

  test("invalid values in a hook", async () => {
    const toml = `
[[hooks]]
id = ""
point = 3
fql = ""
priority = "high"
enabled = 1
once = "no"
match = "Bash"
timeout_ms = -1
max_retries = inf
on_error = "closd"
on_timeout = true
options = [1]
${GOOD}

[[hooks]]
event = "Stop"
timeout_sec = 0
tool_matcher = 1
handler_inline = ""

[[hooks]]
script = 7
`;
    expect(await findings(toml)).toMatchInlineSnapshot(`
      "3:6+2 ORCS1004 id: expected a non-empty string, got ""
      4:9+1 ORCS1004 point: expected a string, got 3
      5:7+2 ORCS1004 fql: expected a non-empty string, got ""
      6:12+6 ORCS1004 priority: expected a number, got "high"
      7:11+1 ORCS1004 enabled: expected true or false, got 1
      8:8+4 ORCS1004 once: expected true or false, got "no"
      9:9+6 ORCS1004 match: expected a table, got "Bash"
      10:14+2 ORCS1004 timeout_ms: expected at least 1, got -1
      11:15+3 ORCS1004 max_retries: expected a number, got Infinity
      12:12+7 ORCS1004 on_error: expected "open" or "closed", got "closd" | did you mean "closed"?
      13:14+4 ORCS1004 on_timeout: expected "open" or "closed", got true
      14:11+3 ORCS1004 options: expected a table, got a list
      19:15+1 ORCS1004 timeout_sec: expected more than 0, got 0
      20:16+1 ORCS1004 tool_matcher: expected a string, got 1
      21:18+2 ORCS1004 handler_inline: expected a non-empty string, got ""
      24:10+1 ORCS1004 script: expected a string, got 7"
    `);
  });

  test("values in options that JSON cannot represent", async () => {
    const toml = `
[[hooks]]
point = "Stop"
${GOOD}
[hooks.options]
when = 1979-05-27T07:32:00Z
rates = [1.5, { limit = inf }]
big = 9007199254740993
`;
    expect(await findings(toml)).toMatchInlineSnapshot(`
      "6:8+20 ORCS1004 when: expected a JSON value, got a date
      7:25+3 ORCS1004 limit: expected a JSON value, got Infinity
      8:7+16 ORCS1004 big: expected a JSON value, got 9007199254740993, an integer beyond 2^53"
    `);
  });

  test("what a hook's table says that belongs elsewhere", async () => {
    const toml = `[[hooks]]
point = "PreToolUse"
writes = ".github/**"
deny = "no"
webhook = "https://example.com"
`;
    expect(await findings(toml)).toMatchInlineSnapshot(`
      "3:1+6 ORCS1003 unknown key "writes" | write match.writes
      4:1+4 ORCS1003 unknown key "deny" | its handler decides, such as handler_inline = 'orcs.deny("why")'
      5:11+21 ORCS1004 webhook: expected a table, got "https://example.com" | write webhook = { url = "https://example.com" }"
    `);
    expect(await findings(`x = "rm\\s"`)).toMatchInlineSnapshot(
      `"1:9+undefined ORCS1002 a backslash within "…" begins an escape, and this is none | write the text within '…', where a backslash is one"`,
    );
  });

  test("a table where a list of tables belongs", async () => {
    expect(await findings(`[hooks]\npoint = "Stop"`)).toMatchInlineSnapshot(
      `"1:2+5 ORCS1004 hooks: expected a list, got a table | write [[hooks]]"`,
    );
    expect(await findings(`[agents.rev.hooks]\npoint = "Stop"`)).toMatchInlineSnapshot(
      `"1:13+5 ORCS1004 hooks: expected a list, got a table | write [[agents.rev.hooks]]"`,
    );
    expect(await findings(`hooks = { hooks = 1 }`)).toMatchInlineSnapshot(
      `"1:19+1 ORCS1004 hooks: expected a list, got 1 | write [[hooks.hooks]]"`,
    );
    expect(await findings(`hooks = [1, { }]`)).toMatchInlineSnapshot(`
      "1:10+1 ORCS1004 hooks[0]: expected a table, got 1
      1:13+3 ORCS1007 this hook has no handler | add a handler, such as script = "guard.lua", or handler_inline or shell or webhook or module or handler"
    `);
  });
});

describe("hook errors", () => {
  test("invalid points and FQL", async () => {
    const toml = `
[[hooks]]
point = "tool.pre_exeucte"
fql = "builtin:llm"
${GOOD}

[[hooks]]
event = "zzz"
${GOOD}

[agents.reviewer]
override = ["tool.post_execute", "PostTolUse"]
`;
    expect(await findings(toml)).toMatchInlineSnapshot(`
      "3:9+18 ORCS1005 point: unknown hook point "tool.pre_exeucte" | did you mean "tool.pre_execute"?
      4:7+13 ORCS1011 fql: invalid FQL "builtin:llm": the '::' between scope and target is missing; expected scope::target[/child][#instance]
      8:9+5 ORCS1005 event: unknown hook point "zzz"
      12:34+12 ORCS1005 override[1]: unknown hook point "PostTolUse" | did you mean "PostToolUse"?"
    `);
  });

  test("invalid patterns, each with its position", async () => {
    const toml = `
[[hooks]]
point = "PreToolUse"
match = { tool = "exec|Bash", tool_regex = "a(", command = 'git\\s+push(' }
${GOOD}

[[hooks]]
point = "PreToolUse"
command_pattern = "*"
${GOOD}
`;
    expect(await findings(toml)).toMatchInlineSnapshot(`
      "4:44+4 ORCS1012 tool_regex: the tool_regex pattern "a(" is not valid: missing closing )
      4:60+13 ORCS1012 command: the command pattern "git\\\\s+push(" is not valid: missing closing )
      9:19+3 ORCS1012 command_pattern: the command pattern "*" is not valid: missing argument to repetition operator"
    `);
  });

  test("invalid runs patterns, each with its position", async () => {
    const toml = `
[[hooks]]
point = "PreToolUse"
match = { runs = ["git push --force", "git push | cat", "rm 'x"] }
${GOOD}

[[hooks]]
point = "PreToolUse"
match.runs = "rm -r $DIR"
${GOOD}

[[hooks]]
point = "PreToolUse"
match.runs = []
${GOOD}

[[hooks]]
point = "PreToolUse"
match.runs = ["ls", 5, ""]
${GOOD}

[[hooks]]
point = "PreToolUse"
match.runs = { program = "git" }
${GOOD}
`;
    expect(await findings(toml)).toMatchInlineSnapshot(`
      "4:39+16 ORCS1012 runs[1]: the runs pattern "git push | cat" is not valid: '|' separates commands; write one pattern for each command
      4:57+7 ORCS1012 runs[2]: the runs pattern "rm 'x" is not valid: the quote ' at 4 is not closed; write \\' for a literal quote
      9:14+12 ORCS1012 runs: the runs pattern "rm -r $DIR" is not valid: '$' is an expansion whose value is unknown; write the value, or put it in single quotes
      14:14+2 ORCS1004 runs: expected a command or a list of commands, got an empty list
      19:21+1 ORCS1004 runs[1]: expected a command, got 5
      19:24+2 ORCS1012 runs[2]: the runs pattern "" is not valid: it does not begin with a program name
      24:14+19 ORCS1004 runs: expected a command or a list of commands, got a table"
    `);
  });

  test("no handler, several handlers, and a missing point", async () => {
    const toml = `
[[hooks]]
point = "Stop"

[[hooks]]
point = "Stop"
handler_inline = "return nil"
script = "orcs.toml"

[[hooks]]
id = "pointless"
handler_inline = "return nil"

[[agents.rev.hooks]]
`;
    expect(await findings(toml)).toMatchInlineSnapshot(`
      "2:1+9 ORCS1007 this hook has no handler | add a handler, such as script = "guard.lua", or handler_inline or shell or webhook or module or handler
      8:1+6 ORCS1008 this hook already has the handler handler_inline | keep exactly one
      10:1+9 ORCS1013 a hook with handler_inline needs a point | add a point, such as point = "tool.pre_execute"; only a script can set its own point
      14:1+20 ORCS1007 this hook has no handler | add a handler, such as script = "guard.lua", or handler_inline or shell or webhook or module or handler"
    `);
  });

  test("duplicate ids in one list", async () => {
    const hook = (id: string) => `${id}\npoint = "Stop"\n${GOOD}\n`;
    const toml = `
[[hooks]]
${hook(`id = "guard"`)}
[[hooks]]
${hook(`name = "guard"`)}
[[agents.rev.hooks]]
${hook(`id = "guard"`)}
[[hooks]]
${hook(`id = "guard"`)}
`;
    expect(await findings(toml)).toMatchInlineSnapshot(`
      "8:8+7 ORCS1006 name: the hook at line 2 already has the id "guard"
      18:6+7 ORCS1006 id: the hook at line 2 already has the id "guard""
    `);
  });

  test("two spellings of one key", async () => {
    const toml = `
[[hooks]]
event = "PreToolUse"
point = "PreToolUse"
id = "a"
name = "b"
timeout_sec = 1
timeout_ms = 1
tool_matcher = "x"
matcher = "y"
session_id = "s"
match = { session = "t", path = "*" }
path_pattern = "*"
command_pattern = "x"
${GOOD}
`;
    expect(await findings(toml)).toMatchInlineSnapshot(`
      "3:1+5 ORCS1017 event is another spelling of point, which is also set | keep point
      6:1+4 ORCS1017 name is another spelling of id, which is also set | keep id
      7:1+11 ORCS1017 timeout_sec is another spelling of timeout_ms, which is also set | keep timeout_ms
      9:1+12 ORCS1017 tool_matcher is another spelling of matcher, which is also set | keep matcher
      11:1+10 ORCS1017 session_id is another spelling of match.session, which is also set | keep match.session
      13:1+12 ORCS1017 path_pattern is another spelling of match.path, which is also set | keep match.path"
    `);
  });
});

describe("the error report", () => {
  test("has every error once, in line order", async () => {
    const error = await errorOf(
      loadToml(`
[[hooks]]
id = "a"
point = "nope"
fql = "x"
priority = 1e300
zzz = 1
[[hooks]]
id = "a"
[serve]
prt = 1
`),
    );
    expect(error.code).toBe("ORCS1015");
    expect(error.message).toMatch(/^ORCS1015: the configuration has 8 errors\n\norcs\.toml:2:1: /);
    expect(error.diagnostics.map(({ code, place }) => [code, place?.line])).toEqual([
      ["ORCS1007", 2],
      ["ORCS1005", 4],
      ["ORCS1011", 5],
      ["ORCS1004", 6],
      ["ORCS1003", 7],
      ["ORCS1007", 8],
      ["ORCS1006", 9],
      ["ORCS1003", 11],
    ]);
    expect(error.diagnostics[1]).toEqual({
      code: "ORCS1005",
      severity: "error",
      message: `point: unknown hook point "nope"`,
      place: { file: "orcs.toml", line: 4, column: 9 },
      length: 6,
    });
  });

  test("has correct columns with CRLF, tabs, a byte order mark and astral characters", async () => {
    expect(
      await reportOn(
        `\uFEFF# 😀 \u2028 one line\r\n\r\n[paths]\r\n\tstate = "😀"\r\n\taudit       = 7\r\n`,
      ),
    ).toMatchInlineSnapshot(`
      "orcs.toml:5:16: error ORCS1004: audit: expected a string, got 7
       5 | 	audit       = 7
         | 	              ^"
    `);
  });

  test("marks a multi-line value on its first line", async () => {
    expect(await reportOn(`debug = """\nyes\n"""\n`)).toMatchInlineSnapshot(`
      "orcs.toml:1:9: error ORCS1004: debug: expected true or false, got "yes\\n"
       1 | debug = """
         |         ^^^"
    `);
  });

  test("finds dotted and quoted keys", async () => {
    expect(await reportOn(`lua."max_run_ms" = 0\nserve . auto = 0\n`)).toMatchInlineSnapshot(`
      "orcs.toml:1:20: error ORCS1004: max_run_ms: expected at least 1, got 0
       1 | lua."max_run_ms" = 0
         |                    ^

      orcs.toml:2:16: error ORCS1004: auto: expected true or false, got 0
       2 | serve . auto = 0
         |                ^"
    `);
  });
});
