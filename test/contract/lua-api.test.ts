import { beforeAll, describe, expect, test } from "vitest";
import { RUNTIME_VERBS } from "../../src/core/runtime-verbs.ts";
import type { RuntimeVerb, RuntimeVerbSpec, VerbArgument } from "../../src/core/runtime-verbs.ts";
import { TOOLS } from "../../src/core/tools.ts";
import { createRig } from "../unit/engine/lua/rig.ts";
import type { Rig } from "../unit/engine/lua/rig.ts";

// The API of scripts as a table: what each function is called with, where it may be called, and what it
// says to wrong arguments.

/** Where a call stands; `CALL` is the call. */
const PLACES = {
  loading: `WHY = (function() local ok, why = pcall(function() CALL end) return ok or why end)()
    return function(ctx) ctx.metadata.why = WHY end`,
  handler: `return function(ctx) local ok, why = pcall(function() CALL end) ctx.metadata.why = ok or why end`,
  "after a wait": `return function(ctx)
    orcs.sleep(0)
    local ok, why = pcall(function() CALL end) ctx.metadata.why = ok or why
  end`,
  metamethod: `return function(ctx)
    local t = setmetatable({}, { __index = function() CALL return 1 end })
    local ok, why = pcall(function() return t.x end) ctx.metadata.why = ok or why
  end`,
  "iterator of for": `return function(ctx)
    local function each(_, i) if not i then CALL return 1 end end
    local ok, why = pcall(function() for i in each do end end) ctx.metadata.why = ok or why
  end`,
  "own coroutine": `return function(ctx)
    local ok, why = coroutine.resume(coroutine.create(function() CALL end)) ctx.metadata.why = ok or why
  end`,
  "wrapped coroutine": `return function(ctx)
    local ok, why = pcall(coroutine.wrap(function() CALL end)) ctx.metadata.why = ok or why
  end`,
  "callback of gsub": `return function(ctx)
    local ok, why = pcall(string.gsub, "x", "x", function() CALL end) ctx.metadata.why = ok or why
  end`,
  "comparator of sort": `return function(ctx)
    local ok, why = pcall(table.sort, { 1, 2 }, function() CALL return false end) ctx.metadata.why = ok or why
  end`,
  "required module": `return function(ctx)
    local ok, why = pcall(require, "m") ctx.metadata.why = ok or why
  end`,
} as const;
type Place = keyof typeof PLACES;

/** Where Lua cannot yield. */
const NO_WAIT: readonly Place[] = [
  "own coroutine",
  "wrapped coroutine",
  "callback of gsub",
  "comparator of sort",
];

interface Row {
  /** A call that is right. */
  readonly call: string;
  /** Whether it waits for the host. */
  readonly waits?: true;
  /** Wrong calls, each with a part of what they say. */
  readonly wrong: readonly (readonly [call: string, why: string])[];
}

const path = (name: string): Row => ({
  call: `orcs.${name}("x")`,
  waits: true,
  wrong: [
    [`orcs.${name}(1)`, `orcs.${name}: argument 1 must be a string`],
    [`orcs.${name}(true)`, `orcs.${name}: argument 1 must be a string`],
    [`orcs.${name}(print)`, `orcs.${name}: argument 1 must be a string`],
    [`orcs.${name}("\\xff")`, `orcs.${name}: argument 1 must be a valid UTF-8 string`],
    [`orcs.${name}({ f = print })`, `orcs.${name}: argument 1: the value/f is a function`],
  ],
});

/** Of each kind of argument: one that is right, and those that are wrong with what they are told. */
const ARGUMENTS: Record<
  VerbArgument,
  { right: string; json: unknown; wrong: readonly (readonly [value: string, why: string])[] }
> = {
  string: {
    right: `"x"`,
    json: "x",
    wrong: [
      ["1", " must be a string"],
      ["{}", " must be a string"],
      [`"\\xff"`, " must be a valid UTF-8 string"],
    ],
  },
  json: {
    right: "{ 1, { a = orcs.null } }",
    json: [1, { a: null }],
    wrong: [
      ["print", ": the value is a function"],
      ["{ a = 0/0 }", ": the value/a is NaN"],
    ],
  },
  object: {
    right: "{ a = 1 }",
    json: { a: 1 },
    wrong: [
      ["1", " must be a table with string keys"],
      ["{ 1 }", " must be a table with string keys"],
      ["{ f = print }", ": the value/f is a function"],
    ],
  },
  list: {
    right: "{ { a = 1 } }",
    json: [{ a: 1 }],
    wrong: [
      ["1", " must be a list"],
      ["{ a = 1 }", " must be a list"],
      ["{ print }", ": the value/0 is a function"],
    ],
  },
};
const VERBS = Object.keys(RUNTIME_VERBS) as RuntimeVerb[];
const specOf = (name: RuntimeVerb): RuntimeVerbSpec => RUNTIME_VERBS[name];

