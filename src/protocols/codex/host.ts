import type { HostProtocol, NoticeWay } from "../host-protocol.ts";
import { noticing } from "../host-protocol.ts";
import { decodeCodex } from "./decode.ts";
import { encodeCodex, refuseCodex } from "./encode.ts";
import { CODEX_EVENTS, codexEvent } from "./events.ts";

/**
 * Codex CLI. It rejects an answer with anything that it does not know or take at the event, and then goes on
 * as if there had been none: what is not exactly right is a hole. Source: protocols.md §2.
 */
export const codexHost: HostProtocol = {
  name: "codex",
  events: CODEX_EVENTS,
  decode: decodeCodex,
  encode: noticing(encodeCodex, noticeAt),
  noticeAt,
  refuse: refuseCodex,
};

/** What a newer Codex takes at an event of its own nobody knows. */
function noticeAt(event: string): NoticeWay {
  const row = codexEvent(event);
  return row === undefined || row.deaf ? "stderr" : "systemMessage";
}
