import { setOwn } from "../core/json.ts";
import type { Json, JsonObject } from "../core/json.ts";

/** One tool that both have: Claude Code's name, and our argument keys with Claude's where they differ. */
interface ClaudeTool {
  readonly name: string;
  readonly keys: Readonly<Record<string, string>>;
}

/** Our tools in Claude Code's words. Tools and keys that are not here have the same name in both. */
const CLAUDE_TOOLS: Readonly<Record<string, ClaudeTool>> = {
  exec: { name: "Bash", keys: { timeout_ms: "timeout" } },
  read: { name: "Read", keys: { path: "file_path" } },
  write: { name: "Write", keys: { path: "file_path" } },
  edit: { name: "Edit", keys: { path: "file_path" } },
  glob: { name: "Glob", keys: {} },
  grep: { name: "Grep", keys: {} },
  http: { name: "WebFetch", keys: {} },
};

const OUR_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(CLAUDE_TOOLS).map(([ours, { name }]) => [name, ours]),
);

/** Claude Code's name for a tool of ours. */
export function toClaudeName(tool: string): string {
  return rowOf(tool)?.name ?? tool;
}

/** Our name for a tool of Claude Code's. */
export function fromClaudeName(name: string): string {
  return OUR_NAMES.get(name) ?? name;
}

/** Arguments of a tool of ours as Claude Code writes them. */
export function toClaudeInput(tool: string, args: JsonObject): JsonObject {
  return swapKeys(tool, args);
}

/** Claude Code's input as arguments of a tool of ours. */
export function fromClaudeInput(tool: string, input: JsonObject): JsonObject {
  return swapKeys(tool, input);
}

/**
 * Both ways are the same exchange of names. A stray key that has the other's name takes the free one:
 * if it kept its own, it could stand before a guard in the place of what the tool will read.
 */
function swapKeys(tool: string, from: JsonObject): JsonObject {
  const pairs = Object.entries(rowOf(tool)?.keys ?? {});
  const names = new Map(pairs.flatMap(([a, b]) => [[a, b] as const, [b, a] as const]));
  const swapped: Record<string, Json> = {};
  for (const [key, value] of Object.entries(from)) setOwn(swapped, names.get(key) ?? key, value);
  return swapped;
}

function rowOf(tool: string): ClaudeTool | undefined {
  return Object.hasOwn(CLAUDE_TOOLS, tool) ? CLAUDE_TOOLS[tool] : undefined;
}
