import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { loadTrusted } from "../../../../src/config/trust/load-trusted.ts";
import { sealableConfig } from "../../../../src/config/trust/seal-config.ts";
import { UserConfiguration } from "../../../../src/config/trust/user-configuration.ts";
import { pointSet } from "../../../../src/core/points.ts";
import { errorOf, folder } from "../../engine/orcs/engine.ts";
import { found, home, hook, link, outcomeOf, PATIENT, saying } from "./rig.ts";

// The user's own configuration counts in every folder, and may name what lies outside of its own.

/** Files below somebody's `~/.config`; the configuration is in `orcs`. */
function write(above: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = join(above, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    if (name.endsWith(".sh")) chmodSync(file, 0o755);
  }
}

const SHELL = `#!/bin/sh\nprintf '{"action":"abort","reason":"good"}'\n`;
const MODULE = `import { text } from "./lib.mjs";\nexport default () => ({ action: "abort", reason: text });\n`;

describe("files outside the user's configuration folder stay active from the seal when deleted", () => {
  const CASES: [string, string, Readonly<Record<string, string>>][] = [
    [
      "a folder of scripts, and what they require there",
      `[scripts]\ndirs = ["../shared"]\n${hook("h", 'script = "h.lua"')}`,
      { "shared/h.lua": 'return require("say")\n', "shared/say.lua": saying("good") },
    ],
    [
      "a folder of scripts by its path in full",
      `[scripts]\ndirs = ["ABOVE/shared"]\n${hook("h", 'script = "h.lua"')}`,
      { "shared/h.lua": saying("good") },
    ],
    [
      "a script by its path in full",
      hook("h", 'script = "ABOVE/h.lua"'),
      { "h.lua": saying("good") },
    ],
    ["a script, by dots", hook("h", 'script = "../x.lua"'), { "x.lua": saying("good") }],
    [
      "a script, by dots from a folder of scripts",
      `[scripts]\ndirs = ["lua"]\n${hook("h", 'script = "../../x.lua"')}`,
      { "x.lua": saying("good"), "orcs/lua/y.lua": "" },
    ],
    [
      "a module, with what it imports",
      hook("h", 'module = "../shared/m.mjs"'),
      { "shared/m.mjs": MODULE, "shared/lib.mjs": 'export const text = "good";\n' },
    ],
    ["a program", hook("h", 'shell = "../shared/check.sh --all"'), { "shared/check.sh": SHELL }],
  ];

  it.each(CASES)("%s", async (_name, toml, files) => {
    const { userDir } = home();
    const above = dirname(userDir);
    write(above, { ...files, "orcs/orcs.toml": toml.replace("ABOVE", above) + PATIENT });
    const elsewhere = folder();
    expect(await outcomeOf((await found(elsewhere)).orcs)).toBe("good");
    for (const name of Object.keys(files)) rmSync(join(above, name));
    // Of a command, that its script is gone is seen when it runs.
    if (!toml.includes("shell"))
      expect(await outcomeOf((await found(elsewhere)).orcs)).toBe("good");
    rmSync(userDir, { recursive: true });
    const { orcs } = await found(elsewhere);
    expect(await outcomeOf(orcs)).toBe("good");
    expect(orcs.notices.map(({ text }) => text).join()).toContain("is missing");
  });

  it.each(CASES)(
    "for an explicitly installed configuration too: %s",
    async (_name, toml, files) => {
      const { userDir } = home();
      const above = dirname(userDir);
      const config = join(userDir, "team.toml");
      write(above, { ...files, "orcs/team.toml": toml.replace("ABOVE", above) + PATIENT });
      const { digest, write: seal } = await sealableConfig(config);
      seal();
      const cwd = folder();
      const load = () => loadTrusted({ cwd, config, seal: digest, points: pointSet() });
      expect((await load()).notices).toEqual([]);
      for (const name of Object.keys(files)) rmSync(join(above, name));
      const loaded = await load();
      expect(loaded.hooks).toHaveLength(1);
      expect(loaded.notices).toHaveLength(1);
      // By their own names, not by those in the copy.
      const outside = Object.keys(files).find((name) => !name.startsWith("orcs/"));
      expect(loaded.notices[0]?.text).toContain(join(above, outside ?? "none"));
      const { handler } = loaded.hooks[0] ?? {};
      const file =
        handler?.kind === "shell"
          ? handler.program
          : handler && "file" in handler
            ? handler.file
            : undefined;
      expect(existsSync(file ?? "")).toBe(true);
    },
  );
});

it.each<[string, string, Readonly<Record<string, string>>]>([
  [
    "a script beside the folder, by its name",
    hook("h", `shell = 'sh "$ORCS_DIR/../check.sh"'`),
    { "check.sh": SHELL },
  ],
  ["a file that a hook lists", hook("h", 'shell = "true"\nfiles = ["../words"]'), { words: "" }],
  [
    "what a module of the folder imports outside of it",
    hook("h", 'module = "./m.mjs"'),
    { "orcs/m.mjs": MODULE.replace("./lib", "../lib"), "lib.mjs": "export const text = 1;\n" },
  ],
  [
    "what a module outside imports in the folder",
    hook("h", 'module = "../m.mjs"'),
    {
      "m.mjs": MODULE.replace("./lib", "./orcs/lib"),
      "orcs/lib.mjs": "export const text = 1;\n",
    },
  ],
  ["a script that is not there", hook("h", `shell = 'sh "$ORCS_DIR/check.sh"'`), {}],
])(
  "sealing the user's configuration rejects references that a copy cannot resolve %s",
  async (_name, toml, files) => {
    const { userDir } = home();
    write(dirname(userDir), { ...files, "orcs/orcs.toml": toml });
    const error = await errorOf(sealableConfig(join(userDir, "orcs.toml")));
    expect(error.code).toBe("ORCS1015");
    expect(error.message).toMatch(
      /ORCS8003: \S+ is outside its folder: move it into|ORCS1009: check.sh does not/,
    );
  },
);

