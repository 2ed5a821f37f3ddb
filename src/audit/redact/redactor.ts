import type { Json } from "../../core/json.ts";
import type { Redactor } from "../../core/ports.ts";
import { KeyNames } from "./key-names.ts";
import { textRedactor } from "./text.ts";
import { valueRedactor } from "./value.ts";

/** What is masked besides what is known anyway. */
export interface RedactorOptions {
  /** Names of keys, whatever their case, whose values are masked. */
  readonly keys: readonly string[];
  /** Each masks what it knows in a text; in linear time. */
  readonly masks: readonly ((text: string) => string)[];
}

/** Masks secrets by the names of keys and by what they look like. */
export function createRedactor({ keys, masks }: RedactorOptions): Redactor {
  const names = new KeyNames(keys);
  const text = textRedactor(names, masks);
  const redacted = valueRedactor(names, text);
  return {
    text,
    value: <T extends Json | undefined>(value: T): T =>
      value === undefined ? value : (redacted(value) as T),
  };
}
