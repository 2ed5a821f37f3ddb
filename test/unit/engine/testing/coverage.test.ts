import { describe, expect, test } from "vitest";
import { lineRanges } from "../../../../src/engine/testing/coverage.ts";
import { runIn } from "./rig.ts";

describe("test coverage", () => {
  test("counts executed and other lines of scripts, modules and inline handlers, not of tests", async () => {
    const report = await runIn(
      {
        "orcs.toml": `[[hooks]]
script = "g.lua"
[[hooks]]
point = "tool.pre_execute"
handler_inline = '''
function(ctx)
  if ctx.payload.args.a then
    return orcs.deny("a")
  end
end
'''
[[hooks.tests]]
name = "inline"
event = { tool = "x" }
expect = { action = "continue" }
`,
        "hooks/g.lua": `local lib = require("lib")

-- A comment.
return {
  point = "tool.pre_execute",
  handler = function(ctx)
    if lib.is_bad(ctx.payload.args) then
      return orcs.deny("bad")
    end
    local function never()
      return 1
    end
    for _ = 1, 2 do
      ctx.metadata.n = 1
    end
  end,
}
`,
        "hooks/lib.lua": `local M = {}
function M.is_bad(args)
  return args.bad
end
function M.unused()
  return nil
end
return M
`,
        "hooks/g_test.lua": `local g = orcs.test.load("g.lua")
it("lets it be", function() assert.equal("continue", g:dispatch({ tool = "x" }).action) end)
`,
      },
      { coverage: true },
    );
    expect(report.ok).toBe(true);
    expect(
      report.coverage?.map(({ file, missed, lines, ran }) => [file, missed, lines - ran]).sort(),
    ).toEqual([
      ["hooks/g.lua", [8, 11], 2],
      ["hooks/lib.lua", [6], 1],
      ["orcs.toml", [8], 1],
    ]);
    const [guard] = report.coverage?.filter(({ file }) => file === "hooks/g.lua") ?? [];
    // 1, 4, 5, 6–8, 10–14, 16, 17; a loop's and a block's end may have code.
    expect(guard?.lines).toBeGreaterThanOrEqual(11);
    expect(guard?.lines).toBeLessThanOrEqual(15);
  });

  test("handles long functions with line gaps over 255", async () => {
    const gap = "\n".repeat(200);
    const text = `return { point = "tool.pre_execute", handler = function(ctx)
  if ctx.payload.args.far then${gap}    ctx.metadata.far = true${gap}  end
  ctx.metadata.near = ${Array.from({ length: 300 }, (_, i) => `${i}`).join("\n + ")}
end, tests = { { "it", event = { tool = "x" }, expect = { metadata = { near = 44850 } } } } }`;
    const { coverage, failed, passed } = await runIn(
      { "hooks/h.lua": text },
      { files: ["hooks/h.lua"], coverage: true },
    );
    expect({ failed, passed }).toEqual({ failed: 0, passed: 1 });
    expect(coverage?.[0]?.missed).toEqual([202]);
  });

  test.each([
    [[], ""],
    [[3], "3"],
    [[1, 2, 3, 7, 9, 10], "1-3, 7, 9-10"],
  ])("formats %j as ranges", (lines, text) => {
    expect(lineRanges(lines)).toBe(text);
  });
});
