import * as fc from "fast-check";
import { describe, expect, it, onTestFinished, test } from "vitest";
import type { Injection } from "../../../src/core/actions.ts";
import { AGENT_TOOLS } from "../../../src/core/agent-tools.ts";
import { OrcsError } from "../../../src/core/errors.ts";
import type { Json, JsonObject } from "../../../src/core/json.ts";
import type { Outcome, OutcomeAction } from "../../../src/core/outcome.ts";
import { createOrcs } from "../../../src/engine/create-orcs.ts";
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
  test.each([
    ["Bash", { command: "ls", timeout: 5 }, "exec", { command: "ls", timeout_ms: 5 }],
    ["PowerShell", { command: "ls", timeout: 5 }, "exec", { command: "ls", timeout_ms: 5 }],
    [
      "Monitor",
      { command: "tail -f a", timeout_ms: 5 },
      "exec",
      { command: "tail -f a", timeout_ms: 5 },
    ],
    ["Read", { file_path: "/a", limit: 3 }, "read", { path: "/a", limit: 3 }],
    ["NotebookRead", { notebook_path: "/a" }, "read", { path: "/a" }],
    ["Write", { file_path: "/a", content: "x" }, "write", { path: "/a", content: "x" }],
    ["Edit", { file_path: "/a", old_string: "x" }, "edit", { path: "/a", old_string: "x" }],
    ["MultiEdit", { file_path: "/a", edits: [] }, "edit", { path: "/a", edits: [] }],
    [
      "NotebookEdit",
      { notebook_path: "/a", new_source: "" },
      "edit",
      { path: "/a", new_source: "" },
    ],
    ["Glob", { pattern: "*", path: "src" }, "glob", { pattern: "*", path: "src" }],
    ["Grep", { pattern: "x", "-A": 3 }, "grep", { pattern: "x", "-A": 3 }],
    ["LS", { path: "/a" }, "scan_dir", { path: "/a" }],
    ["WebFetch", { url: "https://a", prompt: "x" }, "http", { url: "https://a", prompt: "x" }],
    ["mcp__files__read", { file_path: "/a" }, "mcp__files__read", { file_path: "/a" }],
    ["WebSearch", { query: "x" }, "WebSearch", { query: "x" }],
    ["__proto__", { file_path: "/a" }, "__proto__", { file_path: "/a" }],
    // What the tool will read is what guards are shown.
    [
      "Read",
      { file_path: "/etc/passwd", path: "fine" },
      "read",
      { path: "/etc/passwd", file_path: "fine" },
    ],
  ])("the tool %s %j", (name, input, ours, args) => {
    const sent = tool("PreToolUse", name, input);
    const { payload } = claude.decode(sent);
    expect(payload).toMatchObject({ tool_name: ours, args });
    expect(payload["host"]).toBe(sent);
    const changed = { args: { ...args, note: 1 } };
    expect(said(answerTo(sent, { changed }))).toEqual({
      hookEventName: "PreToolUse",
      updatedInput: { ...input, note: 1 },
    });
  });

  it("the tool's name decides how its keys are mapped", () => {
    for (const [name, { tool: ours }] of Object.entries(AGENT_TOOLS["claude-code"])) {
      expect(claude.decode(tool("PreToolUse", name, {})).payload["tool_name"]).toBe(ours);
    }
  });

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

  it("any event is decoded to a valid payload, or rejected", async () => {
    const orcs = await createOrcs({ config: false });
    onTestFinished(() => orcs.close());
    const names = [...Object.keys(claude.events), "BrandNew", "__proto__"];
    const fields = ["prompt", "agent_id", "tool_name", "error", "duration_ms", "stop_hook_active"];
    const more = ["trigger", "message", "reason", "source", "tool_response", "__proto__", "event"];
    const any = fc.dictionary(fc.constantFrom(...fields, ...more), fc.jsonValue({ maxDepth: 2 }));
    const input = fc.oneof(fc.constant({ command: "ls" }), fc.jsonValue({ maxDepth: 2 }));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), any, input, async (name, found, tool_input) => {
        const sent = { ...event(name), tool_name: "Bash", tool_input, ...found } as JsonObject;
        let decoded: DecodedEvent;
        try {
          decoded = claude.decode(sent);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(OrcsError);
          expect((thrown as OrcsError).code).toBe("ORCS7001");
          return;
        }
        const { point, payload, component, child } = decoded;
        const outcome = await orcs.dispatch(point, payload, { component, child });
        expect(claude.encode(decoded, outcome as Outcome, DENY).output).toBeUndefined();
      }),
    );
  });
});

