import { numbersOf, isPlainObject, messageOf } from "../../core/index.ts";
import type { Json, JsonObject } from "../../core/index.ts";
import type { Orcs } from "../../engine/index.ts";
import type { ProxyDeps } from "./proxy.ts";
import { errorAnswer, lineOf, paramsOf, RPC_ERRORS, textOfLine } from "./json-rpc.ts";
import type { RpcId, RpcMessage } from "./json-rpc.ts";

/** Hints such as `readOnlyHint`, by the names of tools. */
export type ToolAnnotations = Map<string, JsonObject>;

/** The most tools of a server whose hints are kept. */
const MOST_ANNOTATED = 10_000;

/** Keep what a list of tools says of them, for their calls. */
export function noteAnnotations({ result }: RpcMessage, into: ToolAnnotations): void {
  if (!isPlainObject(result) || !Array.isArray(result["tools"])) return;
  for (const tool of result["tools"] as unknown[]) {
    if (!isTool(tool)) continue;
    const { name, annotations } = tool;
    into.delete(name);
    if (isPlainObject(annotations) && into.size < MOST_ANNOTATED)
      into.set(name, annotations as JsonObject);
  }
}

/** A list of tools from the server. */
export interface Listed {
  readonly id: RpcId;
  readonly request: RpcMessage;
  readonly answer: RpcMessage;
  readonly line: Buffer;
}

/**
 * The response line with the tools that the hooks at `tool.on_list` left: the original bytes of the server, if they
 * left the list unchanged. Without an engine nothing is removed from the list: calls are denied then. Never rejects.
 */
export async function filteredList(parts: ProxyDeps, listed: Listed): Promise<Buffer> {
  const { id, answer, line } = listed;
  const { result } = answer;
  if (!isPlainObject(result) || !Array.isArray(result["tools"])) return line;
  const given = result["tools"] as Json[];
  let isOpen = false;
  try {
    const tools = await parts.use((orcs) => {
      isOpen = true;
      return askHooks(parts, orcs, listed, given);
    });
    const left = { ...answer, result: { ...result, tools } };
    return tools === given ? line : lineOf(left, numbersOf(textOfLine(line)));
  } catch (thrown) {
    if (!isOpen) return line;
    parts.log.error(`tool.on_list: ${messageOf(thrown)}`);
    return lineOf(errorAnswer(id, RPC_ERRORS.internal, `orcs: ${messageOf(thrown)}`));
  }
}

async function askHooks(
  { component, server, sessionId, log }: ProxyDeps,
  orcs: Orcs,
  { request }: Listed,
  tools: Json[],
): Promise<unknown[]> {
  const { cursor } = paramsOf(request);
  const query = { server, ...(typeof cursor === "string" && { cursor }) };
  const payload = { query, result: tools, session_id: sessionId };
  const outcome = await orcs.dispatch("tool.on_list", payload, { component });
  // For `on_error` that fails closed.
  if (outcome.action === "abort") throw new Error(outcome.reason);
  const answer: unknown = outcome.ctx.payload.result;
  if (Array.isArray(answer) && answer.every(isTool)) return answer;
  const why = "the hooks at tool.on_list left something that is no list of tools";
  if (orcs.settings.engine.on_error === "closed") throw new Error(why);
  log.warn(`${why}; the server's list goes to the client`);
  return tools;
}

function isTool(tool: unknown): tool is { name: string; annotations?: unknown } {
  return isPlainObject(tool) && typeof tool["name"] === "string";
}
