import { optionUnits, tableUnits } from "../../../../bench/mutants/verdict-table.ts";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { MutationOptions } from "../../../../src/engine/testing/mutation/mutation-run.ts";
import { runMutants } from "../../../../src/engine/testing/mutation/mutation-run.ts";
import { folder } from "../orcs/engine.ts";
import { script } from "./rig.ts";

/** Limits that only an endless loop reaches. */
const LIMITS = { lua: { max_run_ms: 300, max_chain_ms: 2000 } };

async function mutate(files: Record<string, string>, options: Partial<MutationOptions> = {}) {
  const config = "orcs.toml" in files ? "orcs.toml" : {};
  const report = await runMutants({ cwd: folder(files), config, overrides: LIMITS, ...options });
  const survivors = report.survivors.map(
    ({ file, line, from, to, tests }) => `${file}:${line} ${from} → ${to} (${tests})`,
  );
  return { ...report, survivors, scores: report.files };
}

function mutateScript(handler: string, tests: string, more = "") {
  return mutate({ "hooks/h.lua": script(handler, tests, more) }, { files: ["hooks/h.lua"] });
}

const LIMIT = `local n = ctx.payload.args.n
    if n > 3 then
      return orcs.deny("too many")
    end`;

const expects = (n: number, action: string): string =>
  `{ "${n}", event = { tool = "x", args = { n = ${n} } }, expect = { action = "${action}" } },`;

describe("orcs test --mutate", () => {
  test("complete tests have no survivors", async () => {
    const { survivors, scores, tests } = await mutateScript(
      LIMIT,
      [expects(3, "continue"), expects(4, "abort")].join("\n"),
    );
    expect(survivors).toEqual([]);
    expect(scores).toEqual([{ file: "hooks/h.lua", mutants: 7, killed: 7 }]);
    expect(tests).toBe(2);
  });

  test("a test beside the boundary leaves the boundary", async () => {
    const { survivors } = await mutateScript(
      LIMIT,
      [expects(1, "continue"), expects(9, "abort")].join("\n"),
    );
    expect(survivors).toEqual(["hooks/h.lua:7 n > 3 → n >= 3 (2)", "hooks/h.lua:7 3 → 4 (2)"]);
  });

  test("a line that no test runs survives without a run", async () => {
    const { survivors } = await mutateScript(LIMIT, expects(3, "continue"));
    expect(survivors).toEqual([
      "hooks/h.lua:7 n > 3 → false (1)",
      "hooks/h.lua:7 3 → 4 (1)",
      'hooks/h.lua:8 orcs.deny("too many") → orcs.ask("too many") (0)',
      'hooks/h.lua:8 orcs.deny("too many") → nil (0)',
    ]);
  });

  test("only the wanted mutants are run", async () => {
    const handler = [expects(3, "continue"), expects(4, "abort")].join("\n");
    const asked: string[] = [];
    const { scores, found } = await mutate(
      { "hooks/h.lua": script(LIMIT, handler, "") },
      {
        files: ["hooks/h.lua"],
        wanted: (file, { from, to }) => {
          asked.push(file);
          return from === "3" && to === "4";
        },
      },
    );
    expect(new Set(asked)).toEqual(new Set(["hooks/h.lua"]));
    expect(scores).toEqual([{ file: "hooks/h.lua", mutants: 1, killed: 1 }]);
    expect(found).toBe(1);
  });

  test("a test that expects too little is found", async () => {
    const { survivors } = await mutateScript(
      'ctx.metadata.seen = true\n    return orcs.ask("sure?")',
      '{ "asks", event = { tool = "x" }, expect = { action = "continue" } },',
    );
    expect(survivors).toEqual([
      "hooks/h.lua:6 ctx.metadata.seen = true → (nothing) (1)",
      "hooks/h.lua:6 true → false (1)",
      'hooks/h.lua:7 orcs.ask("sure?") → nil (1)',
    ]);
  });

  test("an endless loop counts as noticed", async () => {
    const { survivors, scores } = await mutateScript(
      'local n = 0\n    while n < 3 do n = n + 1 end\n    if n == 3 then return orcs.deny("x") end',
      '{ "denies", event = { tool = "x" }, expect = { action = "abort" } },',
    );
    expect(survivors).toEqual([
      // Neither makes a difference: the loop ends at 3.
      "hooks/h.lua:6 0 → 1 (1)",
      "hooks/h.lua:8 n == 3 → true (1)",
    ]);
    expect(scores[0]?.mutants).toBeGreaterThan(8);
  });

  test("modules of the project are changed with all tests that run them, those of orcs are not", async () => {
    const guard = (id: string, n: number) => `local lib = require("lib")
local read = require("file_guard.path")
return { id = "${id}", point = "tool.pre_execute",
  handler = function(ctx) if lib.is_bad(ctx.payload.args.n) then return orcs.deny("no") end end,
  tests = { ${expects(n, n > 3 ? "abort" : "continue")} } }`;
    const files = {
      "orcs.toml": '[[hooks]]\nscript = "a.lua"\n[[hooks]]\nscript = "b.lua"\n',
      "hooks/a.lua": guard("a", 3),
      "hooks/b.lua": guard("b", 4),
      "hooks/lib.lua": "local M = {}\nfunction M.is_bad(n)\n  return n > 3\nend\nreturn M\n",
    };
    const both = await mutate(files);
    expect(both.scores.map(({ file }) => file).sort()).toEqual([
      "hooks/a.lua",
      "hooks/b.lua",
      "hooks/lib.lua",
    ]);
    expect(both.survivors.filter((at) => at.includes("lib.lua"))).toEqual([]);
    const one = await mutate(files, { files: ["hooks/a.lua"] });
    expect(one.survivors.filter((at) => at.includes("lib.lua"))).toEqual([
      "hooks/lib.lua:3 n > 3 → nil (1)",
      "hooks/lib.lua:3 3 → 4 (1)",
    ]);
  });

  test("inline handlers and test files count as well", async () => {
    const { survivors, scores } = await mutate({
      "orcs.toml": `[[hooks]]
id = "inline"
point = "tool.pre_execute"
handler_inline = '''
if ctx.payload.args.n == 1 then
  return orcs.deny("é")
end
'''
[[hooks.tests]]
name = "one"
event = { tool = "x", args = { n = 1 } }
expect = { action = "abort" }
[[hooks]]
script = "s.lua"
`,
      "hooks/s.lua": `return { id = "s", point = "tool.pre_execute", handler = function(ctx)
  if ctx.payload.args.n == 2 then
    return orcs.deny("two")
  end
end }`,
      "hooks/s_test.lua": `local s = orcs.test.load("s.lua")
it("denies two", function() assert.equal("abort", s:dispatch({ tool = "x", args = { n = 2 } }).action) end)
it("lets one be", function() assert.equal("continue", s:dispatch({ tool = "x", args = { n = 1 } }).action) end)
`,
    });
    expect(survivors).toEqual(["orcs.toml:5 ctx.payload.args.n == 1 → true (1)"]);
    expect(scores.map(({ file }) => file)).toEqual(["orcs.toml", "hooks/s.lua"]);
  });

  test.each([
    ["one by one", "", 2],
    ["together, if one needs another", "assert.equal(1, calls)", 1],
  ])("the tests of a file are run %s", async (_, needed, tests) => {
    const { survivors } = await mutate(
      {
        "hooks/h.lua": script(LIMIT, ""),
        "hooks/h_test.lua": `local guard, calls = orcs.test.load("h.lua"), 0
local function action(n)
  calls = calls + 1
  return guard:dispatch({ tool = "x", args = { n = n } }).action
end
it("allows one", function() assert.equal("continue", action(1)) end)
it("denies nine", function()
  ${needed}
  assert.equal("abort", action(9))
end)`,
      },
      { files: ["hooks/h_test.lua"] },
    );
    expect(survivors).toEqual([
      `hooks/h.lua:7 n > 3 → n >= 3 (${tests})`,
      `hooks/h.lua:7 3 → 4 (${tests})`,
    ]);
  });

  test("a sample is spread over the text", async () => {
    const { scores, found } = await mutate(
      { "hooks/h.lua": script(LIMIT, expects(3, "continue")) },
      { files: ["hooks/h.lua"], sample: 3 },
    );
    expect([scores[0]?.mutants, found]).toEqual([3, 7]);
  });

  test("nothing is changed while tests fail", async () => {
    const { failed, found } = await mutateScript(LIMIT, expects(3, "abort"));
    expect(failed.map(({ name }) => name)).toEqual(["3"]);
    expect(found).toBe(0);
  });
});

