import { describe, expect, onTestFinished, test } from "vitest";
import { testHooks } from "../../../../src/workbench/testing.ts";
import type { TestHooks, TestHooksOptions } from "../../../../src/workbench/testing.ts";
import { folder } from "../orcs/engine.ts";
import { PATIENT } from "./rig.ts";

const FILES = {
  "orcs.toml": `
[[hooks]]
script = "guard.lua"

[[hooks]]
id = "stamp"
point = "tool.pre_execute"
priority = 200
handler_inline = 'ctx.metadata.at = orcs.now_ms()'

[[hooks]]
id = "short"
point = "tool.post_execute"
handler_inline = 'orcs.replace("short")'
`,
  "hooks/guard.lua": `return {
  id = "guard",
  point = "tool.pre_execute",
  match = { tool = "exec" },
  handler = function(ctx)
    local branch = orcs.exec("git branch")
    if not branch.ok then return orcs.ask(branch.error) end
    if branch.stdout == "main" then return orcs.deny("not on main") end
    orcs.log("branch " .. branch.stdout)
    ctx.payload.args.branch = branch.stdout
    orcs.sleep(50)
  end,
}
`,
};

async function open(options: TestHooksOptions = {}): Promise<TestHooks> {
  const hooks = await testHooks({
    cwd: folder(FILES),
    config: "orcs.toml",
    overrides: PATIENT,
    ...options,
  });
  onTestFinished(() => hooks.close());
  return hooks;
}

const push = () => ({ tool_name: "exec", args: { command: "git push" } });

describe("testHooks", () => {
  test("returns a denial as a value", async () => {
    const hooks = await open({ tools: { exec: () => ({ stdout: "main" }) } });
    expect(await hooks.dispatch("tool.pre_execute", push())).toEqual({
      action: "abort",
      decision: "deny",
      hook: "guard",
      reason: "not on main",
      payload: { ...push(), tool: "exec" },
      metadata: {},
      inject: [],
      logs: [],
    });
    expect(hooks.calls).toEqual([{ tool: "exec", args: { command: "git branch" } }]);
  });

  test("returns rewrites, clock and log without writing to its input", async () => {
    const hooks = await open({ nowMs: 1000, tools: { exec: async () => ({ stdout: "dev" }) } });
    const payload = push();
    const metadata = {};
    const outcome = await hooks.dispatch("tool.pre_execute", payload, { metadata });
    expect(outcome).toMatchObject({
      action: "continue",
      payload: { args: { branch: "dev" } },
      metadata: { at: 1050 },
      logs: ["info: branch dev"],
    });
    expect(outcome.payload.tool_name).toBe("exec");
    expect([payload, metadata]).toEqual([push(), {}]);
    hooks.clock.advance(10);
    expect(hooks.clock.now()).toBe(1060);
    hooks.clock.set(5);
    expect((await hooks.dispatch("PreToolUse", { tool_name: "read", args: {} })).metadata).toEqual({
      at: 5,
    });
    expect(hooks.logs).toEqual(["info: branch dev"]);
  });

  test("tools can be replaced; a missing or throwing one fails the hook", async () => {
    const hooks = await open();
    expect(await hooks.dispatch("tool.pre_execute", push())).toMatchObject({
      action: "abort",
      error: "guard: exec was called, but the test defines no fake for it",
    });
    hooks.tool("exec", () => ({ ok: false, error: "no git" }));
    expect(await hooks.dispatch("tool.pre_execute", push())).toMatchObject({
      decision: "ask",
      reason: "no git",
    });
    hooks.tool("exec", () => {
      throw new Error("thrown");
    });
    expect((await hooks.dispatch("tool.pre_execute", push())).error).toBe("guard: thrown");
  });

  test("the hooks of an agent run for its agent_id, or for the agent of the options", async () => {
    const toml = `
[[agents.reviewer.hooks]]
id = "reads"
point = "tool.pre_execute"
handler_inline = 'orcs.deny("a reviewer reads")'
`;
    const files = { config: "orcs.toml", cwd: folder({ "orcs.toml": toml }) };
    const call = { tool_name: "write", args: {} };
    const action = async (hooks: TestHooks, payload: object) =>
      (await hooks.dispatch("PreToolUse", { ...payload })).action;
    const any = await open(files);
    expect(await action(any, call)).toBe("continue");
    expect(await action(any, { ...call, agent_id: "reviewer" })).toBe("abort");
    expect(await action(await open({ ...files, agent: "reviewer" }), call)).toBe("abort");
  });

  test("supports replace at a post point, state, and a list of hooks", async () => {
    const hooks = await open({ state: { n: 1 } });
    const payload = { tool_name: "x", args: {}, result: "long" };
    expect(await hooks.dispatch("tool.post_execute", payload)).toMatchObject({
      action: "replace",
      hook: "short",
      result: "short",
    });
    expect(hooks.state.get("n")).toBe(1);
    expect(hooks.ids).toEqual(["guard", "stamp", "short"]);
    expect((await open({ only: ["guard.lua", "short"] })).ids).toEqual(["guard", "short"]);
  });

  test("two concurrent instances are isolated", async () => {
    const [one, two] = await Promise.all([open({ nowMs: 1 }), open({ nowMs: 2 })]);
    const read = { tool_name: "read", args: {} };
    const [a, b] = await Promise.all([
      one.dispatch("tool.pre_execute", read),
      two.dispatch("tool.pre_execute", read),
    ]);
    expect([a.metadata, b.metadata]).toEqual([{ at: 1 }, { at: 2 }]);
  });

  test("throws configuration errors", async () => {
    await expect(
      testHooks({ config: { hooks: [{ script: "nowhere.lua" }] } }),
    ).rejects.toMatchObject({
      code: "ORCS1015",
    });
    await expect(
      testHooks({ config: { hooks: [{ point: "PreToolUse", handler_inline: "return {" }] } }),
    ).rejects.toMatchObject({ code: "ORCS1015" });
    const hooks = await open();
    await expect(hooks.dispatch("tool.pre_excute", {})).rejects.toMatchObject({ code: "ORCS1005" });
    await expect(hooks.dispatch("tool.pre_execute", { args: {} } as never)).rejects.toMatchObject({
      code: "ORCS2003",
    });
  });
});
