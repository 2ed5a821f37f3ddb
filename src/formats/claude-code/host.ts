import { AGENT_TOOLS } from "../../core/index.ts";
import { hostProtocol } from "../encode-event.ts";
import type { HostProtocol } from "../host-protocol.ts";
import { claudeAnswer, claudeEncoding, handOver } from "./encode.ts";
import type { ClaudeHostEvent } from "./events.ts";
import { CLAUDE, NO_TEXT } from "./events.ts";
import { CLAUDE_FIELDS } from "./fields.ts";

const encoding = claudeEncoding(CLAUDE, AGENT_TOOLS["claude-code"]);

/** Claude Code, which runs our command or sends a request to our service for each of its events. */
export const claudeCodeHost: HostProtocol = hostProtocol<ClaudeHostEvent>({
  ...encoding,
  newer: NO_TEXT,
  fields: CLAUDE_FIELDS,
  finish(wish, call) {
    handOver(wish, call);
    encoding.finish(wish, call);
  },
  // An unreadable event has no name, and is denied like an unknown one.
  deny: (event = "", refusal, wish) => claudeAnswer(event, { ...wish, refusal }),
  goOn: claudeAnswer,
});
