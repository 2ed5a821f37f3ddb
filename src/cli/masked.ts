import type { Json } from "../core/json.ts";
import type { Orcs } from "../host/orcs.ts";

/** What is to be shown, with its secrets masked: a copy, in what JSON has words for. */
export function masked<Shown extends object>(orcs: Orcs, shown: Shown): Shown {
  return orcs.redact(JSON.parse(JSON.stringify(shown)) as Json) as Shown;
}
