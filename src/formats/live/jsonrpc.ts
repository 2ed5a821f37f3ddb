import { getOwn, isJsonObject, objectAt, readJson, textAt } from "../../core/index.ts";
import type { Json, JsonObject } from "../../core/index.ts";
import { contextBody, MAX_ANSWER_DEPTH, readOrcsAnswer } from "../orcs.ts";
import type { LiveProtocol, RpcCall, Welcome } from "./live-protocol.ts";

/** The version of the protocol that orcs speaks. Handlers of the same major version are used. */
export const JSONRPC_VERSION = "1.0";

/**
 * The protocol of orcs for handlers that live on: `handshake`, then one `hook` per call. Its parameters are those of a
 * command on standard input, its result is an action as JSON, or null.
 */
export const jsonrpcProtocol: LiveProtocol = {
  knows: () => true,
  hello: (version) => ({
    method: "handshake",
    params: {
      protocol_version: JSONRPC_VERSION,
      client: { name: "orcs", version },
      capabilities: ["hook"],
    },
  }),
  readWelcome: (result) => welcomeOf(result, JSONRPC_VERSION),
  ask(call, { hook, timeoutMs, isShadow, trace }, capabilities) {
    const { name } = call.point;
    if (capabilities.length > 0 && !capabilities.includes(name)) {
      return { unfit: `does not handle ${name}; its capabilities are ${capabilities.join(", ")}` };
    }
    const params = {
      hook,
      timeout_ms: timeoutMs,
      ...(isShadow && { shadow: true }),
      ...(trace && { trace: { ...trace } }),
      ...contextBody(call),
    };
    return { method: "hook", params };
  },
  read: (result, call) => readOrcsAnswer(withoutNotes(result), call),
};

/** A handler may return all its parameters as the context: those that are not of the context do not count. */
function withoutNotes(result: Json): Json {
  if (!isJsonObject(result)) return result;
  if (isJsonObject(getOwn(result, "ctx")))
    return { ...result, ctx: contextOf(objectAt(result, "ctx")) };
  return Object.hasOwn(result, "action") ? result : contextOf(result);
}

function contextOf(params: JsonObject): JsonObject {
  const { hook: _, timeout_ms: __, shadow: ___, trace: ____, ...context } = params;
  return context;
}

/**
 * What a handler says of itself in its answer to the handshake.
 * @param own the version of the protocol that orcs speaks
 * @param infoKey where its name, version and capabilities are, if not in the answer itself
 */
export function welcomeOf(result: Json, own: string, infoKey?: string): Welcome {
  if (!isJsonObject(result)) return { unfit: "returned no object to the handshake" };
  const unfit = wrongVersion(textAt(result, "protocol_version"), own);
  if (unfit !== undefined) return { unfit };
  const info = infoKey === undefined ? result : objectAt(result, infoKey);
  const capabilities = getOwn(info, "capabilities") ?? [];
  if (!Array.isArray(capabilities) || !capabilities.every((each) => typeof each === "string")) {
    return { unfit: "returned capabilities that are not a list of texts" };
  }
  const name = textAt(info, "name") ?? "unnamed";
  return { name, version: textAt(info, "version") ?? "", capabilities };
}

/** Why a version of a protocol cannot be used: its major number is another one. */
export function wrongVersion(version: string | undefined, own: string): string | undefined {
  const [major] = own.split(".");
  if (version === undefined) return "returned no protocol_version to the handshake";
  if (/^\d+(?:\.\d+)*$/.test(version) && version.split(".")[0] === major) return undefined;
  return `speaks version ${JSON.stringify(version.slice(0, 40))} of the protocol; orcs speaks ${own}`;
}

/** The outcome of a JSON-RPC request. */
export type RpcAnswer =
  | { readonly result: Json }
  | { readonly error: { readonly code: number | undefined; readonly message: string } };

/** A request as one line. Without an id it is a notification. */
export function requestLine({ method, params }: RpcCall, id: string | undefined): string {
  return `${JSON.stringify({ jsonrpc: "2.0", ...(id !== undefined && { id }), method, params })}\n`;
}

/** Read a line, or a body: the answer of a handler to a request, or why it is none. */
export function readMessage(
  text: string,
): { readonly id: string; readonly answer: RpcAnswer } | { readonly stray: string } {
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
