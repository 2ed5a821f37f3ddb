import { OrcsError, isPromiseLike } from "../../core/index.ts";
import type { ChildContext, Component, Json, Request } from "../../core/index.ts";
import { type CallerIdentity, type CallState, keyOf, optionsFor } from "./caller-identity.ts";
import { APPROVAL, questionChanged } from "./approvals.ts";
import { expectSameTool } from "./component-tools.ts";
import { withPoints } from "./with-points.ts";
import type { Wanted } from "./call-context.ts";
import { asJson, failure } from "./component-life.ts";
import type { Delivery } from "./delivery.ts";
import { unlessGivenUp } from "./with-timeout.ts";
import type { RuntimeHost } from "./runtime-host.ts";

/** What serving requests needs from a channel. */
export interface RequestTurnHost {
  readonly component: Component;
  readonly actor: CallerIdentity;
  readonly host: RuntimeHost;
  contextFor(call: CallState, wanted: Wanted): ChildContext;
}

/** Serve one request or event between its hooks, and settle it. Never rejects: any error goes to the caller. */
export async function serveRequest(turn: RequestTurnHost, delivery: Delivery): Promise<void> {
  const { request, call } = delivery;
  const { actor, host } = turn;
  const given = payloadOf(request, actor);
  try {
    const { result } = await withPoints(
      host,
      "request.dispatch",
      given,
      (after, metadata) =>
        ask(turn, delivery, after === given ? request : requestIn(after), { ...call, metadata }),
      optionsFor(actor, call),
      { giveUp: () => delivery.signal },
    );
    delivery.answer((result ?? null) as Json);
  } catch (thrown) {
    refuse(turn, delivery, thrown);
  }
}

/** Settle a delivery with what was thrown. */
export function refuse(
  { actor, host }: RequestTurnHost,
  delivery: Delivery,
  thrown: unknown,
): void {
  const key = keyOf(actor);
  const { operation } = delivery.request;
  const error =
    thrown instanceof OrcsError ? thrown : failure(thrown, `${operation} of ${key} failed`, key);
  if (!delivery.isAwaited) host.logger.warn(`${key} failed on an event: ${error.message}`);
  delivery.fail(error);
}

/** Pass a request to the component, as the hooks left it. */
async function ask(
  turn: RequestTurnHost,
  delivery: Delivery,
  request: Request,
  call: CallState,
): Promise<Json> {
  const { component, actor } = turn;
  expectUnchanged(delivery.request, request);
  const { timeout_ms, operation } = request;
  if (delivery.isAwaited && timeout_ms !== delivery.request.timeout_ms) delivery.arm(timeout_ms);
  // The pre hooks may have used up its time.
  if (delivery.isSettled) throw delivery.signal.reason;
  const key = keyOf(actor);
  let answer: unknown;
  try {
    answer = component.onRequest(request, turn.contextFor(call, delivery));
    if (isPromiseLike(answer)) {
      if (!delivery.isAwaited) delivery.arm(timeout_ms);
      answer = await unlessGivenUp(Promise.resolve(answer), delivery.signal);
    }
  } catch (thrown) {
    throw failure(thrown, `${operation} of ${key} failed`, key);
  }
  return asJson(answer, `the response of ${key} to ${operation}`);
}

/** Key by key: a spread costs a quarter of the time of an event. */
function payloadOf(request: Request, actor: CallerIdentity): Record<string, unknown> {
  const { id, category, operation, source, target, payload, timeout_ms } = request;
  const { component: component_id, channel: channel_id } = actor;
  return {
    id,
    category,
    operation,
    source,
    target,
    payload,
    timeout_ms,
    component_id,
    channel_id,
  };
}

/** The request in a payload changed by hooks. */
function requestIn(payload: Record<string, unknown>): Request {
  const { component_id: _, channel_id: __, ...request } = payload;
  return request as unknown as Request;
}

/** A request for approval, or one that looks like it, must be unchanged. @throws OrcsError ORCS6010 */
function expectUnchanged(sent: Request, left: Request): void {
  expectSameTool(sent, left);
  if (sent.category !== APPROVAL && left.category !== APPROVAL) return;
  const keys = ["category", "operation", "source", "payload"] as const;
  if (keys.some((key) => sent[key] !== left[key])) throw questionChanged();
}
