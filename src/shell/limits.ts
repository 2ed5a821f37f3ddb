/** Most that is read of a command line, in characters. */
export const MAX_LINE = 65_536;

/** Scripts within scripts (`sh -c`, `eval`, functions, substitutions) that are followed. */
export const MAX_DEPTH = 40;

/** Most here-documents that are read of a line: the parser's time grows with their square. */
export const MAX_HERE_DOCUMENTS = 256;

/** Longest working directory that is followed, in characters. */
export const MAX_PATH = 4_096;

/** Most words that one brace expansion may make; beyond, the word is not known. */
export const MAX_BRACES = 64;

/** Most rounds that nested loops over known words are followed word by word; beyond, the variable is not known. */
export const MAX_ROUNDS = 64;

/** Most programs that are told of one pipeline. */
export const MAX_FROM = 64;

/** Thrown, and caught by the reader, when no more may be spent: what was found until then stays. */
export class BudgetSpent extends Error {}

/**
 * What reading a line may cost, so that time stays linear in it whatever loops, functions and scripts within
 * scripts it nests. One step is about one word or 32 characters.
 */
export class Budget {
  #left: number;

  constructor(line: string) {
    this.#left = 4_096 + 4 * line.length;
  }

  /** @throws BudgetSpent when it is used up */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new BudgetSpent("its expansion is too large");
  }

  /** Allow a little for a part of the line, when parts before it have used up everything. */
  refill(length: number): void {
    this.#left = Math.max(this.#left, 64 + 4 * length);
  }

  /** Spend for a text that is made or read. */
  spendText(text: string): void {
    this.spend(1 + (text.length >> 5));
  }
}
