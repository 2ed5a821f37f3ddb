import { messageOf } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import type { CallScope } from "../core/ports.ts";
import { LuaReader } from "./lua-reader.ts";
import { pushJson } from "./lua-writer.ts";
import type { LuaChunk, LuaPorts } from "./ports.ts";
import { stretchOverrun } from "./limits.ts";
import { LuaFailure } from "./state.ts";
import type { LuaState } from "./state.ts";

/**
 * Run a chunk as a program: it may wait as long as it likes, but not run longer than `maxRunMs` without
 * waiting.
 * @returns what the chunk returned, in JSON
 * @throws LuaFailure
 */
export async function runMain(
  state: LuaState,
  chunk: LuaChunk,
  scope: CallScope,
  ports: LuaPorts,
): Promise<Json | undefined> {
  const { maxRunMs, maxValueBytes } = ports.limits;
  const task = state.task();
  const L = task.thread;
  const abort = new AbortController();
  const stopListening = state.onDeath(() => abort.abort());
  try {
    state.compile(L, chunk.code, `@${chunk.file}`);
    let nargs = 0;
    for (;;) {
      task.scope = scope;
      task.logs.reset();
      state.limits.arm(performance.now(), maxRunMs, stretchOverrun(maxRunMs));
      if (state.resume(task, nargs) === "ended") break;
      const call = task.pending;
      if (!call) throw new LuaFailure("error", "coroutine.yield was called outside of a coroutine");
      task.pending = undefined;
      const answer = await call(abort.signal);
      if (state.death) throw state.death;
      pushJson(state, L, answer, "drop");
      nargs = 1;
    }
    if (state.raw.lua_gettop(L) === 0) return undefined;
    return new LuaReader(state, maxValueBytes).read(L, 1, "the script's result");
  } catch (thrown) {
    throw thrown instanceof LuaFailure ? thrown : new LuaFailure("error", messageOf(thrown));
  } finally {
    stopListening();
    state.abandon(task);
  }
}
