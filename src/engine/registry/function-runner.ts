import {
  ACCESSOR,
  type CallScope,
  copyContainer,
  type Edit,
  getOwn,
  type HookContext,
  type HookReport,
  type HookRunner,
  isPlainObject,
  isPromiseLike,
  isUnreadable,
  type Json,
  type JsonObject,
  messageOf,
  NotJson,
  ownData,
  pairIn,
  refusesUnreadable,
  setOwn,
  shown,
  toJson,
  type Turn,
  type Unreadable,
} from "../../core/index.ts";

/**
 * A hook written in TypeScript: may edit `ctx` in place, and returns an action, `ctx`, or nothing. A module gets the
 * variables of its `env` that are set where the agent runs; a function of a program gets none.
 * The type of a method: a list of hooks can have handlers of several points.
 */
export type HookHandler<P extends string = string> = {
  handle(
    ctx: HookContext<P>,
    orcs: CallScope,
    options: JsonObject,
    env: Readonly<Record<string, string>>,
  ): unknown;
}["handle"];

const NO_OPTIONS: JsonObject = Object.freeze({});
const NO_VARIABLES: Readonly<Record<string, string>> = Object.freeze({});

/** The variables of a function in one turn, or the report in place of its call. */
type VariablesOf = (turn: Turn) => {
  readonly env?: Readonly<Record<string, string>>;
  readonly report?: HookReport;
};

const NOTHING_GIVEN: ReturnType<VariablesOf> = {};

/** Of a function that looked and had nothing to say, which is most of them. */
const NOTHING_SAID: HookReport = { answer: undefined, edits: [] };

/** Runs a TypeScript function as a hook. It stays synchronous until the function answers a promise. */
export class FunctionRunner implements HookRunner {
  readonly mayBlock = true;
  readonly #handler: HookHandler;
  readonly #options: JsonObject;
  readonly #variables: VariablesOf | undefined;
  /** Whether the function answers at once; unknown until it has answered, no for good once it has waited. */
  #atOnce: boolean | undefined;

  /** @param options of the hook, given to each call */
  constructor(handler: HookHandler, options: JsonObject = NO_OPTIONS, variables?: VariablesOf) {
    this.#variables = variables;
    this.#handler = handler;
    this.#options = options;
  }

  run(turn: Turn): void {
    const given = this.#variables?.(turn) ?? NOTHING_GIVEN;
    if (given.report) {
      turn.settle(given.report);
      return;
    }
    const draft = this.#draftFor(turn);
    let answer: unknown;
    try {
      answer = this.#handler(draft.ctx, turn.scope, this.#options, given.env ?? NO_VARIABLES);
    } catch (thrown) {
      turn.view = undefined;
      turn.settle({ failure: { kind: "error", message: messageOf(thrown) } });
      return;
    }
    if (isPromiseLike(answer)) {
      this.#atOnce = false;
      // It may go on writing after its time is up: what it has is its own.
      turn.view = undefined;
      turn.wait(answer, report, draft);
      return;
    }
    this.#atOnce ??= true;
    const settled = report(draft, answer);
    if ("failure" in settled) turn.view = undefined;
    turn.settle(settled);
  }

  /**
   * The draft that the function before has left as it was, or a new one. Only a function that answers at
   * once may share one: while another waits, whoever kept the draft could write to it in its name.
   */
  #draftFor(turn: Turn): Draft {
    const kept = turn.view as Draft | undefined;
    if (this.#atOnce && kept && !kept.touched) return kept;
    const draft = draftOf(turn.ctx, turn.hook.point.phase === "pre");
    turn.view = draft;
    return draft;
  }
}

function report(draft: Draft, answer: unknown): HookReport {
  if (answer === undefined && !draft.touched) return NOTHING_SAID;
  try {
    if (answer === undefined || answer === null || answer === draft.ctx) {
      return { answer: undefined, edits: journalOf(draft) };
    }
    const { answer: read, ctx } = splitContext(answer);
    const edits = ctx === undefined || ctx === draft.ctx ? journalOf(draft) : replaced(draft, ctx);
    return { answer: draftJson(read), edits };
  } catch (thrown) {
    const message = `returned a value that is not JSON: ${messageOf(thrown)}`;
    return { failure: { kind: "answer", message } };
  }
}

