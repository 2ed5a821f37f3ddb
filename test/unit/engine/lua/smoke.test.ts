import { expect, test } from "vitest";
import { createRig } from "./rig.ts";

test("a Lua handler denies, edits in place, and continues", async () => {
  const rig = await createRig();
  rig.script(`return function(ctx)
    if ctx.payload.args.command == "bad" then return orcs.deny("no") end
    ctx.payload.args.seen = { 1, 2, { x = orcs.null } }
    ctx.metadata.id = "m"
    return ctx
  end`);
  expect(await rig.call({ command: "bad" })).toMatchObject({ action: "abort", reason: "no" });
  const out = await rig.call({ command: "ls" });
  expect(out.action).toBe("continue");
  expect(out.ctx.payload).toEqual({
    tool_name: "exec",
    tool: "exec",
    args: { command: "ls", seen: [1, 2, { x: null }] },
  });
  expect(out.ctx.metadata).toEqual({ id: "m" });
  expect(rig.logs).toEqual([]);
});

test("a Lua hook waits for a tool call, hooks run in one batch, and a loop is ended", async () => {
  const rig = await createRig({ limits: { maxRunMs: 400 } });
  rig.script(`
    orcs.hook{ id = "a", point = "tool.pre_execute", handler = function(ctx)
      local r = orcs.exec("ls")
      ctx.payload.args.r = r.arg.command
      orcs.sleep(5)
      return ctx
    end }
    orcs.hook{ id = "b", point = "tool.pre_execute", on_error = "open", handler = function(ctx)
      if ctx.payload.args.loop then while true do pcall(function() while true do end end) end end
      ctx.payload.args.b = ctx.payload.args.r
    end }`);
  const out = await rig.call({ command: "ls" });
  expect(rig.logs).toEqual([]);
  expect(out.ctx.payload).toMatchObject({ args: { r: "ls", b: "ls" } });
  const loop = await rig.call({ command: "ls", loop: true });
  expect(rig.logs.join()).toContain("ran longer than 400 ms");
  expect(loop.action).toBe("continue");
  expect(await rig.call({ command: "ls" })).toMatchObject({ action: "continue" });
});
