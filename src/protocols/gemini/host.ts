import type { HostAnswer, HostProtocol } from "../host.ts";
import { decodeGemini } from "./decode.ts";
import { encodeGemini } from "./encode.ts";
import { GEMINI_EVENTS } from "./events.ts";
import { endOfWork, refusedAt } from "./refusal.ts";

/** Gemini CLI calls orcs. Source: protocols.md §3, its reference of hooks and its code (0.61). */
export const geminiHost: HostProtocol = {
  name: "gemini",
  events: GEMINI_EVENTS,
  decode: decodeGemini,
  encode: encodeGemini,
  refuse,
};

function refuse(event: string | undefined, reason: string): HostAnswer {
  if (event === undefined) {
    // It may be any.
    return { output: endOfWork(reason), code: 0, downgrades: [] };
  }
  if (event === "AfterAgent") return { output: { systemMessage: reason }, code: 0, downgrades: [] };
  const { output, downgrades } = refusedAt(event, reason);
  return { output, code: 0, downgrades };
}
