import {
  EFFECT_CONDITIONS,
  effectTexts,
  MATCH_KEYS,
  MATCH_OPTIONS,
  nearest,
  OrcsError,
  ourToolName,
  shownUnder,
  SOURCE_KEYS,
  suggestion,
  UNSURE_MATCHES,
} from "../core/index.ts";
import type {
  CallEffects,
  EffectReader,
  MatchSpec,
  Mismatch,
  PayloadMatcher,
  ShellReader,
  Unread,
  UnsureMatch,
} from "../core/index.ts";
import type { EffectCondition, Payload } from "./effects.ts";
import { effectCondition } from "./effects.ts";
import { compileNameGlob } from "./patterns/glob.ts";
import type { Regex } from "./patterns/regex.ts";
import { compileRegex, patternError } from "./patterns/regex.ts";
import { commandLine, compileRuns } from "./shell/shell.ts";
import type { PathOptions } from "./path.ts";
import { pathArguments, pathCondition } from "./path.ts";

type MatchKey = (typeof MATCH_KEYS)[number];
type Condition = (payload: Payload) => boolean | Unread;

/** What conditions depend on besides the payload. */
export interface MatchDeps extends PathOptions {
  /** Reads command lines, for `runs`, and what calls do, for `writes` and the like. */
  readonly effects: EffectReader;
}

/**
 * Compile the conditions of a hook on its payload; all must be true. A condition on a missing or differently typed
 * value is false. A value that hooks cannot read (an accessor, a promise) throws: then the hook fails, because a guard
 * that cannot look must not be skipped.
 * @param around working directory of payloads that name none, how to resolve links in it, and a shell reader
 * @returns undefined when there are no conditions
 * @throws OrcsError ORCS1012 with `{ key, pattern }` for an invalid pattern, ORCS1003 with `{ key }` for an unknown
 * condition
 */
export function compileMatcher(spec: MatchSpec, around: MatchDeps): PayloadMatcher | undefined {
  requireKnown(spec);
  const conditions: [MatchKey, Condition][] = [];
  let tools: readonly string[] | undefined;
  const effects = (payload: Payload): CallEffects => around.effects.ofCall(payload);
  const conditionOf = (key: MatchKey, pattern: unknown): Condition => {
    if (key === "runs") return onCommands(textsOf(key, pattern), around.effects.shell);
    if (isEffectKey(key)) {
      const holds = effectCondition(key, textsOf(key, pattern), unsureOf(spec), around);
      return (payload) => holds(payload, effects(payload));
    }
    if (key !== "tool") return COMPILE[key](textOf(key, pattern), around);
    const names = toolNames(textOf(key, pattern));
    tools = names.exact;
    return onToolName(names.matches);
  };
  for (const key of MATCH_KEYS) {
    const pattern: unknown = spec[key];
    if (pattern === undefined) continue;
    conditions.push([key, conditionOf(key, pattern)]);
  }
  const [only] = conditions;
  unsureOf(spec);
  if (!only) return undefined;
  const asked = conditions.some(([key]) => isEffectKey(key)) && { effects };
  if (conditions.length === 1) {
    // The usual case, and a chain tests every hook that it skips.
    const [key, holds] = only;
    return {
      tools,
      ...asked,
      failing: (payload) => {
        const held = holds(payload);
        return held === true ? undefined : held || key;
      },
    };
  }
  return { tools, ...asked, failing: (payload) => firstFailing(conditions, payload) };
}

/**
 * The pattern of a false condition, and the payload's value.
 * @param effects what the call does, for a condition on that
 */
export function mismatchOf(
  spec: MatchSpec,
  key: MatchKey,
  payload: Payload,
  effects?: (payload: Payload) => CallEffects,
): Mismatch {
  const pattern = spec[key];
  const value = isEffectKey(key)
    ? effects && done(effects(payload), payload["cwd"])
    : VALUES[key](payload);
  const meant =
    key === "tool" && typeof value === "string" && typeof pattern === "string"
      ? nearest(value, toolNames(pattern).exact ?? [])
      : undefined;
  return {
    pattern,
    ...(value !== undefined && { value }),
    ...(meant !== undefined && { nearest: meant }),
  };
}

/** What a call does; undefined for nothing. */
function done(called: CallEffects, cwd: unknown): unknown {
  const texts = effectTexts(called, typeof cwd === "string" ? cwd : undefined);
  return texts.length > 1 ? texts : texts[0];
}

function isEffectKey(key: MatchKey): key is EffectCondition {
  return Object.hasOwn(EFFECT_CONDITIONS, key);
}

/** @throws OrcsError ORCS1012 with `{ key, pattern }` */
function unsureOf({ unsure = "ask" }: MatchSpec): UnsureMatch {
  if (UNSURE_MATCHES.includes(unsure)) return unsure;
  const what = UNSURE_MATCHES.map((each) => JSON.stringify(each)).join(", ");
  throw new OrcsError("ORCS1012", `match.unsure must be one of ${what}`, {
    key: "unsure",
    pattern: unsure,
  });
}

