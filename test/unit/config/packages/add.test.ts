import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { addCommand } from "../../../../src/cli/add.ts";
import { removeCommand } from "../../../../src/cli/remove.ts";
import { call, folder } from "../../engine/orcs/engine.ts";
import { found, home, outcomeOf, PATIENT, trustIt } from "../trust/rig.ts";
import { GUARDS, install, linked, lock, manifest, verb, write } from "./rig.ts";

const PROD = call("Bash", { command: "deploy prod" });
const CONFIG = `# guards of the team\n${PATIENT}`;

/** A project in which the package is installed, and not used. */
function project(config = CONFIG): string {
  const dir = join(folder({ "p/orcs.toml": config }), "p");
  install(dir);
  return dir;
}

const add = (dir: string, ...args: string[]) => verb(addCommand(), dir, ...args);
const remove = (dir: string, ...args: string[]) => verb(removeCommand(), dir, ...args);
const config = (dir: string): string => readFileSync(join(dir, "orcs.toml"), "utf8");
const locked = (dir: string): string[] => {
  const file = join(dir, "orcs.lock");
  if (!existsSync(file)) return [];
  const read = JSON.parse(readFileSync(file, "utf8")) as { packages: object };
  return Object.keys(read.packages);
};

describe("orcs package add", () => {
  test("an installed package: its hooks decide once it is trusted", async () => {
    home();
    const dir = project();
    const { text, code } = await add(dir, "@acme/guards");
    expect(code).toBe(0);
    expect(text).toBe(`npm:@acme/guards 1.0.0 is added to orcs.toml
written: orcs.toml, orcs.lock

hook                  at                script
────────────────────  ────────────────  ─────────────────
@acme/guards/no-prod  tool.pre_execute  hooks/no-prod.lua
@acme/guards/note     tool.pre_execute  hooks/note.lua
option target = "prod"

next: orcs trust
`);
    expect(config(dir)).toContain(
      `# guards of the team\n\nextends = ["npm:@acme/guards"]\n\n[lua]`,
    );
    expect(locked(dir)).toEqual(["@acme/guards"]);
    await trustIt(dir);
    const { orcs } = await found(dir);
    expect(await outcomeOf(orcs, PROD)).toBe("no prod");
  });

  test("a package that is called orcs, and one with the longest name of npm", async () => {
    home();
    const dir = project();
    for (const name of ["orcs", "a".repeat(214)]) {
      install(
        dir,
        { ...GUARDS, "package.json": String(GUARDS["package.json"]).replace("@acme/guards", name) },
        name,
      );
      const { text, code } = await add(dir, name);
      expect([code, text]).toEqual([0, expect.stringContaining(`${name}/no-prod`)]);
    }
    await trustIt(dir);
    const { orcs } = await found(dir);
    expect(orcs.registry.get("orcs/no-prod")).toBeDefined();
    expect(await outcomeOf(orcs, PROD)).toBe("no prod");
  });

  test("a second time changes nothing", async () => {
    home();
    const dir = project();
    await add(dir, "@acme/guards");
    const [text, lockText] = [config(dir), readFileSync(join(dir, "orcs.lock"), "utf8")];
    const again = await add(dir, "npm:@acme/guards");
    expect(again.text).toMatch(/^npm:@acme\/guards 1\.0\.0 is in orcs\.toml\n/);
    expect(again.text).not.toContain("next:");
    expect([config(dir), readFileSync(join(dir, "orcs.lock"), "utf8")]).toEqual([text, lockText]);
  });

  test("--dry-run writes nothing, and --json has what would be written", async () => {
    home();
    const dir = project();
    const { text } = await add(dir, "@acme/guards", "--dry-run", "--json");
    expect(JSON.parse(text)).toEqual({
      dry_run: true,
      name: "@acme/guards",
      version: "1.0.0",
      from: "npm:@acme/guards",
      changed: ["orcs.toml", "orcs.lock"],
      hooks: [
        {
          id: "@acme/guards/no-prod",
          script: "hooks/no-prod.lua",
          points: ["tool.pre_execute"],
        },
        { id: "@acme/guards/note", script: "hooks/note.lua", points: ["tool.pre_execute"] },
      ],
      options: { target: "prod" },
      install_scripts: [],
      next: "orcs trust",
    });
    expect(config(dir)).toBe(CONFIG);
    expect(locked(dir)).toEqual([]);
  });

  test("a folder, as it is named from a folder below", async () => {
    home();
    const dir = project();
    write(join(dir, "shared"), GUARDS);
    mkdirSync(join(dir, "src"));
    await add(join(dir, "src"), "../shared");
    expect(config(dir)).toContain(`extends = ["./shared"]`);
    expect(locked(dir)).toEqual([]);
    await trustIt(dir);
    const { orcs } = await found(dir);
    expect(await outcomeOf(orcs, PROD)).toBe("no prod");
  });

  test("to the user's own configuration, which need not exist, and is active at once", async () => {
    const { userDir } = home();
    const dir = folder({ "p/a": "" });
    install(userDir);
    const { text } = await add(join(dir, "p"), "@acme/guards", "--user");
    expect(text).not.toContain("next:");
    expect(readFileSync(join(userDir, "orcs.toml"), "utf8")).toBe(
      `extends = ["npm:@acme/guards"]\n`,
    );
    const { orcs } = await found(join(dir, "p"), { overrides: { lua: { max_run_ms: 5000 } } });
    expect(await outcomeOf(orcs, PROD)).toBe("no prod");
  });

  test("a linked package: the lock records that it is a link", async () => {
    home();
    const dir = project();
    const source = write(join(dirname(dir), "guards"), GUARDS);
    rmSync(join(dir, "node_modules"), { recursive: true });
    linked(dir, source);
    await add(dir, "@acme/guards");
    expect(readFileSync(join(dir, "orcs.lock"), "utf8")).toContain(`"link": true`);
  });

  test("shows what npm would run, and characters of a terminal as escapes", async () => {
    home();
    const dir = project();
    const orcs = { hooks: {}, options: { "\u001b[2J": "x" } };
    install(dir, manifest(orcs, { scripts: { postinstall: "node x.js", test: "true" } }));
    write(join(dir, "node_modules/@acme/guards"), { "binding.gyp": "{}" });
    const { text } = await add(dir, "@acme/guards");
    expect(text).toContain("warning: npm runs postinstall, binding.gyp of this package");
    expect(text).toContain("it has no hooks");
    expect(text).not.toContain("\u001b");
  });

  test.each<[string, (dir: string) => void, string, RegExp]>([
    [
      "a package that is not installed",
      (dir) => rmSync(join(dir, "node_modules"), { recursive: true }),
      "@acme/guards",
      /ORCS9300.*npm install --save-dev --ignore-scripts @acme\/guards$/,
    ],
    [
      "a version",
      () => {},
      "@acme/guards@2.0.0",
      /ORCS5001.*npm install .* @acme\/guards@2\.0\.0, then use @acme\/guards/,
    ],
    ["a name that is too long", () => {}, "a".repeat(300), /ORCS5001.*at most 214 characters/],
    ["a URL", () => {}, "https://example.com/x.tgz", /ORCS5001.*names no package/],
    ["a path in a package", () => {}, "@acme/guards/note.lua", /ORCS5001/],
    ["a folder without ./", (dir) => mkdirSync(join(dir, "A b")), "A b", /ORCS5001.*\.\/A b/],
    ["a folder that is none", () => {}, "./none", /ORCS9300/],
    [
      "another package of the same name",
      (dir) => {
        write(join(dir, "shared"), GUARDS);
        writeFileSync(join(dir, "orcs.toml"), `extends = ["./shared"]\n`);
      },
      "@acme/guards",
      /ORCS1006.*as is \.\/shared/,
    ],
    [
      "a file that changed since it was locked",
      (dir) => {
        lock(dir);
        install(dir, { "hooks/note.lua": "return function() end\n" });
      },
      "@acme/guards",
      /ORCS9305.*hooks\/note\.lua/,
    ],
    [
      "a path out of the package",
      (dir) => install(dir, manifest({ hooks: { a: "../../evil.lua" } })),
      "@acme/guards",
      /ORCS9301.*inside the package/,
    ],
    [
      "an extends that is no list",
      (dir) => writeFileSync(join(dir, "orcs.toml"), `extends = "./shared"\n`),
      "@acme/guards",
      /ORCS9307.*add npm:@acme\/guards yourself/,
    ],
    [
      "a configuration that is no TOML",
      (dir) => writeFileSync(join(dir, "orcs.toml"), `extends = [`),
      "@acme/guards",
      /ORCS1015/,
    ],
    [
      "a lock that is damaged",
      (dir) => writeFileSync(join(dir, "orcs.lock"), "{"),
      "@acme/guards",
      /ORCS9306/,
    ],
  ])("refuses %s, and changes nothing", async (_, prepare, word, message) => {
    home();
    const dir = project();
    prepare(dir);
    const before = [config(dir), existsSync(join(dir, "orcs.lock"))];
    await expect(add(dir, word)).rejects.toThrow(message);
    expect([config(dir), existsSync(join(dir, "orcs.lock"))]).toEqual(before);
  });

  test("refuses without a configuration", async () => {
    home();
    const dir = folder({ a: "" });
    await expect(add(dir, "@acme/guards")).rejects.toThrow(/ORCS5001.*orcs init/);
  });

  test("all or nothing: the configuration stays when the lock cannot be written", async () => {
    home();
    const dir = project();
    mkdirSync(join(dir, "orcs.lock"));
    await expect(add(dir, "@acme/guards")).rejects.toThrow(/ORCS9306|ORCS5002/);
    expect(config(dir)).toBe(CONFIG);
  });
});

