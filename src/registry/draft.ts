import type { HookContext } from "../core/context.ts";
import type { Edit } from "../core/hook.ts";
import { isPlainObject } from "../core/json.ts";
import type { Json } from "../core/json.ts";
import { toJson } from "../core/to-json.ts";

type Container = Record<PropertyKey, unknown>;
type Path = readonly (string | number)[];

/** A part of the context that a handler has reached: what the host gave, and the copy once it writes. */
interface Node {
  readonly base: Container;
  copy: Container | undefined;
  /** Parts reached through this one, by key. */
  children: Map<PropertyKey, Node> | undefined;
  proxy: object;
}

/** Where a proxy's target keeps its node; no key of a context is a symbol. */
const NODE = Symbol("draft node");

/**
 * A context that a TypeScript handler may edit in place. Reads go to the host's own objects, the first
 * write to a part copies that part alone, and the journal of what changed comes from the copies; so
 * dropping a draft drops its edits, and the host's objects are never written to.
 */
export function draftOf(ctx: HookContext): HookContext {
  return createNode(ctx as unknown as Container).proxy as HookContext;
}

/**
 * What the handler changed in a draft, in JSON.
 * @throws NotJson when it wrote something that JSON has no word for.
 */
export function journalOf(draft: HookContext): Edit[] {
  const edits: Edit[] = [];
  const root = nodeOf(draft);
  if (root && isDirty(root)) collect(root, [], edits);
  return edits;
}

/**
 * A value that a handler gave, with parts of a draft taken for what they are now.
 * @throws NotJson
 */
export function draftJson(value: unknown): Json {
  return toJson(value, (object) => {
    const node = nodeOf(object);
    return node && (current(node) as Json);
  });
}

function nodeOf(value: object): Node | undefined {
  return (value as { [NODE]?: Node })[NODE];
}

function createNode(base: Container): Node {
  // An array stands behind lists so that Array.isArray holds; the traps read the node, not the target.
  const target = (Array.isArray(base) ? [] : {}) as Container;
  const node: Node = { base, copy: undefined, children: undefined, proxy: target };
  target[NODE] = node;
  node.proxy = new Proxy(target, TRAPS);
  return node;
}

function isDirty(node: Node): boolean {
  if (node.copy) return true;
  if (!node.children) return false;
  for (const child of node.children.values()) if (isDirty(child)) return true;
  return false;
}

/** A part is still in its place unless the handler put something else there. */
function inPlace(child: Node, value: unknown): boolean {
  return value === child.base || value === child.proxy;
}

function collect(node: Node, path: Path, edits: Edit[]): void {
  const { base, copy } = node;
  const latest = copy ?? base;
  if (copy) {
    if (Array.isArray(copy) && copy.length !== (base as unknown as unknown[]).length) {
      edits.push({ path, value: current(node) as Json });
      return;
    }
    for (const key of Object.keys(base)) {
      if (!Object.hasOwn(copy, key)) edits.push({ path: [...path, key], value: undefined });
    }
    for (const key of Object.keys(copy)) {
      const value = copy[key];
      const child = node.children?.get(key);
      if (child && inPlace(child, value)) continue;
      if (Object.hasOwn(base, key) && value === base[key]) continue;
      edits.push({
        path: [...path, key],
        value: value === undefined ? undefined : draftJson(value),
      });
    }
  }
  for (const [key, child] of node.children ?? []) {
    if (inPlace(child, latest[key]) && isDirty(child))
      collect(child, [...path, key as string], edits);
  }
}

/** A part as it is now, its edits and those below included; the host's own object if there are none. */
function current(node: Node): unknown {
  if (!isDirty(node)) return node.base;
  const latest = node.copy ?? node.base;
  const settle = (key: string): unknown => {
    const value = latest[key];
    const child = node.children?.get(key);
    if (child && inPlace(child, value)) return current(child);
    return value === node.base[key] ? value : draftJson(value);
  };
  if (Array.isArray(latest)) return Object.keys(latest).map(settle);
  const keys = Object.keys(latest).filter((key) => latest[key] !== undefined);
  return Object.fromEntries(keys.map((key) => [key, settle(key)]));
}

function read(node: Node, key: PropertyKey): unknown {
  const value = (node.copy ?? node.base)[key];
  if (typeof value !== "object" || value === null) return value;
  const known = node.children?.get(key);
  if (known && inPlace(known, value)) return known.proxy;
  // Only what the host gave is guarded; what the handler itself put in is its own to edit.
  if (value !== node.base[key] || !(Array.isArray(value) || isPlainObject(value))) return value;
  const child = createNode(value as Container);
  node.children ??= new Map();
  node.children.set(key, child);
  return child.proxy;
}

function writable(node: Node): Container {
  node.copy ??= (Array.isArray(node.base) ? [...node.base] : { ...node.base }) as Container;
  return node.copy;
}

/** The node behind a target; every target is made with one. */
function behind(target: Container): Node {
  return target[NODE] as Node;
}

const TRAPS: ProxyHandler<Container> = {
  get: (target, key) => (key === NODE ? target[NODE] : read(behind(target), key)),
  has: (target, key) => Reflect.has(behind(target).copy ?? behind(target).base, key),
  ownKeys: (target) => Reflect.ownKeys(behind(target).copy ?? behind(target).base),
  getOwnPropertyDescriptor: (target, key) => {
    const node = behind(target);
    const found = Reflect.getOwnPropertyDescriptor(node.copy ?? node.base, key);
    if (!found) return undefined;
    // The target is empty but for a list's `length`: only that may be reported as fixed.
    const fixed = key === "length" && Array.isArray(node.base);
    return {
      value: read(node, key),
      writable: true,
      enumerable: found.enumerable ?? true,
      configurable: !fixed,
    };
  },
  set: (target, key, value: unknown) => Reflect.set(writable(behind(target)), key, value),
  deleteProperty: (target, key) => Reflect.deleteProperty(writable(behind(target)), key),
  defineProperty: (target, key, descriptor) =>
    Reflect.defineProperty(writable(behind(target)), key, { ...descriptor, configurable: true }),
  setPrototypeOf: () => false,
  preventExtensions: () => false,
};
