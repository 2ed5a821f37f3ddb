import type { CallScope, Json, LuaChunk } from "../../core/index.ts";
import { loadLimitMs } from "./limits.ts";
import { LoadedObject } from "./loaded-object.ts";
import type { LuaPorts } from "./ports.ts";
import { readProgramResult } from "./program-result.ts";
import type { LuaScript } from "./script.ts";
import { asFailure, readResult, runTask } from "./task-run.ts";

/** The result of a program on its thread. */
export type MainResult = { readonly value: Json | undefined } | { readonly object: LoadedObject };

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
): Promise<MainResult> {
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
