import { expect, test } from "vitest";
import { LuaStates } from "../../../soak/lua-states.ts";
import { soakSeed } from "../../../soak/seed.ts";

// The long version is `npm run soak`.
test("under random load no request is lost, answered wrongly or left pending", async () => {
  const { faults, endings } = await soakSeed(1, 300, await LuaStates.watch());
  expect(faults).toEqual([]);
  // It has been at work, and things went wrong in it.
  for (const ending of ["request ok", "request ORCS6003", "spawn ok", "emit ok", "signal ok"])
    expect(endings, ending).toHaveProperty([ending]);
}, 120_000);
