import { expect, test } from "vitest";
import { injectedText, type Injection } from "../../../../src/core/actions.ts";
import type { HookContext } from "../../../../src/core/context.ts";
import type { HookHandler } from "../../../../src/engine/registry/function-runner.ts";
import { LateTexts } from "../../../../src/engine/registry/late-texts.ts";
import { open } from "../orcs/engine.ts";

// What an asynchronous hook has for the model reaches it with the next event of its session.

const says =
  (content: string): HookHandler =>
  () => ({
    action: "continue",
    inject: [{ content, strategy: "user_message" }],
  });
const textsOf = ({ inject }: { inject: readonly Injection[] }): string[] =>
  inject.map(injectedText);
const done = { tool_name: "t", args: {}, result: 1, session_id: "s" };

async function withAsync(point: string, ...texts: string[]) {
  const orcs = await open();
  for (const [i, text] of texts.entries())
    orcs.hook({ id: `h${i}`, point, async: true, once: true, handler: says(text) });
  return orcs;
}

test("at the next event only, and once", async () => {
  const orcs = await withAsync("tool.post_execute", "late");
  expect(textsOf(await orcs.dispatch("tool.post_execute", done))).toEqual([]);
  await orcs.registry.idle();
  expect(textsOf(await orcs.dispatch("tool.post_execute", done))).toEqual(["late"]);
  expect(textsOf(await orcs.dispatch("tool.post_execute", done))).toEqual([]);
});

test("with a prompt, in front of what its own hooks have", async () => {
  const orcs = await withAsync("session.on_start", "first", "second");
  orcs.hook({ id: "own", point: "prompt.pre_submit", handler: says("own") });
  await orcs.dispatch("session.on_start", { session_id: "s" });
  await orcs.registry.idle();
  const prompt = { prompt: "Hello", session_id: "s" };
  const texts = textsOf(await orcs.dispatch("prompt.pre_submit", prompt));
  expect(texts.toSorted()).toEqual(["first", "own", "second"]);
  expect(texts.at(-1)).toBe("own");
});

test("with a tool call, although no hook is registered for it any more", async () => {
  const orcs = await withAsync("session.on_start", "late");
  await orcs.dispatch("session.on_start", {});
  await orcs.registry.idle();
  const called = await orcs.call("t", {}, { fn: () => 1 });
  expect(called.ok).toBe(true);
  expect(textsOf(called)).toEqual(["late"]);
});

test.each([
  ["another session", { ...done, session_id: "other" }, "tool.post_execute"],
  ["another agent", { ...done, agent_id: "sub" }, "tool.post_execute"],
  [
    "an event whose texts may not reach the model",
    { tool_name: "t", args: {}, session_id: "s" },
    "tool.pre_execute",
  ],
] as const)("not at %s", async (_, payload, point) => {
  const orcs = await withAsync("session.on_start", "late");
  await orcs.dispatch("session.on_start", { session_id: "s" });
  await orcs.registry.idle();
  expect(textsOf(await orcs.dispatch(point, payload as typeof done))).toEqual([]);
  expect(textsOf(await orcs.dispatch("tool.post_execute", done))).toEqual(["late"]);
});

test("the oldest texts and sessions are dropped first", () => {
  const late = new LateTexts();
  const of = (session_id: string) => ({ payload: { session_id } }) as unknown as HookContext;
  for (let i = 0; i < 120; i++) late.add(of("s"), [String(i)]);
  for (let i = 0; i < 999; i++) late.add(of(`other ${i}`), ["x"]);
  const texts = late.take(of("s"));
  expect([texts.length, texts[0], texts.at(-1)]).toEqual([100, "20", "119"]);
  for (let i = 999; i < 1001; i++) late.add(of(`other ${i}`), ["x"]);
  expect(late.take(of("other 0"))).toEqual([]);
  expect(late.take(of("other 1"))).toEqual(["x"]);
});
