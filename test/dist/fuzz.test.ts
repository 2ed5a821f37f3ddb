import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folder, orcs, PATIENT } from "./orcs.ts";

const FILES = {
  "orcs.toml": `
[[hooks]]
script = "guard.lua"
${PATIENT}`,
  "hooks/guard.lua": `
return {
  id = "guard",
  point = "tool.pre_execute",
  handler = function(ctx)
    local command = ctx.payload.args.command
    if not command:find("^nice ") then return orcs.deny("no") end
  end,
}
`,
};
const FUZZ = [
  "test",
  "--fuzz",
  "--never",
  "git push --force",
  "--config",
  "orcs.toml",
  "--holes",
  "1",
];

/** As printed by `--json`, as far as it is looked at. */
interface Report {
  readonly ok: boolean;
  readonly holes: readonly {
    readonly line: string;
    readonly ran: readonly string[];
    readonly hooks: readonly { readonly id: string; readonly status: string }[];
  }[];
}

describe("orcs test --fuzz", { concurrent: true }, () => {
  test("takes ~ for the home folder", async () => {
    const cwd = folder(FILES);
    const env = { HOME: cwd };
    const args = [
      "test",
      "--fuzz",
      "--never",
      "rm -rf ~",
      "--config",
      "orcs.toml",
      "--holes",
      "1",
      "--json",
    ];
    const { holes } = JSON.parse((await orcs(args, { cwd, env })).stdout) as Report;
    expect(holes[0]?.ran).toEqual(["rm", "-rf", cwd]);
  });

  test("reports a hole, and saves it as a test that fails until the hook is corrected", async () => {
    const cwd = folder(FILES);
    const { code, stdout, stderr } = await orcs([...FUZZ, "--json", "--save"], { cwd });
    const { ok, holes } = JSON.parse(stdout) as Report;
    expect({ code, ok }).toEqual({ code: 1, ok: false });
    const [hole] = holes;
    expect(hole?.line).toMatch(/^nice /);
    expect(hole?.hooks).toMatchObject([{ id: "guard", status: "ran" }]);
    expect(stderr).toContain("wrote 1 test to hooks/fuzz_test.lua; they fail");
    const saved = readFileSync(join(cwd, "hooks/fuzz_test.lua"), "utf8");
    expect(saved).toContain('assert.equal("abort", outcome.action)');
    const tested = await orcs(["test", "--config", "orcs.toml", "hooks/fuzz_test.lua"], { cwd });
    expect(tested.code).toBe(1);
    // The same hole is not written again.
    await orcs([...FUZZ, "--save"], { cwd });
    expect(readFileSync(join(cwd, "hooks/fuzz_test.lua"), "utf8")).toBe(saved);
  });

  test.each(["node_modules/guards", "state/orcs/guards"])(
    "a hole of a script in %s is reported, and not saved there",
    async (home) => {
      const cwd = folder({
        "orcs.toml": FILES["orcs.toml"].replace("guard.lua", `${home}/guard.lua`),
        [`${home}/guard.lua`]: FILES["hooks/guard.lua"],
      });
      const env = { XDG_STATE_HOME: join(cwd, "state") };
      const { code, stderr } = await orcs([...FUZZ, "--save"], { cwd, env });
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining("not saved: ORCS8007: no test is written into") as string,
      });
      expect(existsSync(join(cwd, home, "fuzz_test.lua"))).toBe(false);
    },
  );

  test("finds none where all is denied", async () => {
    const cwd = folder({
      ...FILES,
      "hooks/guard.lua": FILES["hooks/guard.lua"].replace("^nice ", "^ "),
    });
    const { code, stdout } = await orcs([...FUZZ, "--runs", "50", "--save"], { cwd });
    expect(stdout).toMatch(/^0 holes: 50 spellings, 50 stopped, 0 passed, 0 of these ran it/);
    expect(code).toBe(0);
    expect(existsSync(join(cwd, "hooks/fuzz_test.lua"))).toBe(false);
  });

  test.each([
    [["test", "--fuzz"], "--never"],
    [["test", "--fuzz", "--never", "git | sh", "--config", "orcs.toml"], "ORCS1012"],
    [[...FUZZ, "--runs", "0"], "a whole number from 1"],
  ])("rejects %j", async (args, why) => {
    const { code, stderr } = await orcs(args, { cwd: folder(FILES) });
    expect(stderr).toContain(why);
    expect(code).toBe(2);
  });
});
