import * as fc from "fast-check";
import { beforeAll, describe, expect } from "vitest";
import { quickTest as test, repeatedTest, runCount } from "../slow-test.ts";
import { HOST_NAMES } from "../../src/core/hosts.ts";
import type { Json, JsonObject } from "../../src/core/json.ts";
import type { Outcome, OutcomeAction } from "../../src/core/outcome.ts";
import type { FieldKind, HostFields } from "../../src/formats/host-fields.ts";
import { valueAt } from "../../src/formats/host-fields.ts";
import type { DecodedEvent, HostAnswer, HostProtocol } from "../../src/formats/host-protocol.ts";
import { HOSTS } from "../../src/formats/hosts.ts";
import { contextOf, READERS } from "./host-effects.ts";

const OPTIONS = { ask: "deny", rewrite: "refuse" } as const;

/** What hooks return besides; at some event each field can be sent with one of these. */
const ACTIONS: readonly OutcomeAction[] = [
  { action: "continue" },
  { action: "continue", decision: "allow", reason: "fine", hook: "h" },
  { action: "abort", reason: "no", hook: "h" },
  { action: "skip", result: { note: "x" }, hook: "h" },
];

/** A value of each kind, and one of no kind that fits. */
const VALUES: Readonly<Record<Extract<FieldKind, string>, { fits: Json; misfits: Json }>> = {
  boolean: { fits: true, misfits: "true" },
  string: { fits: "text", misfits: 1 },
  strings: { fits: ["/a"], misfits: ["/a", 1] },
  object: { fits: { key: "value" }, misfits: "text" },
  objects: { fits: [{ type: "addRules" }], misfits: [1] },
};
const valueOf = (kind: FieldKind): { fits: Json; misfits: Json } =>
  typeof kind === "string" ? VALUES[kind] : { fits: kind[0] ?? null, misfits: "other" };

function outcomeOf(decoded: DecodedEvent, action: OutcomeAction, response?: Json): Outcome {
  const payload: JsonObject = {
    ...decoded.payload,
    ...(response !== undefined && { host_response: response }),
  };
  return { ctx: contextOf(decoded, payload), inject: [], ...action };
}

/** The response without the fields that hooks can set. */
function withoutSettable(
  output: JsonObject | undefined,
  { settable }: HostFields,
): JsonObject | undefined {
  const rest = structuredClone(output);
  for (const { field, place } of settable) {
    const home = rest && valueAt(rest, place);
    if (home && typeof home === "object" && !Array.isArray(home)) delete home[field];
  }
  return rest;
}

/** Fields of a response that a hook's field has replaced, although it may not. */
function replaced(
  event: string,
  before: HostAnswer,
  after: HostAnswer,
  { settable }: HostFields,
): string[] {
  return settable
    .filter(({ field, at, place, replaces = [] }) => {
      const was = valueAt(before.output ?? {}, [...place, field]);
      if (was === undefined || !at.includes(event) || replaces.includes(was)) return false;
      return JSON.stringify(valueAt(after.output ?? {}, [...place, field])) !== JSON.stringify(was);
    })
    .map(({ field }) => field);
}

