import { getOwn, isJsonObject } from "../../core/index.ts";
import type { Json } from "../../core/index.ts";
import { agentTool, ourTool, toolTable } from "../agent-tools.ts";

/** An MCP tool by its server's name and its own. */
interface McpTool {
  readonly server: string;
  readonly tool: string;
}

/**
 * Our tools in Gemini CLI's names, the current one first, in the versions with hooks (checked: 0.26 to 0.61).
 * `web_fetch` has no `url`: its `prompt` contains what to fetch.
 */
export const GEMINI_TOOLS = toolTable(
  ["exec", ["run_shell_command"], { cwd: "dir_path" }],
  ["read", ["read_file"], { path: "file_path" }],
  ["write", ["write_file"], { path: "file_path" }],
  ["edit", ["replace"], { path: "file_path" }],
  ["scan_dir", ["list_directory"], { path: "dir_path" }],
  ["glob", ["glob"], { path: "dir_path" }],
  ["grep", ["grep_search", "search_file_content"], { path: "dir_path" }],
  ["http", ["web_fetch"]],
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
  return ourTool(GEMINI_TOOLS, name);
}

/** Gemini CLI's name for a tool of ours. */
export function toGeminiName(tool: string): string {
  const mcp = mcpTool(tool);
  if (mcp) return `mcp_${mcp.server}_${mcp.tool}`.replace(NOT_IN_NAMES, "_");
  return agentTool(GEMINI_TOOLS, tool);
}

/** Server and tool of an MCP tool's name. */
export function mcpTool(name: string): McpTool | undefined {
  const [, server, tool] = MCP_NAME.exec(name) ?? [];
  return server === undefined || tool === undefined ? undefined : { server, tool };
}
