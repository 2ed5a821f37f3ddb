import { describe, expect, it } from "vitest";
import { CURSOR_EVENTS } from "../../../src/formats/cursor/events.ts";
import { HANDLER_PROTOCOLS as AGENT_PROTOCOLS } from "../../../src/formats/handler-protocols.ts";
import { aborts, AFTER, callAt, EXEC, exit, GOES_ON, goesOn, http, told } from "./calls.ts";

const { cursor } = AGENT_PROTOCOLS;

const MCP = { tool_name: "mcp__github__create_issue", args: { title: "a" } };
const PROMPT = callAt("beforeSubmitPrompt", { prompt: "tidy" });
const START = callAt("SessionStart", {});
const STOP = callAt("Stop", {});
const SPAWN = callAt("child.pre_spawn", { child_config: { type: "shell", prompt: "x" } });
const CHILD = callAt("SubagentStop", { child_id: "c" });
const COMPACT = callAt("PreCompact", { trigger: "auto" });
const EDITED = callAt("host.pre_event", {
  event: "afterFileEdit",
  host: { hook_event_name: "afterFileEdit", file_path: "a" },
});
const AFTER_MCP = callAt("PostToolUse", { ...MCP, result: { ok: true } });
const SHELL = callAt("PreToolUse", {
  tool_name: "exec",
  args: { command: "ls" },
  host: { hook_event_name: "beforeShellExecution", command: "ls", cwd: "/w", sandbox: true },
});

describe("encoding calls for Cursor hooks", () => {
  it("a command, for preToolUse and beforeShellExecution", () => {
    expect(cursor.encode(EXEC)).toEqual({
      body: {
        conversation_id: "s-1",
        generation_id: "",
        model: "",
        hook_event_name: "preToolUse",
        cursor_version: "",
        workspace_roots: ["/project"],
        user_email: null,
        transcript_path: null,
        cwd: "/project/sub",
        tool_name: "Shell",
        tool_input: { command: "ls" },
        tool_use_id: "",
        command: "ls",
      },
      env: { CURSOR_PROJECT_DIR: "/project" },
    });
  });

  it.each([
    [
      callAt("PreToolUse", { tool_name: "read", args: { path: "a" } }),
      { tool_name: "Read", tool_input: { file_path: "a" }, file_path: "a" },
    ],
    [callAt("PreToolUse", MCP), { tool_name: "MCP:create_issue", tool_input: { title: "a" } }],
    [AFTER, { hook_event_name: "postToolUse", tool_output: '{"ok":true}' }],
    [
      callAt("PostToolUseFailure", { tool_name: "exec", args: {}, error: "e" }),
      { hook_event_name: "postToolUseFailure", error_message: "e", failure_type: "error" },
    ],
    [PROMPT, { hook_event_name: "beforeSubmitPrompt", prompt: "tidy", attachments: [] }],
    [START, { hook_event_name: "sessionStart", session_id: "primary" }],
    [callAt("SessionEnd", { reason: "done" }), { hook_event_name: "sessionEnd", reason: "done" }],
    [SPAWN, { hook_event_name: "subagentStart", subagent_type: "shell", prompt: "x" }],
    [CHILD, { hook_event_name: "subagentStop", status: "completed" }],
    [STOP, { hook_event_name: "stop", status: "completed", loop_count: 0 }],
    [callAt("Stop", { stop_hook_active: true }), { loop_count: 1 }],
    [COMPACT, { hook_event_name: "preCompact", trigger: "auto" }],
    [EDITED, { hook_event_name: "afterFileEdit", file_path: "a" }],
    [callAt("llm.pre_generate", {}), { hook_event_name: "llm.pre_generate" }],
  ])("$point.name", (call, fields) => {
    expect(cursor.encode(call).body).toMatchObject(fields);
  });

  it("changes by hooks override the original event, in its spelling", () => {
    const host = {
      hook_event_name: "preToolUse",
      tool_name: "StrReplace",
      tool_input: { path: "a", old_string: "x" },
      agent_message: "kept",
    };
    const args = { path: "b", old_string: "x" };
    const body = cursor.encode(callAt("PreToolUse", { tool_name: "edit", args, host })).body;
    expect(body).toMatchObject({
      tool_name: "StrReplace",
      tool_input: { path: "b", old_string: "x" },
      agent_message: "kept",
    });
  });

  it("another agent's event gives no extra fields", () => {
    const host = { hook_event_name: "PreToolUse", permission_mode: "plan", user_email: "a@b" };
    const { body, env } = cursor.encode(callAt("PreToolUse", { tool_name: "x", args: {}, host }));
    expect(body).not.toHaveProperty("permission_mode");
    expect(env).toEqual({ CURSOR_PROJECT_DIR: "/project" });
  });

  it("variables never have values that would prevent the process start", () => {
    const host = { hook_event_name: "stop", cursor_version: "1\0", user_email: 5 };
    expect(cursor.encode(callAt("Stop", { host })).env).toEqual({ CURSOR_PROJECT_DIR: "/project" });
  });
});

