import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SIGNAL_RESPONSES, SIGNALS, type Component } from "../../../../src/core/component.ts";
import { CAPABILITIES, GRANT_KINDS } from "../../../../src/core/permission.ts";
import {
  checkComponent,
  checkedChildConfig,
  checkedEvent,
  checkedHints,
  checkedOptions,
  checkedPayload,
  checkedResponse,
  checkedSignal,
} from "../../../../src/engine/runtime/check-input.ts";

const child = (config: unknown): unknown => checkedChildConfig(config, false);
const request = (options: unknown): unknown => checkedOptions("request", options);
const EVENT = { category: "A", operation: "b", source: "host::main" };
const HINTS = { mailbox: 1, request_timeout_ms: 1 };
const MAX_MS = 2 ** 31 - 1;
const SEGMENT =
  "must be one path segment, without '/', '#', '::', '*', spaces and control characters";
const TIME = `must be milliseconds from 1 to ${MAX_MS}`;
const COUNT = "must be an integer >= 1";

describe("valid input of runtime functions", () => {
  test.each<[string, (value: unknown) => unknown, unknown]>([
    ["a child", child, { id: "a", code: "x" }],
    [
      "a child with all there is",
      child,
      {
        id: "agent-1.b:c",
        script: "s.lua",
        capabilities: Object.keys(CAPABILITIES),
        options: { a: [1] },
        timeout_ms: MAX_MS,
        elevated: false,
      },
    ],
    ["a child that may nothing", child, { id: "a", code: "x", capabilities: [] }],
    ["an event", checkedEvent, { ...EVENT, payload: [1] }],
    ["an event with nothing in it", checkedEvent, { ...EVENT, payload: null }],
    ["hints", checkedHints, HINTS],
    ["a fraction of a millisecond", checkedHints, { mailbox: 1, request_timeout_ms: 1.5 }],
    ...Object.keys(SIGNALS).map(
      (kind) => [`the signal ${kind}`, checkedSignal, { kind }] as [string, typeof child, unknown],
    ),
    ["a signal with words", checkedSignal, { kind: "reject", approval_id: "1", reason: "no" }],
    ["options of a request", request, { category: "A", timeout_ms: 1 }],
    ...GRANT_KINDS.map(
      (kind) =>
        [
          `the grant ${kind}`,
          (value: unknown) => checkedOptions("grant_command", value),
          { kind },
        ] as [string, typeof child, unknown],
    ),
  ])("%s", (_, checked, value) => expect(checked(value)).toEqual(value));

  test("null counts as absent", () => {
    expect(request(undefined)).toEqual({});
    expect(request({ category: undefined, timeout_ms: null })).toEqual({});
    expect(checkedSignal({ kind: "veto", reason: null })).toEqual({ kind: "veto" });
    expect(child({ id: "a", code: "x", script: null })).toEqual({ id: "a", code: "x" });
    expect(checkedEvent(EVENT)).toEqual({ ...EVENT, payload: null });
    expect(checkedEvent({ ...EVENT, payload: undefined })).toEqual({ ...EVENT, payload: null });
  });
});

test.each<[string, (value: unknown) => unknown, unknown, string]>([
  ["no child", child, null, "the child's config is not an object"],
  ["a list", child, [], "the child's config is not an object"],
  ["a class", child, new Map(), "the child's config is not an object"],
  ["no id", child, { code: "x" }, "the child's config has no id"],
  ["a path", child, { id: "a/b", code: "x" }, `the child's config: id ${SEGMENT}`],
  ["a scope", child, { id: "a::b", code: "x" }, `the child's config: id ${SEGMENT}`],
  ["an instance", child, { id: "a#b", code: "x" }, `the child's config: id ${SEGMENT}`],
  ["a wildcard", child, { id: "*", code: "x" }, `the child's config: id ${SEGMENT}`],
  ["a space", child, { id: "a b", code: "x" }, `the child's config: id ${SEGMENT}`],
  ["no text", child, { id: "", code: "x" }, `the child's config: id ${SEGMENT}`],
  ["a number", child, { id: 1, code: "x" }, `the child's config: id ${SEGMENT}`],
  ["no source", child, { id: "a" }, "the child a needs exactly one of script and code"],
  [
    "two sources",
    child,
    { id: "a", code: "x", script: "y" },
    "the child a needs exactly one of script and code",
  ],
  [
    "a child in TypeScript and a source",
    (value) => checkedChildConfig(value, true),
    { id: "a", code: "x" },
    "the child a needs exactly one of script and code",
  ],
  [
    "a capability that is none",
    child,
    { id: "a", code: "x", capabilities: ["READ", "constructor"] },
    `the child's config: capabilities must be a list of ${Object.keys(CAPABILITIES).join(", ")}`,
  ],
  [
    "capabilities as bits",
    child,
    { id: "a", code: "x", capabilities: 127 },
    `the child's config: capabilities must be a list of ${Object.keys(CAPABILITIES).join(", ")}`,
  ],
  [
    "a misspelt key",
    child,
    { id: "a", code: "x", timout_ms: 5 },
    'the child\'s config has the unknown key "timout_ms"; did you mean timeout_ms?',
  ],
  [
    "a key of every object",
    request,
    { toString: 5 },
    'the options of request has the unknown key "toString"',
  ],
  ...[0, -1, Number.NaN, Infinity, 2 ** 31, "5"].map(
    (time) =>
      [
        `the time ${time}`,
        request,
        { timeout_ms: time },
        `the options of request: timeout_ms ${TIME}`,
      ] as [string, typeof request, unknown, string],
  ),
  ...[0, -1, 1.5, Number.NaN, Infinity, "5"].map(
    (count) =>
      [
        `the mailbox ${count}`,
        checkedHints,
        { ...HINTS, mailbox: count },
        `the runtime hints of a channel: mailbox ${COUNT}`,
      ] as [string, typeof request, unknown, string],
  ),
  ["no hints", checkedHints, null, "the runtime hints of a channel is not an object"],
  [
    "half the hints",
    checkedHints,
    { mailbox: 1 },
    "the runtime hints of a channel has no request_timeout_ms",
  ],
  ["no event", checkedEvent, null, "the event is not an object"],
  [
    "an event of no category",
    checkedEvent,
    { ...EVENT, category: "" },
    "the event: category must be a non-empty string",
  ],
  [
    "an event that names a target",
    checkedEvent,
    { ...EVENT, target: "a" },
    'the event has the unknown key "target"',
  ],
  [
    "an event of what is not JSON",
    checkedEvent,
    { ...EVENT, payload: { a: [1, () => 2] } },
    "the payload of the event b is not JSON: /a/1 is of type function",
  ],
  ["no signal", checkedSignal, "veto", "the signal is not an object"],
  ["a signal of no kind", checkedSignal, {}, "the signal has no kind"],
  [
    "a signal that is none",
    checkedSignal,
    { kind: "toString" },
    `the signal: kind must be ${Object.keys(SIGNALS).join(", ")}`,
  ],
])(
  "invalid input of runtime functions is rejected with ORCS6010 and a reason %s",
  (_, checked, value, message) => {
    expect(() => checked(value)).toThrow(expect.objectContaining({ code: "ORCS6010" }));
    expect(() => checked(value)).toThrow(new RegExp(`^ORCS6010: ${escaped(message)}$`));
  },
);

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

