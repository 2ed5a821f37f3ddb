import {
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { folder } from "../../engine/orcs/engine.ts";
import { hashesOf, hook, home, look, stateOf, trustIt } from "./rig.ts";
import { quickTest as it, runCount, slowTest } from "../../../slow-test.ts";

/** A project that names files in every way there is. */
const WHOLE: Readonly<Record<string, string>> = {
  "orcs.toml": `
[scripts]
dirs = ["hooks", "more"]
${hook("script", 'script = "guard.lua"')}
${hook("beside", 'script = "beside.lua"')}
${hook("inline", `handler_inline = 'local m = require("inline_mod") return m.run(ctx)'`)}
${hook("shell", 'shell = "./check.sh --rules \\"$ORCS_DIR/rules.json\\""\nfiles = ["rules.json", "data"]')}
${hook("spaced", `shell = 'sh "$ORCS_CONFIG_DIR/with space.sh"'`)}
${hook("joined", `shell = 'sh "$ORCS_CONFIG_DIR"/joined.sh'`)}
${hook("veiled", `shell = "sh \${ORCS_CONFIG_DIR}/ve'il'\\\\ed.sh"`)}
${hook("nested", `shell = 'sh -c "cat $ORCS_CONFIG_DIR/a.txt | sh $ORCS_CONFIG_DIR/nested.sh"'`)}
${hook("words", `shell = 'node "$ORCS_DIR/tools/words.mjs" --config=tools/words.json'`)}
${hook("module", 'module = "./audit.mjs#onTool"')}
[agents.reviewer]
[[agents.reviewer.hooks]]
id = "theirs"
point = "tool.pre_execute"
script = "theirs.lua"
[agents.other]
[[agents.other.hooks]]
id = "check"
point = "tool.pre_execute"
shell = "./other.sh"
`,
  "orcs.local.toml": hook("local", 'script = "local.lua"'),
  "hooks/guard.lua": `local a = require("a")\nlocal b = require 'b.c'\nlocal d = require[[d]]\nrequire [==[e]==]\npcall(require, "f")\nrequire\n(\n"g")\nreturn function(ctx) end\n`,
  "hooks/a.lua": 'return require("deep.er")\n',
  "hooks/b/c.lua": "return 1\n",
  "hooks/d/init.lua": 'require "a"\nreturn 1\n',
  "hooks/e.lua": "return 1\n",
  "hooks/f.lua": "return 1\n",
  "more/g.lua": "return 1\n",
  "hooks/deep/er.lua": 'pcall(require, "a")\nreturn 1\n',
  "hooks/inline_mod.lua": "return { run = function() end }\n",
  "beside.lua": 'require("beside_mod")\nreturn function() end\n',
  "beside_mod.lua": "return 1\n",
  "hooks/local.lua": "return function() end\n",
  "more/theirs.lua": 'require("their_mod")\nreturn function() end\n',
  "more/their_mod.lua": "return 1\n",
  "check.sh": "#!/bin/sh\nexit 0\n",
  "rules.json": "{}\n",
  "with space.sh": "exit 0\n",
  "joined.sh": "exit 0\n",
  "veiled.sh": "exit 0\n",
  "data/one.txt": "1\n",
  "data/more/two.txt": "2\n",
  "nested.sh": "exit 0\n",
  "tools/words.mjs": "",
  "other.sh": "exit 0\n",
  "audit.mjs":
    'import { x } from "./lib/x.mjs";\nexport { y } from \'./lib/y.js\';\nimport("./lib/late.mjs");\nimport data from "./data.json" with { type: "json" };\nexport function onTool() {}\n',
  "lib/x.mjs": 'import "../audit.mjs";\nimport "./round.mjs";\nexport const x = 1;\n',
  "lib/round.mjs": 'import "./x.mjs";\n',
  "lib/y.js":
    'const z = require("./z");\nrequire("./folder");\nrequire("./described");\nexports.y = z;\n',
  "lib/z.js": "",
  "lib/folder/index.js": "",
  "lib/described/package.json": '{ "main": "./main" }\n',
  "lib/described/main.js": "",
  "lib/late.mjs": "",
  "data.json": "{}\n",
};

/** What it does not run, some of it named by commands as data. */
const OTHERS: Readonly<Record<string, string>> = {
  "a.txt": "a\n",
  "tools/words.json": "{}\n",
  "README.md": "guard.lua\n",
  "hooks/unused.lua": "return function() end\n",
  "more/a.lua": "-- an earlier folder has one\nreturn 1\n",
  "lib/unused.mjs": "",
  "sub/check.sh": "exit 0\n",
  "unused.sh": "exit 0\n",
};

describe("the trusted file set", () => {
  it("has all files that the configuration names, transitively", async () => {
    home();
    const dir = folder({ ...WHOLE, ...OTHERS });
    const seen = await look(dir);
    expect(seen.configError).toBeUndefined();
    expect(seen.problems).toEqual([]);
    expect(seen.unsealed).toEqual([]);
    expect(Object.keys(hashesOf(seen)).sort()).toEqual(Object.keys(WHOLE).sort());
  });

  it("has modules required by shipped scripts and by scripts in other roots", async () => {
    home();
    const dir = folder({
      "orcs.toml": `[scripts]\ndirs = ["hooks"]\n${hook("one", 'script = "first.lua"')}${hook("two", 'script = "other/second.lua"')}`,
      "hooks/first.lua": 'require("shared")\nreturn function() end\n',
      "hooks/other/second.lua": 'require("shared")\nreturn function() end\n',
      // Found from the folder of the second alone.
      "hooks/shared.lua": 'pcall(require, "own")\nreturn 1\n',
      "hooks/other/own.lua": "return 1\n",
    });
    expect(Object.keys(hashesOf(await look(dir)))).toContain("hooks/other/own.lua");
  });

  it("follows requires of a script that a command also names", async () => {
    home();
    const dir = folder({
      "orcs.toml": `${hook("lint", 'shell = "luac -p hooks/guard.lua"')}${hook("guard", 'script = "guard.lua"')}`,
      "hooks/guard.lua": 'require("mod")\nreturn function() end\n',
      "hooks/mod.lua": "return 1\n",
    });
    expect(Object.keys(hashesOf(await look(dir)))).toContain("hooks/mod.lua");
  });

  it.each([
    "npm run check",
    "make check",
    "find checks -name '*.sh' -exec sh {} \\;",
    "for f in checks/*; do $f; done",
    "for f in checks/*; do sh $f; done",
    "${X:-./check.sh}",
    "cat checks/check.sh | sh",
    'sh < "$CLAUDE_PROJECT_DIR/checks/check.sh"',
    "python3 -m checks",
    "python3 -c 'import checks'",
    "node -e 'require(`./checks`)'",
    'node -r "$CLAUDE_PROJECT_DIR/checks/check.sh" "$ORCS_DIR/checks/check.sh"',
    "xargs sh checks/other.sh",
    "git status",
    '"$CLAUDE_PROJECT_DIR"/checks/check.sh',
    '"$CLAUDE_PROJECT_DIR/checks/check.sh"',
    "sh ${GEMINI_PROJECT_DIR}/checks/check.sh",
    'sh "${CLAUDE_PROJECT_DIR:-.}/checks/check.sh"',
    "sh $PWD/checks/check.sh",
    "sh $(pwd)/checks/check.sh",
    'sh "$(git rev-parse --show-toplevel)"/checks/check.sh',
    'sh "`pwd`/checks/check.sh"',
    "cd checks && sh check.sh",
    'cd "$CLAUDE_PROJECT_DIR/checks" && sh check.sh',
    'make -C "$CLAUDE_PROJECT_DIR/checks" -f check.sh',
  ])("shows unanalyzable commands as unsealed: %s", async (command) => {
    home();
    const dir = folder({
      "orcs.toml": hook("h", `shell = { command = '''${command}''', protocol = "claude-code" }`),
    });
    mkdirSync(join(dir, "checks"));
    writeFileSync(join(dir, "checks/check.sh"), "exit 0\n");
    const { configError: mistakes, unsealed } = await look(dir);
    expect(mistakes).toBeUndefined();
    expect(unsealed.length).toBeGreaterThan(0);
  });

  it("excludes programs of the system and of the user", async () => {
    home();
    const program = join(folder({ tool: "exit 0\n" }), "tool");
    const dir = folder({ "orcs.toml": hook("h", `shell = "/bin/sh ${program} -x ~/x $HOME/x"`) });
    const seen = await look(dir);
    expect(seen.problems).toEqual([]);
    expect(Object.keys(hashesOf(seen))).toEqual(["orcs.toml"]);
  });

  it("has the module files that Node would load, including symlinks", async () => {
    home();
    const dir = folder({
      "orcs.toml": hook("m", 'module = "./linked.mjs"'),
      "lib/real.mjs": 'import "./dep.mjs";\nexport default function () {}\n',
      "lib/dep.mjs": "",
      "dep.mjs": "throw new Error('not this one')",
    });
    symlinkSync("lib/real.mjs", join(dir, "linked.mjs"));
    expect(Object.keys(hashesOf(await look(dir)))).toEqual([
      "lib/dep.mjs",
      "linked.mjs",
      "orcs.toml",
    ]);
  });

  it("works for a folder name that needs quotes", async () => {
    home();
    const dir = join(folder(), 'it\'s a "project" $HOME');
    mkdirSync(dir);
    writeFileSync(join(dir, "orcs.toml"), hook("check", 'shell = "./check.sh"'));
    writeFileSync(join(dir, "check.sh"), "exit 0\n");
    expect(Object.keys(hashesOf(await look(dir)))).toEqual(["check.sh", "orcs.toml"]);
  });
});

describe("changes that end trust", () => {
  slowTest("one changed byte at any place of any of its files", async () => {
    home();
    const dir = folder({ ...WHOLE, ...OTHERS });
    const { digest } = await trustIt(dir);
    const names = Object.entries(WHOLE).flatMap(([name, text]) => (text === "" ? [] : [name]));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        fc.constantFrom("flip", "insert", "cut"),
        async (name, place, mask, how) => {
          const file = join(dir, name);
          const bytes = readFileSync(file);
          const at = place % bytes.length;
          const before = bytes.subarray(0, at);
          const after = bytes.subarray(at + (how === "insert" ? 0 : 1));
          const middle = how === "cut" ? [] : [(bytes[at] ?? 0) ^ mask];
          writeFileSync(file, Buffer.concat([before, Buffer.from(middle), after]));
          try {
            const now = await look(dir);
            expect(now.digest).not.toBe(digest);
            expect(now.isSealed).toBe(false);
            expect(now.active).toBe(digest);
          } finally {
            writeFileSync(file, bytes);
          }
        },
      ),
      { numRuns: runCount(120) },
    );
    expect(await stateOf(dir)).toBe("trusted");
  });

  it("a byte in an empty file", async () => {
    home();
    const dir = folder({ ...WHOLE });
    await trustIt(dir);
    writeFileSync(join(dir, "lib/z.js"), "\n");
    expect((await look(dir)).changed).toEqual([{ name: "lib/z.js", is: "changed" }]);
  });

  slowTest("but not a change of a file outside the set", async () => {
    home();
    const dir = folder({ ...WHOLE, ...OTHERS });
    await trustIt(dir);
    for (const name of Object.keys(OTHERS)) {
      writeFileSync(join(dir, name), "something else");
      expect(await stateOf(dir), name).toBe("trusted");
      rmSync(join(dir, name));
      expect(await stateOf(dir), name).toBe("trusted");
    }
  });

  const put = (name: string, text: string) => (dir: string) => writeFileSync(join(dir, name), text);
  const move = (dir: string, ...names: string[]) =>
    names.slice(1).forEach((to, i) => renameSync(join(dir, names[i] ?? ""), join(dir, to)));
  it.each<[string, (dir: string) => void, string]>([
    [
      "a module of the same name in an earlier folder",
      put("hooks/g.lua", "return 2\n"),
      "hooks/g.lua new, more/g.lua gone",
    ],
    [
      "a module that stands in for an init.lua",
      put("hooks/d.lua", "return 2\n"),
      "hooks/d.lua new, hooks/d/init.lua gone",
    ],
    [
      "a script of the same name in an earlier folder",
      (dir) => cpSync(join(dir, "more/theirs.lua"), join(dir, "hooks/theirs.lua")),
      "hooks/theirs.lua new, more/theirs.lua gone",
    ],
    ["a JavaScript file before another", put("lib/z", ""), "lib/z new, lib/z.js gone"],
    [
      "a local file",
      (dir) => rmSync(join(dir, "orcs.local.toml")),
      "hooks/local.lua gone, orcs.local.toml gone",
    ],
    [
      "a module that has moved",
      (dir) => move(dir, "hooks/e.lua", "more/e.lua"),
      "hooks/e.lua gone, more/e.lua new",
    ],
    [
      "two files that have changed places",
      (dir) => {
        move(dir, "rules.json", "b.txt");
        move(dir, "nested.sh", "rules.json");
        move(dir, "b.txt", "nested.sh");
      },
      "nested.sh changed, rules.json changed",
    ],
    [
      "a folder that is a link to one that has the same",
      (dir) => {
        move(dir, "more", "real");
        symlinkSync("real", join(dir, "more"));
      },
      "real/g.lua new, real/their_mod.lua new, real/theirs.lua new",
    ],
  ])("%s", async (_name, change, differences) => {
    home();
    const dir = folder({ ...WHOLE, ...OTHERS });
    await trustIt(dir);
    change(dir);
    const { changed, isSealed } = await look(dir);
    expect(isSealed).toBe(false);
    expect(changed.map(({ name, is }) => `${name} ${is}`).join(", ")).toBe(differences);
  });

  it("names and contents are hashed unambiguously", async () => {
    home();
    // Each of them would be the same text if it were joined without care.
    const odd = ["a\nb", "a b", 'a"b', "a,b", "__proto__", "constructor", "7", "ä", "a\u0308"];
    const digests = new Set<string>();
    for (const name of odd) {
      const quoted = name.replaceAll('"', '\\"');
      const command = `shell = '''sh "$ORCS_CONFIG_DIR/${quoted}"'''`;
      const dir = folder({ "orcs.toml": hook("h", command) });
      writeFileSync(join(dir, name), "x");
      const seen = await look(dir);
      const { digest } = seen;
      expect(Object.keys(hashesOf(seen)), JSON.stringify(name)).toContain(name);
      digests.add(digest);
      writeFileSync(join(dir, name), "y");
      expect((await look(dir)).digest).not.toBe(digest);
    }
    expect(digests.size).toBe(odd.length);
  });
});

