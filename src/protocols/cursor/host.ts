import type { HostProtocol, NoticeWay } from "../host-protocol.ts";
import { noticing } from "../host-protocol.ts";
import { decodeCursor } from "./decode.ts";
import { encodeCursor, refusal } from "./encode.ts";
import { CURSOR_EVENTS, cursorEvent } from "./events.ts";

/**
 * Cursor, which runs our command at its events. Refusals are answers with exit code 0; field names drifted
 * from version to version, so they carry the older ones, too. Source: protocols.md §4.
 */
export const cursorHost: HostProtocol = {
  name: "cursor",
  events: CURSOR_EVENTS,
  decode: decodeCursor,
  encode: noticing(encodeCursor, noticeAt),
  noticeAt,
  refuse(event, reason) {
    // Whoever wants to stop may, also when nobody could be asked.
    if (event !== "stop") return refusal(event, reason);
    const downgrades = [`the hooks could not be run at stop: ${reason}`];
    return { output: {}, message: reason, code: 0, downgrades };
  },
};

function noticeAt(event: string): NoticeWay {
  return cursorEvent(event)?.takes.includes("user_message") ? "user_message" : "stderr";
}
