import { getOwn, isJsonObject, setOwn } from "../../core/index.ts";
import type { Json, JsonObject } from "../../core/index.ts";

/** A common tool: Gemini CLI's names, the current one first, and our argument keys with Gemini's. */
interface GeminiTool {
  readonly names: readonly [string, ...string[]];
  readonly keys: Readonly<Record<string, string>>;
}

/** An MCP tool by its server's name and its own. */
interface McpTool {
  readonly server: string;
  readonly tool: string;
}

/**
 * Our tools in Gemini CLI's names, in the versions with hooks (checked: 0.26 to 0.61). Other tools and keys have the
 * same name in both. `web_fetch` has no `url`: its `prompt` contains what to fetch.
 */
const GEMINI_TOOLS: Readonly<Record<string, GeminiTool>> = {
  exec: { names: ["run_shell_command"], keys: { cwd: "dir_path" } },
  read: { names: ["read_file"], keys: { path: "file_path" } },
  write: { names: ["write_file"], keys: { path: "file_path" } },
  edit: { names: ["replace"], keys: { path: "file_path" } },
  scan_dir: { names: ["list_directory"], keys: { path: "dir_path" } },
  glob: { names: ["glob"], keys: { path: "dir_path" } },
  grep: { names: ["grep_search", "search_file_content"], keys: { path: "dir_path" } },
  http: { names: ["web_fetch"], keys: {} },
};

const OUR_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(GEMINI_TOOLS).flatMap(([ours, { names }]) => names.map((name) => [name, ours])),
);

const MCP_NAME = /^mcp__(.+?)__(.+)$/s;
/** Characters that model APIs do not allow in function names. */
const NOT_IN_NAMES = /[^a-zA-Z0-9_\-.:]/g;

/**
 * Our name for a tool of Gemini CLI. Its name for an MCP tool does not separate server and tool; `mcp_context` does.
 */
export function fromGeminiName(name: string, mcpContext?: Json): string {
  const mcp = isJsonObject(mcpContext) ? mcpContext : {};
  const server = getOwn(mcp, "server_name");
  const tool = getOwn(mcp, "tool_name");
  if (typeof server === "string" && typeof tool === "string") return `mcp__${server}__${tool}`;
  return OUR_NAMES.get(name) ?? name;
}

/** Gemini CLI's name for a tool of ours. */
export function toGeminiName(tool: string): string {
  const mcp = mcpTool(tool);
  if (mcp) return `mcp_${mcp.server}_${mcp.tool}`.replace(NOT_IN_NAMES, "_");
  return rowOf(tool)?.names[0] ?? tool;
}

/** Server and tool of an MCP tool's name. */
export function mcpTool(name: string): McpTool | undefined {
  const [, server, tool] = MCP_NAME.exec(name) ?? [];
  return server === undefined || tool === undefined ? undefined : { server, tool };
}

/** Arguments of a tool of ours in Gemini CLI's keys. */
export function toGeminiInput(tool: string, args: JsonObject): JsonObject {
  return swapKeys(tool, args);
}

/** Gemini CLI's input as arguments of a tool of ours. */
export function fromGeminiInput(tool: string, input: JsonObject): JsonObject {
  return swapKeys(tool, input);
}

/**
 * Both directions exchange the same names. A stray key with the other's name takes the free one: if it kept its name, a
 * guard could read it instead of the key that the tool reads.
 */
function swapKeys(tool: string, from: JsonObject): JsonObject {
  const pairs = Object.entries(rowOf(tool)?.keys ?? {});
  const names = new Map(pairs.flatMap(([a, b]) => [[a, b] as const, [b, a] as const]));
  const swapped: Record<string, Json> = {};
  for (const [key, value] of Object.entries(from)) setOwn(swapped, names.get(key) ?? key, value);
  return swapped;
}

function rowOf(tool: string): GeminiTool | undefined {
  return Object.hasOwn(GEMINI_TOOLS, tool) ? GEMINI_TOOLS[tool] : undefined;
}
