import { AssertionError } from "node:assert";
import { describe, expect, onTestFinished, test } from "vitest";
import type { HookDefinition } from "../../../../src/engine/orcs/options.ts";
import { testHook, testHooks, type HookTestCase } from "../../../../src/workbench/testing.ts";

/** As the guard of docs/how-to/testing.md, in TypeScript. */
const guard: HookDefinition<"tool.pre_execute"> = {
  id: "guard",
  point: "tool.pre_execute",
  match: { tool: "exec", command: "^git\\s+push" },
  options: { branch: "main" },
  handler: async (ctx, orcs, options) => {
    if ((ctx.payload.args["command"] as string).includes("--force"))
      return { action: "abort", reason: "no force pushes" };
    const branch = await orcs.get("exec", "git branch --show-current");
    const count = await orcs.state?.incr("pushes", 1);
    if ("stdout" in branch && branch["stdout"] === options["branch"])
      return { action: "continue", decision: "ask", reason: `push ${count} to main?` };
    ctx.metadata["at"] = ctx.timestamp_ms;
    ctx.payload.args["checked"] = true;
    return undefined;
  },
};

const push = { tool: "exec", args: { command: "git push" } };
const onBranch = (stdout: string) => [
  { tool: "exec", args: "git branch --show-current", answers: { stdout } },
];

const PASSED: readonly HookTestCase[] = [
  {
    name: "a denial",
    event: { tool: "exec", args: { command: "git push --force" } },
    expect: { action: "abort", decision: "deny", reason: "no force pushes", hook: "guard" },
  },
  {
    name: "a question, with a faked tool, a pattern and the state",
    calls: onBranch("main"),
    state: { pushes: 2 },
    event: push,
    expect: { decision: "ask", reason: { matches: "^push 3 to main%?$" } },
    state_after: { pushes: 3 },
  },
  {
    name: "a rewrite, with the clock",
    calls: onBranch("dev"),
    now_ms: 1500,
    event: push,
    expect: {
      action: "continue",
      decision: "none",
      payload: { args: { checked: true } },
      metadata: { at: 1500 },
    },
  },
  {
    name: "other options",
    calls: onBranch("trunk"),
    options: { branch: "trunk" },
    event: push,
    expect: { decision: "ask" },
  },
  {
    name: "several events, each at its time",
    calls: [{ tool: "exec", answers: { stdout: "dev" }, times: 2 }],
    events: [
      { ...push, expect: { metadata: { at: 0 } } },
      { ...push, now_ms: 900, expect: { metadata: { at: 900 } } },
    ],
    state_after: { pushes: 2 },
  },
  {
    name: "a command that does not match",
    event: { tool: "exec", args: { command: "ls" } },
    expect: { action: "continue" },
  },
];

