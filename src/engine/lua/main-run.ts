import {
  type CallScope,
  type Json,
  type JsonObject,
  type LuaChunk,
  setOwn,
} from "../../core/index.ts";
import { loadLimitMs } from "./limits.ts";
import { LoadedObject } from "./loaded-object.ts";
import type { LuaReader } from "./lua-reader.ts";
import { NotConvertible } from "./not-convertible.ts";
import { type LuaPorts, toolMethod } from "./ports.ts";
import { type LuaThread, T_FUNCTION, T_STRING, T_TABLE } from "./raw.ts";
import { keepHandler } from "./script-functions.ts";
import type { LuaScript } from "./script.ts";
import type { LuaState } from "./state.ts";
import { asFailure, readResult, runTask } from "./task-run.ts";

/**
 * Run a chunk as a program, in a new state of its script.
 * @param scope of its calls; without one, it cannot wait
 * @returns what the chunk returned: JSON, or functions to call
 * @throws LuaFailure
 */
export async function runMain(
  script: LuaScript,
  chunk: LuaChunk,
  scope: CallScope | undefined,
  { limits }: LuaPorts,
): Promise<{ readonly value: Json | undefined } | { readonly object: LoadedObject }> {
  script.load();
  const state = script.state();
  const task = state.task();
  const L = task.thread;
  try {
    const maxMs = loadLimitMs(limits);
    const message = `it took longer than ${maxMs} ms to compile`;
    state.limits.arm(performance.now(), maxMs, { message, setting: "lua.max_run_ms" });
    state.compile(L, chunk.code, `@${chunk.file}`);
    const run = { scope, limits, logsPerStretch: true, signal: undefined };
    return await runTask(task, 0, run, () => {
      const returned = readResult(state, limits, (reader) => readProgramResult(state, L, reader));
      if ("value" in returned) return returned;
      return { object: new LoadedObject(state, returned, limits) };
    });
  } catch (thrown) {
    throw asFailure(thrown);
  } finally {
    state.abandon(task);
  }
}

/** What a program returned: a value, or functions, each kept in a slot. */
type ProgramOutput = { readonly value: Json | undefined } | ReturnedFunctions;

export interface ReturnedFunctions {
  /** Values beside them. */
  readonly fields: JsonObject;
  readonly slots: ReadonlyMap<string, number>;
}

/** The name of a bare function. */
const BARE = "run";
const RESULT = "the script's result";
/** The key of a table of functions: the tools of a component. */
const TOOLS = "tools";

/**
 * Read the first value that a program returned. A table with a function among its values is a table of functions;
 * metamethods are not called.
 * @throws NotConvertible
 */
function readProgramResult(state: LuaState, L: LuaThread, reader: LuaReader): ProgramOutput {
  const { raw } = state;
  if (raw.lua_gettop(L) === 0) return { value: undefined };
  raw.lua_settop(L, 1);
  raw.lua_checkstack(L, 8);
  const type = raw.lua_type(L, 1);
  if (type === T_FUNCTION) {
    return { fields: {}, slots: new Map([[BARE, keepHandler(state, L, 1).slot]]) };
  }
  if (type === T_TABLE && holdsFunction(state, L, 1)) return readFunctions(state, L, reader);
  return { value: reader.read(L, 1, RESULT) };
}

/** Whether the table at an absolute index has a function among its values. */
function holdsFunction(state: LuaState, L: LuaThread, at: number): boolean {
  const { raw, limits } = state;
  const top = raw.lua_gettop(L);
  raw.lua_pushnil(L);
  while (raw.lua_next(L, at) !== 0) {
    limits.spend(1);
    if (raw.lua_type(L, -1) === T_FUNCTION) {
      raw.lua_settop(L, top);
      return true;
    }
    raw.lua_settop(L, -2);
  }
  return false;
}

function readFunctions(state: LuaState, L: LuaThread, reader: LuaReader): ReturnedFunctions {
  const { raw, text } = state;
  const fields: [string, Json][] = [];
  const slots: [string, number][] = [];
  raw.lua_pushnil(L);
  while (raw.lua_next(L, 1) !== 0) {
    // A number would be converted to a string in place, and break the traversal.
    const key = raw.lua_type(L, -2) === T_STRING ? text.read(L, -2) : undefined;
    if (key === undefined) {
      throw new NotConvertible(`${RESULT} contains functions and a key that is not a string`);
    }
    reader.spend(key.length, RESULT);
    const isTable = raw.lua_type(L, -1) === T_TABLE;
    if (raw.lua_type(L, -1) === T_FUNCTION) {
      slots.push([key, keepHandler(state, L, raw.lua_gettop(L)).slot]);
    } else if (key === TOOLS && isTable && holdsFunction(state, L, raw.lua_gettop(L))) {
      slots.push(...readTools(state, L, reader));
    } else {
      const value = reader.read(L, -1, `${RESULT}/${key}`, 1);
      if (value !== undefined) fields.push([key, value]);
    }
    raw.lua_settop(L, -2);
  }
  const read: JsonObject = {};
  for (const [key, value] of fields.sort(byName)) setOwn(read, key, value);
  return { fields: read, slots: new Map(slots.sort(byName)) };
}

/**
 * The functions of the table on top, each as `tools.NAME`.
 * @throws NotConvertible when it holds anything else
 */
function readTools(state: LuaState, L: LuaThread, reader: LuaReader): [string, number][] {
  const { raw, text } = state;
  const slots: [string, number][] = [];
  const at = raw.lua_gettop(L);
  raw.lua_pushnil(L);
  while (raw.lua_next(L, at) !== 0) {
    const name = raw.lua_type(L, -2) === T_STRING ? text.read(L, -2) : undefined;
    if (name === undefined || raw.lua_type(L, -1) !== T_FUNCTION) {
      throw new NotConvertible(`${RESULT}/${TOOLS} must be a table of functions by name`);
    }
    reader.spend(name.length, RESULT);
    slots.push([toolMethod(name), keepHandler(state, L, raw.lua_gettop(L)).slot]);
    raw.lua_settop(L, -2);
  }
  return slots;
}

/** Sorted: Lua's own order differs from run to run. */
function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
