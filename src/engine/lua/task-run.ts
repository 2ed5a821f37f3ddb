import { type CallScope, isStoreError, type Json, messageOf, shownJson } from "../../core/index.ts";
import { Overrun, stretchOverrun } from "./limits.ts";
import { LuaReader } from "./lua-reader.ts";
import { pushJson } from "./lua-writer.ts";
import type { LuaLimitOptions } from "./ports.ts";
import { type HostCall, LuaFailure, type LuaState, type LuaTask } from "./state.ts";

/** Options of running a task. */
interface TaskRun {
  /** The scope of its calls; without one, it cannot wait. */
  readonly scope: CallScope | undefined;
  readonly limits: LuaLimitOptions;
  /** Whether its log limit starts again after each wait: a program runs for as long as it likes. */
  readonly logsPerStretch: boolean;
  /** Cancels the run: it is never resumed. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Run the function on a task's stack, with `nargs` arguments above it, to its end. It may wait as long as it likes, but
 * not run longer than `maxRunMs` without waiting. Synchronous when it does not wait.
 * @param ended called at its end, before anything else can enter the state: its results are on its stack
 * @throws LuaFailure
 */
export function runTask<T>(
  task: LuaTask,
  nargs: number,
  run: TaskRun,
  ended: () => T,
): T | Promise<T> {
  task.scope = run.scope;
  const call = stretch(task, nargs, run);
  return call ? goOn(task, call, run, ended) : ended();
}

/**
 * Read what a task returned, within the time and size limits.
 * @throws LuaFailure
 */
export function readResult<T>(
  state: LuaState,
  { maxRunMs, maxValueBytes }: LuaLimitOptions,
  read: (reader: LuaReader) => T,
): T {
  const message = `reading its result took longer than ${maxRunMs} ms`;
  state.limits.arm(performance.now(), maxRunMs, { message, setting: "lua.max_run_ms" });
  try {
    return read(new LuaReader(state, maxValueBytes));
  } catch (thrown) {
    throw asFailure(thrown);
  } finally {
    state.limits.disarm();
  }
}

/** Anything thrown while running Lua, as a LuaFailure. */
export function asFailure(thrown: unknown): LuaFailure {
  if (thrown instanceof LuaFailure) return thrown;
  return new LuaFailure(thrown instanceof Overrun ? "timeout" : "error", messageOf(thrown));
}

/** The failure of a call that was given up. */
export function givenUp(): LuaFailure {
  return new LuaFailure("killed", "the call was cancelled");
}

/** @returns the call it waits for; undefined when it has ended */
function stretch(task: LuaTask, nargs: number, run: TaskRun): HostCall | undefined {
  const { state } = task;
  const { maxRunMs } = run.limits;
  if (run.logsPerStretch) task.logs.reset();
  state.limits.arm(performance.now(), maxRunMs, stretchOverrun(maxRunMs));
  return state.resume(task, nargs) === "ended" ? undefined : takePending(task);
}

async function goOn<T>(task: LuaTask, first: HostCall, run: TaskRun, ended: () => T): Promise<T> {
  const { signal } = run;
  const watch = (fail: (failure: LuaFailure) => void): (() => void) => {
    const giveUp = (): void => fail(givenUp());
    signal?.addEventListener("abort", giveUp);
    return () => signal?.removeEventListener("abort", giveUp);
  };
  for (let call: HostCall | undefined = first; call; call = stretch(task, 1, run)) {
    if (signal?.aborted) throw givenUp();
    const answer = await answerOf(task.state, call, watch);
    // It may have got its result and then been given up, before its turn came.
    if (signal?.aborted) throw givenUp();
    pushAnswer(task, answer);
  }
  return ended();
}

/**
 * The call that a yielded task waits for.
 * @throws LuaFailure when it did not yield in order to wait
 */
export function takePending(task: LuaTask): HostCall {
  const call = task.pending;
  if (!call) throw new LuaFailure("error", "coroutine.yield was called outside a coroutine");
  task.pending = undefined;
  return call;
}

/**
 * The host's result of a call. Rejects with a `LuaFailure` when the call threw, the state ended, or another event ended
 * the wait first; the call's signal aborts when nobody waits for it any more.
 * @param watch starts watching for that event, and calls `fail`; returns a function that stops it
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
    const refuse = (thrown: unknown): void =>
      fail(new LuaFailure(isStoreError(thrown) ? "store" : "error", messageOf(thrown)));
    call(abort.signal).then(succeed, refuse);
  });
}

/**
 * Push the result of a call.
 * @throws LuaFailure when the state has ended meanwhile, LuaArgumentError as `pushJson`
 */
export function pushAnswer({ state, thread, nulls }: LuaTask, answer: Json | undefined): void {
  // When two results arrive at once, the task that continues first may end the state of both.
  if (state.death) throw killedMeanwhile(state.death);
  // A tool of the embedding program can return anything.
  pushJson(state, thread, answer && shownJson(answer, "never"), nulls);
}

function killedMeanwhile({ message }: LuaFailure): LuaFailure {
  return new LuaFailure("killed", `its Lua state was killed while it was waiting: ${message}`);
}
