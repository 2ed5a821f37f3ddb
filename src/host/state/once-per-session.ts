import type { HookContext } from "../../core/context.ts";
import type { Hook } from "../../core/hook.ts";
import type { StateStore } from "../../core/ports.ts";

/** How long it is remembered, in milliseconds: a session that is taken up again after so long begins anew. */
const KEPT_MS = 90 * 24 * 3600 * 1000;

/**
 * `once` for engines that come and go: a hook runs once in each session that payloads name, whichever engine
 * it is that serves it. Payloads that name none are one session.
 */
export function oncePerSession(state: StateStore): (hook: Hook, ctx: HookContext) => boolean {
  return ({ id }, { payload }) => {
    const { session_id: session } = payload;
    const whose = typeof session === "string" ? session : "";
    const key = `orcs:once:${JSON.stringify([id, whose])}`;
    return isFirstTime(state, key);
  };
}

/** Whether nobody has asked for a key yet, in whichever process. */
export function isFirstTime(state: StateStore, key: string): boolean {
  // Most have run, and to look costs less than to count.
  return state.get(key) === undefined && state.incr(key, 1, KEPT_MS) === 1;
}
