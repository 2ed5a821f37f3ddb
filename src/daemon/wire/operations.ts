import { z } from "zod";
import { DECISIONS, INJECT_STRATEGIES, isJsonObject } from "../../core/index.ts";
import type { Json, JsonObject } from "../../core/index.ts";

// The table of the wire. Requests are validated with it; docs/reference/wire.md, schema/ and the types of `orcs/client`
// are made from it. Requests are strict, so that a misspelt field is an error; answers may get further fields.

/** Versions of the protocol that this service speaks, the preferred one first. */
export const WIRE_VERSIONS: readonly number[] = [1];

const text = (doc: string) => z.string("must be a string").describe(doc);
const object = (doc: string) =>
  z
    .custom<JsonObject>((value) => isJsonObject(value as Json), "must be an object")
    .meta({ description: doc, type: "object" });
const json = (doc: string) =>
  z.custom<Json>((value) => value !== undefined, "must be a JSON value").describe(doc);
const positive = (doc: string) =>
  z.number("must be a number above 0").positive("must be a number above 0").describe(doc);

const WITHIN = {
  within_ms: positive(
    "the time for the hooks in milliseconds; after that the answer is the error ORCS7002",
  ).optional(),
};

const ORIGIN = {
  component: text("who makes the call, as `namespace::name`; default `host::main`").optional(),
  child: text("path of a child of the component, such as `agent-1`").optional(),
  metadata: object("initial metadata, shared by the hooks of the call").optional(),
  traceparent: text("trace that the call belongs to, as in W3C Trace Context").optional(),
  tracestate: text("second header of W3C Trace Context").optional(),
  env: z
    .record(z.string(), z.string().nullable(), "must be an object of strings")
    .describe(
      "variables of the caller's environment by name, null if not set: those in `env` of the well-known file. A hook that reads another one is denied (ORCS7022)",
    )
    .optional(),
  umask: z
    .int("must be an integer")
    .min(0)
    .max(0o777)
    .describe("the caller's file mode mask, for files that commands create; default 63 (077)")
    .optional(),
};

const EVENT = {
  point: text("hook point or alias, such as `tool.pre_execute`"),
  payload: object("the payload of the point, as in [hook points](hook-points.md)"),
  ...ORIGIN,
  ...WITHIN,
};

const DECISION = z.enum(DECISIONS);
const INJECT = z
  .array(
    z.union([z.string(), z.object({ content: z.string(), strategy: z.enum(INJECT_STRATEGIES) })]),
  )
  .describe("texts of hooks for the model, in order");
const REASON = text("why, written for the model");
const HOOK = text("id of the hook that decided");

const OUTCOME = z.object({
  action: z
    .enum(["continue", "skip", "abort", "retry"])
    .describe("what happens to the operation; see [actions](actions.md)"),
  decision: DECISION.describe("with `continue`: what hooks decided about permission").optional(),
  reason: REASON.optional(),
  hook: HOOK.optional(),
  result: json("with `skip`: the result to use in place of the operation's").optional(),
  delay_ms: z.number().describe("with `retry`: how long to wait before").optional(),
  max_retries: z.number().describe("with `retry`: the limit of the hook").optional(),
  payload: object("the payload as the hooks left it"),
  metadata: object("the metadata as the hooks left it"),
  inject: INJECT,
  warnings: z
    .array(z.object({ hook: z.string(), text: z.string() }))
    .describe('what hooks with `mode = "warn"` would have done')
    .optional(),
  trace: z
    .array(z.looseObject({ id: z.string(), status: z.string() }))
    .describe("one entry for each hook; empty unless traced"),
});

