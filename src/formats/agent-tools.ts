import { setOwn } from "../core/index.ts";
import type { Json, JsonObject } from "../core/index.ts";

/** A tool of an agent: our tool, and its argument keys where they differ from ours. */
export interface AgentTool {
  readonly tool: string;
  readonly keys: Readonly<Record<string, string>>;
}

/**
 * An agent's names of tools. Several may correspond to the same tool of ours: the first is used for a call of ours.
 * Other tools and keys have the same name in both.
 */
export type AgentTools = Readonly<Record<string, AgentTool>>;

/** Our name for a tool of the agent. */
export function ourTool(tools: AgentTools, name: string): string {
  return rowOf(tools, name)?.tool ?? name;
}

/**
 * The agent's name for a tool of ours.
 * @param sent the name that the agent sent with this call, if any
 */
export function agentTool(tools: AgentTools, tool: string, sent?: string): string {
  if (sent !== undefined && rowOf(tools, sent)?.tool === tool) return sent;
  return Object.keys(tools).find((name) => tools[name]?.tool === tool) ?? tool;
}

/**
 * Arguments of a tool of ours in the agent's keys, and the agent's in ours: both directions exchange the same names. A
 * stray key with the other's name takes the free one: if it kept its name, a guard could read it instead of the key that
 * the tool reads.
 */
export function swapKeys(
  tools: AgentTools,
  tool: string,
  from: JsonObject,
  sent?: string,
): JsonObject {
  // The agent's own names are not ours: only a call under our name has our keys.
  const isOurs = Object.values(tools).some((row) => row.tool === tool);
  const row = isOurs ? rowOf(tools, agentTool(tools, tool, sent)) : undefined;
  const pairs = Object.entries(row?.keys ?? {});
  const names = new Map(pairs.flatMap(([a, b]) => [[a, b] as const, [b, a] as const]));
  const swapped: Record<string, Json> = {};
  for (const [key, value] of Object.entries(from)) setOwn(swapped, names.get(key) ?? key, value);
  return swapped;
}

function rowOf(tools: AgentTools, name: string): AgentTool | undefined {
  return Object.hasOwn(tools, name) ? tools[name] : undefined;
}
