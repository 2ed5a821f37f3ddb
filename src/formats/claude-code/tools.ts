import { toolTable } from "../agent-tools.ts";

/** Claude Code's tools that correspond to ours. PowerShell and Monitor run commands as well: a guard must see them. */
export const CLAUDE_TOOLS = toolTable(
  ["exec", ["Bash", "PowerShell"], { timeout_ms: "timeout" }],
  ["exec", ["Monitor"]],
  ["read", ["Read"], { path: "file_path" }],
  ["read", ["NotebookRead"], { path: "notebook_path" }],
  ["write", ["Write"], { path: "file_path" }],
  ["edit", ["Edit", "MultiEdit"], { path: "file_path" }],
  ["edit", ["NotebookEdit"], { path: "notebook_path" }],
  ["glob", ["Glob"]],
  ["grep", ["Grep"]],
  ["scan_dir", ["LS"]],
  ["http", ["WebFetch"]],
);
