import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { collectFiles } from "../../../../src/fleet/bundles/collect-files.ts";
import { checkConfiguration } from "../../../../src/workbench/check/check.ts";
import { proveBundle } from "../../../../src/cli/bundle-proof.ts";
import { runTests } from "../../../../src/engine/testing/run-tests.ts";
import { errorOf, folder } from "../../engine/orcs/engine.ts";
import { home, PATIENT, trustIt } from "../trust/rig.ts";
import { GUARDS, install, lock, write, type Files } from "./rig.ts";

/** A test that finds the module of the package `@acme/guards` by its full name, and a script that does. */
const BY_NAME: Files = {
  "hooks/mine.lua": `local paths = require "@acme/guards/paths"
return { point = "tool.pre_execute", handler = function(ctx)
  if paths.is_prod(ctx.payload.args.command) then return orcs.deny("mine") end
end }\n`,
  "hooks/mine_test.lua": `local paths = require "@acme/guards/paths"
local hook = orcs.test.load("mine.lua")
it("denies", function()
  assert.equal(true, paths.is_prod("prod"))
  assert.equal("mine", hook:dispatch({ tool = "Bash", args = { command = "prod" } }).reason)
end)\n`,
};

/** What check and the tests of a folder come to. */
async function proof(dir: string): Promise<readonly [errors: string[], passed: number]> {
  const at = { config: join(dir, "orcs.toml"), cwd: dir };
  const { diagnostics } = await checkConfiguration(at);
  const { mistakes, tests, passed } = await runTests(at);
  const errors = [...diagnostics, ...mistakes].map(({ message }) => message);
  const failed = tests.filter(({ status }) => status === "failed").map(({ name }) => name);
  return [[...errors, ...failed], passed];
}

describe("require of a module by the full name of its package", () => {
  test("in the tests of the package itself", async () => {
    home();
    const dir = folder({
      ...GUARDS,
      ...BY_NAME,
      "orcs.toml": `extends = ["./"]\n[scripts]\ndirs = ["hooks", "lua"]\n${PATIENT}`,
    });
    expect(await proof(dir)).toEqual([[], 1]);
    // Discovered and trusted, from the sealed copy.
    await trustIt(dir);
    const { mistakes, passed } = await runTests({ cwd: dir });
    expect([mistakes, passed]).toEqual([[], 1]);
  });

  test("in scripts and tests of a project that uses it", async () => {
    home();
    const extending = `extends = ["npm:@acme/guards"]\n[[hooks]]\nscript = "mine.lua"\n${PATIENT}`;
    const dir = folder({ ...BY_NAME, "orcs.toml": extending });
    // Its scripts have modules of their own, too.
    install(dir);
    lock(dir);
    expect(await proof(dir)).toEqual([[], 1]);
    await trustIt(dir);
    const { mistakes, passed } = await runTests({ cwd: dir });
    expect([mistakes, passed]).toEqual([[], 1]);
    // A module that the package does not have is still missing.
    writeFileSync(join(dir, "hooks/mine.lua"), `require "@acme/guards/pathz"\nreturn {}\n`);
    expect((await proof(dir))[0].join("\n")).toContain("module '@acme/guards/pathz' not found");
  });
});

describe("a bundle of a folder that uses a package", () => {
  test.each([
    ["extends", `extends = ["npm:@acme/guards"]\n`],
    ["a script", `[[hooks]]\nscript = "npm:@acme/guards/no-prod.lua"\n`],
  ])("%s of an installed one is refused, with what to do", async (_how, toml) => {
    home();
    const dir = folder({ "orcs.toml": toml });
    install(dir);
    lock(dir);
    const { code, message } = await errorOf(collectFiles(dir));
    expect([code, message]).toEqual([
      "ORCS9005",
      expect.stringMatching(
        /bundle:\n- it uses the npm package @acme\/guards: copy its files to \.\/packages\/guards, [^\n]*$/,
      ),
    ]);
  });

  test("one in its folder comes along, with its modules and tests", async () => {
    home();
    const dir = folder({ "orcs.toml": `extends = ["./packages/guards"]\n${PATIENT}` });
    const source = write(join(folder(), "guards"), {
      ...GUARDS,
      "hooks/no-prod_test.lua": `it("runs", function()
  local hook = orcs.test.load("no-prod.lua", { target = "prod" })
  assert.equal("abort", hook:dispatch({ tool = "Bash", args = { command = "prod" } }).action)
end)\n`,
    });
    cpSync(source, join(dir, "packages/guards"), { recursive: true });
    const files = await collectFiles(dir);
    expect([...files.keys()]).toEqual([
      "orcs.toml",
      "packages/guards/hooks/no-prod.lua",
      "packages/guards/hooks/no-prod_test.lua",
      "packages/guards/hooks/note.lua",
      "packages/guards/lua/paths.lua",
      "packages/guards/package.json",
    ]);
    const { diagnostics, failed, hooks } = await proveBundle(files);
    expect([diagnostics, failed, hooks]).toEqual([[], [], 2]);
  });
});
