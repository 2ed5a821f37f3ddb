import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { renderDiagnostic } from "../../../../src/core/diagnostic.ts";
import type { Diagnostic } from "../../../../src/core/diagnostic.ts";
import { checkConfiguration } from "../../../../src/workbench/check/check.ts";
import { checkFiles } from "../../../../src/workbench/check/check-files.ts";
import { mergedConfiguration } from "../../../../src/workbench/check/merged-configuration.ts";
import { trusted, trustedHere } from "../../../trusted.ts";
import { folder } from "../../engine/orcs/engine.ts";
import { isQuickDone, isWholeRun, quickTest as test, slowTest } from "../../../slow-test.ts";

/** Limits that a script does not reach because the machine has other things to do. */
const PATIENT = "\n[lua]\nmax_run_ms = 5000\nmax_chain_ms = 20000\n";

/** Check an `orcs.toml` beside these files. */
function check(toml: string | Uint8Array, files: Record<string, string | Uint8Array> = {}) {
  const content = typeof toml === "string" ? toml + PATIENT : toml;
  const cwd = folder({ "orcs.toml": content, ...files });
  return checkConfiguration({ cwd, config: "orcs.toml" });
}

function brief({ severity, code, place, message }: Diagnostic): string {
  const at = place ? `${place.file}:${place.line}:${place.column ?? "-"}` : "-";
  return `${at} ${severity === "error" ? "!" : ""}${code} ${message}`;
}

async function found(toml: string | Uint8Array, files?: Record<string, string | Uint8Array>) {
  return (await check(toml, files)).diagnostics.map(brief);
}

const script = (name: string, more = "") => `[[hooks]]\nscript = "${name}"\n${more}`;
const inline = (point: string, code: string, more = "") =>
  `[[hooks]]\npoint = "${point}"\n${more}handler_inline = '${code}'\n`;

describe("check, at a pre point, of files that trust cannot cover", () => {
  const hook = (handler: string, more = "", point = "tool.pre_execute") =>
    `[[hooks]]\npoint = "${point}"\n${handler}\n${more}`;
  const MODULE = 'module = "./m.mjs"';

  test.each([
    ["a package", 'if (globalThis.x) await import("zod");', '"zod"'],
    ["an absolute path", 'if (globalThis.x) await import("/abs/p/lib.mjs");', '"/abs/p/lib.mjs"'],
    ["a computed name", "if (globalThis.x) await import(globalThis.x);", '"a computed import"'],
    [
      "a path out of the folder",
      'if (globalThis.x) await import("../no-such-module.mjs");',
      '"../no-such-module.mjs"',
    ],
  ])("reports a module that imports %s", async (_what, code, word) => {
    const files = { "m.mjs": `import "./dep.mjs";\nexport default () => {};\n`, "dep.mjs": code };
    const message = `orcs trust cannot seal ${word}: it may be a different program at each run`;
    expect(await found(hook(MODULE), files)).toEqual([
      `orcs.toml:3:10 ORCS1112 module: ${message}`,
    ]);
    expect(await found(hook(MODULE, "unsealed = true\n"), files)).toEqual([]);
    expect(await found(hook(MODULE, "", "tool.post_execute"), files)).toEqual([]);
  });

  test("accepts imports of trusted files and of Node's built-in modules", async () => {
    const code = 'import "node:fs";\nimport "./dep.mjs";\nexport default () => {};\n';
    expect(await found(hook(MODULE), { "m.mjs": code, "dep.mjs": "" })).toEqual([]);
  });

  test("reports an absolute path with a hint at the relative one", async () => {
    const cwd = folder({ "check.sh": "" });
    const toml = hook(`shell = "sh ${cwd}/check.sh"`);
    writeFileSync(join(cwd, "orcs.toml"), toml);
    const { diagnostics } = await checkConfiguration({ cwd, config: "orcs.toml" });
    expect(diagnostics).toMatchObject([
      { code: "ORCS1112", hint: expect.stringContaining('"$ORCS_DIR/check.sh", or') as unknown },
    ]);
  });

  test("reports a script of a command that is not there", async () => {
    expect(await found(hook('shell = "./nope.sh --x"'), {})).toEqual([
      "orcs.toml:3:9 ORCS1009 shell: nope.sh was not found",
    ]);
    expect(await found(hook(`shell = 'sh "$ORCS_DIR/no.sh"'`), {})).toEqual([
      "orcs.toml:3:9 ORCS1009 shell: no.sh was not found",
    ]);
    expect(await found(hook('shell = "./there.sh"'), { "there.sh": "" })).toEqual([]);
  });

  test("reports environment variables that control which programs are loaded", async () => {
    const shell = `shell = { command = 'sh "$ORCS_DIR/check.sh"', env = ["PYTHONPATH", "TZ"] }`;
    const [first = "", ...more] = await found(hook(shell), { "check.sh": "" });
    expect(first).toContain('ORCS1112 shell: orcs trust cannot seal "PYTHONPATH"');
    expect(more).toEqual([]);
  });
});

