import type { RecordedCall, RecordedEvent } from "../audit/record/format.ts";
import { isCall } from "../audit/record/format.ts";
import type { RecordLine } from "../audit/record/read-record.ts";

/** An event of a record. */
export interface NumberedEvent {
  /** Counted from 1. */
  readonly number: number;
  readonly event: RecordedEvent;
}

/** How many events ahead a call is searched. */
const MOST_AHEAD = 256;

/** The events of a record in order; the calls that precede each are passed on when it is reached. */
export class ReplayEvents {
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
      this.#called(entry);
      return "call";
    }
    this.#ahead.push(entry);
    return "event";
  }
}