/** The part of a payload that a condition tests. */
const VALUES: Readonly<Record<Exclude<MatchKey, EffectCondition>, (payload: Payload) => unknown>> =
  {
    tool: ownToolName,
    tool_regex: ownToolName,
    command: commandIn,
    runs: commandIn,
    path: ({ args }) => (isRecord(args) ? pathArguments(args) : undefined),
    session: ({ session_id }) => session_id,
    agent: ({ agent_id }) => agent_id,
    event: ({ event }) => event,
    source: (payload) => sourcesIn(payload)[0],
  };

function commandIn(payload: Payload): unknown {
  const commands = commandsOf(payload);
  return commands.length > 1 ? commands : commands[0];
}

/** How each condition with a single text is compiled. */
const COMPILE: Readonly<
  Record<
    Exclude<MatchKey, "runs" | "tool" | EffectCondition>,
    (pattern: string, options: PathOptions) => Condition
  >
> = {
  tool_regex: (pattern) => onToolName(toolRegex(pattern)),
  path: (pattern, options) => {
    const holds = pathCondition(pattern, options);
    return (payload) => {
      const args = payload["args"];
      if (isRecord(args) && holds(args, payload["cwd"])) return true;
      const why = payload["unread"];
      // It may be about any file.
      return typeof why === "string" && { why, isMatch: false };
    };
  },
  command: (pattern) => {
    const regex = compileRegex("command", pattern);
    return (payload) =>
      commandsOf(payload).some((command) => {
        const text = typeof command === "string" ? command : command.join(" ");
        return regex.test(text);
      });
  },
  session: (id) => (payload) => payload["session_id"] === id,
  agent: (id) => (payload) => payload["agent_id"] === id,
  event: (pattern) => {
    const names = namesIn("event", pattern);
    return ({ event }) => typeof event === "string" && names.includes(event);
  },
  source: (pattern) => {
    const { matches } = toolNames(pattern, "source");
    return (payload) => sourcesIn(payload).some(matches);
  },
};

function requireKnown(spec: MatchSpec): void {
  const keys: readonly string[] = [...MATCH_KEYS, ...MATCH_OPTIONS];
  const stray = Object.keys(spec).find((key) => !keys.includes(key));
  if (stray === undefined) return;
  const hint = suggestion(stray, keys);
  throw new OrcsError("ORCS1003", `unknown key ${JSON.stringify(stray)} in match${hint}`, {
    key: stray,
  });
}

function firstFailing(
  conditions: readonly (readonly [MatchKey, Condition])[],
  payload: Payload,
): MatchKey | Unread | undefined {
  let unread: Unread | undefined;
  for (const [key, holds] of conditions) {
    const held = holds(payload);
    if (held === false) return key;
    // What is least sure counts.
    if (held !== true && (!unread || rankOf(held) < rankOf(unread))) unread = held;
  }
  return unread;
}

function rankOf({ asks, isMatch }: Unread): number {
  return asks ? 0 : isMatch ? 2 : 1;
}

/** The tool's name here, or its name in the coding agent: either may match. */
function onToolName(matches: (name: string) => boolean): Condition {
  return (payload) => {
    const name = ownToolName(payload);
    if (typeof name === "string" && matches(name)) return true;
    const foreign = foreignToolName(payload);
    if (typeof foreign === "string" && matches(foreign)) return true;
    const ours = ourToolName(name, payload["args"]);
    return ours !== undefined && matches(ours);
  };
}

/** All names of the tool of a call: as it came in, the coding agent's, and ours. */
export function toolNamesOf(payload: Payload): readonly string[] {
  const own = ownToolName(payload);
  const names = [own, foreignToolName(payload), ourToolName(own, payload["args"])];
  return names.filter((name) => typeof name === "string");
}

/** The tool's name in a payload. */
export function ownToolName(payload: Payload): unknown {
  return payload["tool_name"] ?? payload["tool"];
}

/** The tool's name in the coding agent, in a payload that an agent's protocol has read. */
export function foreignToolName(payload: Payload): unknown {
  const host = payload["host"];
  return isRecord(host) ? host["tool_name"] : undefined;
}

/** What caused an event, or whose it is. */
function sourcesIn(payload: Payload): readonly string[] {
  const host = payload["host"];
  return [payload, isRecord(host) ? host : {}].flatMap((from) =>
    SOURCE_KEYS.map((key) => from[key]).filter((value) => typeof value === "string"),
  );
}

/** An unreadable line may run anything: the condition is true, and marked as unreadable. */
function onCommands(patterns: readonly string[], shell: ShellReader): Condition {
  const holds = compileRuns(patterns);
  return (payload) => {
    const readings = commandsOf(payload).map((command) => shell.read(commandLine(command)));
    const isMatch = readings.some(({ commands, unread }) => holds(commands, unread));
    const why = readings.find(({ unread }) => unread !== undefined)?.unread;
    return why === undefined ? isMatch : { why, isMatch };
  };
}

