import { decodeEvent } from "../decode-event.ts";
import { withFields } from "../host-fields.ts";
import type { HostProtocol, NoticeWay } from "../host-protocol.ts";
import { noticing } from "../host-protocol.ts";
import { claudeAnswer, encodeClaudeAnswer } from "./encode.ts";
import { CLAUDE, CLAUDE_HOST_EVENTS, claudeHostEvent } from "./events.ts";
import { CLAUDE_FIELDS } from "./fields.ts";

/** Claude Code, which runs our command or sends a request to our service for each of its events. */
export const claudeCodeHost: HostProtocol = {
  name: "claude-code",
  events: CLAUDE_HOST_EVENTS,
  decode: (event) => decodeEvent(CLAUDE, event),
  fields: CLAUDE_FIELDS,
  encode: withFields(noticing(encodeClaudeAnswer, noticeAt), CLAUDE_FIELDS, "Claude Code"),
  noticeAt,
  refuse(event = "", reason) {
    const { refusable, passes } = claudeHostEvent(event);
    // An unreadable event has no name, and is denied like an unknown one.
    return refusable && !passes
      ? claudeAnswer(event, { refusal: reason, notes: [], downgrades: [] })
      : claudeAnswer(event, { notes: [reason], downgrades: [] });
  },
};

/** It shows a `systemMessage` to its user at every event. */
function noticeAt(): NoticeWay {
  return "systemMessage";
}