describe("the identity of a trusted project", () => {
  it("is the same through a symlink and from a subfolder", async () => {
    home();
    const dir = folder({ ...WHOLE });
    mkdirSync(join(dir, "sub/folder"), { recursive: true });
    const linked = join(folder(), "linked");
    symlinkSync(dir, linked);
    await trustIt(dir);
    for (const way of [
      linked,
      join(dir, "sub/folder"),
      join(linked, "sub/folder"),
      `${dir}/./sub/..`,
    ])
      expect(await stateOf(way), way).toBe("trusted");
  });

  it("differs for a copy elsewhere", async () => {
    home();
    const dir = folder({ ...WHOLE });
    await trustIt(dir);
    const copy = join(folder(), "copy");
    cpSync(dir, copy, { recursive: true });
    expect(hashesOf(await look(copy))).toEqual(hashesOf(await look(dir)));
    expect(await stateOf(copy)).toBe("unknown");
    renameSync(dir, `${dir}-moved`);
    expect(await stateOf(`${dir}-moved`)).toBe("unknown");
    cpSync(copy, dir, { recursive: true });
    expect(await stateOf(dir)).toBe("trusted");
    rmSync(`${dir}-moved`, { recursive: true });
  });

  it("differs for a project below and above", async () => {
    home();
    const dir = folder({ ...WHOLE, "sub/orcs.toml": WHOLE["orcs.toml"] ?? "" });
    for (const name of Object.keys(WHOLE).filter((each) => !each.includes("orcs"))) {
      mkdirSync(join(dir, "sub", dirname(name)), { recursive: true });
      writeFileSync(join(dir, "sub", name), WHOLE[name] ?? "");
    }
    await trustIt(dir);
    expect(await stateOf(dir)).toBe("trusted");
    expect(await stateOf(join(dir, "sub"))).toBe("unknown");
    await trustIt(dir, true);
    expect(await stateOf(join(dir, "sub"))).toBe("unknown");
    await trustIt(join(dir, "sub"), true);
    expect(await stateOf(join(dir, "sub"))).toBe("dev");
    expect(await stateOf(join(dir, "lib"))).toBe("dev");
  });

  it("differs for another Unicode spelling", async () => {
    home();
    const root = folder();
    const spellings = ["Café", "Cafe\u0301", "café", "CAFÉ", "Café ", "Café\n"];
    for (const name of spellings) {
      mkdirSync(join(root, name));
      writeFileSync(join(root, name, "orcs.toml"), "");
    }
    await trustIt(join(root, "Café"));
    const states = await Promise.all(spellings.map((name) => stateOf(join(root, name))));
    expect(states.slice(0, 1)).toEqual(["trusted"]);
    // On a file system that takes some of them for the same, they are the same folder.
    if (process.platform === "linux")
      expect(states).toEqual(["trusted", ...spellings.slice(1).map(() => "unknown")]);
  });
});
