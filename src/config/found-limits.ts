import { writtenHooks } from "./schema.ts";
import { isTable } from "./table.ts";

/**
 * What a configuration that was found in a project may have at most. It is looked at before each event of a coding
 * agent that finds no service, also when nobody has trusted what it has become: what takes longer than the agent
 * waits would open every guard.
 */
export const FOUND_LIMITS = {
  /** Of one `orcs.toml`. */
  bytes: 2 ** 20,
  /** In one `orcs.toml`, those of every agent among them. */
  hooks: 1000,
  /** Keys and elements of lists, at all levels. */
  values: 20_000,
} as const;

/** Which limit a parsed configuration exceeds; undefined when none. */
export function excessOf(tree: unknown): string | undefined {
  if (countUpTo(tree, FOUND_LIMITS.values) > FOUND_LIMITS.values) {
    return `has more than ${FOUND_LIMITS.values} keys and list elements`;
  }
  const hooks = writtenHooks(tree).reduce((sum, list) => sum + list.hooks.length, 0);
  return hooks > FOUND_LIMITS.hooks ? `has more than ${FOUND_LIMITS.hooks} hooks` : undefined;
}

function countUpTo(value: unknown, most: number): number {
  let count = 0;
  const next = [value];
  for (let at = next.pop(); at !== undefined && count <= most; at = next.pop()) {
    if (!Array.isArray(at) && !isTable(at)) continue;
    const inner: unknown[] = Object.values(at);
    count += inner.length;
    // A list of a million elements needs no look at each.
    if (count <= most) next.push(...inner);
  }
  return count;
}
