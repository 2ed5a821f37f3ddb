import { z } from "zod";
import { HANDLER_KEYS } from "../../src/config/handlers.ts";
import { liveTable } from "../../src/config/live-handler.ts";
import { KEY_DOCS } from "./key-docs.ts";
import { configSchema } from "../../src/config/schema.ts";
import { SPELLINGS } from "../../src/config/spellings.ts";
import { EFFECT_CONDITIONS } from "../../src/core/hook.ts";
import { POINT_ALIASES, POINT_TABLE } from "../../src/core/point-table.ts";
import { pointSet } from "../../src/core/points.ts";

/** A JSON Schema (draft 7), as far as it is looked into. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly [key: string]: unknown;
}

/** Hooks of MassGen at one event; the loader checks what is in them. */
const MASSGEN_HOOKS = byType(
  { type: "array", items: { type: "object", required: ["handler", "type"] } },
  { type: "object", required: ["override"] },
);
const MASSGEN_AGENTS: JsonSchema = {
  type: "array",
  items: { type: "object", required: ["id"] },
};

/** schema/orcs.schema.json: what an editor knows of orcs.toml. */
export function configJsonSchema(): JsonSchema {
  const hooks = described("hooks", { type: "array", items: ref("hook") });
  const { hooks: _hooks, agents, ...settings } = shapeOf(CONFIG);
  const agent = tableOf("agents", recordValue(agents));
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "orcs.toml",
    description: "Hooks of AI agents, and the limits within which they run.",
    type: "object",
    additionalProperties: false,
    properties: {
      ...Object.fromEntries(
        Object.entries(settings).map(([key, schema]) => [key, described(key, of(schema, key))]),
      ),
      hooks: described("hooks", hookListJsonSchema(hooks)),
      agents: described(
        "agents",
        byType({ type: "object", additionalProperties: agent }, MASSGEN_AGENTS),
      ),
    },
    definitions: {
      point: pointJsonSchema(),
      match: matchJsonSchema(),
      hook: { ...hookJsonSchema(), ...hookRules() },
      test: { ...testJsonSchema("tests"), required: ["name"] },
      event: testJsonSchema("event"),
      expect: testJsonSchema("expect"),
    },
  };
}

/** `[[hooks]]`, or as a table either `[[hooks.hooks]]` or the events of MassGen. */
function hookListJsonSchema(hooks: JsonSchema): JsonSchema {
  const { type, ...keywords } = byType(hooks, {
    type: "object",
    properties: { hooks },
    additionalProperties: MASSGEN_HOOKS,
    dependencies: { hooks: { maxProperties: 1 } },
  });
  // Taplo completes `[[hooks]]` only for a schema whose type is "array" alone.
  return { ...keywords, anyOf: [type].flat().map((each) => ({ type: each })) };
}

/** The keys of a hook. */
export function hookJsonSchema(): JsonSchema {
  return tableOf("hooks", hookSchemaOf());
}

/** The conditions of a hook. */
export function matchJsonSchema(): JsonSchema {
  return tableOf("match", hookShape()["match"]);
}

/** The keys of a test of a hook, or of a table within one. */
export function testJsonSchema(table: keyof ReturnType<typeof testTables>): JsonSchema {
  return tableOf(table, testTables()[table]);
}

/** The paths of `KEY_DOCS`: every key there is. */
export function documentedPaths(): string[] {
  const { hooks: _hooks, agents, packages, ...settings } = shapeOf(CONFIG);
  const hook = hookShape();
  const below = (name: string, schema: unknown): string[] =>
    Object.keys(shapeOf(schema)).map((key) => `${name}.${key}`);
  return [
    ...Object.entries(settings).flatMap(([name, schema]) => [name].concat(below(name, schema))),
    "packages",
    ...below("packages", recordValue(packages)),
    "hooks",
    ...Object.keys(hook)
      .filter((key) => !Object.hasOwn(SPELLINGS, key))
      .map((key) => `hooks.${key}`),
    ...["match", "shell", "webhook", "module"].flatMap((name) => below(name, hook[name])),
    ...below("handler", liveTable()),
    ...Object.entries(testTables()).flatMap(([name, schema]) => below(name, schema)),
    "agents",
    ...below("agents", recordValue(agents)),
  ];
}

const CONFIG = configSchema(
  {
    points: pointSet(),
    cwd: "/",
    baseDir: "/",
    locate: (path: string) => path,
    findScript: () => ({ file: undefined, lookedIn: [], nearest: undefined }),
  },
  false,
);

const OBJECT: JsonSchema = { type: "object" };
const TEXT_MATCH = byType(
  { type: "string" },
  {
    type: "object",
    additionalProperties: false,
    properties: {
      matches: { type: "string", description: "A Lua pattern that is found in it." },
    },
    required: ["matches"],
  },
);