describe("encoding results for Claude Code", () => {
  const abort: OutcomeAction = { action: "abort", reason: "no", hook: "h" };
  const why = "denied by hook h: no";
  const decided = (decision: "allow" | "ask" | "defer"): OutcomeAction => ({
    action: "continue",
    decision,
    reason: "r",
    hook: "h",
  });

  test.each<[string, JsonObject]>([
    [
      "PreToolUse",
      specific("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: why }),
    ],
    [
      "PreModelSwitch",
      specific("PreModelSwitch", { permissionDecision: "deny", permissionDecisionReason: why }),
    ],
    [
      "PermissionRequest",
      specific("PermissionRequest", { decision: { behavior: "deny", message: why } }),
    ],
    ["Elicitation", { systemMessage: why, ...specific("Elicitation", { action: "decline" }) }],
    [
      "ElicitationResult",
      { systemMessage: why, ...specific("ElicitationResult", { action: "decline" }) },
    ],
    ...[
      "UserPromptSubmit",
      "UserPromptExpansion",
      "PreCompact",
      "ConfigChange",
      "PostToolBatch",
      "Stop",
    ].map((name): [string, JsonObject] => [name, { decision: "block", reason: why }]),
  ])("a denial of %s", (name, output) => {
    expect(answerTo(bash(name, { prompt: "p" }), { to: abort })).toEqual({
      output,
      code: 0,
      downgrades: [],
    });
  });

  test.each(["TeammateIdle", "TaskCreated", "TaskCompleted", "WorktreeCreate", "BrandNew"])(
    "a denial of %s is an exit code, and a body for HTTP",
    (name) => {
      const output = { decision: "block", reason: why };
      expect(answerTo(event(name), { to: abort })).toEqual({
        output,
        code: 2,
        message: why,
        downgrades: [],
      });
    },
  );

  test.each(["CwdChanged", "StopFailure", "PermissionDenied", "MessageDisplay"])(
    "a denial of %s is shown to the user",
    (name) => {
      const answer = answerTo(bash(name), { to: abort });
      expect(answer).toMatchObject({ output: { systemMessage: why }, code: 0 });
      expect(answer.downgrades).toEqual([expect.stringContaining(name)]);
    },
  );

  test.each<[string, "allow" | "ask" | "defer", HostOptions, JsonObject | undefined, number]>([
    ["PreToolUse", "allow", DENY, permitted("PreToolUse", "allow"), 0],
    ["PreToolUse", "ask", DENY, permitted("PreToolUse", "ask"), 0],
    ["PreToolUse", "defer", DENY, permitted("PreToolUse", "defer"), 0],
    ["PreModelSwitch", "ask", DENY, permitted("PreModelSwitch", "ask"), 0],
    [
      "PermissionRequest",
      "allow",
      DENY,
      specific("PermissionRequest", { decision: { behavior: "allow" } }),
      0,
    ],
    // It is about to ask the user.
    ["PermissionRequest", "ask", DENY, undefined, 0],
    ["UserPromptSubmit", "allow", DENY, undefined, 0],
    ["UserPromptSubmit", "ask", PASS, undefined, 1],
    ["CwdChanged", "allow", DENY, undefined, 0],
  ])("%s with %s, %j", (name, decision, options, output, downgrades) => {
    const answer = answerTo(bash(name, { prompt: "p" }), { to: decided(decision), options });
    expect(answer.output).toEqual(output);
    expect(answer.downgrades).toHaveLength(downgrades);
  });

  test.each<[string, "ask" | "defer", HostOptions]>([
    ["UserPromptSubmit", "ask", DENY],
    ["UserPromptSubmit", "defer", PASS],
    ["PreModelSwitch", "defer", PASS],
    ["PermissionRequest", "defer", PASS],
    ["ConfigChange", "ask", DENY],
  ])("%s with %s, %j is a denial with the reason", (name, decision, options) => {
    const answer = answerTo(bash(name, { prompt: "p" }), { to: decided(decision), options });
    expect(JSON.stringify(answer.output)).toMatch(/deny|block/);
    expect(JSON.stringify(answer.output)).toContain(decision);
    expect(answer.downgrades).toHaveLength(1);
  });

  test.each(["Stop", "TeammateIdle", "PostToolBatch", "CwdChanged"])(
    "ask at %s does not block",
    (name) => {
      const { output, code, downgrades } = answerTo(event(name), { to: decided("ask") });
      expect([Object.keys(output ?? {}), code, downgrades.length]).toEqual([
        ["systemMessage"],
        0,
        1,
      ]);
    },
  );

  test.each<[JsonObject, OutcomeAction, JsonObject]>([
    [
      event("WorktreeCreate"),
      skip("/w/fix"),
      specific("WorktreeCreate", { worktreePath: "/w/fix" }),
    ],
    [event("MessageDisplay"), skip("***"), specific("MessageDisplay", { displayContent: "***" })],
    [
      event("Elicitation"),
      skip({ a: 1 }),
      specific("Elicitation", { action: "accept", content: { a: 1 } }),
    ],
    [
      event("ElicitationResult"),
      skip({}),
      specific("ElicitationResult", { action: "accept", content: {} }),
    ],
    [bash("PermissionDenied"), retry(), specific("PermissionDenied", { retry: true })],
  ])("skip and replace where Claude Code accepts a result: %j %j", (sent, to, output) => {
    expect(answerTo(sent, { to })).toEqual({ output, code: 0, downgrades: [] });
  });

  it("skip of a tool call denies it and gives the model the result", () => {
    const answer = answerTo(bash("PreToolUse"), { to: skip({ stdout: "cached" }) });
    expect(said(answer)).toMatchObject({ permissionDecision: "deny" });
    expect(JSON.stringify(answer.output)).toContain("cached");
    expect(answer.downgrades).toHaveLength(1);
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

    test.each([
      "PreToolUse",
      "PostToolUse",
      "SessionStart",
      "Stop",
      "Notification",
      "SubagentStart",
    ])("%s passes it to the model", (name) => {
      const answer = answerTo(bash(name, { agent_id: "a" }), { inject });
      expect(answer).toMatchObject({
        output: specific(name, { additionalContext: "one\n\ntwo" }),
        downgrades: [],
      });
    });

    test.each(["PreCompact", "SessionEnd", "PermissionRequest", "CwdChanged", "BrandNew"])(
      "%s shows it to the user",
      (name) => {
        const answer = answerTo(bash(name), { inject });
        expect(answer.output).toEqual({ systemMessage: "one\n\ntwo" });
        expect(answer.downgrades).toHaveLength(1);
      },
    );

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

  function skip(result: Json): OutcomeAction {
    return { action: "skip", result, hook: "h" };
  }
  function retry(): OutcomeAction {
    return { action: "retry", delay_ms: 5, max_retries: 3, hook: "h" };
  }
  function specific(hookEventName: string, words: JsonObject): JsonObject {
    return { hookSpecificOutput: { hookEventName, ...words } };
  }
  function permitted(name: string, permissionDecision: string): JsonObject {
    return specific(name, { permissionDecision, permissionDecisionReason: "r" });
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
