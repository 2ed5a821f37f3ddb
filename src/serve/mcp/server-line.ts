import { isPlainObject } from "../../core/json.ts";
import { folded, hasVariantOf, isUnambiguous } from "./ambiguity.ts";
import { idOf, isAnswer, lineOf, parsed, textOf } from "./json-rpc.ts";
import type { RpcId, RpcMessage } from "./json-rpc.ts";

/** One message of a line. */
export interface ServerMessage {
  /** Of the request that it answers; undefined where it answers none. */
  readonly id: RpcId | undefined;
  readonly message: RpcMessage;
  readonly line: Buffer;
}

/** What a line of the server is to the hooks. */
export type ServerLine =
  | {
      readonly kind: "answers";
      /** Whatever a batch holds, answers or not. */
      readonly messages: readonly ServerMessage[];
      /** The whole as we read it, where some client might read it in another way. */
      readonly anew: Buffer | undefined;
    }
  /** It looks like an answer, to one of these perhaps, that some client reads and we do not. */
  | { readonly kind: "broken"; readonly ids: readonly RpcId[]; readonly why: string }
  | { readonly kind: "other"; readonly anew: Buffer | undefined };

const OTHER: ServerLine = { kind: "other", anew: undefined };
const ANSWER_KEYS = ["jsonrpc", "id", "result", "error"];
const NOT_JSON = "the server's answer is not valid JSON";
const OTHER_LETTERS = "a key of the server's answer is written in other letters";
const TOO_DEEP = "the server's answer is nested too deep";

/**
 * Read one line of the server, its end included.
 * @param isWatched whether hooks wait for an answer; then nothing may look like one to the client alone
 */
export function readServerLine(line: Buffer, isWatched: boolean): ServerLine {
  if (!mayAnswer(line, isWatched)) return OTHER;
  const text = textOf(line);
  const value = parsed(text);
  if (value === undefined) return readBroken(text);
  const isBatch = Array.isArray(value);
  const messages: readonly unknown[] = isBatch ? value : [value];
  const broken = (why: string): ServerLine => ({ kind: "broken", ids: idsOf(messages), why });
  if (isWatched && messages.some((message) => hasVariantOf(message, ANSWER_KEYS))) {
    return broken(OTHER_LETTERS);
  }
  try {
    const anew = isWatched && !isUnambiguous(value, line, text) ? lineOf(value) : undefined;
    if (!messages.some(isOurs)) return { kind: "other", anew };
    const read = messages.map((message) => ({
      id: isOurs(message) ? idOf(message) : undefined,
      message: message as RpcMessage,
      line: isBatch ? lineOf(message) : (anew ?? line),
    }));
    return { kind: "answers", messages: read, anew };
  } catch {
    return broken(TOO_DEEP);
  }
}

/** An answer has one of these keys, unless it is written with escapes. */
function mayAnswer(line: Buffer, isWatched: boolean): boolean {
  if (line.includes('"result"') || line.includes('"error"') || line.includes("\\u")) return true;
  // As some readers compare keys.
  return isWatched && /"(?:result|error)"/iu.test(line.toString("utf8"));
}

function isOurs(message: unknown): message is RpcMessage {
  return isPlainObject(message) && isAnswer(message);
}

/** The ids of messages, in whatever letters. */
function idsOf(messages: readonly unknown[]): RpcId[] {
  return messages
    .filter(isPlainObject)
    .flatMap((message) =>
      Object.entries(message).flatMap(([key, id]) => (folded(key) === "id" && idOf({ id })) || []),
    );
}

function readBroken(text: string): ServerLine {
  if (!/"(?:result|error)"\s*:/i.test(text)) return OTHER;
  const ids = [...text.matchAll(/"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?)/gi)].flatMap(
    ([, literal = ""]) => idOf({ id: parsed(literal) }) ?? [],
  );
  return { kind: "broken", ids, why: NOT_JSON };
}