describe("the rendered text of each check finding", () => {
  const cases: Record<string, [script: string, text: string]> = {
    ORCS1101: [
      "return function(ctx)\n  print(ctxt)\nend",
      's.lua:2:9: warning ORCS1101: the global "ctxt" is never set\n 2 |   print(ctxt)\n   |         ^^^^\n  hint: did you mean "ctx"?',
    ],
    ORCS1102: [
      "return function(ctx)\n  return orcs.denny('x')\nend",
      "s.lua:2:15: error ORCS1102: orcs.denny does not exist\n 2 |   return orcs.denny('x')\n   |               ^^^^^\n  hint: did you mean \"orcs.deny\"?",
    ],
    ORCS1103: [
      "return function(ctx)\n\tprint(table.unpackk({}))\nend",
      's.lua:2:14: error ORCS1103: table.unpackk does not exist\n 2 | \tprint(table.unpackk({}))\n   | \t            ^^^^^^^\n  hint: did you mean "table.unpack"?',
    ],
    ORCS1104: [
      "return function(ctx)\n  return orcs.deny()\nend",
      's.lua:2:10: warning ORCS1104: the denial has no reason, so the model does not learn what to do instead\n 2 |   return orcs.deny()\n   |          ^^^^^^^^^^^\n  hint: orcs.deny("what to do instead")',
    ],
    ORCS1105: [
      "return function(ctx)\n  return orcs.replace(1)\nend",
      "s.lua:2:10: warning ORCS1105: orcs.replace has no effect at tool.pre_execute\n 2 |   return orcs.replace(1)\n   |          ^^^^^^^^^^^^^^^\n  hint: use orcs.skip(result) there",
    ],
    ORCS1106: [
      'return function(ctx)\n  return { action = "abrt" }\nend',
      's.lua:2:10: error ORCS1106: the hook would fail: it returned the unknown action "abrt", expected one of continue, skip, abort, replace, retry\n 2 |   return { action = "abrt" }\n   |          ^^^^^^^^^^^^^^^^^^^\n  hint: did you mean "abort"?',
    ],
    ORCS1107: [
      "return function(ctx)\n  print(ctx.paylod)\nend",
      's.lua:2:13: warning ORCS1107: a context has no key "paylod"\n 2 |   print(ctx.paylod)\n   |             ^^^^^^\n  hint: did you mean "payload"?',
    ],
    ORCS1108: [
      "return function(ctx)\n  print(#ctx.payload.args.url)\nend",
      's.lua:2:10: warning ORCS1108: the hook uses the argument "url" for every tool, but only http has it: for other tools the hook fails and so denies the call\n 2 |   print(#ctx.payload.args.url)\n   |          ^^^^^^^^^^^^^^^^^^^^\n  hint: add match = { tool = "http" }',
    ],
  };
  test.each(Object.entries(cases))("%s", async (code, [text, expected]) => {
    const { diagnostics } = await check(script("s.lua", 'point = "PreToolUse"\n'), {
      "s.lua": text,
    });
    expect(diagnostics.map((each) => each.code)).toEqual([code]);
    expect(diagnostics.map((each) => renderDiagnostic(each, text)).join("\n")).toBe(expected);
  });

  test("ORCS1109 and ORCS1110 in orcs.toml", async () => {
    const toml = `${inline("session.on_start", "ctx", 'match = { tool = "exec" }\n')}[[hooks]]\npoint = "PreToolUse"\nshell = "true"\non_error = "open"\n`;
    const { diagnostics } = await check(toml);
    expect(diagnostics.map((each) => renderDiagnostic(each, toml))).toEqual([
      'orcs.toml:3:11: warning ORCS1109: the hook never runs: the payload of session.on_start has no tool, so match.tool is always false\n 3 | match = { tool = "exec" }\n   |           ^^^^',
      'orcs.toml:8:12: warning ORCS1110: on_error: this hook can deny, but the operation passes when the hook fails\n 8 | on_error = "open"\n   |            ^^^^^^',
    ]);
  });

  test("ORCS1023: a command that starts something in the background", async () => {
    const hook = (shell: string) => `[[hooks]]\npoint = "SessionStart"\nshell = ${shell}\n`;
    const quiet = [
      '"./a.sh & wait"',
      '{ command = "./a.sh &", background_s = 0 }',
      '{ command = "./a.sh &", protocol = "claude-code" }',
    ];
    const { diagnostics } = await check(['"./a.sh &"', ...quiet].map(hook).join(""), {
      "a.sh": "",
    });
    expect(diagnostics.map(({ code, place }) => [code, place?.line])).toEqual([["ORCS1023", 3]]);
  });

  test("ORCS1111: a script that is not UTF-8", async () => {
    const code = Buffer.concat([
      Buffer.from("-- fine\nreturn function() print('"),
      Buffer.from([0xff]),
      Buffer.from("') end"),
    ]);
    const { diagnostics, hooks } = await check(script("s.lua", 'point = "PreToolUse"\n'), {
      "s.lua": code,
    });
    expect(hooks).toBe(1);
    expect(diagnostics.map((each) => renderDiagnostic(each, code.toString("utf8")))).toEqual([
      "s.lua:2:26: warning ORCS1111: s.lua is not valid UTF-8 from here on\n 2 | return function() print('\ufffd') end\n   |                          ^",
    ]);
  });

  test("ORCS1111: the caret is below the invalid byte after multi-byte characters", async () => {
    const code = Buffer.concat([
      Buffer.from("return function()\n\tprint('h\u00e9\u20ac\ufffd "),
      // Half a letter.
      Buffer.from([0xe2, 0x82]),
      Buffer.from("') end"),
    ]);
    const { diagnostics } = await check(script("s.lua", 'point = "PreToolUse"\n'), {
      "s.lua": code,
    });
    expect(diagnostics.map((each) => renderDiagnostic(each, code.toString("utf8")))).toEqual([
      "s.lua:2:14: warning ORCS1111: s.lua is not valid UTF-8 from here on\n 2 | \tprint('h\u00e9\u20ac\ufffd \ufffd') end\n   | \t            ^",
    ]);
  });
});

