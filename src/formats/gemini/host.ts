import { withFields } from "../host-fields.ts";
import type { HostAnswer, HostProtocol, NoticeWay } from "../host-protocol.ts";
import { noticing } from "../host-protocol.ts";
import { hasUser } from "./attended.ts";
import { decodeEvent } from "../decode-event.ts";
import { encodeGemini, endOfWork, refusedAt } from "./encode.ts";
import { GEMINI, GEMINI_EVENTS, isGeminiEvent } from "./events.ts";
import { GEMINI_FIELDS } from "./fields.ts";

/** Gemini CLI. Source: protocols.md §3, its hook reference and its code (0.61). */
export const geminiHost: HostProtocol = {
  name: "gemini",
  events: GEMINI_EVENTS,
  decode: (event) => decodeEvent(GEMINI, event),
  fields: GEMINI_FIELDS,
  encode: withFields(noticing(encodeGemini, noticeAt), GEMINI_FIELDS, "Gemini CLI"),
  hasUser,
  noticeAt,
  refuse,
};

/**
 * According to its reference every event accepts a `systemMessage` except this one, where an empty stdout makes stderr
 * the response.
 */
function noticeAt(event: string): NoticeWay {
  if (event === "BeforeToolSelection") return "none";
  return isGeminiEvent(event) ? "systemMessage" : "stderr";
}

function refuse(event: string | undefined, reason: string): HostAnswer {
  if (event === undefined) {
    // It may be any event.
    return { output: endOfWork(reason), code: 0, downgrades: [] };
  }
  if (event === "AfterAgent") return { output: { systemMessage: reason }, code: 0, downgrades: [] };
  const { output, downgrades } = refusedAt(event, reason);
  return { output, code: 0, downgrades };
}
