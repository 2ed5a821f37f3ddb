import type { HostName } from "../core/hosts.ts";
import type { HostProtocol } from "./host-protocol.ts";

/** How each foreign agent is answered. Loaded one by one: a hook's process speaks with one host, and briefly. */
export const HOST_PROTOCOLS: Readonly<Record<HostName, () => Promise<HostProtocol>>> = {
  "claude-code": async () => (await import("./claude-code/host.ts")).claudeCodeHost,
  codex: async () => (await import("./codex/host.ts")).codexHost,
  gemini: async () => (await import("./gemini/host.ts")).geminiHost,
  cursor: async () => (await import("./cursor/host.ts")).cursorHost,
};
