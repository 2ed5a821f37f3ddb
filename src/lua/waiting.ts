import { messageOf } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import { shownJson } from "../core/to-json.ts";
import { pushJson } from "./lua-writer.ts";
import { LuaFailure } from "./state.ts";
import type { LuaState } from "./state.ts";
import type { HostCall, LuaTask } from "./task.ts";

/**
 * What a task that yielded waits for.
 * @throws LuaFailure when it did not yield in order to wait
 */
export function takePending(task: LuaTask): HostCall {
  const call = task.pending;
  if (!call) throw new LuaFailure("error", "coroutine.yield was called outside of a coroutine");
  task.pending = undefined;
  return call;
}

/**
 * The host's answer to a call. Rejects with a `LuaFailure` when the call threw, the state died, or
 * another end of the wait came first; the call is told when nobody waits for it any more.
 * @param watch begins to look out for that other end, to be told to `fail`; returns what stops it
 */
export function answerOf(
  state: LuaState,
  call: HostCall,
  watch: (fail: (failure: LuaFailure) => void) => () => void,
): Promise<Json | undefined> {
  const abort = new AbortController();
  return new Promise((resolve, reject) => {
    const end = (): void => {
      stopWatching();
      stopListening();
      abort.abort();
    };
    const fail = (failure: LuaFailure): void => {
      end();
      reject(failure);
    };
    const stopListening = state.onDeath((failure) => fail(killedMeanwhile(failure)));
    const stopWatching = watch(fail);
    const succeed = (answer: Json | undefined): void => {
      end();
      resolve(answer);
    };
    const refuse = (thrown: unknown): void => fail(new LuaFailure("error", messageOf(thrown)));
    call(abort.signal).then(succeed, refuse);
  });
}

/**
 * Push what a call was answered as the result of the call.
 * @throws LuaFailure when the state has died since it was answered, LuaArgumentError as `pushJson`
 */
export function pushAnswer({ state, thread }: LuaTask, answer: Json | undefined): void {
  // Of two that were answered at once, the one that goes on first may have ended the state of both.
  if (state.death) throw killedMeanwhile(state.death);
  // A tool of the program's own may have given anything.
  pushJson(state, thread, answer && shownJson(answer, "never"), "drop");
}

function killedMeanwhile({ message }: LuaFailure): LuaFailure {
  return new LuaFailure("killed", `its state was killed while it waited: ${message}`);
}
