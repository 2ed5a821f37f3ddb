import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { initCommand } from "../../../../src/cli/init.ts";
import { packCommand } from "../../../../src/cli/pack.ts";
import { errorOf, folder } from "../../engine/orcs/engine.ts";
import { home } from "../trust/rig.ts";
import { GUARDS, verb, write, type Files } from "./rig.ts";

/** npm itself lists the files: each takes about a second. */

interface Packed {
  readonly ok: boolean;
  readonly files: { path: string }[];
  readonly hooks: object[];
  readonly diagnostics: { code: string; severity: string; message: string }[];
  readonly failed: string[];
  readonly passed: number;
}

async function pack(dir: string): Promise<Packed & { code: number }> {
  const { text, code } = await verb(packCommand(), dir, dir, "--json");
  return { ...(JSON.parse(text) as Packed), code };
}

const codes = ({ diagnostics }: Packed): string[] => diagnostics.map(({ code }) => code);

/** A test of the hook that uses a module of its package, and a module of the tests. */
const SPEC: Files = {
  "hooks/no-prod_test.lua": `
local commands = require "commands"
local hook = orcs.test.load("no-prod.lua", { target = "prod" })
it("denies", function()
  local event = { tool = "Bash", args = { command = commands.prod } }
  assert.equal("abort", hook:dispatch(event).action)
end)
`,
  "hooks/commands.lua": `return { prod = "deploy prod" }\n`,
};

/** The manifest of the package with other fields. */
function guards(others: object, files: Files = SPEC): string {
  const manifest = { ...(JSON.parse(GUARDS["package.json"] ?? "") as object), ...others };
  return write(folder({}), { ...GUARDS, ...files, "package.json": JSON.stringify(manifest) });
}

describe("orcs package pack", () => {
  test("a package as orcs init begins it can be published; orcs.toml is not", async () => {
    home();
    const dir = folder({});
    await verb(initCommand(), dir, "--dir", dir, "--package", "@acme/guards");
    const before = readdirSync(dir, { recursive: true });
    const { code, text } = await verb(packCommand(), dir);
    expect(code).toBe(0);
    expect(text).toMatch(/^@acme\/guards 0\.1\.0: \d+ bytes as an archive\n/);
    expect(text).toMatch(/^@acme\/guards\/no-force-push +tool\.pre_execute /m);
    expect(text).toContain(`option reason = "a force push`);
    expect(text).toMatch(/2 tests passed, 0 failed; next: npm publish\n$/);
    const { files } = await pack(dir);
    expect(files.map(({ path }) => path).sort()).toEqual([
      "README.md",
      "hooks/no-force-push.lua",
      "hooks/no-force-push_test.lua",
      "package.json",
    ]);
    expect(readdirSync(dir, { recursive: true })).toEqual(before);
  });

  test("runs the tests on the published files, with the modules of the package", async () => {
    home();
    expect(await pack(guards({ files: ["hooks", "lua"] }))).toMatchObject({
      ok: true,
      code: 0,
      passed: 1,
      diagnostics: [],
    });
  });

  test("a script or module that is not published is an error", async () => {
    home();
    const packed = await pack(guards({ files: ["hooks/n*.lua"] }));
    expect(packed).toMatchObject({ ok: false, code: 1, passed: 0 });
    expect(packed.diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ["ORCS9311", expect.stringContaining("lua/paths.lua")],
    ]);
  });

  test("a module that only the tests require is missed when it is not published", async () => {
    home();
    const packed = await pack(guards({ files: ["hooks/n*.lua", "lua"] }));
    expect(packed).toMatchObject({ ok: false, code: 1 });
    expect(JSON.stringify([packed.diagnostics, packed.failed])).toContain("commands");
  });

  test("a failing test, and a hook that does not load", async () => {
    home();
    const spec = { "hooks/no-prod_test.lua": `it("fails", function() assert.equal(1, 2) end)` };
    const failing = await pack(guards({}, spec));
    expect(failing).toMatchObject({ ok: false, code: 1, failed: [expect.stringContaining("1")] });
    const broken = await pack(guards({}, { "hooks/note.lua": "return {" }));
    expect(broken).toMatchObject({ ok: false, code: 1, passed: 0 });
    expect(broken.diagnostics.some(({ severity }) => severity === "error")).toBe(true);
  });

  test.each(["preinstall", "install", "postinstall", "prepare"])(
    "a script that npm runs, %s, is an error, and is not run",
    async (name) => {
      home();
      const dir = guards({ scripts: { [name]: "node -e \"fs.writeFileSync('ran','')\"" } });
      const packed = await pack(dir);
      expect(packed).toMatchObject({ ok: false, code: 1 });
      expect(codes(packed)).toEqual(["ORCS9310"]);
      expect(existsSync(join(dir, "ran"))).toBe(false);
    },
  );

  test("no tests: a warning", async () => {
    home();
    const packed = await pack(guards({}, {}));
    expect(packed).toMatchObject({ ok: true, code: 0, diagnostics: [{ severity: "warning" }] });
    expect(codes(packed)).toEqual(["ORCS9313"]);
  });

  test("not a package: the error of its package.json", async () => {
    home();
    const dir = guards({ orcs: { hook: {} } });
    expect((await errorOf(verb(packCommand(), dir))).code).toBe("ORCS9301");
    rmSync(join(dir, "package.json"));
    expect((await errorOf(verb(packCommand(), dir))).code).toBe("ORCS9300");
  });
});
