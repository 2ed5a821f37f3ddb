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
const MAX_LISTED = 100;

/** The findings, up to the limit. */
export class Findings {
  readonly #damage: Damage[] = [];
  readonly #notes: string[] = [];
  #damages = 0;
  #left = 0;

  damage(kind: DamageKind, { file, line }: Place, seq: number | undefined, message: string): void {
    this.#damages++;
    if (this.#damage.length === MAX_LISTED) return;
    this.#damage.push({ file, line, kind, ...(seq !== undefined && { seq }), message });
  }

  note(text: string): void {
    if (this.#notes.length < MAX_LISTED) this.#notes.push(text);
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
