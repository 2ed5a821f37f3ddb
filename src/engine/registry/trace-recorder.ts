import { type UnreadReport, valueAt } from "./payload-validation.ts";
import { jsonPointer, MASK, setOwn, shownJson, tookPoint } from "../../core/index.ts";
import type {
  Action,
  Caller,
  Clock,
  DispatchLog,
  Edit,
  Hook,
  HookContext,
  HookFailure,
  Json,
  JsonObject,
  Mismatch,
  Outcome,
  PointSpec,
  Redactor,
  TraceChange,
  TraceEntry,
} from "../../core/index.ts";
import { mismatchOf } from "../../matching/index.ts";
import type { ChainNotes } from "./chain-rules.ts";
import type { Chain, ChainDeps } from "./chain.ts";
import type { Entry } from "./hook-set.ts";

/** Sees one dispatch hook by hook; exists only where somebody looks. */
export interface ChainObserver {
  /** The next hook is looked at. */
  start(): void;
  /**
   * @param before the context without its edits
   * @param unread where the hook held on a command line that could not be read whole
   */
  ran(
    hook: Hook,
    action: Action,
    edits: readonly Edit[],
    before: HookContext,
    unread?: UnreadReport,
  ): void;
  failed(hook: Hook, failure: HookFailure): void;
  passed(hook: Hook, status: "disabled" | "not_matched" | "queued", failing?: NotMatched): void;
  notReached(entries: readonly Entry[]): void;
}

/** The condition that keeps a hook from running, and what it was held against. */
export interface NotMatched {
  readonly failing: NonNullable<TraceEntry["failing"]>;
  readonly ctx: HookContext;
  readonly caller: Caller;
}

/** Two observers as one. */
export function bothObservers(first: ChainObserver, second: ChainObserver): ChainObserver {
  const all = [first, second];
  return {
    start: () => all.forEach((one) => one.start()),
    ran: (...what) => all.forEach((one) => one.ran(...what)),
    failed: (...what) => all.forEach((one) => one.failed(...what)),
    passed: (...what) => all.forEach((one) => one.passed(...what)),
    notReached: (...what) => all.forEach((one) => one.notReached(...what)),
  };
}

/** Writes one dispatch down, hook by hook; exists only while tracing is on. */
export class ChainTrace implements ChainObserver {
  readonly entries: TraceEntry[] = [];
  readonly #clock: Clock;
  #started = 0;

  readonly #withValues: boolean;
  readonly #redactor: Redactor | undefined;
  readonly #tell: (entry: TraceEntry) => void;

  /**
   * @param withValues whether it says what changed from what to what
   * @param redactor masks what it says
   * @param tell gets each entry; default: they are kept in `entries`
   */
  constructor(
    clock: Clock,
    withValues: boolean,
    redactor?: Redactor,
    tell?: (entry: TraceEntry) => void,
  ) {
    this.#clock = clock;
    this.#withValues = withValues;
    this.#redactor = redactor;
    this.#tell = tell ?? ((entry) => void this.entries.push(entry));
  }

  start(): void {
    this.#started = this.#clock.now();
  }

