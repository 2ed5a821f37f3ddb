import { HANDLER_KEYS } from "../../../src/config/handlers.ts";
import { SPELLINGS } from "../../../src/config/spellings.ts";
import type { LuaField } from "../../../src/core/orcs-api.ts";
import { hookJsonSchema, matchJsonSchema, testJsonSchema } from "../config-json-schema.ts";
import type { JsonSchema } from "../config-json-schema.ts";
import { classText, oneOf } from "./lua-writer.ts";

/** The tables that scripts return or give to `orcs.hook`: the keys of `[[hooks]]`, less its handlers. */
export function hookClasses(): string[] {
  const elsewhere = ["point", "options", "type", ...HANDLER_KEYS, ...Object.keys(SPELLINGS)];
  return [
    classText({
      name: "orcs.Match",
      doc: "Conditions on a payload; all must be true.",
      fields: fieldsOf(matchJsonSchema()),
    }),
    classText({
      name: "orcs.Test",
      doc: "A test of a hook, for orcs test.",
      fields: {
        "[1]": { type: "string", doc: "What the test shows." },
        ...testFields("tests", ["name"]),
      },
    }),
    classText({
      name: "orcs.TestEvent",
      doc: "The event of a test: keys of its own, and keys of the payload.",
      fields: {
        ...testFields("event"),
        tool: { type: "string", doc: "The tool's name.", optional: true },
        args: { type: "table<string, any>", doc: "The tool's arguments.", optional: true },
        "[string]": { type: "any", doc: "Any other key of the payload." },
      },
    }),
    classText({
      name: "orcs.TestStep",
      parent: "orcs.TestEvent",
      doc: "One of several events of a test.",
      fields: { expect: { type: "orcs.TestExpect", doc: "The expected outcome." } },
    }),
    classText({
      name: "orcs.TestExpect",
      doc: "The expected outcome of an event.",
      fields: testFields("expect"),
    }),
    classText({
      name: "orcs.TestCall",
      doc: "A tool call that the hook is expected to make, and its result.",
      fields: testFields("calls"),
    }),
    classText({
      name: "orcs.HookKeys",
      doc: "The fields of a hook that a script may set; orcs.toml takes precedence.",
      fields: fieldsOf(hookJsonSchema(), elsewhere),
    }),
    classText({
      name: "orcs.Hook",
      parent: "orcs.HookKeys",
      doc: "A hook at any point; orcs.hook.<point> knows its payload.",
      fields: {
        point: { type: "orcs.Point", doc: "The point at which it runs.", optional: true },
        handler: { type: "orcs.Handler", doc: "The function that is called at the point." },
      },
    }),
  ];
}

function testFields(
  table: Parameters<typeof testJsonSchema>[0],
  without: readonly string[] = [],
): Record<string, LuaField> {
  return fieldsOf(testJsonSchema(table), without);
}

/** The classes of what is a table of its own. */
const CLASSES: Readonly<Record<string, string>> = {
  match: "orcs.Match",
  runs: "string|string[]",
  tests: "orcs.Test[]",
  event: "orcs.TestEvent",
  events: "orcs.TestStep[]",
  expect: "orcs.TestExpect",
  calls: "orcs.TestCall[]",
  point: "orcs.Point",
  reason: "string|{ matches: string }",
  error: "string|{ matches: string }",
  logs: "(string|{ matches: string })[]",
};

function fieldsOf(table: JsonSchema, without: readonly string[] = []): Record<string, LuaField> {
  const keys = Object.entries(table.properties ?? {}).filter(([key]) => !without.includes(key));
  return Object.fromEntries(
    keys.map(([key, schema]) => [
      key,
      { type: CLASSES[key] ?? typeOf(schema), doc: schema.description ?? "", optional: true },
    ]),
  );
}

function typeOf(schema: JsonSchema): string {
  if (schema.enum) return oneOf(schema.enum);
  const { type = "any" } = schema;
  if (typeof type !== "string")
    return type.map((each) => typeOf({ ...schema, type: each })).join("|");
  if (type === "array") return `${typeOf(schema.items ?? {})}[]`;
  return type === "object" ? "table<string, any>" : type;
}
