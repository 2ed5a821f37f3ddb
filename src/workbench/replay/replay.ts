import {
  holdsMask,
  isCall,
  readRecord,
  sameButForMasks,
  ShadowTallies,
} from "../../records/index.ts";
import type { RecordedCall, RecordedEvent, RecordHeader, RecordLine } from "../../records/index.ts";
import { isPlainObject, isSameText, OrcsError, type Redactor } from "../../core/index.ts";
import { comparedSets, comparedWithRecord, differenceOf, placedHook } from "./replay-result.ts";
import type {
  Compared,
  NotCompared,
  ReplayDifference,
  ReplaySide,
  ReplaySummary,
} from "./replay-result.ts";
import { RecordedAnswers, type Replayed, ReplaySet, type ReplaySetOptions } from "./replay-set.ts";

/** One of the replayed sets of hooks. */
export interface SetOptions extends Omit<ReplaySetOptions, "answers" | "outside"> {
  /** How its files are shown, if not as they are. */
  readonly shownAs?: (file: string) => string;
}

/** What to replay, and on which hooks. */
export interface ReplayOptions {
  /** The record. */
  readonly file: string;
  readonly set: SetOptions;
  /** Hooks whose results replace the recorded ones. */
  readonly against?: SetOptions | undefined;
  /** Also run handlers that leave the process. */
  readonly outside?: boolean;
  /** Called with the sets before the first event. */
  readonly begun?: (set: ReplaySet, against: ReplaySet | undefined) => void;
  readonly differs: (difference: ReplayDifference) => void;
  /** Called for every event after its replay. */
  readonly replayed?: (event: NumberedEvent, is: Replayed, answers: RecordedAnswers) => void;
  /** Called at intervals with the number of replayed events. */
  readonly progress?: (events: number) => void;
  /** Called with what is left out of the record. */
  readonly note?: (text: string) => void;
  /** Stop after this event. */
  readonly until?: number;
}

/** Maximum time without yielding the thread, in milliseconds. */
const STRETCH_MS = 100;
/** Number of events between two checks of the clock. */
const LOOK_EVERY = 256;

/**
 * Replay the events of a record, and compare the results with the recorded ones. No tool runs.
 * @throws OrcsError ORCS8007 for the record, ORCS1015 for a configuration
 */
export async function replay(options: ReplayOptions): Promise<ReplaySummary> {
  const run = new ReplayRun(options);
  try {
    return await run.run();
  } finally {
    await run.close();
  }
}

/** The events of a record, with the numbers that `--save-test` takes. @throws OrcsError ORCS8007 */
export function* recordedEvents(file: string): Generator<NumberedEvent, void, undefined> {
  const events = new ReplayEvents(readRecord(file), () => undefined);
  for (let next = events.next(); next; next = events.next()) yield next;
}

class ReplayRun {
  readonly #options: ReplayOptions;
  readonly #sets: ReplaySet[] = [];
  readonly #answers: RecordedAnswers[] = [];
  readonly #lines: Generator<RecordLine, void, undefined>;
  readonly #events: ReplayEvents;
  #header: RecordHeader | undefined;
  #mask: Redactor | undefined;
  #began = 0;
  readonly #notCompared: Partial<Record<NotCompared, number>> = {};
  /** Of the set that is replayed, not of the one that it is compared with. */
  readonly #unenforced = new ShadowTallies();

  constructor(options: ReplayOptions) {
    this.#options = options;
    const { file, note } = options;
    const begun = (header: RecordHeader): void => void (this.#header = header);
    this.#lines = readRecord(file, { begun, ...(note && { note }) });
    this.#events = new ReplayEvents(this.#lines, (call) => {
      for (const answers of this.#answers) answers.add(call);
    });
  }

