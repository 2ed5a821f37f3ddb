import { injectedText, type Injection } from "../../core/index.ts";
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

/** What a model reads, and the texts of hooks behind it: as parts of a list, or below a text. */
export function withTexts<T>(value: T, inject: readonly Injection[]): T | string {
  if (inject.length === 0) return value;
  const texts = inject.map(injectedText);
  if (!Array.isArray(value)) return [asText(value), ...texts].join("\n\n");
  return [...(value as unknown[]), ...texts.map((text) => ({ type: "text", text }))] as T;
}

/** Whether hooks may change or deny the response of a model: then nobody may read it before they have run. */
export function mayChangeResponses(orcs: OrcsSession): boolean {
  const hooks = orcs.registry.list("llm.post_generate");
  return hooks.some(({ async: isAsync, observe }) => !isAsync && !observe);
}

/** Parts with another text: in place of the first text, and of all others. */
export function withText<Other extends { readonly type: string }>(
  parts: readonly (Other | TextPart)[],
  text: string,
): (Other | TextPart)[] {
  const part: TextPart = { type: "text", text };
  const first = parts.findIndex(({ type }) => type === "text");
  if (first < 0) return [...parts, part];
  const others = parts.slice(first).filter(({ type }) => type !== "text");
  return [...parts.slice(0, first), part, ...others];
}

/** The text in content of all kinds. */
type TextPart = { type: "text"; text: string };