describe.each(HOST_NAMES)("fields of %s that hooks set", (host) => {
  const reader = READERS[host];
  let protocol: HostProtocol;
  beforeAll(async () => {
    protocol = await HOSTS[host].load();
  });

  const samples = (event: string): DecodedEvent[] =>
    reader.samples(event).map((sent) => protocol.decode(sent));
  const encoded = (decoded: DecodedEvent, action: OutcomeAction, response?: Json): HostAnswer =>
    protocol.encode(decoded, outcomeOf(decoded, action, response), OPTIONS);

  test("have one row for an event, and only events of the agent", () => {
    const { settable, own, unsent } = protocol.fields;
    const keys = settable.flatMap(({ field, at, place }) =>
      at.map((event) => [field, event, place]),
    );
    expect(new Set(keys.map(([field, event]) => `${String(field)} ${String(event)}`)).size).toBe(
      keys.length,
    );
    const events = Object.keys(protocol.events);
    for (const { at } of [...settable, ...own, ...unsent]) {
      expect(at.length).toBeGreaterThan(0);
      for (const event of at) expect(events).toContain(event);
    }
  });

  test("are sent at their events, and with no action by halves", () => {
    for (const { field, at, kind, place } of protocol.fields.settable) {
      // A reason to stop is only sent with the stop.
      const { fits } = valueOf(kind);
      const response = { [field]: fits, ...(field === "stopReason" && { continue: false }) };
      for (const event of at) {
        let sent = 0;
        for (const decoded of samples(event)) {
          for (const action of ACTIONS) {
            const before = encoded(decoded, action);
            const answer = encoded(decoded, action, response);
            const where = `${field} at ${event} with ${action.action}: ${JSON.stringify(answer)}`;
            expect(replaced(event, before, answer, protocol.fields), where).toEqual([]);
            if (reader.read(event, before).refused) {
              expect(reader.read(event, answer).refused, where).toBe(true);
            }
            const isSent =
              JSON.stringify(valueAt(answer.output ?? {}, [...place, field])) ===
                JSON.stringify(fits) && answer.downgrades.length === before.downgrades.length;
            if (isSent) {
              sent += 1;
              continue;
            }
            expect(answer.downgrades.join("\n"), where).toContain(`host_response.${field}: `);
            if (field !== "stopReason") expect(answer.output, where).toEqual(before.output);
          }
        }
        expect(sent, `${field} at ${event}`).toBeGreaterThan(0);
      }
    }
  });

  test("are not sent elsewhere, nor with another type", () => {
    for (const { field, kind } of protocol.fields.settable) {
      for (const event of Object.keys(protocol.events)) {
        const rows = protocol.fields.settable.filter((row) => row.field === field);
        const isThere = rows.some(({ at }) => at.includes(event));
        const { fits, misfits } = valueOf(kind);
        for (const decoded of samples(event)) {
          for (const value of isThere ? [misfits] : [fits, misfits]) {
            const before = encoded(decoded, { action: "continue" });
            const answer = encoded(decoded, { action: "continue" }, { [field]: value });
            // Of thousands of answers, only one that differs is compared part by part.
            if (JSON.stringify(answer.output) !== JSON.stringify(before.output))
              expect(answer.output, `${field} at ${event}`).toEqual(before.output);
            if (!answer.downgrades.join("\n").includes(`host_response.${field}: `))
              expect(answer.downgrades, `${field} at ${event}`).toContain(field);
          }
        }
      }
    }
  });

  repeatedTest("never change what hooks decided", () => {
    const { settable, own, unsent } = protocol.fields;
    const names = [...settable, ...own, ...unsent].map(({ field }) => field);
    const name = fc.constantFrom(
      ...names,
      "hookSpecificOutput",
      "hookEventName",
      "permissionDecision",
      "decision",
      "behavior",
      "__proto__",
      "constructor",
      "nonsense",
    );
    const value = fc.oneof(
      fc.constantFrom<Json>(false, true, "allow", "approve", "accept", "cancel", "ANY", "\ud800"),
      fc.constantFrom<Json>({ behavior: "allow" }, { permissionDecision: "allow" }, [{}], []),
      fc.jsonValue() as fc.Arbitrary<Json>,
    );
    const response = fc.oneof(fc.dictionary(name, value, { maxKeys: 5 }), value);
    const events = Object.keys(protocol.events).flatMap((event) => samples(event));
    const anyCase = fc.record({
      decoded: fc.constantFrom(...events),
      action: fc.constantFrom(...ACTIONS),
      response,
    });
    fc.assert(
      fc.property(anyCase, ({ decoded, action, response: given }) => {
        const before = encoded(decoded, action);
        const answer = encoded(decoded, action, given as Json);
        const was = reader.read(decoded.event, before);
        const is = reader.read(decoded.event, answer);
        if (was.refused) expect(is.refused).toBe(true);
        expect(is.decision).toEqual(was.decision);
        expect(is.input).toEqual(was.input);
        expect(answer.code).toBe(before.code);
        expect(answer.message).toBe(before.message);
        const { fields } = protocol;
        expect(replaced(decoded.event, before, answer, fields)).toEqual([]);
        const rest = withoutSettable(answer.output, fields);
        if (before.output) expect(rest).toMatchObject(withoutSettable(before.output, fields) ?? {});
      }),
      { numRuns: runCount(400) },
    );
  });

  test("what is no object, or not JSON, is reported", () => {
    const [decoded] = samples(Object.keys(protocol.events)[0] ?? "");
    if (!decoded) throw new Error(`no sample of ${host}`);
    for (const given of ["text", 1, [1], () => 1, new Promise(() => undefined)]) {
      const outcome = outcomeOf(decoded, { action: "continue" });
      const payload = { ...outcome.ctx.payload, host_response: given };
      const answer = protocol.encode(
        decoded,
        { ...outcome, ctx: { ...outcome.ctx, payload } } as Outcome,
        OPTIONS,
      );
      expect(answer.output).toEqual(encoded(decoded, { action: "continue" }).output);
      expect(answer.downgrades.join("\n")).toMatch(/host_response is not (an object|JSON)/);
    }
  });

  test("a field that orcs sets is not set by name", () => {
    for (const { field, at, by } of protocol.fields.own) {
      for (const event of at) {
        const isSettable = protocol.fields.settable.some(
          (row) => row.field === field && row.at.includes(event),
        );
        if (isSettable) continue;
        for (const decoded of samples(event)) {
          const answer = encoded(decoded, { action: "continue" }, { [field]: "allow" });
          expect(answer.downgrades.join("\n")).toContain(
            `host_response.${field}: orcs sets it by `,
          );
          expect(by).not.toBe("");
        }
      }
    }
  });
});
