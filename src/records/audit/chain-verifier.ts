import { createHash, type Hash } from "node:crypto";
import { type BrokenLine, type ChainedRecord, isCutShort, NO_HASH, readLine } from "./line.ts";
import type { Piece } from "./log-lines.ts";

/** A line with its hash and its place. */
export interface Placed extends ChainedRecord, Place {
  readonly atStart: boolean;
}

interface Broken {
  readonly line: BrokenAt;
  /** Whether it was once the end of the log: then the next line may have the same number. */
  readonly isTail: boolean;
}

const FAULTS: Readonly<Record<BrokenAt["fault"], string>> = {
  changed: "was changed after it was written",
  not_json: "is not JSON",
  foreign: "is not a line of this log",
};
/** Limit of remembered lines that come too early. */
const MAX_EARLY = 1000;

/**
 * Verifies that lines follow each other as they were written; a finding is reported for the number of the expected
 * line.
 */
export class ChainVerifier {
  readonly #findings: Findings;
  readonly #accept: (line: Placed) => void;
  readonly #gaps = new Gaps();
  /** Lines that come before their turn, by number. */
  readonly #early = new Map<number, Placed>();
  #broken: Broken[] = [];
  /** The end of the chain so far. */
  #last: Placed | undefined;
  /** A line that does not follow the last one: the next line shows whether it is misplaced or lines are missing. */
  #held: Placed | undefined;
  /** A second line with the number of the last one. */
  #rival: Placed | undefined;

  /** @param accept called with each line of the chain, in order */
  constructor(findings: Findings, accept: (line: Placed) => void) {
    this.#findings = findings;
    this.#accept = accept;
  }

  get last(): Placed | undefined {
    return this.#last;
  }

  /**
   * Add lines without a valid hash of their own.
   * @param isTail whether they were once the end of the log
   */
  addBroken({ lines, unlisted }: BrokenLines, isTail: boolean): void {
    for (const line of lines) this.#broken.push({ line, isTail });
    const last = lines.at(-1);
    if (last && unlisted > 0) {
      this.#findings.damage("not_json", last, undefined, `${unlisted} more such lines follow`);
    }
  }

