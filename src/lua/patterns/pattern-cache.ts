import type { PatternBudget } from "./budget.ts";
import type { ByteSets } from "./byte-sets.ts";
import { compilePattern, type Program } from "./program.ts";

/** Slots of the table by address; a power of two. */
const SLOTS = 512;
/** What a program in that table may weigh, so that its size is bounded, too. */
const SLOT_CAPACITY = 8_000;
/** What the programs that are kept by content may weigh together, in bytes, and each of them. */
const CAPACITY = 4_000_000;
const ENTRY_CAPACITY = 500_000;
/** What an entry takes besides its tables, about. */
const ENTRY_WEIGHT = 500;

/** What compiling does per item, in steps of matching. */
const STEPS_PER_ITEM = 20;

interface Entry {
  readonly program: Program;
  readonly weight: number;
}

/**
 * Compiled patterns by their bytes.
 *
 * Lua keeps one copy of a short string, and a pattern is mostly a literal, so the address says at
 * once which pattern it is likely to be; as strings are collected and addresses used again, the
 * bytes are compared all the same. Behind that is a bounded table by content.
 */
export class PatternCache {
  readonly #slots: (Program | undefined)[] = Array.from({ length: SLOTS });
  readonly #entries = new Map<string, Entry>();
  readonly #anchors: boolean;
  readonly #sets: ByteSets;
  readonly #budget: PatternBudget;
  #weight = 0;

  /** @param anchors whether a leading `^` is an anchor in these patterns */
  constructor(anchors: boolean, sets: ByteSets, budget: PatternBudget) {
    this.#anchors = anchors;
    this.#sets = sets;
    this.#budget = budget;
  }

  /** The program of the pattern of `length` bytes at `pointer`. */
  get(memory: Uint8Array, pointer: number, length: number): Program {
    const slot = (pointer >>> 3) & (SLOTS - 1);
    const likely = this.#slots[slot];
    if (likely !== undefined && isAt(likely.source, memory, pointer, length)) return likely;
    const { program, weight } = this.#find(memory.slice(pointer, pointer + length));
    if (weight <= SLOT_CAPACITY) this.#slots[slot] = program;
    return program;
  }

  #find(source: Uint8Array): Entry {
    const key = Buffer.from(source.buffer).toString("latin1");
    const known = this.#entries.get(key);
    if (known !== undefined) {
      // A map is in the order of insertion: what is at its start was not asked for the longest.
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known;
    }
    const tick = (): void => this.#budget.spend(STEPS_PER_ITEM);
    const program = compilePattern(source, this.#anchors, this.#sets, tick);
    const tables = program.sets.length + program.code.byteLength;
    const entry = { program, weight: ENTRY_WEIGHT + tables + 3 * source.length };
    if (entry.weight <= ENTRY_CAPACITY) this.#keep(key, entry);
    return entry;
  }

  #keep(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#weight += entry.weight;
    for (const [oldest, { weight }] of this.#entries) {
      if (this.#weight <= CAPACITY) break;
      this.#entries.delete(oldest);
      this.#weight -= weight;
    }
  }
}

function isAt(source: Uint8Array, memory: Uint8Array, pointer: number, length: number): boolean {
  if (source.length !== length) return false;
  for (let index = 0; index < length; index++) {
    if (source[index] !== memory[pointer + index]) return false;
  }
  return true;
}
