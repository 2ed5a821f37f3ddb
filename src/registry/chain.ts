import { readAnswer, strongerDecision, verdictFor } from "../core/actions.ts";
import type { Action, Decision } from "../core/actions.ts";
import type { Address, HookContext } from "../core/context.ts";
import { messageOf } from "../core/errors.ts";
import type { FailureMode, Hook, HookFailure, HookReport, HookRunner, Turn } from "../core/hook.ts";
import type { Json } from "../core/json.ts";
import { setOwn } from "../core/json.ts";
import type { Outcome, OutcomeAction } from "../core/outcome.ts";
import type { PointSpec } from "../core/points.ts";
import type { CallScope, Logger } from "../core/ports.ts";
import { applyEdits } from "./edits.ts";
import { misfit } from "./fit.ts";
import type { Entry } from "./snapshot.ts";
import type { ChainTrace } from "./trace.ts";

/** What a chain needs of the registry it belongs to. */
export interface ChainHost {
  readonly logger: Logger;
  readonly onError: FailureMode | undefined;
  /** What the hooks' own calls are bound to. */
  scopeFor(ctx: HookContext, address: Address): CallScope;
  /** A hook with `once` has run. */
  spend(entry: Entry): void;
  failed(hook: Hook, failure: HookFailure): void;
}

/**
 * One dispatch: the one loop that all points and all kinds of handlers pass. It walks the snapshot it
 * was given, offers each matching hook to its runner, and applies the rules of design.md §4 to what
 * the runner reports. It stays synchronous until a runner waits.
 */
export class Chain implements Turn {
  hook!: Hook;
  ctx: HookContext;
  readonly #host: ChainHost;
  readonly #point: PointSpec;
  readonly #entries: readonly Entry[];
  readonly #address: Address;
  readonly #trace: ChainTrace | undefined;
  #at = -1;
  #current: Entry | undefined;
  #scope: CallScope | undefined;
  #end: OutcomeAction | undefined;
  #decision: Decision | undefined;
  #reason: string | undefined;
  #decidedBy: string | undefined;
  #inject: string[] | undefined;

  constructor(
    host: ChainHost,
    point: PointSpec,
    entries: readonly Entry[],
    ctx: HookContext,
    address: Address,
    trace: ChainTrace | undefined,
  ) {
    this.#host = host;
    this.#point = point;
    this.#entries = entries;
    this.ctx = ctx;
    this.#address = address;
    this.#trace = trace;
  }

  get scope(): CallScope {
    // Metadata may have changed since the last hook, so the scope is made anew for each.
    this.#scope ??= this.#host.scopeFor(this.ctx, this.#address);
    return this.#scope;
  }

  /** Run the chain to its end. */
  run(): Outcome | Promise<Outcome> {
    this.#advance();
    return this.#drive();
  }

  settle(report: HookReport): Hook | undefined {
    const entry = this.#current;
    if (!entry) throw new Error("a runner settled a hook that is not its turn");
    const { runner } = entry.hook;
    if (entry.hook.once) this.#host.spend(entry);
    if ("failure" in report) this.#fail(entry.hook, report.failure);
    else this.#take(entry.hook, report);
    this.#current = undefined;
    this.#scope = undefined;
    if (this.#end) return undefined;
    this.#advance();
    return this.#runnerOfCurrent() === runner ? this.hook : undefined;
  }

  #drive(): Outcome | Promise<Outcome> {
    while (this.#current) {
      const { hook } = this.#current;
      const at = this.#at;
      try {
        const waiting = hook.runner.run(this);
        if (waiting) return this.#wait(waiting, at);
        this.#expectProgress(at);
      } catch (thrown) {
        this.#runnerThrew(at, thrown);
      }
    }
    return this.#outcome();
  }