  async run(): Promise<ReplaySummary> {
    const { set, against, begun, until = Infinity, progress } = this.#options;
    const is = await this.#open(set);
    const was = against && (await this.#open(against));
    begun?.(is, was);
    const started = performance.now();
    let rested = started;
    let events = 0;
    let differ = 0;
    for (;;) {
      const next = this.#events.next();
      if (!next) break;
      if (events === 0) this.#begin(is);
      events = next.number;
      const happened = was ? this.#inBoth(next, was, is) : this.#inOne(next, is);
      const difference = happened instanceof Promise ? await happened : happened;
      if (difference) {
        differ++;
        this.#options.differs(difference);
      }
      if (events >= until) break;
      if (events % LOOK_EVERY !== 0 || performance.now() - rested < STRETCH_MS) continue;
      progress?.(events);
      await new Promise((resolve) => setImmediate(resolve));
      rested = performance.now();
    }
    const seconds = (performance.now() - started) / 1000;
    const unenforced = this.#unenforced.reports();
    return { events, differ, not_compared: this.#notCompared, unenforced, seconds };
  }

  async close(): Promise<void> {
    // Closes the file.
    this.#lines.return();
    await Promise.all(this.#sets.map((set) => set.close()));
  }

  async #open(options: SetOptions): Promise<ReplaySet> {
    const answers = new RecordedAnswers(() => this.#events.lookAhead());
    const { outside = false } = this.#options;
    const set = await ReplaySet.open({ ...options, answers, outside });
    this.#answers.push(answers);
    this.#sets.push(set);
    return set;
  }

  /** The header was read. */
  #begin({ redactor }: ReplaySet): void {
    const time = Date.parse(this.#header?.time ?? "");
    this.#began = Number.isFinite(time) ? time : 0;
    for (const set of this.#sets) set.startAt(this.#began);
    if (this.#header?.whole !== false) return;
    this.#mask = redactor;
    for (const answers of this.#answers) answers.mask = redactor;
  }

  #inOne(next: NumberedEvent, set: ReplaySet) {
    const { event } = next;
    const again = this.#again(event, set);
    if (!again) return undefined;
    return whenThere(again, (is) => {
      const [answers] = this.#answers;
      if (answers) this.#options.replayed?.(next, is, answers);
      this.#count(event, is);
      const isMasked = (): boolean => this.#isMasked(event);
      const sameText = this.#mask ? sameButForMasks : isSameText;
      const compared = comparedWithRecord(event, is, set, { sameText, isMasked });
      return this.#difference(next, compared, () => {
        const { hook } = event.outcome;
        const by = hook === undefined ? undefined : this.#placed(hook, 0);
        return [{ outcome: event.outcome, ...(by && { by }) }, this.#side(is, 0)];
      });
    });
  }

  #inBoth(next: NumberedEvent, first: ReplaySet, second: ReplaySet) {
    const before = this.#again(next.event, first);
    if (!before) return undefined;
    return whenThere(before, (was) => {
      const after = this.#again(next.event, second);
      if (!after) return undefined;
      return whenThere(after, (is) => {
        this.#count(next.event, is);
        return this.#difference(next, comparedSets(was, is), () => [
          this.#side(was, 1),
          this.#side(is, 0),
        ]);
      });
    });
  }

  /** Undefined when it cannot be replayed. */
  #again(event: RecordedEvent, set: ReplaySet): Replayed | Promise<Replayed> | undefined {
    if (event.not_json || !isWellFormed(event)) {
      this.#leaveOut(event.not_json ? "not_json" : "refused");
      return undefined;
    }
    try {
      // An estimate of when it began: hooks may have waited.
      const at = Number(event.at) - Number(event.duration_ms) - this.#began;
      return set.replay(event, Number.isFinite(at) ? Math.max(0, at) : 0, this.#mask);
    } catch (thrown) {
      // For example a point that only the recorded program had.
      if (!(thrown instanceof OrcsError)) throw thrown;
      this.#leaveOut("refused");
      return undefined;
    }
  }

  #difference(
    { number, event }: NumberedEvent,
    compared: Compared,
    sides: () => readonly [ReplaySide, ReplaySide],
  ): ReplayDifference | undefined {
    if (!compared) return undefined;
    if ("notCompared" in compared) {
      this.#leaveOut(compared.notCompared);
      return undefined;
    }
    const [was, is] = sides();
    const { keys } = compared.difference;
    return differenceOf(number, event, keys, { was, is, masked: this.#isMasked(event) });
  }

  #count({ at }: RecordedEvent, { unenforced }: Replayed): void {
    if (unenforced.length === 0) return;
    const time = new Date(Number.isFinite(at) ? at : 0).toISOString();
    for (const line of unenforced) this.#unenforced.add({ ...line, time });
  }

  #isMasked({ payload, metadata }: RecordedEvent): boolean {
    return this.#mask !== undefined && (holdsMask(payload) || holdsMask(metadata));
  }

