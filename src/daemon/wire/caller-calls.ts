import { randomBytes } from "node:crypto";
import { isUnreadable, messageOf, OrcsError, Unreadable } from "../../core/index.ts";
import type { Json, JsonObject } from "../../core/index.ts";
import type { CallInfo, CallOptions, Orcs } from "../../engine/index.ts";
import type { WireAnswer } from "./operations.ts";

/** The answer to `invoke` and `result`. */
export type Step = WireAnswer<"invoke">;

/** What the caller's tool returned, or its error. */
export type ToolEnd =
  | { readonly result: Json; readonly opaque?: string | undefined }
  | { readonly error: string };

/** A call whose tool runs at the caller's. */
export interface CallerCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly options: CallOptions;
  /** How long the tool may take, in milliseconds; without it, until `ended` is called. */
  readonly toolMs?: number | undefined;
  /** Whose end ends the call, such as a connection. */
  readonly owner?: object | undefined;
}

/** Maximum number of calls that have not ended. */
const MAX_OPEN = 1024;
/** Longest timer of Node. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Calls of a service whose tools run at their callers': between `run` and `result` nothing else waits for them. */
export class CallerCalls {
  readonly #running = new Map<string, RunningTool>();
  /** Callers that are gone: their tools must not be waited for. */
  readonly #gone = new WeakSet<object>();
  #open = 0;

  /**
   * Begin a call. Its hooks can ask for several runs of the tool.
   * @param leased keeps the engine open until the call has ended
   * @param isOver whether nobody waits for the step any more
   * @returns the first step
   * @throws OrcsError ORCS7017, and as `orcs.call`
   */
  begin(
    call: CallerCall,
    leased: (run: (orcs: Orcs) => Promise<void>) => Promise<void>,
    isOver: () => boolean,
  ): Promise<Step> {
    if (this.#open >= MAX_OPEN) {
      return Promise.reject(new OrcsError("ORCS7017", `${MAX_OPEN} calls are open already`));
    }
    return new Promise((resolve, reject) => {
      // Whoever waits for the next step: the caller of `begin`, and then of `report`.
      const waiting: Waiting = { resolve, reject, isOver };
      this.#open++;
      leased((orcs) => this.#run(orcs, call, waiting))
        .catch((thrown: unknown) => waiting.reject(thrown))
        .finally(() => this.#open--);
    });
  }

  /**
   * Go on with a call whose tool has ended.
   * @param isOver whether nobody waits for the step any more
   * @returns the next step
   * @throws OrcsError ORCS7016
   */
  report(id: string, end: ToolEnd, isOver: () => boolean): Promise<Step> {
    const running = this.#running.get(id);
    if (!running) {
      const why = `there is no open call ${JSON.stringify(id)}`;
      return Promise.reject(new OrcsError("ORCS7016", why));
    }
    return new Promise((resolve, reject) => {
      Object.assign(running.waiting, { resolve, reject, isOver });
      running.end(end);
    });
  }

  /** The owner is gone: its tools have failed, as their hooks and the audit log see it. */
  abandon(owner: object): void {
    this.#gone.add(owner);
    for (const running of this.#running.values()) {
      if (running.owner === owner) running.end({ error: GONE });
    }
  }

  async #run(orcs: Orcs, call: CallerCall, waiting: Waiting): Promise<void> {
    const { tool, args, options } = call;
    const told: { hasFailed?: true; opaque?: Json } = {};
    const fn = (after: JsonObject, { ctx }: CallInfo): Promise<Json> => {
      const metadata = ctx.metadata as JsonObject;
      return this.#runAtCaller({ args: after, metadata }, call, waiting, told);
    };
    try {
      const called = await orcs.call(tool, args, { ...options, fn });
      const { inject } = called;
      waiting.resolve(
        called.ok
          ? { status: "done", result: resultOf(called.result, told), inject: [...inject] }
          : { status: "denied", ...called.denied, inject: [...inject] },
      );
    } catch (thrown) {
      // The text is that of a hook, if one has replaced it.
      if (told.hasFailed) waiting.resolve({ status: "failed", message: messageOf(thrown) });
      else waiting.reject(thrown);
    }
  }

  /** The tool, as the engine calls it: the next step is to run it, and its end is reported later. */
  #runAtCaller(
    given: Pick<Step & { status: "run" }, "args" | "metadata">,
    { toolMs, owner }: CallerCall,
    waiting: Waiting,
    told: { hasFailed?: true; opaque?: Json },
  ): Promise<Json> {
    if (waiting.isOver() || (owner && this.#gone.has(owner))) {
      return Promise.reject(new Error(GONE));
    }
    return new Promise((resolve, reject) => {
      const call = randomBytes(12).toString("base64url");
      const late = `the tool did not return within ${toolMs} ms`;
      const timer =
        toolMs === undefined
          ? undefined
          : setTimeout(() => running.end({ error: late }), Math.min(toolMs, MAX_TIMER_MS)).unref();
      const end = (ended: ToolEnd): void => {
        clearTimeout(timer);
        this.#running.delete(call);
        if ("result" in ended) {
          if (ended.opaque === undefined) return resolve(ended.result);
          told.opaque = ended.result;
          return resolve(new Unreadable(ended.opaque) as unknown as Json);
        }
        told.hasFailed = true;
        reject(new Error(ended.error));
      };
      const running: RunningTool = { owner, waiting, end };
      this.#running.set(call, running);
      waiting.resolve({ status: "run", call, ...given });
    });
  }
}

/** What the caller gets: of a result that hooks cannot read, what it has sent. */
function resultOf(result: Json | undefined, { opaque = null }: { readonly opaque?: Json }): Json {
  return isUnreadable(result) ? opaque : (result ?? null);
}

const GONE = "the caller was gone before it reported a result";

/** Settles the answer to the last request of a call. */
interface Waiting {
  resolve: (step: Step) => void;
  reject: (thrown: unknown) => void;
  isOver: () => boolean;
}

interface RunningTool {
  readonly owner: object | undefined;
  readonly waiting: Waiting;
  readonly end: (end: ToolEnd) => void;
}
