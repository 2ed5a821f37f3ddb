import type { HookContext } from "../core/context.ts";
import type { Edit } from "../core/hook.ts";
import { setOwn } from "../core/json.ts";
import { ACCESSOR, copyContainer, isContainer, keptParts, ownData, shown } from "../core/shown.ts";

type Writable = Record<string, unknown> | unknown[];

/**
 * The context with a journal of edits applied. What no edit touches is shared with the context given,
 * which is never written to: a Date stays a Date, and an instance that an edit goes into becomes plain data. An
 * edit that writes what reads the same as what was there changes nothing.
 */
export function applyEdits(ctx: HookContext, edits: readonly Edit[]): HookContext {
  const fresh = new Set<unknown>();
  let root: unknown = ctx;
  for (const { path, value } of edits) {
    const was = valueAt(root, path);
    const is = keptParts(was, value);
    if (Object.is(was, is) || path.length === 0) continue;
    // What the registry made itself holds no accessor: that copy is a quick one.
    if (root === ctx) fresh.add((root = { ...ctx }));
    let at = root as Writable;
    for (let i = 0; i < path.length - 1; i++) {
      const part = path[i] as string | number;
      const child = own(ownData(at, part), fresh);
      write(at, part, child);
      at = child;
    }
    write(at, path.at(-1) as string | number, is);
  }
  return root as HookContext;
}

/** What stands at a path, before it is shown. */
function valueAt(root: unknown, path: Edit["path"]): unknown {
  let at = root;
  for (const part of path) {
    const seen = shown(at);
    at = isContainer(seen) ? ownData(seen, part) : undefined;
  }
  return at;
}

/** A copy that may be written to: each container is copied once per journal. */
function own(value: unknown, fresh: Set<unknown>): Writable {
  if (fresh.has(value)) return value as Writable;
  const seen = shown(value);
  const copy = isContainer(seen) ? copyContainer(seen) : {};
  fresh.add(copy);
  return copy;
}

function write(at: Writable, key: string | number, value: unknown): void {
  const container = at as Record<string | number, unknown>;
  // Where an accessor stands, plain assignment would run it.
  if (value === undefined || ownData(at, key) === ACCESSOR) delete container[key];
  if (Array.isArray(at)) at[Number(key)] = value;
  else if (value !== undefined) setOwn(at, String(key), value);
}
