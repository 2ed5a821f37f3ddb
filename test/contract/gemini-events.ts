import type { JsonObject } from "../../src/core/json.ts";

export const COMMON = {
  session_id: "s-1",
  transcript_path: "/home/dev/.gemini/tmp/p/chat.json",
  cwd: "/home/dev/project",
  timestamp: "2026-11-21T21:44:50.756Z",
};
export const REQUEST = {
  model: "gemini-2.5-flash",
  messages: [
    { role: "user", content: "tidy up" },
    { role: "model", content: "What?" },
    { role: "user", content: "the notes" },
  ],
  config: { temperature: 1 },
  toolConfig: { mode: "AUTO", allowedFunctionNames: ["run_shell_command", "mcp_files_stat"] },
};
export const RESPONSE = {
  text: "hello",
  candidates: [
    { content: { role: "model", parts: ["hel", "lo"] }, finishReason: "STOP", index: 0 },
  ],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 },
};
export const SHELL = {
  tool_name: "run_shell_command",
  tool_input: { command: "git push", dir_path: "src", description: "push" },
};

/** One event of each kind, as Gemini CLI's types have them. */
const SYNTHETIC: Readonly<Record<string, JsonObject>> = {
  SessionStart: { source: "resume" },
  SessionEnd: { reason: "prompt_input_exit" },
  BeforeAgent: { prompt: "tidy up" },
  AfterAgent: { prompt: "tidy up", prompt_response: "done", stop_hook_active: true },
  BeforeModel: { llm_request: REQUEST },
  AfterModel: { llm_request: REQUEST, llm_response: RESPONSE },
  BeforeToolSelection: { llm_request: REQUEST },
  BeforeTool: SHELL,
  AfterTool: { ...SHELL, tool_response: { llmContent: "pushed", returnDisplay: "pushed!" } },
  PreCompress: { trigger: "manual" },
  Notification: {
    notification_type: "ToolPermission",
    message: "Tool Shell requires execution",
    details: { type: "exec", command: "git push" },
  },
  /** What a later version may bring. */
  BeforeDream: { depth: 3 },
};

/** A made-up event. */
export function sent(name: string): JsonObject {
  return { ...COMMON, hook_event_name: name, ...structuredClone(SYNTHETIC[name] ?? {}) };
}
