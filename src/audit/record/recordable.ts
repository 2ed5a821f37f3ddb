import { isPlainObject, jsonPointer, MAX_JSON_DEPTH, setOwn } from "../../core/json.ts";
import type { Json } from "../../core/json.ts";
import type { NotRecorded } from "./format.ts";

/** More of them say no more. */
const MAX_NOTES = 100;

/** Values of a program as JSON, however they are: where JSON has no word for something, null stands and it is noted. */
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
    return this.#convert(value);
  }

  #convert(value: unknown): Json {
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "number":
        if (value === 0 && Object.is(value, -0)) this.hasNegativeZero = true;
        return Number.isFinite(value) ? value : this.#note(`is ${value}`);
      case "object":
        return value === null ? null : this.#container(value);
      default:
        return this.#note(`is of type ${typeof value}`);
    }
  }

  #container(value: object): Json {
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
      json = Array.isArray(value) ? this.#list(value) : this.#object(value);
    } catch {
      // A getter, or a trap of a proxy. What it threw may hold anything.
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
      copy.push(this.#convert(value[i]));
      this.#path.pop();
    }
    return copy;
  }

  #object(value: object): Json {
    if (!isPlainObject(value)) return this.#note("is an instance of a class");
    const copy: Record<string, Json> = {};
    // Keys with undefined are left out, as JSON does.
    for (const key of Object.keys(value)) {
      const item = value[key];
      if (item === undefined) continue;
      this.#path.push(key);
      setOwn(copy, key, this.#convert(item));
      this.#path.pop();
    }
    return copy;
  }

  #note(why: string): null {
    if (this.notes.length < MAX_NOTES) this.notes.push({ path: jsonPointer(this.#path), why });
    return null;
  }
}
