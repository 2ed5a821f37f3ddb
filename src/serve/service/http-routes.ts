import type { IncomingMessage } from "node:http";
import type { ServiceRoute } from "../../core/commands.ts";
import { SERVICE_ROUTES } from "../../core/commands.ts";
import { messageOf, OrcsError } from "../../core/errors.ts";
import type { HostName } from "../../core/hosts.ts";
import { HOST_NAMES } from "../../core/hosts.ts";
import type { JsonObject } from "../../core/json.ts";
import { outcomeJson } from "../../engine/outcome-json.ts";
import type { HostAnswer } from "../../protocols/host-protocol.ts";
import { readJsonObject } from "../../protocols/read-json.ts";
import type { Gateway } from "../gateway.ts";
import type { Body } from "./http-requests.ts";
import { expectJson, HttpError, readBody } from "./http-requests.ts";
import { readDispatch } from "./line-requests.ts";
import type { Metrics } from "./metrics.ts";

/** What the routes of a service answer with. */
interface RouteDeps {
  readonly gateway: Gateway;
  readonly metrics: Metrics;
}

/** One request that came to its route. */
interface Call {
  readonly request: IncomingMessage;
  /** The last part of the path. */
  readonly name: string;
  readonly query: URLSearchParams;
}

/** What is sent back, with the status 200 unless it says another. */
export interface Reply {
  readonly status?: number;
  readonly type?: string;
  readonly body: string;
}

export interface Route extends Pick<ServiceRoute, "method"> {
  readonly path: RegExp;
  /** Whether anybody on this machine may ask, without the token. */
  readonly isOpen?: boolean;
  answer(call: Call): Promise<Reply>;
}

/** All that the HTTP side of a service answers. */
export function serviceRoutes(served: RouteDeps): readonly Route[] {
  return [
    { ...routeOf("health"), isOpen: true, answer: () => answerHealth(served) },
    { ...routeOf("metrics"), answer: () => answerMetrics(served) },
    hookRoute(served.gateway),
    { ...routeOf("dispatch"), answer: (call) => answerDispatch(call, served) },
  ];
}

/** Who answers the events of hosts. */
export type EventAnswerer = Pick<Gateway, "answer" | "refuse">;

/** The route of hosts. */
export function hookRoute(answering: EventAnswerer): Route {
  return { ...routeOf("hook"), answer: (call) => answerHook(call, answering) };
}

/** What a route is known by. */
export function routeOf(name: keyof typeof SERVICE_ROUTES): Pick<Route, "method" | "path"> {
  const { method, path } = SERVICE_ROUTES[name];
  return { method, path: new RegExp(`^${path}${path.endsWith("/") ? "([^/]+)" : ""}$`) };
}

/** An event may be this large before it is not even looked at; the engine refuses far smaller ones. */
const MAX_EVENT_BYTES = 64 * 2 ** 20;
const DEFAULT_MAX_MB = 16;

/** Reveals nothing but whether hooks are asked. */
async function answerHealth({ gateway }: RouteDeps): Promise<Reply> {
  const isOk = await gateway.engine().then(
    () => true,
    () => false,
  );
  return { status: isOk ? 200 : 503, body: JSON.stringify({ ok: isOk }) };
}

async function answerMetrics({ metrics }: RouteDeps): Promise<Reply> {
  return { type: "text/plain; version=0.0.4; charset=utf-8", body: metrics.render() };
}

/** A host goes on when the status is no success: what cannot be read is refused, not an error. */
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
    ? await answering.answer(host, body.text, within)
    : await answering.refuse(host, unreadable(host, body));
  return { body: JSON.stringify(hookBody(answer)) };
}

async function answerDispatch({ request, name }: Call, { gateway }: RouteDeps): Promise<Reply> {
  expectJson(request);
  const body = await readBody(request, await maxBytes(gateway));
  if (!body.ok) {
    if (body.kind === "too large") throw new HttpError("payload_too_large");
    throw new HttpError("bad_request", { message: `the body is ${body.kind}` });
  }
  const object = readJsonObject(body.text);
  if (!object.ok) throw new HttpError("bad_request", { message: `the body ${object.why}` });
  const read = readDispatch(name, object.value);
  if (typeof read === "string") throw new HttpError("bad_request", { message: read });
  try {
    const outcome = await gateway.dispatch(read.point, read.payload, read.scope);
    return { body: JSON.stringify(outcomeJson(outcome)) };
  } catch (thrown) {
    throw dispatchError(thrown);
  }
}

function unreadable(host: HostName, { kind }: Body & { ok: false }): string {
  return `the event of ${host} is ${kind}`;
}

async function maxBytes(gateway: Gateway): Promise<number> {
  const orcs = await gateway.engine().catch(() => undefined);
  return (orcs?.settings.engine.max_payload_mb ?? DEFAULT_MAX_MB) * 2 ** 20;
}

const STATUS = {
  ORCS1005: "not_found",
  ORCS1010: "bad_request",
  ORCS2003: "bad_request",
} as const;

function dispatchError(thrown: unknown): HttpError {
  if (!(thrown instanceof OrcsError)) throw thrown;
  const { code } = thrown;
  const kind = code in STATUS ? STATUS[code as keyof typeof STATUS] : "unavailable";
  return new HttpError(kind, { code, message: messageOf(thrown) });
}

/**
 * The answer of a hook as the body of an HTTP answer, which has no exit code: where the code alone refuses, the
 * words that most hosts read as a refusal stand in its place.
 */
function hookBody({ output, message, code }: HostAnswer): JsonObject {
  if (output !== undefined) return output;
  if (code === 0) return {};
  const reason = message ?? "refused by orcs";
  // An event that does not know `decision` still knows `continue`. See protocols.md §1.
  return { decision: "block", reason, continue: false, stopReason: reason };
}
