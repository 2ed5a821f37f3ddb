import type { HookContext } from "../../core/context.ts";
import { nearest } from "../../core/nearest.ts";
import type { Expression } from "./ast.ts";
import { didYouMean } from "./finding.ts";
import type { Finding, HookFacts, Subject } from "./finding.ts";
import { localPath } from "./read-expression.ts";
import type { Local } from "./resolve.ts";

/** What stands in `ctx`, and nothing else. */
const CONTEXT_KEYS: readonly string[] = [
  "hook_point",
  "component_id",
  "channel_id",
  "principal",
  "timestamp_ms",
  "payload",
  "metadata",
  "depth",
  "max_depth",
] satisfies (keyof HookContext)[];

/** Keys of the context that are not there, and keys of the payload that are nearly ones of the point. */
export function* checkContext({ program, handlers }: Subject): Generator<Finding> {
  const hooksOf = new Map<Local, readonly HookFacts[]>();
  for (const { literal, hooks } of handlers) {
    const [ctx] = literal.parameters;
    const local = ctx && program.localOf.get(ctx);
    if (local) hooksOf.set(local, hooks);
  }
  if (hooksOf.size === 0) return;
  for (const expression of program.expressions) {
    if (expression.kind !== "index") continue;
    const path = localPath(expression, program);
    const hooks = path && hooksOf.get(path.root);
    if (!hooks) continue;
    const [key = "", below] = path.keys;
    if (path.keys.length === 1) yield* unknownContextKey(key, expression.key);
    else if (path.keys.length === 2 && key === "payload" && below !== undefined) {
      yield* unlikelyPayloadKey(below, expression.key, hooks);
    }
  }
}

function* unknownContextKey(key: string, at: Expression): Generator<Finding> {
  if (CONTEXT_KEYS.includes(key)) return;
  const hint = didYouMean(nearest(key, CONTEXT_KEYS));
  const message = `a context has no ${JSON.stringify(key)}`;
  yield { code: "ORCS1107", severity: "warning", message, at, ...hint };
}

/** A payload may hold more than its point says: only what is nearly a known key is likely a slip. */
function* unlikelyPayloadKey(
  key: string,
  at: Expression,
  hooks: readonly HookFacts[],
): Generator<Finding> {
  const [first, ...others] = new Set(hooks.map(({ point }) => point));
  if (!first || others.length > 0 || first.known.size === 0 || first.known.has(key)) return;
  const near = nearest(key, first.known.keys());
  if (near === undefined) return;
  const message = `a payload of ${first.name} has no ${JSON.stringify(key)}`;
  yield { code: "ORCS1107", severity: "warning", message, at, ...didYouMean(near) };
}
