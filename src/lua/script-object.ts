import type { ScriptObject } from "./ports.ts";
import { LuaFailure } from "./state.ts";
import { givenUp } from "./task-run.ts";

/** One life of a script's functions, from a load of the script to the loss of its state. */
export type ScriptObjectState = Pick<ScriptObject, "fields" | "methods" | "lost" | "call">;

/** @throws LuaFailure when a function cannot be called, or nobody waits for it any more */
export function expectCallable(
  { methods, lost }: Pick<ScriptObjectState, "methods" | "lost">,
  method: string,
  signal: AbortSignal,
): void {
  if (lost) throw new LuaFailure("killed", "its state was killed; it must be loaded again");
  if (!methods.has(method)) {
    throw new LuaFailure("error", `the script has no function ${JSON.stringify(method)}`);
  }
  if (signal.aborted) throw givenUp();
}