type Shape = Readonly<Record<string, unknown>>;

function oneOrMore(): JsonSchema {
  return byType(
    { type: "string", minLength: 1 },
    { type: "array", minItems: 1, items: { type: "string", minLength: 1 } },
  );
}

/** What the zod schema keeps to itself, in a function. */
const OPAQUE: Readonly<Record<string, () => JsonSchema>> = {
  "hooks.point": () => ref("point"),
  "hooks.event": () => ref("point"),
  "event.point": () => ref("point"),
  "hooks.match": () => ref("match"),
  ...Object.fromEntries(
    ["runs", ...Object.keys(EFFECT_CONDITIONS)].map((key) => [`match.${key}`, oneOrMore]),
  ),
  "hooks.shell": () =>
    byType(
      { type: "string", minLength: 1 },
      { ...tableOf("shell", hookShape()["shell"]), required: ["command"] },
    ),
  "hooks.webhook": () => ({ ...tableOf("webhook", hookShape()["webhook"]), required: ["url"] }),
  "hooks.module": () =>
    byType(
      { type: "string", minLength: 1 },
      { ...tableOf("module", hookShape()["module"]), required: ["function"] },
    ),
  "hooks.handler": () =>
    byType(
      { type: "string", minLength: 1 },
      { ...tableOf("handler", liveTable()), required: ["protocol"] },
    ),
  "webhook.method": () => ({
    type: "string",
    pattern: `^(${["POST", "PUT"].map(anyCase).join("|")})$`,
  }),
  "hooks.tests": () => ({ type: "array", items: ref("test") }),
  "tests.time": () => ({ type: "string", format: "date-time" }),
  "tests.event": () => ref("event"),
  "tests.expect": () => ref("expect"),
  "tests.events": () => ({
    type: "array",
    minItems: 1,
    items: { allOf: [ref("event")], properties: { expect: ref("expect") }, required: ["expect"] },
  }),
  "agents.hooks": () => ({ type: "array", items: ref("hook") }),
  "agents.override": () => ({ type: "array", items: ref("point") }),
  ...opaque(
    ["hooks.options", "packages.options", "tests.state", "tests.state_after", "tests.options"],
    OBJECT,
  ),
  ...opaque(["event.metadata", "event.payload", "calls.answers"], OBJECT),
  ...opaque(["expect.payload", "expect.metadata"], OBJECT),
  ...opaque(["expect.result", "expect.inject", "calls.args"], {}),
  ...opaque(["expect.reason", "expect.error"], TEXT_MATCH),
  "expect.logs": () => ({ type: "array", items: TEXT_MATCH }),
};

function opaque(paths: readonly string[], schema: JsonSchema): Record<string, () => JsonSchema> {
  return Object.fromEntries(paths.map((path) => [path, () => schema]));
}

function tableOf(prefix: string, schema: unknown): JsonSchema {
  const table = bare(schema);
  if (!(table instanceof z.ZodObject)) throw new Error(`${prefix} is no table`);
  const properties = Object.entries(table.shape).map(([key, each]) => {
    const path = `${prefix}.${key}`;
    return [key, described(path, OPAQUE[path]?.() ?? of(each, path))] as const;
  });
  const isOpen = !(table.def.catchall instanceof z.ZodNever);
  return {
    type: "object",
    ...(!isOpen && { additionalProperties: false }),
    properties: Object.fromEntries(properties),
  };
}

function of(schema: unknown, path: string): JsonSchema {
  const inner = bare(schema);
  if (inner instanceof z.ZodObject) return tableOf(path, inner);
  // Tables by name have the same keys.
  if (inner instanceof z.ZodRecord && bare(inner.valueType) instanceof z.ZodObject) {
    return { type: "object", additionalProperties: tableOf(path, inner.valueType) };
  }
  // A list of tables within a table stands under the list's own name.
  if (inner instanceof z.ZodArray && bare(inner.element) instanceof z.ZodObject) {
    return { type: "array", items: tableOf(path.split(".").at(-1) ?? "", inner.element) };
  }
  if (!(inner instanceof z.ZodType)) throw new Error(`${path} has no schema`);
  const { $schema: _draft, ...leaf } = z.toJSONSchema(inner, { target: "draft-7", io: "input" });
  return leaf as JsonSchema;
}

/** What is behind wrappers: of a pipe what is read, unless that is a function or anything at all. */
function bare(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodLazy) return bare(schema.unwrap());
  if (!(schema instanceof z.ZodPipe)) return schema;
  const read = bare(schema.in);
  return read instanceof z.ZodTransform || read instanceof z.ZodUnknown ? bare(schema.out) : read;
}

function shapeOf(schema: unknown): Shape {
  const table = bare(schema);
  if (table instanceof z.ZodObject) return table.shape;
  return {};
}

