import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { addCommand } from "../../../../src/cli/add.ts";
import { updateCommand } from "../../../../src/cli/update.ts";
import { errorOf, folder } from "../../engine/orcs/engine.ts";
import { home, PATIENT } from "../trust/rig.ts";
import { GUARDS, install, linked, lock, manifest, verb, write, type Files } from "./rig.ts";

const NOTE = `return { point = "tool.pre_execute", handler = function() end }\n`;
const PASSES = `it("passes", function() assert.equal(1, 1) end)\n`;
const FAILS = `it("fails", function() assert.equal(1, 2) end)\n`;

/** Version 2: one hook comes, one goes, one changes, one stays. */
const V1: Files = {
  ...manifest({ hooks: { a: "hooks/a.lua", b: "hooks/b.lua", c: "hooks/c.lua" } }),
  "hooks/a.lua": NOTE,
  "hooks/b.lua": NOTE,
  "hooks/c.lua": NOTE,
};
const V2: Files = {
  ...manifest(
    { hooks: { a: "hooks/a.lua", c: "hooks/c.lua", d: "hooks/d.lua" } },
    { version: "2.0.0" },
  ),
  "hooks/a.lua": NOTE,
  "hooks/c.lua": `-- changed\n${NOTE}`,
  "hooks/d.lua": NOTE,
  "hooks/a_test.lua": PASSES,
};

/** A project that accepted version 1, and has version 2 installed. */
async function project(next: Files): Promise<string> {
  home();
  const dir = join(folder({ "p/orcs.toml": PATIENT }), "p");
  const at = install(dir, V1);
  await verb(addCommand(), dir, "@acme/guards");
  rmSync(at, { recursive: true });
  install(dir, next);
  return dir;
}

const update = (dir: string, ...args: string[]) => verb(updateCommand(), dir, ...args);
const lockOf = (dir: string): string => readFileSync(join(dir, "orcs.lock"), "utf8");

