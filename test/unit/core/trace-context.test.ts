import { expect, it } from "vitest";
import { traceContext, traceHeadersIn, traceVariables } from "../../../src/core/trace-context.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";

it.each([
  ["as in the specification", `00-${TRACE}-${SPAN}-01`],
  ["not sampled", `00-${TRACE}-${SPAN}-00`],
  ["of a later version, with more fields", `cc-${TRACE}-${SPAN}-01-what-the-future-brings`],
])("a traceparent %s is read", (_, traceparent) => {
  expect(traceContext({ traceparent })).toEqual({ traceparent });
});

it.each([
  ["missing", undefined],
  ["empty", ""],
  ["a number", 1],
  ["a list", [`00-${TRACE}-${SPAN}-01`]],
  ["in upper case", `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ["of version ff", `ff-${TRACE}-${SPAN}-01`],
  ["with a trace id of zeros", `00-${"0".repeat(32)}-${SPAN}-01`],
  ["with a span id of zeros", `00-${TRACE}-${"0".repeat(16)}-01`],
  ["of version 00 with more fields", `00-${TRACE}-${SPAN}-01-x`],
  ["with a line break", `00-${TRACE}-${SPAN}-01\n`],
  ["with a header in it", `cc-${TRACE}-${SPAN}-01-x\r\nx-other: 1`],
  ["too long", `cc-${TRACE}-${SPAN}-01-${"x".repeat(300)}`],
])("a traceparent that is %s is ignored", (_, traceparent) => {
  expect(traceContext({ traceparent, tracestate: "a=b" })).toBeUndefined();
});

it.each([
  ["a=b,c=d", true],
  ["", false],
  ["a=b\r\nx-other: 1", false],
  ["a=\u{fc}", false],
  [`a=${"b".repeat(511)}`, false],
])("the tracestate %j is kept: %s", (tracestate, isKept) => {
  const traceparent = `00-${TRACE}-${SPAN}-01`;
  expect(traceContext({ traceparent, tracestate })).toEqual({
    traceparent,
    ...(isKept && { tracestate }),
  });
});

it("a trace context goes through environment variables", () => {
  const trace = { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: "a=b" };
  expect(traceVariables(trace)).toEqual({ TRACEPARENT: trace.traceparent, TRACESTATE: "a=b" });
  expect(traceContext(traceHeadersIn(traceVariables(trace)))).toEqual(trace);
  expect(traceVariables(undefined)).toEqual({});
  expect(traceContext(traceHeadersIn({}))).toBeUndefined();
});
