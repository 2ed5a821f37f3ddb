import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import {
  configWith,
  exampleTool,
  guardText,
  newConfig,
  POLICIES,
  policyNames,
} from "../../../src/cli/init-files.ts";
import { errorOf, folder, open } from "../engine/orcs/engine.ts";

const SCHEMA = "#:schema ./.orcs/orcs.schema.json";
const ADDED = '[[hooks]]\nscript = "hooks/guard.lua"\n';

describe("init with an existing orcs.toml", () => {
  const cases: [name: string, before: string, after: string][] = [
    ["gets a hook and a schema", "debug = true\n", `${SCHEMA}\ndebug = true\n\n${ADDED}`],
    ["without a line end", "debug = true", `${SCHEMA}\ndebug = true\n\n${ADDED}`],
    ["keeps its schema", "#:schema x\n", `#:schema x\n\n${ADDED}`],
    [
      "keeps its guard",
      '[[hooks]]\nscript = "guard.lua"\n',
      `${SCHEMA}\n[[hooks]]\nscript = "guard.lua"\n`,
    ],
    [
      "keeps its line ends",
      "debug = true\r\n",
      `${SCHEMA}\ndebug = true\n\n${ADDED}`.replaceAll("\n", "\r\n"),
    ],
    ["loses its byte order mark", "\uFEFFdebug = true\n", `${SCHEMA}\ndebug = true\n\n${ADDED}`],
  ];
  test.each(cases)("the file %s", (_name, before, after) => {
    expect(configWith(before)).toBe(after);
    parse(after);
    expect(configWith(after)).toBe(after);
  });

  test("adds missing policies with what they need", () => {
    const before = `${SCHEMA}\n[[hooks]]\nscript = "orcs:budget" # ours\n\n${ADDED}`;
    const after = configWith(before, ["budget", "shell-guard", "approve"]);
    expect(after).toBe(
      `${before}\n[[hooks]]\nscript = "orcs:shell-guard"\n\n[[hooks]]\nscript = "orcs:approve"\n` +
        'options = { rules = [{ runs = ["git push", "npm publish"] }] }\n',
    );
    expect(configWith(after, ["approve"])).toBe(after);
  });

  test.each(["debug = ", '[[hooks.hooks]]\nscript = "a.lua"\n', "hooks = []\n"])(
    "%j is left unchanged, with instructions",
    async (text) => {
      const { code, message } = await errorOf(() => configWith(text));
      expect(code).toBe("ORCS5002");
      expect(message).toContain('add it yourself: script = "hooks/guard.lua"');
    },
  );
});

describe("init policies", () => {
  test("are all shipped hooks with options in docs/reference/policies.md, and they load", async () => {
    const names = POLICIES.map(({ name }) => name);
    const cwd = folder({ "hooks/guard.lua": guardText("exec"), "orcs.toml": newConfig(names) });
    const orcs = await open({ cwd, config: "orcs.toml" });
    const sources = new Set(orcs.registry.list().map(({ source }) => source?.file));
    for (const name of names)
      expect(
        [...sources].some((file) => file?.endsWith(`/hooks/${name}.lua`)),
        name,
      ).toBe(true);
  });

  test("that are not chosen are listed as comments", () => {
    const text = newConfig(["budget"]);
    expect(parse(text)["hooks"]).toEqual([{ script: "guard.lua" }, { script: "orcs:budget" }]);
    expect(text).toContain("#   orcs:shell-guard ");
    expect(text).not.toContain("#   orcs:budget");
    expect(newConfig(POLICIES.map(({ name }) => name))).not.toContain("#   orcs:");
  });

  test.each([
    ["none", []],
    ["", []],
    ["budget, shell-guard,budget", ["budget", "shell-guard", "undo"]],
    ["orcs:approve", ["approve"]],
    ["all", POLICIES.map(({ name }) => name)],
  ])("%j means %j", (list, names) => {
    expect(policyNames(list)).toEqual(names);
  });

  test.each([
    ["shel-guard", "did you mean shell-guard?"],
    ["everything", "there are shell-guard, undo, secret-guard"],
  ])("%s is rejected with a suggestion", async (list, hint) => {
    const { code, message } = await errorOf(() => policyNames(list));
    expect(code).toBe("ORCS5001");
    expect(message).toContain(hint);
  });
});

describe("the guard written by init", () => {
  const tools = ["exec|Bash", "shell", "mcp__*|x", "a.b:c?"];
  test.each(tools)("for %s loads and behaves as its tests say", async (names) => {
    const cwd = folder({ "hooks/guard.lua": guardText(names), "orcs.toml": newConfig() });
    const orcs = await open({ cwd, config: "orcs.toml" });
    const events: [command: string, refused: boolean][] = [
      ["git push --force", true],
      ["cd x && git -C y push -f origin", true],
      ["git push origin main", false],
      ["git push --force-with-lease", false],
    ];
    for (const [command, refused] of events) {
      const call = { tool_name: exampleTool(names), args: { command } };
      const { action } = await orcs.dispatch("tool.pre_execute", call);
      expect(action, command).toBe(refused ? "abort" : "continue");
    }
  });

  test("is short, with a match and three tests", () => {
    const [handler = "", tests = ""] = guardText("exec").split("  tests = {\n");
    expect(handler.split("\n").length).toBeLessThan(16);
    expect(handler).toContain("match = {");
    expect(tests.match(/expect = /g)).toHaveLength(3);
  });
});