  take(line: Placed): void {
    if (this.#held) this.#decide(this.#held, line);
    if (this.#rival) this.#choose(this.#rival, line);
    if (follows(this.#last, line)) this.#append(line);
    else if (line.seq > (this.#last?.seq ?? 0)) this.#held = line;
    else this.#again(line);
  }

  /** Call once, after the last line. */
  end(removedThrough: number): void {
    if (this.#held) this.#append(this.#held);
    if (this.#rival) this.#tell("foreign", this.#rival, "is a second line with that number");
    for (const line of [...this.#early.values()].sort((a, b) => a.seq - b.seq)) {
      if (follows(this.#last, line)) {
        this.#tell("out_of_order", line, "is too early in the log");
        this.#early.delete(line.seq);
        this.#append(line);
      } else this.#tell("foreign", line, "is not chained to any other line");
    }
    this.#reportBroken(0, 0);
    for (const gap of this.#gaps.list()) {
      if (gap.atStart && gap.last <= removedThrough) continue;
      const which =
        gap.first === gap.last ? `line ${gap.first} is` : `lines ${gap.first} to ${gap.last} are`;
      this.#findings.damage("missing", gap, gap.first, `${which} missing before this one`);
    }
  }

  /** Decides whether the held line is the end of the chain or came too early. */
  #decide(held: Placed, next: Placed): void {
    this.#held = undefined;
    const isBetween = next.seq > (this.#last?.seq ?? 0) && next.seq < held.seq;
    const isEarly = !follows(held, next) && (follows(this.#last, next) || isBetween);
    if (!isEarly) return this.#append(held);
    if (this.#early.size < MAX_EARLY && !this.#early.has(held.seq)) {
      this.#early.set(held.seq, held);
    } else this.#tell("foreign", held, "does not belong here");
  }

  /** Decides to which of two lines with the same number the next one is chained. */
  #choose(rival: Placed, next: Placed): void {
    this.#rival = undefined;
    const last = this.#last;
    const isLast = last !== undefined && next.prev === rival.hash;
    const why = "is a second line with that number, and no other line is chained to it";
    this.#tell("foreign", isLast ? last : rival, why);
    if (isLast) this.#last = rival;
  }

  /** Move the end of the chain to this line, past anything missing. */
  #append(line: Placed): void {
    const last = this.#last;
    const first = (last?.seq ?? 0) + 1;
    if (first < line.seq) this.#skip(first, line);
    else if (line.prev !== (last?.hash ?? NO_HASH)) {
      const [changed, why] = last
        ? [last, "was changed: the next line is chained to a different content"]
        : [line, "is the first line but is chained to another line"];
      this.#tell("changed", changed, why);
    }
    this.#reportBroken(first, line.seq - 1);
    const copy = this.#early.get(line.seq);
    if (copy) {
      this.#early.delete(line.seq);
      const kind = copy.hash === line.hash ? "duplicate" : "foreign";
      this.#tell(kind, copy, "is also too early in the log, besides its correct place");
    }
    this.#last = line;
    this.#accept(line);
  }

  #skip(first: number, { seq, file, line, atStart }: Placed): void {
    this.#gaps.add({ file, line, atStart, first, last: seq - 1 });
    for (const early of this.#early.values()) {
      if (early.seq < first || early.seq >= seq || !this.#gaps.fill(early.seq)) continue;
      this.#early.delete(early.seq);
      this.#tell("out_of_order", early, "is too early in the log");
    }
  }

  /** Add a line whose number has been passed already. */
  #again(line: Placed): void {
    const last = this.#last;
    if (this.#gaps.fill(line.seq)) {
      this.#tell("out_of_order", line, `is too late in the log, after line ${last?.seq}`);
    } else if (line.seq === last?.seq && line.hash !== last.hash) {
      this.#rival = line;
    } else this.#tell("duplicate", line, "is a duplicate");
  }

  /** Report broken lines, each with the missing number in its place. */
  #reportBroken(first: number, last: number): void {
    const broken = this.#broken;
    this.#broken = [];
    const isOwn = ({ line: { seq } }: Broken): boolean =>
      seq !== undefined && first <= seq && seq <= last && this.#gaps.fill(seq);
    const own = new Set(broken.filter(isOwn));
    for (const each of broken.toReversed()) {
      const { line, isTail } = each;
      const seq = own.has(each) ? line.seq : this.#gaps.lastWithin(first, last);
      if (seq !== undefined && !own.has(each)) this.#gaps.fill(seq);
      const isCopy = seq === undefined && line.fault === "changed" && !isTail;
      const fault = isCopy ? "foreign" : line.fault;
      const which = seq ?? (isTail ? line.seq : undefined);
      const name = which === undefined ? "this" : `line ${which}`;
      this.#findings.damage(fault, line, which, `${name} ${FAULTS[fault]}`);
    }
  }

  #tell(kind: DamageKind, line: Placed, what: string): void {
    this.#findings.damage(kind, line, line.seq, `line ${line.seq} ${what}`);
  }
}

function follows(last: Placed | undefined, { seq, prev }: Placed): boolean {
  return seq === (last?.seq ?? 0) + 1 && prev === (last?.hash ?? NO_HASH);
}

/** A line that is invalid on its own, with its place. */
type BrokenAt = BrokenLine & Place;

/** Limit of listed lines in a row; more are only counted. */
const MAX_LISTED = 1000;

/** Adjacent lines without a valid hash of their own. */
export class BrokenLines {
  readonly lines: BrokenAt[] = [];
  /** Number of lines beyond those that are listed. */
  unlisted = 0;
  #sum: Hash = createHash("sha256");
  #bytes = 0;
  #isAllCut = true;
  #isWithin = false;
  #isEnded = false;

  get isEmpty(): boolean {
    return this.#bytes === 0 && !this.#isEnded;
  }

  /** Whether each looks like a line whose writing was interrupted. */
  get isAllCut(): boolean {
    return this.#isAllCut;
  }

  /** Total size in bytes, without the last newline. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @param seq number of the line that could belong in this place */
  add({ bytes, ended, whole }: Piece, place: Place, seq: number): void {
    if (this.#isEnded) this.#count(Buffer.from("\n"));
    this.#count(bytes);
    this.#isAllCut &&= whole && isCutShort(bytes, seq);
    if (!this.#isWithin) this.#list(bytes, whole, place);
    this.#isWithin = !whole && !ended;
    this.#isEnded = ended;
  }

  /** Whether they match a record of kind `recovered`. */
  isWhat(record: Readonly<Record<string, unknown>>): boolean {
    const { cut_bytes: bytes, cut_sha256: sha256 } = record;
    return bytes === this.#bytes && sha256 === this.#sum.copy().digest("hex");
  }

  #count(bytes: Buffer): void {
    this.#sum.update(bytes);
    this.#bytes += bytes.length;
  }

  #list(bytes: Buffer, whole: boolean, { file, line }: Place): void {
    const read = whole ? readLine(bytes) : undefined;
    const broken: BrokenLine =
      read && "fault" in read ? read : { fault: "not_json", seq: undefined };
    if (this.lines.length < MAX_LISTED) this.lines.push({ ...broken, file, line });
    else this.unlisted++;
  }
}

/** Numbers of missing lines, from the first to the last. */
interface Gap extends Place {
  first: number;
  last: number;
  /** Whether it is at the start of a file, where old files may have been removed. */
  readonly atStart: boolean;
}

/** Limit of gaps; more are merged with the last one. */
const MAX_GAPS = 1000;

/** Missing numbers that have not turned up elsewhere. */
class Gaps {
  readonly #gaps: Gap[] = [];

  add(gap: Gap): void {
    const last = this.#gaps.at(-1);
    if (last && this.#gaps.length === MAX_GAPS) last.last = gap.last;
    else this.#gaps.push(gap);
  }

  /** Remove a number; false when it is not missing. */
  fill(seq: number): boolean {
    const index = this.#gaps.findIndex(({ first, last }) => first <= seq && seq <= last);
    const gap = this.#gaps[index];
    if (!gap) return false;
    const parts = [
      { ...gap, last: seq - 1 },
      { ...gap, first: seq + 1 },
    ];
    this.#gaps.splice(index, 1, ...parts.filter(({ first, last }) => first <= last));
    return true;
  }

  /** The last missing number in a range. */
  lastWithin(first: number, last: number): number | undefined {
    const gap = this.#gaps.findLast((each) => each.first <= last && first <= each.last);
    return gap && Math.min(gap.last, last);
  }

  list(): readonly Gap[] {
    return this.#gaps;
  }
}

/** Kinds of damage in a log. */
export type DamageKind =
  | "changed"
  | "missing"
  | "out_of_order"
  | "duplicate"
  | "not_json"
  /** The line was not written by a writer of this log. */
  | "foreign"
  /** The log ends before a checkpoint of it, or before the last line that is known of it. */
  | "cut_tail";

/** The place of a line. */
export interface Place {
  /** Name of the file, without its folder. */
  readonly file: string;
  /** From 1, within the file; 0 if there is no line. */
  readonly line: number;
}

export interface Damage extends Place {
  readonly kind: DamageKind;
  /** Number of the affected line, if known; of several lines, the first. */
  readonly seq?: number;
  readonly message: string;
}

/** Maximum number of findings that are listed; all are counted. */
const MAX_FINDINGS = 100;

/** The findings, up to the limit. */
export class Findings {
  readonly #damage: Damage[] = [];
  readonly #notes: string[] = [];
  #damages = 0;
  #left = 0;

  damage(kind: DamageKind, { file, line }: Place, seq: number | undefined, message: string): void {
    this.#damages++;
    if (this.#damage.length === MAX_FINDINGS) return;
    this.#damage.push({ file, line, kind, ...(seq !== undefined && { seq }), message });
  }

  note(text: string): void {
    if (this.#notes.length < MAX_FINDINGS) this.#notes.push(text);
    else this.#left++;
  }

  get count(): number {
    return this.#damages;
  }

  /** In the order in which the files were read. */
  listed(files: readonly string[]): Damage[] {
    const at = ({ file }: Damage): number => files.indexOf(file);
    return this.#damage.toSorted((a, b) => at(a) - at(b) || a.line - b.line);
  }

  notes(): string[] {
    return this.#left === 0 ? this.#notes : [...this.#notes, `and ${this.#left} more`];
  }
}