  ran(...[hook, action, edits, before, unread]: Parameters<ChainObserver["ran"]>): void {
    const entry = entryOf(hook, "ran");
    entry.duration_ms = this.#clock.now() - this.#started;
    entry.action = action.action;
    if (hook.mode === "warn") entry.mode = "warn";
    if ("decision" in action && action.decision) entry.decision = action.decision;
    if ("reason" in action && action.reason !== undefined) {
      entry.reason = this.#redacted(action.reason);
    }
    if (unread) {
      const { why, asks, dropped } = unread;
      if (why !== undefined) entry[asks ? "unsure" : "unreadable"] = this.#redacted(why);
      if (dropped.length > 0) entry.dropped = dropped.map((what) => this.#redacted(what));
    }
    if (edits.length > 0) {
      entry.changed = edits.map((edit) => this.#redacted(jsonPointer(edit.path)));
      if (this.#withValues) entry.changes = changesOf(edits, before, this.#redactor);
    }
    this.#tell(entry);
  }

  failed(hook: Hook, failure: HookFailure): void {
    const entry = entryOf(hook, failure.kind === "timeout" ? "timed_out" : "failed");
    entry.duration_ms = this.#clock.now() - this.#started;
    if (hook.mode === "warn") entry.mode = "warn";
    entry.reason = this.#redacted(failure.message);
    if (failure.traceback) entry.traceback = failure.traceback;
    this.#tell(entry);
  }

  passed(...[hook, status, notMatched]: Parameters<ChainObserver["passed"]>): void {
    const entry = entryOf(hook, status);
    if (notMatched) {
      entry.failing = notMatched.failing;
      const mismatch = this.#withValues ? mismatchFor(hook, notMatched) : undefined;
      if (mismatch) entry.mismatch = this.#masked(mismatch);
    }
    this.#tell(entry);
  }

  notReached(entries: readonly Entry[]): void {
    for (const { hook } of entries) this.#tell(entryOf(hook, "not_reached"));
  }

  #masked(mismatch: Mismatch): Mismatch {
    const { value } = mismatch;
    if (value === undefined || !this.#redactor) return mismatch;
    return { ...mismatch, value: maskedAt([], value, this.#redactor) };
  }

  #redacted(text: string): string {
    return this.#redactor ? this.#redactor.text(text) : text;
  }
}

/** Key by key, here and above: with spreads, this took many times as long, for each hook of each dispatch. */
function entryOf(
  hook: Hook,
  status: TraceEntry["status"],
): { -readonly [Key in keyof TraceEntry]: TraceEntry[Key] } {
  const { id, source } = hook;
  return source ? { id, source, status } : { id, status };
}

function mismatchFor(hook: Hook, { failing, ctx, caller }: NotMatched): Mismatch | undefined {
  if (failing === "rollout") {
    return { pattern: `${hook.rollout} % of the sessions`, value: ctx.payload["session_id"] };
  }
  if (failing === "fql") return { pattern: hook.fql, value: caller.component };
  const { only, except } = hook.agents ?? {};
  if (failing === "agent" && hook.match?.agent === undefined) {
    return { pattern: only ?? `not ${except?.join(", ")}`, value: ctx.payload["agent_id"] };
  }
  return hook.match && mismatchOf(hook.match, failing, ctx.payload, hook.matcher?.effects);
}

/** The last word on each path, against what was there before all of them. */
function changesOf(
  edits: readonly Edit[],
  before: HookContext,
  redactor: Redactor | undefined,
): TraceChange[] {
  const last = new Map(edits.map((edit) => [jsonPointer(edit.path), edit]));
  return Array.from(last, ([path, edit]) => {
    const jsonOf = (value: unknown): unknown =>
      redactor ? maskedAt(edit.path, value, redactor) : value;
    const was = valueAt(before, edit.path);
    return {
      path: redactor ? redactor.text(path) : path,
      ...(was !== undefined && { before: jsonOf(was) }),
      ...(edit.value !== undefined && { after: jsonOf(edit.value) }),
    };
  });
}

/** A value masked as it is where it stands: the names above it tell, too. */
function maskedAt(path: Edit["path"], value: unknown, redactor: Redactor): unknown {
  let json: Json;
  try {
    json = shownJson(value, true);
  } catch {
    // What cannot be looked through is not shown.
    return MASK;
  }
  const nested = path.reduceRight((inner: Json, key) => {
    const outer: JsonObject = {};
    setOwn(outer, String(key), inner);
    return outer;
  }, json);
  let masked: Json | undefined = redactor.value(nested);
  for (let depth = 0; depth < path.length; depth++) masked = Object.values(masked as JsonObject)[0];
  return masked;
}

/** One dispatch, for whoever writes it down. */
interface Dispatched {
  readonly point: PointSpec;
  readonly entries: readonly Entry[];
  /** The context before any hook. */
  readonly began: HookContext;
  /** By the engine's clock, in milliseconds. */
  readonly startedAt: number;
  readonly caller: Caller;
  /** Of a hook that nobody waits for. */
  readonly async?: true;
}

/** Run a chain, and write down what it came to. */
export function runAudited(
  chain: Chain,
  { log, clock }: Pick<ChainDeps, "log" | "clock">,
  dispatched: Dispatched,
): Outcome | Promise<Outcome> {
  const outcome = chain.run();
  if (!log) return outcome;
  if (!(outcome instanceof Promise)) return audited(outcome, chain.notes, log, clock, dispatched);
  return outcome.then((settled) => audited(settled, chain.notes, log, clock, dispatched));
}

/**
 * The outcome of a dispatch, once it is written down: at once where there is nothing to write.
 * @param notes of its chain
 */
export function audited(
  outcome: Outcome,
  notes: ChainNotes | undefined,
  log: DispatchLog,
  clock: Clock,
  { point, entries, began, startedAt, caller, async }: Dispatched,
): Outcome | Promise<Outcome> {
  // Most have nothing to write, and nothing is made for them.
  const isPlain = outcome.action === "continue" && outcome.decision === undefined && !notes;
  if (isPlain && !log.all && !tookPoint(began, outcome)) return outcome;
  const named = "hook" in outcome ? outcome.hook : undefined;
  const settled = {
    point,
    began,
    caller,
    outcome,
    failures: notes?.failures ?? [],
    changed: notes?.changed ?? [],
    warned: notes?.warned,
    by: named === undefined ? undefined : entries.find(({ hook }) => hook.id === named)?.hook,
    stoppedBy: notes?.stoppedBy,
    duration_ms: clock.now() - startedAt,
    async,
  };
  return log.take(settled) ?? outcome;
}
