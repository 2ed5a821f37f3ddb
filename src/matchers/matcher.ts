import { OrcsError } from "../core/errors.ts";
import { MATCH_KEYS } from "../core/hook.ts";
import type { MatchSpec, PayloadMatcher } from "../core/hook.ts";
import { nearest } from "../core/nearest.ts";
import { pathCondition } from "./path.ts";
import type { PathOptions } from "./path.ts";
import { compileRegex } from "./regex.ts";
import { toolNames, toolRegex } from "./tool-name.ts";

type MatchKey = (typeof MATCH_KEYS)[number];
type Payload = Readonly<Record<string, unknown>>;
type Condition = (payload: Payload) => boolean;

/**
 * Compile the conditions of a hook on its payload; all must hold. One on something that the payload lacks,
 * or has in another type, does not hold. Only a payload whose own getters throw makes it throw: then the
 * hook has failed, for a guard that cannot look must not be passed.
 *
 * @param options the working directory of payloads that name none, and how to see through links in it
 * @returns undefined when there are no conditions.
 * @throws OrcsError ORCS1012 with `{ key, pattern }` for a pattern that is not valid, ORCS1003 with `{ key }`
 *   for a condition that does not exist.
 */
export function compileMatcher(spec: MatchSpec, options: PathOptions): PayloadMatcher | undefined {
  requireKnown(spec);
  const conditions: [MatchKey, Condition][] = [];
  for (const key of MATCH_KEYS) {
    const pattern: unknown = spec[key];
    if (pattern === undefined) continue;
    if (typeof pattern !== "string") {
      const why = `match.${key} is ${pattern === null ? "null" : typeof pattern}, not a string`;
      throw new OrcsError("ORCS1012", why, { key, pattern });
    }
    conditions.push([key, COMPILE[key](pattern, options)]);
  }
  const [only] = conditions;
  if (!only) return undefined;
  if (conditions.length === 1) {
    // The usual case, and a chain asks it of every hook that it passes over.
    const [key, holds] = only;
    return { failing: (payload) => (holds(payload) ? undefined : key) };
  }
  return { failing: (payload) => firstFailing(conditions, payload) };
}

/** How each condition is compiled. */
const COMPILE: Readonly<Record<MatchKey, (pattern: string, options: PathOptions) => Condition>> = {
  tool: (pattern) => onToolName(toolNames(pattern)),
  tool_regex: (pattern) => onToolName(toolRegex(pattern)),
  path: (pattern, options) => {
    const holds = pathCondition(pattern, options);
    return (payload) => {
      const args = payload["args"];
      return isRecord(args) && holds(args, payload["cwd"]);
    };
  },
  command: (pattern) => {
    const regex = compileRegex("command", pattern);
    return (payload) => commandsOf(payload).some((command) => regex.test(command));
  },
  session: (id) => (payload) => payload["session_id"] === id,
  agent: (id) => (payload) => payload["agent_id"] === id,
};

function requireKnown(spec: MatchSpec): void {
  const keys: readonly string[] = MATCH_KEYS;
  const stray = Object.keys(spec).find((key) => !keys.includes(key));
  if (stray === undefined) return;
  const meant = nearest(stray, keys);
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  throw new OrcsError("ORCS1003", `unknown key ${JSON.stringify(stray)} in match${hint}`, {
    key: stray,
  });
}

function firstFailing(
  conditions: readonly (readonly [MatchKey, Condition])[],
  payload: Payload,
): MatchKey | undefined {
  for (const [key, holds] of conditions) {
    if (!holds(payload)) return key;
  }
  return undefined;
}

/** The tool's name here, or its name at the foreign host that called: either may match. */
function onToolName(matches: (name: string) => boolean): Condition {
  return (payload) => {
    const name = payload["tool_name"] ?? payload["tool"];
    if (typeof name === "string" && matches(name)) return true;
    const host = payload["host"];
    if (!isRecord(host)) return false;
    const foreign = host["tool_name"];
    return typeof foreign === "string" && matches(foreign);
  };
}

/** The command of a tool call, words joined by a space, and that of a point that is about a command. */
function commandsOf(payload: Payload): string[] {
  const args = payload["args"];
  const written = [isRecord(args) ? args["command"] : undefined, payload["command"]];
  return written.map(commandText).filter((command) => command !== undefined);
}

function commandText(command: unknown): string | undefined {
  if (typeof command === "string") return command;
  const words = Array.isArray(command) && command.every((word) => typeof word === "string");
  return words ? command.join(" ") : undefined;
}

function isRecord(value: unknown): value is Payload {
  return typeof value === "object" && value !== null;
}
