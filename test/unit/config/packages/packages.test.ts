import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { call, folder } from "../../engine/orcs/engine.ts";
import { found, home, look, outcomeOf, PATIENT, trustIt } from "../trust/rig.ts";
import { GUARDS, install, linked, lock, manifest, write, type Files } from "./rig.ts";

const EXTENDS = `extends = ["npm:@acme/guards"]\n${PATIENT}`;
const PROD = call("Bash", { command: "deploy prod" });

/** A project with the package installed and locked. */
function project(config = EXTENDS, files: Files = GUARDS): string {
  const dir = folder({ "p/orcs.toml": config });
  const at = join(dir, "p");
  install(at, files);
  lock(at);
  return at;
}

/** What a configuration that is named explicitly decides about a call. */
async function decided(dir: string, payload = PROD): Promise<unknown> {
  const { orcs } = await found(dir, { config: join(dir, "orcs.toml") });
  return outcomeOf(orcs, payload);
}

/** The error of loading. */
async function errorOf(dir: string): Promise<string> {
  return decided(dir).then(
    (value) => `no error: ${String(value)}`,
    (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown)),
  );
}

describe("a package", () => {
  test("denies with its own option, and with that of the user", async () => {
    home();
    expect(await decided(project())).toBe("no prod");
    const options = `${EXTENDS}[packages."@acme/guards"]\noptions = { target = "production" }\n`;
    expect(await decided(project(options))).toBe("no production");
  });

  test("a single hook is switched off by its id", async () => {
    home();
    const off = `${EXTENDS}[packages."@acme/guards"]\noff = ["no-prod"]\n`;
    expect(await decided(project(off))).toBe("note");
  });

  test("one of its scripts is used alone, under an id and options of its own", async () => {
    home();
    const alone = `[[hooks]]\nid = "mine"\nscript = "npm:@acme/guards/no-prod.lua"\noptions = { target = "mine" }\n${PATIENT}`;
    expect(await decided(project(alone))).toBe("no mine");
  });

  test("a module of it is required by its name", async () => {
    home();
    const code = `local p = require "@acme/guards/paths"; if p.is_prod("prod") then return { action = "abort", reason = "by module" } end`;
    const inline = `[[hooks]]\nid = "i"\npoint = "tool.pre_execute"\npriority = -1000\nhandler_inline = '''${code}'''\n`;
    expect(await decided(project(`${EXTENDS}${inline}`))).toMatch(/by module|no prod/);
    const off = `${EXTENDS}${inline}[packages."@acme/guards"]\noff = ["no-prod"]\n`;
    expect(await decided(project(off))).toBe("by module");
  });

  test("a folder of the project is a package, without a lock", async () => {
    home();
    const dir = folder({ "orcs.toml": `extends = ["./shared"]\n${PATIENT}` });
    write(join(dir, "shared"), GUARDS);
    expect(await decided(dir)).toBe("no prod");
    await trustIt(dir);
    const { orcs } = await found(dir);
    expect(await outcomeOf(orcs, PROD)).toBe("no prod");
  });

  test.each([
    ["the project", (dir: string) => dir],
    ["the workspace around it", dirname],
  ])("is found in %s", async (_, place) => {
    home();
    const dir = project();
    rmSync(join(dir, "node_modules"), { recursive: true });
    install(place(dir));
    expect(await decided(dir)).toBe("no prod");
  });

  test("is found in the folder of the user", async () => {
    const { userDir } = home();
    const dir = project();
    rmSync(join(dir, "node_modules"), { recursive: true });
    install(userDir);
    expect(await decided(dir)).toBe("no prod");
  });
});

