import { z } from "zod";
import type { Operation, OperationName } from "./operations.ts";
import {
  FRAME,
  OPERATIONS,
  WELL_KNOWN,
  WIRE_ERROR,
  WIRE_ERRORS,
  WIRE_VERSIONS,
} from "./operations.ts";

/** A JSON Schema, draft 2020-12. */
export type WireSchema = Readonly<Record<string, unknown>>;

/** schema/orcs-wire.schema.json: the lines of the socket, and the well-known file. */
export function wireJsonSchema(): WireSchema {
  const names = Object.keys(OPERATIONS) as OperationName[];
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "The wire of the orcs service",
    description: "A line on the socket: a request, its answer, or an error.",
    oneOf: [
      ...names.map((name) => ({ $ref: `#/$defs/${name}_request` })),
      ...names.map((name) => ({ $ref: `#/$defs/${name}_answer` })),
      { $ref: "#/$defs/error" },
    ],
    $defs: {
      ...Object.fromEntries(names.flatMap((name) => definitions(name, lineOf(name)))),
      error: schemaOf(WIRE_ERROR),
      well_known: schemaOf(WELL_KNOWN),
    },
  };
}

/** schema/orcs-wire.openapi.json: the same over HTTP. */
export function openApiDocument(): WireSchema {
  const operations = Object.entries<Operation>(OPERATIONS);
  const v = WIRE_VERSIONS[0];
  return {
    openapi: "3.1.0",
    info: {
      title: "The wire of the orcs service",
      version: String(v),
      description: "Ask the hooks of a service. Port and token are in its well-known file.",
    },
    servers: [{ url: "http://127.0.0.1:{port}", variables: { port: { default: "0" } } }],
    security: [{ token: [] }],
    paths: Object.fromEntries(
      operations.map(([name, { doc, isStream }]) => [
        `/v${v}/${name}`,
        isStream === true ? { get: httpOperation(name, doc) } : { post: httpOperation(name, doc) },
      ]),
    ),
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: {
        ...Object.fromEntries(
          operations.flatMap(([name, { request }]) => definitions(name, schemaOf(request))),
        ),
        error: schemaOf(WIRE_ERROR),
      },
    },
  };
}

function httpOperation(name: string, doc: string): WireSchema {
  const isStream = name === "events";
  const schema = (of: string): WireSchema => ({ $ref: `#/components/schemas/${of}` });
  const type = isStream ? "application/x-ndjson" : "application/json";
  return {
    operationId: name,
    summary: doc,
    ...(!isStream && {
      requestBody: {
        required: true,
        content: { "application/json": { schema: schema(`${name}_request`) } },
      },
    }),
    responses: {
      200: { description: "the answer", content: { [type]: { schema: schema(`${name}_answer`) } } },
      default: {
        description: `an error: ${Object.keys(WIRE_ERRORS).join(", ")}, or one of HTTP`,
        content: { "application/json": { schema: schema("error") } },
      },
    },
  };
}

function definitions(name: string, request: WireSchema): [string, WireSchema][] {
  const { doc, answer }: Operation = OPERATIONS[name as OperationName];
  return [
    [`${name}_request`, { description: doc, ...request }],
    [`${name}_answer`, schemaOf(answer)],
  ];
}

/** A request with its frame. */
function lineOf(name: OperationName): WireSchema {
  const frame = FRAME.extend({ op: z.literal(name) });
  const required = name === "hello" ? frame : frame.required({ v: true });
  return schemaOf(required.extend(OPERATIONS[name].request.shape).strict());
}

/** The schema of a part of the wire. */
export function schemaOf(schema: z.ZodType): WireSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { unrepresentable: "any", io: "input" });
  return rest;
}