describe("check of a whole configuration", () => {
  test("reports nothing for a correct configuration", async () => {
    const { diagnostics, hooks } = await check(
      `${inline("PreToolUse", 'orcs.deny("no")', 'match = { tool = "exec" }\n')}${inline("PostToolUse", "ctx", 'on_error = "open"\n')}`,
    );
    expect({ diagnostics, hooks }).toEqual({ diagnostics: [], hooks: 2 });
  });

  test.each<[string, string, string[]]>([
    [
      "a path at a point without arguments",
      inline("llm.pre_generate", "ctx", 'path_pattern = "x"\n'),
      [
        "orcs.toml:3:1 ORCS1109 the hook never runs: the payload of llm.pre_generate has no arguments, so match.path is always false",
      ],
    ],
    [
      "a command at a point that has one",
      inline("auth.pre_check", "ctx", 'match = { command = "x" }\n'),
      [],
    ],
    [
      "what a host sends may have anything",
      inline("host.pre_event", "ctx", 'match = { tool = "x" }\n'),
      [],
    ],
    ["open, but it never refuses", inline("PreToolUse", "ctx", 'on_error = "open"\n'), []],
    [
      "open, at a post point",
      '[[hooks]]\npoint = "PostToolUse"\nshell = "true"\non_error = "open"\n',
      [],
    ],
    [
      "open, for nobody to wait for",
      '[[hooks]]\npoint = "PreToolUse"\nshell = "true"\nasync = true\nobserve = true\non_error = "open"\n',
      [],
    ],
    [
      "an open timeout",
      '[[hooks]]\npoint = "PreToolUse"\nshell = "true"\non_timeout = "open"\n',
      [
        "orcs.toml:4:14 ORCS1110 on_timeout: this hook can deny, but the operation passes when the hook fails",
      ],
    ],
  ])("%s", async (_, toml, expected) => {
    expect(await found(toml)).toEqual(expected);
  });

  const LATE = "ORCS1110 async: an async hook cannot deny: its result is ignored";
  test.each<[string, string, string[]]>([
    ["at a pre point", 'point = "PreToolUse"\nshell = "true"\nasync = true', [`4:9 ${LATE}`]],
    [
      "in another spelling",
      'event = "UserPromptSubmit"\nshell = "true"\nasync_execution = true',
      [`4:19 ${LATE.replace("async:", "async_execution:")}`],
    ],
    ["that looks on", 'point = "PreToolUse"\nshell = "true"\nasync = true\nobserve = true', []],
    [
      "that does not",
      'point = "PreToolUse"\nshell = "true"\nasync = true\nobserve = false',
      [`4:9 ${LATE}`],
    ],
    ["that is waited for", 'point = "PreToolUse"\nshell = "true"\nasync = false', []],
    ["at a post point", 'point = "PostToolUse"\nshell = "true"\nasync = true', []],
    ["at an on point", 'point = "SessionStart"\nshell = "true"\nasync = true', []],
  ])("reports an async hook %s", async (_, toml, expected) => {
    const lines = expected.map((line) => `orcs.toml:${line}`);
    expect(await found(`[[hooks]]\n${toml}\n`)).toEqual(lines);
  });

  test("reports an async hook at a pre point, set in the script or orcs.toml, unless it only observes", async () => {
    const states = (more: string) =>
      `return {\n point = "PreToolUse", ${more}\n handler = function() end }`;
    const late = LATE.replace("async: ", "");
    const said = { "s.lua": states("async = true,") };
    expect(await found(script("s.lua"), said)).toEqual([`s.lua:2:32 ${late}`]);
    expect(await found(`${script("s.lua")}observe = true\n`, said)).toEqual([]);
    expect(await found(`${script("s.lua")}async = false\n`, said)).toEqual([]);
    const spelt = { "s.lua": states("async_execution = true,") };
    expect(await found(script("s.lua"), spelt)).toEqual([`s.lua:2:42 ${late}`]);
    const looksOn = { "s.lua": states("async = true, observe = true,") };
    expect(await found(script("s.lua"), looksOn)).toEqual([]);
    expect(await found(`${script("s.lua")}async = true\n`, looksOn)).toEqual([]);
    const open = { "s.lua": states("") };
    const [line = ""] = await found(`${script("s.lua")}async = true\n`, open);
    expect(line).toMatch(/^orcs\.toml:\d+:9 ORCS1110 async: /);
  });

  test("reports a hook behind one that denies every operation", async () => {
    const refuse = (more: string) => inline("PreToolUse", 'orcs.deny("no")', more);
    const last = inline("PreToolUse", "ctx", 'id = "last"\n');
    expect(await found(refuse('id = "all"\npriority = 1\n') + last)).toEqual(
      [
        'orcs.toml:9:19 ORCS1109 the hook "last" never runs: "all" denies every operation at tool.pre_execute before it',
      ].map((line) => line.replace("9:19", "9:-")),
    );
    for (const more of [
      'fql = "a::b"\n',
      'match = { tool = "x" }\n',
      "enabled = false\n",
      "once = true\n",
      "async = true\nobserve = true\n",
      "priority = 200\n",
    ]) {
      expect(
        await found(refuse(`id = "all"\n${more}`) + last.replace("id =", "priority = 150\nid =")),
      ).toEqual([]);
    }
  });

  const GIT = 'match = { tool = "exec", runs = ["git push", "git reset"] }\n';
  const PUSH = 'match = { tool = "exec", runs = "git push" }\n';
  const OTHER = 'match = { tool = "exec", runs = "rm" }\n';
  const denyAll = (more: string) => inline("PreToolUse", 'orcs.deny("no")', `id = "all"\n${more}`);
  const hook = (code: string, more: string) =>
    inline("PreToolUse", code, `id = "this"\npriority = 200\n${more}`);
  const first = (code: string, more: string) =>
    inline("PreToolUse", code, `id = "this"\npriority = 1\n${more}`);
  const between = (code: string) => inline("PreToolUse", code, "priority = 150\n");
  const BEHIND = 'ORCS1109 the hook "this" never runs: "all" denies all its operations before it';
  const OVERRULED = (decision: string) =>
    `ORCS1113 the decision of the hook "this" (${decision}) never counts: "all" denies the same operations after it`;

  test.each([
    ["the same conditions", denyAll(GIT) + hook("ctx", GIT), [BEHIND]],
    ["narrower patterns", denyAll(GIT) + hook("ctx", PUSH), [BEHIND]],
    ["wider patterns", denyAll(PUSH) + hook("ctx", GIT), []],
    ["other patterns", denyAll(GIT) + hook("ctx", OTHER), []],
    ["one of the tools", denyAll('match = { tool = "exec|read" }\n') + hook("ctx", PUSH), [BEHIND]],
    [
      "more tools",
      denyAll('match = { tool = "read" }\n') + hook("ctx", 'match = { tool = "exec|read" }\n'),
      [],
    ],
    [
      "a glob",
      denyAll('match = { tool = "re*" }\n') + hook("ctx", 'match = { tool = "read" }\n'),
      [],
    ],
    ["no conditions", denyAll(PUSH) + hook("ctx", ""), []],
    ["the same component", denyAll('fql = "a::b"\n') + hook("ctx", 'fql = "a::b"\n'), [BEHIND]],
    ["another component", denyAll('fql = "a::b"\n') + hook("ctx", 'fql = "a::c"\n'), []],
    [
      "one that may change the call",
      denyAll(GIT) + between("ctx.payload.args = {}") + hook("ctx", PUSH),
      [],
    ],
    ["one that only asks", denyAll(GIT) + between('orcs.ask("x")') + hook("ctx", PUSH), [BEHIND]],
    [
      "one that denies under a condition",
      inline("PreToolUse", 'if ctx.x then return orcs.deny("no") end') + hook("ctx", ""),
      [],
    ],
    [
      "an allowance before a denial",
      first("orcs.allow()", PUSH) + denyAll(GIT),
      [OVERRULED("allow")],
    ],
    ["a question before a denial", first('orcs.ask("x")', PUSH) + denyAll(""), [OVERRULED("ask")]],
    ["an allowance that is wider", first("orcs.allow()", GIT) + denyAll(PUSH), []],
    [
      "an allowance before a change",
      first("orcs.allow()", PUSH) +
        inline("PreToolUse", "ctx.payload.args = {}", "priority = 50\n") +
        denyAll(GIT),
      [],
    ],
    ...(
      [
        ["git push --force", true],
        ["git push -f", true],
        ["git push origin main", true],
        ["git -C x push --force", true],
        ["git reset --hard", true],
        ["git pull", false],
        ["git", false],
        ["git push*", false],
        ["hub push --force", false],
      ] as const
    ).map(([runs, isBehind]): [string, string, string[]] => [
      `a pattern behind a wider one: ${runs}`,
      denyAll(GIT) + hook("orcs.ask()", `match = { tool = "exec", runs = "${runs}" }\n`),
      isBehind ? [BEHIND] : [],
    ]),
    [
      "an allowance that a denial with a wider pattern overrules",
      first("orcs.allow()", 'match = { tool = "exec", runs = "git push --tags" }\n') +
        denyAll(PUSH),
      [
        'ORCS1113 the decision of the hook "this" (allow) never counts: "all" denies the same operations after it',
      ],
    ],
    [
      "contradicting conditions on the tool",
      hook("ctx", 'match = { tool = "read|write", tool_regex = "^ex" }\n'),
      [
        'ORCS1109 the hook "this" never runs: match.tool_regex matches none of the tools in match.tool',
      ],
    ],
    [
      "a tool that no agent has",
      hook("ctx", 'match = { tool = "Bahs|Write|frobnicate|mcp__a__b" }\n'),
      ['ORCS1117 the hook "this": no agent has a tool "Bahs"; did you mean Bash?'],
    ],
    [
      "an MCP server in place of its tools",
      hook("ctx", 'match = { tool = "mcp__memory" }\n'),
      ['ORCS1117 the hook "this": no agent has a tool "mcp__memory"; did you mean mcp__memory__*?'],
    ],
    [
      "names of tools with commas, and a regular expression with slashes",
      hook("ctx", 'match = { tool = "exec, Write", tool_regex = "/exec/" }\n'),
      [
        'ORCS1109 the hook "this" never runs: match.tool_regex matches none of the tools in match.tool',
        'ORCS1115 match.tool_regex is a regular expression without slashes around it: "/exec/" matches no tool',
        'ORCS1117 the hook "this": no agent has a tool "exec, Write"; did you mean exec|Write?',
      ],
    ],
    [
      "a tool of another component",
      hook("ctx", 'fql = "mcp::fs"\nmatch = { tool = "Bahs" }\n'),
      [],
    ],
    [
      "conditions on the tool that one name meets",
      hook("ctx", 'match = { tool = "read|exec", tool_regex = "^ex" }\n'),
      [],
    ],
    [
      "a command of tools without one",
      hook("ctx", 'match = { tool = "read|write", command = "rm" }\n'),
      [
        'ORCS1109 the hook "this" never runs: match.command needs a command, and none of the tools in match.tool has one',
      ],
    ],
    [
      "a command of an agent's tool",
      hook("ctx", 'match = { tool = "read|Bash", runs = "rm" }\n'),
      [],
    ],
    ...[
      ["rm%s+-rf", "%s+"],
      ["[%w_]+", "%w"],
      ["a%.b", "%."],
      ["date \\+%s", undefined],
      ["git log --format=%ad", undefined],
    ].map(([pattern = "", lua]): [string, string, string[]] => [
      `a regular expression: ${pattern}`,
      hook("ctx", `match = { command = '${pattern}' }\n`),
      lua === undefined
        ? []
        : [
            `ORCS1115 match.command is a regular expression, where "${lua}" of a Lua pattern matches a percent sign`,
          ],
    ]),
    ...[
      ["rm\\s+-rf", "\\\\s"],
      ["^rm -rf", "^"],
      ["git push.*", "h.*"],
      ["rm -rf .*", undefined],
      ["mkfs*", undefined],
    ].map(([pattern = "", sign]): [string, string, string[]] => [
      `a command: ${pattern}`,
      hook("ctx", `match = { runs = '${pattern}' }\n`),
      sign === undefined
        ? []
        : [
            `ORCS1115 match.runs is a command, such as "rm -rf", where "${sign}" of a regular expression is text`,
          ],
    ]),
    [
      "a command where there is none",
      inline("session.on_start", "ctx", 'match = { runs = "git push" }\n'),
      [
        "ORCS1109 the hook never runs: the payload of session.on_start has no command, so match.runs is always false",
      ],
    ],
  ])("hooks that never run or decide: %s", async (_, toml, expected) => {
    const lines = await found(toml);
    const relevant = lines.filter((line) => /ORCS11(?:09|13|15|17)/.test(line));
    expect(relevant.map((line) => line.replace(/^\S+ !?/, ""))).toEqual(expected);
  });

  test("a configuration that does not load: errors and findings in order of file and line, each once", async () => {
    const { diagnostics, hooks, loaded } = await check(
      `${script("a.lua")}${script("b.lua")}[[hooks]]\npoint = "tool.pre_execut"\nhandler_inline = "orcs.denny()"\n`,
      {
        "hooks/a.lua": "return {\n  handler = function(ctx\n}\n",
        "hooks/b.lua":
          "return { point = 'PreToolUse', priorty = 1,\n handler = function() os.exit() end }\n",
      },
    );
    expect({ hooks, loaded }).toEqual({ hooks: 0, loaded: undefined });
    // What stands in the files must be right before the scripts are loaded at all.
    expect(diagnostics.map(brief)).toEqual([
      'hooks/b.lua:1:32 !ORCS1003 unknown key "priorty"',
      "hooks/b.lua:2:23 !ORCS1101 os is not available to scripts",
      'orcs.toml:6:9 !ORCS1005 point: unknown hook point "tool.pre_execut"',
      "orcs.toml:7:24 !ORCS1102 orcs.denny does not exist",
    ]);
  });

  test("an error found by both the loader and the checker is reported once, with its column", async () => {
    expect(
      await found(script("s.lua"), {
        "s.lua":
          "orcs.hook('a::b:tol.pre_execute', function() end)\nreturn { point = 'PreToolUse', handlr = 1, handler = print }",
      }),
    ).toEqual([
      's.lua:1:11 !ORCS1005 "a::b:tol.pre_execute" does not have the form FQL:point, such as "builtin::llm:tool.pre_execute"',
      's.lua:2:32 !ORCS1003 unknown key "handlr"',
    ]);
  });

  test("findings in an inline handler have the line and column of the TOML file, however it is quoted", async () => {
    const toml = `[[hooks]]\npoint = "PostToolUse"\nhandler_inline = "print(\\"é\\") return orcs.skip(1)"\n[[hooks]]\npoint = "PostToolUse"\nhandler_inline = '''\nfunction(ctx)\n  return orcs.skip(1)\nend'''\n`;
    expect(await found(toml)).toEqual([
      "orcs.toml:3:- !ORCS1105 orcs.skip is not legal at tool.post_execute: the hook would fail",
      "orcs.toml:8:10 !ORCS1105 orcs.skip is not legal at tool.post_execute: the hook would fail",
    ]);
  });
});

