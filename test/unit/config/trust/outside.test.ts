import { execFileSync } from "node:child_process";
import { closeSync, ftruncateSync, mkdirSync, openSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { trust } from "../../../../src/config/trust/inspect-project.ts";
import { errorOf, folder } from "../../engine/orcs/engine.ts";
import {
  found,
  hashesOf,
  hook,
  home,
  link,
  look,
  outcomeOf,
  PATIENT,
  stateOf,
  trustIt,
} from "./rig.ts";
import { quickTest as it, slowTest } from "../../../slow-test.ts";

/** What lies outside of every project, and would act. */
function elsewhere(): string {
  return folder({
    "evil.lua": 'return function(ctx) ctx.metadata.said = "evil" end\n',
    "mod.lua": "return 1\n",
    "evil.sh": "exit 0\n",
    "evil.mjs": "export default function () {}\n",
    "orcs.toml": hook("evil", `handler_inline = 'ctx.metadata.said = "evil"'`),
    secret: 'password = "hunter2"\nthis is no TOML\n',
  });
}

/** That it is refused whatever the user says of it, and that nothing of it runs. */
async function expectRefused(dir: string, code: string): Promise<void> {
  const seen = await look(dir);
  const codes = [...seen.problems, ...(seen.configError?.diagnostics ?? [])].map(
    (each) => each.code,
  );
  expect(codes).toContain(code);
  for (const dev of [false, true]) {
    const { store } = home();
    if (dev) {
      trust(seen, store, dev);
      expect(await stateOf(dir)).toBe("dev");
      const error = await errorOf(found(dir));
      expect(error.diagnostics.map((each) => each.code)).toContain(code);
    } else {
      expect(["ORCS8001", "ORCS1015"]).toContain(
        (await errorOf(() => trust(seen, store, dev))).code,
      );
      const { orcs } = await found(dir);
      expect(orcs.registry.list()).toEqual([]);
      expect(await outcomeOf(orcs)).toBeUndefined();
    }
  }
}

describe("files outside the project are rejected with ORCS8003", () => {
  const dirs = (list: string) => `[scripts]\ndirs = [${list}]\n`;
  const script = (name: string) => hook("h", `script = "${name}"`);
  const shell = (command: string) => hook("h", `shell = '${command}'`);
  const module = (name: string) => hook("h", `module = "${name}"`);
  const UP = "../../../../../../..";
  const MODULE = "export default () => {};\n";
  /** A configuration, links by their names, and files; OUT is a folder elsewhere. */
  it.each<[string, string, Record<string, string>?, Record<string, string>?]>([
    ["a script, absolute", script("OUT/evil.lua")],
    ["a script, by dots", script("../../NEAR/evil.lua"), { "../NEAR": "OUT" }],
    ["a script that is a link", script("h.lua"), { "hooks/h.lua": "OUT/evil.lua" }],
    [
      "a script behind a chain of links",
      script("h.lua"),
      { "hooks/h.lua": "next.lua", "hooks/next.lua": "../last.lua", "last.lua": "OUT/evil.lua" },
    ],
    ["a script in a folder that is a link", script("sub/evil.lua"), { "hooks/sub": "OUT" }],
    ["the folder of scripts", "", { hooks: "OUT" }],
    ["a folder of scripts, absolute", dirs('"OUT"')],
    ["a folder of scripts, by dots", dirs('"hooks", ".."')],
    ["the folder of processes", dirs('"/proc"')],
    ["a folder of scripts that is not there yet", dirs('"hooks", "OUT/later"')],
    ["a folder of scripts that is not there yet, by dots", dirs('"../later"')],
    ["a file that a hook lists", hook("h", 'shell = "true"\nfiles = ["../x"]')],
    ["the root", dirs('"/"')],
    ["a program, by dots", shell(`${UP}OUT/evil.sh`)],
    ["a program that is a link", shell("./check.sh"), { "check.sh": "OUT/evil.sh" }],
    [
      "a word of a command that is a link",
      shell('sh "$ORCS_CONFIG_DIR"/check.sh'),
      { "check.sh": "OUT/evil.sh" },
    ],
    ["a word of a command, by dots", shell(`sh "$ORCS_CONFIG_DIR/${UP}OUT/evil.sh"`)],
    ["a module, absolute", module("OUT/evil.mjs")],
    ["a module that is a link", module("./m.mjs"), { "m.mjs": "OUT/evil.mjs" }],
    [
      "what a module imports",
      module("./m.mjs"),
      {},
      { "m.mjs": `import "${UP}OUT/evil.mjs";\n${MODULE}` },
    ],
    [
      "what a module imports that is a link",
      module("./m.mjs"),
      { "dep.mjs": "OUT/evil.mjs" },
      { "m.mjs": `import "./dep.mjs";\n${MODULE}` },
    ],
  ])("%s", async (_name, toml, links = {}, files = {}) => {
    home();
    const there = elsewhere();
    const dir = folder();
    const near = `${there.split("/").at(-1)}-near`;
    const placed = (text: string) => text.replaceAll("OUT", there).replaceAll("NEAR", near);
    for (const [at, to] of Object.entries(links)) link(join(dir, placed(at)), placed(to));
    for (const [name, text] of Object.entries({ ...files, "orcs.toml": toml }))
      writeFileSync(join(dir, name), placed(text));
    await expectRefused(dir, "ORCS8003");
  });

  it.each(["orcs.toml", "orcs.local.toml"])("%s as a symlink is not read", async (name) => {
    home();
    const there = elsewhere();
    for (const target of ["orcs.toml", "secret"]) {
      const dir = folder(name === "orcs.toml" ? {} : { "orcs.toml": "" });
      symlinkSync(join(there, target), join(dir, name));
      const seen = await look(dir);
      expect(JSON.stringify([seen.configError, seen.problems])).not.toContain("hunter2");
      await expectRefused(dir, "ORCS8003");
    }
  });

  it.each(["/proc/self/environ", "/proc/self/mem", "/dev/zero", "/dev/stdin", "/dev/tty"])(
    "%s as a configuration is rejected",
    async (target) => {
      home();
      const dir = folder();
      symlinkSync(target, join(dir, "orcs.toml"));
      const seen = await look(dir);
      expect(seen.configError?.message).not.toContain("PATH=");
      expect(seen.problems.map(({ code }) => code)).toContain("ORCS8003");
      const { orcs } = await found(dir);
      expect(orcs.registry.list()).toEqual([]);
    },
  );

  it("a Lua module outside the project is not found", async () => {
    home();
    const there = elsewhere();
    const dir = folder({
      "orcs.toml": hook("h", 'script = "h.lua"') + PATIENT,
      "hooks/h.lua":
        'return function(ctx) ctx.metadata.said = tostring(pcall(require, "mod")) end\n',
    });
    symlinkSync(join(there, "mod.lua"), join(dir, "hooks/mod.lua"));
    await trustIt(dir);
    const { orcs } = await found(dir);
    expect(await outcomeOf(orcs)).toBe("false");
  });

  it("a symlink within the project is accepted", async () => {
    home();
    const dir = folder({
      "orcs.toml": `[scripts]\ndirs = ["hooks", "again"]\n${hook("h", 'script = "around/h.lua"')}${PATIENT}`,
      "real/h.lua": 'return function(ctx) ctx.metadata.said = require("mod") end\n',
      "real/mod.lua": 'return "real"\n',
    });
    symlinkSync("real", join(dir, "hooks"));
    // Folders that are links to what they stand in.
    symlinkSync(".", join(dir, "real/around"));
    symlinkSync(".", join(dir, "again"));
    // By the names that they are loaded by, too, since a copy has no links.
    expect(Object.keys(hashesOf(await trustIt(dir)))).toEqual([
      "hooks/around/h.lua",
      "hooks/mod.lua",
      "orcs.toml",
      "real/h.lua",
      "real/mod.lua",
    ]);
    const { orcs } = await found(dir);
    expect(await outcomeOf(orcs)).toBe("real");
  });

  it("dangling or circular symlinks are treated as missing", async () => {
    home();
    for (const [name, target] of [
      ["gone.lua", "nowhere.lua"],
      ["loop.lua", "loop.lua"],
      ["one.lua", "two.lua"],
    ] as const) {
      const dir = folder({ "orcs.toml": hook("h", `script = "${name}"`) });
      link(join(dir, "hooks", name), target);
      link(join(dir, "hooks/two.lua"), "one.lua");
      await expectRefused(dir, "ORCS1009");
    }
    const dir = folder({ "orcs.toml": "" });
    link(join(dir, "hooks"), "hooks");
    expect((await trustIt(dir)).problems).toEqual([]);
  });
});

describe("special files are not read", () => {
  /** Makes what is not a plain file. */
  const make: Readonly<Record<string, (path: string) => void>> = {
    pipe: (path) => void execFileSync("sh", ["-c", 'mkfifo -m 600 "$0"', path]),
    folder: (path) => mkdirSync(path),
    "link to a device": (path) => symlinkSync("/dev/zero", path),
  };
  it.each(Object.keys(make))("a %s", async (kind) => {
    home();
    for (const [name, toml] of [
      ["orcs.toml", undefined],
      ["orcs.local.toml", ""],
      ["hooks/h.lua", hook("h", 'script = "h.lua"')],
      ["check.sh", hook("h", `shell = 'sh "$ORCS_CONFIG_DIR/check.sh"'`)],
      ["m.mjs", hook("h", 'module = "./m.mjs"')],
    ] as const) {
      const dir = folder({ "hooks/other.lua": "" });
      if (toml !== undefined) writeFileSync(join(dir, "orcs.toml"), toml);
      make[kind]?.(join(dir, name));
      const seen = await look(dir);
      const problems = [...seen.problems, ...(seen.configError?.diagnostics ?? [])];
      expect(problems.length > 0, `${kind} ${name}`).toBe(true);
    }
  });

  it("a Lua module that is a named pipe is not found", async () => {
    home();
    const dir = folder({
      "orcs.toml": hook("h", 'script = "h.lua"') + PATIENT,
      "hooks/h.lua":
        'return function(ctx) ctx.metadata.said = tostring(pcall(require, "mod")) end\n',
    });
    execFileSync("sh", ["-c", 'mkfifo -m 600 "$0"', join(dir, "hooks/mod.lua")]);
    await trustIt(dir);
    expect(await outcomeOf((await found(dir)).orcs)).toBe("false");
  });
});

describe("input that is too large is not read at startup", () => {
  function sparse(path: string, bytes: number): void {
    const file = openSync(path, "w");
    ftruncateSync(file, bytes);
    closeSync(file);
  }

  it.each(["orcs.toml", "orcs.local.toml", "hooks/h.lua", "check.sh", "m.mjs", "hooks/mod.lua"])(
    "%s of 10 GB",
    async (name) => {
      home();
      const dir = folder({
        "orcs.toml": `${hook("h", 'script = "h.lua"')}${hook("s", 'shell = "./check.sh"')}${hook("m", 'module = "./m.mjs"')}`,
        "hooks/h.lua": 'local m = require("mod")\nreturn function() end\n',
        "hooks/mod.lua": "return 1\n",
        "check.sh": "",
        "m.mjs": "",
      });
      sparse(join(dir, name), 10 * 2 ** 30);
      const before = process.memoryUsage().rss;
      const { problems } = await look(dir);
      expect(problems.length).toBeGreaterThan(0);
      expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20);
    },
  );

  slowTest("many files with a large total size", async () => {
    home();
    const names = Array.from({ length: 100 }, (_, i) => `m${i}`);
    const dir = folder({
      "orcs.toml": hook("h", 'script = "h.lua"'),
      "hooks/h.lua": `${names.map((name) => `require("${name}")`).join("\n")}\nreturn function() end\n`,
    });
    for (const name of names) sparse(join(dir, `hooks/${name}.lua`), 15 * 2 ** 20);
    const before = process.memoryUsage().rss;
    const { problems } = await look(dir);
    expect(problems[0]?.message).toContain("more than 10000 files or");
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 2 ** 20);
  });

  slowTest("more files than the maximum", async () => {
    home();
    const lines = Array.from({ length: 12_000 }, (_, i) => `require("m${i}")`);
    const dir = folder({
      "orcs.toml": hook("h", 'script = "h.lua"'),
      "hooks/h.lua": `${lines.join("\n")}\nreturn function() end\n`,
    });
    for (const i of lines.keys()) writeFileSync(join(dir, `hooks/m${i}.lua`), "");
    const { problems } = await look(dir);
    expect(problems[0]?.message).toContain("more than 10000 files or");
    expect(problems).toHaveLength(1);
    // However many there are that are not named.
    writeFileSync(join(dir, "hooks/h.lua"), "return function() end\n");
    const started = performance.now();
    expect((await look(dir)).problems).toEqual([]);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it("paths longer than the maximum", async () => {
    home();
    const deep = Array.from({ length: 21 }, () => "d".repeat(200));
    const dir = folder({
      "orcs.toml": hook("h", `shell = 'sh "$ORCS_CONFIG_DIR/${deep.join("/")}/x.sh"'`),
    });
    mkdirSync(join(dir, ...deep.slice(0, 16)), { recursive: true });
    expect((await look(dir)).problems.map(({ code }) => code)).toEqual(["ORCS1009"]);
    writeFileSync(join(dir, "orcs.toml"), "");
    await trustIt(dir);
    const below = join(dir, ...deep.slice(0, 16));
    expect(await stateOf(below)).toBe("trusted");
  });

  slowTest.each<[string, string]>([
    ["a word without end", `shell = '''${"x".repeat(2 ** 20)}'''`],
    ["quotes without end", `shell = '''${`"'`.repeat(2 ** 18)}'''`],
    ["nothing but spaces", `shell = '''a${" ".repeat(2 ** 20)}'''`],
    ["backslashes", `shell = '''a${"\\".repeat(2 ** 20)}'''`],
    ["require, again and again", `handler_inline = '''${"require  ".repeat(2 ** 17)}'''`],
    ["require and spaces", `handler_inline = '''require(${" ".repeat(2 ** 20)}'''`],
    ["require and brackets", `handler_inline = '''${"require[====[".repeat(2 ** 16)}'''`],
  ])("code that is slow to analyze: %s", async (_name, handler) => {
    home();
    const dir = folder({ "orcs.toml": hook("h", handler) });
    const started = performance.now();
    await look(dir);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  slowTest.each<[string, string]>([
    ["keys of many dots", `a${".a".repeat(500_000)} = 1`],
    ["tables of many dots", `[a${".a".repeat(500_000)}]`],
    ["lists of lists", `a = ${"[".repeat(500_000)}`],
    ["tables in tables", `a = ${"{a=".repeat(300_000)}`],
    ["more than anybody would write", "#\n".repeat(1.5 * 2 ** 20)],
  ])("a configuration that is slow to parse: %s", async (_name, text) => {
    home();
    const dir = folder({ "orcs.toml": text });
    const started = performance.now();
    const { configError: mistakes } = await look(dir);
    expect(mistakes?.code).toBe("ORCS1015");
    expect(performance.now() - started).toBeLessThan(10_000);
    // Of one that nobody has trusted, nothing is looked through.
    const again = performance.now();
    const { orcs } = await found(dir);
    expect(orcs.registry.list()).toEqual([]);
    expect(performance.now() - again).toBeLessThan(2000);
  });

  slowTest("imports that are slow to analyze", async () => {
    home();
    for (const text of [
      " from ".repeat(2 ** 18),
      `import(${" ".repeat(2 ** 20)}`,
      'from "./'.repeat(2 ** 17),
    ]) {
      const dir = folder({ "orcs.toml": hook("h", 'module = "./m.mjs"'), "m.mjs": text });
      const started = performance.now();
      expect(Object.keys(hashesOf(await look(dir)))).toEqual(["m.mjs", "orcs.toml"]);
      expect(performance.now() - started).toBeLessThan(10_000);
    }
  });
});

it("a configuration that refers to itself is read once", async () => {
  home();
  const dir = folder({
    "orcs.toml": `${hook("cat", `shell = 'cat "$ORCS_CONFIG_DIR/orcs.toml" "$ORCS_CONFIG_DIR/around/orcs.toml"'`)}${hook("self", 'script = "../orcs.toml"')}`,
    "hooks/x.lua": "",
  });
  symlinkSync(".", join(dir, "around"));
  expect(Object.keys(hashesOf(await look(dir)))).toEqual(["orcs.toml"]);
  const own = folder({ "orcs.toml": hook("self", 'module = "./orcs.toml"') });
  await trustIt(own);
  // It is TOML, and neither Lua nor JavaScript.
  expect((await errorOf(found(own))).diagnostics[0]?.code).toBe("ORCS1018");
  await expect(found(dir)).resolves.toBeDefined();
});
