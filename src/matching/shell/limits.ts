/** Maximum length of a command line that is read, in characters. */
export const MAX_LINE = 65_536;

/** Maximum nesting of scripts (`sh -c`, `eval`, functions, substitutions). */
export const MAX_DEPTH = 40;

/** Maximum number of here-documents in a line: the parser's time grows with their square. */
export const MAX_HERE_DOCUMENTS = 256;

/** Maximum number of iterations of nested loops over known words; beyond it, the variable is unknown. */
export const MAX_ROUNDS = 64;

/** Maximum number of programs listed for one pipeline. */
export const MAX_FROM = 64;

/** Maximum nesting of brackets: the parser's time grows with its square. */
export const MAX_BRACKETS = 512;

/** Maximum number of steps for a line: they take less than 50 ms. */
const MAX_STEPS = 16_384;

/** What a command takes besides its words, in steps. */
export const COMMAND_STEPS = 8;

/** Thrown when the budget is used up, and caught by the reader: results until then are kept. */
export class BudgetSpent extends Error {}

/**
 * Limits the cost of reading a line, so that time stays linear in its length whatever loops, functions and nested
 * scripts it has. One step is about one word or 32 characters.
 */
export class Budget {
  #left: number;
  /** What all refills together may add. */
  #spare = MAX_STEPS >> 2;

  constructor(line: string) {
    this.#left = Math.min(4_096 + 4 * line.length, MAX_STEPS);
  }

  /** @throws BudgetSpent when it is used up */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new BudgetSpent("its expansion is too large");
  }

  /**
   * Allow a small amount for a part of the line when earlier parts have used up everything.
   * @returns whether something is left
   */
  refill(length: number): boolean {
    const more = Math.min(64 + 4 * length - this.#left, this.#spare);
    if (more > 0) {
      this.#spare -= more;
      this.#left += more;
    }
    return this.#left > 0;
  }

  /** Spend for a text that is created or read. */
  spendText(text: string): void {
    this.spend(1 + (text.length >> 5));
  }
}
