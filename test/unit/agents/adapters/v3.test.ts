import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HookContext, HookRegistry, HookResult } from "../../../../src/agents/adapters/v3.ts";
import { errorOf, Lines, open } from "../../engine/orcs/engine.ts";

async function registry() {
  const logger = new Lines();
  const orcs = await open({ logger });
  return { orcs, hooks: new HookRegistry(orcs), logger };
}

const bash = (internals = {}) =>
  HookContext.preToolUse(internals, "Bash", { command: "ls", env: { A: "1" } }, "t");

describe("a failing v3 hook", () => {
  test.each([
    ["at once", () => new Error("broken")],
    ["later", () => Promise.reject(new Error("broken"))],
  ])("(%s) has no effect on the context, and denies the call", async (_name, fail) => {
    const { hooks } = await registry();
    hooks
      .add("PreToolUse", (ctx) => {
        ctx.tool_input["command"] = "ls -l";
        ctx.messages.push({ n: 1 });
        ctx.setMetadata("first", true);
      })
      .add("PreToolUse", (ctx) => {
        ctx.tool_input = { command: "rm" };
        ctx.messages = [];
        ctx.setMetadata("first", false);
        const failure = fail();
        if (failure instanceof Error) throw failure;
        return failure;
      });
    const internals = { messages: [{ n: 0 }], metadata: {} };
    const ctx = bash(internals);
    expect(await hooks.run(ctx)).toMatchObject({
      decision: "deny",
      reason: expect.stringMatching(/^hook code:tool.pre_execute:2 failed: broken$/) as string,
    });
    expect(ctx.tool_input).toEqual({ command: "ls -l", env: { A: "1" } });
    expect(internals).toEqual({ messages: [{ n: 0 }, { n: 1 }], metadata: { first: true } });
  });

  test("after a call is skipped with its edits", async () => {
    const { hooks, logger } = await registry();
    hooks.add("PostToolUse", (ctx) => {
      ctx.tool_result = "gone";
      throw new Error("broken");
    });
    const ctx = HookContext.postToolUse({}, "Bash", {}, "t", "kept");
    expect(await hooks.run(ctx)).toEqual({});
    expect(ctx.tool_result).toBe("kept");
    expect(logger.lines).toEqual([expect.stringContaining("broken; the hook is skipped")]);
  });

  test.each<[string, unknown]>([
    ["true", true],
    ["text", "deny"],
    ["a list", []],
    ["an unknown decision", { decision: "Deny" }],
    ["an unknown key", { desicion: "deny" }],
    ["a reason that is none", { decision: "allow", reason: 5 }],
    ["an action of the engine", { action: "skip", result: 1 }],
  ])("that returns %s denies", async (_name, answer) => {
    const { hooks } = await registry();
    hooks.add("PreToolUse", () => answer as HookResult);
    expect(await hooks.run(bash())).toMatchObject({
      decision: "deny",
      reason: expect.stringContaining(" failed: returned ") as string,
    });
  });

  test("that decides where no decision is possible is skipped", async () => {
    const { hooks, logger } = await registry();
    hooks.add("PostToolUse", () => HookResult.ask());
    hooks.add("PostToolUseFailure", () => HookResult.deny("too late"));
    expect(await hooks.run(HookContext.postToolUse({}, "Bash", {}, "t", 1))).toEqual({});
    expect(await hooks.run(HookContext.postToolUseFailure({}, "Bash", {}, "t", "x"))).toEqual({});
    expect(logger.lines).toHaveLength(2);
  });
});

test("a v3 hook can deny a result", async () => {
  const { hooks } = await registry();
  hooks.add("PostToolUse", () => HookResult.deny("it holds a key"));
  hooks.add("PostToolUse", () => {
    throw new Error("not reached");
  });
  const denied = { decision: "deny", reason: "it holds a key" };
  expect(await hooks.run(HookContext.postToolUse({}, "Bash", {}, "t", 1))).toEqual(denied);
});

