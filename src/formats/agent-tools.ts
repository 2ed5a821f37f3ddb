import { equalJson, getOwn, setOwn } from "../core/index.ts";
import type { AgentTool, AgentTools, Json, JsonObject } from "../core/index.ts";

/** Our name for a tool of the agent. */
export function ourTool(tools: AgentTools, name: string): string {
  return getOwn(tools, name)?.tool ?? name;
}

/**
 * The agent's name for a tool of ours.
 * @param sent the name that the agent sent with this call, if any
 */
export function agentTool(tools: AgentTools, tool: string, sent?: string): string {
  if (sent !== undefined && getOwn(tools, sent)?.tool === tool) return sent;
  return agentNames(tools, tool)[0] ?? tool;
}

/** All names of a tool of ours in the agent. */
export function agentNames(tools: AgentTools, tool: string): string[] {
  return Object.keys(tools).filter((name) => tools[name]?.tool === tool);
}

/** The spellings of the keys of a tool of ours. The agent's own names are not ours: only ours has our keys. */
export function keysOf(tools: AgentTools, tool: string, sent?: string): AgentTool["keys"] {
  const row = getOwn(tools, agentTool(tools, tool, sent));
  return row?.tool === tool ? row.keys : {};
}

/** Input that an agent accepts, or the change that it cannot accept. */
export type Rewritten<Input extends Json> =
  | { readonly ok: true; readonly input: Input }
  | { readonly ok: false; readonly why: string };

/**
 * The new text of a call of which the agent accepts only one text: a change that it would ignore must not look accepted.
 * @param expected the arguments with a new text. The files follow from a patch: a hook that changed it may have updated
 *   them
 * @param of what the call is, for the reason
 */
export function rewrittenText(
  key: string,
  before: JsonObject,
  after: JsonObject,
  expected: (text: string) => JsonObject,
  of: string,
): Rewritten<string> {
  const text = getOwn(after, key);
  if (typeof text !== "string") return { ok: false, why: `${key}, which is no longer a string` };
  const wanted = expected(text);
  const strays = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (each) =>
      !equalJson(getOwn(before, each), getOwn(after, each)) &&
      !equalJson(getOwn(wanted, each), getOwn(after, each)),
  );
  return strays.length > 0
    ? { ok: false, why: `${strays.join(", ")} of ${of}` }
    : { ok: true, input: text };
}

/** Whether a key says something: agents also send empty texts and null. */
export function isGiven(input: JsonObject, key: string): boolean {
  return (getOwn(input, key) ?? "") !== "";
}

/**
 * Arguments of a tool of ours in the agent's keys, and the agent's in ours: both directions exchange the same names. A
 * stray key with the other's name takes the free one: if it kept its name, a guard could read it instead of the key
 * that the tool reads.
 * @param input as the agent sent it, whose spellings are kept
 */
export function swapKeys(
  tools: AgentTools,
  tool: string,
  from: JsonObject,
  sent?: string,
  input: JsonObject = {},
): JsonObject {
  const names = new Map<string, string>();
  for (const [ours, known] of Object.entries(keysOf(tools, tool, sent))) {
    const theirs = known.find((key) => isGiven(input, key)) ?? known[0] ?? ours;
    names.set(ours, theirs).set(theirs, ours);
  }
  const swapped: Record<string, Json> = {};
  for (const [key, value] of Object.entries(from)) setOwn(swapped, names.get(key) ?? key, value);
  return swapped;
}