describe("more tests for mutants", () => {
  const guarded = (units: MutationOptions["units"], dir: string) =>
    runMutants({ cwd: dir, config: {}, files: ["hooks/h.lua"], overrides: LIMITS, units });
  const dirWith = (handler: string) =>
    folder({ "hooks/h.lua": script(handler, expects(9, "abort")) });
  const row = (n: number, verdict: "pass" | "refuse" | "stop") => ({
    payload: { tool_name: "x", args: { n } },
    verdict,
  });

  test("rows of a table run on one load of the script", async () => {
    const dir = dirWith(LIMIT);
    const name = "limits";
    const script = join(dir, "hooks/h.lua");
    const complete = [{ name, script, rows: [row(3, "pass"), row(4, "stop"), row(5, "refuse")] }];
    const { files, tests } = await guarded(tableUnits(complete), dir);
    expect(files).toEqual([{ file: "hooks/h.lua", mutants: 7, killed: 7 }]);
    expect(tests).toBe(4);
    const stops = [{ name, script, rows: [row(4, "stop")] }];
    const { survivors } = await guarded(tableUnits(stops), dir);
    expect(survivors.map(({ from, to, tests: ran }) => [from, to, ran])).toEqual([
      ["n > 3", "true", 2],
      ["n > 3", "n >= 3", 2],
    ]);
  });

  test("a row that fails without any change is reported, and nothing is changed", async () => {
    const dir = dirWith(LIMIT);
    const tables = [{ name: "t", script: join(dir, "hooks/h.lua"), rows: [row(4, "pass")] }];
    const { failed, found } = await guarded(tableUnits(tables), dir);
    expect(failed).toMatchObject([{ message: "expected pass, got refuse" }]);
    expect(found).toBe(0);
  });

  test("options that are errors are tests", async () => {
    const dir = dirWith(`if orcs.options.n == 0 then error("n is 0") end\n${LIMIT}`);
    const file = join(dir, "hooks/h.lua");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, `if orcs.options.n == 0 then error("n is 0") end\n${text}`);
    const at = { script: file, options: { n: 0 } };
    const killed = async (message: string | RegExp) => {
      const { failed, survivors } = await guarded(optionUnits([{ ...at, message }]), dir);
      return { failed: failed.length, first: survivors.filter(({ line }) => line === 1).length };
    };
    expect(await killed(/n is 0$/m)).toEqual({ failed: 0, first: 0 });
    expect(await killed("n is 1")).toEqual({ failed: 1, first: 0 });
  });
});
