import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { cursorHost } from "../../../src/formats/cursor/host.ts";

const decoded = (hook_event_name: string, fields: JsonObject = {}) =>
  cursorHost.decode({ hook_event_name, conversation_id: "c", workspace_roots: ["/w"], ...fields });
const shell = { tool_name: "Shell", tool_input: { command: "ls" } };

describe("decoding Cursor events", () => {
  /** Events with their fields, and what the payload has, by point. */
  const EVENTS: Readonly<
    Record<string, [event: string, fields: JsonObject, payload: JsonObject][]>
  > = {
    "tool.pre_execute": [
      ["preToolUse", shell, { tool_name: "exec", args: { command: "ls" }, cwd: "/w" }],
      ["preToolUse", { ...shell, cwd: "/w/a" }, { cwd: "/w/a" }],
      ["preToolUse", { tool_name: "MCP:q", tool_input: null }, { args: {} }],
      [
        "beforeShellExecution",
        { command: "ls", cwd: "" },
        { tool_name: "exec", args: { command: "ls" } },
      ],
      [
        "beforeShellExecution",
        { command: "ls", cwd: "/x" },
        { args: { command: "ls", cwd: "/x" }, cwd: "/x" },
      ],
      [
        "beforeMCPExecution",
        { tool_name: "q", tool_input: '{"a":1}', mcp_server_name: "db" },
        { tool_name: "mcp__db__q", args: { a: 1 } },
      ],
      [
        "beforeMCPExecution",
        { tool_name: "q", tool_input: { a: 1 } },
        { tool_name: "mcp__unknown__q", args: { a: 1 } },
      ],
      ["beforeReadFile", { filePath: "a" }, { tool_name: "read", args: { path: "a" } }],
    ],
    "tool.post_execute": [
      [
        "postToolUse",
        { ...shell, tool_output: '{"exitCode":0}', duration: 2.6 },
        { result: { exitCode: 0 }, elapsed_ms: 3 },
      ],
      ["postToolUse", { ...shell, tool_output: "plain", duration: -1 }, { result: "plain" }],
    ],
    "tool.on_failure": [
      ["postToolUseFailure", { ...shell, error_message: "e" }, { tool_name: "exec", error: "e" }],
      [
        "postToolUseFailure",
        { error_message: "e", failure_type: "timeout" },
        { tool_name: "unknown", args: {}, error: "e" },
      ],
    ],
    "session.on_end": [
      ["sessionEnd", { reason: "done", duration_ms: 5 }, { reason: "done", elapsed_ms: 5 }],
    ],
    "child.pre_spawn": [
      [
        "subagentStart",
        { subagent_type: "shell", task: "x" },
        { child_config: { type: "shell", prompt: "x" }, parent_id: "c" },
      ],
      ["subagentStart", {}, { child_config: {} }],
    ],
    "child.post_run": [
      [
        "subagentStop",
        { subagent_id: "s", result: "r", duration: 9 },
        { child_id: "s", child_result: "r", elapsed_ms: 9 },
      ],
    ],
    "agent.pre_stop": [
      [
        "stop",
        { status: "completed", loop_count: 2 },
        { kind: "completed", stop_hook_active: true },
      ],
      ["stop", { loop_count: 0 }, { stop_hook_active: false }],
    ],
    "context.pre_compact": [["preCompact", { trigger: "manual" }, { trigger: "manual" }]],
    "host.pre_event": [
      [
        "afterShellExecution",
        { command: "ls" },
        { event: "afterShellExecution", tool_name: "exec" },
      ],
      ["afterMCPExecution", { tool_name: "q", tool_input: "{" }, { event: "afterMCPExecution" }],
      ["afterFileEdit", { file_path: "a" }, { tool_name: "edit", args: { path: "a" } }],
      ["beforeLunch", { tool_name: 5 }, { event: "beforeLunch", session_id: "c" }],
    ],
  };
  const rows = Object.entries(EVENTS).flatMap(([point, events]) =>
    events.map(([event, fields, payload]) => [event, fields, point, payload] as const),
  );
  it.each(rows)("%s %j", (event, fields, point, payload) => {
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
