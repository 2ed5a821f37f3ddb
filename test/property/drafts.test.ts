import { types } from "node:util";
import * as fc from "fast-check";
import { describe, expect } from "vitest";
import type { HookContext } from "../../src/core/context.ts";
import { setOwn, type Json } from "../../src/core/json.ts";
import { NotJson } from "../../src/core/visible-value.ts";
import { draftOf, journalOf } from "../../src/engine/registry/function-runner.ts";
import { applyEdits } from "../../src/engine/registry/payload-validation.ts";
import { canonical, frozen, KEYS, object, tree } from "./mutations.ts";
import { quickTest as it, repeatedTest, runCount } from "../slow-test.ts";

type Any = any;

/** Where a mutation happens: numbers that choose, at each level, one of the containers there. */
type Route = readonly number[];

type Mutation =
  | { does: "set"; at: Route; key: string; index: number; value: Json }
  | { does: "delete"; at: Route; index: number }
  | { does: "move" | "swap"; at: Route; from: Route; key: string; index: number }
  | { does: "keep"; at: Route }
  | { does: "write kept" | "put kept"; at: Route; which: number; key: string; value: Json }
  | { does: "read"; at: Route }
  | { does: "list"; at: Route; how: ListMutation; index: number; count: number; values: Json[] };

const LIST_MUTATIONS = [
  "push",
  "pop",
  "shift",
  "unshift",
  "splice",
  "reverse",
  "sort",
  "fill",
  "copyWithin",
  "length",
] as const;
type ListMutation = (typeof LIST_MUTATIONS)[number];

const route = fc.array(fc.nat(5), { maxLength: 4 });
const key = fc.constantFrom(...KEYS);
const index = fc.nat(5);
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ does: fc.constant("set" as const), at: route, key, index, value: tree }),
  fc.record({ does: fc.constant("delete" as const), at: route, index }),
  fc.record({ does: fc.constantFrom("move", "swap"), at: route, from: route, key, index }),
  fc.record({ does: fc.constant("keep" as const), at: route }),
  fc.record({
    does: fc.constantFrom("write kept", "put kept"),
    at: route,
    which: index,
    key,
    value: tree,
  }),
  fc.record({ does: fc.constant("read" as const), at: route }),
  fc.record({
    does: fc.constant("list" as const),
    at: route,
    how: fc.constantFrom(...LIST_MUTATIONS),
    index,
    count: fc.nat(3),
    values: fc.array(tree, { maxLength: 3 }),
  }),
);

/** Carries mutations out, on a draft or on a plain copy: the same code, but for how a key is assigned. */
class Mutator {
  readonly #root: Any;
  readonly #assign: (target: Any, key: string, value: unknown) => void;
  readonly #kept: Any[] = [];

  constructor(root: Any, assign: (target: Any, key: string, value: unknown) => void) {
    this.#root = root;
    this.#assign = assign;
  }

  apply(mutation: Mutation): void {
    const target = this.#find(mutation.at);
    switch (mutation.does) {
      case "set":
        return this.#set(target, mutation.key, mutation.index, structuredClone(mutation.value));
      case "delete":
        return this.#delete(target, mutation.index);
      case "move":
        return this.#set(target, mutation.key, mutation.index, this.#find(mutation.from));
      case "swap": {
        const keys = Object.keys(target);
        if (keys.length < 2) return;
        const [one, two] = [keys[0], keys[mutation.index % keys.length]] as [string, string];
        const [x, y] = [own(target, one), own(target, two)];
        this.#assign(target, one, y);
        this.#assign(target, two, x);
        return;
      }
      case "keep":
        return void this.#kept.push(target);
      case "write kept": {
        const kept = this.#kept[mutation.which % (this.#kept.length || 1)];
        if (kept) this.#set(kept, mutation.key, 0, structuredClone(mutation.value));
        return;
      }
      case "put kept": {
        const kept = this.#kept[mutation.which % (this.#kept.length || 1)];
        if (kept) this.#set(target, mutation.key, 0, kept);
        return;
      }
      case "read":
        readAll(target, 4);
        return;
      case "list":
        if (Array.isArray(target)) this.#list(target, mutation);
    }
  }

