import { expect, test } from "vitest";
import { rig } from "../runtime/rig.ts";
import { folder, open } from "./engine.ts";

/** What a program returns that has required `orcs.compat`, or the error of it. */
async function run(code: string, files: Record<string, string> = {}): Promise<unknown> {
  const cwd = folder({ "p.lua": `require "orcs.compat"\n${code}`, ...files });
  const orcs = await open({ cwd, config: { permissions: { root: "." } } });
  return orcs.run("p.lua");
}

const TOML = `title = "a \\"b\\" \\u00e9"  # comment
n = 1_000
f = -0.5
when = 1979-05-27T07:32:00Z
text = """
one \\
  two
three"""
raw = 'C:\\new'
list = [ 1, [ "x" ], { a = true },
]
[a.b]
"q k" = false
[[items]]
name = "first"
[items.sub]
deep = 1
[[items]]
name = "second"
`;

test("TOML is read, and what is written is read again", async () => {
  const read = {
    title: 'a "b" é',
    n: 1000,
    f: -0.5,
    when: "1979-05-27T07:32:00Z",
    text: "one two\nthree",
    raw: "C:\\new",
    list: [1, ["x"], { a: true }],
    a: { b: { "q k": false } },
    items: [{ name: "first", sub: { deep: 1 } }, { name: "second" }],
  };
  const files = { "a.toml": TOML };
  expect(await run('return orcs.toml_parse(orcs.read("a.toml").content)', files)).toEqual(read);
  const again =
    'local t = orcs.toml_parse(orcs.read("a.toml").content) return orcs.toml_parse(orcs.toml_encode(t))';
  expect(await run(again, files)).toEqual(read);
  for (const wrong of [
    "a = ",
    "a 1",
    "a = 1 b = 2",
    "a = 1\na = 2",
    'a = "x',
    "[a",
    "a = [1 2]",
    "a = 1x",
  ]) {
    const said = await run(
      `local ok, why = pcall(orcs.toml_parse, ${JSON.stringify(wrong)}) return { ok, why }`,
    );
    expect(said).toEqual([false, expect.stringMatching(/^TOML, line \d: /) as string]);
  }
});

test("front matter in YAML and TOML", async () => {
  const yaml = `---
name: deploy   # the name
tags: [a, "b c"]
on: true
empty:
steps:
  - run: make
    with:
      level: 2
  - run: test
list:
- x
text: |
  one
  two
---
# Body
`;
  expect(await run(`return orcs.parse_frontmatter("SKILL.md")`, { "SKILL.md": yaml })).toEqual({
    format: "yaml",
    body: "# Body\n",
    frontmatter: {
      name: "deploy",
      tags: ["a", "b c"],
      on: true,
      steps: [{ run: "make", with: { level: 2 } }, { run: "test" }],
      list: ["x"],
      text: "one\ntwo",
    },
  });
  expect(await run('return orcs.parse_frontmatter_str("+++\\na = 1\\n+++\\nx")')).toEqual({
    format: "toml",
    body: "x",
    frontmatter: { a: 1 },
  });
  expect(await run('return orcs.parse_frontmatter_str("plain")')).toEqual({ body: "plain" });
  expect(await run('return orcs.parse_frontmatter("none.md").ok')).toBe(false);
});

test.each<[string, unknown]>([
  ['return orcs.json_parse("[1]")', [1]],
  ['return orcs.load_lua("return 1 + ...", "x")', null],
  [
    "return orcs.load_lua(\"return { type(orcs), type(require), string.rep('a', 2) }\")",
    ["nil", "nil", "aa"],
  ],
  [
    'return orcs.sanitize_arg("a\\nb")',
    { ok: false, error: "not allowed: control", violations: ["control"] },
  ],
  ['return orcs.sanitize_path("src/a.lua")', { ok: true, value: "src/a.lua" }],
  ['return orcs.sanitize_path("../x").violations', ["traversal"]],
  ['return orcs.sanitize_path("/etc").violations', ["absolute"]],
  ['return orcs.sanitize_strict("$(x) *").violations', ["shell_meta", "env_expansion", "glob"]],
  [
    'return orcs.glob_match({ "*.lua" }, { "a.lua", "b.ts" })',
    { matched: ["a.lua"], unmatched: ["b.ts"] },
  ],
  ['return orcs.dispatch("write", { path = "x", content = "ab" }).ok', true],
  ['return orcs.write("y", "ab").bytes_written', 2],
  ["return orcs.git_info().ok", false],
  [
    "return { #orcs.tool_schemas(), orcs.tool_descriptions():match('[^\\n]+') }",
    [9, "read(path): Read a text file"],
  ],
  [
    `orcs.register_intent { name = "say", description = "d", component = "a::b", params = { t = { type = "string", required = true } } }
     local defs = orcs.intent_defs() return { orcs.register_intent({ name = "say" }).ok, defs[#defs] }`,
    [
      false,
      {
        name: "say",
        description: "d",
        parameters: { type: "object", properties: { t: { type: "string" } }, required: ["t"] },
      },
    ],
  ],
  ["return { orcs.child_count(), orcs.max_children() }", [0, 64]],
  ["return orcs.llm_ping().error_kind", "invalid_options"],
])("%s", async (code, expected) => {
  const result = run(code);
  if (expected === null) await expect(result).rejects.toThrow(/attempt to perform arithmetic/);
  else expect(await result).toEqual(expected);
});

test("orcs.pwd, output, and what orcs does not keep", async () => {
  const cwd = folder({
    "p.lua": `local orcs = require "orcs.compat"
orcs.output("one") orcs.output_with_level("two", "warn")
return { orcs.pwd, select(2, pcall(orcs.board_recent, 3)) }`,
  });
  const said: string[] = [];
  const orcs = await open({
    cwd,
    config: { permissions: { root: "." } },
    output: (text) => void said.push(text),
  });
  expect(await orcs.run("p.lua")).toEqual([
    cwd,
    "orcs.board_recent is not available: orcs keeps neither a board nor sessions of models",
  ]);
  expect(said).toEqual(["one", "two"]);
});

test("runners, requests and children have the published forms", async () => {
  const cwd = folder({
    "c.lua": `require "orcs.compat"
return { id = "c", description = "x", on_request = function(request)
  local runner = orcs.spawn_runner {
    id = "r",
    globals = { _factor = { by = 2, name = "it's\\n" } },
    script = [[return { id = "x", on_request = function(request)
      return { success = true, data = { request.payload.n * _factor.by, request.operation, _factor.name } } end }]],
  }
  local one = orcs.request(runner.fqn, "double", { n = 4 })
  local batch = orcs.send_to_children_batch({ "r" }, { { operation = "b", payload = { n = 1 } } })
  local unknown = orcs.request("a::nobody", "x")
  return { success = true, data = { one.success, one.data, batch[1].result.data[1], orcs.child_count(), unknown.success } }
end }`,
  });
  const { runtime } = await rig({ realTime: true, cwd });
  await runtime.spawnScript("c.lua");
  expect(await runtime.request("lua::c", "x")).toEqual({
    success: true,
    data: [true, [8, "double", "it's\n"], 2, 1, false],
  });
});
