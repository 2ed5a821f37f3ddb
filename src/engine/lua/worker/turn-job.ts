import { messageOf } from "../../../core/index.ts";
import type {
  CallScope,
  Hook,
  HookContext,
  HookFailure,
  HookReport,
  Turn,
} from "../../../core/index.ts";
import { hookKind } from "../hook-run.ts";
import type { LuaSpent } from "../limits.ts";
import { LuaFailure } from "../state.ts";
import type { Packed, SharedPart } from "./context-copy.ts";
import { ContextWriter, putBackShared, TooLarge } from "./context-copy.ts";
import { type NextHook, scopeFacts } from "./protocol.ts";
import type { WorkerLayer } from "./worker-layer.ts";
import type { WorkerScript } from "./worker-script.ts";
import type { Job, WorkerThread } from "./worker-thread.ts";

/**
 * A turn whose hooks run on the worker. The chain stays here: each report settles a hook, and the response has the next
 * one. When the thread is lost, the running hook has failed, and later ones run on the next thread.
 */
export class TurnJob implements Job {
  readonly script: WorkerScript;
  readonly #turn: Turn;
  readonly #layer: WorkerLayer;
  #thread: WorkerThread | undefined;
  /** Of this job on that thread. */
  #number = 0;
  #writer: ContextWriter;
  /** The context that was last sent to the worker. */
  #sent: HookContext | undefined;
  #settling = false;
  #end!: () => void;
  #fail!: (thrown: unknown) => void;

  constructor(script: WorkerScript, turn: Turn, layer: WorkerLayer) {
    this.script = script;
    this.#turn = turn;
    this.#layer = layer;
    this.#writer = this.#newWriter();
  }

  get scope(): CallScope {
    return this.#turn.scope;
  }

  /** Resolves when the turn is over. */
  async run(): Promise<void> {
    const { signal } = this.#turn;
    const abort = (): void => this.#thread?.abort(this.#number);
    signal?.addEventListener("abort", abort);
    try {
      await new Promise<void>((resolve, reject) => {
        this.#end = resolve;
        this.#fail = reject;
        this.#enter(this.#turn.hook);
      });
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  /**
   * The worker reports on a hook.
   * @param shared parts that its edits share with the context
   * @param spent time of Lua in the whole dispatch so far
   * @returns the next hook, or undefined when the turn is over for the worker
   */
  settle(report: HookReport, shared: readonly SharedPart[], spent: LuaSpent): NextHook | undefined {
    // How long it has waited for the store is known here alone.
    const { storeMs } = this.#turn.spent;
    Object.assign(this.#turn.spent, spent, storeMs !== undefined && { storeMs });
    try {
      if ("edits" in report) {
        putBackShared(report.edits, shared, (part) => this.#writer.original(part));
      }
      const hook = this.#settle(report);
      // A listener of the report may have closed the engine.
      if (hook && this.#thread?.death) this.#enter(hook);
      else {
        const next = this.#prepare(hook);
        if (next) return next;
        this.#end();
      }
    } catch (thrown) {
      this.#fail(thrown);
    }
    return undefined;
  }

  /**
   * A part of the context that a hook reads.
   * @throws Error when the total is too large
   */
  part(number: number): Packed {
    try {
      return this.#writer.part(number);
    } catch (thrown) {
      throw new Error(this.#failure(thrown).message, { cause: thrown });
    }
  }

  lost({ kind, message }: LuaFailure): void {
    if (this.#settling) return;
    try {
      this.#enter(this.#settle({ failure: { kind: hookKind(kind), message } }));
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  /** Start on a thread that does not know this turn yet. */
  #enter(hook: Hook | undefined): void {
    this.#writer = this.#newWriter();
    this.#sent = undefined;
    const next = this.#prepare(hook);
    if (!next) return this.#end();
    this.#thread = this.#layer.live();
    const scope = scopeFacts(this.scope);
    this.#number = this.#thread.begin(this, { type: "turn", scope, hook: next });
  }

  #newWriter(): ContextWriter {
    return new ContextWriter(this.#layer.ports.limits.maxValueBytes, "asked");
  }

  /** What the worker needs to know of a hook; hooks that cannot be sent fail. */
  #prepare(hook: Hook | undefined): NextHook | undefined {
    for (let at = hook; at;) {
      try {
        return this.#next(at);
      } catch (thrown) {
        at = this.#settle({ failure: this.#failure(thrown) });
      }
    }
    return undefined;
  }

  #next(hook: Hook): NextHook {
    this.script.expectOpen();
    const { ctx, spent } = this.#turn;
    const packed = ctx === this.#sent ? undefined : this.#writer.pack(ctx);
    this.#sent = ctx;
    const { id, timeoutMs, point } = hook;
    return { id, timeoutMs, phase: point.phase, spent: { ...spent }, ctx: packed };
  }

  #settle(report: HookReport): Hook | undefined {
    this.#settling = true;
    try {
      return this.#turn.settle(report);
    } finally {
      this.#settling = false;
    }
  }

  #failure(thrown: unknown): HookFailure {
    if (thrown instanceof TooLarge) {
      const most = this.#layer.ports.limits.maxValueBytes / 2 ** 20;
      return {
        kind: "payload",
        message: `the part of the context that it reads is larger than ${most} MB, too large for the worker thread; raise engine.max_payload_mb`,
      };
    }
    const kind = thrown instanceof LuaFailure ? hookKind(thrown.kind) : "error";
    return { kind, message: messageOf(thrown) };
  }
}
