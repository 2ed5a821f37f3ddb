import { isPlainObject, nearest, OrcsError } from "../../../core/index.ts";
import type {
  CallScope,
  Child,
  ChildContext,
  Component,
  Json,
  SignalResponse,
} from "../../../core/index.ts";
import { type ScriptObject, toolMethod } from "../../lua/index.ts";
import { ownerOf, TOOL } from "../../runtime/index.ts";
import type { OwnedHooks } from "./owned-hooks.ts";

/** Keys that a component's script can return, besides fields of its own: functions and fields. */
export const COMPONENT_KEYS = [
  "id",
  "subscriptions",
  "init",
  "on_request",
  "on_signal",
  "shutdown",
  "snapshot",
  "restore",
  "tools",
] as const;

/** How the names of the functions in its table `tools` begin. */
const TOOL_PREFIX = toolMethod("");

/** A loaded script, with the hooks it registers. */
export interface LoadedScriptObject {
  /** Name of the script, for messages. */
  readonly name: string;
  readonly object: ScriptObject;
  readonly hooks: OwnedHooks;
}

/**
 * The component that a script returned.
 * @param as its id, instead of the script's own, which is always in the namespace `lua`
 * @throws OrcsError ORCS6010
 */
export function luaComponent(script: LoadedScriptObject, as: string | undefined): Component {
  const { object, hooks } = script;
  checkKeys(script);
  const id = as ?? ownId(script);
  const { subscriptions } = object.fields;
  // Lua's `{}` is both an object and a list.
  const isEmpty = isPlainObject(subscriptions) && Object.keys(subscriptions).length === 0;
  const has = (method: string): boolean => object.methods.has(method);
  const tools = [...object.methods].flatMap((method) =>
    method.startsWith(TOOL_PREFIX) ? [method.slice(TOOL_PREFIX.length)] : [],
  );
  if ("tools" in object.fields) throw invalid(script, "its tools must be functions by name");
  if (!has("on_request")) throw invalid(script, "it has no function on_request");
  const call = (method: string, args: readonly (Json | undefined)[], context: ChildContext) =>
    object.call(method, args, { scope: context, signal: context.signal });
  const alone = (method: string, args: readonly Json[]): unknown =>
    object.call(method, args, { scope: NO_CALLS, signal: new AbortController().signal });
  return {
    id,
    subscriptions: isEmpty ? [] : (subscriptions as readonly string[] | undefined),
    init(context) {
      hooks.adopt(ownerOf(context), context);
      return has("init") ? call("init", [], context) : undefined;
    },
    tools,
    onRequest: (request, context) =>
      request.category === TOOL
        ? call(toolMethod(request.operation), [request.payload], context)
        : call("on_request", [{ ...request }], context),
    ...(has("on_signal") && {
      onSignal: (signal, context) =>
        call("on_signal", [{ ...signal } as Json], context) as SignalResponse,
    }),
    ...(has("shutdown") && { shutdown: (context, status) => call("shutdown", [status], context) }),
    ...(has("snapshot") && { snapshot: () => alone("snapshot", []) }),
    ...(has("restore") && { restore: (snapshot) => alone("restore", [snapshot]) }),
    isLost: () => object.lost,
    reload() {
      if (!object.lost) return hooks.restore();
      hooks.release();
      return object.reload();
    },
    dispose: () => object.close(),
  };
}

/**
 * The child that a script returned: a function of its input, or a table with `run`.
 * @throws OrcsError ORCS6010
 */
export function luaChild(script: LoadedScriptObject): Child {
  const { object } = script;
  if (!object.methods.has("run")) {
    const why = "a child's script must return a function, or a table with the function run";
    throw invalid(script, why);
  }
  return {
    run: (input, context) =>
      object.call("run", [input], { scope: context, signal: context.signal }),
    isLost: () => object.lost,
    dispose: () => object.close(),
  };
}

function ownId(script: LoadedScriptObject): string {
  const { id } = script.object.fields;
  if (typeof id !== "string" || id === "") throw invalid(script, "it has no id");
  if (!id.includes("::")) return `lua::${id}`;
  // Otherwise guards could take it for a component of the program.
  if (id.startsWith("lua::")) return id;
  const name = id.split("::").at(-1);
  throw invalid(script, `the id of a script must be in the namespace lua; use id = "${name}"`);
}

function checkKeys(script: LoadedScriptObject): void {
  const { fields, methods } = script.object;
  const known: readonly string[] = COMPONENT_KEYS;
  for (const key of [...methods, ...Object.keys(fields)]) {
    // A description resembles subscriptions, and is none.
    if (known.includes(key) || key.startsWith(TOOL_PREFIX) || key === "description") continue;
    const meant = nearest(key, known);
    // A misspelt method would never be called. A name that resembles none of them is a field of the script.
    if (meant !== undefined)
      throw invalid(script, `it has the unknown key ${key}; did you mean ${meant}?`);
  }
}

function invalid({ name }: LoadedScriptObject, why: string): OrcsError {
  return new OrcsError("ORCS6010", `${name} is not a component or child: ${why}`, { script: name });
}

/** For `snapshot` and `restore`, which run outside of any call. */
const NO_CALLS: CallScope = {
  depth: 0,
  mayHook: false,
  get: (kind) =>
    Promise.resolve({ ok: false, error: `${kind} cannot be called in snapshot and restore` }),
};
