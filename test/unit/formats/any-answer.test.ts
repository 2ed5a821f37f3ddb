import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { PROTOCOL_NAMES } from "../../../src/core/hosts.ts";
import { HANDLER_PROTOCOLS } from "../../../src/formats/handler-protocols.ts";
import { callAt, POINTS } from "./calls.ts";
import { quickTest as it, repeatedTest, runCount } from "../../slow-test.ts";

/** Keys and words that the protocols know, and those that lead to prototypes. */
const WORDS = [
  ..."action reason result inject stop decision ctx payload metadata args command".split(" "),
  ..."continue abort skip replace retry allow deny ask defer block approve".split(" "),
  ..."hookSpecificOutput hookEventName permissionDecision updatedInput additionalContext".split(
    " ",
  ),
  ..."updatedToolOutput behavior message stopReason PreToolUse hook_point".split(" "),
  ..."allowed updated_input content strategy Reject ModifyInput new_input Continue".split(" "),
  ..."__proto__ constructor prototype toString toJSON then".split(" "),
];
const word = fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...WORDS) }, fc.string());
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    word,
    fc.constantFrom(null, true, false, 0, -1, 1e308),
    fc.array(tie("value"), { maxLength: 3 }),
    fc
      .array(fc.tuple(word, tie("value")), { maxLength: 5 })
      .map((pairs) => Object.fromEntries(pairs)),
  ),
}));
const json = value.map((given) => JSON.stringify(given));
const text = fc.oneof(
  { weight: 6, arbitrary: json },
  fc.string({ unit: "binary" }),
  fc.tuple(json, fc.nat()).map(([whole, at]) => whole.slice(0, at % (whole.length + 1))),
  fc.constantFrom("", "{", "{}", "1e999", "[".repeat(50_000), '{"a":'.repeat(50_000)),
);
const code = fc.oneof(fc.constantFrom(0, 0, 1, 2, 126, 127, 137, 255), fc.integer());
const payload = fc.oneof(
  fc.constant({ tool_name: "exec", args: { command: "ls" }, prompt: "p", event: "Setup" }),
  value.map((given) => ({ tool_name: "write", args: given, host: given, command: given })),
);
const point = fc.constantFrom(...POINTS.all.map(({ name }) => name));

describe.each(PROTOCOL_NAMES)("protocol %s", (name) => {
  const protocol = HANDLER_PROTOCOLS[name];

  it("has its own name", () => expect(protocol.name).toBe(name));

  repeatedTest("reads any output without throwing or prototype pollution", () => {
    const before = Object.getOwnPropertyNames(Object.prototype).length;
    const run = fc.property(
      point,
      payload,
      code,
      text,
      text,
      fc.boolean(),
      (at, given, ended, stdout, stderr, parse) => {
        const call = callAt(at, given);
        const reports = [
          protocol.readExit({ code: ended, stdout, stderr }, call, parse),
          protocol.readHttp({ status: ended, body: stdout }, call),
        ];
        for (const report of reports) {
          if ("failure" in report) {
            expect(report.failure.message).not.toBe("");
            continue;
          }
          for (const edit of report.edits) {
            expect(edit.path.length).toBeGreaterThan(0);
            // What is handed on is JSON, all the way.
            expect(JSON.parse(JSON.stringify({ v: edit.value }))).toEqual({ v: edit.value });
            if (call.point.phase === "on" && name !== "orcs") expect.fail("edited at an on point");
          }
        }
      },
    );
    fc.assert(run, { numRuns: runCount(1_000) });
    expect(Object.getOwnPropertyNames(Object.prototype)).toHaveLength(before);
  });

  repeatedTest("encodes any JSON payload, with string variables", () => {
    fc.assert(
      fc.property(point, payload, (at, given) => {
        const { body, env } = protocol.encode(callAt(at, given));
        expect(JSON.parse(JSON.stringify(body))).toEqual(body);
        for (const variable of Object.values(env)) expect(typeof variable).toBe("string");
      }),
      { numRuns: runCount(300) },
    );
  });
});
