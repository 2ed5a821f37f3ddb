import { jsonPointer, MAX_JSON_DEPTH, setOwn } from "../../core/json.ts";
import type { Json } from "../../core/json.ts";
import { isUnreadable, ownData, shown } from "../../core/shown.ts";
import type { Container } from "../../core/shown.ts";
import type { NotRecorded } from "./format.ts";

/** More of them say no more. */
const MAX_NOTES = 100;

/** Values of a program as JSON, as hooks read them: where hooks cannot look, null stands and it is noted. */
export class Recordable {
  readonly notes: NotRecorded[] = [];
  /** Whether -0 is among them, which `JSON.stringify` writes as 0. */
  hasNegativeZero = false;
  /** What was converted before stays one object: what hooks did not touch is known by that. */
  readonly #known = new Map<object, Json>();
  readonly #open = new Set<object>();
  #path: (string | number)[] = [];

  /** @param at where the value stands, for notes */
  json(value: unknown, at: readonly string[]): Json {
    this.#path = [...at];
    return this.#convert(value) ?? null;
  }

  #convert(value: unknown): Json | undefined {
    const seen = shown(value);
    if (seen === 0 && Object.is(seen, -0)) this.hasNegativeZero = true;
    if (typeof seen !== "object" || seen === null) return seen;
    return isUnreadable(seen)
      ? this.#note(`is ${seen.what}`)
      : this.#container(value as object, seen);
  }

  #container(value: object, seen: Container): Json {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    if (this.#open.has(value)) return this.#note("is a cycle");
    if (this.#open.size >= MAX_JSON_DEPTH) {
      return this.#note(`is nested deeper than ${MAX_JSON_DEPTH} levels`);
    }
    this.#open.add(value);
    const depth = this.#path.length;
    let json: Json;
    try {
      json = Array.isArray(seen) ? this.#list(seen) : this.#object(seen);
    } catch {
      // A trap of a proxy. What it threw may hold anything.
      this.#path.length = depth;
      json = this.#note("cannot be read: it throws");
    }
    this.#open.delete(value);
    this.#known.set(value, json);
    return json;
  }

  #list(value: readonly unknown[]): Json[] {
    const copy: Json[] = [];
    for (let i = 0; i < value.length; i++) {
      this.#path.push(i);
      copy.push(this.#convert(ownData(value, i)) ?? null);
      this.#path.pop();
    }
    return copy;
  }

  #object(value: Container): Json {
    const copy: Record<string, Json> = {};
    // Keys with undefined are left out, as JSON does.
    for (const key of Object.keys(value)) {
      this.#path.push(key);
      const item = this.#convert(ownData(value, key));
      if (item !== undefined) setOwn(copy, key, item);
      this.#path.pop();
    }
    return copy;
  }

  #note(why: string): null {
    if (this.notes.length >= MAX_NOTES) return null;
    const path = jsonPointer(this.#path);
    // What an edit holds is looked at before and after it.
    if (!this.notes.some((known) => known.path === path)) this.notes.push({ path, why });
    return null;
  }
}
