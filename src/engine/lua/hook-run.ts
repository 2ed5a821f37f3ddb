import { messageOf, RAISE_TIMEOUT, setOwn } from "../../core/index.ts";
import type { Edit, Hook, HookFailure, HookReport, Json, Turn } from "../../core/index.ts";
import { BLOCK } from "./combined-calls.ts";
import type { ViewSession } from "./context-view.ts";
import { chainLeftMs } from "./limits.ts";
import { LuaReader } from "./lua-reader.ts";
import { NotConvertible } from "./not-convertible.ts";
import type { LuaPorts } from "./ports.ts";
import { type LuaThread, type Ptr, T_FUNCTION, T_NIL, T_STRING, T_TABLE } from "./raw.ts";
import type { LuaScript } from "./script.ts";
import { type HostCall, LuaFailure, type LuaState, type LuaTask } from "./state.ts";
import { answerOf, asFailure, pushAnswer, takePending } from "./task-run.ts";
import { collectEdits, rebase, withLists } from "./view-commit.ts";

const NOTHING = { answer: undefined, edits: [] } satisfies HookReport;

/**
 * One entry into a state for a run of consecutive hooks: the prelude's driver calls one handler after the other and
 * `step` settles each, so a chain costs one entry. Waiting leaves the VM. The deadline of a hook includes its waits;
 * the limits of a stretch start again after each wait.
 */
export class HookRun {
  readonly #script: LuaScript;
  readonly #state: LuaState;
  readonly #turn: LuaTurn;
  readonly #ports: LuaPorts;
  readonly #task: LuaTask;
  readonly #session: ViewSession;
  #hookStarted = 0;
  #stretchStarted = 0;
  #over = false;
  #outOfMemory = false;

  constructor(script: LuaScript, state: LuaState, turn: LuaTurn, ports: LuaPorts) {
    this.#script = script;
    this.#state = state;
    this.#turn = turn;
    this.#ports = ports;
    const slot = script.slotOf(turn.hook);
    this.#task = state.task();
    this.#task.driver = this;
    const { ctx, followed: remembers, hook } = turn;
    const strict = hook.point.phase === "pre";
    this.#session = state.views.enter(this.#task.thread, slot, { ctx, remembers, strict });
  }

  get hook(): string {
    return this.#turn.hook.id;
  }

  start(): void | Promise<void> {
    this.#begin(performance.now());
    const waiting = this.#resume(2);
    if (waiting) return this.#wait(waiting);
    return undefined;
  }

