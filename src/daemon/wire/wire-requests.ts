import type { z } from "zod";
import { messageOf, OrcsError, traceContext } from "../../core/index.ts";
import type { Diagnostic, Json, JsonObject } from "../../core/index.ts";
import { type Orcs, outcomeJson } from "../../engine/index.ts";
import type { SeenDispatch } from "../feed/seen-dispatch.ts";
import type { EventReader } from "../feed/watch.ts";
import type { Gateway } from "../agent-gateway.ts";
import { carriedEnvironment } from "../service-protocol.ts";
import type { CallerCalls, ToolEnd } from "./caller-calls.ts";
import type { OperationName, WireAnswer, WireRequest } from "./operations.ts";
import { OPERATIONS, WIRE_ERRORS, WIRE_VERSIONS } from "./operations.ts";

/** What the operations need. */
export interface WireDeps {
  /** Folder of the configuration. */
  readonly directory: string;
  /** Key of the configuration. */
  readonly key: string;
  readonly gateway: Gateway;
  readonly calls: CallerCalls;
  /** Maximum size of a request. */
  readonly maxBytes: () => number;
  /** @throws OrcsError ORCS7017, ORCS7018 */
  readonly follow: (brief?: boolean) => Promise<EventReader>;
  /** A dispatch of which a reader got a summary; undefined when it is not kept any more. */
  readonly dispatchOf: (id: string) => SeenDispatch | undefined;
}

/** Who sends a request. */
export interface WireCaller {
  /** The connection, whose end ends the calls of its tools. Requests over HTTP have none. */
  readonly owner?: object | undefined;
  /** Default for how long the caller's tools may take, in milliseconds. */
  readonly toolMs?: number | undefined;
}

/** How a request is answered: once, or by a reader until the caller is gone. */
export type Answered = { readonly answer: object } | { readonly reader: EventReader };

/** Whether a name is that of an operation. */
export function isOperation(name: unknown): name is OperationName {
  return typeof name === "string" && Object.hasOwn(OPERATIONS, name);
}

/**
 * Carry out an operation.
 * @param fields of the request, without `v`, `op` and `id`
 * @throws OrcsError the codes of `WIRE_ERRORS`, and as `createOrcs`
 */
export async function answerOperation(
  name: OperationName,
  fields: JsonObject,
  deps: WireDeps,
  caller: WireCaller = {},
): Promise<Answered> {
  if (name === "events") {
    const { brief } = validated("events", fields);
    return { reader: await deps.follow(brief) };
  }
  return { answer: await answerOnce(name, fields, deps, caller) };
}

type OneAnswer = Exclude<OperationName, "events">;

function answerOnce<Name extends OneAnswer>(
  name: Name,
  fields: JsonObject,
  deps: WireDeps,
  caller: WireCaller,
): Promise<WireAnswer<Name>> {
  return ANSWERS[name](validated(name, fields), deps, caller);
}

/** The version must be one that this service speaks. @throws OrcsError ORCS7015 */
export function expectVersion(v: Json | undefined): void {
  if (typeof v === "number" && WIRE_VERSIONS.includes(v)) return;
  const why = `v is ${JSON.stringify(v)}; this service speaks ${WIRE_VERSIONS.join(", ")}`;
  throw new OrcsError("ORCS7015", why, { versions: WIRE_VERSIONS });
}

/** An error as it is sent. Errors that are none of orcs' own are not shown: they are in the log. */
export function wireError(thrown: unknown): { readonly code: string; readonly message: string } {
  if (thrown instanceof OrcsError) return { code: thrown.code, message: thrown.message };
  return { code: "ORCS7002", message: `ORCS7002: orcs failed: ${messageOf(thrown)}` };
}

/** The status of an error over HTTP. */
export function statusOf(code: string): number {
  return code in WIRE_ERRORS ? WIRE_ERRORS[code as keyof typeof WIRE_ERRORS].status : 503;
}

type Answer<Name extends OperationName> = (
  request: WireRequest<Name>,
  deps: WireDeps,
  caller: WireCaller,
) => Promise<WireAnswer<Name>>;

