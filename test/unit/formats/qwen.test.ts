import { describe, expect, it } from "vitest";
import { HANDLER_PROTOCOLS as AGENT_PROTOCOLS } from "../../../src/formats/handler-protocols.ts";
import { aborts, callAt, EXEC, exit } from "./calls.ts";

const { qwen } = AGENT_PROTOCOLS;

const WRITE = callAt("PreToolUse", { tool_name: "write", args: { path: "/a", content: "x" } });

describe("encoding calls for Qwen Code hooks", () => {
  it("a command, under Qwen Code's names, with the variables of its hooks", () => {
    const { body, env } = qwen.encode(EXEC);
    expect(body).toMatchObject({
      hook_event_name: "PreToolUse",
      tool_name: "run_shell_command",
      tool_input: { command: "ls" },
    });
    expect(env).toEqual({
      QWEN_PROJECT_DIR: "/project",
      CLAUDE_PROJECT_DIR: "/project",
      GEMINI_PROJECT_DIR: "/project",
    });
  });

  it.each([
    [WRITE, { tool_name: "write_file", tool_input: { file_path: "/a", content: "x" } }],
    [callAt("PermissionRequest", { command: "ls" }), { tool_name: "run_shell_command" }],
    [
      callAt("PreToolUse", { tool_name: "mcp__a__b", args: { path: 1 } }),
      { tool_name: "mcp__a__b", tool_input: { path: 1 } },
    ],
    [callAt("UserPromptSubmit", { prompt: "tidy" }), { prompt: "tidy" }],
  ])("$point.name", (call, fields) => {
    expect(qwen.encode(call).body).toMatchObject(fields);
  });
});

describe("responses of Qwen Code hooks", () => {
  it("exit code 2 denies with stderr", () => {
    expect(exit(qwen, 2, "", { stderr: "no" })).toMatchObject({ answer: aborts("no") });
  });

  it("changed arguments are read under our names", () => {
    const updatedInput = { file_path: "/b", content: "y" };
    const output = { hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput } };
    const report = exit(qwen, 0, output, { call: WRITE });
    expect(report).toMatchObject({
      edits: [{ path: ["payload", "args"], value: { path: "/b", content: "y" } }],
    });
  });
});