const STEP = z.discriminatedUnion("status", [
  z.object({
    status: z.literal("run").describe("run the tool, then send `result`"),
    call: text("id of the call, for `result`"),
    args: object("the arguments as the hooks left them"),
    metadata: object("the metadata as the hooks left it"),
  }),
  z.object({
    status: z.literal("done").describe("the end; use this result"),
    result: json("the result as the hooks left it"),
    inject: INJECT,
  }),
  z.object({
    status: z.literal("denied").describe("the end; there is no result to use"),
    hook: HOOK,
    reason: REASON,
    inject: INJECT,
  }),
  z.object({
    status: z.literal("failed").describe("the end; the tool has failed"),
    message: text("the error as the hooks left it"),
  }),
]);

const CALLER = {
  session_id: text("the session of the agent").optional(),
  agent_id: text("the agent").optional(),
  tool_use_id: text("the agent's id of the tool call").optional(),
  cwd: text("working directory of the call, absolute").optional(),
};

/** An operation of the wire. */
export interface Operation {
  /** One sentence. */
  readonly doc: string;
  readonly request: z.ZodObject;
  readonly answer: z.ZodType;
  /** Whether there are many answers, until the client closes the connection. */
  readonly isStream?: boolean;
}

/** The operations by name. Over HTTP each is `POST /v1/NAME`, `events` is `GET /v1/events`. */
export const OPERATIONS = {
  hello: {
    doc: "Negotiate the version, and check who answers. Valid in every version.",
    request: z.strictObject({
      versions: z
        .array(z.int("must be a list of integers"), "must be a list of integers")
        .describe("versions that the client speaks"),
      key: text("`key` of the well-known file: another service answers with an error").optional(),
    }),
    answer: z.object({
      v: z.int().describe("the version to use in all further requests"),
      versions: z.array(z.int()).describe("versions that the service speaks"),
      directory: text("folder of the configuration"),
      max_line_bytes: z.int().describe("maximum size of a request, in bytes"),
    }),
  },
  dispatch: {
    doc: "Run the hooks of a point. The caller carries out what they decide.",
    request: z.strictObject(EVENT),
    answer: OUTCOME,
  },
  invoke: {
    doc: "Begin a tool call: permission and pre hooks. With `run`, the caller runs the tool and sends `result`.",
    request: z.strictObject({
      tool: text("name of the tool"),
      args: object("its arguments"),
      ...CALLER,
      ...ORIGIN,
      tool_ms: positive(
        "how long the service waits for the result, in milliseconds; default: until the connection ends, over HTTP 600,000",
      ).optional(),
      ...WITHIN,
    }),
    answer: STEP,
  },
  result: {
    doc: "Report what a tool returned, or its error: post hooks. A hook can ask for another run of the tool.",
    request: z.strictObject({
      call: text("id of the call"),
      result: json("the result, if the tool has returned").optional(),
      error: text("the error, if the tool has failed").optional(),
      opaque: text(
        "what the result is, such as `a generator`, if `result` only names it: a hook that fails closed withholds it",
      ).optional(),
      ...WITHIN,
    }),
    answer: STEP,
  },
  explain: {
    doc: "As `dispatch`, with a trace of every hook and the values that it changed; secrets are masked.",
    request: z.strictObject(EVENT),
    answer: OUTCOME,
  },
  state: {
    doc: "The hooks that are active, problems, and a value of `orcs.state`. It cannot be changed over the wire.",
    request: z.strictObject({ key: text("a key of `orcs.state`").optional(), ...WITHIN }),
    answer: z.object({
      directory: text("folder of the configuration"),
      hooks: z
        .array(
          z.object({
            id: z.string(),
            point: z.string(),
            priority: z.number(),
            enabled: z.boolean(),
            mode: z.string(),
          }),
        )
        .describe("in the order in which they run"),
      warnings: z.array(z.string()).describe("parts of the configuration that are ignored"),
      untrusted: text("why the hooks of the project are not active").optional(),
      value: json("the value of the key, masked; missing if it has none").optional(),
    }),
  },
  events: {
    doc: "What hooks do from now on, as a stream of answers with the same `id`.",
    request: z.strictObject({
      brief: z
        .boolean("must be true or false")
        .describe(
          "whether dispatches that passed come as summaries, with `brief`; `event` gives the rest",
        )
        .optional(),
    }),
    answer: z.object({
      events: z
        .array(z.looseObject({ dispatch_id: z.string() }))
        .describe(
          "dispatches that have ended, with their hooks; empty after 20 seconds without any. Secrets are masked",
        ),
      lost: z.int().describe("how many were dropped because the client was too slow"),
    }),
    isStream: true,
  },
  event: {
    doc: "The whole of a dispatch that came as a summary, while the stream with `brief` is open.",
    request: z.strictObject({ dispatch_id: text("its id") }),
    answer: z.object({
      event: z
        .looseObject({ dispatch_id: z.string() })
        .describe("as in `events`; missing when it is not kept any more. Secrets are masked")
        .optional(),
    }),
  },
} as const satisfies Readonly<Record<string, Operation>>;

