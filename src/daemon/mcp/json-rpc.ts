import { isAscii, isUtf8, transcode } from "node:buffer";
import { isPlainObject, parseExact, stringifyExact } from "../../core/index.ts";
import type { NumberTokens } from "../../core/index.ts";
import { withoutMark } from "../hook/event-io.ts";

/** Ids are strings or numbers, and 1 is not "1". */
export type RpcId = string | number;

/** A JSON-RPC message: an object. */
export type RpcMessage = Readonly<Record<string, unknown>>;

/** Codes of JSON-RPC errors that we send. */
export const RPC_ERRORS = {
  parse: -32700,
  invalidRequest: -32600,
  invalidParams: -32602,
  internal: -32603,
  /** The server is gone; the official clients use this code for a closed connection. */
  closed: -32000,
} as const;

/** The text of a line, without a byte order mark. */
export function textOfLine(line: Buffer): string {
  return withoutMark(decodeUtf8(line));
}

/** As `toString("utf8")`, which takes four times as long for long lines. */
function decodeUtf8(line: Buffer): string {
  if (isAscii(line)) return line.toString("latin1");
  if (line.length < LONG || !isUtf8(line)) return line.toString("utf8");
  return transcode(line, "utf8", "utf16le").toString("utf16le");
}

/** In bytes. */
const LONG = 1 << 12;

/** Parse a text as JSON, with integers beyond 2^53 as texts, but for ids and tokens; undefined when invalid. */
export function parseJson(text: string): unknown {
  try {
    const { value, numbers } = parseExact(text);
    if (numbers) for (const message of [value].flat()) restoreIds(message, numbers);
    return value;
  } catch {
    return undefined;
  }
}

const ID_KEYS = ["id", "requestId", "progressToken"];

function restoreIds(message: unknown, numbers: NumberTokens): void {
  const params = isPlainObject(message) ? message["params"] : undefined;
  const meta = isPlainObject(params) ? params["_meta"] : undefined;
  for (const owner of [message, params, meta]) {
    if (!isPlainObject(owner)) continue;
    for (const key of ID_KEYS) {
      const text = owner[key];
      if (typeof text === "string" && numbers.of(key, text) !== undefined)
        owner[key] = Number(text);
    }
  }
}

/** The id of a message, if it can be answered and is unambiguous. */
export function idOf(message: RpcMessage): RpcId | undefined {
  const { id } = message;
  if (typeof id === "string") return id;
  // Beyond 2^53 two ids could become one number.
  return typeof id === "number" && (Number.isSafeInteger(id) || !Number.isInteger(id))
    ? id
    : undefined;
}

/** As `idOf`, with numbers beyond 2^53 as far as a double distinguishes them: sufficient for passing on a response. */
export function roughIdOf(message: RpcMessage): RpcId | undefined {
  const { id } = message;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

/** Whether some parser takes it for a response: it has an outcome, or an id and no method. */
export function isAnswer(message: RpcMessage): boolean {
  return "result" in message || "error" in message || ("id" in message && !("method" in message));
}

/** Whether it is both a result and an error; some servers add `"error": null` to a result. */
export function isContradictory({ result, error }: RpcMessage): boolean {
  return isStated(result) && isStated(error);
}

function isStated(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** A message as a line. @param numbers of the line that it comes from */
export function lineOf(message: unknown, numbers?: NumberTokens): Buffer {
  return Buffer.from(`${stringifyExact(message, numbers)}\n`);
}

/** An error response; the id is null when unknown. */
export function errorAnswer(id: RpcId | null, code: number, message: string): RpcMessage {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

/** The token for progress messages of a request. */
export function progressTokenOf(message: RpcMessage): RpcId | undefined {
  const { _meta: meta } = paramsOf(message);
  return isPlainObject(meta) ? roughIdOf({ id: meta["progressToken"] }) : undefined;
}

/** The parameters of a message; empty when missing. */
export function paramsOf(message: RpcMessage): Readonly<Record<string, unknown>> {
  const { params } = message;
  return isPlainObject(params) ? params : {};
}
