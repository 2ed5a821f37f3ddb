import { timings } from "./measure.ts";
import type { Row } from "./report.ts";
import { inside, newState, withBytes } from "./vm.ts";

/** Calls in one sample: one alone is shorter than what it takes to measure it. */
const CALLS = 100;

/** What no Lua hook can be faster than: an empty function, called through the bare C API. */
export async function floorRows(): Promise<Row[]> {
  const raw = (await inside("wasm")).instantiateLua();
  const L = newState(raw);
  withBytes(raw, "return", (at, size) => raw.luaL_loadbufferx(L, at, size, at, 0));
  const call = (): void => {
    for (let i = 0; i < CALLS; i++) {
      raw.lua_pushvalue(L, 1);
      raw.lua_pcallk(L, 0, 0, 0, 0, 0);
    }
  };
  const [us = NaN] = await timings([{ name: "floor", run: call }]);
  return [{ key: "floor", what: "the floor: an empty raw call", us: us / CALLS }];
}
