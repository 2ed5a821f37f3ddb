import { createHash } from "node:crypto";
import type { Hash } from "node:crypto";
import { isCutShort, readLine } from "./line.ts";
import type { BrokenLine } from "./line.ts";
import type { Place } from "./findings.ts";
import type { Piece } from "./pieces.ts";

/** A line that is none of the log by itself. */
export type BrokenAt = BrokenLine & Place;

/** More of them in a row are counted, not listed. */
const MAX_LISTED = 1000;

/** Lines that say no hash of their own, one below the other. */
export class BrokenLines {
  readonly lines: BrokenAt[] = [];
  /** How many there are beyond those that are listed. */
  unlisted = 0;
  #sum: Hash = createHash("sha256");
  #bytes = 0;
  #isAllCut = true;
  #isWithin = false;
  #isEnded = false;

  get isEmpty(): boolean {
    return this.#bytes === 0 && !this.#isEnded;
  }

  /** Whether each is what stays of a line whose writing ended too early. */
  get isAllCut(): boolean {
    return this.#isAllCut;
  }

  /** How many bytes they are, without the last newline. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * @param seq of the line that could have been meant to stand here
   */
  add({ bytes, ended, whole }: Piece, place: Place, seq: number): void {
    if (this.#isEnded) this.#count(Buffer.from("\n"));
    this.#count(bytes);
    this.#isAllCut &&= whole && isCutShort(bytes, seq);
    if (!this.#isWithin) this.#list(bytes, whole, place);
    this.#isWithin = !whole && !ended;
    this.#isEnded = ended;
  }

  /** Whether they are what a record of kind `recovered` says. */
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
