import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { HANDLER_PROTOCOLS as AGENT_PROTOCOLS } from "../../../src/formats/handler-protocols.ts";
import { aborts, AFTER, callAt, EXEC, exit, GOES_ON, goesOn, http, told } from "./calls.ts";

const { copilot } = AGENT_PROTOCOLS;

const PROMPT = callAt("UserPromptSubmit", { prompt: "tidy" });
const PERMISSION = callAt("PermissionRequest", { tool_name: "exec", args: { command: "ls" } });
const START = callAt("SessionStart", {});
const STOP = callAt("Stop", {});
const CHILD = callAt("SubagentStop", { child_id: "c", child_result: "done" });
const FAILED = callAt("PostToolUseFailure", { tool_name: "exec", args: {}, error: "e" });
const PATCHED = callAt("PreToolUse", { tool_name: "edit", args: { path: ["a"], patch: "*** x" } });

describe("encoding calls for Copilot CLI hooks", () => {
  it("a command, in both of its formats", () => {
    expect(copilot.encode(EXEC)).toEqual({
      body: {
        hook_event_name: "PreToolUse",
        sessionId: "s-1",
        session_id: "s-1",
        timestamp: 7,
        cwd: "/project/sub",
        toolName: "bash",
        tool_name: "Bash",
        toolArgs: { command: "ls" },
        tool_input: { command: "ls" },
      },
      env: { COPILOT_PROJECT_DIR: "/project", CLAUDE_PROJECT_DIR: "/project" },
    });
  });

  it.each([
    [PATCHED, { toolName: "edit", tool_name: "Edit", tool_input: "*** x", toolArgs: "*** x" }],
    [PERMISSION, { toolName: "bash", toolInput: { command: "ls" } }],
    [
      callAt("PreToolUse", { tool_name: "mcp__github__create_issue", args: { title: "a" } }),
      { toolName: "github-create_issue", tool_input: { title: "a" } },
    ],
    [AFTER, { tool_result: { result_type: "success", text_result_for_llm: '{"ok":true}' } }],
    [PROMPT, { hook_event_name: "UserPromptSubmit", prompt: "tidy" }],
    [START, { source: "new" }],
    [callAt("SessionEnd", { reason: "done" }), { reason: "done" }],
    [STOP, { stop_reason: "end_turn", stopReason: "end_turn", stop_hook_active: false }],
    [CHILD, { agent_id: "c", agentId: "c", last_assistant_message: "done", response: "done" }],
    [FAILED, { error: "e" }],
    [callAt("PreCompact", { trigger: "manual" }), { trigger: "manual" }],
    [callAt("llm.pre_generate", {}), { hook_event_name: "llm.pre_generate" }],
  ])("$point.name", (call, fields) => {
    expect(copilot.encode(call).body).toMatchObject(fields);
  });
});

describe("exit codes of Copilot CLI hooks", () => {
  it.each([
    [0, "", "", "goes on"],
    [0, " {} \n", "", "goes on"],
    [0, "not json", "", "goes on"],
    [0, "[]", "", "goes on"],
    [0, '{"permissionDecision":"deny"', "", "failed answer open"],
    [
      0,
      '{"type":"progress","message":"x"}\n{"permissionDecision":"deny"}',
      "",
      aborts("no reason provided"),
    ],
    [2, '{"permissionDecision":"allow"}', " no \n", aborts("no")],
    [2, '{"permissionDecision":"deny","permissionDecisionReason":"r"}', "no", aborts("r")],
    [2, "", "", aborts("hook exited with code 2")],
    [1, "", "boom", "failed error closed"],
    [127, "", "", "failed error closed"],
  ])("exit code %i with %j", (code, stdout, stderr, expected) => {
    expect(told(exit(copilot, code, stdout, { stderr }))).toEqual(expected);
  });

  it.each([
    [PERMISSION, 2, aborts("no")],
    [PERMISSION, 1, "failed error closed"],
    // Elsewhere code 2 is a warning, and any other is a failure without an effect.
    [PROMPT, 2, "goes on"],
    [PROMPT, 1, "failed error open"],
    [STOP, 2, "goes on"],
    [FAILED, 2, goesOn({ inject: ["no"] })],
  ])("at $point.name, %i", (call, code, expected) => {
    expect(told(exit(copilot, code, "", { call, stderr: "no" }))).toEqual(expected);
  });

  it("stdout is ignored if parse_result is false", () => {
    expect(exit(copilot, 0, '{"permissionDecision":"deny"}', { parse: false })).toEqual(GOES_ON);
    expect(told(exit(copilot, 2, "", { parse: false, stderr: "no" }))).toEqual(aborts("no"));
  });

  it("over HTTP, and without a response", () => {
    const deny = { permissionDecision: "deny", permissionDecisionReason: "r" };
    expect(told(http(copilot, 200, deny))).toEqual(aborts("r"));
    expect(told(http(copilot, 500, deny))).toBe("failed error open");
    expect(copilot.fails).toMatchObject({ timeout: "open", unreachable: "open" });
  });
});

describe("decoding output of Copilot CLI hooks", () => {
  it.each<[JsonObject, unknown]>([
    [{ permissionDecision: "allow" }, goesOn({ decision: "allow" })],
    [
      { permissionDecision: "ask", permissionDecisionReason: "sure?" },
      goesOn({ decision: "ask", reason: "sure?" }),
    ],
    [{ permissionDecision: "perhaps" }, "goes on"],
    [{ additionalContext: "look" }, goesOn({ inject: ["look"] })],
    [{ modifiedArgs: { command: "pwd" } }, { edits: [["payload.args", { command: "pwd" }]] }],
    [{ updatedInput: { command: "pwd" } }, { edits: [["payload.args", { command: "pwd" }]] }],
    [{ modifiedArgs: 5 }, "failed answer closed"],
    // As in the format that it shares with VS Code.
    [
      { hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "c" } },
      aborts("c"),
    ],
  ])("%j", (answer, expected) => {
    expect(told(exit(copilot, 0, answer))).toEqual(expected);
  });

  it.each([
    [PROMPT, { decision: "block", reason: "r" }, aborts("r")],
    [PROMPT, { modifiedPrompt: "x" }, { edits: [["payload.prompt", "x"]] }],
    [PROMPT, { handled: true, responseContent: "hi" }, { action: "skip", result: "hi" }],
    [PERMISSION, { behavior: "deny", message: "m" }, aborts("m")],
    [PERMISSION, { behavior: "allow" }, goesOn({ decision: "allow" })],
    [STOP, { decision: "block", reason: "go on" }, aborts("go on")],
    [CHILD, { decision: "block", reason: "check" }, goesOn({ inject: ["check"] })],
    [CHILD, { modifiedResponse: "x" }, { edits: [["payload.child_result", "x"]] }],
    [
      AFTER,
      { modifiedResult: { resultType: "success", textResultForLlm: "masked" } },
      { edits: [["payload.result", "masked"]] },
    ],
    [AFTER, { modifiedResult: "masked" }, "goes on"],
    [AFTER, { decision: "block", reason: "r" }, aborts("r")],
    [START, { additionalContext: "c" }, goesOn({ inject: ["c"] })],
  ])("$point.name, %j", (call, answer, expected) => {
    expect(told(exit(copilot, 0, answer, { call }))).toEqual(expected);
  });
});
