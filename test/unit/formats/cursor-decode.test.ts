import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { cursorHost } from "../../../src/formats/cursor/host.ts";

const decoded = (hook_event_name: string, fields: JsonObject = {}) =>
  cursorHost.decode({ hook_event_name, conversation_id: "c", workspace_roots: ["/w"], ...fields });
const shell = { tool_name: "Shell", tool_input: { command: "ls" } };

describe("decoding Cursor events", () => {
  it.each<[string, JsonObject, string, JsonObject]>([
    [
      "preToolUse",
      shell,
      "tool.pre_execute",
      { tool_name: "exec", args: { command: "ls" }, cwd: "/w" },
    ],
    ["preToolUse", { ...shell, cwd: "/w/a" }, "tool.pre_execute", { cwd: "/w/a" }],
    ["preToolUse", { tool_name: "MCP:q", tool_input: null }, "tool.pre_execute", { args: {} }],
    [
      "beforeShellExecution",
      { command: "ls", cwd: "" },
      "tool.pre_execute",
      { tool_name: "exec", args: { command: "ls" } },
    ],
    [
      "beforeShellExecution",
      { command: "ls", cwd: "/x" },
      "tool.pre_execute",
      { args: { command: "ls", cwd: "/x" }, cwd: "/x" },
    ],
    [
      "beforeMCPExecution",
      { tool_name: "q", tool_input: '{"a":1}', mcp_server_name: "db" },
      "tool.pre_execute",
      { tool_name: "mcp__db__q", args: { a: 1 } },
    ],
    [
      "beforeMCPExecution",
      { tool_name: "q", tool_input: { a: 1 } },
      "tool.pre_execute",
      { tool_name: "mcp__unknown__q", args: { a: 1 } },
    ],
    [
      "beforeReadFile",
      { filePath: "a" },
      "tool.pre_execute",
      { tool_name: "read", args: { path: "a" } },
    ],
    [
      "postToolUse",
      { ...shell, tool_output: '{"exitCode":0}', duration: 2.6 },
      "tool.post_execute",
      { result: { exitCode: 0 }, elapsed_ms: 3 },
    ],
    [
      "postToolUse",
      { ...shell, tool_output: "plain", duration: -1 },
      "tool.post_execute",
      { result: "plain" },
    ],
    [
      "postToolUseFailure",
      { ...shell, error_message: "e" },
      "tool.on_failure",
      { tool_name: "exec", error: "e" },
    ],
    [
      "postToolUseFailure",
      { error_message: "e", failure_type: "timeout" },
      "tool.on_failure",
      { tool_name: "unknown", args: {}, error: "e" },
    ],
    [
      "sessionEnd",
      { reason: "done", duration_ms: 5 },
      "session.on_end",
      { reason: "done", elapsed_ms: 5 },
    ],
    [
      "subagentStart",
      { subagent_type: "shell", task: "x" },
      "child.pre_spawn",
      { child_config: { type: "shell", prompt: "x" }, parent_id: "c" },
    ],
    ["subagentStart", {}, "child.pre_spawn", { child_config: {} }],
    [
      "subagentStop",
      { subagent_id: "s", result: "r", duration: 9 },
      "child.post_run",
      { child_id: "s", child_result: "r", elapsed_ms: 9 },
    ],
    [
      "stop",
      { status: "completed", loop_count: 2 },
      "agent.pre_stop",
      { kind: "completed", stop_hook_active: true },
    ],
    ["stop", { loop_count: 0 }, "agent.pre_stop", { stop_hook_active: false }],
    ["preCompact", { trigger: "manual" }, "context.pre_compact", { trigger: "manual" }],
    [
      "afterShellExecution",
      { command: "ls" },
      "host.pre_event",
      { event: "afterShellExecution", tool_name: "exec" },
    ],
    [
      "afterMCPExecution",
      { tool_name: "q", tool_input: "{" },
      "host.pre_event",
      { event: "afterMCPExecution" },
    ],
    [
      "afterFileEdit",
      { file_path: "a" },
      "host.pre_event",
      { tool_name: "edit", args: { path: "a" } },
    ],
    ["beforeLunch", { tool_name: 5 }, "host.pre_event", { event: "beforeLunch", session_id: "c" }],
  ])("%s %j", (event, fields, point, payload) => {
    const found = decoded(event, fields);
    expect(found).toMatchObject({ event, point, payload, component: "agent::cursor" });
    expect(found.payload["session_id"]).toBe("c");
    expect(found.payload["host"]).toMatchObject(fields);
  });

  it.each<[string, JsonObject, string]>([
    ["preToolUse", { tool_input: {} }, "tool_name is missing"],
    ["preToolUse", { tool_name: "Shell" }, "tool_input is missing"],
    ["preToolUse", { tool_name: "Shell", tool_input: [] }, "tool_input is not of the type object"],
    ["preToolUse", { tool_name: "Shell", tool_input: "ls" }, "tool_input is not JSON"],
    [
      "preToolUse",
      { tool_name: "Read", tool_input: { file_path: "ok", target_file: "/secret" } },
      "tool_input has both file_path and target_file",
    ],
    [
      "preToolUse",
      { tool_name: "Read", tool_input: { path: "/w/.env", file_path: "harmless" } },
      "tool_input has both file_path and path",
    ],
    [
      "preToolUse",
      { tool_name: "EditNotebook", tool_input: '{"path":"ok","target_notebook":"/secret"}' },
      "tool_input has both path and target_notebook",
    ],
    ["beforeMCPExecution", { tool_name: "q", tool_input: "[1]" }, "is not a JSON object"],
    ["beforeMCPExecution", { tool_name: "q", tool_input: "[".repeat(50_000) }, "tool_input"],
    ["beforeShellExecution", { command: ["ls"] }, "command is not of the type string"],
    ["beforeReadFile", {}, "file_path is missing"],
    ["beforeSubmitPrompt", { prompt: null }, "prompt is not of the type string"],
  ])("%s %j is rejected", (event, fields, message) => {
    expect(() => decoded(event, fields)).toThrow(message);
    expect(() => decoded(event, fields)).toThrow(expect.objectContaining({ code: "ORCS7001" }));
  });

  it("an event without a name is rejected, and unknown names are marked unknown", () => {
    expect(() => cursorHost.decode({})).toThrow("hook_event_name is missing");
    for (const name of ["constructor", "__proto__", "toString", ""]) {
      expect(decoded(name)).toMatchObject({ point: "host.pre_event", payload: { event: name } });
    }
  });

  it("a current key takes precedence over its older spelling", () => {
    const found = decoded("beforeReadFile", { file_path: "/secret", filePath: "harmless" });
    expect(found.payload["args"]).toEqual({ path: "/secret" });
  });
});
