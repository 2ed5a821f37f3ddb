import { quotedBeginning } from "./text.ts";
import type { Json } from "./json.ts";
import type { Phase, PointSpec } from "./points.ts";

/** Permission decisions that a result may carry; `deny` becomes an abort. */
export const DECISIONS = ["allow", "ask", "defer"] as const;
export type Decision = (typeof DECISIONS)[number];

/** How a text reaches the model: with the tool's result, or as a user message. */
export const INJECT_STRATEGIES = ["tool_result", "user_message"] as const;

/** Text for the model. For a plain string the coding agent decides where it goes. */
export type Injection =
  | string
  | { readonly content: string; readonly strategy: (typeof INJECT_STRATEGIES)[number] };

/** The text that the model reads. */
export function injectedText(text: Injection): string {
  return typeof text === "string" ? text : text.content;
}

/**
 * What one handler returns; what each does, and where it is legal, is in `ACTIONS`.
 *
 * Source: design.md §4; abort at post points: docs/decisions/0018-deny-at-a-post-point.md.
 */
export type Action =
  | {
      readonly action: "continue";
      readonly decision?: Decision;
      readonly reason?: string;
      /** Text for the model, in order. */
      readonly inject?: readonly Injection[];
      /** Skip the remaining hooks; the operation goes on. */
      readonly stop?: boolean;
    }
  | { readonly action: "skip"; readonly result: Json }
  | { readonly action: "abort"; readonly reason: string }
  | { readonly action: "replace"; readonly result: Json }
  | { readonly action: "retry"; readonly delay_ms: number; readonly reason?: string };

export type ActionName = Action["action"];

/** What the chain does with an action: take it, warn and continue, or count the hook as failed. */
export type Verdict = "legal" | "warn" | "fail";

/** Where an action may be returned; `question` stands for the `on` points that ask. */
type Place = Phase | "question";

/** One row of `ACTIONS`. */
interface ActionSpec {
  readonly at: Readonly<Record<Place, Verdict>>;
  /** The keys of its table; `ctx` stands for the context, which a handler edits in place. */
  readonly keys: readonly string[];
  /** One line for the docs and the Lua definitions. */
  readonly effect: string;
}

/** The actions. The dispatcher, the docs, the Lua definitions and the tests derive from this table. */
export const ACTIONS: Readonly<Record<ActionName, ActionSpec>> = {
  continue: {
    at: { pre: "legal", post: "legal", on: "legal", question: "legal" },
    keys: ["action", "ctx", "decision", "reason", "inject", "stop"],
    effect: "the chain continues; the next hook sees the changes of this one",
  },
  skip: {
    at: { pre: "legal", post: "fail", on: "fail", question: "fail" },
    keys: ["action", "result", "reason"],
    effect: "the operation does not run, and `result` is used as its result; the chain ends",
  },
  abort: {
    at: { pre: "legal", post: "legal", on: "fail", question: "fail" },
    keys: ["action", "reason"],
    effect:
      "the operation is denied with `reason`; at a post point it has already run, and its result is withheld; the chain ends",
  },
  replace: {
    at: { pre: "warn", post: "legal", on: "warn", question: "legal" },
    keys: ["action", "result", "reason"],
    effect: "`result` replaces the result; the chain continues with it",
  },
  retry: {
    at: { pre: "legal", post: "legal", on: "fail", question: "fail" },
    keys: ["action", "delay_ms", "reason"],
    effect:
      "the operation runs again after `delay_ms`, at most `max_retries` times; the chain ends",
  },
};

export const ACTION_NAMES = Object.keys(ACTIONS) as readonly ActionName[];

/** Phase × action: what `ACTIONS` says, by phase. */
export const ACTION_TABLE: Readonly<Record<Place, Readonly<Record<ActionName, Verdict>>>> = {
  pre: verdictsAt("pre"),
  post: verdictsAt("post"),
  on: verdictsAt("on"),
  question: verdictsAt("question"),
};