  async #wait(waiting: Promise<void>, at: number): Promise<Outcome> {
    try {
      await waiting;
      this.#expectProgress(at);
    } catch (thrown) {
      this.#runnerThrew(at, thrown);
    }
    return this.#drive();
  }

  /** A runner that comes back without having settled its hook would loop for ever. */
  #expectProgress(at: number): void {
    if (this.#current && this.#at === at) throw new Error("its runner gave no report");
  }

  #runnerThrew(at: number, thrown: unknown): void {
    if (this.#current && this.#at >= at) {
      this.settle({ failure: { kind: "error", message: messageOf(thrown) } });
    }
  }

  #runnerOfCurrent(): HookRunner | undefined {
    return this.#current?.hook.runner;
  }

  /** Make the next hook current that is enabled and matches the payload as it is now. */
  #advance(): void {
    const entries = this.#entries;
    const trace = this.#trace;
    for (let i = this.#at + 1; i < entries.length; i++) {
      const entry = entries[i] as Entry;
      const { hook } = entry;
      this.#at = i;
      if (!entry.enabled || entry.spent) {
        trace?.passed(hook, "disabled");
      } else if (!hook.appliesTo(this.#address)) {
        trace?.passed(hook, "not_matched", "fql");
      } else {
        const failing = hook.matcher?.failing(this.ctx.payload);
        if (failing === undefined) {
          this.#current = entry;
          this.hook = hook;
          trace?.start();
          return;
        }
        trace?.passed(hook, "not_matched", failing);
      }
    }
    this.#at = entries.length;
    this.#current = undefined;
  }

  #take(hook: Hook, report: Extract<HookReport, { edits: unknown }>): void {
    const read = readAnswer(report.answer);
    if (!read.ok) return this.#fail(hook, { kind: "answer", message: read.why });
    const { action } = read;
    const illegal = this.#illegal(hook, action);
    if (illegal !== undefined) return this.#fail(hook, { kind: "answer", message: illegal });
    const after = applyEdits(this.ctx, report.edits);
    const why = misfit(this.#point, this.ctx, after, report.edits);
    if (why !== undefined) return this.#fail(hook, { kind: "payload", message: why });
    this.ctx = after;
    this.#trace?.ran(hook, action, report.edits);
    return this.#act(hook, action);
  }

  /** Why an action may not be answered here; a `replace` that only deserves a warning gets it. */
  #illegal(hook: Hook, action: Action): string | undefined {
    const { name, phase } = this.#point;
    const verdict = verdictFor(this.#point, action.action);
    if (verdict === "fail") return `answered ${action.action} at ${name}, a ${phase} point`;
    if (verdict === "warn") {
      this.#host.logger.warn(
        `hook ${hook.id}: ${action.action} has no effect at ${name}, a ${phase} point; it counts as continue`,
      );
    }
    if (action.action === "continue" && action.decision && phase !== "pre") {
      return `answered the decision ${action.decision} at ${name}, a ${phase} point; decisions belong to pre points`;
    }
    return undefined;
  }

  #act(hook: Hook, action: Action): void {
    switch (action.action) {
      case "continue":
        if (action.inject) (this.#inject ??= []).push(...action.inject);
        if (action.decision) this.#decide(hook, action.decision, action.reason);
        if (action.stop) this.#finish({ action: "continue" });
        return;
      case "replace":
        if (verdictFor(this.#point, "replace") === "legal") this.#replace(action.result);
        return;
      case "skip":
        return this.#finish({ action: "skip", result: action.result, hook: hook.id });
      case "abort":
        return this.#finish({ action: "abort", reason: action.reason, hook: hook.id });
      case "retry":
        return this.#finish({ action: "retry", delay_ms: action.delay_ms, hook: hook.id });
    }
  }

  #decide(hook: Hook, decision: Decision, reason: string | undefined): void {
    const stronger = strongerDecision(this.#decision, decision);
    if (stronger === this.#decision) return;
    this.#decision = stronger;
    this.#reason = reason;
    this.#decidedBy = hook.id;
  }

  #replace(result: Json): void {
    const payload = { ...this.ctx.payload };
    setOwn(payload as Record<string, unknown>, this.#point.resultKey, result);
    this.ctx = { ...this.ctx, payload };
  }

  #fail(hook: Hook, failure: HookFailure): void {
    const { logger } = this.#host;
    const byTimeout = failure.kind === "timeout" ? hook.onTimeout : undefined;
    const mode =
      byTimeout ??
      hook.onError ??
      this.#host.onError ??
      (this.#point.phase === "pre" ? "closed" : "open");
    const next = mode === "closed" ? "the operation is refused" : "it is passed over";
    logger.error(`hook ${hook.id} failed at ${this.#point.name}: ${failure.message}; ${next}`);
    this.#trace?.failed(hook, failure);
    this.#host.failed(hook, failure);
    if (mode === "closed") {
      const reason = `hook ${hook.id} failed: ${failure.message}`;
      this.#finish({ action: "abort", reason, hook: hook.id });
    }
  }

  #finish(end: OutcomeAction): void {
    this.#end = end;
    this.#trace?.notReached(this.#entries.slice(this.#at + 1));
  }

  #outcome(): Outcome {
    const inject = this.#inject ?? [];
    const trace = this.#trace && { trace: this.#trace.entries };
    if (this.#end && this.#end.action !== "continue") {
      return { ...this.#end, ctx: this.ctx, inject, ...trace };
    }
    return {
      action: "continue",
      ...(this.#decision !== undefined && { decision: this.#decision }),
      ...(this.#reason !== undefined && { reason: this.#reason }),
      ...(this.#decidedBy !== undefined && { hook: this.#decidedBy }),
      ctx: this.ctx,
      inject,
      ...trace,
    };
  }
}
