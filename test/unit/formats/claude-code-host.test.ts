import { describe, expect, it, test } from "vitest";
import type { Injection } from "../../../src/core/actions.ts";
import type { Json, JsonObject } from "../../../src/core/json.ts";
import type { Outcome, OutcomeAction } from "../../../src/core/outcome.ts";
import { HANDLER_PROTOCOLS as AGENT_PROTOCOLS } from "../../../src/formats/handler-protocols.ts";
import { claudeCodeHost as claude } from "../../../src/formats/claude-code/host.ts";
import type { DecodedEvent, HostAnswer, HostOptions } from "../../../src/formats/host-protocol.ts";
import { callAt, exit, told } from "./calls.ts";

const { "claude-code": claudeCodeProtocol } = AGENT_PROTOCOLS;

const COMMON = { session_id: "s-1", transcript_path: "/t", cwd: "/project" };
const DENY: HostOptions = { ask: "deny", rewrite: "refuse" };
const PASS: HostOptions = { ask: "pass", rewrite: "approve" };
const GOES_ON = { action: "continue" } as const;

const event = (hook_event_name: string, fields: JsonObject = {}): JsonObject => ({
  ...COMMON,
  hook_event_name,
  ...fields,
});
const tool = (name: string, tool_name: string, tool_input: JsonObject, more: JsonObject = {}) =>
  event(name, { tool_name, tool_input, tool_use_id: "t-1", ...more });
const bash = (name: string, more: JsonObject = {}) =>
  tool(name, "Bash", { command: "ls", timeout: 5, description: "list" }, more);

interface Came {
  readonly to?: OutcomeAction;
  /** Keys of the payload that hooks have changed. */
  readonly changed?: JsonObject;
  readonly inject?: readonly Injection[];
  readonly options?: HostOptions;
}

function answerTo(sent: JsonObject, came: Came = {}): HostAnswer {
  const decoded = claude.decode(sent);
  return claude.encode(decoded, outcomeOf(decoded, came), came.options ?? DENY);
}

function outcomeOf(
  { point, payload }: DecodedEvent,
  { to = GOES_ON, changed = {}, inject = [] }: Came,
): Outcome {
  const { ctx } = callAt(point, { ...payload, ...changed });
  return { ...to, ctx, inject };
}

const said = (answer: HostAnswer) => answer.output?.["hookSpecificOutput"];

