import { oneLine } from "../core/one-line.ts";

/** Half of a character: a host may reject the whole answer for it, a refusal with it. */
const HALF = /\p{Surrogate}/gu;

/** A notice as people and models read it: one line that says whose it is. A path in it may hold anything. */
export function noticeLine(text: string): string {
  return `orcs: ${oneLine(text).replace(HALF, "\ufffd")}`;
}