/** An answer apart from the `ctx` that a continue may carry; elsewhere `ctx` is a key that makes no sense. */
function splitContext(answer: unknown): { answer: unknown; ctx?: unknown } {
  if (!isPlainObject(answer) || answer["action"] !== "continue") return { answer };
  const { ctx, ...rest } = answer;
  return { answer: rest, ctx };
}

/** Edits of a context that was answered instead of edited: `{ ...ctx, payload: { … } }`. */
function replaced(draft: Draft, ctx: unknown): Edit[] {
  if (!isPlainObject(ctx)) throw new Error("ctx is not a context");
  const edits = [...journalOf(draft)];
  for (const [key, value] of Object.entries(ctx)) {
    if (unchanged(key, value, draft.ctx)) continue;
    edits.push({ path: [key], value: value === undefined ? undefined : draftJson(value, [key]) });
  }
  return edits;
}

/** Read-only parts may come back as a copy, from JSON for one; a change to them is for the chain to refuse. */
function unchanged(key: string, value: unknown, draft: HookContext): boolean {
  const own: unknown = getOwn(draft as unknown as Record<string, unknown>, key);
  if (value === own) return true;
  if (key === "payload" || key === "metadata" || own === undefined || value === undefined)
    return false;
  return JSON.stringify(draftJson(value, [key])) === JSON.stringify(own);
}

type Container = Record<PropertyKey, unknown>;
type Path = readonly (string | number)[];

/** By what Node's console asks for something to show; known to it by name, so that nothing is imported. */
const INSPECT = Symbol.for("nodejs.util.inspect.custom");

/** A part of the context that a handler has reached: what the host gave, and the copy once it writes. */
class Node {
  readonly draft: Draft;
  /** What the host gave. */
  readonly source: object;
  /** The same as hooks read it: a list or a plain object. */
  readonly base: Container;
  /** Levels above it. */
  readonly depth: number;
  copy: Container | undefined;
  /** Parts reached through this one, by key; not made for the one that most handlers reach. */
  others: Map<PropertyKey, Node> | undefined;
  /** The part reached last, and its key: most handlers read one part again and again. */
  lastKey: PropertyKey | undefined;
  last: Node | undefined;
  readonly proxy: object;

  constructor(source: object, base: object, draft: Draft, depth: number) {
    this.draft = draft;
    this.source = source;
    this.base = base as Container;
    this.depth = depth;
    // The node itself stands behind objects, and a list behind lists, so that Array.isArray holds.
    const target: object = Array.isArray(base)
      ? Object.assign([], { [NODE]: this, [INSPECT]: inspected })
      : this;
    this.proxy = new Proxy(target as Container, TRAPS);
  }

  child(key: PropertyKey): Node | undefined {
    return key === this.lastKey ? this.last : this.others?.get(key);
  }

  setChild(key: PropertyKey, child: Node): void {
    if (this.last) {
      this.others ??= new Map([[this.lastKey as PropertyKey, this.last]]);
      this.others.set(key, child);
    }
    this.lastKey = key;
    this.last = child;
  }

  /** Parts reached through this one, with their keys. */
  get children(): readonly (readonly [PropertyKey, Node])[] {
    if (this.others) return [...this.others];
    return this.last ? [[this.lastKey as PropertyKey, this.last]] : [];
  }

  /** The console looks behind proxies. */
  get [INSPECT](): typeof inspected {
    return inspected;
  }
}

/** What the console shows of a part: called on its proxy. */
function inspected(this: object): unknown {
  const node = nodeOf(this);
  try {
    return node && current(node, [], new Set());
  } catch {
    // It was given what JSON has no word for: then without the edits below it.
    return node?.copy ?? node?.source;
  }
}

/** A context to be edited in place, and what stands behind it. */
class Draft {
  readonly root: Node;
  /** Whether it is an error to read what hooks cannot look into, wherever it stands. */
  readonly strict: boolean;
  /** Whether any part was written to. */
  touched = false;

  constructor(ctx: HookContext, strict: boolean) {
    this.strict = strict;
    this.root = new Node(ctx, ctx, this, 0);
  }

  get ctx(): HookContext {
    return this.root.proxy as HookContext;
  }
}

const UNTOUCHED: readonly Edit[] = [];

/** By what a proxy is asked for its node; no key of a context is a symbol. */
const NODE = Symbol("draft node");

/**
 * A context that a TypeScript handler may edit in place. Reads go to the host's own objects, the first
 * write to a part copies that part alone, and the journal of what changed comes from the copies; so
 * dropping a draft drops its edits, and the host's objects are never written to. What is no JSON is shown as
 * to any hook: a Date as text, an instance as its data.
 *
 * @param strict whether it is an error to read what hooks cannot look into, wherever it stands
 */
