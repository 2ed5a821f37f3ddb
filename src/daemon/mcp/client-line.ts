import { isUtf8 } from "node:buffer";
import { isPlainObject } from "../../core/index.ts";
import {
  hasNul,
  hasEqualKeys,
  hasVariantOf,
  isPlainText,
  isUnambiguous,
  mayNameCall,
  untilNul,
} from "./json-ambiguity.ts";
import {
  errorAnswer,
  idOf,
  paramsOf,
  parseJson,
  progressTokenOf,
  roughIdOf,
  RPC_ERRORS,
  textOfLine,
} from "./json-rpc.ts";
import type { RpcId, RpcMessage } from "./json-rpc.ts";

/** A tool call of the client. */
export interface CallLine {
  readonly kind: "call";
  readonly id: RpcId;
  readonly message: RpcMessage;
  /** `params` with a name, and with arguments that are an object, if any. */
  readonly params: Readonly<Record<string, unknown>> & { readonly name: string };
  /** The original bytes, if every reader understands them as we do; otherwise it is written again. */
  readonly line: Buffer | undefined;
  readonly bytes: number;
  /** Of the line, for one that is written again. */
  readonly text: string;
}

/** A request that does not concern hooks. */
export interface Request {
  readonly id: RpcId;
  /** The token for progress messages. */
  readonly token: RpcId | undefined;
}

/** The meaning of a client's line for the hooks. */
export type ClientLine =
  | CallLine
  | { readonly kind: "list"; readonly id: RpcId; readonly message: RpcMessage }
  | { readonly kind: "cancelled"; readonly id: RpcId; readonly message: RpcMessage }
  /** Does not concern hooks; with its requests, which the server may answer. */
  | { readonly kind: "other"; readonly requests: readonly Request[]; readonly method?: unknown }
  /** Some server might read another call in it than we do: it is not passed on. */
  | { readonly kind: "refused"; readonly why: string; readonly answer: unknown };

const ENVELOPE = ["jsonrpc", "id", "method", "params"];
const CALL_KEYS = ["name", "arguments"];
const OTHER_LINE: ClientLine = { kind: "other", requests: [] };

/** Read one line of the client, with its end. */
export function readClientLine(line: Buffer): ClientLine {
  const isSuspect = mayNameCall(line);
  const text = textOfLine(line);
  const value = parseJson(text);
  if (Array.isArray(value)) return readBatch(value, line, text, isSuspect);
  if (isPlainObject(value)) return readObject(value, line, text, isSuspect);
  if (!isSuspect) return OTHER_LINE;
  const why = "this is not one JSON message, and it names tools/call";
  return refused(why, errorAnswer(null, RPC_ERRORS.parse, why));
}

function readObject(
  message: RpcMessage,
  line: Buffer,
  text: string,
  isSuspect: boolean,
): ClientLine {
  const { method } = message;
  if (method === "tools/call") return readCall(message, line, text);
  const id = idOf(message);
  if (isSuspect && isAmbiguous(message, line, text)) {
    const why = "other readers of JSON could take this for a tools/call";
    return refused(why, errorAnswer(id ?? null, RPC_ERRORS.invalidRequest, why));
  }
  if (method === "tools/list") {
    if (id !== undefined) return { kind: "list", id, message };
    if (roughIdOf(message) !== undefined) {
      const why = "a tools/list needs an id that is a text, or a number of at most 2^53";
      return refused(why, errorAnswer(null, RPC_ERRORS.invalidRequest, why));
    }
  }
  if (method === "notifications/cancelled") {
    const cancelled = idOf({ id: paramsOf(message)["requestId"] });
    if (cancelled !== undefined) return { kind: "cancelled", id: cancelled, message };
  }
  return { kind: "other", requests: requestsOf([message]), method };
}

/** Everything that a server could answer. */
function requestsOf(messages: readonly RpcMessage[]): Request[] {
  return messages.flatMap((message) => {
    const id = roughIdOf(message);
    const isAsked =
      typeof message["method"] === "string" || !("result" in message || "error" in message);
    return id !== undefined && isAsked ? [{ id, token: progressTokenOf(message) }] : [];
  });
}

function readCall(message: RpcMessage, line: Buffer, text: string): ClientLine {
  const id = idOf(message);
  const refuse = (code: number, why: string): ClientLine =>
    refused(why, errorAnswer(id ?? null, code, why));
  if (!isUtf8(line)) return refuse(RPC_ERRORS.parse, "a tools/call must be valid UTF-8");
  if (id === undefined) {
    return refuse(RPC_ERRORS.invalidRequest, "a tools/call needs an id: a text or a number");
  }
  const { params } = message;
  if (hasVariantOf(message, ENVELOPE) || hasVariantOf(params, CALL_KEYS)) {
    return refuse(
      RPC_ERRORS.invalidRequest,
      "a key of this tools/call is written in other letters",
    );
  }
  if (!isCallParams(params)) {
    const why =
      "a tools/call needs a name that is a string without NUL, and arguments that are an object";
    return refuse(RPC_ERRORS.invalidParams, why);
  }
  // The last line of a client may have no end; the server must be able to answer it while its input is open.
  const isPlain = text.endsWith("\n") && isUnambiguous(message, line, text);
  return {
    kind: "call",
    id,
    message,
    params,
    line: isPlain ? line : undefined,
    bytes: line.length,
    text,
  };
}

/** Methods that concern hooks, or a call that waits in them. */
const HOOKED_METHODS: readonly string[] = ["tools/call", "tools/list", "notifications/cancelled"];

/** JSON-RPC batches existed in one revision of the protocol; one with a hooked method is rejected. */
function readBatch(batch: unknown[], line: Buffer, text: string, isSuspect: boolean): ClientLine {
  const messages = batch.filter(isPlainObject);
  const requests = requestsOf(messages);
  const concerns = messages.some(({ method }) => HOOKED_METHODS.includes(String(method)));
  const isOdd =
    isSuspect &&
    (messages.length < batch.length || messages.some((m) => isAmbiguous(m, line, text)));
  if (!concerns && !isOdd) return { kind: "other", requests };
  const why = `a batch with ${HOOKED_METHODS.join(" or ")} is not taken: send each message on its own`;
  const answers = requests.map(({ id }) => errorAnswer(id, RPC_ERRORS.invalidRequest, why));
  return refused(
    why,
    answers.length > 0 ? answers : errorAnswer(null, RPC_ERRORS.invalidRequest, why),
  );
}

function isCallParams(params: unknown): params is CallLine["params"] {
  if (!isPlainObject(params)) return false;
  const { name, arguments: args } = params;
  if (typeof name !== "string" || hasNul(name)) return false;
  return args === undefined || args === null || isPlainObject(args);
}

/** @param text of the whole line */
function isAmbiguous(message: RpcMessage, line: Buffer, text: string): boolean {
  const { method } = message;
  return (
    !isPlainText(line, text) ||
    hasVariantOf(message, ENVELOPE) ||
    hasEqualKeys(text) ||
    (typeof method === "string" && hasNul(method) && untilNul(method) === "tools/call")
  );
}

function refused(why: string, answer: unknown): ClientLine {
  return { kind: "refused", why, answer };
}
