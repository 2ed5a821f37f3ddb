import { describe, expect, test } from "vitest";
import type { HookDefinition } from "../../../../src/engine/orcs/options.ts";
import { call, errorOf, open, openWith } from "./engine.ts";

const NOTHING = (): void => undefined;

describe("orcs.hook and orcs.on", () => {
  test("return a function that removes the hook and may be called repeatedly", async () => {
    const orcs = await open();
    const remove = orcs.hook({ id: "a", point: "PreToolUse", handler: NOTHING });
    expect(orcs.registry.get("a")?.point.name).toBe("tool.pre_execute");
    remove();
    remove();
    expect(orcs.registry.size).toBe(0);
  });

  test("a second removal does not remove a later hook with the same id", async () => {
    const orcs = await open();
    const remove = orcs.hook({ id: "a", point: "PreToolUse", handler: NOTHING });
    remove();
    orcs.hook({ id: "a", point: "PostToolUse", handler: NOTHING });
    remove();
    expect(orcs.registry.get("a")?.point.name).toBe("tool.post_execute");
  });

  test("on works with and without a match", async () => {
    const orcs = await open();
    const seen: string[] = [];
    orcs.on("tool.pre_execute", () => void seen.push("any"));
    const off = orcs.on("tool.pre_execute", { tool: "exec|Bash" }, () => void seen.push("exec"));
    await orcs.dispatch("tool.pre_execute", call("read"));
    await orcs.dispatch("tool.pre_execute", call("Bash"));
    off();
    off();
    await orcs.dispatch("tool.pre_execute", call("exec"));
    expect(seen).toEqual(["any", "any", "exec", "any"]);
  });

  test("a handler can edit ctx, return a result, and call tools one level deeper", async () => {
    const orcs = await open();
    const depths: number[] = [];
    orcs.on("tool.pre_execute", { tool: "inner" }, (ctx) => void depths.push(ctx.depth));
    orcs.on("tool.pre_execute", { tool: "outer" }, async (ctx, scope) => {
      const answer = await scope.get("inner");
      ctx.payload.args = { got: answer.ok };
    });
    orcs.wrapTool("inner", () => ({}));
    const outer = orcs.wrapTool("outer", (args: { got?: boolean }) => args.got);
    expect(await outer({})).toBe(true);
    expect(depths).toEqual([1]);
  });

  test("ids are generated when none is given", async () => {
    const orcs = await open();
    orcs.on("PreToolUse", NOTHING);
    orcs.on("PreToolUse", NOTHING);
    expect(orcs.registry.list().map(({ id }) => id)).toEqual([
      "code:tool.pre_execute:1",
      "code:tool.pre_execute:2",
    ]);
  });
});

describe("an invalid hook definition in code", () => {
  const good = { id: "x", point: "tool.pre_execute", handler: NOTHING };
  const wrong: [string, object, string, RegExp][] = [
    ["an unknown point", { point: "tool.pre_execut" }, "ORCS1005", /did you mean tool.pre_execute/],
    ["no point", { point: undefined }, "ORCS1013", /needs a point/],
    ["no handler", { handler: undefined }, "ORCS1007", /has no handler/],
    ["a handler that is no function", { handler: "return ctx" }, "ORCS1007", /has no handler/],
    ["an unknown key", { priorty: 5 }, "ORCS1003", /priorty; did you mean priority\?/],
    ["an FQL that does not parse", { fql: "builtin:llm" }, "ORCS1011", /'::'/],
    ["an unknown condition", { match: { tol: "x" } }, "ORCS1003", /did you mean tool\?/],
    ["a pattern that is not valid", { match: { command: "(" } }, "ORCS1012", /command pattern/],
    ["a priority that is no number", { priority: NaN }, "ORCS1004", /priority is NaN/],
    ["a timeout of nothing", { timeoutMs: 0 }, "ORCS1004", /timeoutMs is 0/],
    ["a misspelt mode", { onError: "close" }, "ORCS1004", /onError must be "open" or "closed"/],
    ["a switch that is no boolean", { enabled: "no" }, "ORCS1004", /enabled must be true or false/],
  ];
  test.each(wrong)("%s", async (_name, change, code, message) => {
    const orcs = await open();
    const definition = { ...good, ...change } as unknown as HookDefinition;
    const error = await errorOf(() => orcs.hook(definition));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(orcs.registry.size).toBe(0);
  });

  test("on without a handler is rejected with ORCS1007", async () => {
    const orcs = await open();
    const handler = undefined as unknown as () => void;
    expect((await errorOf(() => orcs.on("PreToolUse", {}, handler))).code).toBe("ORCS1007");
  });
});

test.each([
  ['orcs.snapshot("before")', "continue"],
  ['orcs.snapshot("before") and orcs.deny("no")', "abort"],
  ['orcs.deny("no")', "abort"],
])("an inline handler is %s", async (code, action) => {
  const orcs = await openWith(code);
  const outcome = await orcs.dispatch("tool.pre_execute", call("exec", { command: "ls" }));
  expect(outcome.action).toBe(action);
  expect("reason" in outcome ? outcome.reason : "no").toBe("no");
});
