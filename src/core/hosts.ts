/** Coding agents whose hook events orcs handles. */
export const HOST_NAMES = ["claude-code", "codex", "gemini", "cursor", "copilot", "qwen"] as const;

export type HostName = (typeof HOST_NAMES)[number];

/** Coding agents that load orcs as a plugin: they have no hook events, and no settings with entries. */
export const PLUGIN_AGENT_NAMES = ["opencode"] as const;

export type PluginAgentName = (typeof PLUGIN_AGENT_NAMES)[number];

/** A coding agent in which orcs can be installed. */
export type AgentName = HostName | PluginAgentName;

export const AGENT_NAMES: readonly AgentName[] = [...HOST_NAMES, ...PLUGIN_AGENT_NAMES];

/** Whether an agent loads orcs as a plugin. */
export function isPluginAgent(name: string): name is PluginAgentName {
  return (PLUGIN_AGENT_NAMES as readonly string[]).includes(name);
}

/**
 * Hook protocols of other systems whose handlers are supported: how a command or a service is called, and what it
 * returns.
 */
export const PROTOCOL_NAMES = [
  "orcs",
  "claude-code",
  "codex",
  "gemini",
  "cursor",
  "copilot",
  "qwen",
  "cocode",
  "massgen",
] as const;

export type ProtocolName = (typeof PROTOCOL_NAMES)[number];

/** Protocols of handlers that live on between calls: both are JSON-RPC 2.0. */
export const LIVE_PROTOCOL_NAMES = ["jsonrpc", "ahp"] as const;

export type LiveProtocolName = (typeof LIVE_PROTOCOL_NAMES)[number];

/** Environment variables of a command that contain the folder of its configuration, or its sealed copy. */
export const FOLDER_VARIABLES = ["ORCS_DIR", "ORCS_CONFIG_DIR"] as const;
