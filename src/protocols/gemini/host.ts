import type { HostAnswer, HostProtocol, NoticeWay } from "../host-protocol.ts";
import { noticing } from "../host-protocol.ts";
import { decodeGemini } from "./decode.ts";
import { encodeGemini, endOfWork, refusedAt } from "./encode.ts";
import { GEMINI_EVENTS, isGeminiEvent } from "./events.ts";

/** Gemini CLI calls orcs. Source: protocols.md §3, its reference of hooks and its code (0.61). */
export const geminiHost: HostProtocol = {
  name: "gemini",
  events: GEMINI_EVENTS,
  decode: decodeGemini,
  encode: noticing(encodeGemini, noticeAt),
  noticeAt,
  refuse,
};

/** By its reference every hook may send a `systemMessage` but this one, whose silence leaves stderr as the answer. */
function noticeAt(event: string): NoticeWay {
  if (event === "BeforeToolSelection") return "none";
  return isGeminiEvent(event) ? "systemMessage" : "stderr";
}

function refuse(event: string | undefined, reason: string): HostAnswer {
  if (event === undefined) {
    // It may be any.
    return { output: endOfWork(reason), code: 0, downgrades: [] };
  }
  if (event === "AfterAgent") return { output: { systemMessage: reason }, code: 0, downgrades: [] };
  const { output, downgrades } = refusedAt(event, reason);
  return { output, code: 0, downgrades };
}