/** The command of a tool call, and of a point about a command: a line, or a list of words. */
function commandsOf(payload: Payload): (string | readonly string[])[] {
  const args = payload["args"];
  const commands: (string | readonly string[])[] = [];
  for (const holder of [isRecord(args) ? args : {}, payload]) {
    const command = shownUnder(holder, "command");
    if (typeof command === "string") commands.push(command);
    else if (Array.isArray(command)) {
      const words = command.map((_, i) => shownUnder(command, i));
      if (words.every((word) => typeof word === "string")) commands.push(words);
    }
  }
  return commands;
}

function textOf(key: MatchKey, pattern: unknown): string {
  if (typeof pattern === "string") return pattern;
  throw notText(key, pattern, `a string, got ${typeName(pattern)}`);
}

/** A single text is a list of one. */
function textsOf(key: MatchKey, pattern: unknown): readonly string[] {
  if (typeof pattern === "string") return [pattern];
  if (!Array.isArray(pattern)) {
    throw notText(key, pattern, `a list of strings, got ${typeName(pattern)}`);
  }
  return pattern.map((each: unknown) => {
    if (typeof each === "string") return each;
    throw notText(key, pattern, `a list of strings; it contains ${typeName(each)}`);
  });
}

function notText(key: MatchKey, pattern: unknown, what: string): OrcsError {
  return new OrcsError("ORCS1012", `match.${key} must be ${what}`, { key, pattern });
}

function typeName(value: unknown): string {
  return value === null ? "null" : typeof value;
}

export function isRecord(value: unknown): value is Payload {
  return typeof value === "object" && value !== null;
}

type NamesKey = "tool" | "event" | "source";

/** Maximum number of cached results per pattern, and of characters of a cached name. */
const MAX_KEPT = 256;
const MAX_KEPT_NAME = 256;

/**
 * Names separated by `|`.
 * @throws OrcsError ORCS1012 with `{ key, pattern }`
 */
function namesIn(key: NamesKey, pattern: string): readonly string[] {
  const names = pattern.split("|").map((name) => name.trim());
  if (names.includes("")) throw patternError(key, pattern, "there is an empty name between '|'");
  return names;
}

/** A compiled pattern of tool names. */
interface ToolNames {
  readonly matches: (name: string) => boolean;
  /** All matching names, without duplicates; undefined when there are globs among them. */
  readonly exact: readonly string[] | undefined;
}

/**
 * Names separated by `|`, each exact or a glob over the whole name: `exec|Bash|mcp__*`. Case-sensitive.
 * @throws OrcsError ORCS1012 with `{ key: "tool", pattern }`
 */
function toolNames(pattern: string, key: NamesKey = "tool"): ToolNames {
  const names = namesIn(key, pattern);
  const globs = names.filter(isGlob).map((name) => compileNameGlob(key, name, pattern));
  const exact = new Set(globs.length === 0 ? names : names.filter((name) => !isGlob(name)));
  if (globs.length > 0) {
    const test = (name: string): boolean =>
      exact.has(name) || globs.some((glob) => glob.test(name));
    return { matches: keepingVerdicts(test), exact: undefined };
  }
  const [first, second] = exact;
  // A chain tests each hook that it skips: most name a tool or two.
  const matches =
    exact.size <= 2
      ? (name: string) => name === first || name === second
      : (name: string) => exact.has(name);
  return { matches, exact: [...exact] };
}

/** Whether a tool with a name alone matches. */
export function toolMatcher({ tool, tool_regex }: MatchSpec): (name: string) => boolean {
  const tests = [
    ...(tool === undefined ? [] : [toolNames(tool).matches]),
    ...(tool_regex === undefined ? [] : [toolRegex(tool_regex)]),
  ];
  return (name) => tests.every((matches) => matches(name));
}

/**
 * A regular expression that matches anywhere in the tool's name.
 * @throws OrcsError ORCS1012 with `{ key: "tool_regex", pattern }`
 */
function toolRegex(pattern: string): (name: string) => boolean {
  const regex: Regex = compileRegex("tool_regex", pattern);
  return keepingVerdicts((name) => regex.test(name));
}

function isGlob(name: string): boolean {
  return /[*?[\\]/.test(name);
}

/** Tool names repeat: a lookup costs a tenth of a match. */
function keepingVerdicts(test: (name: string) => boolean): (name: string) => boolean {
  const kept = new Map<string, boolean>();
  return (name) => {
    const known = kept.get(name);
    if (known !== undefined) return known;
    const verdict = test(name);
    if (name.length > MAX_KEPT_NAME) return verdict;
    // More names than any agent has: clear it, so that made-up names cannot fill the memory.
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(name, verdict);
    return verdict;
  };
}
