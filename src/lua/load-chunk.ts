import type { LuaChunk, LuaLimitOptions } from "./ports.ts";
import { KEY } from "./registry-keys.ts";
import { REGISTRY, T_FUNCTION, T_NIL, T_STRING, T_TABLE } from "./raw.ts";
import type { LuaThread } from "./raw.ts";
import { keepHandler, readSpec } from "./script-functions.ts";
import { LuaFailure } from "./state.ts";
import type { LuaState } from "./state.ts";
import type { StateScript } from "./state-script.ts";
import type { LuaTask } from "./task.ts";
import { LuaArgumentError } from "./vm.ts";

/**
 * Run a chunk and take the hooks it gives back: a script may return a function, a table with a handler
 * or a list of such tables, besides what it states with `orcs.hook`; an inline handler is a function
 * expression or just the body of one.
 * @param maxMs how long it may run
 * @throws LuaFailure
 */
export function loadChunk(
  state: LuaState,
  chunk: LuaChunk,
  script: StateScript,
  limits: LuaLimitOptions,
  maxMs: number,
): void {
  const task = state.task();
  const L = task.thread;
  arm(state, maxMs);
  if (chunk.kind === "inline") {
    compileInline(state, L, chunk);
    setOwnGlobals(state, L);
  } else state.compile(L, chunk.code, `@${chunk.file}`);
  runToEnd(state, task, maxMs, 0);
  try {
    takeResult(state, L, script, limits.maxValueBytes);
  } catch (thrown) {
    if (!(thrown instanceof LuaArgumentError)) throw thrown;
    throw new LuaFailure("error", `${chunk.file}: ${thrown.message}`);
  }
  state.release(task);
}

/** Run the function on a task's stack, with its arguments above it, without waiting. */
function runToEnd(state: LuaState, task: LuaTask, maxMs: number, nargs: number): void {
  arm(state, maxMs);
  if (state.resume(task, nargs) === "waiting") {
    throw new LuaFailure("error", "a script cannot yield while it is loaded");
  }
}

/** Give what comes next, to compile it or to run it, `maxMs`. */
function arm(state: LuaState, maxMs: number): void {
  const message = `it ran longer than ${maxMs} ms while it was loaded`;
  const setting = "lua.max_run_ms or engine.load_ms";
  state.limits.arm(performance.now(), maxMs, { message, setting });
}

/** A function expression, comments and blanks in front allowed. */
const FUNCTION_EXPRESSION = /^(?:\s|--(?!\[=*\[)[^\n]*\n)*function\s*\(/;

/**
 * The code as the handler it stands for: a function, else the body of one of `ctx`, whose value is
 * returned when it is an expression (`orcs.deny("no")` denies, it does not fall on the floor).
 */
function compileInline(state: LuaState, L: LuaThread, chunk: LuaChunk): void {
  // Blank lines in front make Lua count lines as the file does.
  const lead = "\n".repeat(Math.max(0, (chunk.line ?? 1) - 1));
  const code = typeof chunk.code === "string" ? chunk.code : new TextDecoder().decode(chunk.code);
  const name = `@${chunk.file}`;
  if (FUNCTION_EXPRESSION.test(code)) {
    state.compile(L, `${lead}return ${code}`, name);
    return;
  }
  try {
    state.compile(L, `${lead}return function(ctx) return ${code}\nend`, name);
  } catch (thrown) {
    if (!(thrown instanceof LuaFailure) || thrown.kind !== "syntax") throw thrown;
    state.raw.lua_settop(L, 0);
    state.compile(L, `${lead}return function(ctx) ${code}\nend`, name);
  }
}

/** Give the inline handler on top of a stack globals that no other has. */
function setOwnGlobals(state: LuaState, L: LuaThread): void {
  const { raw } = state;
  raw.lua_rawgetp(L, REGISTRY, KEY.environment);
  if (raw.lua_pcallk(L, 0, 1, 0, 0, 0) !== 0) throw state.errorOnTop(L);
  raw.lua_setupvalue(L, -2, 1);
}

function takeResult(state: LuaState, L: LuaThread, script: StateScript, maxBytes: number): void {
  const { raw } = state;
  if (raw.lua_gettop(L) === 0) return;
  raw.lua_settop(L, 1);
  const type = raw.lua_type(L, 1);
  if (type === T_NIL) return;
  if (type === T_FUNCTION) {
    script.define({ ...keepHandler(state, L, 1), fields: {} });
    return;
  }
  if (type !== T_TABLE) {
    throw new LuaArgumentError("a script returns a hook: a function, a table, or a list of tables");
  }
  const count = Number(raw.lua_rawlen(L, 1));
  if (hasField(state, L, "handler") || count === 0) {
    script.define(readSpec(state, L, 1, maxBytes));
    return;
  }
  for (let i = 1; i <= count; i++) {
    raw.lua_rawgeti(L, 1, BigInt(i));
    script.define(readSpec(state, L, raw.lua_gettop(L), maxBytes));
    raw.lua_settop(L, 1);
  }
}

function hasField(state: LuaState, L: LuaThread, name: string): boolean {
  state.text.push(L, name);
  const type = state.raw.lua_rawget(L, 1);
  state.raw.lua_settop(L, -2);
  return type !== T_NIL && type !== T_STRING;
}
