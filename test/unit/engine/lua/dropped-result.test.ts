import { describe, expect, test } from "vitest";
import { createRig } from "./rig.ts";

async function outcomeOf(body: string, point = "tool.pre_execute") {
  const rig = await createRig();
  rig.script(
    `local deny = orcs.deny
local function refuse(why) return orcs.deny(why) end
local function build(why) local action = orcs.deny(why) return action end
return { point = "${point}", handler = function(ctx)
  local x
  ${body}
end }`,
    "guard.lua",
  );
  return rig.dispatch(point, { tool_name: "exec", args: { command: "ls" }, result: {} });
}

describe("a result that a handler creates and drops", () => {
  test.each([
    ['orcs.deny("no")', "deny"],
    ['if true then orcs.deny("no") end return ctx', "deny"],
    ['orcs.ask("sure?") return nil', "ask"],
    ["orcs.skip({})", "skip"],
    ['orcs.inject("text")', "inject"],
    ['orcs["deny"]("no")', "deny"],
    ['deny("no")', "deny"],
    ['orcs.deny("no") return orcs.allow()', "deny"],
    ['pcall(function() orcs.deny("no") end)', "deny"],
    ['orcs.exec("ls") orcs.deny("no")', "deny"],
  ])("%s fails at a pre point", async (body, form) => {
    expect(await outcomeOf(body)).toMatchObject({
      action: "abort",
      reason: expect.stringContaining(
        `guard.lua:6: orcs.${form} only creates a result, which was dropped: write return orcs.${form}(…)`,
      ) as string,
    });
  });

  test.each([
    ['return orcs.deny("no")', "no"],
    ['return (orcs.deny("no"))', "no"],
    ['return x or orcs.deny("no")', "no"],
    ['return refuse("no")', "no"],
    ['local action = build("no") return action', "no"],
    ['return ({ pcall(orcs.deny, "no") })[2]', "no"],
    ['build("no")', undefined],
    ['local _ = orcs.deny("no")', undefined],
    ['local all = {} table.insert(all, orcs.deny("no"))', undefined],
  ])("%s does not", async (body, reason) => {
    const outcome = await outcomeOf(body);
    expect("reason" in outcome ? outcome.reason : undefined).toBe(reason);
  });

  test("does not fail at a post point, and the next hook starts anew", async () => {
    expect((await outcomeOf('orcs.deny("no")', "tool.post_execute")).action).toBe("continue");
    const rig = await createRig({ onError: "open" });
    rig.script(
      `orcs.hook{ id = "a", point = "tool.pre_execute", handler = function() orcs.deny("a") end }
orcs.hook{ id = "b", point = "tool.pre_execute", handler = function() return orcs.deny("b") end }`,
      "two.lua",
    );
    const outcome = await rig.call({ command: "ls" }, { trace: true });
    expect(outcome).toMatchObject({ action: "abort", reason: "b" });
    expect(outcome.trace?.map(({ status }) => status)).toEqual(["failed", "ran"]);
  });
});
