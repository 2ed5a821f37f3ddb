import { normalisePath } from "../lexical-path.ts";

/** A directory as seen from another one; what is not known stays so, except for an absolute path. */
export function lexicalJoin(from: string | undefined, to: string): string | undefined {
  if (to.startsWith("/")) return normalisePath(to);
  return from === undefined ? undefined : normalisePath(`${from}/${to}`) || ".";
}
