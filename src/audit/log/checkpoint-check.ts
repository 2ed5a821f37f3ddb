import type { Checkpoint } from "./checkpoint.ts";
import type { Findings, Place } from "./findings.ts";
import type { Placed } from "./sequence.ts";

/** Whether a log still holds what checkpoints of it say. */
export class CheckpointCheck {
  readonly #checkpoints: readonly Checkpoint[];
  readonly #findings: Findings;
  #next = 0;

  constructor(checkpoints: readonly Checkpoint[], findings: Findings) {
    this.#checkpoints = checkpoints.toSorted((a, b) => a.seq - b.seq);
    this.#findings = findings;
  }

  /** A line of the chain; they come in order. */
  take(line: Placed): void {
    for (;;) {
      const checkpoint = this.#checkpoints[this.#next];
      if (!checkpoint || checkpoint.seq > line.seq) return;
      this.#next++;
      const { seq, hash, time } = checkpoint;
      if (seq < line.seq) {
        this.#findings.note(`line ${seq} is not there: the checkpoint of ${time} says nothing`);
      } else if (hash !== line.hash) {
        const why = `line ${seq} is not the one that the checkpoint of ${time} was made of`;
        this.#findings.damage("changed", line, seq, why);
      }
    }
  }

  /** The chain ends here. */
  end({ file, line }: Place, lastSeq: number): void {
    const last = this.#checkpoints.at(-1);
    if (!last || last.seq <= lastSeq) return;
    const why = `the log ends with line ${lastSeq}; the checkpoint of ${last.time} was made of line ${last.seq}`;
    this.#findings.damage("cut_tail", { file, line }, lastSeq + 1, why);
  }
}