/** A call of a verb with the first `count` of its arguments, one of them replaced. */
function verbCall(name: RuntimeVerb, count: number, at = -1, value = ""): string {
  const given = specOf(name).args.slice(0, count);
  const written = given.map((kind, i) => (i === at ? value : ARGUMENTS[kind].right));
  return `orcs.${name}(${written.join(", ")})`;
}

function verb(name: RuntimeVerb): Row {
  const { args, required } = specOf(name);
  const wrong = args.flatMap((kind, i) => {
    const given = Math.max(required, i + 1);
    const missing = i < required ? [["nil", ""] as const] : [];
    return [...ARGUMENTS[kind].wrong, ...missing].map(
      ([value, why]) =>
        [verbCall(name, given, i, value), `orcs.${name}: argument ${i + 1}${why}`] as const,
    );
  });
  return {
    call: `assert(${verbCall(name, args.length)}.verb == "${name}")`,
    waits: true,
    wrong: [[`orcs.${name}()`, `orcs.${name}: argument 1 must be`], ...wrong],
  };
}

const TABLE: Record<string, Row> = {
  ...Object.fromEntries(VERBS.map((name) => [name, verb(name)])),
  ...Object.fromEntries(Object.keys(TOOLS).map((name) => [name, path(name)])),
  get: {
    call: `orcs.get("read", { path = "x" }, { metadata = { m = 1 } })`,
    waits: true,
    wrong: [
      [`orcs.get()`, "orcs.get: argument 1 must be a string"],
      [`orcs.get({})`, "orcs.get: argument 1 must be a string"],
      [`orcs.get("x", print)`, "orcs.get: argument 2: the value is a function"],
      [`orcs.get("x", {}, 1)`, "orcs.get: argument 3 must be a table with string keys"],
      [`orcs.get("x", {}, { 1 })`, "orcs.get: argument 3 must be a table with string keys"],
      [
        `orcs.get("x", {}, { metadata = 1 })`,
        "orcs.get: argument 3 must be a table whose metadata is a table",
      ],
      [
        `orcs.get("x", {}, { metadata = { print } })`,
        "orcs.get: argument 3: the value/metadata/0 is a function",
      ],
    ],
  },
  exec_argv: {
    call: `orcs.exec_argv("git", { "log", "-1" }, { cwd = "x", metadata = { m = 1 } }) orcs.exec_argv("ls") orcs.exec_argv("ls", {})`,
    waits: true,
    wrong: [
      [`orcs.exec_argv()`, "orcs.exec_argv: argument 1 must be a string"],
      [`orcs.exec_argv({ "ls" })`, "orcs.exec_argv: argument 1 must be a string"],
      [`orcs.exec_argv("ls", "-l")`, "orcs.exec_argv: argument 2 must be a list of strings"],
      [`orcs.exec_argv("ls", { 1 })`, "orcs.exec_argv: argument 2 must be a list of strings"],
      [`orcs.exec_argv("ls", { a = "b" })`, "orcs.exec_argv: argument 2 must be a list of strings"],
      [`orcs.exec_argv("ls", {}, 1)`, "orcs.exec_argv: argument 3 must be a table with string"],
      [
        `orcs.exec_argv("ls", {}, { metadata = 1 })`,
        "orcs.exec_argv: argument 3 must be a table whose metadata is a table",
      ],
    ],
  },
  snapshot: {
    call: `orcs.snapshot("x")`,
    waits: true,
    wrong: [
      [`orcs.snapshot(1)`, "orcs.snapshot: argument 1 must be a string"],
      [`orcs.snapshot({})`, "orcs.snapshot: argument 1 must be a string"],
    ],
  },
  undo_point: { call: `orcs.undo_point()`, waits: true, wrong: [] },
  sleep: {
    call: `orcs.sleep(0)`,
    waits: true,
    wrong: [
      [`orcs.sleep()`, "orcs.sleep: argument 1 must be a number"],
      [`orcs.sleep("1")`, "orcs.sleep: argument 1 must be a number"],
      [`orcs.sleep(-1)`, "orcs.sleep: argument 1 must be milliseconds"],
      [`orcs.sleep(0/0)`, "orcs.sleep: argument 1 must be a finite number"],
      [`orcs.sleep(1/0)`, "orcs.sleep: argument 1 must be a finite number"],
    ],
  },
  log: {
    call: `orcs.log("info", "x") orcs.log("x") orcs.log(12) orcs.log({ a = print }) orcs.log("info", nil)`,
    wrong: [
      [`orcs.log()`, "orcs.log: argument 1 must be a value"],
      [`orcs.log("loud", "x")`, "orcs.log: argument 1 must be debug, info, warn or error"],
      [`orcs.log("constructor", "x")`, "orcs.log: argument 1 must be debug, info, warn or error"],
      [`orcs.log(print, "x")`, "orcs.log: argument 1 must be a string"],
    ],
  },
  inspect: {
    call: `assert(orcs.inspect({ 1, "a", x = { y = true } }) == '{ 1, "a", x = { y = true } }')
      assert(orcs.inspect("a\\n") == '"a\\\\n"' and orcs.inspect(nil) == "nil")`,
    wrong: [[`orcs.inspect()`, "orcs.inspect: argument 1 must be a value"]],
  },
  emit_output: {
    call: `orcs.emit_output("x")`,
    wrong: [
      [`orcs.emit_output()`, "orcs.emit_output: argument 1 must be a string"],
      [`orcs.emit_output({})`, "orcs.emit_output: argument 1 must be a string"],
    ],
  },
  json_encode: {
    call: `assert(orcs.json_encode({ 1 }) == "[1]" and orcs.json_encode() == "null")`,
    wrong: [
      [`orcs.json_encode(print)`, "orcs.json_encode: argument 1: the value is a function"],
      [`orcs.json_encode({ a = { 0/0 } })`, "orcs.json_encode: argument 1: the value/a/0 is NaN"],
      [`orcs.json_encode("\\xff")`, "orcs.json_encode: argument 1: the value is not valid UTF-8"],
      [
        `orcs.json_encode({ 1, x = 2 })`,
        "orcs.json_encode: argument 1: the value has both string keys and list indices",
      ],
    ],
  },
  json_decode: {
    call: `assert(orcs.json_decode("[1]")[1] == 1)`,
    wrong: [
      [`orcs.json_decode()`, "orcs.json_decode: argument 1 must be a string"],
      [`orcs.json_decode(1)`, "orcs.json_decode: argument 1 must be a string"],
      [`orcs.json_decode("")`, "orcs.json_decode: argument 1 must be valid JSON"],
      [`orcs.json_decode("{a:1}")`, "orcs.json_decode: argument 1 must be valid JSON"],
      [`orcs.json_decode("1 2")`, "orcs.json_decode: argument 1 must be valid JSON"],
      [`orcs.json_decode("\\xff")`, "orcs.json_decode: argument 1 must be a valid UTF-8 string"],
      [`orcs.json_decode(("["):rep(40) .. ("]"):rep(40))`, "nested deeper than 32 levels"],
    ],
  },
  uuid: { call: `assert(#orcs.uuid() == 36 and orcs.uuid() ~= orcs.uuid())`, wrong: [] },
  now_ms: { call: `assert(math.type(orcs.now_ms()) == "integer")`, wrong: [] },
  is_enforced: { call: "assert(orcs.is_enforced() == false)", wrong: [] },
  time: { call: `assert(math.type(orcs.time()) == "integer" and orcs.time() > 0)`, wrong: [] },
  date: {
    call: `assert(orcs.date("!%F %R", 60) == "1970-01-01 00:01" and orcs.date("!*t", 0).year == 1970 and #orcs.date() == 19)`,
    wrong: [
      [`orcs.date(1)`, "orcs.date: argument 1 must be a string"],
      [`orcs.date("%Y %Q")`, "orcs.date: argument 1 must be a format without %Q"],
      [`orcs.date("%Y", "x")`, "orcs.date: argument 2 must be a number"],
      [`orcs.date("%Y", 1e300)`, "argument 2 must be seconds since 1970, up to the year 9999"],
    ],
  },
  contains: {
    call: `assert(orcs.contains("abc", "b") and not orcs.contains("abc", "x") and orcs.contains({ 1, 2 }, 2) and not orcs.contains({}, 1))`,
    wrong: [
      [`orcs.contains()`, "orcs.contains: argument 1 must be a string"],
      [`orcs.contains("x")`, "orcs.contains: argument 2 must be a string"],
      [`orcs.contains("x", 1)`, "orcs.contains: argument 2 must be a string"],
      [`orcs.contains(1, 1)`, "orcs.contains: argument 1 must be a string"],
    ],
  },
  starts_with: {
    call: `assert(orcs.starts_with("abc", "ab") and orcs.starts_with("a", "") and not orcs.starts_with("a", "ab"))`,
    wrong: [
      [`orcs.starts_with("x")`, "orcs.starts_with: argument 2 must be a string"],
      [`orcs.starts_with({}, "x")`, "orcs.starts_with: argument 1 must be a string"],
    ],
  },
  glob_match: {
    call: `assert(orcs.glob_match("x", "x") and not orcs.glob_match("x", "y"))`,
    wrong: [
      [`orcs.glob_match("x")`, "orcs.glob_match: argument 2 must be a string"],
      [`orcs.glob_match(1, "x")`, "orcs.glob_match: argument 1 must be a string"],
    ],
  },
  redact: {
    call: `assert(orcs.redact("password=hunter2") == "password=[redacted]" and orcs.redact({ token = "x" }).token == "[redacted]" and orcs.redact() == nil)`,
    wrong: [
      [`orcs.redact("\\xff")`, "orcs.redact: argument 1 must be a valid UTF-8 string"],
      [`orcs.redact(print)`, "orcs.redact: argument 1"],
      [`orcs.redact({ print })`, "orcs.redact: argument 1"],
    ],
  },
  shell: {
    call: `local rm = orcs.shell("cd x && rm -r 'a b' $Y > z")[2]
      assert(rm.program == "rm" and #rm.argv == 4 and rm.argv[3] == "a b" and rm.unknown[1] == 4)
      assert(rm.redirects[1].op == ">" and rm.redirects[1].target == "z" and rm.dynamic and not rm.opaque)
      local ls = orcs.shell({ "sh", "-c", "ls" }, "/w")[2]
      assert(ls.argv[1] == "ls" and ls.via[1] == "sh" and ls.cwd == "/w")
      assert(orcs.json_encode(orcs.shell("")) == "[]" and orcs.json_encode(orcs.shell("ls")[1].via) == "[]")`,
    wrong: [
      [`orcs.shell()`, "orcs.shell: argument 1 must be a string or a list of strings"],
      [`orcs.shell(1)`, "orcs.shell: argument 1 must be a string or a list of strings"],
      [`orcs.shell({})`, "orcs.shell: argument 1 must be a string or a list of strings"],
      [`orcs.shell({ "ls", 1 })`, "orcs.shell: argument 1 must be a string or a list of strings"],
      [`orcs.shell({ "ls", print })`, "orcs.shell: argument 1: the value/1 is a function"],
      [`orcs.shell("\\xff")`, "orcs.shell: argument 1 must be a valid UTF-8 string"],
      [`orcs.shell("ls", 1)`, "orcs.shell: argument 2 must be a string"],
    ],
  },
  tool_names: {
    call: `assert(table.concat(orcs.tool_names({ tool_name = "Bash", args = {} }), " ") == "Bash exec")
      local call = { tool_name = "exec", args = {}, host = { tool_name = "Shell" } }
      assert(table.concat(orcs.tool_names({ payload = call }), " ") == "exec Shell")`,
    wrong: [
      [`orcs.tool_names()`, "orcs.tool_names: argument 1 must be"],
      [`orcs.tool_names({})`, "orcs.tool_names: argument 1 must be"],
    ],
  },
  only_reads: {
    call: `local test = orcs.only_reads({ programs = { "cut", "git/s*" }, given = { "sed" }, says = { "todo" }, names = { ".env", "*.pem" } })
      local function reads(line) return test({ tool_name = "exec", args = { command = line }, cwd = "/w" }) end
      assert(reads("cat a | head") and reads("git log") and reads("grep -r x b") and reads("sed s/a/b/") and reads("cat .envy"))
      assert(not reads("cut -c1 a") and not reads("git status") and not reads("sed s/a/b/ c") and not reads("grep TODO a"))
      assert(not reads("cat .env") and not reads("cat a.pem.bak") and not reads("cat .env.local") and not reads("cat $X"))
      assert(not reads("cat a > b") and not reads("rm a") and not reads("unknown") and not reads("cat a; fi") and not reads("./cat a"))
      assert(not reads("grep -r . .") and not reads("sudo cat a") and not reads("curl a") and not reads("cat *"))
      assert(not test({ tool_name = "read", args = { path = "a" }, cwd = "/w" }))
      assert(not test({ payload = { tool_name = "exec", args = { command = "ls", path = "a" } } }))`,
    wrong: [
      [`orcs.only_reads()`, "orcs.only_reads: argument 1 must be"],
      [`orcs.only_reads({ program = { "a" } })`, "orcs.only_reads: argument 1 must be"],
      [`orcs.only_reads({ says = { 1 } })`, "orcs.only_reads: argument 1 must be"],
    ],
  },
  name_rules: {
    call: `local rules = orcs.name_rules({ ".env.*", ".aws/credentials", ".ssh/" })
      assert(rules:match("/w/.ENV.local") == ".env.*" and rules:match(".e*") == ".env.*" and rules:match("*") == nil)
      assert(rules:below(".aws") == nil and rules:below(".aws", true) == ".aws/credentials" and rules:below("x/.aws", true, true) == nil)
      assert(rules:matters("/w/.ssh") and not rules:matters("/w"))`,
    wrong: [
      [`orcs.name_rules()`, "orcs.name_rules: argument 1 must be a list of strings"],
      [`orcs.name_rules({ 1 })`, "orcs.name_rules: argument 1 must be a list of strings"],
      [`orcs.name_rules({ ".env" }):match(1)`, "must be a string"],
    ],
  },
  effects: {
    call: `local found, unread = orcs.effects({ tool_name = "exec", args = { command = "rm -r a" }, cwd = "/w" })
      assert(unread == nil and found[#found].kind == "remove" and found[#found].target == "/w/a" and found[#found].recursive)
      assert(select(2, orcs.effects({ tool_name = "exec", args = { command = "fi" } })) ~= nil)`,
    wrong: [
      [`orcs.effects()`, "orcs.effects: argument 1 must be"],
      [`orcs.effects("ls")`, "orcs.effects: argument 1 must be"],
      [`orcs.effects({ args = { print } })`, "orcs.effects: argument 1"],
    ],
  },
  runs: {
    call: `assert(orcs.runs("cd x && sudo git -C y push -f", "git push --force") and not orcs.runs("git push", "git push --force"))
      assert(orcs.runs("rm -R x", { "git push", "rm -r*" }) and not orcs.runs("echo rm -r x", { "rm -r*" }))
      assert(orcs.runs({ "sh", "-c", "$X" }, "?") and not orcs.runs({ "echo", "$X" }, "?") and not orcs.runs("", "ls"))
      assert(orcs.runs({ "rm -r x" }, "rm -r") and not orcs.runs({ "echo", "rm -r x" }, "rm -r"))`,
    wrong: [
      [`orcs.runs()`, "orcs.runs: argument 1 must be a string or a list of strings"],
      [`orcs.runs({}, "ls")`, "orcs.runs: argument 1 must be a string or a list of strings"],
      [
        `orcs.runs({ "ls", 1 }, "ls")`,
        "orcs.runs: argument 1 must be a string or a list of strings",
      ],
      [`orcs.runs("\\xff", "ls")`, "orcs.runs: argument 1 must be a valid UTF-8 string"],
      [`orcs.runs("ls")`, "orcs.runs: argument 2 must be a string or a list of strings"],
      [`orcs.runs("ls", {})`, "orcs.runs: argument 2 must be a string or a list of strings"],
      [
        `orcs.runs("ls", { "ls", false })`,
        "orcs.runs: argument 2 must be a string or a list of strings",
      ],
      [`orcs.runs("ls", "ls | cat")`, "'|' separates commands"],
      [`orcs.runs("ls", "")`, "it does not begin with a program name"],
    ],
  },
  shell_replace: {
    call: `local line = "echo 'npm install' && npm install"
      local command = orcs.shell(line, nil, { spans = true })[2]
      assert(orcs.shell_replace(line, { { command.spans[2], "ci" } }) == "echo 'npm install' && npm ci")`,
    wrong: [
      [`orcs.shell_replace()`, "orcs.shell_replace: argument 1 must be a string"],
      [`orcs.shell_replace("x")`, "argument 2 must be a list of edits { span, word }"],
      [`orcs.shell_replace("x", { 1 })`, "an edit is { span, word }, with a span of orcs.shell"],
      [`orcs.shell_replace("x", { { false, "y" } })`, "an edit is { span, word }"],
      [`orcs.shell_replace("x", { { { 1, 1 } } })`, "the new word of an edit is a text"],
      [`orcs.shell_replace("x", { { { 1, 2 }, "y" } })`, "is not one of the line"],
      [`orcs.shell_replace("\xc3\xa9", { { { 1, 1 }, "y" } })`, "is not one of the line"],
      [`orcs.shell({ "ls" }, nil, { spans = true })`, "a list of words has no spans"],
    ],
  },
  transcript_usage: {
    call: `assert(orcs.transcript_usage("/no such/x.jsonl") == nil)`,
    wrong: [
      [`orcs.transcript_usage()`, "orcs.transcript_usage: argument 1 must be a string"],
      [`orcs.transcript_usage("x", 1)`, "orcs.transcript_usage: argument 2 must be a table"],
    ],
  },
  real_path: {
    call: `assert(orcs.real_path("/") == "/" and orcs.real_path("no such/x", "/") == "/no such/x")`,
    wrong: [
      [`orcs.real_path()`, "orcs.real_path: argument 1 must be a string"],
      [`orcs.real_path({})`, "orcs.real_path: argument 1 must be a string"],
      [`orcs.real_path("\\xff")`, "orcs.real_path: argument 1 must be a valid UTF-8 string"],
      [`orcs.real_path("x", {})`, "orcs.real_path: argument 2 must be a string"],
      [`orcs.real_path("x\\0")`, "contains a NUL byte"],
      [`orcs.real_path(("x"):rep(5000))`, "is too long for a path"],
    ],
  },
  array: {
    call: `assert(orcs.json_encode(orcs.array()) == "[]" and #orcs.array{ 1 } == 1)`,
    wrong: [
      [`orcs.array(1)`, "orcs.array: expected a table"],
      [`orcs.array("x")`, "orcs.array: expected a table"],
      [`orcs.array(setmetatable({}, { __metatable = "locked" }))`, "protected metatable"],
    ],
  },
  "state.get": {
    call: `assert(orcs.state.get("nobody wrote this") == nil)`,
    wrong: [
      [`orcs.state.get()`, "orcs.state.get: argument 1 must be a string"],
      [`orcs.state.get({})`, "orcs.state.get: argument 1 must be a string"],
    ],
  },
  "state.set": {
    call: `orcs.state.set("k", { 1 }) assert(orcs.state.get("k")[1] == 1) orcs.state.set("k", nil) assert(orcs.state.get("k") == nil)`,
    wrong: [
      [`orcs.state.set()`, "orcs.state.set: argument 1 must be a string"],
      [`orcs.state.set(1, 1)`, "orcs.state.set: argument 1 must be a string"],
      [`orcs.state.set("k", print)`, "orcs.state.set: argument 2: the value is a function"],
    ],
  },
  "state.delete": {
    call: `orcs.state.set("k", 1) assert(orcs.state.delete("k") == true and orcs.state.delete("k") == false)`,
    wrong: [[`orcs.state.delete()`, "orcs.state.delete: argument 1 must be a string"]],
  },
  "state.compare_and_set": {
    call: `orcs.state.delete("c") assert(orcs.state.compare_and_set("c", nil, { a = 1 }) and not orcs.state.compare_and_set("c", nil, 2) and orcs.state.compare_and_set("c", { a = 1 }, orcs.null) and orcs.state.compare_and_set("c", orcs.null) and orcs.state.get("c") == nil)`,
    wrong: [
      [`orcs.state.compare_and_set()`, "orcs.state.compare_and_set: argument 1 must be a string"],
      [
        `orcs.state.compare_and_set("c", print)`,
        "orcs.state.compare_and_set: argument 2: the value is a function",
      ],
      [
        `orcs.state.compare_and_set("c", 1, print)`,
        "orcs.state.compare_and_set: argument 3: the value is a function",
      ],
    ],
  },
  "state.incr": {
    call: `orcs.state.delete("n") assert(orcs.state.incr("n") == 1 and orcs.state.incr("n", 2) == 3 and orcs.state.incr("n", -1, 1000) == 2)`,
    wrong: [
      [`orcs.state.incr()`, "orcs.state.incr: argument 1 must be a string"],
      [`orcs.state.incr("n", "x")`, "orcs.state.incr: argument 2 must be a number"],
      [`orcs.state.incr("n", 1, {})`, "orcs.state.incr: argument 3 must be a number"],
      [`orcs.state.set("text", "x") orcs.state.incr("text")`, 'state "text" is not a number'],
      [`orcs.state.incr("n", 0/0)`, "orcs.state.incr: argument 2 must be a finite number"],
    ],
  },
  hook: {
    call: `assert(type(orcs.hook{ id = "made" .. orcs.uuid(), point = "bus.on_register", handler = print }) == "string")`,
    wrong: [
      [`orcs.hook()`, "orcs.hook: expected a table with point and handler"],
      [`orcs.hook(1)`, "orcs.hook: expected a table with point and handler"],
      [`orcs.hook({})`, "orcs.hook: the hook has no handler function"],
      [`orcs.hook{ handler = 1 }`, "orcs.hook: the hook has no handler function"],
      [`orcs.hook{ 1, handler = print }`, "orcs.hook: the table has a key that is not a string"],
      [`orcs.hook{ match = print, handler = print }`, "match is a function"],
      [`orcs.hook("*::*:tool.pre_execute")`, "orcs.hook: argument 2 must be a function"],
      [`orcs.hook("*::*:tool.pre_execute", {})`, "orcs.hook: argument 2 must be a function"],
    ],
  },
  unhook: {
    call: `assert(orcs.unhook("nobody") == false)`,
    wrong: [
      [`orcs.unhook()`, "orcs.unhook: argument 1 must be a string"],
      [`orcs.unhook(print)`, "orcs.unhook: argument 1 must be a string"],
    ],
  },
  deny: {
    call: `assert(orcs.deny("r").action == "abort" and orcs.deny("r").reason == "r")`,
    wrong: [],
  },
  allow: { call: `assert(orcs.allow("r").decision == "allow")`, wrong: [] },
  ask: { call: `assert(orcs.ask("r").decision == "ask")`, wrong: [] },
  skip: { call: `assert(orcs.skip(1).result == 1 and orcs.skip().result == orcs.null)`, wrong: [] },
  replace: {
    call: `assert(orcs.replace(1).result == 1 and orcs.replace().result == orcs.null)`,
    wrong: [],
  },
  retry: { call: `assert(orcs.retry(5).delay_ms == 5)`, wrong: [] },
  inject: { call: `assert(orcs.inject("t").inject == "t")`, wrong: [] },
};

