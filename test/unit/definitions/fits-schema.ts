import { isDeepStrictEqual } from "node:util";

/** A JSON Schema, or a part of one. */
type Schema = Readonly<Record<string, unknown>>;
/** What is wrong with a value, by keyword; `where` is a JSON Pointer. */
type Check = (stated: never, value: unknown, at: Place) => string[];

interface Place {
  readonly where: string;
  readonly schema: Schema;
  readonly root: Schema;
}

/**
 * What a JSON Schema of draft 7 refuses in a value: a small walk over the keywords that ours uses.
 * @throws Error for a keyword that the walk does not know: nothing is passed over
 */
export function schemaMistakes(schema: Schema, value: unknown): string[] {
  return mistakes(value, { where: "", schema, root: schema });
}

function mistakes(value: unknown, at: Place): string[] {
  return Object.entries(at.schema).flatMap(([keyword, stated]) => {
    if (SAYS_NOTHING.has(keyword)) return [];
    const check = CHECKS[keyword];
    if (!check) throw new Error(`${at.where}: the walk does not know ${keyword}`);
    return check(stated as never, value, at);
  });
}

const SAYS_NOTHING: ReadonlySet<string> = new Set([
  "$schema",
  "definitions",
  "description",
  "format",
  "title",
  "x-taplo",
]);

const CHECKS: Readonly<Record<string, Check>> = {
  type: (type: string | string[], value, at) =>
    [type].flat().some((each) => TYPES[each]?.(value)) ? [] : wrong(at, `is no ${String(type)}`),
  enum: (values: unknown[], value, at) => (values.includes(value) ? [] : wrong(at, "is none of")),
  const: (only: unknown, value, at) => (isDeepStrictEqual(only, value) ? [] : wrong(at, "is not")),
  pattern: (source: string, value, at) =>
    typeof value !== "string" || new RegExp(source, "u").test(value) ? [] : wrong(at, "pattern"),
  minLength: (least: number, value, at) =>
    typeof value !== "string" || value.length >= least ? [] : wrong(at, "is too short"),
  minimum: (least: number, value, at) => (Number(value) < least ? wrong(at, "is too low") : []),
  maximum: (most: number, value, at) => (Number(value) > most ? wrong(at, "is too high") : []),
  exclusiveMinimum: (least: number, value, at) =>
    Number(value) <= least ? wrong(at, "is too low") : [],
  minItems: (least: number, value, at) =>
    Array.isArray(value) && value.length < least ? wrong(at, "is too short") : [],
  items: (schema: Schema, value, at) =>
    (Array.isArray(value) ? value : []).flatMap((item, i) => inside(item, schema, at, String(i))),
  properties: (shape: Record<string, Schema>, value, at) =>
    entries(value).flatMap(([key, each]) => {
      const schema = Object.hasOwn(shape, key) ? shape[key] : undefined;
      return schema ? inside(each, schema, at, key) : [];
    }),
  additionalProperties: (schema: Schema | boolean, value, at) => {
    const shape = at.schema["properties"] ?? {};
    const others = entries(value).filter(([key]) => !Object.hasOwn(shape, key));
    return others.flatMap(([key, each]) => {
      if (typeof schema === "object") return inside(each, schema, at, key);
      return schema ? [] : wrong(at, `has the unknown key ${key}`);
    });
  },
  propertyNames: (schema: Schema, value, at) =>
    entries(value).flatMap(([key]) => inside(key, schema, at, key)),
  required: (keys: string[], value, at) =>
    keys
      .filter((key) => TYPES["object"]?.(value) && !has(value, key))
      .flatMap((key) => wrong(at, `lacks ${key}`)),
  maxProperties: (most: number, value, at) =>
    entries(value).length > most ? wrong(at, "has too many keys") : [],
  dependencies: (needs: Record<string, string[] | Schema>, value, at) =>
    Object.entries(needs)
      .filter(([key]) => has(value, key))
      .flatMap(([, needed]) =>
        Array.isArray(needed)
          ? needed.filter((key) => !has(value, key)).flatMap((key) => wrong(at, `lacks ${key}`))
          : mistakes(value, { ...at, schema: needed }),
      ),
  $ref: (name: string, value, at) => {
    const definitions = at.root["definitions"] as Record<string, Schema>;
    const schema = definitions[name.replace("#/definitions/", "")];
    if (!schema) throw new Error(`${at.where}: there is no ${name}`);
    return mistakes(value, { ...at, schema });
  },
  allOf: (schemas: Schema[], value, at) =>
    schemas.flatMap((schema) => mistakes(value, { ...at, schema })),
  anyOf: (schemas: Schema[], value, at) =>
    fitting(schemas, value, at) > 0 ? [] : wrong(at, "fits none of anyOf"),
  oneOf: (schemas: Schema[], value, at) =>
    fitting(schemas, value, at) === 1 ? [] : wrong(at, "does not fit one of oneOf"),
  not: (schema: Schema, value, at) =>
    mistakes(value, { ...at, schema }).length > 0 ? [] : wrong(at, "fits what it must not"),
};

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  array: Array.isArray,
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  number: (value) => typeof value === "number",
  integer: Number.isInteger,
};

function fitting(schemas: readonly Schema[], value: unknown, at: Place): number {
  return schemas.filter((schema) => mistakes(value, { ...at, schema }).length === 0).length;
}

function inside(value: unknown, schema: Schema, at: Place, key: string): string[] {
  return mistakes(value, { ...at, schema, where: `${at.where}/${key}` });
}

function entries(value: unknown): [string, unknown][] {
  return TYPES["object"]?.(value) ? Object.entries(value as object) : [];
}

function has(value: unknown, key: string): boolean {
  return entries(value).some(([own]) => own === key);
}

function wrong(at: Place, why: string): string[] {
  return [`${at.where} ${why}`];
}
