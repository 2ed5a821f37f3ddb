import { describe, expect, it } from "vitest";
import { POINT_ALIASES } from "../../../src/core/point-table.ts";
import { HANDLER_PROTOCOLS as AGENT_PROTOCOLS } from "../../../src/formats/handler-protocols.ts";
import { CLAUDE_EVENT_FIELDS } from "../../../src/formats/claude-code/events.ts";
import { aborts, AFTER, callAt, EXEC, exit, goesOn, http, told } from "./calls.ts";

const { "claude-code": claude } = AGENT_PROTOCOLS;

const PROMPT = callAt("UserPromptSubmit", { prompt: "tidy" });
const START = callAt("SessionStart", {});
const STOP = callAt("Stop", { message: "done" });
const CHILD = callAt("SubagentStop", { child_id: "c" });
const FAILURE = callAt("PostToolUseFailure", { tool_name: "exec", args: {}, error: "e" });
const REQUEST = callAt("PermissionRequest", { tool_name: "exec", args: { command: "ls" } });
const COMMAND = callAt("PermissionRequest", { command: "ls" });

describe("encoding calls for Claude Code hooks", () => {
  it("a tool call has Claude Code's names", () => {
    expect(claude.encode(EXEC)).toEqual({
      body: {
        session_id: "s-1",
        transcript_path: "",
        cwd: "/project/sub",
        permission_mode: "default",
        hook_event_name: "PreToolUse",
        tool_name: "Bash",
        tool_input: { command: "ls" },
        tool_use_id: "",
      },
      env: { CLAUDE_PROJECT_DIR: "/project" },
    });
  });

  it.each([
    [AFTER, { hook_event_name: "PostToolUse", tool_response: { ok: true }, tool_name: "Bash" }],
    [FAILURE, { hook_event_name: "PostToolUseFailure", error: "e", is_interrupt: false }],
    [PROMPT, { hook_event_name: "UserPromptSubmit", prompt: "tidy" }],
    [START, { hook_event_name: "SessionStart", source: "startup", session_id: "primary" }],
    [STOP, { hook_event_name: "Stop", stop_hook_active: false, last_assistant_message: "done" }],
    [CHILD, { hook_event_name: "SubagentStop", agent_id: "c", stop_hook_active: false }],
    [REQUEST, { hook_event_name: "PermissionRequest", tool_name: "Bash" }],
    [COMMAND, { tool_name: "Bash", tool_input: { command: "ls" } }],
    [callAt("SessionEnd", {}), { hook_event_name: "SessionEnd", reason: "other" }],
    [callAt("PreCompact", { trigger: "manual" }), { trigger: "manual", custom_instructions: "" }],
    [callAt("Notification", { message: "m", kind: "k" }), { message: "m", notification_type: "k" }],
    [callAt("llm.pre_generate", {}), { hook_event_name: "llm.pre_generate" }],
  ])("$point.name", (call, fields) => {
    expect(claude.encode(call).body).toMatchObject(fields);
  });

  it("every event in the table is the alias of a point", () => {
    for (const event of Object.keys(CLAUDE_EVENT_FIELDS))
      expect(POINT_ALIASES).toHaveProperty(event);
  });

  // As Claude Code 2.1.197 sent them.
  const common = {
    session_id: "62a5",
    transcript_path: "/home/dev/.claude/projects/x.jsonl",
    cwd: "/home/dev/project",
    prompt_id: "2434",
    permission_mode: "plan",
    effort: { level: "high" },
  };
  it.each([
    {
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command: "git status --short", description: "status" },
      tool_use_id: "toolu_1",
    },
    {
      hook_event_name: "PostToolUse",
      tool_name: "Bash",
      tool_input: { command: "git status --short" },
      tool_response: { stdout: "?? note.txt", stderr: "", interrupted: false },
      tool_use_id: "toolu_1",
      duration_ms: 26,
    },
    {
      hook_event_name: "PostToolUseFailure",
      tool_name: "Bash",
      tool_input: { command: "exit 3" },
      tool_use_id: "toolu_2",
      error: "Exit code 3",
      is_interrupt: true,
      duration_ms: 6,
    },
    { hook_event_name: "UserPromptSubmit", prompt: "tidy the notes" },
    { hook_event_name: "SessionStart", source: "resume" },
    { hook_event_name: "SessionEnd", reason: "clear" },
    {
      hook_event_name: "Stop",
      stop_hook_active: true,
      last_assistant_message: "done",
      background_tasks: [],
    },
  ])("a recorded event is passed on unchanged: $hook_event_name", (event) => {
    const host = { ...common, ...event };
    const { tool_name, tool_input: args, tool_response: result, prompt } = host as never;
    const payload = { session_id: "62a5", tool_name, args, result, prompt, host };
    const ours = Object.entries({ ...payload }).filter(([, value]) => value !== undefined);
    const call = callAt(event.hook_event_name, Object.fromEntries(ours));
    expect(claude.encode(call).body).toEqual(host);
  });

  it("changes by hooks override the original event", () => {
    const host = {
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command: "ls" },
      permission_mode: "plan",
    };
    const call = callAt("PreToolUse", { tool_name: "exec", args: { command: "rm" }, host });
    expect(claude.encode(call).body).toMatchObject({
      tool_input: { command: "rm" },
      permission_mode: "plan",
    });
  });

  it("another agent's event gives only the common fields", () => {
    const host = { hook_event_name: "BeforeTool", transcript_path: "/t", mcp_context: {} };
    const body = claude.encode(callAt("PreToolUse", { tool_name: "x", args: {}, host })).body;
    expect(body).toMatchObject({ hook_event_name: "PreToolUse", transcript_path: "/t" });
    expect(body).not.toHaveProperty("mcp_context");
  });

  it("an event without a point has its original name and fields", () => {
    const host = { hook_event_name: "PostToolBatch", tool_calls: [1] };
    const call = callAt("host.pre_event", { event: "PostToolBatch", host });
    expect(claude.encode(call).body).toMatchObject({ ...host, session_id: "primary" });
  });
});

