import type { AgentTools } from "../agent-tools.ts";

/**
 * Claude Code's tools that correspond to ours. Several may correspond to the same one: the first is used for a call of
 * ours. Other tools and keys have the same name in both.
 */
export const CLAUDE_TOOLS = {
  Bash: { tool: "exec", keys: { timeout: "timeout_ms" } },
  // They run commands as well: a guard of exec must see them.
  PowerShell: { tool: "exec", keys: { timeout: "timeout_ms" } },
  Monitor: { tool: "exec", keys: {} },
  Read: { tool: "read", keys: { file_path: "path" } },
  NotebookRead: { tool: "read", keys: { notebook_path: "path" } },
  Write: { tool: "write", keys: { file_path: "path" } },
  Edit: { tool: "edit", keys: { file_path: "path" } },
  MultiEdit: { tool: "edit", keys: { file_path: "path" } },
  NotebookEdit: { tool: "edit", keys: { notebook_path: "path" } },
  Glob: { tool: "glob", keys: {} },
  Grep: { tool: "grep", keys: {} },
  LS: { tool: "scan_dir", keys: {} },
  WebFetch: { tool: "http", keys: {} },
} as const satisfies AgentTools;
