import { AGENT_TOOLS, getOwn, isJsonObject, type Json } from "../../core/index.ts";
import { agentTool, ourTool } from "../agent-tools.ts";

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
  return ourTool(AGENT_TOOLS.gemini, name);
}

/** Gemini CLI's name for a tool of ours. */
export function toGeminiName(tool: string): string {
  const mcp = mcpTool(tool);
  if (mcp) return `mcp_${mcp.server}_${mcp.tool}`.replace(NOT_IN_NAMES, "_");
  return agentTool(AGENT_TOOLS.gemini, tool);
}

/** Server and tool of an MCP tool's name. */
export function mcpTool(name: string) {
  const [, server, tool] = MCP_NAME.exec(name) ?? [];
  return server === undefined || tool === undefined ? undefined : { server, tool };
}
