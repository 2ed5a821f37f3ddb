import { type HookContext, type HookReport, messageOf } from "../../../core/index.ts";
import type { LuaHook, LuaTurn } from "../hook-run.ts";
import type { LuaSpent } from "../limits.ts";
import type { LuaScript } from "../script.ts";
import { ContextReader, type SharedPart, takeOutShared } from "./context-copy.ts";
import type { NextHook, ToWorker } from "./protocol.ts";
import { type RemoteCalls, RemoteScope, type SyncCalls } from "./remote-scope.ts";

/**
 * A turn on the worker. To settle a hook it sends a request to the engine, where the chain is, and waits for the next
 * one: so consecutive hooks enter the VM once and share their views, as on the engine's thread.
 */
export class RemoteTurn implements LuaTurn {
  hook!: LuaHook;
  ctx!: HookContext;
  readonly scope: RemoteScope;
  readonly signal: AbortSignal;
  /** Unknown here; next to a round trip the cost of reads does not matter. */
  readonly followed = false;
  readonly spent: LuaSpent;
  readonly #script: LuaScript;
  readonly #sync: SyncCalls;
  readonly #reader: ContextReader;
  readonly #job: number;
  #settled = 0;
  #over = false;

  constructor(
    script: LuaScript,
    message: Extract<ToWorker, { type: "turn" }>,
    sync: SyncCalls,
    calls: RemoteCalls,
    signal: AbortSignal,
  ) {
    this.signal = signal;
    this.#script = script;
    this.#sync = sync;
    this.#job = message.job;
    this.#reader = new ContextReader((number) => sync.ask("part", [message.job, number]));
    this.spent = { ...message.hook.spent };
    this.scope = new RemoteScope(calls, message.job, message.scope, this.spent);
    this.#begin(message.hook);
  }

  /** Run the script's hooks until the turn is over. A failure can end an entry into the VM, but not the turn. */
  async run(): Promise<void> {
    while (!this.#over) {
      const before = this.#settled;
      let message = "its runner returned no report";
      try {
        await this.#script.run(this);
        if (this.#settled > before) continue;
      } catch (thrown) {
        message = messageOf(thrown);
      }
      if (!this.#over) this.settle({ failure: { kind: "error", message } });
    }
  }

  settle(report: HookReport): LuaHook | undefined {
    this.#settled++;
    // Without a limit: the engine relies on the worker to run the next hook.
    const [crossing, shared] = this.#crossing(report);
    const args = [this.#job, crossing, shared, { ...this.spent }] as const;
    const next = this.#sync.ask("settle", [...args], Infinity);
    this.#over = next === undefined;
    return next && this.#begin(next);
  }

  #crossing(report: HookReport): [HookReport, readonly SharedPart[]] {
    if (!("edits" in report)) return [report, []];
    const numberOf = (value: unknown): number | undefined => this.#reader.numberOf(value);
    const { edits, shared } = takeOutShared(report.edits, numberOf);
    return [{ answer: report.answer, edits }, shared];
  }

  #begin({ id, timeoutMs, phase, spent, ctx }: NextHook): LuaHook {
    Object.assign(this.spent, spent);
    if (ctx) this.ctx = this.#reader.unpack(ctx) as HookContext;
    this.hook = { id, timeoutMs, point: { phase } };
    return this.hook;
  }
}