/** Fields of `orcs` that are not functions. */
const VALUES = ["null", "options", "state"];

const modules: Record<string, string> = {};
let rig: Rig;
let count = 0;
beforeAll(async () => {
  rig = await createRig({ modules, verb: async (name) => ({ ok: true, verb: name }) });
  rig.script(
    `return { point = "prompt.pre_submit", handler = function(ctx) ctx.payload.prompt = "alive" end }`,
  );
});

/** What a call comes to in a place; afterwards the VM is alive. */
async function callAt(place: Place, call: string): Promise<unknown> {
  modules["m"] = call;
  const ids = rig.script(
    PLACES[place].replace("CALL", () => call),
    `call${++count}.lua`,
  );
  const outcome = await rig.call({});
  for (const id of ids) rig.registry.unregister(id);
  for (const hook of rig.registry.list("bus.on_register")) rig.registry.unregister(hook.id);
  expect(outcome.action).toBe("continue");
  const other = await rig.dispatch("prompt.pre_submit", { prompt: "" });
  expect(other.ctx.payload).toMatchObject({ prompt: "alive" });
  return outcome.ctx.metadata["why"];
}

test("the Lua API table lists every orcs function", async () => {
  const rig = await createRig();
  rig.script(`return function(ctx)
    local names = {}
    for k in pairs(orcs) do names[#names + 1] = k end
    for k in pairs(orcs.state) do names[#names + 1] = "state." .. k end
    return orcs.skip(names)
  end`);
  const outcome = await rig.call({});
  const { result } = outcome as unknown as { result: string[] };
  expect(result.toSorted()).toEqual([...Object.keys(TABLE), ...VALUES].toSorted());
});