describe("checkedPayload", () => {
  test.each([undefined, null])("turns %s into null", (payload) => {
    expect(checkedPayload(payload, "it")).toBeNull();
  });

  test("equals the JSON form", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (payload) => {
        expect(JSON.stringify(checkedPayload(payload, "it"))).toBe(JSON.stringify(payload));
      }),
    );
  });

  test("copies deeply", () => {
    const payload = { a: [{ b: 1 }], c: undefined };
    const copy = checkedPayload(payload, "it") as unknown as typeof payload;
    expect(copy).toStrictEqual({ a: [{ b: 1 }] });
    expect([copy === payload, copy.a === payload.a, copy.a[0] === payload.a[0]]).toEqual([
      false,
      false,
      false,
    ]);
  });

  test("rejects non-JSON with its path", () => {
    const error = expect.objectContaining({
      code: "ORCS6010",
      message: "ORCS6010: the payload of it is not JSON: /a~1b/1 is of type bigint",
      fields: { key: "payload" },
    });
    expect(() => checkedPayload({ "a/b": [0, 1n] }, "it")).toThrow(error);
  });
});

describe("checkedResponse of a signal", () => {
  test.each(SIGNAL_RESPONSES)("%s", (response) => {
    expect(checkedResponse(response, "builtin::a")).toBe(response);
  });

  test.each([undefined, null])("turns %s into handled", (response) => {
    expect(checkedResponse(response, "builtin::a")).toBe("handled");
  });

  test.each([true, "", "Handled", {}, ["abort"], 0])("rejects %j", (response) => {
    expect(() => checkedResponse(response, "builtin::a")).toThrow(
      "ORCS6010: builtin::a returned an invalid response to a signal; expected one of handled, ignored, abort",
    );
  });
});

describe("checkComponent", () => {
  const onRequest = (): null => null;

  test.each<[string, unknown]>([
    ["with what it needs", { id: "builtin::a", onRequest }],
    ["with subscriptions", { id: "x::y.z-1", onRequest, subscriptions: ["A", "*"] }],
    [
      "of a class",
      new (class {
        id = "builtin::a";
        onRequest = onRequest;
      })(),
    ],
  ])("accepts a component %s", (_, component) => {
    expect(() => checkComponent(component as Component)).not.toThrow();
  });

  test.each<[string, unknown, string]>([
    ["nothing", undefined, "ORCS6010"],
    ["null", null, "ORCS6010"],
    ["a string", "builtin::a", "ORCS6010"],
    ["without an id", { onRequest }, "ORCS6010"],
    ["with a bare name", { id: "a", onRequest }, "ORCS1010"],
    ["with no name", { id: "builtin::", onRequest }, "ORCS1010"],
    ["with a path", { id: "builtin::a/b", onRequest }, "ORCS1010"],
    ["with an instance in its id", { id: "builtin::a#1", onRequest }, "ORCS1010"],
    ["that takes no requests", { id: "builtin::a" }, "ORCS6010"],
    ["with one subscription", { id: "builtin::a", onRequest, subscriptions: "A" }, "ORCS6010"],
    [
      "with a subscription that is none",
      { id: "builtin::a", onRequest, subscriptions: [""] },
      "ORCS6010",
    ],
    ["with numbers", { id: "builtin::a", onRequest, subscriptions: [1] }, "ORCS6010"],
  ])("rejects %s: %#", (_, component, code) => {
    expect(() => checkComponent(component as Component)).toThrow(expect.objectContaining({ code }));
  });
});
