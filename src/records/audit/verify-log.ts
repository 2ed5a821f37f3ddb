import { fstatSync, statSync } from "node:fs";
import { join } from "node:path";
import { BrokenLines, ChainVerifier, Findings } from "./chain-verifier.ts";
import type { Damage, Place, Placed } from "./chain-verifier.ts";
import type { Checkpoint } from "./checkpoint.ts";
import type { Head } from "./head.ts";
import { CURRENT, openLogFiles, unreadable } from "./log-files.ts";
import { type Piece, readForwards, recordIn } from "./log-lines.ts";

/** The result of verifying a log. */
export interface VerifyReport {
  /** Whether there is no damage. */
  readonly ok: boolean;
  /** Lines of all files, including broken ones. */
  readonly lines: number;
  readonly files: number;
  /** Of the chain; undefined when it is empty. */
  readonly first_seq: number | undefined;
  readonly last_seq: number | undefined;
  readonly last_hash: string | undefined;
  /** The first 100, in the order of the log. */
  readonly damage: readonly Damage[];
  /** The total number. */
  readonly damage_count: number;
  /** Observations that are not damage: lines cut short by a crash, a clock that went back, … The first 100. */
  readonly notes: readonly string[];
}

/**
 * Read a whole log and check whether each line is unchanged and in its place; continues after damage. Memory does not
 * grow with the log.
 * @param checkpoints read before the log, like the head: the log may grow meanwhile
 * @throws OrcsError ORCS8006 when a file cannot be read
 */
export function verifyLog(
  dir: string,
  checkpoints: readonly Checkpoint[] = [],
  head?: Head,
): VerifyReport {
  const verifier = new Verifier(checkpoints, head);
  verifier.look(dir);
  for (const { name, fd } of openLogFiles(dir)) {
    try {
      verifier.begin(name, fstatSync(fd).mode);
      for (const piece of readForwards(fd)) verifier.take(piece);
      verifier.endFile();
    } catch (thrown) {
      throw unreadable(join(dir, name), thrown);
    }
  }
  return verifier.report();
}

