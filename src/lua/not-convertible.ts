import { MAX_JSON_DEPTH } from "../core/json.ts";

/** A Lua value that has no JSON form; the message names the path and why. */
export class NotConvertible extends Error {
  override readonly name = "NotConvertible";
}

/** What is nested too deep to cross. */
export function tooDeep(path: string): NotConvertible {
  return new NotConvertible(`${path.slice(0, 200)} is nested deeper than ${MAX_JSON_DEPTH} levels`);
}
