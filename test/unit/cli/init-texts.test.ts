import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { configWith, exampleTool, guardText, newConfig } from "../../../src/cli/init-texts.ts";
import { errorOf, folder, open } from "../host/engine.ts";

const SCHEMA = "#:schema ./.orcs/orcs.schema.json";
const ADDED = '[[hooks]]\nscript = "hooks/guard.lua"\n';

describe("an orcs.toml that is there", () => {
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
  test.each(cases)("%s", (_name, before, after) => {
    expect(configWith(before)).toBe(after);
    parse(after);
    expect(configWith(after)).toBe(after);
  });

  test.each(["debug = ", '[[hooks.hooks]]\nscript = "a.lua"\n', "hooks = []\n"])(
    "%j is left alone, with what to add",
    async (text) => {
      const { code, message } = await errorOf(() => configWith(text));
      expect(code).toBe("ORCS5002");
      expect(message).toContain('add it yourself: script = "hooks/guard.lua"');
    },
  );
});

describe("the guard", () => {
  const tools = ["exec|Bash", "shell", "mcp__*|x", "a.b:c?"];
  test.each(tools)("for %s loads, refuses and lets pass as its tests say", async (names) => {
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
