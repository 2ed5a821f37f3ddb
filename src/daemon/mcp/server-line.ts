import { numbersOf, isPlainObject } from "../../core/index.ts";
import { caseFolded, hasVariantOf, isUnambiguous, untilNul } from "./json-ambiguity.ts";
import {
  isAnswer,
  isContradictory,
  lineOf,
  paramsOf,
  parseJson,
  roughIdOf,
  textOfLine,
} from "./json-rpc.ts";
import type { RpcId, RpcMessage } from "./json-rpc.ts";

/** One message of a line. */
export interface ServerMessage {
  /** What it must match: a response its request, progress the token of one; others nothing. */
  readonly kind: "answer" | "progress" | "other";
  /** The id of its request, or the token; undefined when no request can have it. */
  readonly key: RpcId | undefined;
  readonly message: RpcMessage;
  readonly line: Buffer;
}

/** The meaning of a server's line for hooks and clients. */
export type ServerLine =
  | {
      readonly kind: "matched";
      /** The messages of a batch, responses or not. */
      readonly messages: readonly ServerMessage[];
      /** The whole line as we read it, if some client might read it differently. */
      readonly anew: Buffer | undefined;
    }
  /** It looks like a response, possibly to one of these ids, that some client could read and we cannot. */
  | { readonly kind: "broken"; readonly ids: readonly RpcId[]; readonly why: string }
  | { readonly kind: "other"; readonly anew: Buffer | undefined };

const PROGRESS = "notifications/progress";
const PROGRESS_KEY = "progressToken";
const KEYS = ["jsonrpc", "id", "method", "params", "result", "error"];
const NOT_JSON = "the server's response is not valid JSON";
const OTHER_LETTERS = "a key of the server's message is written in other letters";
const TOO_DEEP = "the server's response is nested too deeply";
const BOTH = "the server's response has a result and an error";
const NESTED = "the server's batch holds a batch";

/** Read one line of the server, with its end. */
export function readServerLine(line: Buffer): ServerLine {
  const text = textOfLine(line);
  const value = parseJson(text);
  if (value === undefined) return readBroken(text);
  const isBatch = Array.isArray(value);
  const given: readonly unknown[] = isBatch ? value : [value];
  const objects = given.filter(isPlainObject);
  const isSuspect = mayBeAnswer(line);
  const broken = (why: string): ServerLine => ({ kind: "broken", ids: idsOf(objects), why });
  if (isSuspect && objects.some(hasOtherLetters)) return broken(OTHER_LETTERS);
  if (isSuspect && isBatch && given.some(Array.isArray)) return broken(NESTED);
  if (objects.some(isContradictory)) return broken(BOTH);
  try {
    const anew =
      isSuspect && !isUnambiguous(value, line, text) ? lineOf(value, numbersOf(text)) : undefined;
    const kinds = given.map(kindOf);
    if (kinds.every(({ kind }) => kind === "other")) return { kind: "other", anew };
    const messages = kinds.map(({ kind, key }, i) => ({
      kind,
      key,
      message: given[i] as RpcMessage,
      line: isBatch ? lineOf(given[i], numbersOf(text)) : (anew ?? line),
    }));
    return { kind: "matched", messages, anew };
  } catch {
    return broken(TOO_DEEP);
  }
}

/** Whether some parser could find an outcome or a token in it, in another case or behind an escape. */
function mayBeAnswer(line: Buffer): boolean {
  if (line.includes('"result"') || line.includes('"error"') || line.includes("\\u")) return true;
  return /"(?:result|error|progresstoken)"/iu.test(line.toString("utf8"));
}

function hasOtherLetters(message: RpcMessage): boolean {
  if (hasVariantOf(message, KEYS)) return true;
  const keys = isProgress(message) ? Object.keys(paramsOf(message)) : [];
  return keys.some((key) => key !== PROGRESS_KEY && caseFolded(key) === caseFolded(PROGRESS_KEY));
}

function kindOf(message: unknown): Pick<ServerMessage, "kind" | "key"> {
  if (!isPlainObject(message)) return { kind: "other", key: undefined };
  if (isAnswer(message)) return { kind: "answer", key: roughIdOf(message) };
  const params = paramsOf(message);
  if (!isProgress(message) || !(PROGRESS_KEY in params)) return { kind: "other", key: undefined };
  return { kind: "progress", key: roughIdOf({ id: params[PROGRESS_KEY] }) };
}

function isProgress({ method }: RpcMessage): boolean {
  return typeof method === "string" && untilNul(method) === PROGRESS;
}

/** The ids of messages, with keys in any case. */
function idsOf(messages: readonly RpcMessage[]): RpcId[] {
  return messages.flatMap((message) =>
    Object.entries(message).flatMap(
      ([key, id]) => (caseFolded(key) === "id" ? roughIdOf({ id }) : undefined) ?? [],
    ),
  );
}

function readBroken(text: string): ServerLine {
  if (!/"(?:result|error|progressToken)"\s*:/i.test(text))
    return { kind: "other", anew: undefined };
  const ids = [...text.matchAll(/"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?)/gi)].flatMap(
    ([, literal = ""]) => roughIdOf({ id: parseJson(literal) }) ?? [],
  );
  return { kind: "broken", ids, why: NOT_JSON };
}