describe.each(Object.keys(TABLE))("orcs.%s", (name) => {
  const { call, waits, wrong } = TABLE[name] as Row;

  test.each(Object.keys(PLACES) as Place[])("%s", async (place) => {
    const why = await callAt(place, call);
    if (waits && place === "loading") {
      expect(why).toContain(`orcs.${name} cannot be called while a script is loading`);
    } else if (waits && NO_WAIT.includes(place)) {
      expect(why).toContain(`orcs.${name} cannot wait here`);
    } else expect(why).toBe(true);
  });

  if (wrong.length > 0) {
    test.each(wrong)("%s", async (mistake, message) => {
      expect(await callAt("handler", mistake)).toContain(message);
    });
  }

  test("rejects a thousand and more arguments", async () => {
    const why = await callAt(
      "handler",
      `local t = {} for i = 1, 1000 do t[i] = "x" end
       for _, n in ipairs{ 1000, 100000 } do
         for i = 1, n do t[i] = "x" end
         local ok, e = pcall(orcs.${name}, table.unpack(t))
         assert(ok or type(e) == "string")
       end`,
    );
    expect(why).toBe(true);
  });

  test("names its position in an error", async () => {
    const [mistake] = wrong;
    if (!mistake || name === "array") return;
    const ids = rig.script(`return function(ctx)\n\n  ${mistake[0]}\nend`, `place${++count}.lua`);
    const outcome = await rig.call({});
    for (const id of ids) rig.registry.unregister(id);
    expect(outcome).toMatchObject({ reason: expect.stringContaining(`place${count}.lua:3: `) });
  });
});

