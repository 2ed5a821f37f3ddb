import { NOTHING_STATED, type Settings } from "../../config/index.ts";
import {
  capabilityBits,
  HOOK_MODES,
  OrcsError,
  resolvePoint,
  STORE_ERROR_MODES,
  suggestion,
} from "../../core/index.ts";
import type { Authority, ErrorCode, Hook, HookMode, PointSet } from "../../core/index.ts";
import { GrantBook } from "../auth/index.ts";
import { realpath } from "../../machine/index.ts";
import { compileHook, type DefineContext, FunctionRunner } from "../registry/index.ts";
import type { CreateOrcsOptions, HookDefinition } from "./options.ts";
import { effectReader } from "./effect-reader.ts";

const KEYS = [...Object.keys(NOTHING_STATED), "handler", "options"];

/**
 * A hook written in TypeScript, ready to be registered.
 * @param number for the id of a definition without one
 * @throws OrcsError ORCS1003–1007, ORCS1011–1013 for an invalid definition
 */
export function definedHook(
  definition: HookDefinition,
  number: number,
  defining: DefineContext,
  modeLimit?: HookMode,
): Hook {
  checkDefinition(definition);
  const point = resolvePoint(definition.point, defining.points);
  const id = definition.id ?? `code:${point.name}:${number}`;
  const runner = new FunctionRunner(definition.handler, definition.options);
  return compileHook(id, point, definition, runner, { origin: "code", modeLimit }, defining);
}

/**
 * Check a definition at run time: programs in plain JavaScript have no type check. The parsers of points, FQL, patterns
 * and numbers check their own texts.
 * @throws OrcsError ORCS1003 (unknown key), ORCS1004 (wrong value), ORCS1007 (no handler), ORCS1013 (no point)
 */
function checkDefinition(definition: HookDefinition): void {
  const { point, handler } = definition;
  if (typeof point !== "string") throw wrong("ORCS1013", "a hook needs a point", "point");
  const stray = Object.keys(definition).find((key) => !KEYS.includes(key));
  if (stray !== undefined) {
    const hint = suggestion(stray, KEYS);
    throw wrong("ORCS1003", `the hook on ${point} has the unknown key ${stray}${hint}`, stray);
  }
  if (typeof handler !== "function") {
    throw wrong("ORCS1007", `the hook on ${point} has no handler`, "handler");
  }
  for (const [key, values = []] of Object.entries<readonly unknown[] | undefined>(VALUES)) {
    const value = definition[key as keyof HookDefinition];
    if (value === undefined || values.includes(value)) continue;
    const known = values.map((each) => JSON.stringify(each)).join(" or ");
    throw wrong("ORCS1004", `the hook on ${point}: ${key} must be ${known}`, key);
  }
}

const FLAG = [true, false];
const FAILURE_MODES = ["open", "closed"];

/** The values of keys that have few. A misspelt mode would count as open. */
const VALUES: { readonly [Key in keyof HookDefinition]?: readonly unknown[] } = {
  onError: FAILURE_MODES,
  onTimeout: FAILURE_MODES,
  onStoreError: STORE_ERROR_MODES,
  mode: HOOK_MODES,
  enabled: FLAG,
  once: FLAG,
  async: FLAG,
  observe: FLAG,
  stream: FLAG,
  shadowEffects: FLAG,
};

function wrong(code: ErrorCode, message: string, key: string): OrcsError {
  return new OrcsError(code, message, { key });
}

/** The context in which hooks are defined. Lua guards and match conditions use the same shell reader. */
export function defineContext(
  points: PointSet,
  { permissions }: Settings,
  agent?: DefineContext["agent"],
  tools?: CreateOrcsOptions["tools"],
): DefineContext {
  // A relative path means the same to a guard as to the tools.
  return {
    points,
    cwd: permissions.root,
    realpath,
    effects: effectReader(permissions.root, tools),
    ...(agent && { agent }),
  };
}

/** The authority of callers that have none of their own. */
export function defaultAuthority({
  capabilities,
  root,
  grants,
}: Settings["permissions"]): Authority {
  const authority = {
    capabilities: capabilityBits(capabilities),
    sandboxRoot: root,
    // Without any `grants` setting, commands need no grant.
    session: { id: "main", elevated: grants === undefined },
    grants: new GrantBook(),
  };
  for (const pattern of grants ?? []) authority.grants.add(pattern, "persistent");
  return authority;
}
