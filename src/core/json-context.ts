import type { HookContext } from "./context.ts";
import { toJson } from "./to-json.ts";

/**
 * A context whose payload and metadata are JSON of their own: what the host does with its objects while a
 * handler is waited for is not the handler's doing.
 * @throws NotJson when JSON has no word for something in it; what a getter throws comes through
 */
export function jsonContext(ctx: HookContext): HookContext {
  return {
    ...ctx,
    payload: toJson(ctx.payload, undefined, ["payload"]) as HookContext["payload"],
    metadata: toJson(ctx.metadata, undefined, ["metadata"]) as HookContext["metadata"],
  };
}