function verdictsAt(place: Place): Record<ActionName, Verdict> {
  const verdicts = ACTION_NAMES.map((name) => [name, ACTIONS[name].at[place]]);
  return Object.fromEntries(verdicts) as Record<ActionName, Verdict>;
}

/** What the chain does with `action` at `point`. */
export function verdictFor(point: PointSpec, action: ActionName): Verdict {
  return ACTIONS[action].at[point.question ? "question" : point.phase];
}

const BARE_KEYS: readonly string[] = ["decision", "reason", "inject", "stop"];

/** The result of `readAnswer`: an action, or why the returned value is invalid. */
export type ReadAnswer =
  | { readonly ok: true; readonly action: Action }
  | {
      readonly ok: false;
      readonly why: string;
      /** The value is invalid but was meant as a denial, so the operation must be denied. */
      readonly denies?: true;
    };

const CONTINUE: ReadAnswer = { ok: true, action: { action: "continue" } };

/**
 * Parse the result of a handler: undefined (nothing, or the context itself), or an action as an object. Anything else
 * is invalid, and the hook has failed. Only own keys are read.
 *
 * @param answer JSON value, already free of functions and cycles.
 */
export function readAnswer(answer: unknown): ReadAnswer {
  if (answer === undefined) return CONTINUE;
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) {
    return refuse(
      `returned ${describe(answer)}, expected a table with an action; return nil to continue, or orcs.deny(reason) to deny`,
    );
  }
  const own = new Map(Object.entries(answer));
  const read = readTable(own);
  return !read.ok && meansDenial(own) ? { ...read, denies: true } : read;
}

type Own = ReadonlyMap<string, unknown>;

function readTable(own: Own): ReadAnswer {
  const written: unknown = own.get("action");
  if (written === undefined) return readBare(own);
  if (typeof written !== "string" || !Object.hasOwn(ACTIONS, written)) {
    return refuse(
      `returned the unknown action ${describe(written)}, expected one of ${ACTION_NAMES.join(", ")}${meantAction(written)}`,
    );
  }
  const name = written as ActionName;
  const stray = [...own.keys()].find((key) => !ACTIONS[name].keys.includes(key));
  if (stray !== undefined)
    return refuse(`returned ${name} with the unknown key ${quotedBeginning(stray, 60)}`);
  return readAction(name, own);
}

/** How other systems spell a denial, and common wrong spellings. */
const DENIALS: readonly string[] = ["abort", "deny", "denied", "block", "reject", "refuse"];

/** How other systems express that an operation continues. */
const GOES_ON: readonly string[] = ["allow", "approve", "accept", "pass", "ok", "proceed", "next"];

function meantAction(written: unknown): string {
  const word = typeof written === "string" ? written.toLowerCase() : "";
  if (DENIALS.includes(word)) return '; did you mean "abort", or orcs.deny(reason)?';
  return GOES_ON.includes(word) ? '; did you mean "continue", or orcs.allow(reason)?' : "";
}

function meansDenial(own: Own): boolean {
  return ["action", "decision"].some((key) => isDenialWord(own.get(key)));
}

/** Whether a word is meant as a denial, in whatever system. */
export function isDenialWord(word: unknown): boolean {
  return typeof word === "string" && DENIALS.includes(word.toLowerCase());
}

/** A table without `action`: at least one of `BARE_KEYS`, and no other key. */
function readBare(own: Own): ReadAnswer {
  if (own.size === 0) return refuse("returned an empty table; return ctx or nil to continue");
  const stray = [...own.keys()].find((key) => !BARE_KEYS.includes(key));
  if (stray !== undefined) {
    return refuse(
      `returned a table without "action" that has the unknown key ${quotedBeginning(stray, 60)}`,
    );
  }
  return readAction("continue", own);
}

