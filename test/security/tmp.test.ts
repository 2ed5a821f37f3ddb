import { test } from "vitest";
import { LuaMemory } from "../../src/lua/memory.ts";
import { createRig } from "../unit/lua/rig.ts";
test("leaks", async () => {
  const all: LuaMemory[] = [];
  const orig = LuaMemory.prototype.allocate;
  const seen = new Set<LuaMemory>();
  LuaMemory.prototype.allocate = function (this: LuaMemory, ...a: [number, number, number]) { if (!seen.has(this)) { seen.add(this); all.push(this); } return orig.apply(this, a); };
  const rig = await createRig({ limits: { maxRunMs: 3 } });
  rig.script(`return function()
      local t, s = {}, ("x"):rep(1e6)
      while true do t = {} for i = 1, 8 do t[i] = s .. i end for i = 1, 20000 do t[i] = i end end
    end`);
  for (let i = 0; i < 300; i++) await rig.call({});
  const left = all.slice(0, -1).map((m) => m.used);
  console.log(left.filter((x) => x !== 0).length, left.length, Math.max(...left), left.reduce((a, b) => a + b, 0));
  console.log(left.filter((x) => x !== 0).slice(0, 20));
});
