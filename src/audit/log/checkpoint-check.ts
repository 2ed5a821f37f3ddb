import type { Checkpoint } from "./checkpoint.ts";
import type { Findings, Place } from "./findings.ts";
import type { Head } from "./head.ts";
import type { Placed } from "./sequence.ts";

interface Known extends Checkpoint {
  readonly isHead: boolean;
}

/** Whether a log still holds what checkpoints of it say, and the last line that is known of it. */
export class CheckpointCheck {
  readonly #known: readonly Known[];
  readonly #findings: Findings;
  #next = 0;

  constructor(checkpoints: readonly Checkpoint[], head: Head | undefined, findings: Findings) {
    const all = checkpoints.map((checkpoint) => ({ ...checkpoint, isHead: false }));
    if (head) all.push({ ...head, isHead: true });
    this.#known = all.toSorted((a, b) => a.seq - b.seq);
    this.#findings = findings;
  }

  /** A line of the chain; they come in order. */
  take(line: Placed): void {
    for (;;) {
      const known = this.#known[this.#next];
      if (!known || known.seq > line.seq) return;
      this.#next++;
      const { seq, hash, time, isHead } = known;
      const what = isHead ? `the head known of ${time}` : `the checkpoint of ${time}`;
      if (seq < line.seq) {
        this.#findings.note(`line ${seq} is not there: ${what} says nothing`);
      } else if (hash !== line.hash) {
        const why = `line ${seq} is not the one that ${what} was made of`;
        this.#findings.damage("changed", line, seq, why);
      }
    }
  }

  /** The chain ends here. */
  end({ file, line }: Place, lastSeq: number): void {
    const cut = this.#known.filter(({ seq }) => seq > lastSeq);
    const checkpoint = cut.findLast(({ isHead }) => !isHead);
    const head = cut.find(({ isHead }) => isHead);
    const tell = (why: string): void =>
      this.#findings.damage("cut_tail", { file, line }, lastSeq + 1, why);
    if (checkpoint) {
      const { time, seq } = checkpoint;
      tell(`the log ends with line ${lastSeq}; the checkpoint of ${time} was made of line ${seq}`);
    }
    if (head) tell(`the log ends before the last head known (entry ${head.seq} of ${head.time})`);
  }
}
