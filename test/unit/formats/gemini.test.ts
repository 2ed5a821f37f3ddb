import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { HANDLER_PROTOCOLS as AGENT_PROTOCOLS } from "../../../src/formats/handler-protocols.ts";
import { geminiHost } from "../../../src/formats/gemini/host.ts";
import { aborts, callAt, EXEC, exit, GOES_ON, goesOn, http, told } from "./calls.ts";

const { gemini } = AGENT_PROTOCOLS;

const BEFORE = callAt("BeforeTool", {
  tool_name: "write",
  args: { path: "a", content: "x" },
  session_id: "s-1",
});
const AFTER = callAt("AfterTool", { tool_name: "exec", args: { command: "ls" }, result: "out" });
const PROMPT = callAt("BeforeAgent", { prompt: "tidy" });
const STOP = callAt("AfterAgent", { message: "done" });
const MODEL = callAt("BeforeModel", {
  prompt: "hi",
  model_name: "m",
  messages: [{ role: "user", content: "hi" }],
});
const ANSWERED = callAt("AfterModel", { prompt: "hi", response_text: "secret" });
const TOOLS = callAt("tool.on_list", { result: ["exec"] });
const START = callAt("SessionStart", {});
const COMPRESS = callAt("PreCompress", { trigger: "auto" });
const GRANT = callAt("PermissionRequest", { tool_name: "exec", command: "ls" });

describe("encoding calls for Gemini CLI hooks", () => {
  it("a tool call has Gemini CLI's names and variables", () => {
    expect(gemini.encode(BEFORE)).toEqual({
      body: {
        session_id: "s-1",
        transcript_path: "",
        cwd: "/project/sub",
        hook_event_name: "BeforeTool",
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
        tool_name: "write_file",
        tool_input: { file_path: "a", content: "x" },
      },
      env: {
        GEMINI_PROJECT_DIR: "/project",
        GEMINI_CWD: "/project/sub",
        GEMINI_SESSION_ID: "s-1",
        CLAUDE_PROJECT_DIR: "/project",
      },
    });
  });

  it.each([
    [
      AFTER,
      {
        hook_event_name: "AfterTool",
        tool_name: "run_shell_command",
        tool_response: { llmContent: "out", returnDisplay: "out" },
      },
    ],
    [PROMPT, { hook_event_name: "BeforeAgent", prompt: "tidy", session_id: "primary" }],
    [STOP, { hook_event_name: "AfterAgent", prompt_response: "done", stop_hook_active: false }],
    [START, { hook_event_name: "SessionStart", source: "startup" }],
    [callAt("SessionEnd", {}), { hook_event_name: "SessionEnd", reason: "other" }],
    [COMPRESS, { hook_event_name: "PreCompress", trigger: "auto" }],
    [
      callAt("Notification", { message: "m", kind: "k" }),
      { message: "m", notification_type: "k", details: {} },
    ],
    [
      MODEL,
      { llm_request: { model: "m", messages: [{ role: "user", content: "hi" }], config: {} } },
    ],
    [
      callAt("BeforeModel", { prompt: "new", messages: [{ role: "user", content: "old" }] }),
      { llm_request: { messages: [{ role: "user", content: "new" }] } },
    ],
    [
      ANSWERED,
      {
        llm_request: { messages: [{ role: "user", content: "hi" }] },
        llm_response: {
          text: "secret",
          candidates: [{ content: { role: "model", parts: ["secret"] } }],
        },
      },
    ],
    [TOOLS, { hook_event_name: "BeforeToolSelection", llm_request: { messages: [] } }],
    [GRANT, { hook_event_name: "auth.pre_check" }],
    [
      callAt("BeforeTool", { tool_name: "mcp__a__b", args: {} }),
      { tool_name: "mcp_a_b", mcp_context: { server_name: "a", tool_name: "b" } },
    ],
  ])("$point.name", (call, fields) => {
    expect(gemini.encode(call).body).toMatchObject(fields);
  });

  it("changes by hooks override the original event", () => {
    const host = {
      hook_event_name: "BeforeTool",
      tool_name: "read_file",
      tool_input: { file_path: "a" },
    };
    const { payload } = geminiHost.decode({ ...host, original_request_name: "o" });
    const body = gemini.encode(callAt("BeforeTool", { ...payload, args: { path: "b" } })).body;
    expect(body).toMatchObject({ tool_input: { file_path: "b" }, original_request_name: "o" });
  });

  it("another agent's event gives only the common fields", () => {
    const host = { hook_event_name: "PreToolUse", permission_mode: "plan", transcript_path: "/t" };
    const body = gemini.encode(callAt("BeforeTool", { tool_name: "x", args: {}, host })).body;
    expect(body).not.toHaveProperty("permission_mode");
  });
});

