import { AGENT_TOOLS, isJsonObject, readJsonObject } from "../../core/index.ts";
import type { Json, JsonObject } from "../../core/index.ts";
import { patchPaths } from "../codex/tools.ts";
import { agentNames, ourTool, type Rewritten, rewrittenText, swapKeys } from "../agent-tools.ts";

const TOOLS = AGENT_TOOLS.copilot;

/** Whether Copilot CLI has a tool that is this one of ours; each of them has arguments. */
export function isOurTool(name: string): boolean {
  return agentNames(TOOLS, name).length > 0;
}

const OUR_MCP = "mcp__";

/**
 * Our name for a tool of Copilot CLI. It joins the names of an MCP server and its tool with a slash in requests for a
 * permission, and with a hyphen in calls, which the names may contain as well: then the last one counts. No tool of its
 * own has a hyphen.
 */
export function fromCopilotName(name: string): string {
  if (Object.hasOwn(TOOLS, name)) return ourTool(TOOLS, name);
  const slash = name.indexOf("/");
  const at = slash > 0 ? slash : name.lastIndexOf("-");
  return at > 0 ? `${OUR_MCP}${name.slice(0, at)}__${name.slice(at + 1)}` : name;
}

/**
 * Copilot CLI's name for a tool of ours.
 * @param format its own, the one that it shares with VS Code, or that of a request for a permission
 */
export function toCopilotName(
  tool: string,
  format: "own" | "shared" | "permission" = "own",
): string {
  const [own = tool, shared = tool] = agentNames(TOOLS, tool);
  if (!tool.startsWith(OUR_MCP)) return format === "shared" ? shared : own;
  return tool.slice(OUR_MCP.length).replace("__", format === "permission" ? "/" : "-");
}

/**
 * The input of a call as arguments of a tool of ours: the keys of an object, or the text of a patch with the files that
 * it touches. Another text is `value`.
 * @param tool our name of it
 */
export function fromCopilotInput(tool: string, input: Json): JsonObject {
  if (typeof input !== "string") return isJsonObject(input) ? ownKeys(tool, input) : {};
  // Older versions send the object of a call as text.
  const read = readJsonObject(input);
  if (read.ok) return ownKeys(tool, read.value);
  return tool === "edit" ? { path: patchPaths(input), patch: input } : { value: input };
}

function ownKeys(tool: string, input: JsonObject): JsonObject {
  return swapKeys(TOOLS, tool, input, undefined, input);
}

/** Arguments of a tool of ours as input of a call; a patch and a `value` become text. */
export function toCopilotInput(tool: string, args: JsonObject, sent: JsonObject = {}): Json {
  const { patch } = args;
  if (tool === "edit" && typeof patch === "string") return patch;
  return swapKeys(TOOLS, tool, args, undefined, sent);
}

/**
 * Changed arguments as input for Copilot CLI, which replaces the whole input with it. Of a text it accepts only a text.
 * @param tool our name of it
 * @param sent the input as Copilot CLI sent it
 * @param after the arguments as the hooks left them
 */
export function rewrittenInput(tool: string, sent: Json, after: JsonObject): Rewritten<Json> {
  const read = typeof sent === "string" ? readJsonObject(sent) : undefined;
  if (typeof sent !== "string" || read?.ok) {
    const keys = read?.ok ? read.value : isJsonObject(sent) ? sent : {};
    return { ok: true, input: toCopilotInput(tool, after, keys) };
  }
  const expected = (text: string): JsonObject => fromCopilotInput(tool, text);
  const key = tool === "edit" ? "patch" : "value";
  return rewrittenText(key, expected(sent), after, expected, "a call that consists of one text");
}