describe("check of Lua modules", () => {
  test("are checked with the script that requires them and may set its globals", async () => {
    expect(
      await found(script("s.lua", 'point = "PreToolUse"\n'), {
        "hooks/s.lua": 'local m = require "lib.m"\nreturn function() return m.f(shared) end',
        "hooks/lib/m.lua":
          'local n = require "lib.n"\nshared = 1\nreturn { f = function() return n end }',
        "hooks/lib/n.lua": "return { g = function() return orcs.nothing() end }",
      }),
    ).toEqual(["hooks/lib/n.lua:1:37 !ORCS1102 orcs.nothing does not exist"]);
  });

  test("reports a require cycle and a module outside the roots, not a require that runs later", async () => {
    const hook = "return function() end";
    expect(
      await found(script("s.lua", 'point = "PreToolUse"\n'), {
        "hooks/s.lua": `require "a"\n${hook}`,
        "hooks/a.lua": 'return require "b"',
        "hooks/b.lua": 'local a = require "a"\nreturn a',
      }),
    ).toEqual(["hooks/b.lua:1:- !ORCS3002 require: 'a' requires itself"]);
    expect(
      await found(script("s.lua", 'point = "PreToolUse"\n'), {
        "hooks/s.lua": `require "..secret"\n${hook}`,
        "secret.lua": "return 1",
      }),
    ).toEqual(["hooks/s.lua:1:9 !ORCS1009 module '..secret' not found in the script directories"]);
    expect(
      await found(script("s.lua", 'point = "PreToolUse"\n'), {
        "hooks/s.lua": 'return function() require "later" end',
      }),
    ).toEqual(["hooks/s.lua:1:27 !ORCS1009 module 'later' not found in the script directories"]);
    expect(
      await found(script("s.lua", 'point = "PreToolUse"\n'), {
        "hooks/s.lua": 'return function() require "file_guard.patch" end',
      }),
    ).toEqual([expect.stringMatching(/^hooks\/s\.lua:1:27 !ORCS3008 .*orcs\.effects/)]);
  });
});