  /** Start the clock for the current hook and bind its calls. */
  #begin(now: number): void {
    this.#hookStarted = this.#stretchStarted = now;
    this.#task.scope = this.#turn.scope;
    this.#task.ctx = this.#turn.ctx;
    this.#task.logs.reset();
    this.#task.dropped = undefined;
    this.#arm(now);
  }

  #arm(now: number): void {
    const { maxRunMs, maxChainMs } = this.#ports.limits;
    const turn = this.#turn;
    const left = turn.hook.timeoutMs - (now - this.#hookStarted);
    const chainLeft = chainLeftMs(turn.spent, maxChainMs);
    const { limits } = this.#state;
    if (left < maxRunMs && left < chainLeft) {
      const message = `timed out after ${turn.hook.timeoutMs} ms`;
      limits.arm(now, left, { message, setting: "timeout_ms" }, "wall");
    } else if (chainLeft < maxRunMs) {
      const { message } = chainOverrun(maxChainMs);
      limits.arm(now, chainLeft, { message, setting: "lua.max_chain_ms" });
    } else limits.arm(now, maxRunMs, this.#script.stretchOverrun);
  }

  /** @returns the call it waits for; undefined when the turn is over */
  #resume(nargs: number): HostCall | undefined {
    const state = this.#state;
    try {
      if (state.resume(this.#task, nargs) === "ended") {
        this.#end();
        state.release(this.#task);
        if (this.#outOfMemory) state.retire();
        return undefined;
      }
      this.#spend();
      return takePending(this.#task);
    } catch (thrown) {
      this.#spend();
      this.#fail(
        thrown instanceof LuaFailure ? thrown : new LuaFailure("killed", messageOf(thrown)),
      );
      return undefined;
    }
  }

  async #wait(first: HostCall): Promise<void> {
    for (let call: HostCall | undefined = first; call; call = this.#resume(1)) {
      try {
        const answer = await this.#answer(call);
        this.#stretchStarted = performance.now();
        this.#arm(this.#stretchStarted);
        pushAnswer(this.#task, answer);
      } catch (thrown) {
        return this.#fail(asFailure(thrown));
      }
    }
    return undefined;
  }

  /** The host's result; rejects when the hook's time is over first, or its state was killed. */
  #answer(call: HostCall): Promise<Json | undefined> {
    const { timeoutMs } = this.#turn.hook;
    const ms = Math.max(0, timeoutMs - (performance.now() - this.#hookStarted));
    const failure = (): LuaFailure =>
      new LuaFailure("timeout", `timed out after ${timeoutMs} ms${RAISE_TIMEOUT}`);
    return answerOf(this.#state, call, this.#turn.signal, { ms, failure });
  }

  /**
   * Called by the driver with the result of `pcall`: settles the hook. Returns the slot of the next handler, or 0 when
   * the turn is over; see `CombinedHost.step`.
   */
  step(L: LuaThread, succeeded: boolean, kind: number, table: Ptr): number {
    const { memory } = this.#state;
    // The host's work between two hooks does not count as the script's, and has no protected call to fail in.
    memory.enforced = false;
    try {
      return this.#next(L, succeeded, kind, table);
    } finally {
      memory.enforced = true;
    }
  }

  #next(L: LuaThread, succeeded: boolean, kind: number, table: Ptr): number {
    const { raw, vm } = this.#state;
    const report = this.#report(L, succeeded, kind, table);
    const now = this.#spend();
    const { maxChainMs } = this.#ports.limits;
    let next = this.#turn.settle(report);
    while (next && chainLeftMs(this.#turn.spent, maxChainMs) <= 0) {
      next = this.#turn.settle({ failure: chainOverrun(maxChainMs) });
    }
    if (!next) {
      this.#end();
      return 0;
    }
    rebase(this.#state, this.#session, this.#turn.ctx);
    this.#begin(now);
    let slot: number;
    try {
      slot = this.#script.slotOf(next);
    } catch (thrown) {
      this.#turn.settle({ failure: { kind: "error", message: messageOf(thrown) } });
      this.#end();
      return 0;
    }
    raw.HEAPU32[(vm.calls.block + BLOCK.a) >>> 2] = this.#session.root?.anchor ?? 0;
    return slot;
  }

  #report(L: LuaThread, succeeded: boolean, kind: number, table: Ptr): HookReport {
    const { raw, views } = this.#state;
    if (!succeeded) {
      raw.lua_settop(L, 2);
      const failure = this.#state.errorOnTop(L, this.#task.traceback);
      this.#task.traceback = undefined;
      this.#outOfMemory ||= failure.kind === "memory";
      return { failure: hookFailure(failure) };
    }
    const { dropped } = this.#task;
    if (dropped !== undefined && this.#turn.hook.point.phase === "pre") {
      return { failure: { kind: "answer", message: dropped } };
    }
    // The usual result: the context itself, or nothing.
    const isContext = kind === T_NIL || views.find(table) === this.#session.root;
    if (isContext && !this.#session.dirty) return NOTHING;
    const reader = new LuaReader(this.#state, this.#ports.limits.maxValueBytes);
    try {
      const { answer, edits } = isContext
        ? NOTHING
        : readHookAnswer(this.#state, L, this.#session, reader);
      const journal: Edit[] = collectEdits(this.#state, this.#session, reader);
      return { answer, edits: edits.length > 0 ? [...journal, ...edits] : journal };
    } catch (thrown) {
      if (!(thrown instanceof NotConvertible)) throw thrown;
      return { failure: { kind: "answer", message: thrown.message } };
    }
  }

  /** The current hook failed in a way that ended the entry. */
  #fail(failure: LuaFailure): void {
    if (this.#over) return;
    this.#end();
    this.#state.abandon(this.#task);
    if (this.#outOfMemory || failure.kind === "memory") this.#state.retire();
    this.#turn.settle({ failure: hookFailure(failure) });
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#state.death) this.#state.views.forgetCached();
    else this.#state.views.close(this.#session);
  }

  /** Charge the stretch that ends now; returns the time. */
  #spend(): number {
    const now = performance.now();
    this.#turn.spent.luaMs += now - this.#stretchStarted;
    this.#stretchStarted = now;
    return now;
  }
}

/** What a failure of a script is for a hook: one while it was loaded again is an error. */
export function hookKind(kind: LuaFailure["kind"]): HookFailure["kind"] {
  return kind === "syntax" || kind === "result" ? "error" : kind;
}

/** The failure of a hook whose script failed. */
export function hookFailure({ kind, message, traceback }: LuaFailure): HookFailure {
  return { kind: hookKind(kind), message, ...(traceback && { traceback }) };
}

/** The failure of a hook whose turn comes when earlier hooks have used up the time of the chain. */
export function chainOverrun(maxChainMs: number): HookFailure {
  const message = `the hooks of this call ran longer than ${maxChainMs} ms in total`;
  return { kind: "timeout", message };
}

/** Parts of a context that the `ctx` of a result can change. */
const CONTEXT_PARTS = ["payload", "metadata"] as const;

/**
 * Read the result of a handler, at index 2: undefined for nothing or the context itself, otherwise JSON. The `ctx`
 * of a result is usually the context itself; another table counts as edits of payload and metadata.
 * @throws NotConvertible
 */
function readHookAnswer(
  state: LuaState,
  L: LuaThread,
  session: ViewSession,
  reader: LuaReader,
): { answer: Json | undefined; edits: readonly Edit[] } {
  const { raw, views } = state;
  const type = raw.lua_gettop(L) < 2 ? T_NIL : raw.lua_type(L, 2);
  if (type === T_NIL) return NOTHING;
  if (type === T_FUNCTION)
    throw new NotConvertible("the result is a function; call it, as in orcs.deny(reason)");
  if (type !== T_TABLE) return { answer: reader.read(L, 2, "the result"), edits: [] };
  const view = views.at(L, 2);
  if (view) {
    if (view === session.root) return NOTHING;
    throw new NotConvertible(
      "the result is a part of the context; return ctx itself, or an action",
    );
  }
  if (views.isDead(L, 2)) {
    throw new NotConvertible("the result is a part of a context whose call has ended");
  }
  const answer: Record<string, Json> = {};
  let edits: readonly Edit[] = [];
  raw.lua_checkstack(L, 8);
  raw.lua_pushnil(L);
  while (raw.lua_next(L, 2) !== 0) {
    if (raw.lua_type(L, -2) !== T_STRING) {
      throw new NotConvertible(
        "the result has a key that is not a string; expected a table with an action",
      );
    }
    const key = state.text.read(L, -2) ?? "";
    if (key === "ctx") edits = contextEdits(state, L, session, reader);
    else {
      const { payload } = session.ctx;
      const held = key === "result" ? (payload["result"] ?? payload["response"]) : undefined;
      const value = withLists(reader.read(L, -1, `the result's ${key}`, 1), held);
      if (value !== undefined) setOwn(answer, key, value);
    }
    raw.lua_settop(L, -2);
  }
  // A result with nothing but `ctx` is an error, as any other table without an action.
  return { answer, edits };
}

/** The edits in the `ctx` on top of the stack; none when it is the context itself. */
function contextEdits(
  state: LuaState,
  L: LuaThread,
  session: ViewSession,
  reader: LuaReader,
): readonly Edit[] {
  const { raw, text, views } = state;
  const view = views.at(L, -1);
  if (view && view === session.root) return [];
  if (view || raw.lua_type(L, -1) !== T_TABLE || views.isDead(L, -1)) {
    throw new NotConvertible("the result's ctx is not the context");
  }
  const edits: Edit[] = [];
  for (const part of CONTEXT_PARTS) {
    text.push(L, part);
    raw.lua_rawget(L, -2);
    const value = withLists(reader.read(L, -1, `the result's ctx/${part}`, 1), session.ctx[part]);
    raw.lua_settop(L, -2);
    if (value !== undefined) edits.push({ path: [part], value });
  }
  return edits;
}

/** What running a hook needs. */
export type LuaHook = Pick<Hook, "id" | "timeoutMs"> & {
  readonly point: Pick<Hook["point"], "phase">;
};

/** The part of a `Turn` that Lua needs, so that it can also run on a worker thread. */
export interface LuaTurn extends Pick<Turn, "ctx" | "followed" | "scope" | "spent" | "signal"> {
  readonly hook: LuaHook;
  settle(report: HookReport): LuaHook | undefined;
}