describe("testHook", () => {
  test.each(PASSED.map((spec) => [spec.name, spec] as const))("passes: %s", async (_, spec) => {
    await expect(testHook(guard, spec)).resolves.toBeUndefined();
  });

  const FAILED: readonly (readonly [what: string, spec: HookTestCase, message: RegExp])[] = [
    [
      "another action",
      { name: "n", event: push, calls: onBranch("dev"), expect: { action: "abort" } },
      /^n\n {2}action\n {4}expected {2}"abort"\n {4}got {7}"continue"$/,
    ],
    [
      "a call that is not listed",
      { name: "n", event: push, expect: { action: "continue" } },
      /exec was called, but the test does not list this call/,
    ],
    [
      "a listed call that is not made",
      {
        name: "n",
        event: { tool: "exec", args: { command: "ls" } },
        calls: onBranch("x"),
        expect: { action: "continue" },
      },
      /^n\n {2}guard did not run: its match.command is false for this event\n {2}calls\n/,
    ],
    [
      "another state",
      {
        name: "n",
        event: push,
        calls: onBranch("dev"),
        expect: { action: "continue" },
        state_after: { pushes: 7 },
      },
      /state_after\["pushes"\]\n {4}expected {2}7\n {4}got {7}1/,
    ],
    [
      "a failed hook where a denial is expected",
      { name: "n", event: push, expect: { action: "abort" } },
      /error\n {4}expected {2}nothing/,
    ],
  ];

  test.each(FAILED)("fails for %s", async (_, spec, message) => {
    const failure: unknown = await testHook(guard, spec).catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(AssertionError);
    expect((failure as AssertionError).message).toMatch(message);
  });

  test("the failure has the values for the runner's own report", async () => {
    const spec = { name: "n", event: push, calls: onBranch("dev"), expect: { decision: "ask" } };
    await expect(testHook(guard, spec as HookTestCase)).rejects.toMatchObject({
      expected: { decision: "ask" },
      actual: { decision: "none" },
    });
  });

  test.each([
    ["no expectation", { name: "n", event: push, expect: {} }, /ORCS1004: the test: expect:/],
    ["no event", { name: "n", expect: { action: "abort" } }, /ORCS1013: the test: .*event/],
    [
      "an unknown key",
      { name: "n", event: push, expect: { acton: "abort" } },
      /ORCS1003: .*action/,
    ],
    [
      "an unknown point",
      { name: "n", event: { point: "tool.pre", ...push }, expect: { action: "abort" } },
      /ORCS1005/,
    ],
  ])("an invalid test is an error: %s", async (_, spec, message) => {
    await expect(testHook(guard, spec as HookTestCase)).rejects.toThrow(message);
  });

  test("an invalid hook is an error, as for the engine", async () => {
    const spec: HookTestCase = { name: "n", event: push, expect: { action: "abort" } };
    const misspelt = { ...guard, prority: 1 } as HookDefinition;
    await expect(testHook(misspelt, spec)).rejects.toThrow(/ORCS1003.*priority/);
  });

  test("several hooks run together, a disabled one too", async () => {
    const hooks: HookDefinition[] = [
      { point: "tool.pre_execute", handler: (ctx) => void (ctx.metadata["first"] = true) },
      {
        id: "second",
        point: "tool.pre_execute",
        enabled: false,
        handler: ({ metadata }) =>
          metadata["first"] === true ? { action: "abort", reason: "second" } : undefined,
      },
    ];
    await testHook(hooks, { name: "n", event: push, expect: { hook: "second" } });
  });

  test("a point of the program", async () => {
    const deploy: HookDefinition = {
      point: "deploy.pre_push",
      handler: () => ({ action: "abort", reason: "freeze" }),
    };
    const points = { "deploy.pre_push": { phase: "pre" as const } };
    const spec: HookTestCase = { name: "n", event: { to: "x" }, expect: { reason: "freeze" } };
    await testHook(deploy, spec, { points });
  });
});

describe("testHooks with hooks of a program", () => {
  test("tests them alone, with tools, state and clock", async () => {
    const hooks = await testHooks({
      hooks: [guard as unknown as HookDefinition],
      tools: { exec: () => ({ stdout: "main" }) },
      state: { pushes: 4 },
      nowMs: 10,
    });
    onTestFinished(() => hooks.close());
    expect(hooks.ids).toEqual(["guard"]);
    const asked = await hooks.dispatch("tool.pre_execute", {
      tool_name: "exec",
      args: { command: "git push" },
    });
    expect(asked).toMatchObject({ decision: "ask", reason: "push 5 to main?" });
    expect(hooks.calls).toEqual([{ tool: "exec", args: { command: "git branch --show-current" } }]);
    expect(hooks.state.get("pushes")).toBe(5);
  });

  test("together with those of a configuration, by priority", async () => {
    const config = {
      hooks: [
        {
          id: "lua",
          point: "tool.pre_execute",
          handler_inline: "ctx.payload.args.command = 'git push --force'",
        },
      ],
    };
    const late = { ...guard, priority: 200 } as unknown as HookDefinition;
    const hooks = await testHooks({ config, hooks: [late] });
    onTestFinished(() => hooks.close());
    expect(hooks.ids).toEqual(["lua", "guard"]);
    const outcome = await hooks.dispatch("tool.pre_execute", {
      tool_name: "exec",
      args: { command: "git push" },
    });
    expect(outcome).toMatchObject({ action: "abort", reason: "no force pushes" });
  });

  test("only some of them", async () => {
    const other: HookDefinition = { id: "other", point: "prompt.pre_submit", handler: () => {} };
    const hooks = await testHooks({
      hooks: [guard as unknown as HookDefinition, other],
      only: ["other"],
    });
    onTestFinished(() => hooks.close());
    expect(hooks.ids).toEqual(["other"]);
  });
});
