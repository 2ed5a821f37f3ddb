import { setOwn } from "../../core/json.ts";
import type { Json, JsonObject } from "../../core/json.ts";

/** A tool of Claude Code: our tool, and its argument keys where they differ from ours. */
interface ClaudeTool {
  readonly tool: string;
  readonly keys: Readonly<Record<string, string>>;
}

/**
 * Claude Code's tools that correspond to ours. Several may correspond to the same one: the first is used for a call of
 * ours. Other tools and keys have the same name in both.
 */
export const CLAUDE_TOOLS = {
  Bash: { tool: "exec", keys: { timeout: "timeout_ms" } },
  // They run commands as well: a guard of exec must see them.
  PowerShell: { tool: "exec", keys: { timeout: "timeout_ms" } },
  Monitor: { tool: "exec", keys: {} },
  Read: { tool: "read", keys: { file_path: "path" } },
  NotebookRead: { tool: "read", keys: { notebook_path: "path" } },
  Write: { tool: "write", keys: { file_path: "path" } },
  Edit: { tool: "edit", keys: { file_path: "path" } },
  MultiEdit: { tool: "edit", keys: { file_path: "path" } },
  NotebookEdit: { tool: "edit", keys: { notebook_path: "path" } },
  Glob: { tool: "glob", keys: {} },
  Grep: { tool: "grep", keys: {} },
  LS: { tool: "scan_dir", keys: {} },
  WebFetch: { tool: "http", keys: {} },
} as const satisfies Record<string, ClaudeTool>;

const ROWS: ReadonlyMap<string, ClaudeTool> = new Map(Object.entries(CLAUDE_TOOLS));

/** Claude Code's first name of each tool of ours. */
const CLAUDE_NAMES: ReadonlyMap<string, string> = new Map(
  [...ROWS].map(([name, { tool }]) => [tool, name] as const).reverse(),
);

/**
 * Claude Code's name for a tool of ours.
 * @param sent the name that the agent sent with this call, if any
 */
export function toClaudeName(tool: string, sent?: string): string {
  if (sent !== undefined && ROWS.get(sent)?.tool === tool) return sent;
  return CLAUDE_NAMES.get(tool) ?? tool;
}

/** Our name for a tool of Claude Code. */
export function fromClaudeName(name: string): string {
  return ROWS.get(name)?.tool ?? name;
}

/** Arguments of a tool of ours in Claude Code's keys. */
export function toClaudeInput(tool: string, args: JsonObject, sent?: string): JsonObject {
  return swapKeys(tool, args, sent);
}

/** Claude Code's input as arguments of a tool of ours. */
export function fromClaudeInput(tool: string, input: JsonObject, sent?: string): JsonObject {
  return swapKeys(tool, input, sent);
}

/**
 * Both directions exchange the same names. A stray key with the other's name takes the free one: if it kept its name, a
 * guard could read it instead of the key that the tool reads.
 */
function swapKeys(tool: string, from: JsonObject, sent: string | undefined): JsonObject {
  // Claude Code's own names are not ours: only a call under our name has our keys.
  const row = CLAUDE_NAMES.has(tool) ? ROWS.get(toClaudeName(tool, sent)) : undefined;
  const pairs = Object.entries(row?.keys ?? {});
  const names = new Map(pairs.flatMap(([a, b]) => [[a, b] as const, [b, a] as const]));
  const swapped: Record<string, Json> = {};
  for (const [key, value] of Object.entries(from)) setOwn(swapped, names.get(key) ?? key, value);
  return swapped;
}