describe("decoding output of Claude Code hooks", () => {
  const specific = (
    words: Record<string, unknown>,
    hookEventName: string | null = "PreToolUse",
  ) => ({
    hookSpecificOutput: { ...(hookEventName !== null && { hookEventName }), ...words },
  });
  const args = (command: string) => ({ edits: [["payload.args", { command }]] });

  it.each<[unknown, unknown, typeof EXEC?]>([
    // nothing and text
    ["", "goes on"],
    ["all fine", "goes on"],
    ["[1]", "goes on"],
    ["look here", goesOn({ inject: "look here" }), PROMPT],
    ["{curly} text", goesOn({ inject: "{curly} text" }), PROMPT],
    ["look here\n", goesOn({ inject: "look here" }), START],
    ["look here", "goes on", STOP],
    ["look here", "goes on", AFTER],
    // no JSON, or none that Claude Code takes
    ['{"hookSpecificOutput":{"perm', "failed answer -"],
    ['{"decision":"block"}{"decision":"approve"}', "failed answer -"],
    ["{curly}", "failed answer -", PROMPT],
    [specific({ permissionDecision: "Deny" }), "failed answer closed"],
    [specific({ permissionDecision: "deny" }, "PostToolUse"), "failed answer closed"],
    [specific({ updatedInput: "ls" }), "failed answer -"],
    [{ decision: "deny" }, "failed answer closed"],
    [{ decision: "allow", message: "3 files are not committed" }, "failed answer -"],
    [{ continue: "no" }, "failed answer -"],
    [{ hookSpecificOutput: "deny" }, "failed answer -"],
    // what is passed over
    [{}, "goes on"],
    [{ suppressOutput: true, systemMessage: "hi", continue: true }, "goes on"],
    [{ decision: null, hookSpecificOutput: null }, "goes on"],
    [{ async: true, asyncTimeout: 5 }, "goes on"],
    ['{"__proto__":{"decision":"block"}}', "goes on"],
    // PreToolUse
    [specific({ permissionDecision: "deny", permissionDecisionReason: "no" }), aborts("no")],
    [specific({ permissionDecision: "deny" }, null), aborts("")],
    [specific({ permissionDecision: "allow" }), goesOn({ decision: "allow" })],
    [
      specific({ permissionDecision: "ask", permissionDecisionReason: "sure?" }),
      goesOn({ decision: "ask", reason: "sure?" }),
    ],
    [specific({ permissionDecision: "defer" }), goesOn({ decision: "defer" })],
    [specific({ updatedInput: { command: "pwd" } }), args("pwd")],
    [
      specific({ permissionDecision: "allow", updatedInput: { command: "pwd" } }),
      goesOn({ decision: "allow", ...args("pwd") } as never),
    ],
    [specific({ permissionDecision: "deny", updatedInput: { command: "pwd" } }), aborts("")],
    [specific({ additionalContext: "look" }), goesOn({ inject: ["look"] })],
    [{ decision: "approve", reason: "fine" }, goesOn({ decision: "allow", reason: "fine" })],
    [{ decision: "block", reason: "no" }, aborts("no")],
    [{ decision: "approve", ...specific({ permissionDecision: "deny" }) }, aborts("")],
    [{ continue: false, stopReason: "halt" }, aborts("halt")],
    [
      { continue: false, ...specific({ permissionDecision: "allow" }) },
      aborts("stopped by a hook"),
    ],
    [specific({ updatedToolOutput: "x" }), "failed answer -"],
    // PostToolUse
    [{ decision: "block", reason: "bad" }, aborts("bad"), AFTER],
    [
      {
        decision: "block",
        reason: "bad",
        ...specific({ additionalContext: "more" }, "PostToolUse"),
      },
      aborts("bad\n\nmore"),
      AFTER,
    ],
    [
      {
        decision: "block",
        reason: "bad",
        ...specific({ updatedToolOutput: { ok: false } }, "PostToolUse"),
      },
      aborts("bad"),
      AFTER,
    ],
    [
      specific({ updatedToolOutput: { ok: false } }, "PostToolUse"),
      { edits: [["payload.result", { ok: false }]] },
      AFTER,
    ],
    [specific({ updatedMCPToolOutput: 1 }, null), { edits: [["payload.result", 1]] }, AFTER],
    [specific({ updatedInput: {} }, null), "failed answer -", AFTER],
    [{ decision: "approve" }, "goes on", AFTER],
    [specific({ permissionDecision: "deny" }, "PostToolUse"), aborts(""), AFTER],
    [{ continue: false, stopReason: "halt" }, aborts("halt"), AFTER],
    // the others
    [{ decision: "block", reason: "no" }, aborts("no"), PROMPT],
    [
      specific({ additionalContext: "look" }, "UserPromptSubmit"),
      goesOn({ inject: ["look"] }),
      PROMPT,
    ],
    [{ decision: "block", reason: "go on" }, aborts("go on"), STOP],
    [{ continue: false, decision: "block", reason: "x" }, goesOn({ stop: true }), STOP],
    [{ decision: "block", reason: "go on" }, aborts("go on"), CHILD],
    [specific({ additionalContext: "look" }, "SessionStart"), goesOn({ inject: ["look"] }), START],
    [{ decision: "block", reason: "no" }, "failed answer open", START],
    // permission requests
    [
      specific({ decision: { behavior: "deny", message: "no" } }, "PermissionRequest"),
      aborts("no"),
      REQUEST,
    ],
    [
      specific({ decision: { behavior: "allow" } }, "PermissionRequest"),
      goesOn({ decision: "allow" }),
      REQUEST,
    ],
    [
      specific({ decision: { behavior: "allow", updatedInput: { command: "pwd" } } }, null),
      goesOn({ decision: "allow", ...args("pwd") } as never),
      REQUEST,
    ],
    [
      specific({ decision: { behavior: "allow", updatedInput: { command: "pwd" } } }, null),
      goesOn({ decision: "allow", edits: [["payload.command", "pwd"]] } as never),
      COMMAND,
    ],
    [specific({ decision: { behavior: "maybe" } }, null), "failed answer -", REQUEST],
  ])("exit 0 with %j", (stdout, report, call = EXEC) => {
    expect(told(exit(claude, 0, stdout, { call }))).toEqual(report);
    expect(told(http(claude, 200, stdout, call))).toEqual(report);
    expect(told(exit(claude, 0, stdout, { call, parse: false }))).toBe("goes on");
  });

  it("updatedInput is mapped from Claude Code's names", () => {
    const call = callAt("PreToolUse", { tool_name: "write", args: { path: "a", content: "x" } });
    const updatedInput = { file_path: "b", content: "x" };
    expect(told(exit(claude, 0, specific({ updatedInput }), { call }))).toEqual({
      edits: [["payload.args", { path: "b", content: "x" }]],
    });
  });

  it("exit code 2 blocks, in the way the event can be blocked, regardless of stdout", () => {
    const blocked = (call: typeof EXEC) =>
      told(exit(claude, 2, specific({ permissionDecision: "allow" }), { call, stderr: "no\n" }));
    for (const call of [EXEC, PROMPT, STOP, AFTER, CHILD]) {
      expect(blocked(call)).toEqual(aborts("no"));
    }
    for (const call of [FAILURE, START, REQUEST]) expect(blocked(call)).toBe("failed answer open");
  });

  it("other exit codes do not block, but the output counts", () => {
    for (const code of [1, 3, 126, 127, 137]) {
      expect(told(exit(claude, code, "text"))).toBe("failed error open");
      expect(told(exit(claude, code, '{"decision":"blo'))).toBe("failed error open");
      expect(told(exit(claude, code, { decision: "block", reason: "no" }))).toEqual(aborts("no"));
    }
  });

  it("an HTTP error, a timeout and an unreachable server do not block", () => {
    expect(told(http(claude, 500, { decision: "block" }))).toBe("failed error open");
    expect(claude.fails).toMatchObject({ timeout: "open", unreachable: "open" });
  });
});
