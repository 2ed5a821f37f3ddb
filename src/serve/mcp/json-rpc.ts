import { isAscii, isUtf8, transcode } from "node:buffer";
import { isPlainObject } from "../../core/json.ts";

/** Ids are strings or numbers, and 1 is not "1". */
export type RpcId = string | number;

/** A message of JSON-RPC as far as it is known: an object. */
export type RpcMessage = Readonly<Record<string, unknown>>;

/** Codes of JSON-RPC errors that are ours to send. */
export const RPC_ERRORS = {
  parse: -32700,
  invalidRequest: -32600,
  invalidParams: -32602,
  internal: -32603,
  /** The server went away; the official clients use it for a closed connection. */
  closed: -32000,
} as const;

const BOM = "\uFEFF";

/** The text of a line, without a byte order mark, which some readers pass over. */
export function textOfLine(line: Buffer): string {
  const text = decodeUtf8(line);
  return text.startsWith(BOM) ? text.slice(1) : text;
}

/** As `toString("utf8")`, which takes four times as long for long lines. */
function decodeUtf8(line: Buffer): string {
  if (isAscii(line)) return line.toString("latin1");
  if (line.length < LONG || !isUtf8(line)) return line.toString("utf8");
  return transcode(line, "utf8", "utf16le").toString("utf16le");
}

/** In bytes. */
const LONG = 1 << 12;

/** What a text holds as JSON; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The id of a message, if it is one that can be answered and told from others. */
export function idOf(message: RpcMessage): RpcId | undefined {
  const { id } = message;
  if (typeof id === "string") return id;
  // Beyond 2^53 two ids would read as one.
  return typeof id === "number" && (Number.isSafeInteger(id) || !Number.isInteger(id))
    ? id
    : undefined;
}

/** As `idOf`, with numbers beyond 2^53 as far as a double tells them apart: good enough to pass an answer on. */
export function roughIdOf(message: RpcMessage): RpcId | undefined {
  const { id } = message;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

/** Whether some reader takes it for the answer to a request: it has an outcome, or an id and nothing that asks. */
export function isAnswer(message: RpcMessage): boolean {
  return "result" in message || "error" in message || ("id" in message && !("method" in message));
}

/** Whether it answers in both ways at once; `"error": null` beside a result is how some servers say that there is none. */
export function isContradictory({ result, error }: RpcMessage): boolean {
  return isStated(result) && isStated(error);
}

function isStated(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** One message as a line. */
export function lineOf(message: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(message)}\n`);
}

/** An error as the answer to a request; null where its id is not known. */
export function errorAnswer(id: RpcId | null, code: number, message: string): RpcMessage {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

/** The token under which a request wants to be told of its progress. */
export function progressTokenOf(message: RpcMessage): RpcId | undefined {
  const { _meta: meta } = paramsOf(message);
  return isPlainObject(meta) ? roughIdOf({ id: meta["progressToken"] }) : undefined;
}

/** The parameters of a message; without any, none. */
export function paramsOf(message: RpcMessage): Readonly<Record<string, unknown>> {
  const { params } = message;
  return isPlainObject(params) ? params : {};
}