describe("check of bad input", () => {
  test("a script that loops while loading is reported, and its text is still checked", async () => {
    const toml = `${script("s.lua")}[lua]\nmax_run_ms = 50\n`;
    const cwd = folder({ "orcs.toml": toml, "hooks/s.lua": "print(nothing)\nwhile true do end" });
    const { diagnostics } = await checkConfiguration({ cwd, config: "orcs.toml" });
    expect(diagnostics.map(({ code }) => code).sort()).toEqual(["ORCS1101", "ORCS3005"]);
  });

  test("TOML that is not UTF-8 is ORCS1001", async () => {
    expect(await found(Buffer.from('a = "x"\nb = "\xff"', "latin1"))).toEqual([
      "orcs.toml:2:6 !ORCS1001 orcs.toml is not valid UTF-8 from here on",
    ]);
  });

  // Root may read everything.
  it.skipIf(isQuickDone || process.getuid?.() === 0)(
    "a script directory without read permission is reported",
    async () => {
      const cwd = folder({ "orcs.toml": script("s.lua"), "hooks/s.lua": "return print" });
      mkdirSync(join(cwd, "hooks"), { recursive: true });
      chmodSync(join(cwd, "hooks"), 0o000);
      try {
        const { diagnostics } = await checkConfiguration({ cwd, config: "orcs.toml" });
        expect(diagnostics.map(brief)).toEqual([
          'orcs.toml:2:10 !ORCS1009 script: "s.lua" was not found; searched hooks, .',
        ]);
      } finally {
        chmodSync(join(cwd, "hooks"), 0o755);
      }
    },
  );

  // What is quadratic takes sixteen times as long for four times as much, however busy the machine is.
  const most = isWholeRun ? 10_000 : 2000;
  slowTest(`a configuration of ${most} hooks, or as long, is checked in linear time`, async () => {
    const hook = (i: number) =>
      `[[hooks]]\nid = "h${i}"\npoint = "tool.pre_execute"\nmatch = { tool = "exec" }\nshell = "true"\n`;
    const many = (n: number) =>
      `${Array.from({ length: n }, (_, i) => hook(i)).join("")}[engine]\nload_ms = 60000\n`;
    const text = (n: number) => `"${"x".repeat(98)}",\n`.repeat(n * 5);
    const large = (n: number) => inline("PreToolUse", "ctx", `options = { a = [\n${text(n)}] }\n`);
    const cpuOf = async (toml: string, hooks: number): Promise<number> => {
      const before = process.cpuUsage();
      const checked = await check(toml);
      const { user, system } = process.cpuUsage(before);
      expect({ hooks: checked.hooks, diagnostics: checked.diagnostics }).toEqual({
        hooks,
        diagnostics: [],
      });
      return user + system;
    };
    const fewer = most / 4;
    await cpuOf(many(fewer), fewer);
    expect((await cpuOf(many(most), most)) / (await cpuOf(many(fewer), fewer))).toBeLessThan(10);
    expect((await cpuOf(large(most), 1)) / (await cpuOf(large(fewer), 1))).toBeLessThan(10);
  });
});

