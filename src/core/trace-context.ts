/**
 * The trace that a call belongs to, as its caller named it: the two headers of W3C Trace Context. It is handed on as it
 * is. Source: https://www.w3.org/TR/trace-context/
 */
export interface TraceContext {
  /** Version, trace id, span id and flags: `00-<32 hex digits>-<16 hex digits>-<2 hex digits>`. */
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** The two headers; not yet known to be valid. */
export interface TraceHeaders {
  readonly traceparent?: unknown;
  readonly tracestate?: unknown;
}

/** The names of the environment variables that carry a trace context. */
export const TRACE_VARIABLES = { traceparent: "TRACEPARENT", tracestate: "TRACESTATE" } as const;

/** Version `ff`, and ids of zeros only, are invalid; later versions may add fields. */
const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-[\x21-\x7e]*)?$/;
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;
const MAX_TRACEPARENT = 256;

/**
 * The trace context in headers; undefined if there is none or it is invalid, which breaks the trace and nothing else.
 */
export function traceContext({ traceparent, tracestate }: TraceHeaders): TraceContext | undefined {
  if (typeof traceparent !== "string" || traceparent.length > MAX_TRACEPARENT) return undefined;
  if (!TRACEPARENT.test(traceparent)) return undefined;
  // Version 00 has exactly four fields.
  if (traceparent.startsWith("00-") && traceparent.length !== 55) return undefined;
  const hasState = typeof tracestate === "string" && TRACESTATE.test(tracestate);
  return { traceparent, ...(hasState && { tracestate }) };
}

/** The headers in environment variables. */
export function traceHeadersIn(
  environment: Readonly<Record<string, string | undefined>>,
): TraceHeaders {
  return {
    traceparent: environment[TRACE_VARIABLES.traceparent],
    tracestate: environment[TRACE_VARIABLES.tracestate],
  };
}

/** A trace context as environment variables; none without one. */
export function traceVariables(trace: TraceContext | undefined): Record<string, string> {
  if (!trace) return {};
  const { traceparent, tracestate } = trace;
  return {
    [TRACE_VARIABLES.traceparent]: traceparent,
    ...(tracestate !== undefined && { [TRACE_VARIABLES.tracestate]: tracestate }),
  };
}
