import { normalisePath } from "../lexical-path.ts";
import { MAX_PATH } from "./limits.ts";

/** A directory as seen from another one; what is not known stays so, except for an absolute path. */
export function lexicalJoin(from: string | undefined, to: string): string | undefined {
  if (to.startsWith("/")) return normalisePath(to);
  if (from === undefined || from.length + to.length > MAX_PATH) return undefined;
  return normalisePath(`${from}/${to}`) || ".";
}
