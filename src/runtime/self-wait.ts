import { OrcsError } from "../core/errors.ts";
import type { CallState } from "./actor.ts";

/**
 * A call as one that somebody is about to serve, who serves one at a time: what is made for it waits for that.
 * @param name of the queue that it stands in
 * @throws OrcsError ORCS6011 when that one waits for the call already
 */
export function servedBy(name: string, call: CallState): CallState {
  expectNoWait(name, call);
  return { ...call, via: [...call.via, name] };
}

/** @throws OrcsError ORCS6011 when somebody waits for a call that it is to serve */
export function expectNoWait(name: string, { via }: CallState): void {
  if (!via.includes(name)) return;
  const way = [...via, name].join(" → ");
  throw new OrcsError("ORCS6011", `the request would wait for itself: ${way}`, { target: name });
}
