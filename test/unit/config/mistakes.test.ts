import { describe, expect, test } from "vitest";
import { errorOf, loadToml, reportOn } from "./folder.ts";

/** A hook without mistakes, for tests that need one around what they are about. */
const GOOD = `handler_inline = "return nil"`;

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
    expect(await reportOn(`[hosts]\nbackground = "blue"`)).toMatchInlineSnapshot(`
      "orcs.toml:2:1: error ORCS1003: unknown key "background"
       2 | background = "blue"
         | ^^^^^^^^^^
        hint: known keys: ask, rewrite"
    `);
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
    expect(await reportOn(toml)).toMatchInlineSnapshot(`
      "orcs.toml:4:1: error ORCS1003: unknown key "prioritty"
       4 | prioritty = 3
         | ^^^^^^^^^
        hint: did you mean "priority"?

      orcs.toml:5:7: error ORCS1003: unknown key "comand"
       5 | match.comand = "rm"
         |       ^^^^^^
        hint: did you mean "command"?

      orcs.toml:9:1: error ORCS1003: unknown key "overide"
       9 | overide = []
         | ^^^^^^^
        hint: did you mean "override"?"
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
    expect(await reportOn(toml)).toMatchInlineSnapshot(`
      "orcs.toml:2:1: error ORCS1003: unknown key "__proto__"
       2 | __proto__.debug = true
         | ^^^^^^^^^
        hint: known keys: debug, self_guard, enforced, hil, paths, state, scripts, permissions, engine, lua, serve, hosts, audit, otel, bundle, ship, redact, trust, protocol, mode, extends, packages, hooks, agents

      orcs.toml:4:1: error ORCS1003: unknown key "__proto__"
       4 | __proto__ = 1
         | ^^^^^^^^^
        hint: known keys: on_error, mode, max_depth, max_payload_mb, load_ms

      orcs.toml:5:9: error ORCS1003: "__proto__" is not a valid agent name
       5 | [agents.__proto__]
         |         ^^^^^^^^^

      orcs.toml:8:1: error ORCS1003: unknown key "toString"
       8 | toString = 1
         | ^^^^^^^^
        hint: known keys: hooks, mode, override

      orcs.toml:12:1: error ORCS1003: unknown key "__proto__"
       12 | __proto__.priority = 1
          | ^^^^^^^^^
        hint: known keys: id, point, fql, priority, enabled, match, once, async, observe, stream, timeout_ms, max_retries, options, on_error, on_timeout, on_store_error, mode, rollout, shadow_effects, files, unsealed, enforced, script, handler_inline, shell, webhook, module, handler, type, tests, name, event, matcher, async_execution, tool_matcher, path_pattern, command_pattern, session_id, timeout_sec

      orcs.toml:13:7: error ORCS1003: unknown key "__proto__"
       13 | match.__proto__ = { tool = "x" }
          |       ^^^^^^^^^
        hint: known keys: tool, tool_regex, path, command, runs, writes, removes, reads, connects, unsure, session, agent, event, source"
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
    expect(await reportOn(toml)).toMatchInlineSnapshot(`
      "orcs.toml:2:9: error ORCS1004: debug: expected true or false, got "yes"
       2 | debug = "yes"
         |         ^^^^^

      orcs.toml:3:9: error ORCS1004: audit: expected a table, got a date
       3 | audit = 1979-05-27
         |         ^^^^^^^^^^

      orcs.toml:5:9: error ORCS1004: hosts: expected a table, got a list
       5 | hosts = []
         |         ^^

      orcs.toml:6:10: error ORCS1004: agents: expected a table, got 1
       6 | agents = 1
         |          ^"
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
    expect(await reportOn(toml)).toMatchInlineSnapshot(`
      "orcs.toml:3:14: error ORCS1004: max_run_ms: expected at least 1, got 0
       3 | max_run_ms = 0
         |              ^

      orcs.toml:4:16: error ORCS1004: max_chain_ms: expected an integer, got 1.5
       4 | max_chain_ms = 1.5
         |                ^^^

      orcs.toml:5:13: error ORCS1004: memory_mb: expected a number, got 9999999999999999999, an integer beyond 2^53
       5 | memory_mb = 9999999999999999999
         |             ^^^^^^^^^^^^^^^^^^^

      orcs.toml:7:16: error ORCS1004: idle_minutes: expected a number, got NaN
       7 | idle_minutes = nan
         |                ^^^

      orcs.toml:9:14: error ORCS1004: timeout_ms: expected at most 2147483647, got 2147483648
       9 | timeout_ms = 2147483648
         |              ^^^^^^^^^^

      orcs.toml:11:13: error ORCS1004: max_depth: expected at most 100, got 1e+300
       11 | max_depth = 1e300
          |             ^^^^^"
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
    expect(await reportOn(toml)).toMatchInlineSnapshot(`
      "orcs.toml:3:8: error ORCS1004: mode: expected "terminal", "callback" or "deny", got "terminl"
       3 | mode = "terminl"
         |        ^^^^^^^^^
        hint: did you mean "terminal"?

      orcs.toml:5:25: error ORCS1004: capabilities[1]: expected "READ", "WRITE", "DELETE", "EXECUTE", "SPAWN", "LLM" or "HTTP", got "write"
       5 | capabilities = ["READ", "write", 3]
         |                         ^^^^^^^
        hint: did you mean "WRITE"?

      orcs.toml:5:34: error ORCS1004: capabilities[2]: expected "READ", "WRITE", "DELETE", "EXECUTE", "SPAWN", "LLM" or "HTTP", got 3
       5 | capabilities = ["READ", "write", 3]
         |                                  ^

      orcs.toml:7:12: error ORCS1004: on_error: expected "open" or "closed", got a date
       7 | on_error = 1979-05-27
         |            ^^^^^^^^^^"
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
    expect(await reportOn(toml)).toMatchInlineSnapshot(`
      "orcs.toml:3:6: error ORCS1004: id: expected a non-empty string, got ""
       3 | id = ""
         |      ^^

      orcs.toml:4:9: error ORCS1004: point: expected a string, got 3
       4 | point = 3
         |         ^

      orcs.toml:5:7: error ORCS1004: fql: expected a non-empty string, got ""
       5 | fql = ""
         |       ^^

      orcs.toml:6:12: error ORCS1004: priority: expected a number, got "high"
       6 | priority = "high"
         |            ^^^^^^

      orcs.toml:7:11: error ORCS1004: enabled: expected true or false, got 1
       7 | enabled = 1
         |           ^

      orcs.toml:8:8: error ORCS1004: once: expected true or false, got "no"
       8 | once = "no"
         |        ^^^^

      orcs.toml:9:9: error ORCS1004: match: expected a table, got "Bash"
       9 | match = "Bash"
         |         ^^^^^^

      orcs.toml:10:14: error ORCS1004: timeout_ms: expected at least 1, got -1
       10 | timeout_ms = -1
          |              ^^

      orcs.toml:11:15: error ORCS1004: max_retries: expected a number, got Infinity
       11 | max_retries = inf
          |               ^^^

      orcs.toml:12:12: error ORCS1004: on_error: expected "open" or "closed", got "closd"
       12 | on_error = "closd"
          |            ^^^^^^^
        hint: did you mean "closed"?

      orcs.toml:13:14: error ORCS1004: on_timeout: expected "open" or "closed", got true
       13 | on_timeout = true
          |              ^^^^

      orcs.toml:14:11: error ORCS1004: options: expected a table, got a list
       14 | options = [1]
          |           ^^^

      orcs.toml:19:15: error ORCS1004: timeout_sec: expected more than 0, got 0
       19 | timeout_sec = 0
          |               ^

      orcs.toml:20:16: error ORCS1004: tool_matcher: expected a string, got 1
       20 | tool_matcher = 1
          |                ^

      orcs.toml:21:18: error ORCS1004: handler_inline: expected a non-empty string, got ""
       21 | handler_inline = ""
          |                  ^^

      orcs.toml:24:10: error ORCS1004: script: expected a string, got 7
       24 | script = 7
          |          ^"
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
    expect(await reportOn(toml)).toMatchInlineSnapshot(`
      "orcs.toml:6:8: error ORCS1004: when: expected a JSON value, got a date
       6 | when = 1979-05-27T07:32:00Z
         |        ^^^^^^^^^^^^^^^^^^^^

      orcs.toml:7:25: error ORCS1004: limit: expected a JSON value, got Infinity
       7 | rates = [1.5, { limit = inf }]
         |                         ^^^

      orcs.toml:8:7: error ORCS1004: big: expected a JSON value, got 9007199254740993, an integer beyond 2^53
       8 | big = 9007199254740993
         |       ^^^^^^^^^^^^^^^^"
    `);
  });

  test("a table where a list of tables belongs", async () => {
    expect(await reportOn(`[hooks]\npoint = "Stop"`)).toMatchInlineSnapshot(`
      "orcs.toml:1:2: error ORCS1004: hooks: expected a list, got a table
       1 | [hooks]
         |  ^^^^^
        hint: write [[hooks]]"
    `);
    expect(await reportOn(`[agents.rev.hooks]\npoint = "Stop"`)).toMatchInlineSnapshot(`
      "orcs.toml:1:13: error ORCS1004: hooks: expected a list, got a table
       1 | [agents.rev.hooks]
         |             ^^^^^
        hint: write [[agents.rev.hooks]]"
    `);
    expect(await reportOn(`hooks = { hooks = 1 }`)).toMatchInlineSnapshot(`
      "orcs.toml:1:19: error ORCS1004: hooks: expected a list, got 1
       1 | hooks = { hooks = 1 }
         |                   ^
        hint: write [[hooks.hooks]]"
    `);
    expect(await reportOn(`hooks = [1, { }]`)).toMatchInlineSnapshot(`
      "orcs.toml:1:10: error ORCS1004: hooks[0]: expected a table, got 1
       1 | hooks = [1, { }]
         |          ^

      orcs.toml:1:13: error ORCS1007: this hook has no handler
       1 | hooks = [1, { }]
         |             ^^^
        hint: add a handler, such as script = "guard.lua", or handler_inline or shell or webhook or module or handler"
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
    expect(await reportOn(toml)).toMatchInlineSnapshot(`
      "orcs.toml:3:9: error ORCS1005: point: unknown hook point "tool.pre_exeucte"
       3 | point = "tool.pre_exeucte"
         |         ^^^^^^^^^^^^^^^^^^
        hint: did you mean "tool.pre_execute"?

      orcs.toml:4:7: error ORCS1011: fql: invalid FQL "builtin:llm": the '::' between scope and target is missing; expected scope::target[/child][#instance]
       4 | fql = "builtin:llm"
         |       ^^^^^^^^^^^^^

      orcs.toml:8:9: error ORCS1005: event: unknown hook point "zzz"
       8 | event = "zzz"
         |         ^^^^^

      orcs.toml:12:34: error ORCS1005: override[1]: unknown hook point "PostTolUse"
       12 | override = ["tool.post_execute", "PostTolUse"]
          |                                  ^^^^^^^^^^^^
        hint: did you mean "PostToolUse"?"
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
    const { diagnostics } = await errorOf(loadToml(toml));
    expect(diagnostics.map(({ code, place, length }) => ({ code, place, length }))).toEqual([
      { code: "ORCS1012", place: { file: "orcs.toml", line: 4, column: 44 }, length: 4 },
      { code: "ORCS1012", place: { file: "orcs.toml", line: 4, column: 60 }, length: 13 },
      { code: "ORCS1012", place: { file: "orcs.toml", line: 9, column: 19 }, length: 3 },
    ]);
    expect(await reportOn(toml)).toMatchInlineSnapshot(`
      "orcs.toml:4:44: error ORCS1012: tool_regex: the tool_regex pattern "a(" is not valid: missing closing )
       4 | match = { tool = "exec|Bash", tool_regex = "a(", command = 'git\\s+push(' }
         |                                            ^^^^

      orcs.toml:4:60: error ORCS1012: command: the command pattern "git\\\\s+push(" is not valid: missing closing )
       4 | match = { tool = "exec|Bash", tool_regex = "a(", command = 'git\\s+push(' }
         |                                                            ^^^^^^^^^^^^^

      orcs.toml:9:19: error ORCS1012: command_pattern: the command pattern "*" is not valid: missing argument to repetition operator
       9 | command_pattern = "*"
         |                   ^^^"
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
    expect(await reportOn(toml)).toMatchInlineSnapshot(`
      "orcs.toml:4:39: error ORCS1012: runs[1]: the runs pattern "git push | cat" is not valid: '|' separates commands; write one pattern for each command
       4 | match = { runs = ["git push --force", "git push | cat", "rm 'x"] }
         |                                       ^^^^^^^^^^^^^^^^

      orcs.toml:4:57: error ORCS1012: runs[2]: the runs pattern "rm 'x" is not valid: the quote ' at 4 is not closed; write \\' for a literal quote
       4 | match = { runs = ["git push --force", "git push | cat", "rm 'x"] }
         |                                                         ^^^^^^^

      orcs.toml:9:14: error ORCS1012: runs: the runs pattern "rm -r $DIR" is not valid: '$' is an expansion whose value is unknown; write the value, or put it in single quotes
       9 | match.runs = "rm -r $DIR"
         |              ^^^^^^^^^^^^

      orcs.toml:14:14: error ORCS1004: runs: expected a command or a list of commands, got an empty list
       14 | match.runs = []
          |              ^^

      orcs.toml:19:21: error ORCS1004: runs[1]: expected a command, got 5
       19 | match.runs = ["ls", 5, ""]
          |                     ^

      orcs.toml:19:24: error ORCS1012: runs[2]: the runs pattern "" is not valid: it does not begin with a program name
       19 | match.runs = ["ls", 5, ""]
          |                        ^^

      orcs.toml:24:14: error ORCS1004: runs: expected a command or a list of commands, got a table
       24 | match.runs = { program = "git" }
          |              ^^^^^^^^^^^^^^^^^^^"
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
    expect(await reportOn(toml)).toMatchInlineSnapshot(`
      "orcs.toml:2:1: error ORCS1007: this hook has no handler
       2 | [[hooks]]
         | ^^^^^^^^^
        hint: add a handler, such as script = "guard.lua", or handler_inline or shell or webhook or module or handler

      orcs.toml:8:1: error ORCS1008: this hook already has the handler handler_inline
       8 | script = "orcs.toml"
         | ^^^^^^
        hint: keep exactly one

      orcs.toml:10:1: error ORCS1013: a hook with handler_inline needs a point
       10 | [[hooks]]
          | ^^^^^^^^^
        hint: add a point, such as point = "tool.pre_execute"; only a script can set its own point

      orcs.toml:14:1: error ORCS1007: this hook has no handler
       14 | [[agents.rev.hooks]]
          | ^^^^^^^^^^^^^^^^^^^^
        hint: add a handler, such as script = "guard.lua", or handler_inline or shell or webhook or module or handler"
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
    expect(await reportOn(toml)).toMatchInlineSnapshot(`
      "orcs.toml:8:8: error ORCS1006: name: the hook at line 2 already has the id "guard"
       8 | name = "guard"
         |        ^^^^^^^

      orcs.toml:18:6: error ORCS1006: id: the hook at line 2 already has the id "guard"
       18 | id = "guard"
          |      ^^^^^^^"
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
    expect(await reportOn(toml)).toMatchInlineSnapshot(`
      "orcs.toml:3:1: error ORCS1017: event is another spelling of point, which is also set
       3 | event = "PreToolUse"
         | ^^^^^
        hint: keep point

      orcs.toml:6:1: error ORCS1017: name is another spelling of id, which is also set
       6 | name = "b"
         | ^^^^
        hint: keep id

      orcs.toml:7:1: error ORCS1017: timeout_sec is another spelling of timeout_ms, which is also set
       7 | timeout_sec = 1
         | ^^^^^^^^^^^
        hint: keep timeout_ms

      orcs.toml:9:1: error ORCS1017: tool_matcher is another spelling of matcher, which is also set
       9 | tool_matcher = "x"
         | ^^^^^^^^^^^^
        hint: keep matcher

      orcs.toml:11:1: error ORCS1017: session_id is another spelling of match.session, which is also set
       11 | session_id = "s"
          | ^^^^^^^^^^
        hint: keep match.session

      orcs.toml:13:1: error ORCS1017: path_pattern is another spelling of match.path, which is also set
       13 | path_pattern = "*"
          | ^^^^^^^^^^^^
        hint: keep match.path"
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
