import type { ProtocolName } from "../core/index.ts";
import { agentHandler } from "./agent-handler.ts";
import { CLAUDE_HANDLER } from "./claude-code/handler.ts";
import { cocodeProtocol } from "./cocode.ts";
import { CODEX_HANDLER } from "./codex/handler.ts";
import { COPILOT_HANDLER } from "./copilot/handler.ts";
import { CURSOR_HANDLER } from "./cursor/handler.ts";
import { GEMINI_HANDLER } from "./gemini/handler.ts";
import type { HandlerProtocol } from "./handler-protocol.ts";
import { massgenProtocol } from "./massgen.ts";
import { orcsProtocol } from "./orcs.ts";
import { QWEN_HANDLER } from "./qwen/handler.ts";

/** The handler protocol of each hook system. */
export const HANDLER_PROTOCOLS: Readonly<Record<ProtocolName, HandlerProtocol>> = {
  orcs: orcsProtocol,
  "claude-code": agentHandler(CLAUDE_HANDLER),
  codex: agentHandler(CODEX_HANDLER),
  gemini: agentHandler(GEMINI_HANDLER),
  cursor: agentHandler(CURSOR_HANDLER),
  copilot: agentHandler(COPILOT_HANDLER),
  qwen: agentHandler(QWEN_HANDLER),
  cocode: cocodeProtocol,
  massgen: massgenProtocol,
};