test("a configuration reached by a symlink may name its files by their real paths", async () => {
  const { userDir } = home();
  const above = dirname(userDir);
  const toml = hook("h", `script = "${above}/orcs/x.lua"`) + PATIENT;
  write(above, { "orcs/team.toml": toml, "orcs/x.lua": saying("good") });
  link(join(above, "linked"), userDir);
  const config = join(above, "linked/team.toml");
  const { digest, write: seal } = await sealableConfig(config);
  seal();
  rmSync(join(userDir, "x.lua"));
  const loaded = await loadTrusted({ cwd: folder(), config, seal: digest, points: pointSet() });
  expect(loaded.hooks).toHaveLength(1);
});

test("sealed modules find the same packages as the originals", async () => {
  const { userDir } = home();
  write(userDir, {
    "orcs.toml": hook("h", 'module = "./m.mjs"'),
    "m.mjs": `import { text } from "words";\nexport default () => ({ action: "abort", reason: text });\n`,
    "node_modules/words/package.json": '{ "type": "module", "exports": "./index.js" }\n',
    "node_modules/words/index.js": 'export const text = "good";\n',
  });
  const elsewhere = folder();
  expect(await outcomeOf((await found(elsewhere)).orcs)).toBe("good");
  rmSync(join(userDir, "orcs.toml"));
  expect(await outcomeOf((await found(elsewhere)).orcs)).toBe("good");
});

test("a sealed copy does not look for files outside of it", async () => {
  const { userDir, store } = home();
  const above = dirname(userDir);
  const toml = `[scripts]\ndirs = ["${above}/later", "hooks"]\n${hook("h", 'script = "h.lua"')}`;
  write(above, { "orcs/orcs.toml": toml + PATIENT, "orcs/hooks/h.lua": saying("good") });
  const elsewhere = folder();
  expect(await outcomeOf((await found(elsewhere)).orcs)).toBe("good");
  expect(await new UserConfiguration(userDir, store).accept()).toBe("kept");
  rmSync(userDir, { recursive: true });
  write(above, { "later/h.lua": saying("evil") });
  expect(await outcomeOf((await found(elsewhere)).orcs)).toBe("good");
});

describe("a relative path in the user's configuration that depends on the agent's folder", () => {
  const files = { "check.ts": "", "check.awk": "", "tools/check.sh": "", "check.R": "", run: "" };
  const COMMANDS = [
    "tsx check.ts",
    "bun check.ts",
    "bun run check.ts",
    "deno run -A check.ts",
    "uv run check.ts",
    "Rscript check.R",
    "awk -f check.awk",
    "awk -fcheck.awk",
    "tools/check.sh",
    "sh -e tools/check.sh",
    "ruby check.ts",
    "npx tsx check.ts",
    "node --import=tools/check.sh -",
    "timeout 5 deno run check.ts",
  ];

  /** The user's configuration, with a hook for each command, each on three lines. */
  function configured(commands: readonly string[]): string {
    const { userDir } = home();
    const all = Object.entries(files).map(([name, text]) => [`orcs/${name}`, text] as const);
    const hooks = commands.map((command, n) => hook(`h${n}`, `shell = '${command}'`));
    write(dirname(userDir), { ...Object.fromEntries(all), "orcs/orcs.toml": hooks.join("") });
    return join(userDir, "orcs.toml");
  }

  it("is an error in the user's own configuration", async () => {
    const file = configured(COMMANDS);
    for (const load of [() => found(folder()), () => sealableConfig(file)]) {
      const { diagnostics } = await errorOf(load());
      const reported = diagnostics.filter(({ hint }) => hint?.includes('write "$ORCS_DIR/'));
      expect(new Set(reported.map(({ place }) => place?.line)).size).toBe(COMMANDS.length);
    }
  });

  it("is accepted if it is data", async () => {
    const commands = [
      'cat check.ts | jq -f "$ORCS_DIR/check.awk"',
      "grep -f check.ts check.awk && test -f run",
      'cd "$ORCS_DIR" && tsx check.ts',
      'tsx "$ORCS_DIR/check.ts"',
      "diff check.ts check.awk; echo check.ts",
    ];
    configured(commands);
    const { orcs } = await found(folder());
    expect(orcs.registry.list().map(({ id }) => id)).toEqual(commands.map((_, n) => `h${n}`));
  });

  it("in a project, relative words of other programs are accepted", async () => {
    home();
    const dir = folder({ ...files, "orcs.toml": hook("h", 'shell = "npm run check.ts run"') });
    const { lines } = await found(dir);
    expect(lines.join()).not.toContain("ORCS1004");
  });
});