export function draftOf(ctx: HookContext, strict: boolean): Draft {
  return new Draft(ctx, strict);
}

/**
 * What the handler changed in a draft, in JSON.
 * @throws NotJson when it wrote something that JSON has no word for.
 */
export function journalOf(draft: Draft): readonly Edit[] {
  if (!draft.touched) return UNTOUCHED;
  const edits: Edit[] = [];
  collect(draft.root, [], edits);
  return edits;
}

/**
 * A value that a handler gave, with parts of a draft taken for what they are now.
 * @param at where the value stands, for messages
 * @throws NotJson
 */
function draftJson(value: unknown, at: Path = []): Json {
  return settled(value, at, new Set());
}

/** @param open parts that are being settled; to come by one of them again is a circular reference. */
function settled(value: unknown, at: Path, open: Set<Node>): Json {
  const lookup = (object: object, path: Path): Json | undefined => {
    const node = nodeOf(object);
    return node && (current(node, path, open) as Json);
  };
  return toJson(value, lookup, at);
}

function nodeOf(value: object): Node | undefined {
  return (value as { [NODE]?: Node })[NODE];
}

function isDirty(node: Node): boolean {
  return node.copy !== undefined || node.children.some(([, child]) => isDirty(child));
}

/** A part is still in its place unless the handler put something else there. */
function inPlace(child: Node, value: unknown): boolean {
  return value === child.source || value === child.proxy;
}

function collect(node: Node, path: Path, edits: Edit[]): void {
  const { base, copy } = node;
  const latest = copy ?? base;
  if (copy) {
    if (Array.isArray(copy) && copy.length !== (base as unknown as unknown[]).length) {
      edits.push({ path, value: current(node, path, new Set()) as Json });
      return;
    }
    collectKeys(node, copy, path, edits);
  }
  for (const [key, child] of node.children) {
    if (inPlace(child, own(latest, key)) && isDirty(child))
      collect(child, [...path, key as string], edits);
  }
}

/** The keys of one copy that are not what they were. */
function collectKeys(node: Node, copy: Container, path: Path, edits: Edit[]): void {
  const { base } = node;
  if (Array.isArray(copy)) checkList(copy, path);
  for (const key of Object.keys(base)) {
    if (!Object.hasOwn(copy, key)) edits.push({ path: [...path, key], value: undefined });
  }
  for (const key of Object.keys(copy)) {
    const value = own(copy, key);
    const child = node.child(key);
    if (child && inPlace(child, value)) continue;
    if (Object.hasOwn(base, key) && value === own(base, key)) continue;
    const at = [...path, key];
    edits.push({ path: at, value: value === undefined ? undefined : draftJson(value, at) });
  }
}

/** JSON has no lists with holes or with keys of their own, and dropping them would move the rest. */
function checkList(list: readonly unknown[], path: Path): void {
  for (let i = 0; i < list.length; i++) {
    if (ownData(list, i) === undefined)
      throw new NotJson("is undefined, which a list cannot contain", [...path, i]);
  }
  if (Object.keys(list).length !== list.length) {
    throw new NotJson("is a list with a key that is not an index", path);
  }
}

/** A part as it is now, its edits and those below included; the host's own object if there are none. */
function current(node: Node, path: Path, open: Set<Node>): unknown {
  if (!isDirty(node)) return node.source;
  if (open.has(node)) throw new NotJson("is a circular reference", path);
  open.add(node);
  const latest = node.copy ?? node.base;
  if (Array.isArray(latest)) checkList(latest, path);
  const now = copyContainer(latest) as Container;
  for (const key of Object.keys(now)) {
    const value = own(now, key);
    const child = node.child(key);
    if (value === undefined) delete now[key];
    else if (child && inPlace(child, value)) {
      setOwn<unknown>(now, key, current(child, [...path, key], open));
    } else if (!Object.hasOwn(node.base, key) || value !== own(node.base, key)) {
      setOwn<unknown>(now, key, settled(value, [...path, key], open));
    }
  }
  open.delete(node);
  return now;
}

/** What a part holds under a key, before it is shown. */
function own(part: Container, key: PropertyKey): unknown {
  return typeof key === "symbol" ? undefined : ownData(part, key);
}