describe("edits by v3 hooks", () => {
  test("are in the caller's input when the run has ended, for a denied call too", async () => {
    const { hooks } = await registry();
    hooks.add("PreToolUse", (ctx) => {
      (ctx.tool_input["env"] as Record<string, string>)["A"] = "2";
      return HookResult.deny("no");
    });
    const input = { command: "ls", env: { A: "1" } };
    const ctx = HookContext.preToolUse({}, "Bash", input);
    expect(await hooks.run(ctx)).toEqual({ decision: "deny", reason: "no" });
    expect(ctx.tool_input).toEqual({ command: "ls", env: { A: "2" } });
    expect(input).toEqual({ command: "ls", env: { A: "2" } });
    expect(ctx.tool_input).toBe(input);
  });

  test("replace, add and remove keys of the input; a frozen one stays", async () => {
    const { hooks } = await registry();
    hooks.add("PreToolUse", (ctx) => {
      ctx.tool_input = { file_path: "/mnt/a", more: 1 };
      return HookResult.none();
    });
    const input = { file_path: "/a", limit: 5 };
    await hooks.run(HookContext.preToolUse({}, "Read", input));
    expect(input).toEqual({ file_path: "/mnt/a", more: 1 });
    const frozen = Object.freeze({ file_path: "/a" });
    const ctx = HookContext.preToolUse({}, "Read", frozen);
    await hooks.run(ctx);
    expect([frozen, ctx.tool_input]).toEqual([
      { file_path: "/a" },
      { file_path: "/mnt/a", more: 1 },
    ]);
  });

  test("that change nothing keep the caller's objects", async () => {
    const { hooks } = await registry();
    hooks.add("PreToolUse", (ctx) => void JSON.stringify([ctx.tool_input, ctx.messages]));
    const internals = { session_id: "s", messages: [{ n: 0 }], metadata: { a: { b: 1 } } };
    const before = structuredClone(internals);
    const input = { command: "ls" };
    const ctx = HookContext.preToolUse(internals, "Bash", input);
    await hooks.run(ctx);
    expect(internals).toEqual(before);
    expect(ctx.tool_input).toBe(input);
    expect(ctx.metadata).toBe(internals.metadata);
  });

  test("apply to results, errors and prompts", async () => {
    const { hooks } = await registry();
    hooks
      .add("PostToolUse", (ctx) => {
        ctx.tool_result = { was: ctx.tool_result };
      })
      .add("PostToolUseFailure", (ctx) => {
        ctx.error = `${ctx.error}!`;
      })
      .add("UserPromptSubmit", (ctx) => {
        ctx.user_prompt += "?";
      });
    const result = HookContext.postToolUse({}, "Bash", {}, undefined, [1]);
    const error = HookContext.postToolUseFailure({}, "Bash", {}, undefined, "gone");
    const prompt = HookContext.userPromptSubmit({}, "why");
    for (const ctx of [result, error, prompt]) await hooks.run<HookContext["event"]>(ctx);
    expect(result.tool_result).toEqual({ was: [1] });
    expect(error.error).toBe("gone!");
    expect(prompt.user_prompt).toBe("why?");
    // A context may be run again, and goes on from there.
    await hooks.run(prompt);
    expect(prompt.user_prompt).toBe("why??");
  });

  test("to metadata by other hooks include removal", async () => {
    const { orcs, hooks } = await registry();
    orcs.on("tool.pre_execute", (ctx) => {
      delete ctx.metadata["secret"];
    });
    hooks.add("PreToolUse", (ctx) => ctx.setMetadata("__proto__", { polluted: 1 }));
    const metadata: Record<string, unknown> = { secret: 1, kept: 2 };
    await hooks.run(bash({ metadata }));
    expect(JSON.stringify(metadata)).toBe('{"kept":2,"__proto__":{"polluted":1}}');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test("metadata can have any key", () => {
    const ctx = bash();
    ctx.setMetadata("__proto__", { polluted: 1 });
    expect(JSON.stringify(ctx.metadata)).toBe('{"__proto__":{"polluted":1}}');
  });

  test("of messages work like those of a plain list", async () => {
    type Step = { push: number } | { keep: number } | { edit: number } | { cut: number };
    const step: fc.Arbitrary<Step> = fc.oneof(
      fc.record({ push: fc.nat(9) }),
      fc.record({ keep: fc.integer({ min: 2, max: 4 }) }),
      fc.record({ edit: fc.nat(5) }),
      fc.record({ cut: fc.nat(5) }),
    );
    const apply = (list: { n: number }[], step: Step): { n: number }[] => {
      if ("push" in step) list.push({ n: step.push });
      else if ("keep" in step) return list.filter(({ n }) => n % step.keep !== 0);
      else if ("cut" in step) list.splice(step.cut, 1);
      else if (list[step.edit]) (list[step.edit] as { n: number }).n += 10;
      return list;
    };
    const numbers = fc.array(fc.nat(9), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(numbers, fc.array(fc.array(step), { maxLength: 4 }), async (ns, turns) => {
        const { hooks } = await registry();
        for (const steps of turns) {
          hooks.add("UserPromptSubmit", (ctx) => {
            for (const step of steps) ctx.messages = apply(ctx.messages as { n: number }[], step);
          });
        }
        const messages = ns.map((n) => ({ n }));
        let model = ns.map((n) => ({ n }));
        for (const step of turns.flat()) model = apply(model, step);
        expect(await hooks.run(HookContext.userPromptSubmit({ messages }, "x"))).toEqual({});
        expect(messages).toEqual(model);
      }),
    );
  });

  test("of very many messages work", async () => {
    const { hooks } = await registry();
    // More than a function can have arguments.
    const messages = Array.from({ length: 150_000 }, (_, n) => ({ n }));
    hooks.add("UserPromptSubmit", (ctx) => {
      ctx.messages.push({ n: -1 });
    });
    await hooks.run(HookContext.userPromptSubmit({ messages }, "x"));
    expect(messages.length).toBe(150_001);
    expect(messages.at(-1)).toEqual({ n: -1 });
  });

  test("of messages without a given list are ignored", async () => {
    const { hooks } = await registry();
    hooks.add("PreToolUse", (ctx) => void ctx.messages.push({ n: 1 }));
    const ctx = bash();
    await hooks.run(ctx);
    expect(ctx.messages).toEqual([{ n: 1 }]);
  });
});

describe("a v3 registry on an engine with other hooks", () => {
  test.each<[string, unknown, HookResult]>([
    [
      "skip",
      { action: "skip", result: [1] },
      { decision: "deny", reason: "hook other skipped the call and returned [1] in its place" },
    ],
    [
      "retry",
      { action: "retry", delay_ms: 5 },
      { decision: "deny", reason: "hook other requests a retry in 5 milliseconds" },
    ],
    ["defer", { decision: "defer" }, { decision: "deny", reason: "deferred" }],
    ["ask", { decision: "ask", reason: "big" }, { decision: "ask", reason: "big" }],
    ["allow", { decision: "allow" }, { decision: "allow" }],
    ["inject", { inject: "a word" }, {}],
  ])("denies for results without a v3 equivalent: %s", async (...row) => {
    const [, answer, result] = row;
    const { orcs, hooks } = await registry();
    orcs.hook({ id: "other", point: "PreToolUse", handler: () => answer });
    expect(await hooks.run(bash())).toEqual(result);
  });

  test("runs for the engine's tools", async () => {
    const { orcs, hooks } = await registry();
    hooks.addWithPattern("PreToolUse", "^doub", (ctx) => {
      if (ctx.tool_input["n"] === 0) return HookResult.deny("not zero");
      ctx.tool_input["n"] = 10;
    });
    hooks.add("PostToolUse", (ctx) => {
      ctx.tool_result = { result: ctx.tool_result };
    });
    const double = orcs.wrapTool("double", ({ n }: { n: number }): unknown => n * 2);
    expect(await double({ n: 1 })).toEqual({ result: 20 });
    expect(await errorOf(double({ n: 0 }))).toMatchObject({ fields: { reason: "not zero" } });
  });
});

describe("a v3 registry rejects", () => {
  test("an invalid context, unchanged", async () => {
    const { hooks } = await registry();
    hooks.add("PreToolUse", () => undefined).add("UserPromptSubmit", () => undefined);
    const list = HookContext.preToolUse({}, "Bash", ["ls"]);
    expect((await errorOf(hooks.run(list))).code).toBe("ORCS2003");
    expect(list.tool_input).toEqual(["ls"]);
    const prompt = HookContext.userPromptSubmit({}, undefined as unknown as string);
    expect((await errorOf(hooks.run(prompt))).code).toBe("ORCS2003");
  });

  test("an unknown event", async () => {
    const { hooks } = await registry();
    const error = await errorOf(() => hooks.add("PreToolUsed" as "PreToolUse", () => undefined));
    expect(error.code).toBe("ORCS1005");
  });
});
