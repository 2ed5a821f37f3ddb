/**
 * The instructions of a program: four numbers each, the operation and up to three operands.
 * `set` is an offset into `Program.sets`; `first` is the set of bytes that what follows may
 * start with. matcher.ts writes the numbers out, a switch over literals is what is fast.
 */
export const OP = {
  /** The pattern has matched. */
  matched: 0,
  /** byte */
  byte: 1,
  /** set */
  set: 2,
  /** Any byte. */
  any: 3,
  /** offset in literals, length; never longer than the distance of two `spend`. */
  literal: 4,
  /** The subject ends here. */
  end: 5,
  /** capture */
  open: 6,
  /** capture */
  close: 7,
  /** set, first, least count: as many as possible, then fewer. */
  greedy: 8,
  /** set, -, least count: as many as there are; fewer cannot succeed. */
  possessive: 9,
  /** set, first: as few as possible, then more. */
  lazy: 10,
  /** set: one or none. */
  optional: 11,
  /** set: one if there is one; none cannot succeed then. */
  optional_possessive: 12,
  /** capture */
  back_reference: 13,
  /** opening byte, closing byte */
  balance: 14,
  /** set */
  frontier: 15,
  /** Nothing matches. */
  never: 16,
  /** What is wrong with the pattern here, `Program.mistake`, is raised. */
  mistake: 17,
  /** count: pays for a long run of instructions without a branch. */
  spend: 18,
  /** Recursion depth grows by one, as Lua's does at captures; only in programs that may get too deep. */
  deeper: 19,
  /** first: any bytes, as few as possible. The commonest lazy item by far. */
  lazy_any: 20,
} as const;
