import type { HookEvent, HookInput, Options } from "@anthropic-ai/claude-agent-sdk";
import { HOOK_EVENTS } from "@anthropic-ai/claude-agent-sdk";
import { describe, expect, test } from "vitest";
import type { OrcsHooksOptions } from "../../../../src/agents/adapters/claude-agent-sdk.ts";
import { orcsHooks } from "../../../../src/agents/adapters/claude-agent-sdk.ts";
import type { OrcsSession } from "../../../../src/engine/orcs/orcs.ts";
import { SYNTHETIC } from "../../../contract/claude-code-events.ts";
import { open } from "../../engine/orcs/engine.ts";

/** What the SDK gets for an event. */
async function answer(orcs: OrcsSession, input: HookInput, options?: OrcsHooksOptions) {
  const hooks = orcsHooks(orcs, options)[input.hook_event_name] ?? [];
  const callback = hooks[0]?.hooks[0];
  if (!callback) throw new Error(`no callback for ${input.hook_event_name}`);
  return callback(input, undefined, { signal: new AbortController().signal });
}

const withHook = (point: string, handler_inline: string, more = {}) =>
  open({ config: { hooks: [{ id: "h", point, handler_inline, ...more }] } });

describe("orcsHooks", () => {
  test("has a callback for every event of the SDK, but for the three that need more than an answer", async () => {
    const hooks: Options["hooks"] = orcsHooks(await open());
    const missing = HOOK_EVENTS.filter((event) => !hooks?.[event]);
    expect(missing).toEqual(["WorktreeCreate", "FileChanged", "MessageDisplay"]);
    expect(Object.keys(orcsHooks(await open(), { events: HOOK_EVENTS }))).toEqual([...HOOK_EVENTS]);
  });

  test.each(HOOK_EVENTS)("%s without hooks has no effect", async (event) => {
    const options = { events: [event] };
    expect(await answer(await open(), SYNTHETIC[event], options)).toEqual({});
  });

  test("refuses an event that the SDK does not have", async () => {
    const orcs = await open();
    const events = ["PreToolUze" as HookEvent];
    expect(() => orcsHooks(orcs, { events })).toThrow(/ORCS1005.*PreToolUze/);
  });

  test("a denial, in the tool's names of orcs", async () => {
    const orcs = await withHook("tool.pre_execute", 'orcs.deny(ctx.payload.tool_name .. ": no")');
    expect(await answer(orcs, SYNTHETIC.PreToolUse)).toEqual({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "denied by hook h: exec: no",
      },
    });
  });

  test("a question is one for canUseTool", async () => {
    const orcs = await withHook("tool.pre_execute", 'orcs.ask("sure?")');
    expect(await answer(orcs, SYNTHETIC.PreToolUse)).toMatchObject({
      hookSpecificOutput: { permissionDecision: "ask", permissionDecisionReason: "sure?" },
    });
  });

  test("a rewrite, under the names of the SDK", async () => {
    const orcs = await withHook("tool.pre_execute", 'ctx.payload.args.path = "/b.txt"');
    const tool_input = { file_path: "/a.txt", content: "x" };
    const input = { ...SYNTHETIC.PreToolUse, tool_name: "Write", tool_input };
    expect(await answer(orcs, input)).toMatchObject({
      hookSpecificOutput: { updatedInput: { file_path: "/b.txt", content: "x" } },
    });
  });

  test("a masked result", async () => {
    const orcs = await withHook("tool.post_execute", 'ctx.payload.result.stdout = "[masked]"');
    expect(await answer(orcs, SYNTHETIC.PostToolUse)).toMatchObject({
      hookSpecificOutput: { updatedToolOutput: { stdout: "[masked]" } },
    });
  });

  test("a prompt that is denied, and a text for the model", async () => {
    const denies = await withHook("prompt.pre_submit", 'orcs.deny("not that")');
    expect(await answer(denies, SYNTHETIC.UserPromptSubmit)).toMatchObject({
      decision: "block",
      reason: "denied by hook h: not that",
    });
    const injects = await withHook("prompt.pre_submit", 'orcs.inject("Be brief.")');
    expect(await answer(injects, SYNTHETIC.UserPromptSubmit)).toMatchObject({
      hookSpecificOutput: { additionalContext: "Be brief." },
    });
  });

  test("a field of the response that means nothing to orcs", async () => {
    const orcs = await withHook(
      "session.on_start",
      'ctx.payload.host_response = { sessionTitle = "tidy", nonsense = 1 }',
    );
    expect(await answer(orcs, SYNTHETIC.SessionStart)).toEqual({
      hookSpecificOutput: { hookEventName: "SessionStart", sessionTitle: "tidy" },
    });
  });

  test("the session, the directory and the subagent are those of the event", async () => {
    const orcs = await withHook(
      "tool.pre_execute",
      'orcs.deny(ctx.payload.session_id .. " " .. ctx.payload.cwd .. " " .. tostring(ctx.payload.agent_id))',
    );
    const input = { ...SYNTHETIC.PreToolUse, agent_id: "a-7", agent_type: "Explore" };
    expect(JSON.stringify(await answer(orcs, input))).toContain("s-1 /home/dev/project a-7");
  });

  test("fails closed: a hook that fails, an engine that is closed, an event that cannot be read", async () => {
    const denied = { hookSpecificOutput: { permissionDecision: "deny" } };
    const failing = await withHook("tool.pre_execute", 'error("broken")');
    expect(await answer(failing, SYNTHETIC.PreToolUse)).toMatchObject(denied);
    const closed = await open();
    await closed.close();
    expect(await answer(closed, SYNTHETIC.PreToolUse)).toMatchObject(denied);
    const { cwd: _, ...unreadable } = SYNTHETIC.PreToolUse;
    expect(await answer(await open(), unreadable as HookInput)).toMatchObject(denied);
  });

  test("fails closed: hooks that take longer than the time limit, and does not keep an agent from stopping", async () => {
    const orcs = await open();
    const forever = () => new Promise<never>(() => undefined);
    orcs.hook({ point: "tool.pre_execute", handler: forever, timeoutMs: 60_000 });
    orcs.hook({ point: "Stop", handler: forever, timeoutMs: 60_000 });
    const options = { timeout: 0.05 };
    expect(await answer(orcs, SYNTHETIC.PreToolUse, options)).toMatchObject({
      hookSpecificOutput: { permissionDecision: "deny" },
    });
    expect(await answer(orcs, SYNTHETIC.Stop, options)).not.toHaveProperty("decision");
  });
});
