import type { Injection } from "../../core/actions.ts";
import { isPlainObject } from "../../core/json.ts";
import { paramsOf } from "./json-rpc.ts";
import type { RpcMessage } from "./json-rpc.ts";

/** The result of a tool call. */
export type ToolResult = Readonly<Record<string, unknown>>;

/** Where a request of the 2026-07-28 revision says which one it is of; there is no `initialize` in it. */
const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";

/**
 * Whether the answer to a request must say that it is complete.
 * @param initialized whether the session began with `initialize`, as before that revision
 */
export function saysComplete(request: RpcMessage, initialized: boolean): boolean {
  const { _meta: meta } = paramsOf(request);
  return !initialized || (isPlainObject(meta) && typeof meta[VERSION_KEY] === "string");
}

/** A refusal that the model reads. */
export function refusal(text: string, complete: boolean): ToolResult {
  return finished({ content: [{ type: "text", text }], isError: true }, complete);
}

/** What a hook gave as a result: a tool result as it is, anything else as the text of one. */
export function asToolResult(value: unknown, complete: boolean): ToolResult {
  if (isToolResult(value)) return finished(value, complete);
  if (typeof value === "string") return finished({ content: textContent(value) }, complete);
  const content = textContent(JSON.stringify(value ?? null));
  const structured = isPlainObject(value) && { structuredContent: value };
  return finished({ content, ...structured }, complete);
}

/** A result with the texts that hooks have for the model. */
export function withInjected(result: ToolResult, inject: readonly Injection[]): ToolResult {
  if (inject.length === 0) return result;
  const { content } = result;
  const texts = inject.flatMap((text) =>
    textContent(typeof text === "string" ? text : text.content),
  );
  return {
    ...result,
    content: [...(Array.isArray(content) ? (content as unknown[]) : []), ...texts],
  };
}

/** Whether a text can stand behind what a result holds. */
export function hasContent(result: unknown): result is ToolResult {
  return isPlainObject(result) && Array.isArray(result["content"]);
}

/** Whether the server asks back, or names a task that goes on: there is nothing in it for the post hooks yet. */
export function isInterim(result: unknown): boolean {
  if (!isPlainObject(result) || "content" in result || "structuredContent" in result) return false;
  const { resultType, task } = result;
  return (typeof resultType === "string" && resultType !== "complete") || isPlainObject(task);
}

/** What a result says of a tool that failed; undefined when it did not. */
export function failureOf(result: unknown): string | undefined {
  if (!isPlainObject(result) || result["isError"] !== true) return undefined;
  const { content } = result;
  const texts = (Array.isArray(content) ? (content as unknown[]) : []).flatMap((block) =>
    isPlainObject(block) && typeof block["text"] === "string" ? [block["text"]] : [],
  );
  return texts.join("\n") || "the tool says that it failed";
}

function isToolResult(value: unknown): value is ToolResult {
  if (!isPlainObject(value)) return false;
  return Array.isArray(value["content"]) || "structuredContent" in value || "toolResult" in value;
}

function finished(result: ToolResult, complete: boolean): ToolResult {
  return complete && !("resultType" in result) ? { ...result, resultType: "complete" } : result;
}

function textContent(text: string): { type: "text"; text: string }[] {
  return [{ type: "text", text }];
}
