import type { Operation, OperationName } from "../../src/daemon/wire/operations.ts";
import { OPERATIONS, WELL_KNOWN, WIRE_ERRORS } from "../../src/daemon/wire/operations.ts";
import type { WireSchema } from "../../src/daemon/wire/wire-schema.ts";
import { schemaOf } from "../../src/daemon/wire/wire-schema.ts";
import { table } from "./table.ts";

/** What the page says in a sentence: `result` is answered as `invoke`, `explain` is as `dispatch`. */
const SAME_AS_ANOTHER: readonly string[] = [
  "wire-result-answer",
  "wire-explain-request",
  "wire-explain-answer",
];

/** Parts of docs/reference/wire.md. */
export const WIRE_PARTS: Readonly<Record<string, () => string>> = {
  "wire-operations": wireOperations,
  "wire-well-known": wellKnownKeys,
  "wire-errors": wireErrors,
  ...Object.fromEntries(
    (Object.keys(OPERATIONS) as OperationName[])
      .flatMap((name) => [
        [`wire-${name}-request`, () => wireRequest(name)] as const,
        [`wire-${name}-answer`, () => wireAnswer(name)] as const,
      ])
      .filter(([part]) => !SAME_AS_ANOTHER.includes(part)),
  ),
};

/** The operations, one row each. */
function wireOperations(): string {
  const rows = Object.entries<Operation>(OPERATIONS).map(([name, { doc, isStream }]) => [
    `[\`${name}\`](#${name})`,
    `\`${isStream === true ? "GET" : "POST"} /v1/${name}\``,
    doc,
  ]);
  return table(["operation", "over HTTP", "what it does"], rows);
}

/** The fields of a request; those that it has in common with `dispatch` are only named. */
function wireRequest(name: OperationName): string {
  const schema = schemaOf(OPERATIONS[name].request);
  if (name === "dispatch") return fieldList(schema, "Request");
  const known = propertiesOf(schemaOf(OPERATIONS.dispatch.request)).map((each) =>
    JSON.stringify(each),
  );
  const isShared = (each: readonly [string, WireSchema]): boolean =>
    known.includes(JSON.stringify(each));
  const shared = propertiesOf(schema).filter(isShared);
  const own = propertiesOf(schema).filter((each) => !isShared(each));
  const fields = fieldList({ ...schema, properties: Object.fromEntries(own) }, "Request");
  if (shared.length === 0) return fields;
  const names = shared.map(([key]) => `\`${key}\``).join(", ");
  return `${fields}\n\nAs in [\`dispatch\`](#dispatch): ${names}.`;
}

/** The fields of an answer; of one in several forms, a list for each. */
function wireAnswer(name: OperationName): string {
  const schema = schemaOf(OPERATIONS[name].answer);
  const forms = (schema["oneOf"] ?? schema["anyOf"]) as readonly WireSchema[] | undefined;
  return (forms ?? [schema]).map((form) => fieldList(form, "Answer")).join("\n\n");
}

/** The keys of the well-known file. */
function wellKnownKeys(): string {
  return fieldList(schemaOf(WELL_KNOWN), "Keys");
}

/** The errors. */
function wireErrors(): string {
  const rows = Object.entries(WIRE_ERRORS).map(([code, { status, ran, advice }]) => [
    `\`${code}\``,
    String(status),
    ran ? "perhaps" : "no",
    advice,
  ]);
  return table(["code", "status over HTTP", "have hooks run", "what a client does"], rows);
}

/** The fields of an object, those that are always there in bold. */
function fieldList(schema: WireSchema, head: string): string {
  const required = (schema["required"] ?? []) as readonly string[];
  const rows = propertiesOf(schema).map(([key, field]) => {
    const name = required.includes(key) ? `**\`${key}\`**` : `\`${key}\``;
    const { description } = field;
    return `- ${name} (${typeText(field)}): ${typeof description === "string" ? description : ""}`;
  });
  return rows.length === 0 ? `${head}: none.` : `${head}:\n\n${rows.join("\n")}`;
}

function propertiesOf(schema: WireSchema): [string, WireSchema][] {
  return Object.entries((schema["properties"] ?? {}) as Record<string, WireSchema>);
}

function typeText(field: WireSchema): string {
  const { type, enum: values, const: value, items } = field;
  if (value !== undefined) return `\`${JSON.stringify(value)}\``;
  if (Array.isArray(values)) return values.map((each) => `\`${JSON.stringify(each)}\``).join(", ");
  if (type === "array") return `list of ${listed(items as WireSchema)}`;
  return typeof type === "string" ? type : "any JSON";
}

function listed(items: WireSchema): string {
  const { type, properties } = items;
  if (properties)
    return `objects with ${Object.keys(properties)
      .map((key) => `\`${key}\``)
      .join(", ")}`;
  return typeof type === "string" ? `${type}s` : "texts, or objects with `content` and `strategy`";
}
