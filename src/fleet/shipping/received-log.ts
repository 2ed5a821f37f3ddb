import { BrokenLines, ChainVerifier, Findings, NO_HASH } from "../../records/index.ts";
import type { ChainedRecord, DamageKind, Piece, Place, Placed } from "../../records/index.ts";
import type { ErrorCode } from "../../core/index.ts";
import type { BatchHeader, LogName } from "./batch.ts";

/** Something that is wrong with what a receiver has stored. */
export interface ReceivedDamage extends Place {
  readonly code: ErrorCode;
  readonly message: string;
}

/** What was received of one log. */
export interface ReceivedLog {
  /** Undefined for lines without batches. */
  readonly machine: string | undefined;
  readonly log: string | undefined;
  /** Different lines. */
  readonly lines: number;
  /** Lines that came again. */
  readonly duplicates: number;
  readonly first_seq: number | undefined;
  readonly last_seq: number | undefined;
  /** When the last line was written. */
  readonly last_time: string | undefined;
}

/** The error of each kind of damage to a chain. What a receiver got twice is no damage, and not passed on. */
const CODES: Readonly<Record<DamageKind, ErrorCode>> = {
  changed: "ORCS9340",
  missing: "ORCS9341",
  foreign: "ORCS9342",
  // A number that was there, with another content.
  duplicate: "ORCS9342",
  out_of_order: "ORCS9343",
  cut_tail: "ORCS9344",
  not_json: "ORCS9347",
};

/** Checks what was received of one log, in the order of arrival. */
export class ReceivedChain {
  readonly name: Partial<LogName>;
  readonly #report: (damage: ReceivedDamage) => void;
  /** Of this log, since it began. */
  #part: ChainPart;
  /** Of all lines. */
  readonly #hashes = new Set<string>();
  #duplicates = 0;
  #first: Placed | undefined;
  #last: Placed | undefined;

  constructor(name: Partial<LogName>, report: (damage: ReceivedDamage) => void) {
    this.name = name;
    this.#report = report;
    this.#part = new ChainPart(report);
  }

  /** The first line that has arrived. */
  get first(): Placed | undefined {
    return this.#first;
  }

  /** Whether a line with this hash is here. */
  has(hash: string): boolean {
    return this.#hashes.has(hash);
  }

  /** Whether a line is the next one, or here already. */
  fits({ prev, hash }: ChainedRecord): boolean {
    return this.#last?.hash === prev || this.has(hash);
  }

  /** A batch begins. */
  begin(header: BatchHeader, place: Place): void {
    // One that was sent again.
    if (!this.has(header.head)) this.#part.begin(header, place);
  }

  take(record: ChainedRecord, place: Place): void {
    const { seq, hash } = record;
    if (this.#hashes.has(hash)) {
      this.#duplicates++;
      return;
    }
    this.#hashes.add(hash);
    const line = { ...record, ...place, atStart: this.#part.firstSeq === undefined };
    if (seq === 1 && record.prev === NO_HASH && this.#part.firstSeq === 1) this.#restart(line);
    this.#part.take(line);
    this.#first ??= line;
    this.#last = line;
  }

  /** A line that has no valid hash. */
  takeBroken(piece: Piece, place: Place): void {
    const broken = new BrokenLines();
    broken.add(piece, place, 0);
    this.#part.takeBroken(broken);
  }

  /** Call once, at the end. @param isElsewhere whether a line was also received of another log */
  end(isElsewhere: (hash: string) => boolean): void {
    this.#part.end(isElsewhere);
  }

  result(): ReceivedLog {
    return {
      machine: this.name.machine,
      log: this.name.log,
      lines: this.#hashes.size,
      duplicates: this.#duplicates,
      first_seq: this.#first?.seq,
      last_seq: this.#last?.seq,
      last_time: this.#last?.time,
    };
  }

  /** A second first line: all that follows belongs to it. */
  #restart({ file, line }: Placed): void {
    this.#part.end(() => false);
    this.#part = new ChainPart(this.#report);
    const why =
      "line 1 is here a second time, with another content: the log began again, or several machines are mixed";
    this.#report({ code: "ORCS9345", file, line, message: why });
  }
}

/** A chain from its first line. */
class ChainPart {
  readonly #findings = new Findings();
  readonly #verifier = new ChainVerifier(this.#findings, (line) => this.#accept(line));
  readonly #report: (damage: ReceivedDamage) => void;
  /** Lines that have not become part of the chain, by hash. */
  readonly #strays = new Map<string, Placed>();
  /** What a machine could not send: the first number → the number after it. */
  readonly #lost = new Map<number, number>();
  /** The numbers after what was lost that are part of the chain. */
  readonly #afterLost = new Set<number>();
  /** The last lines of batches that were not seen yet, by number. */
  readonly #claims = new Map<number, Place & { readonly hash: string }>();
  #removedThrough = 0;
  #firstSeq: number | undefined;

