import { describe, expect, expectTypeOf, test } from "vitest";
import {
  HookContext,
  HookEvent,
  HookMatcher,
  HookRegistry,
  HookResult,
} from "../../src/agents/adapters/v3.ts";
import type { AgentInternals, Hook, PermissionDecision } from "../../src/agents/adapters/v3.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { errorOf, Lines, open } from "../unit/engine/orcs/engine.ts";

/**
 * The sections of "Hooks Implementation Plan (v3)"; its examples run in docs/how-to/coming-from/v3.md. They are ported
 * from Rust: `ctx.messages_mut()` is `ctx.messages`, `add_with_pattern` is `addWithPattern`, a `Result` is an exception.
 */

async function registry() {
  const logger = new Lines();
  return { hooks: new HookRegistry(await open({ logger })), logger };
}

/** What an agent lends to its hooks. */
function agent(...contents: string[]) {
  return {
    session_id: "s-1",
    messages: contents.map((content) => ({ role: "user", content })),
    metadata: {} as Record<string, unknown>,
  };
}

function bash(command: string, internals: AgentInternals = agent()) {
  return HookContext.preToolUse(internals, "Bash", { command }, "toolu_1");
}

describe("Core Types", () => {
  test("HookEvent", async () => {
    const { hooks } = await registry();
    const seen: string[] = [];
    for (const event of Object.values(HookEvent))
      hooks.add(event, (ctx) => void seen.push(ctx.event));
    await hooks.run(bash("ls"));
    await hooks.run(HookContext.postToolUse(agent(), "Bash", {}, "toolu_1", { stdout: "" }));
    await hooks.run(HookContext.postToolUseFailure(agent(), "Bash", {}, "toolu_1", "no such file"));
    await hooks.run(HookContext.userPromptSubmit(agent(), "hello"));
    expect(seen).toEqual(["PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit"]);
    expect(hooks.orcs.registry.list().map(({ point }) => point.name)).toEqual([
      "tool.pre_execute",
      "tool.post_execute",
      "tool.on_failure",
      "prompt.pre_submit",
      "llm.post_generate",
      "agent.pre_stop",
    ]);
  });

  describe("HookContext", () => {
    test("has the fields of the event", async () => {
      const { hooks } = await registry();
      const seen: unknown[] = [];
      const note: Hook = (ctx) => {
        const { tool_name, tool_input, tool_use_id, tool_result, error, user_prompt } = ctx;
        const what = { tool_name, tool_input, tool_use_id, tool_result, error, user_prompt };
        const lent = { session_id: ctx.session_id, messages: ctx.messages.length };
        seen.push(JSON.parse(JSON.stringify({ ...what, ...lent })));
      };
      for (const event of Object.values(HookEvent)) hooks.add(event, note);
      const internals = agent("hi", "there");
      const input = { command: "ls" };
      await hooks.run(bash("ls", internals));
      await hooks.run(HookContext.postToolUse(internals, "Bash", input, "t", { stdout: "a" }));
      await hooks.run(HookContext.postToolUseFailure(internals, "Bash", input, "t", "gone"));
      await hooks.run(HookContext.userPromptSubmit(internals, "do it"));
      const lent = { session_id: "s-1", messages: 2 };
      const called = { tool_name: "Bash", tool_input: input, tool_use_id: "t" };
      expect(seen).toEqual([
        { ...called, tool_use_id: "toolu_1", ...lent },
        { ...called, tool_result: { stdout: "a" }, ...lent },
        { ...called, error: "gone", ...lent },
        { user_prompt: "do it", ...lent },
      ]);
    });

    test("passes metadata from hook to hook and back to the agent", async () => {
      const { hooks } = await registry();
      hooks
        .add(HookEvent.PreToolUse, (ctx) => ctx.setMetadata("risk", { level: 1 }))
        .add(HookEvent.PreToolUse, (ctx) => {
          expect(ctx.metadata).toEqual({ turn: 3, risk: { level: 1 } });
        });
      const internals = { ...agent(), metadata: { turn: 3 } };
      const ctx = bash("ls", internals);
      await hooks.run(ctx);
      expect(ctx.metadata).toEqual({ turn: 3, risk: { level: 1 } });
      expect(internals.metadata).toEqual({ turn: 3, risk: { level: 1 } });
    });

    test("has types by event", () => {
      expectTypeOf(bash("ls").tool_input).toEqualTypeOf<JsonObject>();
      expectTypeOf(bash("ls").user_prompt).toEqualTypeOf<undefined>();
      expectTypeOf<HookContext["tool_name"]>().toEqualTypeOf<string | undefined>();
      const prompt = HookContext.userPromptSubmit({}, "x");
      expectTypeOf(prompt.user_prompt).toEqualTypeOf<string>();
      expectTypeOf(prompt).toExtend<HookContext>();
    });
  });

  test("HookResult", () => {
    expect(HookResult.allow()).toEqual({ decision: "allow" });
    expect(HookResult.deny("why")).toEqual({ decision: "deny", reason: "why" });
    expect(HookResult.ask()).toEqual({ decision: "ask" });
    expect(HookResult.none()).toEqual({});
    expectTypeOf<HookResult["decision"]>().toEqualTypeOf<PermissionDecision | undefined>();
  });

  test("Hook Callback: a function, or an object that has one", async () => {
    const { hooks } = await registry();
    class Counter {
      calls = 0;
      async call(): Promise<HookResult> {
        this.calls++;
        await Promise.resolve();
        return HookResult.deny("counted");
      }
    }
    const counter = new Counter();
    hooks.add(HookEvent.PreToolUse, async () => HookResult.none()).add("PreToolUse", counter);
    expect(await hooks.run(bash("ls"))).toEqual({ decision: "deny", reason: "counted" });
    expect(counter.calls).toBe(1);
  });

  test("HookMatcher: a regular expression on the tool name; without one all tools match", async () => {
    const { hooks } = await registry();
    const seen: string[] = [];
    hooks
      .add(HookEvent.PreToolUse, (ctx) => void seen.push(`all ${ctx.tool_name}`))
      .addWithPattern(HookEvent.PreToolUse, "Read|Write", (ctx) => {
        seen.push(`some ${ctx.tool_name}`);
      })
      .addWithPattern(HookEvent.PreToolUse, "^Re.d$", (ctx) => {
        seen.push(`one ${ctx.tool_name}`);
      });
    for (const tool of ["Read", "NotebookRead", "Bash"])
      await hooks.run(HookContext.preToolUse(agent(), tool, {}));
    expect(seen).toEqual([
      "all Read",
      "some Read",
      "one Read",
      "all NotebookRead",
      "some NotebookRead",
      "all Bash",
    ]);
  });

  describe("HookRegistry", () => {
    test("HookRegistry.new creates an empty registry with its own engine", async () => {
      const hooks = await HookRegistry.new();
      expect(await hooks.run(bash("ls"))).toEqual({});
      await hooks.orcs.close();
      expect((await errorOf(hooks.run(bash("ls")))).code).toBe("ORCS2006");
      expect((await errorOf(() => hooks.add("PreToolUse", () => {}))).code).toBe("ORCS2006");
    });

    test("an invalid pattern throws and adds nothing", async () => {
      const { hooks } = await registry();
      const error = await errorOf(() =>
        hooks.addWithPattern(HookEvent.PreToolUse, "Bash(", () => HookResult.deny("never")),
      );
      expect(error).toMatchObject({ code: "ORCS1012", fields: { pattern: "Bash(" } });
      expect(hooks.orcs.registry.size).toBe(0);
    });

    test.each<[string, HookResult[], HookResult]>([
      ["none", [HookResult.none(), HookResult.none()], {}],
      ["allow over none", [HookResult.allow(), HookResult.none()], { decision: "allow" }],
      ["ask over allow", [HookResult.ask(), HookResult.allow()], { decision: "ask" }],
      [
        "deny over all",
        [HookResult.allow(), HookResult.ask(), HookResult.deny("no")],
        { decision: "deny", reason: "no" },
      ],
    ])("run combines results: %s", async (_name, results, combined) => {
      for (const order of [results, [...results].reverse()]) {
        const { hooks } = await registry();
        for (const result of order) hooks.add(HookEvent.PreToolUse, () => result);
        expect(await hooks.run(bash("ls"))).toEqual(combined);
      }
    });
  });
});