const ANSWERS: { readonly [Name in OneAnswer]: Answer<Name> } = {
  hello: async ({ versions, key: wanted }, { directory, key, maxBytes }) => {
    if (wanted !== undefined && wanted !== key) {
      throw new OrcsError("ORCS7014", "this service serves another configuration");
    }
    const v = WIRE_VERSIONS.find((each) => versions.includes(each));
    if (v === undefined) {
      const why = `the client speaks ${versions.join(", ") || "no version"}; this service speaks ${WIRE_VERSIONS.join(", ")}`;
      throw new OrcsError("ORCS7015", why, { versions: WIRE_VERSIONS });
    }
    return { v, versions: [...WIRE_VERSIONS], directory, max_line_bytes: maxBytes() };
  },
  dispatch: ({ point, payload, within_ms, ...scope }, { gateway }) =>
    gateway.withEngine(async (orcs) => {
      const outcome = await orcs.dispatch(point, payload, scopeOf(scope));
      return outcomeJson(outcome) as WireAnswer<"dispatch">;
    }, within_ms),
  explain: ({ point, payload, within_ms, ...scope }, { gateway }) => {
    const traced = { ...scopeOf(scope), trace: "values" as const };
    return gateway.withEngine(async (orcs) => {
      const outcome = outcomeJson(await orcs.dispatch(point, payload, traced));
      // Values that are not JSON cannot be masked.
      return orcs.redact(JSON.parse(JSON.stringify(outcome)) as Json) as WireAnswer<"explain">;
    }, within_ms);
  },
  invoke: (asked, { gateway, calls }, { owner, toolMs }) => {
    const { tool, args, tool_ms, within_ms, session_id, agent_id, tool_use_id, cwd, ...scope } =
      asked;
    const options = { session_id, agent_id, tool_use_id, cwd, ...scopeOf(scope) };
    const call = { tool, args, options, toolMs: tool_ms ?? toolMs, owner };
    const leased = (run: (orcs: Orcs) => Promise<void>): Promise<void> => gateway.use(run);
    return gateway.within((isOver) => calls.begin(call, leased, isOver), within_ms);
  },
  result: ({ call, within_ms, ...end }, { gateway, calls }) =>
    gateway.within((isOver) => calls.report(call, toolEnd(end), isOver), within_ms),
  event: async ({ dispatch_id }, { dispatchOf }) => {
    const event = dispatchOf(dispatch_id);
    return event ? { event: { ...event } } : {};
  },
  state: ({ key, within_ms }, { gateway, directory }) =>
    gateway.withEngine((orcs) => stateOf(orcs, directory, key), within_ms),
};

function toolEnd({
  result,
  error,
  opaque,
}: Pick<WireRequest<"result">, "result" | "error" | "opaque">): ToolEnd {
  if ((result === undefined) === (error === undefined)) {
    throw new OrcsError("ORCS7014", "a result has either result or error");
  }
  return error === undefined ? { result: result ?? null, opaque } : { error };
}

async function stateOf(
  orcs: Orcs,
  directory: string,
  key: string | undefined,
): Promise<WireAnswer<"state">> {
  const { registry, untrusted, warnings } = orcs;
  const value = key === undefined ? undefined : await orcs.stateValue(key);
  return {
    directory,
    hooks: registry.list().map(({ id, point, priority, mode = "enforce" }) => ({
      id,
      point: point.name,
      priority,
      enabled: registry.isEnabled(id),
      mode,
    })),
    warnings: warnings.map(({ message }: Diagnostic) => message),
    ...(untrusted !== undefined && { untrusted }),
    ...(value !== undefined && { value: orcs.redact(value) }),
  };
}

type Scope = Pick<
  WireRequest<"dispatch">,
  "component" | "child" | "metadata" | "traceparent" | "tracestate" | "env" | "umask"
>;

function scopeOf({ component, child, metadata, traceparent, tracestate, env, umask }: Scope) {
  return {
    environment: carriedEnvironment(env, umask),
    component,
    child,
    metadata: metadata && { ...metadata },
    ...traceContext({ traceparent, tracestate }),
  };
}

/**
 * The fields of a request. The object itself is used, not a copy by the schema: keys such as `__proto__` are data.
 * @throws OrcsError ORCS7014
 */
function validated<Name extends OperationName>(name: Name, fields: JsonObject): WireRequest<Name> {
  const read = OPERATIONS[name].request.safeParse(fields);
  if (read.success) return fields as WireRequest<Name>;
  throw new OrcsError("ORCS7014", read.error.issues.map(issueText).join("; "));
}

function issueText(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") return `unknown field ${issue.keys.join(", ")}`;
  const [field = "request"] = issue.path;
  return `${String(field)} ${issue.message}`;
}

/** The fields of a line on the socket without its frame. */
export function withoutFrame(line: JsonObject): JsonObject {
  const { v: _, op: __, id: ___, ...fields } = line;
  return fields;
}
