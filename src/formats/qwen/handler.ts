import { AGENT_TOOLS } from "../../core/index.ts";
import type { AgentHandler } from "../agent-handler.ts";
import { CLAUDE } from "../claude-code/events.ts";
import { CLAUDE_HANDLER, readClaudeOutput } from "../claude-code/handler.ts";
import { QWEN } from "./events.ts";

/** Runs hooks written for Qwen Code unchanged, as those of Claude Code, with its own tools. */
export const QWEN_HANDLER: AgentHandler = {
  ...CLAUDE_HANDLER,
  format: QWEN,
  like: CLAUDE,
  read: (answer, call) => readClaudeOutput(answer, call, AGENT_TOOLS.qwen),
  projects: ["QWEN_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR"],
};
