import type { DispatchLog } from "../core/audit.ts";
import type { Caller, HookContext } from "../core/context.ts";
import type { Outcome } from "../core/outcome.ts";
import type { PointSpec } from "../core/points.ts";
import type { Clock } from "../core/ports.ts";
import type { Chain } from "./chain.ts";
import type { ChainHost } from "./chain-host.ts";
import type { ChainNotes } from "./chain-notes.ts";
import type { Entry } from "./snapshot.ts";

/** One dispatch, for whoever writes it down. */
export interface Dispatched {
  readonly point: PointSpec;
  readonly entries: readonly Entry[];
  /** The context before any hook. */
  readonly began: HookContext;
  /** By the engine's clock, in milliseconds. */
  readonly startedAt: number;
  readonly caller: Caller;
  /** Of its chain, once it has ended. */
  readonly notes: () => ChainNotes | undefined;
  /** Of a hook that nobody waits for. */
  readonly async?: true;
}

/** Run a chain, and write down what it came to. */
export function runLogged(
  chain: Chain,
  { log, clock }: Pick<ChainHost, "log" | "clock">,
  dispatched: Omit<Dispatched, "notes">,
): Outcome | Promise<Outcome> {
  const outcome = chain.run();
  // Most have nothing to write, and nothing is made for them.
  if (!(outcome instanceof Promise) && isPlain(outcome, chain.notes) && log?.all !== true) {
    return outcome;
  }
  return logged(outcome, log, clock, { ...dispatched, notes: () => chain.notes });
}

/**
 * The outcome of a dispatch, once it is written down: at once where nobody does, or where there was nothing to
 * write.
 */
export function logged(
  outcome: Outcome | Promise<Outcome>,
  log: DispatchLog | undefined,
  clock: Clock,
  dispatched: Dispatched,
): Outcome | Promise<Outcome> {
  if (!log) return outcome;
  if (outcome instanceof Promise)
    return outcome.then((settled) => take(settled, log, clock, dispatched));
  return take(outcome, log, clock, dispatched);
}

function take(
  outcome: Outcome,
  log: DispatchLog,
  clock: Clock,
  { point, entries, began, startedAt, caller, notes: notesOf, async }: Dispatched,
): Outcome | Promise<Outcome> {
  const notes = notesOf();
  if (isPlain(outcome, notes) && !log.all) return outcome;
  const named = "hook" in outcome ? outcome.hook : undefined;
  const settled = {
    point,
    began,
    caller,
    outcome,
    failures: notes?.failures ?? [],
    changed: notes?.changed ?? [],
    by: named === undefined ? undefined : entries.find(({ hook }) => hook.id === named)?.hook,
    stoppedBy: notes?.stoppedBy,
    duration_ms: clock.now() - startedAt,
    async,
  };
  return log.take(settled) ?? outcome;
}

function isPlain(outcome: Outcome, notes: ChainNotes | undefined): boolean {
  return outcome.action === "continue" && outcome.decision === undefined && !notes;
}
