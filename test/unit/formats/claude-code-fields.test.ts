import { readFileSync } from "node:fs";
import ts from "typescript";
import { expect, test } from "vitest";
import { CLAUDE_FIELDS, CLAUDE_HOST_EVENTS } from "../../../src/formats/claude-code/events.ts";
import type { FieldKind } from "../../../src/formats/host-fields.ts";

/** The types of the installed SDK, which is written for the Claude Code of the same day. */
const SDK = ts.createSourceFile(
  "sdk.d.ts",
  readFileSync(
    new URL("../../../node_modules/@anthropic-ai/claude-agent-sdk/sdk.d.ts", import.meta.url),
    "utf8",
  ),
  ts.ScriptTarget.Latest,
);
const TYPES = new Map(
  SDK.statements
    .filter((statement) => ts.isTypeAliasDeclaration(statement))
    .map((statement) => [statement.name.text, statement.type]),
);
const EVENTS = Object.keys(CLAUDE_HOST_EVENTS);

/** One field at one event, with its type as written in the SDK. */
interface SdkField {
  readonly event: string;
  readonly place: string;
  readonly field: string;
  readonly type: string;
}

const textOf = (node: ts.Node): string => node.getText(SDK).replaceAll(/\s+/g, " ");

/** The properties of a type, of each member of a union. */
function propertiesOf(type: ts.TypeNode): { name: string; type: ts.TypeNode }[] {
  if (ts.isUnionTypeNode(type)) return type.types.flatMap((member) => propertiesOf(member));
  if (ts.isTypeReferenceNode(type)) {
    const named = TYPES.get(textOf(type.typeName));
    return named ? propertiesOf(named) : [];
  }
  if (!ts.isTypeLiteralNode(type)) return [];
  return type.members.flatMap((member) =>
    ts.isPropertySignature(member) && member.type
      ? [{ name: textOf(member.name), type: member.type }]
      : [],
  );
}

function sdkFields(): SdkField[] {
  const output = TYPES.get("SyncHookJSONOutput");
  if (!output) throw new Error("the SDK has no SyncHookJSONOutput");
  const top = propertiesOf(output);
  const specific = top.find(({ name }) => name === "hookSpecificOutput")?.type;
  if (!specific || !ts.isUnionTypeNode(specific)) throw new Error("no union of hookSpecificOutput");
  const common = EVENTS.flatMap((event) =>
    top
      .filter(({ name }) => name !== "hookSpecificOutput")
      .map(({ name, type }) => ({ event, place: "", field: name, type: textOf(type) })),
  );
  return [...common, ...specific.types.flatMap((member) => ofEvent(member))];
}

function ofEvent(member: ts.TypeNode): SdkField[] {
  const properties = propertiesOf(member);
  const named = properties.find(({ name }) => name === "hookEventName");
  const event = named ? textOf(named.type).replaceAll(/['"]/g, "") : "";
  return properties
    .filter(({ name }) => name !== "hookEventName")
    .flatMap(({ name, type }) => {
      const place = "hookSpecificOutput";
      const inner = propertiesOf(type);
      return inner.length === 0
        ? [{ event, place, field: name, type: textOf(type) }]
        : inner.map((each) => ({
            event,
            place: `${place}.${name}`,
            field: each.name,
            type: textOf(each.type),
          }));
    });
}

const keyOf = ({ event, place, field }: Omit<SdkField, "type">): string =>
  [event, place, field].filter(Boolean).join(" ");

/** The SDK's type for a kind; an allowed value is one of its type. */
const SDK_TYPES: Readonly<Record<Extract<FieldKind, string>, RegExp>> = {
  boolean: /^boolean$/,
  string: /^string$/,
  strings: /^string\[\]$/,
  object: /^Record<string, unknown>$/,
  objects: /^PermissionUpdate\[\]$/,
};

test("every field of the SDK's types has a row, and every row is such a field", () => {
  const rows = [...CLAUDE_FIELDS.settable, ...CLAUDE_FIELDS.own, ...CLAUDE_FIELDS.unsent];
  const ours = rows.flatMap(({ field, at, place }) =>
    at.map((event) => keyOf({ event, place: place.join("."), field })),
  );
  const theirs = sdkFields().map((each) => keyOf(each));
  expect(theirs.length).toBeGreaterThan(250);
  expect([...new Set(ours)].toSorted()).toEqual([...new Set(theirs)].toSorted());
});

test.each(
  CLAUDE_FIELDS.settable.flatMap((row) => row.at.map((event) => [row.field, event, row] as const)),
)("%s at %s has the type of the SDK", (field, event, { kind, place }) => {
  const type =
    sdkFields().find((each) => keyOf(each) === keyOf({ event, place: place.join("."), field }))
      ?.type ?? "";
  if (typeof kind === "string") expect(type).toMatch(SDK_TYPES[kind]);
  else if (kind.every((word) => typeof word === "boolean")) expect(type).toBe("boolean");
  else for (const word of kind) expect(type).toContain(`'${word}'`);
});

test("the SDK's answer for later has no other fields than the two that orcs does not need", () => {
  const type = TYPES.get("AsyncHookJSONOutput");
  expect(type && propertiesOf(type).map(({ name }) => name)).toEqual(["async", "asyncTimeout"]);
});
