import { messageOf } from "../core/errors.ts";
import { LuaReader } from "./lua-reader.ts";
import { NotConvertible } from "./not-convertible.ts";
import type { LuaTestTable } from "./ports.ts";
import { T_STRING, T_TABLE } from "./raw.ts";
import type { LuaThread } from "./raw.ts";
import type { LuaState } from "./state.ts";

/** The `tests` of a hook, on top of a stack: each by itself, so that one that cannot be read hides no other. */
export function readTests(state: LuaState, L: LuaThread, maxBytes: number): LuaTestTable[] {
  const { raw } = state;
  if (raw.lua_type(L, -1) !== T_TABLE) return [{ mistake: "tests is no list of tables" }];
  const table = raw.lua_gettop(L);
  const count = Number(raw.lua_rawlen(L, table));
  const tests: LuaTestTable[] = [];
  for (let i = 1; i <= count; i++) {
    raw.lua_rawgeti(L, table, BigInt(i));
    tests.push(readTest(state, L, i, maxBytes));
    raw.lua_settop(L, table);
  }
  raw.lua_pushnil(L);
  if (count === 0 && raw.lua_next(L, table) !== 0) {
    tests.push({ mistake: "tests is one table with names; it is a list of such tables" });
  }
  raw.lua_settop(L, table);
  return tests;
}

function readTest(state: LuaState, L: LuaThread, i: number, maxBytes: number): LuaTestTable {
  try {
    return { value: new LuaReader(state, maxBytes, { mixed: true }).read(L, -1, `tests[${i}]`) };
  } catch (thrown) {
    if (!(thrown instanceof NotConvertible)) throw thrown;
    const name = nameOf(state, L);
    return { mistake: messageOf(thrown), ...(name !== undefined && { name }) };
  }
}

/** What the test on top of a stack is called, at its first position, though it cannot be read. */
function nameOf({ raw, text }: LuaState, L: LuaThread): string | undefined {
  if (raw.lua_type(L, -1) !== T_TABLE) return undefined;
  raw.lua_rawgeti(L, -1, 1n);
  return raw.lua_type(L, -1) === T_STRING ? text.read(L, -1) : undefined;
}
