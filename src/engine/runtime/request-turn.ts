import { OrcsError, isPromiseLike, unlessAborted } from "../../core/index.ts";
import type { Json, Request } from "../../core/index.ts";
import { type CallerIdentity, type CallState, optionsFor } from "./caller-identity.ts";
import { APPROVAL, questionChanged } from "./approvals.ts";
import { expectSameTool } from "./component-tools.ts";
import { withPoints } from "./with-points.ts";
import type { ChannelRunner } from "./channel-runner.ts";
import { asJson, failure } from "./component-life.ts";
import type { Delivery } from "./delivery.ts";

/** Serve one request or event between its hooks, and answer it. @throws what it is to be refused with */
export async function serveRequest(channel: ChannelRunner, delivery: Delivery): Promise<void> {
  const { request, call } = delivery;
  const { actor, host } = channel;
  const given = payloadOf(request, actor);
  const { result } = await withPoints(
    host,
    "request.dispatch",
    given,
    (after, metadata) =>
      ask(channel, delivery, after === given ? request : requestIn(after), { ...call, metadata }),
    optionsFor(actor, call),
    { giveUp: () => delivery.signal },
  );
  delivery.answer((result ?? null) as Json);
}

/** Settle a delivery with what was thrown. */
export function refuse({ key, host }: ChannelRunner, delivery: Delivery, thrown: unknown): void {
  const { operation } = delivery.request;
  const error =
    thrown instanceof OrcsError ? thrown : failure(thrown, `${operation} of ${key} failed`, key);
  if (!delivery.isAwaited) host.logger.warn(`${key} failed on an event: ${error.message}`);
  delivery.fail(error);
}

/** Pass a request to the component, as the hooks left it. */
async function ask(
  channel: ChannelRunner,
  delivery: Delivery,
  request: Request,
  call: CallState,
): Promise<Json> {
  const { component, key } = channel;
  expectUnchanged(delivery.request, request);
  const { timeout_ms, operation } = request;
  if (delivery.isAwaited && timeout_ms !== delivery.request.timeout_ms) delivery.arm(timeout_ms);
  // The pre hooks may have used up its time.
  if (delivery.isSettled) throw delivery.signal.reason;
  let answer: unknown;
  try {
    answer = component.onRequest(request, channel.contextFor(call, delivery));
    if (isPromiseLike(answer)) {
      if (!delivery.isAwaited) delivery.arm(timeout_ms);
      answer = await unlessAborted(answer, delivery.signal);
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