function recordValue(record: unknown): unknown {
  return (bare(record) as z.ZodRecord).valueType;
}

function element(list: unknown): unknown {
  return (bare(list) as z.ZodArray).element;
}

function hookSchemaOf(): unknown {
  return element(shapeOf(CONFIG)["hooks"]);
}

function hookShape(): Shape {
  return shapeOf(hookSchemaOf());
}

/** Of one test in a hook, the tables of it. */
function testTables(): Readonly<Record<"tests" | "event" | "expect" | "calls", unknown>> {
  const tests = element(hookShape()["tests"]);
  const { event, expect, calls } = shapeOf(tests);
  return { tests, event, expect, calls: element(calls) };
}

function described(path: string, schema: JsonSchema): JsonSchema {
  const description = plain(docOf(path));
  // Beside a reference nothing else is read in draft 7.
  if (schema.$ref !== undefined) return { description, allOf: [schema] };
  return { description, ...schema };
}

function docOf(path: string): string {
  const [, key = ""] = path.split(".");
  if (path === "hooks.timeout_sec") return "the same as `timeout_ms`, in seconds";
  if (path.startsWith("hooks.") && Object.hasOwn(SPELLINGS, key)) {
    return `the same as \`${SPELLINGS[key as keyof typeof SPELLINGS].join(".")}\``;
  }
  const doc = KEY_DOCS[path];
  if (doc === undefined) throw new Error(`scripts/generate/key-docs.ts has no line for ${path}`);
  return doc;
}

/** A line of Markdown as a sentence: without links, which lead nowhere here. */
function plain(doc: string): string {
  const text = doc
    .replaceAll(/ \(\[[^\]]*\]\([^)]*\)\)/g, "")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function pointJsonSchema(): JsonSchema {
  const docs = Object.values(POINT_TABLE).map(({ doc }) => doc);
  const folded = Object.keys(POINT_ALIASES).map((alias) => alias.split("").map(anyCase).join("_*"));
  return {
    anyOf: [
      {
        enum: Object.keys(POINT_TABLE),
        "x-taplo": { docs: { enumValues: docs } },
      },
      { enum: Object.keys(POINT_ALIASES) },
      // Aliases are read in any case, with underscores anywhere.
      { type: "string", pattern: `^_*(${folded.join("|")})_*$` },
    ],
  };
}

/** Exactly one handler, with a point where it needs one; no key in two spellings. */
function hookRules(): JsonSchema {
  const meanings = [...new Set(Object.values(SPELLINGS).map((path) => path.join(".")))];
  return {
    oneOf: HANDLER_KEYS.map(handlerRule),
    dependencies: { type: ["handler"] },
    allOf: meanings
      .map(spellingsOf)
      .flatMap(pairs)
      .map((pair) => ({ not: { required: pair } })),
  };
}

function handlerRule(key: (typeof HANDLER_KEYS)[number]): JsonSchema {
  const isCommand = key === "handler";
  return {
    required: [key],
    ...(isCommand && {
      allOf: [
        {
          anyOf: [
            { properties: { handler: { type: "string" } }, required: ["type"] },
            { properties: { handler: { type: "object" } }, not: { required: ["type"] } },
          ],
        },
      ],
    }),
    ...(key !== "script" && { anyOf: [{ required: ["point"] }, { required: ["event"] }] }),
  };
}

/**
 * Any of several schemas, each for another type. A keyword is about values of one type, so that all can stand together:
 * an editor then reports what is wrong in a table, where `anyOf` says for each key of it that nothing fits.
 */
function byType(...schemas: readonly JsonSchema[]): JsonSchema {
  const types = schemas.flatMap(({ type }) => type ?? []);
  const keywords = schemas.flatMap(({ type: _type, ...others }) => Object.keys(others));
  if (
    types.length !== schemas.length ||
    new Set([...types, ...keywords]).size !== types.length + keywords.length
  ) {
    throw new Error("the schemas must have a type each, and no keyword in common");
  }
  return { ...Object.assign({}, ...schemas), type: types };
}

/** The keys of a hook that mean the same. */
function spellingsOf(meaning: string): string[] {
  const others = Object.entries(SPELLINGS).filter(([, path]) => path.join(".") === meaning);
  const own = meaning.includes(".") ? [] : [meaning];
  return own.concat(others.map(([key]) => key));
}

function pairs(keys: readonly string[]): string[][] {
  return keys.flatMap((first, i) => keys.slice(i + 1).map((second) => [first, second]));
}

function ref(name: string): JsonSchema {
  return { $ref: `#/definitions/${name}` };
}

/** Each letter of a text as a pattern for both cases. */
function anyCase(text: string): string {
  return text.replaceAll(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}
