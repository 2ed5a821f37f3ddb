import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CreateOrcsOptions } from "../../../../src/engine/orcs/options.ts";
import { folder, open } from "./engine.ts";

const hook = (more: Readonly<Record<string, unknown>> = {}) => ({
  id: "h",
  point: "tool.pre_execute",
  once: true,
  handler_inline: 'orcs.emit_output("ran") return orcs.inject("once")',
  ...more,
});

/** An engine with a state file; what its hooks said. */
async function engine(stateDir: string, hooks: readonly object[], more: CreateOrcsOptions = {}) {
  const said: string[] = [];
  const orcs = await open({
    config: { hooks },
    stateDir,
    output: (text) => said.push(text),
    ...more,
  });
  const call = async (session?: string) => {
    const outcome = await orcs.dispatch(
      "tool.pre_execute",
      { tool_name: "exec", args: {}, ...(session !== undefined && { session_id: session }) },
      { trace: true },
    );
    return [outcome.action, outcome.inject.length, outcome.trace?.[0]?.status];
  };
  return { orcs, call, said };
}

const RAN = ["continue", 1, "ran"];
const SPENT = ["continue", 0, "disabled"];

describe("a hook with once and a state file", () => {
  test("runs once per session across engines", async () => {
    const dir = join(folder(), "state");
    const first = await engine(dir, [hook()]);
    expect(await first.call("a")).toEqual(RAN);
    expect(await first.call("a")).toEqual(SPENT);
    await first.orcs.close();
    const [second, third] = [await engine(dir, [hook()]), await engine(dir, [hook()])];
    expect(await second.call("a")).toEqual(SPENT);
    expect(await second.call("b")).toEqual(RAN);
    expect(await third.call("b")).toEqual(SPENT);
    expect(await third.call("__proto__")).toEqual(RAN);
    expect(await third.call()).toEqual(RAN);
    expect(await second.call()).toEqual(SPENT);
    expect(await second.call("")).toEqual(SPENT);
  });

  test("ids and sessions that contain separators are kept apart", async () => {
    const dir = folder();
    const { call } = await engine(dir, [hook({ id: 'a","b' })]);
    expect(await call("c")).toEqual(RAN);
    const other = await engine(dir, [hook({ id: "a" })]);
    expect(await other.call('b","c')).toEqual(RAN);
  });

  test("concurrent dispatches in several engines run it once", async () => {
    const dir = folder();
    const engines = await Promise.all([1, 2, 3].map(() => engine(dir, [hook()])));
    const told = await Promise.all(engines.flatMap(({ call }) => [call("s"), call("s")]));
    expect(told.filter(([, inject]) => inject === 1)).toHaveLength(1);
  });

  test("is used up only by running, not when it does not match or is not reached", async () => {
    const dir = folder();
    const { orcs, call } = await engine(dir, [
      hook({ match: { tool: "exec" }, priority: 2 }),
      {
        id: "first",
        point: "tool.pre_execute",
        match: { tool: "stop" },
        handler_inline: 'orcs.deny("no")',
      },
    ]);
    const other = { tool_name: "read", args: {}, session_id: "s" };
    await orcs.dispatch("tool.pre_execute", other);
    await orcs.dispatch("tool.pre_execute", { ...other, tool_name: "stop" });
    expect((await call("s"))[1]).toBe(1);
  });

  test("does not run again after a reload", async () => {
    const dir = folder({
      "orcs.toml": `[[hooks]]\nid = "h"\npoint = "tool.pre_execute"\nonce = true\nhandler_inline = 'orcs.inject("x")'\n`,
    });
    const { orcs, call } = await engine(dir, [], { config: join(dir, "orcs.toml") });
    expect(await call("s")).toEqual(RAN);
    await orcs.reload();
    expect(await call("s")).toEqual(SPENT);
    expect(await call("t")).toEqual(RAN);
  });

  test("an async hook runs once per session across engines", async () => {
    const dir = folder();
    const first = await engine(dir, [hook({ async: true })]);
    for (const session of ["a", "a", "b"]) await first.call(session);
    await first.orcs.close();
    const second = await engine(dir, [hook({ async: true })]);
    for (const session of ["a", "b", "c", "c"]) await second.call(session);
    await second.orcs.close();
    expect([first.said, second.said]).toEqual([["ran", "ran"], ["ran"]]);
  });

  test("fails when the state file cannot be read: a guard denies", async () => {
    const dir = folder();
    mkdirSync(join(dir, "state.jsonl"));
    const { call, orcs } = await engine(dir, [hook()]);
    expect(await call("s")).toEqual(["abort", 0, "failed"]);
    expect(await orcs.dispatch("tool.pre_execute", { tool_name: "exec", args: {} })).toMatchObject({
      action: "abort",
      hook: "h",
      reason: expect.stringContaining("hook h failed: cannot read its `once` state: ORCS5002"),
    });
    const open = await engine(dir, [hook({ on_error: "open" })]);
    expect(await open.call("s")).toEqual(["continue", 0, "failed"]);
    const observer = await engine(dir, [hook({ point: "tool.post_execute" })]);
    const post = await observer.orcs.dispatch("tool.post_execute", {
      tool_name: "exec",
      args: {},
      result: 1,
    });
    expect(post.action).toBe("continue");
  });

  test("a later hook runs although the once hook is used up", async () => {
    const dir = folder();
    const { call } = await engine(dir, [hook(), hook({ id: "i", once: false })]);
    expect((await call("s"))[1]).toBe(2);
    expect((await call("s"))[1]).toBe(1);
  });
});

test("orcs.state is shared by engines with the same state file, and `[paths] state` sets the file", async () => {
  const dir = folder();
  const counts = {
    id: "n",
    point: "tool.pre_execute",
    handler_inline: 'return orcs.inject(tostring(orcs.state.incr("n", 1)))',
  };
  const paths = { state: join(dir, "there") };
  const seen: unknown[] = [];
  for (let i = 0; i < 3; i++) {
    const orcs = await open({ config: { hooks: [counts], paths }, stateDir: join(dir, "else") });
    const { inject } = await orcs.dispatch("tool.pre_execute", { tool_name: "exec", args: {} });
    seen.push(inject[0]);
  }
  const kept = await open({ config: { hooks: [counts] }, stateDir: join(dir, "there") });
  const { inject } = await kept.dispatch("tool.pre_execute", { tool_name: "exec", args: {} });
  expect(
    [...seen, inject[0]].map((text) =>
      typeof text === "string" ? text : (text as { content: string }).content,
    ),
  ).toEqual(["1", "2", "3", "4"]);
});
