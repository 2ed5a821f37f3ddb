import { z } from "zod";
import { MAX_JSON_DEPTH, setOwn } from "../core/json.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { described } from "./described.ts";
import type { KeyPath } from "./path.ts";
import { isTable } from "./table.ts";
import type { Table } from "./table.ts";

/** Where the walk is, and how it reports. */
interface Walk {
  readonly path: KeyPath;
  /** The tables and lists around this place: an object given in a program can hold itself. */
  readonly around: readonly object[];
  readonly refuse: (path: KeyPath, message: string) => void;
}

/** A table of anything that JSON can hold; handed to a hook's script as it is. */
export function optionsSchema(): z.ZodType<JsonObject> {
  return z.unknown().transform((value, ctx) => {
    const refuse = (path: KeyPath, message: string) =>
      ctx.addIssue({ code: "custom", path: [...path], message, params: { code: "ORCS1004" } });
    if (isTable(value)) return jsonTable(value, { path: [], around: [], refuse });
    refuse([], `expected a table, got ${described(value)}`);
    return z.NEVER;
  });
}

/** Anything that JSON can hold. */
export function jsonSchema(): z.ZodType<Json> {
  return z.unknown().transform((value, ctx) => {
    const refuse = (path: KeyPath, message: string) =>
      ctx.addIssue({ code: "custom", path: [...path], message, params: { code: "ORCS1004" } });
    return jsonOf(value, { path: [], around: [], refuse });
  });
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
  const isList = Array.isArray(value);
  if (!isList && !isTable(value)) {
    walk.refuse(walk.path, `expected a value that JSON can hold, got ${described(value)}`);
  } else if (walk.around.includes(value)) {
    walk.refuse(walk.path, "a value that holds itself");
  } else if (walk.path.length >= MAX_JSON_DEPTH) {
    walk.refuse(walk.path, `nested deeper than ${MAX_JSON_DEPTH} levels`);
  } else {
    return isList
      ? value.map((item, i) => jsonOf(item, inside(walk, value, i)))
      : jsonTable(value, walk);
  }
  return null;
}

function inside(walk: Walk, value: object, step: string | number): Walk {
  return { ...walk, path: [...walk.path, step], around: [...walk.around, value] };
}
