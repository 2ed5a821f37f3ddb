import { describe, expect, test } from "vitest";
import { folder, orcs } from "./orcs.ts";

describe("an untrusted discovered project", { concurrent: true }, () => {
  test("orcs trust and check report a decision that is dropped, with its line", async () => {
    const cwd = folder({
      "orcs.toml": '[[hooks]]\nscript = "guard.lua"\n',
      "hooks/guard.lua": `return { point = "tool.pre_execute", handler = function()
  orcs.deny("no")
end }`,
    });
    for (const args of [["trust", "--yes"], ["check"]]) {
      const { code, stdout, stderr } = await orcs(args, { cwd });
      expect(code).not.toBe(0);
      expect(stdout + stderr).toContain("hooks/guard.lua:2:3: error ORCS1114");
    }
  });

  test("orcs check exits by its findings; --config loads it", async () => {
    const broken = {
      "orcs.toml": '[[hooks]]\nscript = "guard.lua"\npriorty = 1\n',
      "hooks/guard.lua": "return {}\n",
    };
    const slip = {
      "orcs.toml": '[[hooks]]\nscript = "guard.lua"\n',
      "hooks/guard.lua": 'error("loaded")\nprint(cout)\n',
    };
    const [mistakes, warnings, named, json] = await Promise.all([
      orcs(["check"], { cwd: folder(broken) }),
      orcs(["check"], { cwd: folder(slip) }),
      orcs(["check", "--config", "orcs.toml"], { cwd: folder(slip) }),
      orcs(["check", "--json"], { cwd: folder(slip) }),
    ]);
    expect(mistakes).toMatchObject({ code: 2, stdout: "0 hooks active, 1 error\n" });
    expect(mistakes.stderr).toContain("ORCS1003");
    expect(warnings).toMatchObject({
      code: 1,
      stdout: "0 hooks active, no errors, 1 warning\n",
    });
    expect(named.code).toBe(2);
    expect(named.stderr).toContain("loaded");
    expect(named.stderr).not.toContain("trust");
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      hooks: 0,
      untrusted: expect.stringContaining("because they are not trusted") as string,
      diagnostics: [{ code: "ORCS1101" }],
    });
  });
});