function read(node: Node, key: PropertyKey): unknown {
  const latest = node.copy ?? node.base;
  // What most handlers read first of all, and of a context the registry's own: no accessor stands there.
  if (node.depth === 0 && !node.copy && (key === "payload" || key === "metadata")) {
    const value = latest[key];
    if (typeof value === "object" && value !== null) return readObject(node, key, value, true);
  }
  const found = Object.getOwnPropertyDescriptor(latest, key);
  // What JSON calls `__proto__` is a key like any other, and no way to a prototype.
  if (!found) return key === "__proto__" ? undefined : latest[key];
  if (!("value" in found)) return unreadable(node, key, ACCESSOR);
  const value: unknown = found.value;
  if (typeof value === "string" || value === null || value === undefined) return value;
  if (typeof value === "object") return readObject(node, key, value, found.enumerable === true);
  // What the handler itself put in is its own to read.
  return node.copy && value !== own(node.base, key) ? value : shown(value);
}

function readObject(node: Node, key: PropertyKey, value: object, enumerable: boolean): unknown {
  const known = node.child(key);
  if (known && inPlace(known, value)) return known.proxy;
  // Only what the host gave is guarded; what the handler itself put in is its own to edit.
  const isGiven = node.copy ? value === own(node.base, key) : enumerable && typeof key !== "symbol";
  if (!isGiven) return value;
  const seen = shown(value);
  if (typeof seen !== "object" || seen === null) return seen;
  let base: object = seen;
  if (!Array.isArray(seen) && !isPlainObject(seen)) {
    if (isUnreadable(seen)) return unreadable(node, key, seen);
    // An instance is read as its data: what its class adds to it is not.
    base = copyContainer(seen as object as Container);
  }
  const child = new Node(value, base, node.draft, node.depth + 1);
  node.setChild(key, child);
  return child.proxy;
}

function unreadable({ draft, depth }: Node, key: PropertyKey, { what }: Unreadable): null {
  if (!refusesUnreadable(draft.strict, depth)) return null;
  throw new Error(`${String(key)} is ${what}, which a hook cannot read`);
}

function writable(node: Node): Container {
  node.copy ??= copyContainer(node.base) as Container;
  node.draft.touched = true;
  return node.copy;
}

/** The node behind a proxy's target. */
function behind(target: Container): Node {
  return (Array.isArray(target) ? (target as unknown as Container)[NODE] : target) as Node;
}

/** The keys that a write goes to: of a pair in the payload, both. */
function namesOf(node: Node, key: PropertyKey): readonly PropertyKey[] {
  const { draft, depth, source } = node;
  if (depth !== 1 || source !== (draft.root.base["payload"] as object)) return [key];
  return pairIn(key, (name) => own(node.base, name) !== undefined) ?? [key];
}

const TRAPS: ProxyHandler<Container> = {
  get: (target, key) => (key === NODE ? behind(target) : read(behind(target), key)),
  has: (target, key) => Reflect.has(behind(target).copy ?? behind(target).base, key),
  ownKeys: (target) => Reflect.ownKeys(behind(target).copy ?? behind(target).base),
  getOwnPropertyDescriptor: (target, key) => {
    const node = behind(target);
    const found = Reflect.getOwnPropertyDescriptor(node.copy ?? node.base, key);
    if (!found) return undefined;
    // Nothing of the target's own is fixed but a list's `length`: only that may be reported so.
    const fixed = key === "length" && Array.isArray(target);
    return {
      value: read(node, key),
      writable: true,
      enumerable: found.enumerable ?? true,
      configurable: !fixed,
    };
  },
  set: (target, key, value: unknown) => {
    for (const each of namesOf(behind(target), key)) {
      const copy = writable(behind(target));
      // Where an accessor stands, plain assignment would run it.
      if (own(copy, each) === ACCESSOR) delete copy[each];
      setOwn(copy, each as string, value);
    }
    return true;
  },
  deleteProperty: (target, key) =>
    namesOf(behind(target), key).every((each) =>
      Reflect.deleteProperty(writable(behind(target)), each),
    ),
  defineProperty: (target, key, descriptor) =>
    namesOf(behind(target), key).every((each) =>
      Reflect.defineProperty(writable(behind(target)), each, { ...descriptor, configurable: true }),
    ),
  getPrototypeOf: (target) => Reflect.getPrototypeOf(behind(target).base),
  setPrototypeOf: () => false,
  preventExtensions: () => false,
};
