import { lazyConstant } from "../../core/index.ts";
import type { Redactor } from "../../core/index.ts";
import type { Settings } from "../../config/index.ts";
import { compileMask } from "../../matching/index.ts";
import { createRedactor } from "../../guards/index.ts";

/**
 * The redactor of an engine: known kinds of secrets, and what `[redact]` adds.
 * @throws OrcsError ORCS1012 for an invalid pattern
 */
export function redactorOf({ redact }: Pick<Settings, "redact">): Redactor {
  const masks = redact.patterns.map((pattern) => compileMask("redact", pattern));
  // Many processes mask nothing.
  const made = lazyConstant(() => createRedactor({ keys: redact.keys, masks }));
  return { text: (text) => made().text(text), value: (value) => made().value(value) };
}

/** Redact a text with the known kinds of secrets alone, where there is no engine. */
export function maskedText(text: string): string {
  return createRedactor({ keys: [], masks: [] }).text(text);
}