  #leaveOut(why: NotCompared): void {
    this.#notCompared[why] = (this.#notCompared[why] ?? 0) + 1;
  }

  #side({ outcome, changedBy }: Replayed, of: 0 | 1): ReplaySide {
    const { hook } = outcome;
    const by = hook === undefined ? undefined : this.#placed(hook, of);
    const ids = [...new Set(changedBy.map(({ id }) => id))];
    return {
      outcome,
      ...(by && { by }),
      ...(ids.length > 0 && { changed_by: ids.map((id) => this.#placed(id, of)) }),
    };
  }

  #placed(id: string, of: 0 | 1) {
    const { set, against } = this.#options;
    const { shownAs } = (of === 0 ? set : against) ?? {};
    return placedHook(id, this.#sets[of]?.hook(id)?.source, shownAs);
  }
}

/** Synchronous if the value is there. */
function whenThere<T, R>(value: T | Promise<T>, then: (value: T) => R): R | Promise<Awaited<R>> {
  return value instanceof Promise ? (value.then(then) as Promise<Awaited<R>>) : then(value);
}

/** Whether an event has the declared shape: it may have been written by hand. */
function isWellFormed(event: RecordedEvent): boolean {
  const { component, child, instance, channel, principal, metadata, outcome, failures } = event;
  const { inject, edits, hook, reason } = outcome;
  return (
    typeof component === "string" &&
    [child, instance, channel, hook, reason].every(
      (text) => text === undefined || typeof text === "string",
    ) &&
    (principal === undefined || isPlainObject(principal)) &&
    (metadata === undefined || isPlainObject(metadata)) &&
    (inject === undefined || Array.isArray(inject)) &&
    (failures === undefined || areObjects(failures)) &&
    areObjects(edits)
  );
}

function areObjects(list: unknown): boolean {
  return Array.isArray(list) && list.every(isPlainObject);
}

/** An event of a record. */
interface NumberedEvent {
  /** Counted from 1. */
  readonly number: number;
  readonly event: RecordedEvent;
}

/** How many events ahead a call is searched. */
const MOST_AHEAD = 256;

/** The events of a record in order; the calls that precede each are passed on when it is reached. */
class ReplayEvents {
  readonly #lines: Iterator<RecordLine>;
  readonly #called: (call: RecordedCall) => void;
  readonly #ahead: RecordedEvent[] = [];
  #number = 0;

  constructor(lines: Iterator<RecordLine>, called: (call: RecordedCall) => void) {
    this.#lines = lines;
    this.#called = called;
  }

  /** @throws OrcsError ORCS8007 for a line that does not belong to a record */
  next(): NumberedEvent | undefined {
    while (this.#ahead.length === 0) if (!this.#read()) return undefined;
    const event = this.#ahead.shift();
    return event && { number: ++this.#number, event };
  }

  /** Read ahead until there is a call; false when none follows soon. */
  lookAhead(): boolean {
    while (this.#ahead.length < MOST_AHEAD) {
      const read = this.#read();
      if (read !== "event") return read === "call";
    }
    return false;
  }

  #read(): "event" | "call" | undefined {
    const { value, done } = this.#lines.next() as IteratorResult<RecordLine, undefined>;
    if (done === true || !value) return undefined;
    const { entry } = value;
    if (isCall(entry)) {
      // Calls of hooks in shadow do not run, and get no recorded result: they would use up that of another hook.
      if (entry.shadow_hook === undefined) this.#called(entry);
      return "call";
    }
    this.#ahead.push(entry);
    return "event";
  }
}