describe("orcs package remove", () => {
  test("gives the text before orcs package add, whatever was set since", async () => {
    home();
    const dir = project();
    await add(dir, "@acme/guards");
    const settings = `\n[packages."@acme/guards"]\noff = ["note"] # too much\n`;
    writeFileSync(join(dir, "orcs.toml"), config(dir) + settings);
    const { text, code } = await remove(dir, "@acme/guards");
    expect([text, code]).toEqual([
      "npm:@acme/guards is removed from orcs.toml\nwritten: orcs.toml, orcs.lock\nnext: orcs trust\n",
      0,
    ]);
    expect(config(dir)).toBe(CONFIG);
    expect(locked(dir)).toEqual([]);
    const { orcs } = await found(dir, { config: join(dir, "orcs.toml") });
    expect(orcs.registry.list()).toEqual([]);
  });

  test("works without the package, and for a folder", async () => {
    home();
    const dir = project();
    write(join(dir, "shared"), {
      "package.json": JSON.stringify({ name: "s", version: "1.0.0", orcs: { hooks: {} } }),
    });
    await add(dir, "@acme/guards");
    await add(dir, "./shared");
    rmSync(join(dir, "node_modules"), { recursive: true });
    await remove(dir, "./shared");
    await remove(dir, "@acme/guards");
    expect(config(dir)).toBe(CONFIG);
  });

  test("keeps the settings and the lock while a script of the package is used", async () => {
    home();
    const dir = project();
    await add(dir, "@acme/guards");
    const more = `[packages."@acme/guards"]\noptions = { target = "x" }\n[[hooks]]\nscript = "npm:@acme/guards/no-prod.lua"\n`;
    writeFileSync(join(dir, "orcs.toml"), config(dir) + more);
    const { text } = await remove(dir, "@acme/guards");
    expect(text).toContain("a hook still uses one of its scripts");
    expect(config(dir)).toBe(CONFIG + more);
    expect(locked(dir)).toEqual(["@acme/guards"]);
    await trustIt(dir);
  });

  test("keeps the lock while orcs.local.toml uses the package", async () => {
    home();
    const dir = project();
    await add(dir, "@acme/guards");
    writeFileSync(join(dir, "orcs.local.toml"), `extends = ["npm:@acme/guards"]\n`);
    await remove(dir, "@acme/guards");
    expect(locked(dir)).toEqual(["@acme/guards"]);
  });

  test("a package that is not used changes nothing, and a near name is shown", async () => {
    home();
    const dir = project();
    await add(dir, "@acme/guards");
    const before = config(dir);
    const { text, code } = await remove(dir, "@acme/guard");
    expect(code).toBe(0);
    expect(text).toMatch(
      /does not have npm:@acme\/guard: nothing to remove; did you mean npm:@acme\/guards\?/,
    );
    expect(config(dir)).toBe(before);
    expect(locked(dir)).toEqual(["@acme/guards"]);
  });

  test("--dry-run writes nothing, and --json has what would be written", async () => {
    home();
    const dir = project();
    await add(dir, "@acme/guards");
    const before = config(dir);
    const { text } = await remove(dir, "@acme/guards", "--dry-run", "--json");
    expect(JSON.parse(text)).toEqual({
      dry_run: true,
      from: "npm:@acme/guards",
      changed: ["orcs.toml", "orcs.lock"],
      still_used: false,
      next: "orcs trust",
    });
    expect(config(dir)).toBe(before);
    expect(locked(dir)).toEqual(["@acme/guards"]);
  });
});
