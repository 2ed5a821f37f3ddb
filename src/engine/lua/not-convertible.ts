import { MAX_JSON_DEPTH } from "../../core/index.ts";

/** Longest message, in characters. */
const MOST = 400;

/** A Lua value without a JSON form; the message has its path and the reason. */
export class NotConvertible extends Error {
  override readonly name = "NotConvertible";

  constructor(message: string) {
    // A path consists of keys, which can be as long as a script likes.
    super(
      message.length > MOST
        ? `${message.slice(0, MOST / 2)} … ${message.slice(-MOST / 2)}`
        : message,
    );
  }
}

/** The error for values nested too deeply. */
export function tooDeep(path: string): NotConvertible {
  return new NotConvertible(`${path.slice(0, 200)} is nested deeper than ${MAX_JSON_DEPTH} levels`);
}
