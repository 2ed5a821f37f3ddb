import { getOwn, isJsonObject, objectAt, textAt } from "../../core/index.ts";
import type { Json, JsonObject } from "../../core/index.ts";
import { contextBody, readOrcsAnswer } from "../orcs.ts";
import type { LiveProtocol, Welcome } from "./live-protocol.ts";

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
  readWelcome,
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

function readWelcome(result: Json): Welcome {
  if (!isJsonObject(result)) return { unfit: "returned no object to the handshake" };
  const version = textAt(result, "protocol_version");
  const unfit = wrongVersion(version, JSONRPC_VERSION);
  if (unfit !== undefined) return { unfit };
  const capabilities = textsAt(getOwn(result, "capabilities"));
  if (!capabilities) return { unfit: "returned capabilities that are not a list of texts" };
  const name = textAt(result, "name") ?? "unnamed";
  return { name, version: textAt(result, "version") ?? "", capabilities };
}

/** A list of texts; empty when missing, undefined for anything else. */
export function textsAt(value: Json | undefined): readonly string[] | undefined {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return undefined;
  const texts = value.filter((each) => typeof each === "string");
  return texts.length === value.length ? texts : undefined;
}

/** Why a version of a protocol cannot be used: its major number is another one. */
export function wrongVersion(version: string | undefined, own: string): string | undefined {
  const [major] = own.split(".");
  if (version === undefined) return "returned no protocol_version to the handshake";
  if (/^\d+(?:\.\d+)*$/.test(version) && version.split(".")[0] === major) return undefined;
  return `speaks version ${JSON.stringify(version.slice(0, 40))} of the protocol; orcs speaks ${own}`;
}
