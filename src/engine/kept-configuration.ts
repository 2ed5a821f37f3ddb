import { join } from "node:path";
import { CONFIG_NAME } from "../config/discover.ts";
import { defaultUserDir } from "../files/user-folders.ts";
import { readTomlFile } from "../config/toml-file.ts";
import { equalJson, isPlainObject } from "../core/json.ts";

/** The user's own configuration; it need not be there. */
export function ownConfiguration(): string {
  return join(defaultUserDir(), CONFIG_NAME);
}

/** What may be another in the user's own configuration without a question. */
const FREE = new Set(["debug", "model"]);

/**
 * Whether a new text of the user's own configuration says what it said, but for comments, tests, and how things look. A
 * hook that is added counts as much as one that goes: it may end the chain before all others, or run a command.
 * @throws Error when it is not TOML
 */
export function keepsConfiguration(before: string | undefined, after: string): boolean {
  const then = tomlOf(after);
  if (then["self_guard"] === false) return false;
  return equalJson(heldOf(tomlOf(before ?? "")), heldOf(then));
}

/** What may not change: all but what is free, and the tests of hooks. */
function heldOf(tree: Record<string, unknown>): unknown {
  const { hooks, agents } = tree;
  const entries = Object.entries(tree).filter(([key]) => !FREE.has(key));
  return { ...Object.fromEntries(entries), hooks: untested(hooks), agents: ofAgents(agents) };
}

/** `[[hooks]]`, or `[[hooks.hooks]]`. */
function untested(hooks: unknown): unknown {
  if (isPlainObject(hooks)) return { ...hooks, hooks: untested(hooks["hooks"]) };
  if (!Array.isArray(hooks)) return hooks;
  return hooks.map((hook: unknown) => (isPlainObject(hook) ? { ...hook, tests: undefined } : hook));
}

function ofAgents(agents: unknown): unknown {
  if (!isPlainObject(agents)) return agents;
  return Object.fromEntries(
    Object.entries(agents).map(([name, agent]) => [
      name,
      isPlainObject(agent) ? { ...agent, hooks: untested(agent["hooks"]) } : agent,
    ]),
  );
}

/** @throws Error when it is not TOML */
export function tomlOf(text: string): Record<string, unknown> {
  const read = readTomlFile(CONFIG_NAME, CONFIG_NAME, () => Buffer.from(text));
  if (read.mistake || !isPlainObject(read.tree)) throw new Error("it is not valid TOML");
  return read.tree;
}