describe("decoding Claude Code events", () => {
  test.each<[JsonObject, string, JsonObject]>([
    [
      bash("PreToolUse"),
      "tool.pre_execute",
      { tool_use_id: "t-1", session_id: "s-1", cwd: "/project" },
    ],
    [
      bash("PostToolUse", { tool_response: { stdout: "a" }, duration_ms: 7 }),
      "tool.post_execute",
      { result: { stdout: "a" }, elapsed_ms: 7 },
    ],
    [
      bash("PostToolUseFailure", { error: "e", duration_ms: 7 }),
      "tool.on_failure",
      { error: "e", elapsed_ms: 7 },
    ],
    [bash("PermissionRequest"), "auth.pre_check", { command: "ls", tool_name: "exec" }],
    [
      bash("PermissionDenied", { reason: "r" }),
      "host.pre_event",
      { event: "PermissionDenied", tool_name: "exec" },
    ],
    [event("UserPromptSubmit", { prompt: "tidy" }), "prompt.pre_submit", { prompt: "tidy" }],
    [
      event("SessionStart", { source: "resume", model: "m" }),
      "session.on_start",
      { source: "resume", model_name: "m" },
    ],
    [event("SessionEnd", { reason: "clear" }), "session.on_end", { reason: "clear" }],
    [
      event("Stop", { stop_hook_active: true, last_assistant_message: "done" }),
      "agent.pre_stop",
      { stop_hook_active: true, message: "done" },
    ],
    [
      event("SubagentStart", { agent_id: "a-1", agent_type: "Explore" }),
      "child.post_spawn",
      { child_id: "a-1", agent_id: "a-1", agent_type: "Explore" },
    ],
    [
      event("SubagentStop", { agent_id: "a-1", last_assistant_message: "found" }),
      "child.post_run",
      { child_id: "a-1", child_result: "found" },
    ],
    [event("PreCompact", { trigger: "auto" }), "context.pre_compact", { trigger: "auto" }],
    [event("PostCompact", { trigger: "auto" }), "context.post_compact", { trigger: "auto" }],
    [
      event("Notification", { message: "m", notification_type: "idle" }),
      "agent.on_notification",
      { message: "m", kind: "idle" },
    ],
    // Its own word `event` is not the event's name.
    [event("FileChanged", { event: "change" }), "host.pre_event", { event: "FileChanged" }],
    [event("BrandNew", { anything: [1] }), "host.pre_event", { event: "BrandNew" }],
    [event("pre_tool_use"), "host.pre_event", { event: "pre_tool_use" }],
    [event("__proto__"), "host.pre_event", { event: "__proto__" }],
  ])("%j", (sent, point, fields) => {
    const decoded = claude.decode(sent);
    expect(decoded.point).toBe(point);
    expect(decoded.payload).toMatchObject(fields);
    expect(decoded.component).toBe("agent::claude-code");
  });

  it("a PermissionRequest has a command if the tool runs one", () => {
    const sent = tool("PermissionRequest", "mcp__x__y", { command: "ls" });
    expect(claude.decode(sent).payload).not.toHaveProperty("command");
  });

  it("a subagent's call has the child", () => {
    expect(claude.decode(bash("PreToolUse", { agent_id: "a-7" })).child).toBe("a-7");
    expect(claude.decode(bash("PreToolUse")).child).toBeUndefined();
  });

  it("the timeout is that of Claude Code for the event", () => {
    const waits = ["PreToolUse", "UserPromptSubmit", "SessionEnd", "BrandNew"].map(
      (name) => claude.decode(bash(name, { prompt: "" })).timeoutMs,
    );
    expect(waits).toEqual([600_000, 30_000, 1_500, 600_000]);
  });

  it("a field of an unexpected type is only in payload.host", () => {
    const { payload } = claude.decode(bash("PostToolUseFailure", { error: 5, duration_ms: 1.5 }));
    expect(payload).not.toHaveProperty("error");
    expect(payload).not.toHaveProperty("elapsed_ms");
    expect(payload["host"]).toMatchObject({ error: 5, duration_ms: 1.5 });
  });

  test.each<[string, JsonObject, string]>([
    ["no name", { ...COMMON }, "hook_event_name is missing"],
    ["a number for a name", { ...COMMON, hook_event_name: 5 }, "hook_event_name is not"],
    ["no session", { hook_event_name: "Stop", cwd: "/" }, "session_id is missing"],
    ["no directory", { hook_event_name: "Stop", session_id: "s" }, "cwd is missing"],
    ["a directory that is none", { ...event("Stop"), cwd: null }, "cwd is not"],
    ["no tool", event("PreToolUse", { tool_input: {} }), "tool_name is missing"],
    ["no input", event("PreToolUse", { tool_name: "Bash" }), "tool_input is missing"],
    [
      "a text for input",
      event("PostToolUse", { tool_name: "Bash", tool_input: "ls" }),
      "tool_input is not",
    ],
    [
      "a list for input",
      event("PermissionRequest", { tool_name: "Bash", tool_input: [] }),
      "tool_input is not",
    ],
    ["no prompt", event("UserPromptSubmit"), "prompt is missing"],
    ["no agent", event("SubagentStop"), "agent_id is missing"],
    [
      "inherited names",
      JSON.parse(
        '{"__proto__":{"hook_event_name":"Stop","session_id":"s","cwd":"/"}}',
      ) as JsonObject,
      "hook_event_name is missing",
    ],
  ])("%s is rejected with ORCS7001", (_what, sent, why) => {
    expect(() => claude.decode(sent)).toThrow(
      expect.objectContaining({ code: "ORCS7001", message: expect.stringContaining(why) }),
    );
  });

  it("__proto__ and other special keys are data", () => {
    const json =
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"command":"ls"}';
    const sent = tool("PreToolUse", "Bash", JSON.parse(json) as JsonObject);
    const { payload } = claude.decode(sent);
    expect(JSON.stringify(payload["args"])).toBe(json);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    const args = JSON.parse(json.replace("ls", "true")) as JsonObject;
    const output = said(answerTo(sent, { changed: { args } })) as { updatedInput: Json };
    expect(JSON.stringify(output.updatedInput)).toBe(json.replace("ls", "true"));
  });
});

