import type { OrcsSession } from "../../engine/index.ts";

/** What stands in a conversation in place of a message of the user that hooks have denied. */
export const WITHHELD = "(This message was withheld.)";

/** How denials name the operation of `prompt.submit`. */
export const THE_MESSAGE = "the message";
/** How denials name the operation of `llm.generate`. */
export const THE_MODEL_CALL = "the model call";

/** What hooks gave as a text; JSON for what is none. */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

/** Whether hooks may change or deny the response of a model: then nobody may read it before they have run. */
export function mayChangeResponses(orcs: OrcsSession): boolean {
  const hooks = orcs.registry.list("llm.post_generate");
  return hooks.some(({ async: isAsync, observe }) => !isAsync && !observe);
}
