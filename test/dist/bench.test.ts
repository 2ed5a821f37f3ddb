import { describe, expect, test } from "vitest";
import { orcs, PATIENT, project } from "./orcs.ts";

const FILES = {
  "orcs.toml": `
[[hooks]]
id = "looks"
point = "tool.pre_execute"
fql = "builtin::llm/*"
match = { tool = "write|exec" }
handler_inline = "nil"

[[hooks]]
id = "refuses"
point = "tool.pre_execute"
handler_inline = 'orcs.deny("no")'

[[hooks]]
id = "elsewhere"
point = "tool.pre_execute"
match = { command = "^never$" }
handler_inline = "nil"
${PATIENT}`,
  "guard.lua": 'return { point = "prompt.pre_submit", handler = function(ctx) end }',
  "none.lua": "",
};

describe("orcs test --bench", { concurrent: true }, () => {
  test("times each hook separately", async () => {
    const { code, stdout } = await orcs(["test", "--bench", "-n", "50", "--json"], {
      cwd: await project(FILES),
    });
    const timed = JSON.parse(stdout) as {
      hook: string;
      p50_us: number;
      p99_us: number;
      max_us: number;
    }[];
    expect(timed).toEqual([
      expect.objectContaining({
        hook: "looks",
        point: "tool.pre_execute",
        action: "continue",
        runs: 50,
      }),
      expect.objectContaining({ hook: "refuses", action: "abort", runs: 50 }),
      { hook: "elsewhere", point: "tool.pre_execute", action: "not_matched", runs: 0 },
    ]);
    const [first] = timed;
    expect(first?.p50_us).toBeGreaterThan(0);
    expect(first?.p99_us).toBeGreaterThanOrEqual(first?.p50_us ?? 0);
    expect(first?.max_us).toBeGreaterThanOrEqual(first?.p99_us ?? 0);
    expect(code).toBe(0);
  });

  test("accepts an event, and the hooks of one file", async () => {
    const cwd = await project(FILES);
    const given = await orcs(["test", "--bench", "-n", "5", "-e", "command=never"], { cwd });
    expect(given.stdout).toMatch(/elsewhere +tool\.pre_execute +continue/);
    const alone = await orcs(["test", "--bench", "guard.lua", "-n", "5"], { cwd });
    expect(alone.stdout).toMatch(
      /prompt\.pre_submit +continue +[\d.]+ µs +[\d.]+ µs +[\d.]+ µs\n$/,
    );
    expect(alone.stdout).not.toContain("looks");
  });

  test.each([
    [["test", "--bench", "-n", "0"], "a whole number from 1"],
    [["test", "--bench", "nope.lua"], "nope.lua"],
    [["test", "--bench", "none.lua"], "did not define a hook"],
  ])("%j is an error", async (args, message) => {
    const { code, stderr } = await orcs(args, { cwd: await project(FILES) });
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});
