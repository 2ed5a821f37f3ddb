import type { HookContext, ToolCall } from "../../../core/index.ts";

/**
 * A tool that runs, and what cancels it: its caller, or the engine that closes. Most tools never look at their signal,
 * and making one costs as much as several hooks: it is made when it is first read.
 */
export class RunningCall {
  /** Where it stands among the calls that run. */
  place = -1;
  readonly #caller: AbortSignal | undefined;
  #controller: AbortController | undefined;
  #then: (() => void) | undefined;
  #isCancelled = false;
  readonly #follow = (): void => this.cancel(this.#caller?.reason);

  /** @param caller cancels the call, too */
  constructor(caller: AbortSignal | undefined) {
    this.#caller = caller;
  }

  get signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal;
    const controller = new AbortController();
    this.#controller = controller;
    this.#watch();
    if (this.#isCancelled) controller.abort(this.#caller?.reason);
    return controller.signal;
  }

  /** Do something when it is cancelled, without the cost of a signal. */
  onCancel(then: () => void): void {
    this.#watch();
    this.#then = then;
    if (this.#isCancelled) then();
  }

  #watch(): void {
    if (this.#caller?.aborted) this.#isCancelled = true;
    else this.#caller?.addEventListener("abort", this.#follow);
  }

  cancel(reason?: unknown): void {
    this.#isCancelled = true;
    this.#controller?.abort(reason);
    this.#then?.();
  }

  /** The call is over: its caller's signal no longer concerns it. */
  end(): void {
    if (this.#controller ?? this.#then) {
      this.#caller?.removeEventListener("abort", this.#follow);
    }
  }
}

/** What a tool sees of its call. */
export class RunningTool implements ToolCall {
  readonly #running: RunningCall;
  readonly ctx: HookContext;
  readonly caller: ToolCall["caller"];

  constructor(running: RunningCall, ctx: HookContext, caller: ToolCall["caller"]) {
    this.#running = running;
    this.ctx = ctx;
    this.caller = caller;
  }

  get signal(): AbortSignal {
    return this.#running.signal;
  }

  /** Do something when the call is cancelled, without the cost of a signal. */
  static onCancel(call: Pick<ToolCall, "signal">, then: () => void): void {
    if (call instanceof RunningTool) call.#running.onCancel(then);
    else call.signal?.addEventListener("abort", then);
  }
}

/**
 * The calls that run. Not a Set: one that gets and loses an entry per call chains its old tables, and keeps what calls
 * have left until the next full garbage collection.
 */
export class RunningCalls {
  readonly #calls: RunningCall[] = [];

  add(call: RunningCall): void {
    call.place = this.#calls.push(call) - 1;
  }

  delete(call: RunningCall): void {
    const last = this.#calls.pop();
    if (!last || last === call) return;
    this.#calls[call.place] = last;
    last.place = call.place;
  }

  cancel(): void {
    for (const call of this.#calls) call.cancel();
  }
}