describe("trust", () => {
  test("a trusted package is active as it was, whatever becomes of its files", async () => {
    home();
    const dir = project();
    const seen = await trustIt(dir);
    expect([...seen.content.files.keys()].sort()).toEqual([
      "orcs-packages/@acme/guards/hooks/no-prod.lua",
      "orcs-packages/@acme/guards/hooks/note.lua",
      "orcs-packages/@acme/guards/lua/paths.lua",
      "orcs-packages/@acme/guards/package.json",
      "orcs.lock",
      "orcs.toml",
    ]);
    install(dir, { "hooks/no-prod.lua": "return function() end\n" });
    const { orcs } = await found(dir);
    expect(await outcomeOf(orcs, PROD)).toBe("no prod");
    rmSync(join(dir, "node_modules"), { recursive: true });
    const again = await found(dir);
    expect(await outcomeOf(again.orcs, PROD)).toBe("no prod");
  });

  test("a package that differs from the lock is shown with what changed, and nothing is shown as gone", async () => {
    home();
    const dir = project(`${EXTENDS}[[hooks]]\nscript = "mine.lua"\n`);
    write(dir, {
      "hooks/mine.lua": "return { point = 'engine.boot', handler = function() end }\n",
    });
    await trustIt(dir);
    install(dir, { "hooks/note.lua": "return function() end\n", "lua/more.lua": "return 1\n" });
    const { changed, configError, problems } = await look(dir);
    expect(changed).toEqual([
      { name: "orcs-packages/@acme/guards/hooks/note.lua", is: "changed" },
      { name: "orcs-packages/@acme/guards/lua/more.lua", is: "new" },
    ]);
    expect(problems.map(({ code }) => code)).toEqual(["ORCS1015"]);
    expect(configError?.message).toMatch(/ORCS9305/);
  });

  test("a linked package is trusted, and an edit of it is reported as a change", async () => {
    home();
    const dir = project();
    const source = write(join(dirname(dir), "guards"), GUARDS);
    rmSync(join(dir, "node_modules"), { recursive: true });
    linked(dir, source);
    lock(dir);
    await trustIt(dir);
    const { orcs } = await found(dir);
    expect(await outcomeOf(orcs, PROD)).toBe("no prod");
    write(source, { "lua/paths.lua": "return { is_prod = function() return false end }\n" });
    const { changed, problems } = await look(dir);
    expect(changed).toEqual([{ name: "orcs-packages/@acme/guards/lua/paths.lua", is: "changed" }]);
    expect(problems).toEqual([]);
  });

  test("a saved file of a linked package is active at once in a dev-trusted folder", async () => {
    home();
    const dir = project();
    const source = write(join(dirname(dir), "guards"), GUARDS);
    rmSync(join(dir, "node_modules"), { recursive: true });
    linked(dir, source);
    lock(dir);
    await trustIt(dir, true);
    const { orcs } = await found(dir, { watch: true });
    expect(await outcomeOf(orcs, PROD)).toBe("no prod");
    write(source, { "lua/paths.lua": "return { is_prod = function() return false end }\n" });
    await vi.waitFor(async () => expect(await outcomeOf(orcs, PROD)).toBe("note"), {
      timeout: 30_000,
    });
  });
});

test.each<[string, (dir: string) => void, RegExp]>([
  [
    "a changed file",
    (dir) => install(dir, { "hooks/note.lua": "return function() end\n" }),
    /ORCS9305.*hooks\/note\.lua of the package @acme\/guards differs from orcs\.lock.*orcs package update/,
  ],
  [
    "a changed package.json",
    (dir) => install(dir, { "package.json": `${GUARDS["package.json"]}\n` }),
    /ORCS9305.*package\.json of the package @acme\/guards/,
  ],
  [
    "a new module",
    (dir) => install(dir, { "lua/more.lua": "return 1\n" }),
    /ORCS9305.*lua\/more\.lua .*is not in orcs\.lock/,
  ],
  [
    "a missing module",
    (dir) => rmSync(join(dir, "node_modules/@acme/guards/lua/paths.lua")),
    /ORCS9305.*lua\/paths\.lua .*is missing/,
  ],
  [
    "no lock",
    (dir) => rmSync(join(dir, "orcs.lock")),
    /ORCS9304.*@acme\/guards.*orcs package update/,
  ],
  [
    "a damaged lock",
    (dir) => writeFileSync(join(dir, "orcs.lock"), "{"),
    /ORCS9306.*orcs\.lock cannot be used/,
  ],
  [
    "a lock without hashes",
    (dir) =>
      writeFileSync(
        join(dir, "orcs.lock"),
        '{"version":1,"packages":{"@acme/guards":{"version":"1.0.0","files":{}}}}',
      ),
    /ORCS9306.*damaged at "@acme\/guards"/,
  ],
  [
    "a link in place of what was installed",
    (dir) => {
      const evil = write(join(dirname(dir), "evil"), {
        ...GUARDS,
        "lua/paths.lua": "return { is_prod = function() return false end }\n",
      });
      rmSync(join(dir, "node_modules/@acme/guards"), { recursive: true });
      linked(dir, evil);
    },
    /ORCS9305.*lua\/paths\.lua/,
  ],
  [
    "a package that is gone",
    (dir) => rmSync(join(dir, "node_modules"), { recursive: true }),
    /ORCS9300.*npm install --save-dev --ignore-scripts @acme\/guards/,
  ],
])("the lock refuses %s", async (_, change, message) => {
  home();
  const dir = project();
  change(dir);
  expect(await errorOf(dir)).toMatch(message);
});

