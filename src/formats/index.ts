export { agentNames, ourTool, swapKeys } from "./agent-tools.ts";
export { PLUGIN_EVENTS } from "./opencode/events.ts";
export {
  decisionOf,
  denied,
  dispatchOf,
  handshakeResult,
  inBatch,
  queryOf,
} from "./ahp/ahp-harness.ts";
export type { AhpDispatch } from "./ahp/ahp-harness.ts";
export { AHP_COMPONENT } from "./ahp/ahp-tables.ts";
export { CLAUDE_HOST_EVENTS, claudeHostEvent } from "./claude-code/events.ts";
export type { ClaudeHostEventName } from "./claude-code/events.ts";
export { claudeCodeHost } from "./claude-code/host.ts";
export { patchPaths } from "./codex/tools.ts";
export type { HandlerCall, HandlerInput, HandlerProtocol } from "./handler-protocol.ts";
export { HANDLER_PROTOCOLS, LIVE_PROTOCOLS } from "./handler-protocols.ts";
export { failed, isSuccess, modeAt, modedAnswer, refuse } from "./handler-report.ts";
export { limitUnder, type Effect } from "./host-limits.ts";
export { agentVerdict, asText, changed, noticeLine, withNotice } from "./host-protocol.ts";
export type {
  AgentVerdict,
  DecodedEvent,
  HostAnswer,
  HostEvent,
  HostOptions,
  HostProtocol,
} from "./host-protocol.ts";
export { transcriptUsage } from "./transcript-usage.ts";
export { ENTRY_KEYS, type TranslatedMatcher } from "./agent-spec.ts";
export {
  AGENTS,
  ALL_SETTINGS,
  CARRIED_VARIABLES,
  HOSTS,
  PLUGIN_AGENTS,
  PROJECT_VARIABLES,
  SESSION_VARIABLES,
  SETTINGS_VARIABLES,
  SWITCHES,
  agentAround,
  hasUser,
  probeVariables,
  withoutAgents,
} from "./hosts.ts";
export type { LiveProtocol, RpcCall } from "./live/live-protocol.ts";
export { readMessage, requestLine, type RpcAnswer } from "./live/jsonrpc.ts";
export { stringAt } from "./payload.ts";
