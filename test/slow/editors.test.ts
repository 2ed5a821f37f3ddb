import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Ended } from "../dist/orcs.ts";
import { folder, orcs, ROOT, writeFiles } from "../dist/orcs.ts";
import { ended, notTested, npmTool } from "./npm-tool.ts";

/** What editors show: the real taplo with the schema of orcs.toml, the real lua-language-server with the definitions. */

const TAPLO = await npmTool({
  name: "@taplo/cli",
  version: "0.7.0",
  main: "@taplo/cli/dist/cli.js",
  tests: "orcs.toml in editors, with taplo",
});

/** It is not on npm. */
const LUA_SERVER = (process.env["PATH"] ?? "")
  .split(delimiter)
  .map((dir) => join(dir, "lua-language-server"))
  .find((file) => existsSync(file));
if (LUA_SERVER === undefined) {
  notTested("hooks in editors", "There is no lua-language-server on the PATH");
}

const HOOK = '[[hooks]]\npoint = "tool.pre_execute"\nhandler_inline = "ctx"\n';

/** A folder that orcs init made. */
async function project(): Promise<string> {
  const dir = folder();
  await fine(dir, "init", "--yes");
  return dir;
}

async function fine(cwd: string, ...args: string[]): Promise<Ended> {
  const done = await orcs(args, { cwd });
  expect([args.join(" "), done.code, done.stderr]).toEqual([args.join(" "), 0, ""]);
  return done;
}

/** Where a key is unknown, a file with one, and the key. */
const UNKNOWN: readonly [where: string, toml: string, key: string][] = [
  ["of the file", "nope = 1\n", "nope"],
  ["of a section", "[lua]\nmax_run = 1\n", "max_run"],
  ["of a hook", `${HOOK}prioritty = 1\n`, "prioritty"],
  ["of a condition", `${HOOK}match = { comand = "x" }\n`, "comand"],
  ["of an agent", "[agents.a]\nhoks = []\n", "hoks"],
  ["of a hook of an agent", `${HOOK.replace("hooks", "agents.a.hooks")}idd = 'a'\n`, "idd"],
  ["of a package", '[packages."@acme/guards"]\nof = []\n', "of"],
];

describe.skipIf(TAPLO === undefined)("orcs.toml in taplo", { timeout: 300_000 }, () => {
  /**
   * The distinct messages about each file, by path: taplo repeats one for each range that it marks. One run is enough
   * for many files; its start takes seconds.
   */
  async function messages(cwd: string, ...args: string[]): Promise<Record<string, string[]>> {
    const lint = [TAPLO ?? "", "lint", ...args];
    const { code, text } = await ended(process.execPath, lint, { cwd, env: process.env });
    const found: Record<string, Set<string>> = {};
    for (const [, message = "", file = ""] of text.matchAll(/^error: (.*)\n\s*┌─ (.*?):\d/gm)) {
      (found[file.slice(file.lastIndexOf("/") + 1)] ??= new Set()).add(message);
    }
    expect([text, code === 0]).toEqual([text, Object.keys(found).length === 0]);
    return Object.fromEntries(Object.entries(found).map(([file, all]) => [file, [...all]]));
  }

  test("an unknown key is one message that names it", async () => {
    const dir = await project();
    const files = UNKNOWN.map(([where, toml, key]) => {
      const text = `#:schema ./.orcs/orcs.schema.json\n${toml}`;
      return { name: `${where.replaceAll(" ", "-")}.toml`, text, key };
    });
    writeFiles(dir, Object.fromEntries(files.map(({ name, text }) => [name, text])));
    expect(await messages(dir, ...files.map(({ name }) => name))).toEqual(
      Object.fromEntries(
        files.map(({ name, key }) => [
          name,
          [`Additional properties are not allowed ('${key}' was unexpected)`],
        ]),
      ),
    );
  });

  test("nothing is said about what orcs init writes, and about the shipped files", async () => {
    const dir = await project();
    const made = join(dir, "orcs.toml");
    expect(readFileSync(made, "utf8")).toMatch(/^#:schema /);
    expect(await messages(ROOT, made, "orcs.toml")).toEqual({});
    const schema = ["--schema", `file://${join(ROOT, "schema/orcs.schema.json")}`];
    const others = ["examples/supervisor/supervisor.toml", "test/wire/orcs.toml"];
    expect(await messages(ROOT, ...schema, ...others)).toEqual({});
  });
});

describe.skipIf(LUA_SERVER === undefined)(
  "hooks in lua-language-server",
  { timeout: 300_000 },
  () => {
    /** What it reports about the Lua of a folder, by file. */
    async function problems(cwd: string): Promise<Record<string, readonly string[]>> {
      const log = folder();
      const args = ["--check", cwd, `--logpath=${log}`, "--checklevel=Warning"];
      const { text } = await ended(LUA_SERVER ?? "", args, { cwd, env: process.env });
      const report = join(log, "check.json");
      if (!existsSync(report)) {
        expect(text).toContain("no problems found");
        return {};
      }
      const read = JSON.parse(readFileSync(report, "utf8")) as Record<string, { code: string }[]>;
      return Object.fromEntries(
        Object.entries(read).map(([uri, found]) => [
          decodeURIComponent(uri).split("/").at(-1) ?? "",
          found.map(({ code }) => code),
        ]),
      );
    }

    test("nothing is said about what orcs init writes", async () => {
      expect(await problems(await project())).toEqual({});
    });

    test("a misspelt field of a payload and a library that scripts do not have are reported", async () => {
      const dir = await project();
      writeFiles(dir, {
        "hooks/wrong.lua": `---@type orcs.hook.tool.pre_execute
return {
  point = "tool.pre_execute",
  handler = function(ctx)
    local f = io.open("x")
    return orcs.denyy(ctx.payload.tol)
  end,
}
`,
      });
      const found = await problems(dir);
      expect(Object.keys(found)).toEqual(["wrong.lua"]);
      expect(found["wrong.lua"]).toEqual(
        expect.arrayContaining(["undefined-global", "undefined-field"]),
      );
    });
  },
);
