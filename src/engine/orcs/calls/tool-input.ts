import { copyContainer, isPlainObject, OrcsError, shownObject } from "../../../core/index.ts";
import type { Container, JsonObject } from "../../../core/index.ts";

/** The parameters of a call as hooks see them, and back. */
export interface ToolInput {
  /** `args` of the payload. */
  readonly args: JsonObject;
  /**
   * The parameters for the tool.
   * @param after `args` as the hooks left them
   * @throws OrcsError ORCS2003 when they cannot be parameters any more
   */
  params(after: JsonObject): unknown[];
}

/**
 * The parameters of a function as one object, in this order:
 * - with names: an object with these keys; further parameters are not shown
 * - none: an empty object
 * - the first is an object: that object; further parameters are not shown
 * - a single value of any other kind: `{ value }`
 * - several: `{ args: […] }`
 *
 * What is not shown reaches the function as it was.
 */
export function toolInput(params: readonly unknown[], names?: readonly string[]): ToolInput {
  if (names) return namedInput(params, names);
  const [first, ...rest] = params;
  if (params.length <= 1 && (first === undefined || first === null)) {
    return {
      args: {},
      params: (after) => (Object.keys(after).length === 0 ? [...params] : [after]),
    };
  }
  const args = argumentsIn(first);
  // An instance is passed on itself, unless a hook changed what it holds.
  if (args) return { args, params: (after) => [after === args ? first : after, ...rest] };
  if (params.length === 1) {
    return { args: { value: first } as JsonObject, params: (after) => [after["value"]] };
  }
  return { args: { args: params } as unknown as JsonObject, params: listed };
}

/** The argument of `orcs.get` or `orcs.call` as parameters; with names, an object holds them by name. */
export function argumentInput(arg: unknown, names?: readonly string[]): ToolInput {
  if (arg === undefined || arg === null) return toolInput([], names);
  const args = names && argumentsIn(arg);
  if (!args) return toolInput([arg], names);
  return { args, params: (after) => positional(after, names, 0) };
}

function namedInput(params: readonly unknown[], names: readonly string[]): ToolInput {
  const shown = names.slice(0, params.length);
  const args = Object.fromEntries(shown.map((name, i) => [name, params[i]]));
  const rest = params.slice(names.length);
  return {
    args: args as JsonObject,
    params: (after) => [...positional(after, names, shown.length), ...rest],
  };
}

/** Named arguments in order. Missing last ones stay missing, because a function may count its parameters. */
function positional(after: JsonObject, names: readonly string[], least: number): unknown[] {
  const values = names.map((name): unknown => after[name]);
  const last = values.findLastIndex((value) => value !== undefined);
  return values.slice(0, Math.max(least, last + 1));
}

function listed(after: JsonObject): unknown[] {
  const list: unknown = after["args"];
  if (Array.isArray(list)) return list;
  throw new OrcsError("ORCS2003", "a hook changed payload.args.args, which must stay a list", {});
}

/** The keys of a value that hooks see as an object: its own, or those of an instance of a class. */
function argumentsIn(value: unknown): JsonObject | undefined {
  if (typeof value !== "object" || value === null || shownObject(value) !== value) return undefined;
  if (isPlainObject(value)) return value as JsonObject;
  return Array.isArray(value) ? undefined : (copyContainer(value as Container) as JsonObject);
}
