import { AGENT_TOOLS, equalJson, getOwn, OrcsError, readJsonObject } from "../../core/index.ts";
import type { JsonObject } from "../../core/index.ts";
import { requiredField } from "../host-protocol.ts";
import { agentTool, isGiven, keysOf, ourTool, swapKeys } from "../agent-tools.ts";

const TOOLS = AGENT_TOOLS.cursor;
const MCP = "MCP:";
const OUR_MCP = "mcp__";
/** Used when Cursor does not name the server of a tool. */
const NO_SERVER = "unknown";

/** Our name for a tool of Cursor. */
export function fromCursorName(name: string): string {
  return name.startsWith(MCP) ? fromMcpName(name) : ourTool(TOOLS, name);
}

/**
 * Our name for a tool of an MCP server.
 * @param name the tool's own, or Cursor's `MCP:tool` or `MCP:server:tool`
 * @param server if Cursor names it separately
 */
export function fromMcpName(name: string, server?: string): string {
  if (name.startsWith(OUR_MCP)) return name;
  const bare = name.startsWith(MCP) ? name.slice(MCP.length) : name;
  const colon = name.startsWith(MCP) && server === undefined ? bare.indexOf(":") : -1;
  const named = colon > 0 ? bare.slice(0, colon) : server || NO_SERVER;
  return `${OUR_MCP}${named}__${colon > 0 ? bare.slice(colon + 1) : bare}`;
}

export function isMcpName(tool: string): boolean {
  return tool.startsWith(OUR_MCP);
}

/** Cursor's name for a tool of ours. */
export function toCursorName(tool: string): string {
  return isMcpName(tool) ? `${MCP}${mcpToolName(tool)}` : agentTool(TOOLS, tool);
}

/** The MCP server's own name for its tool. */
export function mcpToolName(tool: string): string {
  const end = tool.indexOf("__", OUR_MCP.length);
  return end < 0 ? tool.slice(OUR_MCP.length) : tool.slice(end + 2);
}

/**
 * Arguments of a tool of ours in Cursor's keys, or its input in ours.
 * @param sent the input as Cursor sent it, whose spellings are kept; empty when it sent none
 */
export function cursorKeys(tool: string, args: JsonObject, sent = args): JsonObject {
  return swapKeys(TOOLS, tool, args, undefined, sent);
}

/**
 * Two spellings of one key with different values: it is unknown which of them Cursor reads, and a guard might read the
 * other.
 */
export function contradiction(
  tool: string,
  input: JsonObject,
): readonly [string, string] | undefined {
  for (const spellings of Object.values(keysOf(TOOLS, tool))) {
    const [first, ...others] = spellings.filter((key) => isGiven(input, key));
    const other = others.find(
      (key) => first !== undefined && !equalJson(getOwn(input, first), getOwn(input, key)),
    );
    if (first !== undefined && other !== undefined) return [first, other];
  }
  return undefined;
}

/**
 * The input of a call as Cursor sent it: some events have it as JSON text.
 * @throws OrcsError ORCS7001
 */
export function sentToolInput(event: JsonObject): JsonObject {
  const input = getOwn(event, "tool_input");
  // A tool without arguments may come with none.
  if (input === null || input === "") return {};
  if (typeof input !== "string") return requiredField("cursor", event, "tool_input", "object");
  const read = readJsonObject(input);
  if (read.ok) return read.value;
  throw new OrcsError("ORCS7001", `an event of cursor: tool_input ${read.why}`, {
    host: "cursor",
    key: "tool_input",
  });
}

/** What can be read of an event; empty when it is invalid. */
export function readable(read: (event: JsonObject) => JsonObject, event: JsonObject): JsonObject {
  try {
    return read(event);
  } catch (thrown) {
    if (thrown instanceof OrcsError) return {};
    throw thrown;
  }
}