describe("check of single files", () => {
  test("reports syntax errors, unknown names and invalid hook fields without running the files", async () => {
    const cwd = folder({
      "syntax.lua": "#!/usr/bin/lua\nlocal x = = 1",
      "names.lua": "orcs.exec('touch ran')\nos.exit()",
      "hook.lua":
        'return { point = "PostToolUse", handler = function() return orcs.deny("x") end }',
      "child.lua": "return function(task) return task.name end",
    });
    const names = ["syntax.lua", "names.lua", "hook.lua", "child.lua", "none.lua"];
    const diagnostics = await checkFiles(names, cwd);
    expect(diagnostics.map(brief).map((line) => line.replace(/ENOENT.*/, "…"))).toEqual([
      "hook.lua:1:61 ORCS1105 orcs.deny at tool.post_execute: the operation has already run, so only its result is withheld",
      "names.lua:2:1 !ORCS1101 os is not available to scripts",
      "none.lua:1:- !ORCS1009 the script cannot be read: …",
      "syntax.lua:2:- !ORCS3001 unexpected symbol near '='",
    ]);
  });
});

describe("the effective configuration from check", () => {
  test("names the layer, file and line of each key", async () => {
    const cwd = folder({
      "orcs.toml": `[engine]\nmax_depth = 3\n${script("s.lua", "timeout_sec = 5\noptions = { a = 1 }\n")}`,
      "orcs.local.toml": "[engine]\nmax_depth = 7\n[permissions]\ncapabilities = []\n",
      "hooks/s.lua":
        'return {\n  point = "PreToolUse",\n  priority = 7,\n  handler = function() end,\n}',
    });
    await trustedHere(cwd, folder({}));
    const checked = await checkConfiguration({ cwd });
    const { settings, hooks } = await mergedConfiguration({ cwd }, checked);
    vi.unstubAllEnvs();
    const setting = (key: string) => settings.find((each) => each.key === key);
    expect(setting("engine.max_depth")).toEqual({
      key: "engine.max_depth",
      value: 7,
      origin: "local",
      file: "orcs.local.toml",
      line: 2,
    });
    expect(setting("permissions.capabilities")).toMatchObject({
      value: [],
      origin: "local",
      line: 4,
    });
    expect(setting("engine.load_ms")).toEqual({
      key: "engine.load_ms",
      value: 5000,
      origin: "default",
    });
    expect(hooks).toHaveLength(1);
    const keys = Object.fromEntries(
      (hooks[0]?.keys ?? []).map(({ key, value, origin, line }) => [key, [value, origin, line]]),
    );
    expect(keys).toMatchObject({
      point: ["tool.pre_execute", "script", 4],
      priority: [7, "script", 4],
      timeout_ms: [5000, "project", 5],
      options: [{ a: 1 }, "project", 6],
      script: ["s.lua", "project", 4],
      max_retries: [3, "default", undefined],
    });
  });
});

