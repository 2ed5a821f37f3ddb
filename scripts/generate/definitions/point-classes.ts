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
    aliasText("orcs.Point", "The point of a hook.", "orcs.PointName|orcs.PointAlias"),
    classText({
      name: "orcs.Principal",
      doc: "The initiator of an action.",
      fields: {
        type: { type: "string", doc: "The kind of principal, such as User or System." },
        id: { type: "string", doc: "The principal's id." },
      },
    }),
    classText({
      name: "orcs.Context",
      doc: "The context of a hook. payload and metadata may be changed.",
      fields: CONTEXT,
    }),
    aliasText(
      "orcs.Handler",
      "The function of a hook.",
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
  component_id: { type: "string", doc: "The component, namespace::name." },
  channel_id: { type: "string", doc: "The channel." },
  principal: { type: "orcs.Principal", doc: "The initiator." },
  timestamp_ms: { type: "integer", doc: "Milliseconds since the engine started." },
  payload: { type: "table<string, any>", doc: "The data of the point; may be changed." },
  metadata: {
    type: "table<string, any>",
    doc: "Data that is passed from the pre point to the post point; may be changed.",
  },
  depth: { type: "integer", doc: "The nesting depth of this dispatch." },
  max_depth: { type: "integer", doc: "The maximum nesting depth." },
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
        "[string]": { type: "any", doc: "Any other key that the coding agent sends." },
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
          doc: "The point at which it runs.",
        },
        handler: {
          type: `fun(ctx: ${context}): ${answerName(phase)}|${context}|nil`,
          doc: `The handler; it may return ${legal.map(([action]) => action).join(", ")}.`,
        },
      },
    }),
  ];
}

function payloadField(spec: DocumentedKey): LuaField {
  const marks = [
    ...(spec.fixed ? ["A hook must not change it."] : []),
    ...(spec.shrinks ? ["Bits can only be removed."] : []),
  ];
  return {
    type: KINDS[spec.kind],
    doc: [spec.doc, ...marks].join(" "),
    ...(spec.required ? {} : { optional: true }),
  };
}