const own = (hookEventName: string, words: JsonObject) => ({
  hookSpecificOutput: { hookEventName, ...words },
});
const edits = (...pairs: [string, unknown][]) => ({ edits: pairs });

describe("decoding output of Gemini CLI hooks", () => {
  it.each<[unknown, unknown, typeof EXEC?]>([
    // nothing and text
    ["", "goes on"],
    ["all fine", "goes on"],
    ["[1]", "goes on"],
    ["true", "goes on"],
    ["looks fine", "goes on", PROMPT],
    [JSON.stringify(JSON.stringify({ decision: "deny", reason: "no" })), aborts("no")],
    // no JSON, or none that is an answer
    ['{"decision":"de', "failed answer -"],
    ['{"decision":"deny"}{"decision":"allow"}', "failed answer -"],
    [{ decision: "Deny" }, "failed answer closed"],
    [{ decision: "defer" }, "failed answer -"],
    [{ continue: "no" }, "failed answer -"],
    [{ reason: 1 }, "failed answer -"],
    [{ hookSpecificOutput: "deny" }, "failed answer -"],
    [own("BeforeTool", { tool_input: "ls" }), "failed answer -"],
    [own("AfterTool", { additionalContext: 1 }), "failed answer -", AFTER],
    [own("BeforeModel", { llm_request: { messages: "hi" } }), "failed answer -", MODEL],
    // what is passed over
    [{}, "goes on"],
    [{ suppressOutput: true, systemMessage: "hi", continue: true }, "goes on"],
    [{ decision: null, hookSpecificOutput: null }, "goes on"],
    ['{"__proto__":{"decision":"deny"}}', "goes on"],
    // allow approves nothing: Gemini CLI would still ask
    [{ decision: "allow" }, "goes on"],
    [{ decision: "approve", reason: "fine" }, "goes on"],
    // before a tool
    [{ decision: "deny", reason: "no" }, aborts("no")],
    [{ decision: "block", reason: "no" }, aborts("no")],
    [{ decision: "deny" }, aborts("No reason provided")],
    [{ decision: "ask", reason: "sure?" }, goesOn({ decision: "ask", reason: "sure?" })],
    [{ decision: "ask" }, "goes on", PROMPT],
    [{ continue: false, stopReason: "halt", decision: "allow" }, aborts("halt")],
    [{ continue: false, reason: "halt" }, aborts("halt")],
    [
      own("BeforeTool", { tool_input: { file_path: "b" } }),
      edits(["payload.args", { path: "b", content: "x" }]),
      BEFORE,
    ],
    [
      { decision: "ask", ...own("BeforeTool", { tool_input: { content: "y" } }) },
      { ...goesOn({ decision: "ask" }), ...edits(["payload.args", { path: "a", content: "y" }]) },
      BEFORE,
    ],
    [own("BeforeTool", { additionalContext: "look" }), "goes on"],
    [own("BeforeTool", { llm_response: {} }), "failed answer -"],
    // after a tool
    [{ decision: "deny", reason: "gone" }, aborts("gone"), AFTER],
    [{ decision: "block", reason: "gone" }, aborts("gone"), AFTER],
    [{ continue: false, stopReason: "halt" }, aborts("halt"), AFTER],
    [own("AfterTool", { additionalContext: "look" }), goesOn({ inject: ["look"] }), AFTER],
    [own("AfterTool", { tool_input: {} }), "failed answer -", AFTER],
    [own("AfterTool", { tailToolCallRequest: { name: "x", args: {} } }), "failed answer -", AFTER],
    // the agent
    [{ decision: "deny", reason: "no" }, aborts("no"), PROMPT],
    [own("BeforeAgent", { additionalContext: "look" }), goesOn({ inject: ["look"] }), PROMPT],
    [{ decision: "deny", reason: "go on" }, aborts("go on"), STOP],
    [{ decision: "deny", reason: "x", continue: false }, goesOn({ stop: true }), STOP],
    [own("AfterAgent", { clearContext: true }), "goes on", STOP],
    // the model
    [{ decision: "deny", reason: "no" }, aborts("no"), MODEL],
    [
      own("BeforeModel", { llm_request: { model: "n" } }),
      edits(["payload.model_name", "n"]),
      MODEL,
    ],
    [
      own("BeforeModel", { llm_request: { messages: [{ role: "user", content: "ho" }] } }),
      edits(["payload.messages", [{ role: "user", content: "ho" }]], ["payload.prompt", "ho"]),
      MODEL,
    ],
    [
      {
        decision: "deny",
        ...own("BeforeModel", {
          llm_response: { candidates: [{ content: { role: "model", parts: ["he", "re"] } }] },
        }),
      },
      { action: "skip", result: "here" },
      MODEL,
    ],
    [
      own("BeforeModel", { llm_response: { text: "here" } }),
      { action: "skip", result: "here" },
      MODEL,
    ],
    [
      own("AfterModel", { llm_response: { candidates: [{ content: { parts: ["[gone]"] } }] } }),
      edits(["payload.response_text", "[gone]"]),
      ANSWERED,
    ],
    [{ decision: "deny", reason: "cut" }, aborts("cut"), ANSWERED],
    // the tools to choose from
    [
      own("BeforeToolSelection", {
        toolConfig: { mode: "ANY", allowedFunctionNames: ["read_file", "x"] },
      }),
      { action: "replace", result: ["read", "x"] },
      TOOLS,
    ],
    [
      own("BeforeToolSelection", { toolConfig: { mode: "NONE" } }),
      { action: "replace", result: [] },
      TOOLS,
    ],
    [own("BeforeToolSelection", { toolConfig: { mode: "AUTO" } }), "goes on", TOOLS],
    [own("BeforeTool", { toolConfig: { mode: "NONE" } }), "failed answer -"],
    // where no refusal is heeded
    [{ decision: "deny", reason: "no" }, "failed answer open", START],
    [{ decision: "deny", reason: "no" }, "failed answer open", COMPRESS],
    [{ decision: "deny", reason: "no" }, "failed answer open", TOOLS],
    [own("SessionStart", { additionalContext: "look" }), goesOn({ inject: ["look"] }), START],
    // points that Gemini CLI has no event for
    [{ decision: "deny", reason: "no" }, aborts("no"), GRANT],
    [{ decision: "deny", reason: "no" }, aborts("no"), callAt("child.post_run", {})],
  ])("exit 0 with %j", (stdout, report, call = EXEC) => {
    expect(told(exit(gemini, 0, stdout, { call }))).toEqual(report);
    expect(told(http(gemini, 200, stdout, call))).toEqual(report);
    expect(exit(gemini, 0, stdout, { call, parse: false })).toEqual(GOES_ON);
    // An answer on stderr is as good where nothing is on stdout, with another code, too.
    if (typeof stdout === "object") {
      const stderr = JSON.stringify(stdout);
      expect(told(exit(gemini, 0, "", { call, stderr }))).toEqual(report);
      for (const code of [1, 3, 127]) {
        expect(told(exit(gemini, code, stdout, { call }))).toEqual(report);
      }
    }
  });

  it.each<[number, string, string, unknown]>([
    [2, "", "no\n", aborts("no")],
    [2, "log", "no", aborts("no")],
    [2, "no", "", aborts("no")],
    [2, "", "", aborts("No reason provided")],
    [2, '{"decision":"allow"}', "no", aborts("no")],
    [2, "", '{"decision":"deny","reason":"secret found"}', aborts("secret found")],
    [2, '{"continue":false,"stopReason":"halt"}', "no", aborts("halt")],
    [2, '{"decision":"de', "no", aborts("no")],
    [1, "trouble", "", "failed error open"],
    [1, "", "trouble", "failed error open"],
    [1, "", "", "failed error open"],
    [3, "no", "log", aborts("no")],
    [127, "", "sh: guard: not found", aborts("sh: guard: not found")],
    [3, "", "", "failed error open"],
  ])("exit %i with %j and %j", (code, stdout, stderr, report) => {
    expect(told(exit(gemini, code, stdout, { stderr }))).toEqual(report);
  });

  it("with parse_result false, exit code and stderr decide", () => {
    const run = (code: number, stderr: string) =>
      told(exit(gemini, code, '{"decision":"allow"}', { stderr, parse: false }));
    expect(run(2, "no")).toEqual(aborts("no"));
    expect(run(4, "no")).toEqual(aborts("no"));
    expect(run(1, "no")).toBe("failed error open");
    expect(run(4, "")).toBe("failed error open");
  });

  it("exit code 2 blocks in the way the event can be blocked", () => {
    const blocked = (call: typeof EXEC) => told(exit(gemini, 2, "", { call, stderr: "no" }));
    for (const call of [EXEC, PROMPT, STOP, MODEL, GRANT, AFTER, ANSWERED])
      expect(blocked(call)).toEqual(aborts("no"));
    for (const call of [START, COMPRESS, TOOLS]) expect(blocked(call)).toBe("failed answer open");
  });

  it("an HTTP error, a timeout and an unreachable server do not block", () => {
    expect(told(http(gemini, 500, { decision: "deny" }))).toBe("failed error open");
    expect(gemini.fails).toMatchObject({ timeout: "open", unreachable: "open" });
  });
});