// What a hostile package may try. Each is refused before anything of it runs.
const HOOKS = { "no-prod": "hooks/no-prod.lua" };
describe("a hostile package", () => {
  test.each<[string, Files, RegExp]>([
    [
      "a path that leads up",
      manifest({ hooks: { a: "../evil.lua" } }),
      /ORCS9301.*inside the package/,
    ],
    ["a path that leads up within", manifest({ hooks: { a: "x/../../evil.lua" } }), /ORCS9301/],
    ["an absolute path", manifest({ hooks: { a: "/tmp/evil.lua" } }), /ORCS9301/],
    ["a drive", manifest({ hooks: { a: "C:evil.lua" } }), /ORCS9301/],
    ["a backslash", manifest({ hooks: { a: "..\\evil.lua" } }), /ORCS9301/],
    ["another package of it", manifest({ hooks: { a: "node_modules/x/a.lua" } }), /ORCS9301/],
    ["a NUL", manifest({ hooks: { a: "a\0.lua" } }), /ORCS9301/],
    ["JavaScript", manifest({ hooks: { a: "a.js" } }), /ORCS9301.*no \.lua file/],
    ["a list of hooks", manifest({ hooks: ["a.lua"] }), /ORCS9301/],
    [
      "a prototype key as an id",
      {
        "package.json":
          '{"name":"@acme/guards","version":"1.0.0","orcs":{"hooks":{"__proto__":"a.lua"}}}',
      },
      /ORCS9301.*__proto__/,
    ],
    [
      "a prototype key as an option",
      {
        "package.json":
          '{"name":"@acme/guards","version":"1.0.0","orcs":{"hooks":{},"options":{"a":{"__proto__":{"x":1}}}}}',
      },
      /ORCS9301.*__proto__/,
    ],
    ["an id like a path", manifest({ hooks: { "../no-prod": "a.lua" } }), /ORCS9301.*id/],
    ["settings", manifest({ hooks: HOOKS, self_guard: false }), /ORCS9301.*self_guard/],
    ["looser limits", manifest({ hooks: HOOKS, permissions: { capabilities: [] } }), /permissions/],
    ["switching off", manifest({ hooks: HOOKS, packages: {} }), /ORCS9301.*packages/],
    ["extending another", manifest({ hooks: HOOKS, extends: ["npm:x"] }), /ORCS9301.*extends/],
    ["another name", manifest({ hooks: HOOKS }, { name: "@other/guards" }), /ORCS9301.*@other/],
    ["no field", manifest(undefined), /ORCS9301.*not a package of hooks/],
    ["no JSON", { "package.json": "{" }, /ORCS9301.*not JSON/],
    ["a later orcs", manifest({ hooks: HOOKS, requires: ">=99.0.0" }), /ORCS9303.*99\.0\.0/],
    ["a huge file", { "hooks/no-prod.lua": `--${"x".repeat(600_000)}` }, /ORCS9302.*larger than/],
    ["a huge package.json", { "package.json": `"${"x".repeat(600_000)}"` }, /ORCS9302/],
    [
      "too many files",
      Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`lua/m${n}.lua`, ""])),
      /ORCS9302.*200 files/,
    ],
    ["a module like one of orcs", { "lua/sha256.lua": "" }, /ORCS9302.*module of orcs/],
    ["a folder like one of orcs", { "lua/shell_guard/git.lua": "" }, /ORCS9302.*module of orcs/],
    ["a module like one of Lua", { "lua/string.lua": "" }, /ORCS9302.*module of Lua/],
    ["a module like orcs itself", { "lua/orcs/init.lua": "" }, /ORCS9302.*module of orcs/],
  ])("is refused with %s", async (_, files, message) => {
    home();
    const dir = project();
    install(dir, files);
    expect(await errorOf(dir)).toMatch(message);
  });

  test.each([
    ["a script", "hooks/no-prod.lua"],
    ["a module", "lua/paths.lua"],
    ["the package.json", "package.json"],
  ])("is refused with a link out of it as %s", async (_, file) => {
    home();
    const dir = project();
    const at = join(dir, "node_modules/@acme/guards", file);
    const outside = join(dir, "outside");
    write(outside, { [file]: GUARDS[file] ?? "" });
    rmSync(at);
    symlinkSync(join(outside, file), at);
    expect(await errorOf(dir)).toMatch(/ORCS9302.*leads out of the package/);
  });

  test("is refused with a link out of it as the folder of its modules", async () => {
    home();
    const dir = project();
    const at = join(dir, "node_modules/@acme/guards/lua");
    rmSync(at, { recursive: true });
    mkdirSync(join(dir, "secrets"));
    symlinkSync(join(dir, "secrets"), at);
    expect(await errorOf(dir)).toMatch(/ORCS9302.*leads out of the package/);
  });

  test.each([
    ["npm:../evil"],
    ["npm:/etc"],
    ["npm:@acme/guards/../../evil"],
    ["npm:"],
    ["npm:..%2fevil"],
    ["https://example.com/x"],
  ])("%s is no package", async (from) => {
    home();
    const dir = folder({ "orcs.toml": `extends = [${JSON.stringify(from)}]\n` });
    expect(await errorOf(dir)).toMatch(/ORCS1004/);
  });

  test("its hooks do not take the place of a hook of the user with the same id", async () => {
    home();
    const mine = `[[hooks]]\nid = "no-prod"\npoint = "tool.pre_execute"\nhandler_inline = "return { action = 'abort', reason = 'mine' }"\n`;
    expect(await decided(project(`${EXTENDS}${mine}`), call("Bash", { command: "x" }))).toBe(
      "mine",
    );
  });

  test("a script of it that states ids of others gets its own", async () => {
    home();
    const two = `return {
      { id = "no-prod", point = "tool.pre_execute", handler = function() end },
      { id = "mine", point = "tool.pre_execute", handler = function() end },
    }\n`;
    const mine = `[[hooks]]\nid = "mine"\npoint = "tool.pre_execute"\nhandler_inline = "return { action = 'abort', reason = 'mine' }"\n`;
    const dir = project(`${EXTENDS}${mine}`, { ...GUARDS, "hooks/note.lua": two });
    const { orcs } = await found(dir, { config: join(dir, "orcs.toml") });
    const ids = orcs.registry.list("tool.pre_execute").map(({ id }) => id);
    expect(ids.sort()).toEqual([
      "@acme/guards/no-prod",
      "@acme/guards/note/mine",
      "@acme/guards/note/no-prod",
      "mine",
    ]);
  });
});

describe("what a configuration says of a package", () => {
  test.each([
    [
      "an option that it does not have",
      `options = { tarrget = "x" }`,
      /ORCS1003.*tarrget[^]*target/,
    ],
    ["an option of another type", `options = { target = 1 }`, /ORCS1004.*expected a text/],
    ["a hook that it does not have", `off = ["no-prd"]`, /ORCS1004.*no-prd[^]*no-prod/],
    ["an unknown key", `of = []`, /ORCS1003/],
  ])("%s", async (_, line, message) => {
    home();
    expect(await errorOf(project(`${EXTENDS}[packages."@acme/guards"]\n${line}\n`))).toMatch(
      message,
    );
  });

  test("a package that it does not use", async () => {
    home();
    const dir = folder({ "orcs.toml": `[packages.other]\noff = []\n` });
    expect(await errorOf(dir)).toMatch(/ORCS1003.*does not use the package other/);
  });

  test("the same package twice", async () => {
    home();
    const dir = project(`extends = ["npm:@acme/guards", "npm:@acme/guards"]\n`);
    expect(await errorOf(dir)).toMatch(/ORCS1006.*twice/);
  });
});