describe("short forms of orcs.get", () => {
  test.each<[string, string, unknown]>([
    [`orcs.exec("ls")`, "exec", { command: "ls" }],
    [`orcs.exec{ command = "ls", cwd = "/" }`, "exec", { command: "ls", cwd: "/" }],
    [`orcs.write("p", "c")`, "write", { path: "p", content: "c" }],
    [`orcs.mv("a", "b")`, "mv", { from: "a", to: "b" }],
    [`orcs.grep("x")`, "grep", { pattern: "x" }],
    [`orcs.glob(nil, "p")`, "glob", { path: "p" }],
    [`orcs.exec()`, "exec", {}],
    [`orcs.exec(ctx.payload.args)`, "exec", { a: [1, null] }],
    [`orcs.get("own.kind")`, "own.kind", null],
    [`orcs.get("own.kind", "bare")`, "own.kind", "bare"],
    [`orcs.get("own.kind", orcs.null)`, "own.kind", null],
  ])("%s", async (call, kind, arg) => {
    const calls: unknown[] = [];
    const rig = await createRig({
      tool: async (...got) => {
        calls.push(got);
        return { ok: true, n: 1 };
      },
    });
    rig.script(`return function(ctx) local r = ${call} assert(r.ok and r.n == 1) end`);
    expect((await rig.call({ a: [1, null] })).action).toBe("continue");
    expect(calls).toEqual(
      [[kind, arg ?? undefined, 1]].map(([k, a, d]) => [
        k,
        arg === null && call.includes("null") ? null : a,
        d,
      ]),
    );
  });

  test("return a denial and a tool's error", async () => {
    const rig = await createRig({
      tool: async (kind) => {
        if (kind === "exec") return { ok: false, error: "denied by hook x: no" };
        throw new Error("the tool broke");
      },
    });
    rig.script(`return function(ctx)
      local r = orcs.exec("ls") assert(not r.ok and r.error == "denied by hook x: no")
      orcs.read("x")
    end`);
    expect(await rig.call({})).toMatchObject({
      action: "abort",
      reason: expect.stringContaining("the tool broke"),
    });
  });

  test("give the tool its own copy of the arguments", async () => {
    let given: { list: number[] } | undefined;
    const rig = await createRig({
      tool: async (_, arg) => {
        given = arg as unknown as { list: number[] };
        given.list.push(9);
        return { ok: true };
      },
    });
    rig.script(
      `return function(ctx) orcs.exec(ctx.payload.args) assert(#ctx.payload.args.list == 1) end`,
    );
    const list = [1];
    expect((await rig.call({ list })).action).toBe("continue");
    expect(list).toEqual([1]);
    expect(given?.list).toEqual([1, 9]);
  });
});