describe("orcs package update", () => {
  test("shows which hooks come, go and change, and runs the tests", async () => {
    const dir = await project(V2);
    const before = lockOf(dir);
    const shown = (end: string): string => `@acme/guards  1.0.0 → 2.0.0
  gone     hook b
  changed  hook c
  new      hook d
  gone     hooks/b.lua
  changed  hooks/c.lua
  new      hooks/d.lua
  changed  package.json
  tests    1 passed
${end}
`;
    expect(await update(dir, "--dry-run")).toEqual({ text: shown("nothing was written"), code: 1 });
    expect(lockOf(dir)).toBe(before);
    const text = shown("orcs.lock is written: run orcs trust");
    expect(await update(dir)).toEqual({ text, code: 0 });
    expect(JSON.parse(lockOf(dir))).toMatchObject({
      packages: {
        "@acme/guards": {
          version: "2.0.0",
          hooks: { a: "hooks/a.lua", c: "hooks/c.lua", d: "hooks/d.lua" },
        },
      },
    });
    expect(await update(dir)).toEqual({
      text: "every package is as orcs.lock has it\n",
      code: 0,
    });
  });

  test.each<[what: string, files: Files, problem: string]>([
    ["a test fails", { "hooks/a_test.lua": FAILS }, "fails"],
    ["a test cannot be read", { "hooks/a_test.lua": "it(" }, "ORCS3001"],
    ["a script has an error", { "hooks/c.lua": "return {" }, "hooks/c.lua"],
  ])("writes nothing if %s, unless it gets --force", async (_what, files, problem) => {
    const dir = await project({ ...V2, ...files });
    const before = lockOf(dir);
    const { text, code } = await update(dir);
    expect(code).toBe(1);
    expect(text).toContain(problem);
    expect(text).toMatch(/ 1 failed\n(.|\n)*\nnothing was written\n$/);
    expect(lockOf(dir)).toBe(before);
    const json = JSON.parse((await update(dir, "--json")).text) as object;
    expect(json).toMatchObject({
      ok: false,
      packages: [{ tests: { problems: [expect.any(String)] } }],
    });
    expect(lockOf(dir)).toBe(before);
    expect((await update(dir, "--force")).code).toBe(0);
    expect(lockOf(dir)).toContain("2.0.0");
  });

  test("its tests find the modules of the package, and those of its tests", async () => {
    const spec = {
      "hooks/no-prod_test.lua": `
local words = require "words"
local hook = orcs.test.load("no-prod.lua", { target = "prod" })
it("denies", function()
  assert.equal("abort", hook:dispatch({ tool = "Bash", args = { command = words.prod } }).action)
end)
`,
      "hooks/words.lua": `return { prod = "deploy prod" }\n`,
    };
    const dir = await project({ ...GUARDS, ...spec });
    expect((await update(dir)).text).toContain("  tests    1 passed\n");
  });

  test("tests of a package reach nothing", async () => {
    const ran = join(folder({}), "ran");
    const spec = `
it("writes", function() io.open("${ran}", "w"):write("x") end)
it("runs", function() os.execute("touch ${ran}") end)
it("calls a tool", function() error(orcs.exec("touch ${ran}").error) end)
`;
    const dir = await project({ ...V2, "hooks/a_test.lua": spec });
    const { text, code } = await update(dir, "--dry-run");
    expect([code, text]).toEqual([1, expect.stringContaining("0 passed, 3 failed")]);
    expect(text).toContain("real tools cannot be called in a test");
    expect(existsSync(ran)).toBe(false);
  });

  test("a package without tests, and names with characters of a terminal", async () => {
    const dir = await project({ ...V2, "hooks/a_test.lua": "" });
    expect((await update(dir, "--dry-run")).text).toContain("  tests    it has none\n");
    write(join(dir, "node_modules/@acme/guards"), {
      "hooks/a_test.lua": `it("\\27[2J", function() error("\\27[2J") end)`,
    });
    const { text } = await update(dir, "--dry-run");
    expect(text).toContain("1 failed");
    expect(text).not.toContain("\u001b");
  });

  test("a package that is not used any more: its hooks go", async () => {
    const dir = await project(V1);
    writeFileSync(join(dir, "orcs.toml"), PATIENT);
    expect((await update(dir)).text).toBe(`@acme/guards  1.0.0 → not used
  gone     hook a
  gone     hook b
  gone     hook c
orcs.lock is written: run orcs trust
`);
  });

  test("a lock without hooks, of an older orcs, is compared by files", async () => {
    const dir = await project(V2);
    const old = JSON.parse(lockOf(dir)) as { packages: Record<string, { hooks?: object }> };
    delete old.packages["@acme/guards"]?.hooks;
    writeFileSync(join(dir, "orcs.lock"), JSON.stringify(old));
    const { text } = await update(dir);
    expect(text).not.toContain(" hook ");
    expect(text).toContain("new      hooks/d.lua");
    expect(lockOf(dir)).toContain(`"d": "hooks/d.lua"`);
  });

  test.each([`"x"`, `{ "a": 1 }`, "null"])(
    "a lock whose hooks are %s is damaged",
    async (hooks) => {
      const dir = await project(V2);
      writeFileSync(
        join(dir, "orcs.lock"),
        lockOf(dir).replace(/"hooks": \{[^}]*\}/, `"hooks": ${hooks}`),
      );
      expect((await errorOf(update(dir))).code).toBe("ORCS9306");
    },
  );

  test("a linked package is not tested: whoever works on it does that", async () => {
    const dir = await project(V2);
    const source = write(join(dirname(dir), "guards"), { ...V2, "hooks/a_test.lua": FAILS });
    rmSync(join(dir, "node_modules"), { recursive: true });
    linked(dir, source);
    expect((await update(dir)).code).toBe(0);
    expect(lockOf(dir)).toContain(`"link": true`);
  });

  test("of the user's own configuration is active without orcs trust", async () => {
    const { userDir } = home();
    write(userDir, { "orcs.toml": `extends = ["npm:@acme/guards"]\n` });
    install(userDir, V1);
    lock(userDir);
    install(userDir, V2);
    const { text } = await update(folder({}), "--user");
    expect(text).toMatch(/\norcs\.lock is written\n$/);
  });
});

test("orcs package add of a folder outside of the project is refused at once, because orcs trust would refuse it", async () => {
  const { userDir } = home();
  const dir = join(folder({ "p/orcs.toml": PATIENT }), "p");
  const outside = write(join(dirname(dir), "outside"), V1);
  for (const word of ["../outside", outside]) {
    const error = await errorOf(verb(addCommand(), dir, word));
    expect([error.code, error.message]).toEqual([
      "ORCS8003",
      expect.stringContaining("orcs trust would refuse it"),
    ]);
  }
  expect(readFileSync(join(dir, "orcs.toml"), "utf8")).toBe(PATIENT);
  expect((await verb(addCommand(), dir, outside, "--user")).code).toBe(0);
  expect(readFileSync(join(userDir, "orcs.toml"), "utf8")).toContain("outside");
  const config = ["--config", join(dir, "orcs.toml")];
  expect((await verb(addCommand(), dir, "../outside", ...config)).code).toBe(0);
});
