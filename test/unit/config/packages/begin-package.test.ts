import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { initCommand } from "../../../../src/cli/init.ts";
import { testCommand } from "../../../../src/cli/test.ts";
import { checkCommand } from "../../../../src/cli/check.ts";
import { call, errorOf, folder } from "../../engine/orcs/engine.ts";
import { found, home, outcomeOf, trustIt } from "../trust/rig.ts";
import { verb, write } from "./rig.ts";

const PUSH = call("Bash", { command: "git push --force" });
const FILES = [
  "package.json",
  "hooks/no-force-push.lua",
  "hooks/no-force-push_test.lua",
  "README.md",
  "orcs.toml",
  ".github/workflows/test.yml",
];

const init = (dir: string, ...args: string[]) => verb(initCommand(), dir, "--dir", dir, ...args);
const empty = (): string => folder({});

/** Every file below a folder, with its text. */
function texts(dir: string): Record<string, string> {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file.slice(dir.length + 1), readFileSync(file, "utf8")]),
  );
}

describe("orcs init --package", () => {
  test("begins a package whose check and tests pass at once", async () => {
    home();
    const dir = empty();
    const { text, code } = await init(dir, "--package", "@acme/guards");
    expect(code).toBe(0);
    expect(text).toBe(
      [
        ...FILES.map((path) => `created    ${path}`),
        "",
        "Try next:",
        "  orcs trust --dev",
        "  orcs test",
        "  orcs package pack",
        "",
      ].join("\n"),
    );
    expect(Object.keys(texts(dir)).sort()).toEqual([...FILES].sort());
    const config = ["--config", join(dir, "orcs.toml"), "--json"];
    const tested = await verb(testCommand(), dir, ...config);
    expect(JSON.parse(tested.text)).toMatchObject({ ok: true, passed: 2 });
    expect(await verb(checkCommand(), dir, ...config)).toMatchObject({ code: 0 });
  });

  test("its hook decides in its folder once it is trusted, with its options", async () => {
    home();
    const dir = empty();
    await init(dir, "--package", "guards", "--dev");
    await trustIt(dir);
    const { orcs } = await found(dir, { overrides: { lua: { max_run_ms: 5000 } } });
    expect(await outcomeOf(orcs, PUSH)).toMatch(/^a force push loses work/);
    expect(await outcomeOf(orcs, call("Bash", { command: "git push" }))).toBeUndefined();
  });

  test("--tools names the tools of the guard and of its tests", async () => {
    home();
    const dir = empty();
    await init(dir, "--package", "guards", "--tools", "run_*|sh");
    const config = ["--config", join(dir, "orcs.toml"), "--json"];
    expect(JSON.parse((await verb(testCommand(), dir, ...config)).text)).toMatchObject({
      passed: 2,
    });
    expect(texts(dir)["hooks/no-force-push.lua"]).toContain(`tool = "run_*|sh"`);
  });

  test("keeps an existing README and hook, byte for byte", async () => {
    home();
    const own = { "README.md": "mine\r\n", "hooks/no-force-push.lua": "return {}" };
    const dir = write(empty(), own);
    const { text } = await init(dir, "--package", "guards", "--json");
    expect(texts(dir)).toMatchObject(own);
    const { files } = JSON.parse(text) as { files: unknown };
    expect(files).toEqual(
      FILES.map((path) => ({ path, status: path in own ? "unchanged" : "created" })),
    );
  });

  test.each(["package.json", "orcs.toml"])("writes nothing where there is a %s", async (file) => {
    home();
    const dir = write(empty(), { [file]: "" });
    const error = await errorOf(init(dir, "--package", "guards"));
    expect(error.code).toBe("ORCS9308");
    expect(error.message).toContain(`already has ${file}`);
    expect(texts(dir)).toEqual({ [file]: "" });
  });

  test.each([
    ["../x", "guards"],
    ["Acme", "guards"],
    ["@a/b/c", "guards"],
    ["", "guards"],
    ["node_modules", "guards"],
    ["--yes", "guards"],
  ])("refuses the name %j", async (name) => {
    home();
    const dir = empty();
    expect((await errorOf(init(dir, "--package", name))).code).toBe("ORCS5001");
    expect(texts(dir)).toEqual({});
  });

  test("refuses tools that are none", async () => {
    home();
    const dir = empty();
    const error = await errorOf(init(dir, "--package", "guards", "--tools", 'a" }'));
    expect(error.code).toBe("ORCS5001");
    expect(texts(dir)).toEqual({});
  });
});
