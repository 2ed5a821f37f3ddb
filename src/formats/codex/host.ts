import { withFields } from "../host-fields.ts";
import type { HostProtocol, NoticeWay } from "../host-protocol.ts";
import { noticing } from "../host-protocol.ts";
import { decodeEvent } from "../decode-event.ts";
import { encodeCodex, refuseCodex } from "./encode.ts";
import { CODEX, CODEX_EVENTS, codexEvent } from "./events.ts";
import { CODEX_FIELDS } from "./fields.ts";
import { editsWithin } from "./edits-within.ts";

/**
 * Codex CLI. It rejects a response with anything that it does not support at the event, and then continues as if there
 * had been none: every inexact response is a hole. Source: protocols.md §2.
 */
export const codexHost: HostProtocol = {
  name: "codex",
  events: CODEX_EVENTS,
  decode: (event) => decodeEvent(CODEX, event),
  callsWithin: editsWithin,
  fields: CODEX_FIELDS,
  encode: withFields(noticing(encodeCodex, noticeAt), CODEX_FIELDS, "Codex"),
  noticeAt,
  refuse: refuseCodex,
};

/** What a newer Codex accepts at a new event is unknown. */
function noticeAt(event: string): NoticeWay {
  const row = codexEvent(event);
  return row === undefined || row.deaf ? "stderr" : "systemMessage";
}
