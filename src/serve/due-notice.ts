import type { Outcome } from "../core/outcome.ts";
import type { PointName } from "../core/points.ts";
import type { Orcs } from "../host/orcs.ts";
import type { DecodedEvent, HostOptions, HostProtocol } from "../protocols/host.ts";
import { noticeLine } from "../protocols/notice-line.ts";

/** What the user of a host is to be told with the answer to an event, if anything; it counts as told then. */
export function dueNotice(
  protocol: HostProtocol,
  { event, payload }: DecodedEvent,
  orcs: Orcs,
): string | undefined {
  // Most engines have nothing to tell.
  if (orcs.notices.length === 0) return undefined;
  const way = protocol.noticeAt(event);
  if (way === "none") return undefined;
  return orcs.takeNotice(sessionOf(payload), way === "stderr" ? "stderr" : "shown");
}

/** Points at which context for the model decides nothing. */
const CONTEXT_POINTS: ReadonlySet<PointName> = new Set<PointName>([
  "session.on_start",
  "prompt.pre_submit",
  "tool.pre_execute",
  "tool.post_execute",
  "tool.on_failure",
]);

/**
 * The outcome with what the model is to be told besides, where there is anything and the host hands it on at this
 * event; it counts as told then.
 */
export function withModelNotice(
  protocol: HostProtocol,
  decoded: DecodedEvent,
  outcome: Outcome,
  orcs: Orcs,
  options: HostOptions,
): Outcome {
  if (orcs.notices.length === 0 || !CONTEXT_POINTS.has(decoded.point)) return outcome;
  const told = (text: string): Outcome => ({ ...outcome, inject: [...outcome.inject, text] });
  const { output } = protocol.encode(decoded, told(PROBE), options);
  if (!JSON.stringify(output ?? null).includes(PROBE)) return outcome;
  const text = orcs.takeNotice(sessionOf(decoded.payload), "model");
  return text === undefined ? outcome : told(noticeLine(text));
}

/** Whether it is found in an answer says whether the answer carries context. */
const PROBE = "orcs-context-probe";

function sessionOf({ session_id: session }: DecodedEvent["payload"]): string | undefined {
  return typeof session === "string" && session !== "" ? session : undefined;
}
