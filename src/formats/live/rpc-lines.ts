import { getOwn, isJsonObject, readJson } from "../../core/index.ts";
import type { Json, JsonObject } from "../../core/index.ts";
import { MAX_ANSWER_DEPTH } from "../orcs.ts";
import type { RpcCall } from "./live-protocol.ts";

/** The outcome of a JSON-RPC request. */
export type RpcAnswer =
  | { readonly result: Json }
  | { readonly error: { readonly code: number | undefined; readonly message: string } };

/** A message of a handler: the answer to a request, or why it is not one. */
export type RpcMessage =
  | { readonly id: string; readonly answer: RpcAnswer }
  | { readonly stray: string };

/** A request as one line. Without an id it is a notification. */
export function requestLine({ method, params }: RpcCall, id: string | undefined): string {
  return `${JSON.stringify({ jsonrpc: "2.0", ...(id !== undefined && { id }), method, params })}\n`;
}

/** Read a line, or a body. */
export function readMessage(text: string): RpcMessage {
  // The envelope is one level deeper than the response in it.
  const read = readJson(text, MAX_ANSWER_DEPTH + 1);
  if (!read.ok) return { stray: read.why };
  const { value } = read;
  if (!isJsonObject(value)) return { stray: "is not a JSON-RPC message" };
  const id = getOwn(value, "id");
  const [result, error] = [getOwn(value, "result"), getOwn(value, "error") ?? undefined];
  if (result === undefined && error === undefined) return { stray: "is not a JSON-RPC answer" };
  if (typeof id !== "string") return { stray: "has an id that was not sent" };
  if (error !== undefined) return { id, answer: { error: errorOf(error) } };
  return { id, answer: { result: result ?? null } };
}

const MAX_MESSAGE = 500;

function errorOf(error: Json): { code: number | undefined; message: string } {
  const { code, message } = isJsonObject(error) ? error : ({} as JsonObject);
  const text = typeof message === "string" ? message : JSON.stringify(error);
  return {
    code: typeof code === "number" ? code : undefined,
    message: text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text,
  };
}
