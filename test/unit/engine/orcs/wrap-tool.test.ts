import { describe, expect, test } from "vitest";
import { errorOf, open, openWith } from "./engine.ts";

interface Greeting {
  name: string;
}

describe("wrapTool", () => {
  test("without hooks calls the function and awaits promises", async () => {
    const orcs = await open();
    const greet = orcs.wrapTool("greet", ({ name }: Greeting) => `hi ${name}`);
    const later = orcs.wrapTool("later", async ({ name }: Greeting) => ({ name }));
    expect(await greet({ name: "Ada" })).toBe("hi Ada");
    expect(await later({ name: "Ada" })).toEqual({ name: "Ada" });
  });

  test("a denial rejects with ORCS2001, the hook and the reason", async () => {
    const orcs = await openWith('return orcs.deny("not today")');
    let ran = false;
    const greet = orcs.wrapTool("greet", () => (ran = true));
    expect(await errorOf(greet())).toMatchObject({
      code: "ORCS2001",
      message: "ORCS2001: greet was denied by hook h: not today",
      fields: { tool: "greet", hook: "h", reason: "not today" },
    });
    expect(ran).toBe(false);
  });

  test("a failing hook denies with its error", async () => {
    const orcs = await openWith('error("broken")');
    const error = await errorOf(orcs.wrapTool("greet", () => 1)());
    expect(error.code).toBe("ORCS2001");
    expect(error.fields["reason"]).toMatch(/^hook h failed: .*broken$/);
  });

  test("arguments rewritten by hooks reach the function; the caller's object is unchanged", async () => {
    const orcs = await openWith("ctx.payload.args.name = ctx.payload.args.name:upper()");
    const greet = orcs.wrapTool("greet", ({ name }: Greeting) => `hi ${name}`);
    const args = { name: "Ada" };
    expect(await greet(args)).toBe("hi ADA");
    expect(args).toEqual({ name: "Ada" });
  });

  test("a registered tool gets the context from the pre hooks", async () => {
    const orcs = await openWith("ctx.metadata.seen = true");
    orcs.addTool("seen", (_, { ctx }) => ctx.metadata["seen"]);
    expect(await orcs.get("seen")).toEqual({ ok: true, result: true });
  });

  test("skip returns the hook's result without calling the function", async () => {
    const orcs = await openWith("return orcs.skip({ cached = true })");
    let ran = false;
    const greet = orcs.wrapTool("greet", () => (ran = true));
    expect(await greet()).toEqual({ cached: true });
    expect(ran).toBe(false);
  });

  test("a post hook can replace the result, and sees the pre hook's metadata", async () => {
    const orcs = await open({
      config: {
        hooks: [
          { point: "tool.pre_execute", handler_inline: "ctx.metadata.n = 20" },
          {
            point: "tool.post_execute",
            handler_inline: "return orcs.replace(ctx.payload.result + ctx.metadata.n)",
          },
        ],
      },
    });
    const one = orcs.wrapTool("one", () => 1);
    expect(await one()).toBe(21);
  });

  test("retry runs the function again, within max_retries", async () => {
    const retry = 'if ctx.payload.result == "again" then return orcs.retry(1) end';
    const orcs = await openWith(retry, { point: "tool.post_execute", max_retries: 2 });
    let count = 0;
    const third = orcs.wrapTool("third", () => (++count < 3 ? "again" : "done"));
    expect(await third()).toBe("done");
    expect(count).toBe(3);
    const never = orcs.wrapTool("never", () => "again");
    const error = await errorOf(never());
    expect(error.fields).toMatchObject({ hook: "h" });
    expect(error.message).toContain("requested more than 2 retries");
  });

  test("a hook that comes while the function runs sees the result", async () => {
    const orcs = await open();
    let runs = 0;
    const seen: unknown[] = [];
    const greet = orcs.wrapTool("greet", async ({ name }: Greeting) => {
      runs++;
      orcs.hook({
        id: "pre",
        point: "tool.pre_execute",
        handler: () => ({ action: "abort", reason: "late" }),
      });
      orcs.hook({
        id: "post",
        point: "tool.post_execute",
        handler: (ctx) => {
          seen.push({ ...ctx.payload });
          ctx.payload.result = "masked";
          return ctx;
        },
      });
      return `hi ${name}`;
    });
    expect(await greet({ name: "Ada" })).toBe("masked");
    expect(seen).toMatchObject([{ tool_name: "greet", args: { name: "Ada" }, result: "hi Ada" }]);
    // The next call begins with both.
    await expect(greet({ name: "Ada" })).rejects.toMatchObject({ fields: { hook: "pre" } });
    expect(runs).toBe(1);
  });

  test("a hook that comes while the function runs can have it run again", async () => {
    const orcs = await open();
    let runs = 0;
    const flaky = orcs.wrapTool("flaky", () => {
      if (++runs > 1) return "done";
      orcs.hook({
        id: "again",
        point: "tool.post_execute",
        maxRetries: 1,
        handler: (ctx) =>
          ctx.payload.result === "again" ? { action: "retry", delay_ms: 0 } : undefined,
      });
      return "again";
    });
    expect(await flaky()).toBe("done");
    expect(runs).toBe(2);
  });

  test("a listener that comes while the function runs is told", async () => {
    const orcs = await open();
    const told: string[] = [];
    const tool = orcs.wrapTool("tool", () => {
      orcs.events.on("dispatched", ({ point }) => void told.push(point));
      return 1;
    });
    expect(await tool()).toBe(1);
    expect(told).toEqual(["tool.post_execute"]);
  });

  test("without hooks, a component that is no id is an error, and so is an aborted signal", async () => {
    const orcs = await open();
    let ran = false;
    const tool = orcs.wrapTool("tool", () => (ran = true));
    await expect(tool.with({ component: "builtin:llm" })()).rejects.toMatchObject({
      code: "ORCS1010",
    });
    await expect(tool.with({ signal: AbortSignal.abort() })()).rejects.toThrow();
    expect(ran).toBe(false);
  });

  test("an error of the function is rethrown after tool.on_failure", async () => {
    const told: unknown[] = [];
    const orcs = await open({
      hooks: [
        {
          point: "tool.on_failure",
          handler: (ctx) => void told.push(ctx.payload["tool_name"], ctx.payload["error"]),
        },
      ],
    });
    const broken = orcs.wrapTool("broken", () => {
      throw new RangeError("kaput");
    });
    await expect(broken()).rejects.toThrow(RangeError);
    expect(told).toEqual(["broken", "kaput"]);
  });

  test("orcs.get calls a tool, from TypeScript and Lua, with a bare value as `value`", async () => {
    const orcs = await openWith('ctx.payload.args.said = orcs.get("echo", "from Lua").said', {
      match: { tool: "outer" },
    });
    orcs.addTool("echo", ({ value }) => ({ said: value }));
    const outer = orcs.wrapTool("outer", (args: { said?: string }) => args.said);
    expect(await orcs.get("echo", { value: "x" })).toEqual({ ok: true, said: "x" });
    expect(await orcs.get("echo", "bare")).toEqual({ ok: true, said: "bare" });
    expect(await outer({})).toBe("from Lua");
  });

  test("component and child come from the wrapper's options, overridden per call", async () => {
    const orcs = await open({
      config: {
        hooks: [
          { fql: "builtin::llm/a#0", point: "tool.pre_execute", handler_inline: 'orcs.deny("a")' },
        ],
      },
    });
    const greet = orcs.wrapTool("greet", () => "hi", { component: "builtin::llm", child: "a" });
    expect(await greet()).toBe("hi");
    const zero = greet.with({ instance: "0" });
    expect((await errorOf(zero())).code).toBe("ORCS2001");
    expect(await zero.with({ component: "plugin::other" })()).toBe("hi");
  });

  test("tool calls of hooks are one level deeper and end at max_depth", async () => {
    const orcs = await openWith(
      'local a = orcs.get("self", {}) if not a.ok then return orcs.deny(a.error) end',
    );
    const self = orcs.wrapTool("self", () => "ran");
    const error = await errorOf(self());
    expect(error.fields["reason"]).toContain(
      "denied by hook orcs:max_depth: hooks are nested 4 levels deep",
    );
  });

  test("a result with ok = false is passed to tool.on_failure and returned unchanged", async () => {
    const failures: string[] = [];
    const orcs = await open();
    orcs.on("tool.on_failure", (ctx) => void failures.push(String(ctx.payload.error)));
    const failing = orcs.wrapTool("failing", () => ({ ok: false, error: "no disk" }));
    expect(await failing()).toEqual({ ok: false, error: "no disk" });
    expect(failures).toEqual(["no disk"]);
  });
});
