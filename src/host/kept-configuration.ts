import { join } from "node:path";
import { CONFIG_NAME, defaultUserDir } from "../config/found-files.ts";
import { writtenHooks } from "../config/schema.ts";
import { readTomlFile } from "../config/toml-file.ts";
import { isPlainObject } from "../core/json.ts";
import { sameJson } from "../core/same-json.ts";

/** The user's own configuration; it need not be there. */
export function ownConfiguration(): string {
  return join(defaultUserDir(), CONFIG_NAME);
}

/** What may be another in the user's own configuration without a question; hooks may be added. */
const FREE = new Set(["hooks", "debug", "ui", "model"]);

/**
 * Whether a new text of the user's own configuration keeps each hook, and what else it says that may loosen something.
 * @throws Error when it is not TOML
 */
export function keepsConfiguration(before: string | undefined, after: string): boolean {
  const now = tomlOf(before ?? "");
  const then = tomlOf(after);
  if (then["self_guard"] === false) return false;
  const keys = new Set([...Object.keys(now), ...Object.keys(then)]);
  const isHeld = [...keys].every((key) => FREE.has(key) || sameJson(now[key], then[key]));
  const hooks = writtenHooks(then).flatMap((list) => list.hooks);
  const had = writtenHooks(now).flatMap((list) => list.hooks);
  return isHeld && had.every((hook) => hooks.some((each) => sameJson(hook, each)));
}

/** @throws Error when it is not TOML */
export function tomlOf(text: string): Record<string, unknown> {
  const read = readTomlFile(CONFIG_NAME, CONFIG_NAME, () => Buffer.from(text));
  if (read.mistake || !isPlainObject(read.tree)) throw new Error("it is not TOML");
  return read.tree;
}