describe("check of a discovered project that is not trusted", () => {
  /** A folder, and a state in which nothing is trusted yet. */
  function found(files: Record<string, string>) {
    const state = folder({});
    vi.stubEnv("XDG_STATE_HOME", state);
    vi.stubEnv("XDG_CONFIG_HOME", join(state, "no-user"));
    onTestFinished(() => void vi.unstubAllEnvs());
    return { cwd: folder(files), state };
  }

  test("reads the files but runs no main chunk, loads no module and applies no setting", async () => {
    const { cwd, state } = found({
      "orcs.toml": `[engine]\nmax_depth = 3\n${script("s.lua")}[[hooks]]\npoint = "PreToolUse"\nmodule = "./m.js"\n`,
      "hooks/s.lua": 'error("its main chunk ran")\nprint(cout)\n',
      "m.js": 'throw new Error("the module ran")',
    });
    const brought = await checkConfiguration({ cwd });
    expect(brought.untrusted?.text).toContain("they are not trusted");
    expect(brought.diagnostics.map(brief)).toEqual([
      'hooks/s.lua:2:7 ORCS1101 the global "cout" is never set',
    ]);
    expect(brought.loaded).toEqual([]);
    const { settings, hooks } = await mergedConfiguration({ cwd }, brought);
    expect(hooks).toEqual([]);
    expect(settings.find(({ key }) => key === "engine.max_depth")).toEqual({
      key: "engine.max_depth",
      value: 4,
      origin: "default",
    });

    // Both ways to have it loaded, and what loading finds.
    const named = await checkConfiguration({ cwd, config: "orcs.toml" });
    expect(named.untrusted).toBeUndefined();
    expect(named.diagnostics.map(brief).join("\n")).toContain("its main chunk ran");
    await trusted(cwd, state);
    const again = await checkConfiguration({ cwd });
    expect(again.untrusted).toBeUndefined();
    expect(again.diagnostics).toEqual(named.diagnostics);
  });

  test("finds syntax errors of inline handlers, and runs none of them", async () => {
    const inline = (code: string): string =>
      `[[hooks]]\npoint = "PreToolUse"\nhandler_inline = '''\n${code}'''\n`;
    const { cwd } = found({
      "orcs.toml": [
        'orcs.deny("x"',
        "function(ctx) return nil en",
        'error("it ran")',
        "return nil,",
      ]
        .map(inline)
        .join(""),
    });
    const { diagnostics } = await checkConfiguration({ cwd });
    expect(diagnostics.map(brief)).toEqual([
      "orcs.toml:4:- !ORCS3001 ')' expected (to close '(' at line 4) at the end of the handler",
      "orcs.toml:8:- !ORCS3001 'end' expected near 'en'",
      "orcs.toml:16:- !ORCS3001 unexpected symbol at the end of the handler",
    ]);
    const loaded = await checkConfiguration({ cwd, config: "orcs.toml" });
    expect(loaded.diagnostics.map(brief)).toEqual(diagnostics.slice(0, 1).map(brief));
  });

  test("reports every static error, also from a subdirectory", async () => {
    const { cwd } = found({
      "orcs.toml": '[[hooks]]\nscript = "s.lua"\n',
      "hooks/s.lua": 'local m = require "m"\nreturn {',
      "hooks/m.lua": "\nlocal = 1",
      "a/b/.keep": "",
    });
    const { diagnostics, hooks } = await checkConfiguration({ cwd: join(cwd, "a/b") });
    expect(hooks).toBe(0);
    const at = diagnostics.map(({ code, place }) => [code, place?.file, place?.line]);
    expect(at).toEqual([
      ["ORCS3001", join(cwd, "hooks/m.lua"), 2],
      ["ORCS3001", join(cwd, "hooks/s.lua"), 2],
    ]);
    const ill = found({ "orcs.toml": '[[hooks]]\npriorty = 1\nscript = "s.lua"\n' });
    const of = (await checkConfiguration({ cwd: ill.cwd })).diagnostics.map(({ code }) => code);
    expect(of).toEqual(["ORCS1003", "ORCS1009"]);
  });

  test("reports what keeps the project from being trusted", async () => {
    const { cwd } = found({ "orcs.toml": script("s.lua") });
    const outside = folder({ "s.lua": "return function() end" });
    mkdirSync(join(cwd, "hooks"));
    symlinkSync(join(outside, "s.lua"), join(cwd, "hooks/s.lua"));
    const { diagnostics } = await checkConfiguration({ cwd });
    expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([
      ["ORCS8003", "error"],
    ]);
  });

  test("loads and counts the user's own hooks", async () => {
    const { cwd } = found({ "p/orcs.toml": script("s.lua"), "p/hooks/s.lua": 'error("ran")' });
    const user = { "orcs/orcs.toml": '[[hooks]]\npoint = "Stop"\nhandler_inline = "ctx"\n' };
    vi.stubEnv("XDG_CONFIG_HOME", folder(user));
    const checked = await checkConfiguration({ cwd: join(cwd, "p") });
    expect(checked.diagnostics).toEqual([]);
    expect(checked.hooks).toBe(1);
    expect(checked.loaded?.map(({ origin }) => origin)).toEqual(["user"]);
  });
});

test("check finds nothing in the sample configuration and the shipped hooks", async () => {
  const root = new URL("../../../..", import.meta.url).pathname;
  expect(readFileSync(join(root, "orcs.toml"), "utf8")).toContain("[[hooks]]");
  const { diagnostics } = await checkConfiguration({ cwd: root, config: "orcs.toml" });
  expect(diagnostics).toEqual([]);
});
