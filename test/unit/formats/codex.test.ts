import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { HANDLER_PROTOCOLS as AGENT_PROTOCOLS } from "../../../src/formats/handler-protocols.ts";
import { aborts, AFTER, callAt, EXEC, exit, goesOn, http, told } from "./calls.ts";
import { codexEventOf, patchOf } from "./codex-events.ts";

const { codex } = AGENT_PROTOCOLS;

const PROMPT = callAt("UserPromptSubmit", { prompt: "tidy" });
const START = callAt("SessionStart", {});
const END = callAt("SessionEnd", {});
const STOP = callAt("Stop", { message: "done" });
const BORN = callAt("SubagentStart", { child_id: "c" });
const CHILD = callAt("SubagentStop", { child_id: "c" });
const COMPACT = callAt("PreCompact", {});
const REQUEST = callAt("PermissionRequest", { tool_name: "exec", args: { command: "ls" } });
const COMMAND = callAt("PermissionRequest", { command: "ls" });
const INTERRUPT = callAt("host.pre_event", { event: "Interrupt" });
const OTHER = callAt("llm.pre_generate", {});

describe("encoding calls for Codex hooks", () => {
  it("a tool call has Codex's names", () => {
    expect(codex.encode(EXEC)).toEqual({
      body: {
        session_id: "s-1",
        turn_id: "",
        transcript_path: null,
        cwd: "/project/sub",
        hook_event_name: "PreToolUse",
        model: "",
        permission_mode: "default",
        tool_name: "Bash",
        tool_input: { command: "ls" },
        tool_use_id: "",
      },
      env: {},
    });
  });

  it.each([
    [AFTER, { hook_event_name: "PostToolUse", tool_response: { ok: true }, tool_name: "Bash" }],
    [PROMPT, { hook_event_name: "UserPromptSubmit", prompt: "tidy" }],
    [START, { hook_event_name: "SessionStart", source: "startup", session_id: "primary" }],
    [END, { hook_event_name: "SessionEnd", reason: "other" }],
    [STOP, { stop_hook_active: false, last_assistant_message: "done" }],
    [BORN, { hook_event_name: "SubagentStart", agent_id: "c", agent_type: "default" }],
    [CHILD, { agent_id: "c", agent_transcript_path: null, last_assistant_message: null }],
    [COMPACT, { hook_event_name: "PreCompact", trigger: "auto" }],
    [REQUEST, { hook_event_name: "PermissionRequest", tool_name: "Bash" }],
    [COMMAND, { tool_name: "Bash", tool_input: { command: "ls" } }],
    [INTERRUPT, { hook_event_name: "Interrupt", turn_id: "" }],
    [OTHER, { hook_event_name: "llm.pre_generate" }],
  ])("$point.name", (call, fields) => expect(codex.encode(call).body).toMatchObject(fields));

  it("another agent's event gives only the fields that Codex knows", () => {
    const host = { ...codexEventOf("PreToolUse"), effort: "high", prompt_id: "p" };
    const { body } = codex.encode(callAt("PreToolUse", { tool_name: "exec", args: {}, host }));
    expect(body).toMatchObject({ turn_id: "t-1", model: "m", tool_input: {} });
    expect(Object.keys(body as JsonObject)).not.toContain("effort");
  });
});

