import { ACTION_TABLE } from "../../../src/core/actions.ts";
import type { HookContext } from "../../../src/core/context.ts";
import type { LuaField } from "../../../src/core/orcs-api.ts";
import type { DocumentedKey, KeyKind, PointRow } from "../../../src/core/point-table.ts";
import { POINT_ALIASES, POINT_TABLE } from "../../../src/core/point-table.ts";
import { answerName } from "./answer-classes.ts";
import { aliasText, classText, enumText, oneOf } from "./lua-writer.ts";

/** Per point: its payload, its context, and the table form of a hook that stands at it. */
export function pointClasses(): string[] {
  const names = Object.keys(POINT_TABLE);
  return [
    enumText("orcs.PointName", "Every hook point.", names),
    enumText("orcs.PointAlias", "Other systems' names of points.", Object.keys(POINT_ALIASES)),
    aliasText("orcs.Point", "Where a hook stands.", "orcs.PointName|orcs.PointAlias"),
    classText({
      name: "orcs.Principal",
      doc: "Who began an action.",
      fields: {
        type: { type: "string", doc: "What kind of principal, such as User or System." },
        id: { type: "string", doc: "Which one." },
      },
    }),
    classText({
      name: "orcs.Context",
      doc: "What a hook sees of the operation it stands at. payload and metadata may be changed.",
      fields: CONTEXT,
    }),
    aliasText(
      "orcs.Handler",
      "What a hook does.",
      "fun(ctx: orcs.Context): orcs.Answer|orcs.Context|nil",
    ),
    ...Object.entries<PointRow>(POINT_TABLE).flatMap(classesOf),
  ];
}

/** The hook tables of all points, for the overloads of `orcs.hook`. */
export function hookClassNames(): string[] {
  return Object.keys(POINT_TABLE).map((point) => `orcs.hook.${point}`);
}

const CONTEXT: Readonly<Record<keyof HookContext, LuaField>> = {
  hook_point: { type: "string", doc: "The point's name." },
  component_id: { type: "string", doc: "The component it concerns, namespace::name." },
  channel_id: { type: "string", doc: "The channel it concerns." },
  principal: { type: "orcs.Principal", doc: "Who began it." },
  timestamp_ms: { type: "integer", doc: "Milliseconds since the engine started." },
  payload: { type: "table<string, any>", doc: "What the point is about; may be changed." },
  metadata: {
    type: "table<string, any>",
    doc: "A bag that goes along from the pre to the post point; may be changed.",
  },
  depth: { type: "integer", doc: "How many dispatches this one is nested in." },
  max_depth: { type: "integer", doc: "How deep it may be." },
};

const KINDS: Readonly<Record<KeyKind, string>> = {
  string: "string",
  integer: "integer",
  number: "number",
  boolean: "boolean",
  object: "table<string, any>",
  list: "any[]",
  strings: "string[]",
  any: "any",
};

function classesOf([point, row]: [string, PointRow]): string[] {
  const fields = Object.entries(row.keys).map(([key, spec]) => [key, payloadField(spec)] as const);
  const phase = row.question ? "question" : row.phase;
  const context = `orcs.context.${point}`;
  const aliases = Object.entries(POINT_ALIASES).filter(([, name]) => name === point);
  const legal = Object.entries(ACTION_TABLE[phase]).filter(([, verdict]) => verdict === "legal");
  return [
    classText({
      name: `orcs.payload.${point}`,
      doc: `Payload of ${point}. ${row.doc}`,
      fields: {
        ...Object.fromEntries(fields),
        "[string]": { type: "any", doc: "Whatever else the host sends." },
      },
    }),
    classText({
      name: context,
      parent: "orcs.Context",
      doc: `Context of ${point}.`,
      fields: {
        hook_point: { type: `"${point}"`, doc: "The point's name." },
        payload: { type: `orcs.payload.${point}`, doc: row.doc },
      },
    }),
    classText({
      name: `orcs.hook.${point}`,
      parent: "orcs.HookKeys",
      doc: `A hook at ${point}. ${row.doc}`,
      fields: {
        point: {
          type: oneOf([point, ...aliases.map(([alias]) => alias)]),
          doc: "When it runs.",
        },
        handler: {
          type: `fun(ctx: ${context}): ${answerName(phase)}|${context}|nil`,
          doc: `What it does; it may answer ${legal.map(([action]) => action).join(", ")}.`,
        },
      },
    }),
  ];
}

function payloadField(spec: DocumentedKey): LuaField {
  const marks = [
    ...(spec.fixed ? ["A hook must not change it."] : []),
    ...(spec.shrinks ? ["Bits can only be taken away."] : []),
  ];
  return {
    type: KINDS[spec.kind],
    doc: [spec.doc, ...marks].join(" "),
    ...(spec.required ? {} : { optional: true }),
  };
}
