import { withFields } from "../host-fields.ts";
import type { HostProtocol, NoticeWay } from "../host-protocol.ts";
import { noticing } from "../host-protocol.ts";
import { decodeEvent } from "../decode-event.ts";
import { encodeCopilot, refuseCopilot } from "./encode.ts";
import { COPILOT, COPILOT_EVENTS, copilotEvent } from "./events.ts";
import { COPILOT_FIELDS } from "./fields.ts";

/**
 * GitHub Copilot CLI. A response that it cannot parse counts as none, and it then runs the tool: exit code 2 is the only
 * denial without one. Source: its hooks reference and types, tried with 1.0.102.
 */
export const copilotHost: HostProtocol = {
  name: "copilot",
  events: COPILOT_EVENTS,
  decode: (event) => decodeEvent(COPILOT, event),
  fields: COPILOT_FIELDS,
  encode: withFields(noticing(encodeCopilot, noticeAt), COPILOT_FIELDS, "Copilot CLI"),
  noticeAt,
  refuse: refuseCopilot,
};

function noticeAt(event: string): NoticeWay {
  return copilotEvent(event)?.warns ? "warning" : "stderr";
}
