import { expect, test } from "vitest";
import type { ToolAnswer } from "../../../../src/core/ports.ts";
import { createRig } from "./rig.ts";

test("two waiting hooks resumed together, the first of which kills their Lua state", async () => {
  const answers: ((answer: ToolAnswer) => void)[] = [];
  const rig = await createRig({
    limits: { maxRunMs: 100 },
    tool: () => new Promise((resolve) => answers.push(resolve)),
  });
  rig.script(`return function(ctx)
    orcs.exec("x")
    if ctx.payload.args.loop then while true do end end
  end`);
  const first = rig.call({ loop: true });
  const second = rig.call({});
  for (const answer of answers) answer({ ok: true, text: "x".repeat(100_000) });
  expect(answers).toHaveLength(2);
  expect(await first).toMatchObject({ reason: expect.stringContaining("ran longer than 100 ms") });
  expect(await second).toMatchObject({
    reason: expect.stringContaining("its Lua state was killed while it was waiting"),
  });
});
