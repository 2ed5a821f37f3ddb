import type { Orcs } from "../host/orcs.ts";
import type { DecodedEvent, HostProtocol } from "../protocols/host.ts";

/** What the user of a host is to be told with the answer to an event, if anything; it counts as told then. */
export function dueNotice(
  protocol: HostProtocol,
  { event, payload }: DecodedEvent,
  orcs: Orcs,
): string | undefined {
  // Most engines have nothing to tell.
  if (orcs.notice === undefined) return undefined;
  const way = protocol.noticeAt(event);
  if (way === "none") return undefined;
  const { session_id: session } = payload;
  const named = typeof session === "string" && session !== "" ? session : undefined;
  return orcs.takeNotice(named, way === "stderr" ? "stderr" : "shown");
}
