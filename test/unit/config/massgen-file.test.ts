import { describe, expect, test } from "vitest";
import { errorOf, folder, load, loadToml, reportOn } from "./folder.ts";

/** A hook of MassGen at an event, in TOML. */
const hook = (event = "PreToolUse", more = ""): string =>
  `[[hooks.${event}]]\nhandler = "true"\ntype = "command"\n${more}\n`;
const agent = (id: string, hooks = ""): string => `[[agents]]\nid = ${id}\n${hooks}`;
const ofAgent = (more = ""): string =>
  hook("PreToolUse", more).replace("hooks.PreToolUse", "agents.backend.hooks.PreToolUse");

describe("a file with lists of hooks by event", () => {
  test("has its hooks in their order, at their events", async () => {
    const { hooks, warnings } = await loadToml(hook() + hook("PostToolUse") + hook("PreToolUse"));
    expect(hooks.map(({ point }) => point?.name)).toEqual([
      "tool.pre_execute",
      "tool.pre_execute",
      "tool.post_execute",
    ]);
    expect(hooks.map(({ handler }) => "protocol" in handler && handler.protocol)).toEqual(
      Array(3).fill("massgen"),
    );
    expect(warnings).toEqual([]);
  });

  test("each agent has its own, and can leave out those of all", async () => {
    const override = `[agents.backend.hooks.PostToolUse]\noverride = true\n`;
    const { hooks } = await loadToml(
      hook("PostToolUse") + agent('"a"', ofAgent() + override) + agent('"b"', ofAgent()),
    );
    expect(hooks.map(({ agent: whose }) => whose)).toEqual([undefined, "a", "b"]);
    expect(hooks[0]?.exceptions).toMatchObject([
      { agent: "a", points: [{ name: "tool.post_execute" }] },
    ]);
  });

  test("timeout is in seconds, fail_closed denies; other keys are those of orcs", async () => {
    const { hooks } = await loadToml(
      hook("PreToolUse", 'timeout = 2\nfail_closed = true\nmatcher = "Write|Edit"') +
        hook("PreToolUse", "fail_closed = false"),
    );
    expect(hooks).toMatchObject([
      { timeoutMs: 2000, onError: "closed", match: { tool: "Write|Edit" } },
      { timeoutMs: undefined, onError: undefined },
    ]);
  });

  test("other settings stay", async () => {
    const { settings, hooks } = await loadToml(`${hook()}[lua]\nmemory_mb = 32\n`);
    expect([settings.lua.memory_mb, hooks.length]).toEqual([32, 1]);
  });
});

describe("errors have their places in the file", () => {
  test.each([
    ["an unknown key", hook("PreToolUse", "macher = 1"), "4:1: error ORCS1003"],
    ["a flag that is none", hook("PreToolUse", 'fail_closed = "yes"'), "4:1: error ORCS1003"],
    [
      "a key of an agent's hook",
      hook() + agent('"a"', ofAgent("macher = 1")),
      "10:1: error ORCS1003",
    ],
    ["a time limit", hook("PostToolUse", 'timeout = "1"'), "4:11: error ORCS1004"],
    ["an agent without an id", hook() + agent("1", ofAgent()), "5:1: error ORCS1013"],
    ["an id twice", hook() + agent('"a"') + agent('"a"', ofAgent()), "7:1: error ORCS1013"],
    ["an id of JavaScript", hook() + agent('"__proto__"', ofAgent()), "5:1: error ORCS1013"],
    ["a handler that is no text", hook().replace('"true"', "1"), "2:11: error ORCS1004"],
  ])("%s", async (_, toml, due) => {
    expect(await reportOn(toml)).toContain(`orcs.toml:${due}`);
  });

  test("in an object, they have the path there", async () => {
    const config = {
      hooks: { PreToolUse: [{ handler: "true", type: "command", macher: 1 }] },
    };
    const { diagnostics } = await errorOf(load(folder(), { config }));
    expect(diagnostics[0]?.message).toContain("hooks.PreToolUse[0]");
  });
});

test.each([
  ["an event that nobody knows", "[[hooks.PreToolUsed]]\nhandler = 'true'\ntype = 'command'\n"],
  ["hooks of Claude Code", "[[hooks.PreToolUse]]\nmatcher = 'x'\nhooks = [{ type = 'command' }]\n"],
])("%s are no hooks of MassGen", async (_, toml) => {
  await errorOf(loadToml(toml));
});
