import type { HookContext } from "./context.ts";
import type { Phase } from "./points.ts";
import { shownJson } from "./to-json.ts";

/**
 * A context whose payload and metadata are JSON of their own, as hooks read them: what the host does with its
 * objects while a handler is waited for is not the handler's doing.
 * @param phase of its point: in front of an operation, it is an error where hooks cannot look
 * @throws NotJson for a cycle, a depth beyond 32, or where hooks cannot look
 */
export function jsonContext(ctx: HookContext, phase: Phase): HookContext {
  const strict = phase === "pre";
  return {
    ...ctx,
    payload: shownJson(ctx.payload, strict, ["payload"]) as HookContext["payload"],
    metadata: shownJson(ctx.metadata, strict, ["metadata"]) as HookContext["metadata"],
  };
}
