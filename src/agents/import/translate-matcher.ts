import { AGENT_TOOLS, isPlainObject, type HostName, type PointName } from "../../core/index.ts";
import { HOSTS, type TranslatedMatcher } from "../../formats/index.ts";

/** Points about a tool, where matchers are compared with its name. */
const TOOL_POINTS: readonly PointName[] = [
  "tool.pre_execute",
  "tool.post_execute",
  "tool.on_failure",
  "auth.pre_check",
];

/**
 * The conditions of a hook by its agent's own rules: names, a pattern that matches anywhere, or everything. Tools keep
 * the agent's names, which conditions match as well. Source: protocols.md §1 to §4.
 */
export function translateMatcher(
  host: HostName,
  event: string,
  point: PointName,
  matcher: unknown,
): TranslatedMatcher {
  // Types of Cursor have an object, its documentation a pattern.
  const isObject = isPlainObject(matcher);
  const own = TOOL_POINTS.includes(point) ? "tool_name" : "subagent_type";
  const pattern = isObject ? matcher[own] : matcher;
  const strays = isObject ? Object.keys(matcher).filter((key) => key !== own) : [];
  if (strays.length > 0)
    return { reason: `orcs has no condition for ${strays.join(", ")} of its matcher` };
  const rules = HOSTS[host].settings.matchers;
  const part = rules.parts?.[event];
  if (part?.reason !== undefined) return { reason: part.reason };
  const match = part?.tool === undefined ? {} : { tool: part.tool };
  if (pattern === undefined || pattern === "" || pattern === "*") return { match };
  if (rules.ignoredAt?.includes(event)) return { match };
  if (typeof pattern !== "string") return { reason: "its matcher is no text" };
  if (part?.matches === "command") return { match: { ...match, command: pattern } };
  if (part) {
    return {
      reason: `orcs has no condition for the value that the matcher ${JSON.stringify(pattern)} is compared with`,
    };
  }
  if (!TOOL_POINTS.includes(point)) return sourceOf(pattern);
  return rules.translate(pattern, AGENT_TOOLS[host]);
}

/** The condition for values of an event: names, also as a regular expression that only lists them. */
function sourceOf(pattern: string): TranslatedMatcher {
  const listed = pattern.replace(/^\^?\(?(?:\?:)?([^()]*)\)?\$?$/, "$1").replaceAll(".*", "*");
  const names = listed.split(/[|,]/).map((name) => name.trim());
  return names.every((name) => /^[\w\- :.@/*]+$/.test(name))
    ? { match: { source: names.join("|") } }
    : { reason: `orcs has no condition for values that match ${JSON.stringify(pattern)}` };
}
