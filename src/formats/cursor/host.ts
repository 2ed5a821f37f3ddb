import { withFields } from "../host-fields.ts";
import type { HostProtocol, NoticeWay } from "../host-protocol.ts";
import { noticing } from "../host-protocol.ts";
import { decodeEvent } from "../decode-event.ts";
import { encodeCursor, refusal } from "./encode.ts";
import { CURSOR, CURSOR_EVENTS, cursorEvent } from "./events.ts";
import { CURSOR_FIELDS } from "./fields.ts";

/**
 * Cursor, which runs our command at its events. Denials are responses with exit code 0; key names changed between
 * versions, so they have the older ones as well. Source: protocols.md §4.
 */
export const cursorHost: HostProtocol = {
  name: "cursor",
  events: CURSOR_EVENTS,
  decode: (event) => decodeEvent(CURSOR, event),
  fields: CURSOR_FIELDS,
  encode: withFields(noticing(encodeCursor, noticeAt), CURSOR_FIELDS, "Cursor"),
  noticeAt,
  refuse(event, reason) {
    // An agent may stop even when no hook could be run.
    if (event !== "stop") return refusal(event, reason);
    const downgrades = [`the hooks could not be run at stop: ${reason}`];
    return { output: {}, message: reason, code: 0, downgrades };
  },
};

function noticeAt(event: string): NoticeWay {
  return cursorEvent(event)?.takes.includes("user_message") ? "user_message" : "stderr";
}