describe("runtime functions in Lua", () => {
  test.each(VERBS)(
    "%s passes the given arguments, with undefined for omitted ones",
    async (name) => {
      const { args, required } = specOf(name);
      const asked: unknown[] = [];
      const rig = await createRig({
        verb: async (...of) => {
          asked.push(of.slice(0, 2));
          return { ok: false, error: "refused" };
        },
      });
      rig.script(`return function(ctx)
      local few, all = ${verbCall(name, required)}, ${verbCall(name, args.length)}
      assert(not few.ok and few.error == "refused" and all.error == "refused")
    end`);
      expect((await rig.call({})).action).toBe("continue");
      const given = args.map((kind) => ARGUMENTS[kind].json);
      const few = given.map((value, i) => (i < required ? value : undefined));
      expect(asked).toEqual([
        [name, few],
        [name, given],
      ]);
    },
  );

  test.each(VERBS)("%s raises an error outside the runtime", async (name) => {
    const rig = await createRig();
    rig.script(`return function() ${verbCall(name, specOf(name).required)} end`, "out.lua");
    expect(await rig.call({})).toMatchObject({
      reason: expect.stringContaining(
        `out.lua:1: orcs.${name} is only available in the runtime: run the script with orcs run, or as a component`,
      ),
    });
  });

  test("an error, and a cancelled call", async () => {
    const signals: AbortSignal[] = [];
    const rig = await createRig({
      verb: (name, _, signal) => {
        if (name === "emit_event") throw new Error("the runtime broke");
        signals.push(signal);
        return new Promise(() => undefined);
      },
      timeoutMs: 50,
    });
    rig.script(`return function(ctx)
      if ctx.payload.args.emit then orcs.emit_event("A", "b") end
      orcs.request("a", "b")
    end`);
    expect(await rig.call({ emit: true })).toMatchObject({
      reason: expect.stringContaining("the runtime broke"),
    });
    expect(await rig.call({})).toMatchObject({ reason: expect.stringContaining("after 50 ms") });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });
});

test("scripts of one engine share orcs.state, which stores copies", async () => {
  const rig = await createRig();
  rig.script(`return function(ctx)
    orcs.state.set("list", ctx.payload.args.list)
    local kept = orcs.state.get("list") kept[1] = "changed"
    assert(orcs.state.get("list")[1] == 1)
  end`);
  const list = [1];
  await rig.call({ list });
  list[0] = 2;
  rig.script(
    `return { point = "prompt.pre_submit", handler = function(ctx) ctx.metadata.list = orcs.state.get("list") end }`,
  );
  const outcome = await rig.dispatch("prompt.pre_submit", { prompt: "" });
  expect(outcome.ctx.metadata).toEqual({ list: [1] });
});
