import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { HookEntry } from "../../../src/config/hook-entry.ts";
import { folder, load } from "./folder.ts";

const hook = (id: string, more = "") =>
  `[[hooks]]\nid = "${id}"\npoint = "tool.post_execute"\nhandler_inline = "return nil"\n${more}\n`;
const agentHook = (id: string) =>
  `[[agents.rev.hooks]]\nid = "${id}"\npoint = "tool.post_execute"\nhandler_inline = "return nil"\n`;

const names = (hooks: readonly { id: string; origin: string }[]) =>
  hooks.map(({ id, origin }) => `${id} (${origin})`);

describe("configuration files", () => {
  const files = {
    "user/orcs.toml": `lua.memory_mb = 20\nlua.isolation = "worker"\nlua.max_run_ms = 50`,
    "p/orcs.toml": `lua.memory_mb = 30`,
    "p/orcs.local.toml": `lua.max_chain_ms = 900`,
    "p/deep/er/x": "",
  };

  test("are the user's, the nearest project's, and its local one", async () => {
    const dir = folder(files);
    const loaded = await load(join(dir, "p/deep/er"), {
      userDir: join(dir, "user"),
      overrides: { lua: { isolation: "thread" } },
    });
    expect(loaded.files).toEqual([
      join(dir, "user/orcs.toml"),
      join(dir, "p/orcs.toml"),
      join(dir, "p/orcs.local.toml"),
    ]);
    const lua = { memory_mb: 30, max_run_ms: 50, max_chain_ms: 900, isolation: "thread" };
    expect(loaded.settings.lua).toEqual(lua);
  });

  test("an explicit one is loaded alone", async () => {
    const dir = folder(files);
    const loaded = await load(join(dir, "p"), { userDir: join(dir, "user"), config: "orcs.toml" });
    expect(loaded.files).toEqual([join(dir, "p/orcs.toml")]);
    expect(loaded.settings.lua).toMatchObject({ memory_mb: 30, max_run_ms: 100 });
  });

  test("in the user's own directory are loaded once, as the user's", async () => {
    const dir = folder({ "user/orcs.toml": hook("a") });
    const loaded = await load(join(dir, "user"), { userDir: join(dir, "user") });
    expect(names(loaded.hooks)).toEqual(["a (user)"]);
  });
});

describe("paths in a configuration", () => {
  test("are relative to their file", async () => {
    const dir = folder({
      "p/orcs.toml": `permissions.root = "src"\npaths = { state = "../state", audit = "kept" }\nscripts.dirs = ["lua"]`,
      "p/lua/x.lua": "",
      "p/sub/x": "",
    });
    const { settings } = await load(join(dir, "p/sub"));
    expect(settings.permissions.root).toBe(join(dir, "p/src"));
    expect(settings.paths).toEqual({ state: join(dir, "state"), audit: join(dir, "p/kept") });
    expect(settings.scripts.dirs).toEqual([join(dir, "p/lua")]);
    expect(settings.scriptRoots).toEqual([join(dir, "p/lua")]);
  });

  test("default to the working directory, and hooks beside each file", async () => {
    const dir = folder({ "user/orcs.toml": "", "p/orcs.toml": "", "p/hooks/x": "" });
    const { settings } = await load(join(dir, "p"), { userDir: join(dir, "user") });
    expect(settings.permissions.root).toBe(join(dir, "p"));
    expect(settings.scripts.dirs).toEqual([join(dir, "user/hooks"), join(dir, "p/hooks")]);
    expect(settings.scriptRoots).toEqual([join(dir, "p/hooks")]);
  });

  test("the local file uses the project's script directories; the user's file does not", async () => {
    const script = `[[hooks]]\nscript = "x.lua"\n`;
    const dir = folder({
      "user/orcs.toml": script,
      "user/x.lua": "",
      "p/orcs.toml": `scripts.dirs = ["lua"]`,
      "p/orcs.local.toml": script,
      "p/lua/x.lua": "",
    });
    const { hooks } = await load(join(dir, "p"), { userDir: join(dir, "user") });
    expect(hooks.map(({ handler }) => handler)).toMatchObject([
      { file: join(dir, "user/x.lua") },
      { file: join(dir, "p/lua/x.lua") },
    ]);
    expect(hooks.map(({ scriptRoots }) => scriptRoots)).toEqual([[], [join(dir, "p/lua")]]);
  });
});

describe("hooks of several layers", () => {
  test("are combined; the same id replaces, at the end; the rank decides", async () => {
    const dir = folder({
      "p/orcs.toml": hook("a") + hook("b") + hook("c"),
      "p/orcs.local.toml": hook("b", "priority = 1") + hook("d"),
    });
    const { hooks, warnings } = await load(join(dir, "p"), {
      overrides: {
        hooks: [{ id: "a", point: "Stop", handler_inline: "return nil", enabled: false }],
      },
    });
    expect(warnings).toEqual([]);
    expect(names(hooks)).toEqual(["c (project)", "b (local)", "d (local)", "a (command line)"]);
    expect(hooks.map(({ rank }) => rank)).toEqual([1, 1, 1, 0]);
  });

  test("a project cannot replace or disable the user's hooks", async () => {
    const dir = folder({
      "user/orcs.toml": hook("guard") + hook("mine"),
      "p/orcs.toml": hook("theirs") + hook("guard", "enabled = false"),
      "p/orcs.local.toml": hook("mine", "enabled = false"),
    });
    const { hooks, warnings } = await load(join(dir, "p"), { userDir: join(dir, "user") });
    expect(names(hooks)).toEqual(["guard (user)", "mine (user)", "theirs (project)"]);
    expect(hooks.map(({ rank, enabled }) => [rank, enabled])).toEqual([
      [0, undefined],
      [0, undefined],
      [1, undefined],
    ]);
    expect(warnings).toEqual([
      {
        code: "ORCS1016",
        severity: "warning",
        message: `your own configuration has a hook with the id "guard"; the project's hook is ignored`,
        place: { file: "orcs.toml", line: 6, column: 1 },
        hint: "give the project's hook a different id",
      },
      expect.objectContaining({ place: { file: "orcs.local.toml", line: 1, column: 1 } }),
    ]);
  });
});

