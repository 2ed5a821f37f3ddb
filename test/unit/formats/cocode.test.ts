import { describe, expect, it } from "vitest";
import { cocodeProtocol as cocode } from "../../../src/formats/cocode.ts";
import { aborts, AFTER, callAt, EXEC, exit, http, told } from "./calls.ts";

describe("the cocode protocol", () => {
  it("sends HookContext as in the seed document", () => {
    expect(cocode.encode(EXEC)).toEqual({
      body: {
        event: "PreToolUse",
        tool_name: "exec",
        tool_input: { command: "ls" },
        tool_output: null,
        error: null,
        user_prompt: null,
        session_id: "s-1",
        agent_id: null,
        cwd: "/project/sub",
        env: {},
      },
      env: { HOOK_EVENT: "PreToolUse", HOOK_TOOL_NAME: "exec", HOOK_SESSION_ID: "s-1" },
    });
  });

  it.each([
    ["PostToolUse", { tool_name: "x", args: {}, result: [1] }, { tool_output: [1] }],
    ["PostToolUseFailure", { tool_name: "x", args: {}, error: "e" }, { error: "e" }],
    ["PrePromptSubmit", { prompt: "p", cwd: "/w" }, { user_prompt: "p", cwd: "/w" }],
    ["PostUserMessage", { prompt: "p" }, { user_prompt: "p", tool_name: null }],
    ["SessionStart", { session_id: "s" }, { session_id: "s" }],
    ["SessionEnd", {}, { session_id: "primary" }],
    ["SubagentStart", { child_id: "c" }, { agent_id: "c" }],
    ["SubagentStop", { child_id: "c" }, { agent_id: "c" }],
    ["PreCompact", {}, {}],
    ["NotificationEvent", {}, {}],
    ["StatusLine", {}, {}],
    ["FileSuggestion", {}, {}],
  ])("%s", (event, payload, fields) => {
    const { body, env } = cocode.encode(callAt(event, payload));
    expect(body).toMatchObject({ event, ...fields });
    expect(env["HOOK_EVENT"]).toBe(event);
    expect("HOOK_TOOL_NAME" in env).toBe("tool_name" in payload);
  });

  it("keeps names of points that cocode has no event for", () => {
    expect(cocode.encode(callAt("llm.pre_generate")).env["HOOK_EVENT"]).toBe("llm.pre_generate");
    const hosted = callAt("host.pre_event", { event: "Setup" });
    expect(cocode.encode(hosted).body).toMatchObject({ event: "Setup" });
  });

  const rewritten = { edits: [["payload.args", { command: "pwd" }]] };
  it.each([
    ['"Continue"', "goes on"],
    ["", "goes on"],
    ["all fine", "goes on"],
    ['{"Reject":{"reason":"no"}', "goes on"],
    ["null", "goes on"],
    ["{}", "goes on"],
    ['{"Unknown":{"reason":"no"}}', "goes on"],
    ['{"Reject":{"reason":"no"}}', aborts("no")],
    ['{"Reject":{}}', "failed answer open"],
    ['{"Reject":"no"}', "failed answer open"],
    ['{"ModifyInput":{"new_input":{"command":"pwd"}}}', rewritten],
    ['{"ModifyInput":{}}', "failed answer open"],
    ['{"__proto__":{"Reject":{"reason":"no"}}}', "goes on"],
  ])("result %s", (text, report) => {
    expect(told(exit(cocode, 0, text))).toEqual(report);
    expect(told(http(cocode, 200, text))).toEqual(report);
    expect(told(exit(cocode, 0, text, { parse: false }))).toBe("goes on");
  });

  it("a prompt can be modified", () => {
    const call = callAt("PrePromptSubmit", { prompt: "p" });
    const text = { ModifyInput: { new_input: "q" } };
    expect(told(exit(cocode, 0, text, { call }))).toEqual({ edits: [["payload.prompt", "q"]] });
  });

  it("a non-zero exit code or HTTP error rejects", () => {
    for (const code of [1, 2, 127]) {
      const words = { stderr: "boom\n" };
      expect(told(exit(cocode, code, '"Continue"', words))).toEqual(aborts("Hook failed: boom"));
    }
    expect(told(exit(cocode, 1, "", { parse: false }))).toEqual(aborts("Hook failed: "));
    expect(told(http(cocode, 503, '"Continue"'))).toEqual(aborts("Webhook failed: 503"));
  });

  it("rejecting after execution denies the result; at a notification it has no effect, with a note", () => {
    const reject = { Reject: { reason: "no" } };
    expect(told(exit(cocode, 0, reject, { call: AFTER }))).toEqual(aborts("no"));
    expect(told(exit(cocode, 1, "", { call: AFTER }))).toBe("failed answer open");
    expect(told(http(cocode, 503, "", AFTER))).toBe("failed answer open");
    expect(told(exit(cocode, 0, { ModifyInput: { new_input: {} } }, { call: AFTER }))).toBe(
      "failed answer open",
    );
    const failure = callAt("PostToolUseFailure", { tool_name: "x", args: {}, error: "e" });
    expect(told(exit(cocode, 0, reject, { call: failure }))).toBe("failed answer open");
  });

  it("continues on timeout", () => {
    expect(cocode.fails).toMatchObject({ timeout: "open", unreachable: "closed" });
  });
});
