import type { Edit, HookReport } from "../../core/hook.ts";
import type { HandlerCall } from "../protocol.ts";
import { carryOn, refuse } from "../report.ts";

/**
 * What a block means at an event: the operation is refused, or where it is over, the model is told why.
 * @param context more that the model is to be told
 * @param edits what else the handler changed, where the operation is over
 */
export function block(
  call: HandlerCall,
  reason: string,
  context: readonly string[] = [],
  edits: readonly Edit[] = [],
): HookReport {
  if (call.point.phase !== "post") return refuse(call, reason);
  const texts = [reason, ...context].filter((text) => text !== "");
  return carryOn(texts.length > 0 ? { inject: texts } : {}, edits);
}
