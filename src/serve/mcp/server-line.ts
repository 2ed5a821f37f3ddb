import { isPlainObject } from "../../core/json.ts";
import { idOf, isAnswer, parsed, textOf } from "./json-rpc.ts";
import type { RpcId, RpcMessage } from "./json-rpc.ts";

/** What a line of the server is to the hooks. */
export type ServerLine =
  | {
      readonly kind: "answers";
      /** Whatever a batch holds, answers or not. */
      readonly messages: readonly RpcMessage[];
      readonly isBatch: boolean;
    }
  /** No JSON, but it looks like an answer, to one of these perhaps: a lenient client might read it. */
  | { readonly kind: "broken"; readonly ids: readonly RpcId[] }
  | { readonly kind: "other" };

const OTHER: ServerLine = { kind: "other" };

/** Read one line of the server, its end included. */
export function readServerLine(line: Buffer): ServerLine {
  // An answer has one of these keys, unless it is written with escapes.
  if (!line.includes('"result"') && !line.includes('"error"') && !line.includes("\\u"))
    return OTHER;
  const text = textOf(line);
  const value = parsed(text);
  if (value === undefined) return readBroken(text);
  if (Array.isArray(value)) {
    const isOurs = value.some((message) => isPlainObject(message) && isAnswer(message));
    return isOurs ? { kind: "answers", messages: value as RpcMessage[], isBatch: true } : OTHER;
  }
  if (!isPlainObject(value) || !isAnswer(value)) return OTHER;
  return { kind: "answers", messages: [value], isBatch: false };
}

function readBroken(text: string): ServerLine {
  if (!/"(?:result|error)"\s*:/.test(text)) return OTHER;
  const ids = [...text.matchAll(/"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?)/g)].flatMap(
    ([, literal = ""]) => idOf({ id: parsed(literal) }) ?? [],
  );
  return { kind: "broken", ids };
}
