import type { HookContext } from "../core/context.ts";
import type { Edit } from "../core/hook.ts";
import { copyObject, setOwn } from "../core/json.ts";

type Container = Record<string, unknown> | unknown[];

/**
 * The context with a journal of edits applied. What no edit touches is shared with the context given,
 * which is never written to.
 */
export function applyEdits(ctx: HookContext, edits: readonly Edit[]): HookContext {
  if (edits.length === 0) return ctx;
  const fresh = new Set<object>();
  const root = own(ctx, fresh) as Record<string, unknown>;
  for (const { path, value } of edits) {
    let at: Container = root;
    for (const part of path.slice(0, -1)) {
      const child = own((at as Record<string | number, unknown>)[part], fresh);
      write(at, part, child);
      at = child;
    }
    const last = path.at(-1);
    if (last !== undefined) write(at, last, value);
  }
  return root as unknown as HookContext;
}

/** A copy that may be written to: each container is copied once per journal. */
function own(value: unknown, fresh: Set<object>): Container {
  const container = value as Container;
  if (fresh.has(container)) return container;
  const copy = Array.isArray(container) ? [...container] : copyObject(container);
  fresh.add(copy);
  return copy;
}

function write(at: Container, key: string | number, value: unknown): void {
  if (Array.isArray(at)) at[Number(key)] = value;
  else if (value === undefined) delete at[key];
  else setOwn(at, String(key), value);
}
