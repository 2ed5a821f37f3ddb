import type { IncomingMessage } from "node:http";
import {
  HOST_NAMES,
  numbersOf,
  OrcsError,
  readJsonObject,
  SERVICE_ROUTES,
  stringifyExact,
  traceContext,
} from "../../core/index.ts";
import type { JsonObject, ServiceRoute } from "../../core/index.ts";
import type { EventReader } from "../feed/watch.ts";
import type { HostAnswer } from "../../formats/index.ts";
import type { Gateway } from "../agent-gateway.ts";
import { expectJson, HttpError, readBody } from "./http-requests.ts";
import type { Answered, WireCaller, WireDeps } from "../wire/wire-requests.ts";
import { answerOperation, isOperation, statusOf, wireError } from "../wire/wire-requests.ts";
import type { Metrics } from "./metrics.ts";

/** A request at its route. */
interface Call {
  readonly request: IncomingMessage;
  /** The last part of the path. */
  readonly name: string;
  readonly query: URLSearchParams;
}

/** The response; status 200 by default. */
export interface Reply {
  readonly status?: number;
  readonly type?: string;
  readonly body: string;
}

/** A response of many lines, until its reader is gone. */
export interface StreamReply {
  readonly reader: EventReader;
}

export interface Route extends Pick<ServiceRoute, "method"> {
  readonly path: RegExp;
  /** Whether anybody on this machine may call it without the token. */
  readonly isOpen?: boolean;
  answer(call: Call): Promise<Reply | StreamReply>;
}

/** The routes of a service's HTTP side. */
export function serviceRoutes(wire: WireDeps, metrics: Metrics): readonly Route[] {
  return [
    { ...routeOf("health"), isOpen: true, answer: () => answerHealth(wire) },
    { ...routeOf("metrics"), answer: async () => ({ type: METRICS, body: metrics.render() }) },
    hookRoute(wire.gateway),
    { ...routeOf("events"), answer: (call) => answerEvents(call, wire) },
    { ...routeOf("wire"), answer: (call) => answerWire(call, wire) },
  ];
}

/** Answers the events of agents. */
export type EventAnswerer = Pick<Gateway, "answer" | "refuse">;

/** The route for agents. */
export function hookRoute(answering: EventAnswerer): Route {
  return { ...routeOf("hook"), answer: (call) => answerHook(call, answering) };
}

/** Method and path of a route. */
export function routeOf(name: keyof typeof SERVICE_ROUTES): Pick<Route, "method" | "path"> {
  const { method, path } = SERVICE_ROUTES[name];
  return { method, path: new RegExp(`^${path}${path.endsWith("/") ? "([^/]+)" : ""}$`) };
}

/** Maximum size of an event that is read; the engine's limits are far smaller. */
const MAX_EVENT_BYTES = 64 * 2 ** 20;
const DEFAULT_MAX_MB = 16;

/** Reveals only whether hooks are active. */
async function answerHealth({ gateway }: WireDeps): Promise<Reply> {
  const isOk = await gateway.engine().then(
    () => true,
    () => false,
  );
  return { status: isOk ? 200 : 503, body: JSON.stringify({ ok: isOk }) };
}

const METRICS = "text/plain; version=0.0.4; charset=utf-8";

/** An agent continues when the status is not a success: input that cannot be read is denied with status 200. */
async function answerHook(
  { request, name, query }: Call,
  answering: EventAnswerer,
): Promise<Reply> {
  const host = HOST_NAMES.find((known) => known === name);
  if (host === undefined) throw new HttpError("not_found");
  expectJson(request);
  const seconds = query.get("timeout");
  const within = seconds === null ? undefined : Number(seconds) * 1000;
  const body = await readBody(request, MAX_EVENT_BYTES);
  if (within !== undefined && !(within > 0)) {
    const why = `timeout=${seconds} is not a number of seconds`;
    return { body: JSON.stringify(hookBody(await answering.refuse(host, why))) };
  }
  const answer = body.ok
    ? await answering.answer(host, body.text, within, traceOf(request))
    : await answering.refuse(host, `the event of ${host} is ${body.kind}`);
  return { body: stringifyExact(hookBody(answer), body.ok ? numbersOf(body.text) : undefined) };
}

/** How long a caller's tool may take: a request over HTTP has no connection that ends with its caller. */
const WIRE_CALLER: WireCaller = { toolMs: 600_000 };

async function answerWire({ request, name }: Call, wire: WireDeps): Promise<Reply> {
  // There are many answers.
  if (!isOperation(name) || name === "events") throw new HttpError("not_found");
  expectJson(request);
  const body = await readBody(request, await maxBytes(wire.gateway));
  if (!body.ok) {
    if (body.kind === "too large") throw new HttpError("payload_too_large");
    throw new HttpError("bad_request", { message: `the body is ${body.kind}` });
  }
  const object = readJsonObject(body.text);
  if (!object.ok) throw new HttpError("bad_request", { message: `the body ${object.why}` });
  const fields = TAKE_TRACE.includes(name)
    ? { ...traceOf(request), ...object.value }
    : object.value;
  const answered = await coded(answerOperation(name, fields, wire, WIRE_CALLER));
  if (!("answer" in answered)) throw new HttpError("not_found");
  return { body: stringifyExact(answered.answer, numbersOf(body.text)) };
}

const TAKE_TRACE = ["dispatch", "explain", "invoke"];

async function answerEvents({ query }: Call, wire: WireDeps): Promise<StreamReply> {
  // A query has texts only; what is neither true nor false is told as on the socket.
  const fields = Object.fromEntries(
    Array.from(query, ([name, value]) => [name, FLAGS.get(value) ?? value]),
  );
  const answered = await coded(answerOperation("events", fields, wire));
  if (!("reader" in answered)) throw new HttpError("internal");
  return answered;
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

/** @throws HttpError in place of an OrcsError */
async function coded(answered: Promise<Answered>): Promise<Answered> {
  try {
    return await answered;
  } catch (thrown) {
    if (!(thrown instanceof OrcsError)) throw thrown;
    const { code, message } = wireError(thrown);
    throw new HttpError("unavailable", { code, message, status: statusOf(code) });
  }
}

function traceOf({ headers: { traceparent, tracestate } }: IncomingMessage) {
  return traceContext({ traceparent, tracestate });
}

async function maxBytes(gateway: Gateway): Promise<number> {
  const orcs = await gateway.engine().catch(() => undefined);
  return (orcs?.settings.engine.max_payload_mb ?? DEFAULT_MAX_MB) * 2 ** 20;
}

/**
 * The response of a hook as an HTTP body, which has no exit code: where only the exit code denies, the keys that most
 * agents read as a denial are used instead.
 */
function hookBody({ output, message, code }: HostAnswer): JsonObject {
  if (output !== undefined) return output;
  if (code === 0) return {};
  const reason = message ?? "refused by orcs";
  // An event that does not support `decision` still supports `continue`. See protocols.md §1.
  return { decision: "block", reason, continue: false, stopReason: reason };
}
