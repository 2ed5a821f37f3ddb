import { injectedText } from "../../core/index.ts";
import type { Injection } from "../../core/index.ts";

/** The output of a tool, and the texts of hooks behind it. */
export function withTexts(result: unknown, inject: readonly Injection[]): unknown {
  if (inject.length === 0) return result;
  const texts = inject.map(injectedText);
  const parts: readonly unknown[] = Array.isArray(result) ? result : [result];
  if (parts.length > 0 && parts.every(isPart)) {
    return [...parts, ...texts.map((text) => ({ type: "text", text }))];
  }
  return [shown(result), ...texts].join("\n\n");
}

/** Whether the SDK passes it on as a part of the output; it writes everything else as JSON. */
function isPart(value: unknown): boolean {
  const { type } = (value ?? {}) as { readonly type?: unknown };
  return type === "text" || type === "image" || type === "file";
}

/** A value as the model reads it. */
export function shown(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}
