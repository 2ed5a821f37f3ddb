import type { RecordedEvent, RecordHeader } from "../audit/record/format.ts";
import { holdsMask, sameButForMasks } from "../audit/record/outcome-difference.ts";
import type { RecordLine } from "../audit/record/read-record.ts";
import { readRecord } from "../audit/record/read-record.ts";
import { OrcsError } from "../core/errors.ts";
import { isPlainObject, isSameText } from "../core/json.ts";
import type { Redactor } from "../core/ports.ts";
import type { Compared } from "./compare.ts";
import { comparedSets, comparedWithRecord, differenceOf, placedHook } from "./compare.ts";
import type { NumberedEvent } from "./replay-events.ts";
import { ReplayEvents } from "./replay-events.ts";
import type { NotCompared, ReplayDifference, ReplaySide, ReplaySummary } from "./replay-result.ts";
import type { Replayed, ReplaySetOptions } from "./replay-set.ts";
import { RecordedAnswers, ReplaySet } from "./replay-set.ts";

/** One of the sets of hooks that are replayed. */
export interface SetOptions extends Omit<ReplaySetOptions, "answers" | "outside"> {
  /** How a file of it is shown, where that is not as it is. */
  readonly shownAs?: (file: string) => string;
}

/** What to replay, and on what. */
export interface ReplayOptions {
  /** The record. */
  readonly file: string;
  readonly set: SetOptions;
  /** The hooks that come first in time, in place of what was recorded. */
  readonly against?: SetOptions | undefined;
  /** Run handlers that leave the process, too. */
  readonly outside?: boolean;
  /** Told of the sets, before the first event. */
  readonly begun?: (set: ReplaySet, against: ReplaySet | undefined) => void;
  readonly differs: (difference: ReplayDifference) => void;
  /** Told of every event, once it has happened again. */
  readonly replayed?: (event: NumberedEvent, is: Replayed, answers: RecordedAnswers) => void;
  /** Told now and then how many events have happened again. */
  readonly progress?: (events: number) => void;
  /** Told of what is left out of the record. */
  readonly note?: (text: string) => void;
  /** Go no further than this event. */
  readonly until?: number;
}

/** How long events may happen without a pause for anything else, in milliseconds. */
const STRETCH_MS = 100;
/** How many events lie between two looks at the time. */
const LOOK_EVERY = 256;

/**
 * Let the events of a record happen again, and compare what they come to with what they came to. No tool runs.
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
    return { events, differ, not_compared: this.#notCompared, seconds };
  }

  async close(): Promise<void> {
    // Lets go of the file.
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
      return whenThere(after, (is) =>
        this.#difference(next, comparedSets(was, is), () => [
          this.#side(was, 1),
          this.#side(is, 0),
        ]),
      );
    });
  }

  /** Undefined when it cannot happen again. */
  #again(event: RecordedEvent, set: ReplaySet): Replayed | Promise<Replayed> | undefined {
    if (event.not_json || !isWellFormed(event)) {
      this.#leaveOut(event.not_json ? "not_json" : "refused");
      return undefined;
    }
    try {
      // When it began, as far as is known: hooks waited after that.
      const at = Number(event.at) - Number(event.duration_ms) - this.#began;
      return set.replay(event, Number.isFinite(at) ? Math.max(0, at) : 0, this.#mask);
    } catch (thrown) {
      // Of a point that only the program knew, say.
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

/** At once where it is there. */
function whenThere<T, R>(value: T | Promise<T>, then: (value: T) => R): R | Promise<Awaited<R>> {
  return value instanceof Promise ? (value.then(then) as Promise<Awaited<R>>) : then(value);
}

/** Whether an event has the shape that its type says: somebody may have written it by hand. */
function isWellFormed(event: RecordedEvent): boolean {
  const { component, child, instance, channel, principal, metadata, outcome, failures } = event;
  const { inject, edits, hook, reason } = outcome;
  return (
    typeof component === "string" &&
    [child, instance, channel, hook, reason].every(isTextOrNothing) &&
    (principal === undefined || isPlainObject(principal)) &&
    (metadata === undefined || isPlainObject(metadata)) &&
    (inject === undefined || Array.isArray(inject)) &&
    (failures === undefined || areObjects(failures)) &&
    areObjects(edits)
  );
}

function isTextOrNothing(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

function areObjects(list: unknown): boolean {
  return Array.isArray(list) && list.every(isPlainObject);
}
