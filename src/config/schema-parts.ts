import { z } from "zod";
import {
  bareMessage,
  isPlainObject,
  lazyConstant,
  MAX_JSON_DEPTH,
  OrcsError,
  setOwn,
} from "../core/index.ts";
import type { ErrorCode, Json, JsonObject, PointSet } from "../core/index.ts";
import type { KeyPath } from "./config-error.ts";
import type { ScriptSearch } from "./scripts.ts";
import { isTable, type Table } from "./table.ts";

/** A text that is not empty. */
export const text = z.string().min(1);

/** The name of an environment variable. */
export const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "expected the name of an environment variable");

/**
 * The schema of a table: every key is optional, an unknown one is an error. zod alone accepts any object as a table,
 * for example a TOML date, and runs the schemas of all keys, which it builds first: here, only those of keys that a
 * table has run, unless one is unknown.
 */
export function tableSchema<Shape extends z.ZodRawShape>(shape: Shape) {
  const whole = lazyConstant(() => z.strictObject(shape).partial());
  const keys = lazyConstant(() => Object.keys(shape));
  const table = z.lazy(whole);
  table._zod.run = table._zod.parse = (payload, ctx) => {
    const input = payload.value;
    if (!isTable(input) || Object.keys(input).some((key) => !Object.hasOwn(shape, key))) {
      return whole()._zod.run(payload, ctx);
    }
    const values: Record<string, unknown> = {};
    payload.value = values;
    for (const key of keys()) {
      if (!Object.hasOwn(input, key)) continue;
      const one = { value: input[key], issues: [] };
      const read = one.value === undefined ? one : shape[key]?._zod.run(one, ctx);
      if (read === undefined || read instanceof Promise)
        throw new Error("unreachable: no check waits");
      payload.issues.push(...z.core.util.prefixIssues(key, read.issues));
      values[key] = read.value;
    }
    return payload;
  };
  return z.unknown().superRefine(refuseOthers).pipe(table);
}

function refuseOthers(value: unknown, ctx: z.RefinementCtx): void {
  if (value !== undefined && !isTable(value)) refuse(ctx, expected("a table", value));
}

/** What an error is about, besides its message. */
export interface Refusal {
  /** Default: ORCS1004. */
  readonly code?: ErrorCode | undefined;
  /** Within the value. Default: the value itself. */
  readonly path?: KeyPath | undefined;
  readonly hint?: string | undefined;
}

/** Report an error of a value. @returns what a transformation returns then */
export function refuse(ctx: z.RefinementCtx, message: string, about: Refusal = {}) {
  const { code = "ORCS1004", path = [], hint } = about;
  ctx.addIssue({ code: "custom", path: [...path], message, params: { code, hint } });
  return z.NEVER;
}

/** The error for a key that a table must have. */
export function missing(ctx: z.RefinementCtx, key: string, path: KeyPath = []) {
  return refuse(ctx, `${key} is missing`, { code: "ORCS1013", path });
}

export function expected(what: string, value: unknown): string {
  return `expected ${what}, got ${describeValue(value)}`;
}

/** The position of the walk, and where it reports. */
interface Walk {
  readonly path: KeyPath;
  /** The enclosing tables and lists: an object of a program can contain itself. */
  readonly around: readonly object[];
  readonly ctx: z.RefinementCtx;
}

/** A table of JSON values, passed to a hook's script as it is. */
export function optionsSchema(): z.ZodType<JsonObject> {
  return z.unknown().transform((value, ctx) => {
    if (isTable(value)) return jsonTable(value, { path: [], around: [], ctx });
    return refuse(ctx, expected("a table", value));
  });
}

/** Any JSON value. */
export function jsonSchema(): z.ZodType<Json> {
  return z.unknown().transform((value, ctx) => jsonOf(value, { path: [], around: [], ctx }));
}

function jsonTable(table: Table, walk: Walk): JsonObject {
  const copy: JsonObject = {};
  for (const [key, value] of Object.entries(table)) {
    if (value !== undefined) setOwn(copy, key, jsonOf(value, inside(walk, table, key)));
  }
  return copy;
}

function jsonOf(value: unknown, walk: Walk): Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  const { ctx, path } = walk;
  const isList = Array.isArray(value);
  if (!isList && !isTable(value)) return refuse(ctx, expected("a JSON value", value), { path });
  if (walk.around.includes(value))
    return refuse(ctx, "a value with a circular reference", { path });
  if (path.length >= MAX_JSON_DEPTH)
    return refuse(ctx, `nested deeper than ${MAX_JSON_DEPTH} levels`, { path });
  return isList
    ? value.map((item, i) => jsonOf(item, inside(walk, value, i)))
    : jsonTable(value, walk);
}

function inside(walk: Walk, value: object, step: string | number): Walk {
  return { ...walk, path: [...walk.path, step], around: [...walk.around, value] };
}

/** A string that is checked by a parser of another layer, whose errors keep their code. */
export function checkedText(check: (text: string) => void): z.ZodType<string> {
  return z
    .string()
    .min(1)
    .superRefine((text, ctx) => {
      if (text !== "") checkWith(check, text, ctx);
    });
}

function checkWith(
  check: (text: string) => void,
  text: string,
  ctx: z.RefinementCtx,
  path: KeyPath = [],
): void {
  try {
    check(text);
  } catch (error) {
    if (!(error instanceof OrcsError)) throw error;
    refuse(ctx, bareMessage(error), { code: error.code, path });
  }
}

/**
 * A text, or a list of at least one, each checked by a parser of another layer, whose errors keep their code. The
 * output is always a list.
 */
export function textsSchema(
  what: "command" | "pattern",
  check: (text: string) => void,
): z.ZodType<readonly string[]> {
  return z.unknown().transform((value, ctx) => {
    const accepted = (text: unknown, path: readonly number[]): string[] => {
      if (typeof text !== "string") return refuse(ctx, expected(`a ${what}`, text), { path });
      checkWith(check, text, ctx, path);
      return [text];
    };
    if (typeof value === "string") return accepted(value, []);
    if (Array.isArray(value) && value.length > 0) {
      return value.flatMap((text: unknown, at) => accepted(text, [at]));
    }
    const got = Array.isArray(value) ? "an empty list" : describeValue(value);
    return refuse(ctx, `expected a ${what} or a list of ${what}s, got ${got}`);
  });
}

/** A value as described in a message: `"high"`, `a list`, `a date`. Long strings are truncated. */
export function describeValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (typeof value === "string") return quoted(value);
  if (typeof value === "bigint") {
    return `${value}, ${Number.isSafeInteger(Number(value)) ? "a bigint" : "an integer beyond 2^53"}`;
  }
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return "a list";
  if (value instanceof Date) return "a date";
  // What a script wrote, and JSON cannot hold: a function, a coroutine.
  if (value instanceof Error) return value.message;
  if (typeof value === "object") return isPlainObject(value) ? "a table" : "an instance of a class";
  return `a ${typeof value}`;
}

/** A string in quotes, on one line, truncated when long. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}...` : text);
}

/** What validating a configuration needs besides its content. Schemas read it while they check. */
export interface SchemaContext {
  readonly points: PointSet;
  /** Absolute; base of paths in messages. */
  readonly cwd: string;
  /** Absolute; base of paths to its code. */
  readonly baseDir: string;
  /** Resolves a file that it names. */
  readonly locate: (path: string) => string;
  /** Whether it is the user's own, which applies in every folder. */
  readonly isUsers?: boolean;
  findScript(script: string): ScriptSearch;
}
