import type { LiveProtocolName, ProtocolName } from "../core/index.ts";
import { agentHandler } from "./agent-handler.ts";
import { ahpProtocol } from "./ahp/ahp-client.ts";
import { CLAUDE_HANDLER } from "./claude-code/handler.ts";
import { cocodeProtocol } from "./cocode.ts";
import { CODEX_HANDLER } from "./codex/handler.ts";
import { COPILOT_HANDLER } from "./copilot/handler.ts";
import { CURSOR_HANDLER } from "./cursor/handler.ts";
import { GEMINI_HANDLER } from "./gemini/handler.ts";
import type { HandlerProtocol } from "./handler-protocol.ts";
import { jsonrpcProtocol } from "./live/jsonrpc.ts";
import type { LiveProtocol } from "./live/live-protocol.ts";
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

/** The protocols of handlers that live on. */
export const LIVE_PROTOCOLS: Readonly<Record<LiveProtocolName, LiveProtocol>> = {
  jsonrpc: jsonrpcProtocol,
  ahp: ahpProtocol,
};