/** The hooks that run for an agent. */
const hooksOf = (hooks: readonly HookEntry[], name: string | undefined): HookEntry[] =>
  hooks.filter(({ agent, exceptions, point }) => {
    if (agent !== undefined) return agent === name;
    const excepted = exceptions.filter((exception) => exception.agent === name);
    return !excepted.some(({ points }) => !points || (point && points.includes(point)));
  });

describe("[agents] sections", () => {
  const override = `[agents.rev]\noverride = ["PostToolUse"]\n`;

  test("an agent's hooks are for that agent only", async () => {
    const dir = folder({ "orcs.toml": hook("a") + agentHook("r") });
    const { hooks } = await load(dir);
    for (const other of [undefined, "other", "toString", ""])
      expect(names(hooksOf(hooks, other))).toEqual(["a (project)"]);
    expect(names(hooksOf(hooks, "rev"))).toEqual(["a (project)", "r (project)"]);
    expect(hooks.map(({ agent }) => agent)).toEqual([undefined, "rev"]);
    expect(hooks.map(({ agents }) => agents)).toEqual([["rev"], ["rev"]]);
  });

  test("an agent's hook replaces a global hook with the same id", async () => {
    const dir = folder({ "orcs.toml": hook("a") + hook("b") + agentHook("a") });
    const { hooks } = await load(dir);
    expect(hooksOf(hooks, "rev").map(({ id, place }) => [id, place.line])).toEqual([
      ["b", 6],
      ["agents.rev.a", 11],
    ]);
    expect(names(hooksOf(hooks, undefined))).toEqual(["a (project)", "b (project)"]);
  });

  test("override drops global hooks of its layer and lower layers", async () => {
    const dir = folder({
      "orcs.toml":
        override + hook("a") + hook("pre").replace("post_execute", "pre_execute") + agentHook("r"),
      "orcs.local.toml": hook("later"),
    });
    const { hooks } = await load(dir);
    expect(names(hooksOf(hooks, undefined))).toEqual([
      "a (project)",
      "pre (project)",
      "later (local)",
    ]);
    expect(names(hooksOf(hooks, "rev"))).toEqual(["pre (project)", "r (project)", "later (local)"]);
  });

  test("two agents may have a hook of the same id; each replaces its own", async () => {
    const dir = folder({
      "orcs.toml": agentHook("a") + agentHook("a").replace("rev", "doc"),
      "orcs.local.toml": agentHook("a"),
    });
    const { hooks } = await load(dir);
    expect(names(hooks)).toEqual(["a (project)", "agents.rev.a (local)"]);
    expect(hooks.map(({ agent }) => agent)).toEqual(["doc", "rev"]);
  });

  test("a global hook of an upper layer replaces an agent's hook of the same id", async () => {
    const dir = folder({ "orcs.toml": agentHook("a"), "orcs.local.toml": hook("a") });
    expect(names((await load(dir)).hooks)).toEqual(["a (local)"]);
  });

  test("a project's global hook stays beside the user's hook of the same id for one agent", async () => {
    const dir = folder({ "user/orcs.toml": agentHook("a"), "p/orcs.toml": hook("a") });
    const { hooks } = await load(join(dir, "p"), { userDir: join(dir, "user") });
    expect(names(hooks)).toEqual(["agents.rev.a (user)", "a (project)"]);
    expect(names(hooksOf(hooks, "rev"))).toEqual(["agents.rev.a (user)"]);
    expect(names(hooksOf(hooks, "other"))).toEqual(["a (project)"]);
  });

  test("override keeps the agent's hooks of a lower layer", async () => {
    const dir = folder({ "orcs.toml": hook("a") + agentHook("r"), "orcs.local.toml": override });
    expect(names(hooksOf((await load(dir)).hooks, "rev"))).toEqual(["r (project)"]);
  });

  test("a project's override keeps the user's hooks", async () => {
    const dir = folder({ "user/orcs.toml": hook("mine"), "p/orcs.toml": override + hook("a") });
    const { hooks } = await load(join(dir, "p"), { userDir: join(dir, "user") });
    expect(names(hooksOf(hooks, "rev"))).toEqual(["mine (user)"]);
  });

  test("a script that sets its own points keeps the list of excepted points", async () => {
    const dir = folder({ "orcs.toml": `${override}[[hooks]]\nscript = "x.lua"\n`, "x.lua": "" });
    const { hooks } = await load(dir);
    const [exception] = hooks[0]?.exceptions ?? [];
    expect(exception?.agent).toBe("rev");
    expect(exception?.points?.map(({ name }) => name)).toEqual(["tool.post_execute"]);
  });
});