describe("Integration", () => {
  /** ToolExecutor: what it does with a call. */
  async function execute(hooks: HookRegistry, command: string) {
    const input = { command };
    const ctx = HookContext.preToolUse(agent(), "Bash", input, "toolu_1");
    const result = await hooks.run(ctx);

    // Hook may have modified ctx.tool_input - use it
    const finalInput = ctx.tool_input;

    switch (result.decision) {
      case "deny":
        return `error: ${result.reason ?? "Blocked"}`;
      case "allow":
        return `unchecked: ${finalInput["command"] as string}`;
      default:
        return `checked: ${finalInput["command"] as string}`;
    }
  }

  test("ToolExecutor", async () => {
    const { hooks } = await registry();
    hooks.add(HookEvent.PreToolUse, (ctx) => {
      const command = ctx.tool_input["command"] as string;
      if (command === "sudo") return HookResult.deny("not here");
      ctx.tool_input = { ...ctx.tool_input, command: `timeout 5 ${command}` };
      return command === "ls" ? HookResult.allow() : HookResult.none();
    });
    expect(await execute(hooks, "sudo")).toBe("error: not here");
    expect(await execute(hooks, "ls")).toBe("unchecked: timeout 5 ls");
    expect(await execute(hooks, "make")).toBe("checked: timeout 5 make");
  });
});

test("HookMatcher, the events after an answer and a turn, and metadata that the agent did not begin with", async () => {
  const hooks = await HookRegistry.new();
  const matcher = HookMatcher.with_pattern("^Ba", (ctx) => ctx.setMetadata("ran", ctx.event));
  expect([matcher.matches("Bash"), matcher.matches("Read"), matcher.matches(undefined)]).toEqual([
    true,
    false,
    false,
  ]);
  expect(HookMatcher.new(() => undefined).matches(undefined)).toBe(true);
  expect(() => HookMatcher.with_pattern("(", () => undefined)).toThrow(/ORCS1012/);
  hooks.addMatcher(HookEvent.PreToolUse, matcher);
  hooks.add(HookEvent.PostAssistantResponse, (ctx) => {
    ctx.assistant_response = `${ctx.assistant_response}!`;
  });
  hooks.add(HookEvent.TurnComplete, (ctx) => HookResult.deny(String(ctx.metadata["ran"])));
  const internals = { session_id: "s" };
  await hooks.run(HookContext.preToolUse(internals, "Read", {}));
  await hooks.run(HookContext.preToolUse(internals, "Bash", {}));
  const answer = HookContext.postAssistantResponse(internals, "hello");
  await hooks.run(answer);
  expect(answer.assistant_response).toBe("hello!");
  expect(await hooks.run(HookContext.turnComplete(internals))).toEqual(
    HookResult.deny("PreToolUse"),
  );
  await hooks.orcs.close();
});
