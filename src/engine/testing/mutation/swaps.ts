/** What a mutant changes. */
export type MutantKind =
  | "comparison"
  | "arithmetic"
  | "logic"
  | "condition"
  | "constant"
  | "statement"
  | "answer";

/** Replacements of each binary operator; `..` is not among them, because most of it builds texts. */
export const OPERATOR_SWAPS: Readonly<Record<string, readonly [MutantKind, ...string[]]>> = {
  "==": ["comparison", "~="],
  "~=": ["comparison", "=="],
  "<": ["comparison", "<=", ">="],
  "<=": ["comparison", "<", ">"],
  ">": ["comparison", ">=", "<="],
  ">=": ["comparison", ">", "<"],
  "+": ["arithmetic", "-"],
  "-": ["arithmetic", "+"],
  "*": ["arithmetic", "/"],
  "/": ["arithmetic", "*"],
  "//": ["arithmetic", "*"],
  "%": ["arithmetic", "*"],
  "^": ["arithmetic", "*"],
  "&": ["arithmetic", "|"],
  "|": ["arithmetic", "&"],
  "~": ["arithmetic", "&"],
  "<<": ["arithmetic", ">>"],
  ">>": ["arithmetic", "<<"],
  and: ["logic", "or"],
  or: ["logic", "and"],
};

/** Comparisons that differ only where both sides are equal. */
export const BOUNDARY: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
};

/** What replaces a call of `orcs.deny` and the like; undefined is `nil`, so the hook returns nothing. */
export const ANSWER_SWAPS: Readonly<Record<string, readonly (string | undefined)[]>> = {
  deny: ["ask", undefined],
  ask: ["deny", undefined],
  allow: ["ask", undefined],
};

/** What replaces a text in a result that is written as a table, by its field. */
export const FIELD_SWAPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  action: { abort: "continue", continue: "abort", skip: "continue", retry: "continue" },
  decision: { ask: "allow", allow: "ask", defer: "ask" },
};

/** Keys of a hook that its own tests cannot see, or without which it does not load. */
export const UNSEEN_KEYS: ReadonlySet<string> = new Set([
  "id",
  "description",
  "point",
  "priority",
  "timeout_ms",
  "enabled",
  "tests",
]);

/** Keys of tables whose texts are for people. */
export const WORDING_KEYS: ReadonlySet<string> = new Set([
  "reason",
  "message",
  "what",
  "why",
  "because",
  "instead",
  "hint",
  "description",
  "about",
  "title",
]);

/** Functions whose arguments are for people: their texts are not changed, and calls for the log are not removed. */
export const LOGGING: ReadonlySet<string> = new Set(["print", "warn", "orcs.log"]);
export const SPEAKING: ReadonlySet<string> = new Set([
  ...LOGGING,
  "error",
  "assert",
  "orcs.deny",
  "orcs.ask",
  "orcs.allow",
]);

/** Words that a sentence has and a list of names has not. */
export const SENTENCE_WORD =
  /(?:^|\s)(?:the|an?|is|are|was|has|that|which|what|may|can|cannot|not|its|their|of|with|only|before|because|and|or|it|them|to)\s/i;
