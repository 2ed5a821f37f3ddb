import { getOwn, setOwn } from "../core/index.ts";
import type { Json, JsonObject } from "../core/index.ts";

/** Our keys of a tool's arguments, and an agent's spellings of each, the usual one first. */
export type Spellings = Readonly<Record<string, readonly string[]>>;

/** Whether a key says something: agents also send empty texts and null. */
export function isGiven(input: JsonObject, key: string): boolean {
  const value = getOwn(input, key) ?? "";
  return value !== "";
}

/**
 * Arguments with an agent's keys exchanged for ours, or ours for the agent's. A stray key with the other's name takes
 * the free one: if it kept its name, a guard could read it instead of the key that the tool reads.
 * @param sent the input as the agent sent it, whose spellings are kept; empty when it sent none
 */
export function swapSpellings(
  spellings: Spellings,
  from: JsonObject,
  sent: JsonObject,
): Record<string, Json> {
  const names = new Map<string, string>();
  for (const [ours, known] of Object.entries(spellings)) {
    const theirs = known.find((key) => isGiven(sent, key)) ?? known[0] ?? ours;
    names.set(ours, theirs).set(theirs, ours);
  }
  const swapped: Record<string, Json> = {};
  for (const [key, value] of Object.entries(from)) setOwn(swapped, names.get(key) ?? key, value);
  return swapped;
}