  #find(at: Route): Any {
    let here = this.#root;
    for (const choice of at) {
      const below = Object.keys(here)
        .map((k) => own(here, k))
        .filter((value) => typeof value === "object" && value !== null);
      if (below.length === 0) return here;
      here = below[choice % below.length];
    }
    return here;
  }

  /** A list gets no key that is no index, and no gap. */
  #set(target: Any, key: string, index: number, value: unknown): void {
    if (Array.isArray(target)) target[index % (target.length + 1)] = value;
    else this.#assign(target, key, value);
  }

  #delete(target: Any, index: number): void {
    const keys = Object.keys(target);
    const key = keys[index % (keys.length || 1)];
    if (key === undefined) return;
    if (Array.isArray(target)) target.splice(Number(key), 1);
    else delete target[key];
  }

  #list(list: unknown[], { how, index, count, values }: Mutation & { does: "list" }): void {
    const fresh = structuredClone(values) as unknown[];
    switch (how) {
      case "push":
        return void list.push(...fresh);
      case "pop":
        return void list.pop();
      case "shift":
        return void list.shift();
      case "unshift":
        return void list.unshift(...fresh);
      case "splice":
        return void list.splice(index, count, ...fresh);
      case "reverse":
        return void list.reverse();
      case "sort":
        return void list.sort((a, b) => (safeText(a) < safeText(b) ? -1 : 1));
      case "fill":
        return void list.fill(fresh[0] ?? null, index, index + count);
      case "copyWithin":
        return void list.copyWithin(index, count);
      case "length":
        list.length = Math.min(list.length, index);
    }
  }
}

function own(target: Any, key: string): Any {
  return Object.getOwnPropertyDescriptor(target, key)?.value;
}

/** A text to sort by, also when the mutations have made a cycle. */
function safeText(value: unknown): string {
  return typeof value === "object" && value !== null
    ? `${Array.isArray(value) ? "list" : "object"} ${Object.keys(value).length}`
    : JSON.stringify(value);
}

function readAll(value: Any, depth: number): void {
  if (typeof value !== "object" || value === null || depth === 0) return;
  for (const key of Object.keys(value)) readAll(value[key], depth - 1);
}

/** Levels of a value; Infinity for a cycle. */
function levels(value: Any, open: ReadonlySet<unknown> = new Set()): number {
  if (typeof value !== "object" || value === null) return 0;
  if (open.has(value)) return Infinity;
  const inner = new Set([...open, value]);
  let most = 0;
  for (const key of Object.keys(value)) most = Math.max(most, levels(own(value, key), inner));
  return most + 1;
}

/** Plain assignment, as a handler writes it; an object of the handler's own is none of the draft's business. */
function assignToDraft(target: Any, key: string, value: unknown): void {
  if (types.isProxy(target)) target[key] = value;
  else setOwn(target, key, value);
}

const contextOf = (payload: Json, metadata: Json): HookContext =>
  ({ payload, metadata, depth: 0 }) as unknown as HookContext;

const start = fc.tuple(object, object);
const mutations = fc.array(mutation, { maxLength: 12 });

describe("a copy-on-write draft", () => {
  repeatedTest("changes like a copy: its journal gives the same result", () => {
    let cycles = 0;
    fc.assert(
      fc.property(start, mutations, ([payload, metadata], todo) => {
        const ctx = frozen(contextOf(payload, metadata));
        const before = canonical(ctx);
        const clone = structuredClone(ctx);
        const draft = draftOf(ctx, true);
        const onDraft = new Mutator(draft.ctx.payload, assignToDraft);
        const onClone = new Mutator(clone.payload, (target, k, value) => setOwn(target, k, value));
        for (const one of todo) {
          onDraft.apply(one);
          onClone.apply(one);
        }
        const deep = levels(clone);
        if (deep === Infinity) {
          cycles += 1;
          expect(() => journalOf(draft)).toThrow(NotJson);
        } else if (deep < 32) {
          expect(canonical(draft.ctx)).toBe(canonical(clone));
          const after = applyEdits(ctx, journalOf(draft));
          expect(canonical(after)).toBe(canonical(clone));
        }
        expect(canonical(ctx)).toBe(before);
      }),
      { numRuns: runCount(6000) },
    );
    // Moves make a cycle now and then; were there none, that branch would go untested.
    expect(cycles).toBeGreaterThan(runCount(6000) / 600);
  });

  it("has an empty journal after reads only", () => {
    fc.assert(
      fc.property(start, ([payload, metadata]) => {
        const ctx = frozen(contextOf(payload, metadata));
        const draft = draftOf(ctx, true);
        readAll(draft.ctx, 6);
        expect(JSON.stringify(draft.ctx)).toBe(JSON.stringify(ctx));
        expect(journalOf(draft)).toEqual([]);
        expect(applyEdits(ctx, journalOf(draft))).toBe(ctx);
      }),
    );
  });

  it("gives the same journal twice, and does not change inserted values", () => {
    fc.assert(
      fc.property(start, mutations, ([payload, metadata], todo) => {
        const draft = draftOf(frozen(contextOf(payload, metadata)), true);
        const mutator = new Mutator(draft.ctx.payload, assignToDraft);
        try {
          for (const one of todo) mutator.apply(one);
          const first = journalOf(draft);
          const text = canonical(first.map(({ path, value }) => [path, value ?? null]));
          const second = journalOf(draft);
          expect(canonical(second.map(({ path, value }) => [path, value ?? null]))).toBe(text);
          // Whatever the handler does after its answer was read is lost.
          for (const one of todo) mutator.apply(one);
          expect(canonical(first.map(({ path, value }) => [path, value ?? null]))).toBe(text);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(NotJson);
        }
      }),
    );
  });
});