describe("decoding output of Codex hooks", () => {
  const own = (words: Record<string, unknown>, hookEventName = "PreToolUse") => ({
    hookSpecificOutput: { hookEventName, ...words },
  });
  const open = "failed answer open";

  it.each<[unknown, unknown, typeof EXEC?]>([
    // nothing and text
    ["", "goes on"],
    ["fine", "goes on"],
    ["look", goesOn({ inject: "look" }), PROMPT],
    ["look", goesOn({ inject: "look" }), START],
    ["look", goesOn({ inject: "look" }), BORN],
    ["look", open, STOP],
    ["look", open, CHILD],
    ["look", open, INTERRUPT],
    ["look", "goes on", AFTER],
    ['{"decision":"blo', "goes on", END],
    // no JSON, or none that Codex takes
    ['{"decision":"blo', open],
    ["[1]", open],
    ["{half", open, PROMPT],
    [{ decision: "block", reason: "no", extra: 1 }, open],
    [own({ permissionDecision: "deny", permissionDecisionReason: "no", x: 1 }), open],
    [own({ permissionDecision: "Deny", permissionDecisionReason: "no" }), open],
    [{ hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "n" } }, open],
    [own({ permissionDecision: "deny", permissionDecisionReason: "no" }, "Stop"), open],
    [{ continue: null }, open],
    [{ systemMessage: 1 }, open],
    ['{"__proto__":{"decision":"block"}}', open],
    // passed over
    [{}, "goes on"],
    [{ systemMessage: "hi", continue: true, suppressOutput: false, stopReason: null }, "goes on"],
    [{ decision: null, reason: null, hookSpecificOutput: null }, "goes on"],
    // PreToolUse
    [own({ permissionDecision: "deny", permissionDecisionReason: " no " }), aborts("no")],
    [own({ permissionDecision: "deny" }), open],
    [own({ permissionDecision: "deny", permissionDecisionReason: "\u0085" }), open],
    [own({ permissionDecision: "ask", permissionDecisionReason: "sure?" }), open],
    [own({ permissionDecision: "allow" }), open],
    [own({ updatedInput: { command: "pwd" } }), open],
    [own({ permissionDecisionReason: "no" }), open],
    [
      own({ permissionDecision: "allow", updatedInput: { command: "pwd" } }),
      { ...goesOn({ decision: "allow" }), edits: [["payload.args", { command: "pwd" }]] },
    ],
    [own({ permissionDecision: "allow", updatedInput: { cmd: 1 } }), "failed answer closed"],
    [own({ permissionDecision: "allow", updatedInput: "pwd" }), "failed answer closed"],
    [own({ additionalContext: "look" }), goesOn({ inject: ["look"] })],
    [{ decision: "block", reason: "no" }, aborts("no")],
    [{ decision: "block", reason: " " }, open],
    [{ decision: "approve" }, open],
    [{ reason: "no" }, open],
    [{ continue: false }, open],
    [{ stopReason: "x" }, open],
    [{ suppressOutput: true }, open],
    // PermissionRequest
    [
      own({ decision: { behavior: "allow" } }, "PermissionRequest"),
      goesOn({ decision: "allow" }),
      REQUEST,
    ],
    [
      own({ decision: { behavior: "deny", message: "no" } }, "PermissionRequest"),
      aborts("no"),
      REQUEST,
    ],
    [
      own({ decision: { behavior: "deny" } }, "PermissionRequest"),
      aborts("denied by a hook"),
      REQUEST,
    ],
    [own({ decision: { message: "no" } }, "PermissionRequest"), open, REQUEST],
    [own({}, "PermissionRequest"), "goes on", REQUEST],
    [{ decision: "block", reason: "no" }, open, REQUEST],
    ...[{ updatedInput: {} }, { updatedPermissions: [] }, { interrupt: true }].map(
      (reserved): [unknown, unknown, typeof EXEC] => [
        own({ decision: { behavior: "allow", ...reserved } }, "PermissionRequest"),
        "failed answer closed",
        REQUEST,
      ],
    ),
    // PostToolUse
    [{ decision: "block", reason: "new" }, aborts("new"), AFTER],
    [
      { decision: "block", reason: "new", ...own({ additionalContext: "more" }, "PostToolUse") },
      aborts("new\n\nmore"),
      AFTER,
    ],
    [own({ updatedMCPToolOutput: {} }, "PostToolUse"), open, AFTER],
    [{ reason: "x" }, open, AFTER],
    [{ continue: false, stopReason: "halt" }, aborts("halt"), AFTER],
    // the others
    [{ decision: "block", reason: "no" }, aborts("no"), PROMPT],
    [{ continue: false, stopReason: "halt" }, aborts("halt"), PROMPT],
    [{ continue: false }, aborts("stopped by a hook"), COMPACT],
    [{ decision: "block", reason: "no" }, open, COMPACT],
    [{ decision: "block", reason: "go on" }, aborts("go on"), STOP],
    [{ continue: false, decision: "block", reason: "x" }, goesOn({ stop: true }), STOP],
    [{ decision: "block", reason: "go on" }, aborts("go on"), CHILD],
    [own({ additionalContext: "look" }, "SessionStart"), goesOn({ inject: ["look"] }), START],
    [{ continue: false }, open, START],
    [{ continue: false }, "goes on", BORN],
    [{ systemMessage: "hi" }, "goes on", INTERRUPT],
    [{ continue: true }, open, INTERRUPT],
    [{ decision: "block", reason: "no" }, aborts("no"), OTHER],
  ])("exit 0 with %j", (stdout, report, call = EXEC) => {
    expect(told(exit(codex, 0, stdout, { call }))).toEqual(report);
    expect(told(http(codex, 200, stdout, call))).toEqual(report);
    expect(told(exit(codex, 0, stdout, { call, parse: false }))).toBe("goes on");
  });

  it("a rewritten patch updates the paths", () => {
    const args = { path: ["a"], patch: patchOf("*** Add File: a") };
    const call = callAt("PreToolUse", { tool_name: "edit", args });
    const command = patchOf("*** Add File: b");
    const answer = own({ permissionDecision: "allow", updatedInput: { command } });
    expect(told(exit(codex, 0, answer, { call }))).toMatchObject({
      edits: [["payload.args", { path: ["b"], patch: command }]],
    });
  });

  it("exit code 2 blocks where Codex blocks, regardless of stdout", () => {
    const block = (call: typeof EXEC, stderr = " no\n") =>
      told(exit(codex, 2, { decision: "approve" }, { call, stderr }));
    const sent = callAt("bus.post_broadcast");
    for (const call of [EXEC, PROMPT, STOP, REQUEST, OTHER, AFTER, CHILD, BORN, sent])
      expect(block(call)).toEqual(aborts("no"));
    for (const call of [START, END, COMPACT, INTERRUPT]) {
      expect(block(call)).toBe("failed error open");
    }
    for (const call of [EXEC, AFTER, STOP]) expect(block(call, " \u0085")).toBe(open);
  });

  it("other exit codes, HTTP errors, timeouts and unreachable servers do not block", () => {
    for (const code of [1, 126, 127, 137]) {
      expect(told(exit(codex, code, { decision: "block", reason: "no" }))).toBe(
        "failed error open",
      );
    }
    expect(told(http(codex, 500, { decision: "block", reason: "no" }))).toBe("failed error open");
    expect(codex.fails).toMatchObject({ timeout: "open", unreachable: "open" });
  });
});