function readAction(name: ActionName, own: Own): ReadAnswer {
  const reason = own.get("reason");
  if (reason !== undefined && typeof reason !== "string") {
    return refuse(`returned ${name} with ${describe(reason)} as reason; expected a string`);
  }
  switch (name) {
    case "skip":
      return { ok: true, action: { action: name, result: (own.get("result") ?? null) as Json } };
    case "replace":
      if (!own.has("result")) return refuse("returned replace without a result");
      return { ok: true, action: { action: name, result: own.get("result") as Json } };
    case "abort":
      return { ok: true, action: { action: name, reason: reason || "no reason given" } };
    case "retry":
      return readRetry(own.get("delay_ms"), reason);
    case "continue":
      return readContinue(own, reason);
  }
}

function readRetry(delay: unknown = 0, reason: string | undefined): ReadAnswer {
  // Node's timers are limited to 31 bits; a longer delay would fire at once.
  if (typeof delay !== "number" || !(delay >= 0 && delay < 2 ** 31)) {
    return refuse(`returned retry with ${describe(delay)} as delay_ms; expected milliseconds >= 0`);
  }
  const because = reason === undefined ? {} : { reason };
  return { ok: true, action: { action: "retry", delay_ms: delay, ...because } };
}

function readContinue(own: Own, reason: string | undefined): ReadAnswer {
  const decision = own.get("decision");
  if (decision === "deny") {
    return { ok: true, action: { action: "abort", reason: reason || "no reason given" } };
  }
  if (decision !== undefined && !DECISIONS.includes(decision as Decision)) {
    return refuse(
      `returned the unknown decision ${describe(decision)}; expected allow, ask, defer or deny`,
    );
  }
  const stop = own.get("stop");
  if (stop !== undefined && typeof stop !== "boolean") {
    return refuse(`returned ${describe(stop)} as stop; expected true or false`);
  }
  const inject = readInject(own.get("inject"));
  if (inject === false) {
    return refuse(
      "returned an invalid inject; expected a string, { content, strategy } or a list of these",
    );
  }
  return {
    ok: true,
    action: {
      action: "continue",
      ...(decision !== undefined && { decision: decision as Decision }),
      ...(reason !== undefined && { reason }),
      ...(inject !== undefined && { inject }),
      ...(stop !== undefined && { stop }),
    },
  };
}

function readInject(inject: unknown): readonly Injection[] | undefined | false {
  if (inject === undefined) return undefined;
  const read = (Array.isArray(inject) ? inject : [inject]).map(readInjection);
  return read.every((injection) => injection !== undefined) ? read : false;
}

/** A string, or `{ content, strategy }`; `content` alone is the same as the string. */
function readInjection(inject: unknown): Injection | undefined {
  if (typeof inject === "string") return inject;
  if (typeof inject !== "object" || inject === null || Array.isArray(inject)) return undefined;
  const { content, strategy, ...stray } = inject as Record<string, unknown>;
  if (typeof content !== "string" || Object.keys(stray).length > 0) return undefined;
  if (strategy === undefined) return content;
  const known = INJECT_STRATEGIES.find((name) => name === strategy);
  return known && { content, strategy: known };
}

function refuse(why: string): ReadAnswer {
  return { ok: false, why };
}

function describe(value: unknown): string {
  if (typeof value === "string") return quotedBeginning(value, 60);
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a table";
  return typeof value === "number" || typeof value === "boolean"
    ? `the ${typeof value} ${String(value)}`
    : `a ${typeof value}`;
}

/** Strength of decisions over a chain: deny > defer > ask > allow > none. */
const STRENGTH: Readonly<Record<Decision, number>> = { allow: 1, ask: 2, defer: 3 };

/** The stronger of two decisions; undefined is none. */
export function strongerDecision(
  a: Decision | undefined,
  b: Decision | undefined,
): Decision | undefined {
  if (a === undefined) return b;
  if (b === undefined) return a;
  return STRENGTH[b] > STRENGTH[a] ? b : a;
}