describe("encoding results for Claude Code", () => {
  const abort: OutcomeAction = { action: "abort", reason: "no", hook: "h" };
  const decided = (decision: "allow" | "ask" | "defer"): OutcomeAction => ({
    action: "continue",
    decision,
    reason: "r",
    hook: "h",
  });

  describe("rewrites", () => {
    const changed = { args: { command: "true", timeout_ms: 9 } };
    const updatedInput = { command: "true", timeout: 9 };

    it("of a call approve nothing", () => {
      expect(answerTo(bash("PreToolUse"), { changed })).toEqual({
        output: specific("PreToolUse", { updatedInput }),
        code: 0,
        downgrades: [],
      });
    });

    it("are sent with a decision, but not with a denial", () => {
      expect(said(answerTo(bash("PreToolUse"), { changed, to: decided("ask") }))).toMatchObject({
        permissionDecision: "ask",
        updatedInput,
      });
      expect(said(answerTo(bash("PreToolUse"), { changed, to: abort }))).not.toHaveProperty(
        "updatedInput",
      );
    });

    test.each<[string, OutcomeAction, HostOptions, JsonObject, number]>([
      ["with allow", decided("allow"), DENY, { behavior: "allow", updatedInput }, 0],
      ["approved as configured", GOES_ON, PASS, { behavior: "allow", updatedInput }, 1],
      ["refused", GOES_ON, DENY, { behavior: "deny" }, 1],
      ["which somebody is to be asked about", decided("ask"), PASS, { behavior: "deny" }, 1],
    ])("of a permission request, %s", (_which, to, options, decision, downgrades) => {
      const answer = answerTo(bash("PermissionRequest"), { changed, to, options });
      expect(said(answer)).toMatchObject({ decision });
      expect(answer.downgrades).toHaveLength(downgrades);
    });

    it("of a permission request's command change its input", () => {
      const answer = answerTo(bash("PermissionRequest"), {
        changed: { command: "true" },
        to: decided("allow"),
      });
      expect(said(answer)).toMatchObject({
        decision: { updatedInput: { command: "true", timeout: 5, description: "list" } },
      });
    });

    it("of a prompt are given to the model before other context", () => {
      const sent = event("UserPromptSubmit", { prompt: "tidy" });
      const answer = answerTo(sent, { changed: { prompt: "sweep" }, inject: ["mind the cat"] });
      expect(said(answer)).toEqual({
        hookEventName: "UserPromptSubmit",
        additionalContext: expect.stringMatching(/sweep\n\nmind the cat$/),
      });
      expect(answer.downgrades).toHaveLength(1);
    });

    test.each<[string, JsonObject]>([
      ["PreCompact", { custom_instructions: "x" }],
      ["Stop", { message: "x" }],
      ["PostToolUse", { args: {} }],
      ["SubagentStop", { child_result: "x" }],
    ])("at %s are logged as unsupported", (name, keys) => {
      const answer = answerTo(bash(name, { agent_id: "a" }), { changed: keys });
      expect(answer.output).toBeUndefined();
      expect(answer.downgrades).toEqual([expect.stringContaining(name)]);
    });
  });

  describe("a replaced result", () => {
    const ran = { stdout: "secret", stderr: "", interrupted: false, isImage: false };
    const file = { filePath: "/a", content: "secret", numLines: 1 };
    const blocks = [{ type: "text", text: "secret" }];
    test.each<[string, Json, Json, Json, number]>([
      ["a text of a command", ran, "***", { ...ran, stdout: "***" }, 0],
      ["a text of a picture", { ...ran, isImage: true }, "***", { ...ran, stdout: "***" }, 0],
      [
        "our own shape",
        ran,
        { ok: true, stdout: "***", stderr: "", code: 0 },
        { ...ran, stdout: "***", ok: true, code: 0 },
        0,
      ],
      ["one field of it", ran, { ...ran, stdout: "***" }, { ...ran, stdout: "***" }, 0],
      [
        "without the copy of what was hidden",
        { ...ran, persistedOutputPath: "/tmp/o", persistedOutputSize: 9 },
        { ...ran, stdout: "***", persistedOutputPath: "/tmp/o", persistedOutputSize: 9 },
        { ...ran, stdout: "***" },
        0,
      ],
      [
        "a text of a file",
        { type: "text", file },
        "***",
        { type: "text", file: { ...file, content: "***" } },
        0,
      ],
      ["a text of blocks", blocks, "***", [{ type: "text", text: "***" }], 0],
      ["an object for blocks", blocks, { a: 1 }, [{ type: "text", text: '{"a":1}' }], 0],
      ["blocks", blocks, [], [], 0],
      ["an object for a text", "secret", { a: 1 }, '{"a":1}', 0],
      ["a shape that is not the tool's", { filenames: ["a"], numFiles: 1 }, "***", "***", 1],
      [
        "a key that is missing",
        { filenames: ["a"], numFiles: 1 },
        { filenames: [] },
        { filenames: [] },
        1,
      ],
      ["of nothing", null, "x", "x", 0],
    ])("%s", (_what, tool_response, result, updatedToolOutput, downgrades) => {
      const answer = answerTo(bash("PostToolUse", { tool_response }), { changed: { result } });
      expect(said(answer)).toEqual({ hookEventName: "PostToolUse", updatedToolOutput });
      expect(answer.downgrades).toHaveLength(downgrades);
    });
  });

  it("a denied result, also by a hook failing closed, is replaced by the reason", () => {
    const tool_response = { stdout: "secret", stderr: "", interrupted: false };
    const to: OutcomeAction = { action: "abort", reason: "hook h failed: oh", hook: "h" };
    const answer = answerTo(bash("PostToolUse", { tool_response }), { to });
    const told = "denied by hook h: hook h failed: oh";
    expect(said(answer)).toEqual({
      hookEventName: "PostToolUse",
      updatedToolOutput: { stdout: told, stderr: "", interrupted: false },
    });
    expect(answer.output).toMatchObject({ systemMessage: told });
  });

  describe("injected text", () => {
    const inject = ["one", { content: "two", strategy: "user_message" } as const];

    it("keeps an agent from stopping once; a denial does so every time", () => {
      const again = event("Stop", { stop_hook_active: true });
      expect(answerTo(again, { inject }).output).toEqual({ systemMessage: "one\n\ntwo" });
      expect(answerTo(again, { inject, to: abort }).output).toMatchObject({
        decision: "block",
        hookSpecificOutput: { additionalContext: "one\n\ntwo" },
      });
    });

    it("makes a subagent continue, as does retry", () => {
      const sent = event("SubagentStop", { agent_id: "a" });
      const block = (reason: unknown) => ({
        output: { decision: "block", reason },
        code: 0,
        downgrades: [],
      });
      expect(answerTo(sent, { inject })).toEqual(block("one\n\ntwo"));
      expect(answerTo(sent, { to: retry() })).toEqual(block(expect.stringContaining("hook h")));
    });

    it("a Claude Code hook that blocks a subagent's end does so through orcs", () => {
      const decoded = claude.decode(event("SubagentStop", { agent_id: "a" }));
      const call = callAt(decoded.point, decoded.payload);
      const report = exit(
        claudeCodeProtocol,
        0,
        { decision: "block", reason: "test it" },
        { call },
      );
      const to = { ...(told(report) as { action: "abort"; reason: string }), hook: "h" };
      const outcome = outcomeOf(decoded, { to });
      expect(claude.encode(decoded, outcome, DENY).output).toEqual({
        decision: "block",
        reason: "denied by hook h: test it",
      });
    });
  });

  function retry(): OutcomeAction {
    return { action: "retry", delay_ms: 5, max_retries: 3, hook: "h" };
  }
  function specific(hookEventName: string, words: JsonObject): JsonObject {
    return { hookSpecificOutput: { hookEventName, ...words } };
  }
});

it("Claude Code hooks get the original tool name", () => {
  const { payload } = claude.decode(tool("PreToolUse", "NotebookEdit", { notebook_path: "/a" }));
  const call = callAt("PreToolUse", { ...payload, args: { path: "/b" } });
  expect(claudeCodeProtocol.encode(call).body).toMatchObject({
    tool_name: "NotebookEdit",
    tool_input: { notebook_path: "/b" },
  });
  const output = { hookSpecificOutput: { updatedInput: { notebook_path: "/c" } } };
  expect(told(exit(claudeCodeProtocol, 0, output, { call }))).toEqual({
    edits: [["payload.args", { path: "/c" }]],
  });
});