describe("exit codes of Cursor hooks", () => {
  it.each([
    [0, "", "", "goes on"],
    [0, " {} \n", "", "goes on"],
    [0, "not json", "", "failed answer -"],
    [0, "[]", "", "failed answer -"],
    [2, '{"permission":"allow"}', " no \n", aborts("no")],
    [2, "", "", aborts("denied by a hook, no reason given")],
    [1, '{"permission":"deny"}', "boom", "failed error open"],
    [127, "", "", "failed error open"],
  ])("exit code %i with %j", (code, stdout, stderr, expected) => {
    expect(told(exit(cursor, code, stdout, { stderr }))).toEqual(expected);
  });

  it.each([
    [PROMPT, aborts("no")],
    [SPAWN, aborts("no")],
    [SHELL, aborts("no")],
    // What has run: its result is withheld.
    [AFTER, aborts("no")],
    [CHILD, aborts("no")],
    // What Cursor does not stop for.
    [STOP, "failed answer open"],
    [COMPACT, "failed answer open"],
    [START, "failed answer open"],
    [EDITED, "failed answer open"],
    // What Cursor has no word for is ours.
    [callAt("bus.pre_broadcast", {}), aborts("no")],
  ])("exit code 2 at $point.name", (call, expected) => {
    expect(told(exit(cursor, 2, "", { call, stderr: "no" }))).toEqual(expected);
    const said = { permission: "deny", agent_message: "no" };
    expect(told(exit(cursor, 0, said, { call }))).toEqual(expected);
  });

  it("stdout is ignored if parse_result is false", () => {
    expect(exit(cursor, 0, '{"permission":"deny"}', { parse: false })).toEqual(GOES_ON);
    expect(told(exit(cursor, 2, "", { parse: false, stderr: "no" }))).toEqual(aborts("no"));
  });

  it("over HTTP, and without a response", () => {
    expect(told(http(cursor, 200, { permission: "deny", reason: "r" }))).toEqual(aborts("r"));
    expect(told(http(cursor, 500, { permission: "deny" }))).toBe("failed error open");
    expect(cursor.fails).toMatchObject({ timeout: "open", unreachable: "open" });
  });
});

describe("decoding output of Cursor hooks", () => {
  it.each<[object, unknown]>([
    [{ permission: "deny", user_message: "u", agent_message: "a" }, aborts("a")],
    [{ permission: "deny", user_message: "u" }, aborts("u")],
    [{ permission: "deny" }, aborts("")],
    // Older names, and both at once.
    [{ decision: "deny", reason: "r" }, aborts("r")],
    [{ permission: "deny", userMessage: "u", agentMessage: "a" }, aborts("a")],
    [{ continue: false, userMessage: "u" }, aborts("u")],
    [{ permission: "allow", decision: "deny" }, aborts("")],
    [{ decision: "allow", permission: "deny" }, aborts("")],
    [{ permission: "allow", continue: false }, aborts("")],
    [{ decision: "block", reason: "r" }, aborts("r")],
    [{ permission: "allow" }, goesOn({ decision: "allow" })],
    [{ decision: "approve", reason: "r" }, goesOn({ decision: "allow", reason: "r" })],
    [{ permission: "ask", user_message: "u" }, goesOn({ decision: "ask", reason: "u" })],
    [{ permission: "allow", decision: "ask" }, goesOn({ decision: "ask" })],
    [{ continue: true }, "goes on"],
    [{ permission: null, user_message: null }, "goes on"],
    [{ agent_message: "look" }, goesOn({ inject: ["look"] })],
    [{ additionalContext: "look" }, goesOn({ inject: ["look"] })],
    [
      { updated_input: { command: "pwd", working_directory: "/w" } },
      { edits: [["payload.args", { command: "pwd", cwd: "/w" }]] },
    ],
    [{ permission: "perhaps" }, "failed answer -"],
    [{ permission: true }, "failed answer -"],
    [{ continue: "no" }, "failed answer -"],
    [{ updated_input: "pwd" }, "failed answer -"],
    [{ updated_mcp_tool_output: "x" }, "failed answer -"],
    [{ permision: "deny" }, "failed answer -"],
    // Hooks that were written for Claude Code.
    [
      {
        continue: true,
        hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "c" },
      },
      aborts("c"),
    ],
    [{ permission: "deny", reason: "r", hookSpecificOutput: {} }, aborts("r")],
  ])("%j", (answer, expected) => {
    expect(told(exit(cursor, 0, answer))).toEqual(expected);
  });

  it.each([
    [PROMPT, { continue: false, user_message: "u" }, aborts("u")],
    [PROMPT, { continue: true }, "goes on"],
    [PROMPT, { updated_input: { prompt: "x" } }, "failed answer -"],
    [SPAWN, { permission: "ask", user_message: "u" }, aborts("u")],
    [SPAWN, { permission: "allow" }, goesOn({ decision: "allow" })],
    [STOP, { followup_message: "run the tests" }, aborts("run the tests")],
    [STOP, { followup_message: "" }, "goes on"],
    [STOP, { permission: "allow" }, "goes on"],
    [STOP, { continue: false }, "failed answer open"],
    [
      CHILD,
      { followup_message: "check" },
      goesOn({ inject: [{ content: "check", strategy: "user_message" }] }),
    ],
    [START, { additional_context: "c", env: { A: "1" } }, goesOn({ inject: ["c"] })],
    [COMPACT, { user_message: "u" }, "goes on"],
    [AFTER, { additional_context: "c" }, goesOn({ inject: ["c"] })],
    [AFTER, { permission: "allow" }, "goes on"],
    [AFTER, { updated_mcp_tool_output: "x" }, "failed answer -"],
    [AFTER, { updated_input: {} }, "failed answer -"],
    [AFTER_MCP, { updated_mcp_tool_output: { a: 1 } }, { edits: [["payload.result", { a: 1 }]] }],
    [callAt("PostToolUseFailure", MCP), { updated_mcp_tool_output: 1 }, "failed answer -"],
    [EDITED, {}, "goes on"],
  ])("$point.name: %j", (call, answer, expected) => {
    expect(told(exit(cursor, 0, answer, { call }))).toEqual(expected);
  });

  it("every event with a point round-trips", () => {
    for (const [event, { point }] of Object.entries(CURSOR_EVENTS)) {
      const call = callAt(point, { event, host: { hook_event_name: event } });
      expect(cursor.encode(call).body).toHaveProperty("hook_event_name", event);
    }
  });
});
