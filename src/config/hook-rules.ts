import type { ConfigError, KeyPath } from "./config-error.ts";
import { HANDLER_KEYS } from "./handlers.ts";
import { PYTHON_NAME } from "./python-function.ts";
import { quoted } from "./schema-parts.ts";
import { writtenHooks } from "./schema.ts";
import { spellingErrors, writtenKey } from "./spellings.ts";
import { isTable, type Table, valueOf } from "./table.ts";

/**
 * Rules about more than one key. They check the raw tree, so their errors are reported together with those of single
 * keys.
 */
export function ruleErrors(tree: unknown): ConfigError[] {
  const mistakes = agentNameErrors(tree);
  for (const { path, hooks } of writtenHooks(tree)) {
    const ids = new Map<string, KeyPath>();
    for (const [i, hook] of hooks.entries()) {
      if (!isTable(hook)) continue;
      const at = [...path, i];
      mistakes.push(...spellingErrors(hook, at), ...handlerErrors(hook, at));
      mistakes.push(...typeErrors(hook, at), ...idErrors(hook, at, ids));
    }
  }
  return mistakes;
}

/** zod skips `__proto__` in a record; as the name of an agent it is an error. */
function agentNameErrors(tree: unknown): ConfigError[] {
  const agents = valueOf(tree, "agents");
  if (!isTable(agents) || !Object.hasOwn(agents, "__proto__")) return [];
  const path = ["agents", "__proto__"];
  return [{ code: "ORCS1003", path, at: "key", message: `"__proto__" is not a valid agent name` }];
}

/** The handler keys that hints suggest. */
const SHOWN_KEYS = HANDLER_KEYS.filter((key) => key !== "script");

function handlerErrors(hook: Table, path: KeyPath): ConfigError[] {
  const [first, second] = Object.keys(hook).flatMap((written) =>
    HANDLER_KEYS.filter((key) => key === written && hook[key] !== undefined),
  );
  if (first === undefined) {
    const hint = `add a handler, such as script = "guard.lua", or ${SHOWN_KEYS.join(" or ")}`;
    return [{ code: "ORCS1007", path, at: "key", message: "this hook has no handler", hint }];
  }
  const mistakes: ConfigError[] = [];
  if (second !== undefined) {
    const message = `this hook already has the handler ${first}`;
    const hint = "keep exactly one";
    mistakes.push({ code: "ORCS1008", path: [...path, second], at: "key", message, hint });
  }
  if (first !== "script" && writtenKey(hook, "point") === undefined) {
    const message = `a hook with ${first} needs a point`;
    const hint = `add a point, such as point = "tool.pre_execute"; only a script can set its own point`;
    mistakes.push({ code: "ORCS1013", path, at: "key", message, hint });
  }
  return mistakes;
}

/** MassGen's `handler` has a `type`. */
function typeErrors(hook: Table, path: KeyPath): ConfigError[] {
  const type = valueOf(hook, "type");
  const handler = valueOf(hook, "handler");
  if (handler === undefined || isTable(handler)) {
    if (type === undefined) return [];
    const message = handler
      ? "type belongs to a handler that is a text, in MassGen's spelling"
      : "type requires handler, which this hook does not have";
    return [{ code: "ORCS1003", path: [...path, "type"], at: "key", message }];
  }
  if (type === undefined) {
    const hint = 'add type = "command" for a command, or type = "python" for a function';
    return [{ code: "ORCS1013", path, at: "key", message: "handler requires type", hint }];
  }
  if (type !== "python" || typeof handler !== "string" || PYTHON_NAME.test(handler)) return [];
  const message = `expected a function of a Python module, such as package.module.function, got ${quoted(handler)}`;
  const hint = 'a command has type = "command"';
  return [{ code: "ORCS1004", path: [...path, "handler"], at: "value", message, hint }];
}

function idErrors(hook: Table, path: KeyPath, ids: Map<string, KeyPath>): ConfigError[] {
  const key = writtenKey(hook, "id");
  const id = key === undefined ? undefined : valueOf(hook, key);
  if (key === undefined || typeof id !== "string") return [];
  const first = ids.get(id);
  ids.set(id, first ?? path);
  if (first === undefined) return [];
  const message: ConfigError["message"] = (whereIs) =>
    `the hook at ${whereIs(first)} already has the id ${JSON.stringify(id)}`;
  return [{ code: "ORCS1006", path: [...path, key], at: "value", message }];
}