export type OperationName = keyof typeof OPERATIONS;

/** The fields of a request, without the frame. */
export type WireRequest<Name extends OperationName> = z.infer<(typeof OPERATIONS)[Name]["request"]>;

/** The answer to a request. */
export type WireAnswer<Name extends OperationName> = z.infer<(typeof OPERATIONS)[Name]["answer"]>;

/** The fields of every line on the socket. Over HTTP the path contains version and operation. */
export const FRAME = z.object({
  v: z.int().describe("the version; missing in `hello`").optional(),
  op: z.enum(Object.keys(OPERATIONS) as [OperationName, ...OperationName[]]),
  id: z
    .union([z.string().max(256), z.number()])
    .describe("returned with the answer; unique among the open requests")
    .optional(),
});

/** Every error of the wire: its status over HTTP, whether hooks may have run, what a client does. */
export const WIRE_ERRORS = {
  ORCS1005: { status: 404, ran: false, advice: "correct the point" },
  ORCS1010: { status: 400, ran: false, advice: "correct the component" },
  ORCS1015: { status: 503, ran: false, advice: "deny; the configuration has errors" },
  ORCS2003: { status: 400, ran: false, advice: "correct the payload" },
  ORCS7002: {
    status: 503,
    ran: true,
    advice: "deny; the hooks took too long, or the service ended",
  },
  ORCS7014: { status: 400, ran: false, advice: "correct the request" },
  ORCS7015: { status: 400, ran: false, advice: "deny; use another version" },
  ORCS7016: { status: 404, ran: false, advice: "dispatch `tool.post_execute` with the result" },
  ORCS7017: { status: 503, ran: false, advice: "connect again, with fewer or smaller requests" },
  ORCS7018: { status: 503, ran: false, advice: "connect again, and send the request again" },
} as const satisfies Readonly<
  Record<string, { readonly status: number; readonly ran: boolean; readonly advice: string }>
>;

/** An error line. Every other code of docs/reference/errors.md may occur as well: then no result may be used. */
export const WIRE_ERROR = z.object({
  error: z.object({
    code: z.string().describe("a code of [errors](errors.md)"),
    message: z.string().describe("the code and what is wrong"),
  }),
});

/** The well-known file of a service. */
export const WELL_KNOWN = z.object({
  scope: z
    .enum(["project", "user", "file"])
    .describe(
      "whose configuration it serves: a project's, the user's own, or that of a file given with `--config`",
    ),
  directory: text("folder of the configuration, absolute, links resolved"),
  versions: z.array(z.int()).describe("versions that the service speaks"),
  socket: text("path of the socket"),
  key: text("identifies the configuration; for `hello`"),
  pid: z.int().describe("process id of the service"),
  started: z.number().describe("when it started, in milliseconds since 1970"),
  port: z.int().describe("port of HTTP on 127.0.0.1, if it is on").optional(),
  token: text("bearer token of HTTP, if it is on").optional(),
  env: z
    .array(z.string())
    .describe("names of the variables that hooks may read; for `env` of a request")
    .optional(),
});

export type WellKnown = z.infer<typeof WELL_KNOWN>;