class Verifier {
  readonly #findings = new Findings();
  readonly #sequence = new ChainVerifier(this.#findings, (line) => this.#accept(line));
  readonly #checkpoints: CheckpointCheck;
  readonly #files: string[] = [];
  #place: Place = { file: CURRENT, line: 0 };
  #lines = 0;
  /** Whether the last piece ended its line. */
  #isEnded = true;
  /** The previous line, whether it belongs there or not. */
  #before: Placed | undefined;
  #broken = new BrokenLines();
  #first: Placed | undefined;
  #latest = "";
  #jumps = 0;
  /** The last line that the log says its rotation removed. */
  #removed: { readonly through: number; readonly hash: unknown; readonly by: string } = {
    through: 0,
    hash: undefined,
    by: "",
  };

  constructor(checkpoints: readonly Checkpoint[], head: Head | undefined) {
    this.#checkpoints = new CheckpointCheck(checkpoints, head, this.#findings);
  }

  look(dir: string): void {
    const found = statSync(dir, { throwIfNoEntry: false });
    if (found) this.#noteMode(dir, found.mode);
  }

  begin(file: string, mode: number): void {
    this.#files.push(file);
    this.#place = { file, line: 0 };
    this.#isEnded = true;
    this.#noteMode(file, mode);
  }

  take(piece: Piece): void {
    if (this.#isEnded) {
      this.#lines++;
      const { file, line } = this.#place;
      this.#place = { file, line: line + 1 };
    }
    this.#isEnded = piece.ended;
    const read = recordIn(piece);
    if (!read) {
      this.#broken.add(piece, this.#place, (this.#before?.seq ?? 0) + 1);
      return;
    }
    const atStart = this.#before?.file !== this.#place.file;
    const line = { ...read, ...this.#place, atStart };
    this.#explain(line);
    this.#sequence.take(line);
    this.#before = line;
  }

  /** A broken end of a file may come from a killed process, or from one that is writing. */
  endFile(): void {
    const broken = this.#broken;
    this.#broken = new BrokenLines();
    if (broken.isEmpty) return;
    if (broken.isAllCut) {
      const { file, line } = this.#place;
      const what = `an incomplete line of ${broken.bytes} bytes`;
      this.#findings.note(`${file}:${line}: the file ends with ${what}`);
    } else this.#sequence.addBroken(broken, true);
  }

  report(): VerifyReport {
    const findings = this.#findings;
    this.#sequence.end(this.#removed.through);
    this.#explainRemoved();
    const { last } = this.#sequence;
    this.#checkpoints.end(last ?? this.#place, last?.seq ?? 0);
    if (this.#jumps > 0) {
      const what = "have an earlier time than the line before them (the clock was set back)";
      findings.note(`${this.#jumps} lines ${what}; their numbers give the order`);
    }
    return {
      ok: findings.count === 0,
      lines: this.#lines,
      files: this.#files.length,
      first_seq: this.#first?.seq,
      last_seq: last?.seq,
      last_hash: last?.hash,
      damage: findings.listed(this.#files),
      damage_count: findings.count,
      notes: findings.notes(),
    };
  }

  /** Broken text before a line is not damage if the line explains it, and the explanation is plausible. */
  #explain(line: Placed): void {
    const broken = this.#broken;
    const isRecord = line.record["kind"] === "recovered";
    if (isRecord && !broken.isWhat(line.record)) {
      const why = `the incomplete bytes before line ${line.seq} are not those that the line recorded`;
      this.#findings.damage("changed", line, line.seq, why);
    }
    if (broken.isEmpty) return;
    this.#broken = new BrokenLines();
    if (isRecord && broken.isAllCut && broken.isWhat(line.record)) {
      const what = `${broken.bytes} bytes of an incomplete line precede it, left by a crash`;
      this.#findings.note(`${line.file}:${line.line}: ${what}`);
    } else this.#sequence.addBroken(broken, isRecord);
  }

  #accept(line: Placed): void {
    this.#first ??= line;
    if (line.time < this.#latest) this.#jumps++;
    this.#latest = line.time;
    this.#checkpoints.take(line);
    const { kind, removed_through: through, removed_hash: hash, removed_by: by } = line.record;
    if (kind !== "rotated" || typeof through !== "number") return;
    // Lines of earlier versions do not name the setting.
    if (through <= this.#removed.through) return;
    this.#removed = { through, hash, by: by === "keep_days" || by === "keep_mb" ? by : "keep" };
  }

  /** Reports what the rotation removed by policy, and whether the rest is chained to that. */
  #explainRemoved(): void {
    const first = this.#first;
    const { through, hash, by } = this.#removed;
    if (!first || first.seq === 1 || first.seq > through + 1) return;
    this.#findings.note(`lines 1 to ${first.seq - 1} were removed by the rotation (${by})`);
    if (first.seq <= through || first.prev === hash) return;
    const why = `line ${first.seq} is not chained to the last line that the rotation removed`;
    this.#findings.damage("changed", first, first.seq, why);
  }

  #noteMode(name: string, mode: number): void {
    if ((mode & 0o022) !== 0) this.#findings.note(`${name}: other users can write to it`);
  }
}

interface Known extends Checkpoint {
  readonly isHead: boolean;
}

/** Whether a log still contains its checkpoints and its last known line. */
class CheckpointCheck {
  readonly #known: readonly Known[];
  readonly #findings: Findings;
  #next = 0;

  constructor(checkpoints: readonly Checkpoint[], head: Head | undefined, findings: Findings) {
    const all = checkpoints.map((checkpoint) => ({ ...checkpoint, isHead: false }));
    if (head) all.push({ ...head, isHead: true });
    this.#known = all.toSorted((a, b) => a.seq - b.seq);
    this.#findings = findings;
  }

  /** A line of the chain; lines come in order. */
  take(line: Placed): void {
    for (;;) {
      const known = this.#known[this.#next];
      if (!known || known.seq > line.seq) return;
      this.#next++;
      const { seq, hash, time, isHead } = known;
      const what = isHead ? `the recorded head of ${time}` : `the checkpoint of ${time}`;
      if (seq < line.seq) {
        this.#findings.note(`line ${seq} no longer exists, so ${what} cannot be checked`);
      } else if (hash !== line.hash) {
        const why = `line ${seq} differs from the line stored in ${what}`;
        this.#findings.damage("changed", line, seq, why);
      }
    }
  }

  /** The end of the chain. */
  end({ file, line }: Place, lastSeq: number): void {
    const cut = this.#known.filter(({ seq }) => seq > lastSeq);
    const checkpoint = cut.findLast(({ isHead }) => !isHead);
    const head = cut.find(({ isHead }) => isHead);
    const tell = (why: string): void =>
      this.#findings.damage("cut_tail", { file, line }, lastSeq + 1, why);
    if (checkpoint) {
      const { time, seq } = checkpoint;
      tell(`the log ends with line ${lastSeq}, but the checkpoint of ${time} is of line ${seq}`);
    }
    if (head) tell(`the log ends before the last recorded head (line ${head.seq} of ${head.time})`);
  }
}
