import { test } from "vitest";
import { attacker } from "./attacker.ts";
const attack = attacker();
const code = (p: number) => `return function(ctx)
  local m = (1 << ${p + 1}) - 1
  local t = {}
  for i = 1, (1 << ${p}) + 1 do t[i * m] = true end
end`;
test.each([12, 13, 14, 15, 16, 17])("%i", async (n) => {
  try {
  const r = await attack({ scripts: [code(n)], limits: { maxRunMs: 200 } });
  console.log(n, r.calls[0]?.ms, r.calls[0]?.reason);
  } catch (e) { console.log(n, String(e)); }
}, 60000);
