import type { RecordedCall } from "../../audit/record/format.ts";
import type { Json } from "../../core/json.ts";
import type { Redactor } from "../../core/ports.ts";
import type { OperationTap, TappedCall } from "../calls/operation-tap.ts";

/** Calls that nobody asked for are forgotten when there are more: a hook that does not call any more leaves its own. */
const MOST_KEPT = 1000;

/** Gives hooks what tools answered them when it was recorded, by tool and arguments, in that order. */
export class RecordedAnswers implements OperationTap {
  /** What masked the arguments that were recorded, if anything did. */
  mask: Redactor | undefined;
  #unrecorded: string[] = [];
  #given: RecordedCall[] = [];
  /** In the order in which they were recorded. */
  readonly #kept = new Set<RecordedCall>();
  readonly #byCall = new Map<string, RecordedCall[]>();
  readonly #more: () => boolean;

  /** @param more reads a call that stands further on in the record; whether there was one */
  constructor(more: () => boolean) {
    this.#more = more;
  }

  /** What was called that was not recorded, since an event began. */
  get unrecorded(): readonly string[] {
    return this.#unrecorded;
  }

  /** The calls that were answered since then. */
  get given(): readonly RecordedCall[] {
    return this.#given;
  }

  /** An event begins. */
  begin(): void {
    if (this.#unrecorded.length > 0) this.#unrecorded = [];
    if (this.#given.length > 0) this.#given = [];
  }

  add(recorded: RecordedCall): void {
    const key = keyOf(recorded.call.kind, recorded.call.args);
    const same = this.#byCall.get(key);
    if (same) same.push(recorded);
    else this.#byCall.set(key, [recorded]);
    this.#kept.add(recorded);
    if (this.#kept.size <= MOST_KEPT) return;
    const [oldest] = this.#kept;
    if (oldest) this.#take(keyOf(oldest.call.kind, oldest.call.args));
  }

  /** Whether there is an answer to such a call. */
  has(kind: string, args: Json): boolean {
    const key = this.#keyOf(kind, args);
    // What a hook does that nobody waits for was recorded after the events that it held up nothing of.
    while (!this.#byCall.has(key)) if (!this.#more()) return false;
    return true;
  }

  instead({ kind, args }: TappedCall): unknown {
    if (!this.has(kind, args)) return this.#missing(kind);
    const recorded = this.#take(this.#keyOf(kind, args));
    if (!recorded || "not_json" in recorded) return this.#missing(kind);
    this.#given.push(recorded);
    const { result, error } = recorded.call;
    if (error !== undefined) throw new Error(error);
    return result;
  }

  /** The answer of a function of the runtime, which is not recorded. */
  verb(name: string): Json {
    return this.#missing(`orcs.${name}`);
  }

  #missing(what: string): { ok: false; error: string } {
    this.#unrecorded.push(what);
    return { ok: false, error: `${what} was not recorded` };
  }

  #keyOf(kind: string, args: Json): string {
    return keyOf(kind, this.mask ? this.mask.value(args) : args);
  }

  #take(key: string): RecordedCall | undefined {
    const same = this.#byCall.get(key);
    const first = same?.shift();
    if (same?.length === 0) this.#byCall.delete(key);
    if (first) this.#kept.delete(first);
    return first;
  }
}

/** The same for the same arguments, in whatever order their keys are. */
function keyOf(kind: string, args: unknown): string {
  return `${kind} ${JSON.stringify(args, sorted)}`;
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