  constructor(report: (damage: ReceivedDamage) => void) {
    this.#report = report;
  }

  /** The number of the first line; undefined when there is none. */
  get firstSeq(): number | undefined {
    return this.#firstSeq;
  }

  get last(): Placed | undefined {
    return this.#verifier.last;
  }

  begin({ after, first, last, head }: BatchHeader, { file, line }: Place): void {
    if (this.#firstSeq === undefined && after === 0) this.#removedThrough = first - 1;
    else if (first > after + 1) this.#lost.set(after + 1, first);
    this.#claims.set(last, { file, line, hash: head });
  }

  take(line: Placed): void {
    this.#firstSeq ??= line.seq;
    this.#strays.set(line.hash, line);
    this.#verifier.take(line);
  }

  takeBroken(broken: BrokenLines): void {
    this.#verifier.addBroken(broken, false);
  }

  end(isElsewhere: (hash: string) => boolean): void {
    this.#verifier.end(this.#removedThrough);
    const mixed = new Set(
      [...this.#strays.values()].flatMap((line) =>
        isElsewhere(line.hash) ? `${line.file}\n${line.line}` : [],
      ),
    );
    const listed = this.#findings.listed([]);
    for (const { kind, file, line, seq, message } of listed) {
      const isMixed = mixed.has(`${file}\n${line}`);
      const code = this.#isLost(kind, seq) ? "ORCS9348" : isMixed ? "ORCS9346" : CODES[kind];
      this.#report({ code, file, line, message });
    }
    const [unlisted] = listed.slice(-1);
    const more = this.#findings.count - listed.length;
    if (unlisted && more > 0)
      this.#report({ ...unlisted, code: "ORCS9342", message: `and ${more} more of this log` });
    this.#reportCut();
  }

  #accept({ seq, hash, file, line }: Placed): void {
    this.#strays.delete(hash);
    if ([...this.#lost.values()].includes(seq)) this.#afterLost.add(seq);
    const claim = this.#claims.get(seq);
    this.#claims.delete(seq);
    if (!claim || claim.hash === hash) return;
    const why = `line ${seq} is another one than the batch says that ends with it (${claim.file}:${claim.line})`;
    this.#report({ code: "ORCS9342", file, line, message: why });
  }

  #reportCut(): void {
    const lastSeq = this.last?.seq ?? 0;
    const cut = [...this.#claims].filter(([seq]) => seq > lastSeq).sort(([a], [b]) => a - b);
    const [last] = cut.slice(-1);
    if (!last) return;
    const [seq, { file, line }] = last;
    const why = `the batch ends with line ${seq}, and line ${lastSeq} is the last one that is here`;
    this.#report({ code: "ORCS9344", file, line, message: why });
  }

  #isLost(kind: DamageKind, seq: number | undefined): boolean {
    const next = seq === undefined ? undefined : this.#lost.get(seq);
    return kind === "missing" && next !== undefined && this.#afterLost.has(next);
  }
}
