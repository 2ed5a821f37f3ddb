import { describe, expect, it } from "vitest";
import { massgenProtocol as massgen } from "../../../src/formats/massgen.ts";
import { aborts, AFTER, callAt, EXEC, exit, goesOn, http, told } from "./calls.ts";

describe("the MassGen protocol", () => {
  it("sends a HookEvent", () => {
    const payload = { ...EXEC.ctx.payload, agent_id: "a-1", host: { orchestrator_id: "o-1" } };
    const { body, env } = massgen.encode(callAt("PreToolUse", payload));
    expect(body).toEqual({
      hook_type: "PreToolUse",
      session_id: "s-1",
      orchestrator_id: "o-1",
      agent_id: "a-1",
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      tool_name: "exec",
      tool_input: { command: "ls" },
      tool_output: null,
    });
    expect(env).toEqual({
      MASSGEN_HOOK_TYPE: "PreToolUse",
      MASSGEN_TOOL_NAME: "exec",
      MASSGEN_SESSION_ID: "s-1",
      MASSGEN_ORCHESTRATOR_ID: "o-1",
      MASSGEN_AGENT_ID: "a-1",
    });
  });

  it("sends a result as text", () => {
    expect(massgen.encode(AFTER).body).toMatchObject({
      hook_type: "PostToolUse",
      tool_output: '{"ok":true}',
      orchestrator_id: "host::main",
      agent_id: null,
    });
    const text = callAt("PostToolUse", { tool_name: "x", args: {}, result: "out" });
    expect(massgen.encode(text).body).toMatchObject({ tool_output: "out" });
  });

  const inject = { content: "look", strategy: "user_message" };
  it.each([
    ["", "goes on"],
    ["{}", "goes on"],
    ['{"allowed":true}', "goes on"],
    ['{"allowed":false,"reason":"no"}', aborts("no")],
    ['{"allowed":false,"decision":"allow","reason":"no"}', aborts("no")],
    ['{"allowed":true,"decision":"deny","reason":"no"}', aborts("no")],
    ['{"decision":"deny"}', aborts("")],
    ['{"decision":"ask","reason":"sure?"}', goesOn({ decision: "ask", reason: "sure?" })],
    ['{"decision":"allow"}', "goes on"],
    ['{"updated_input":{"command":"pwd"}}', { edits: [["payload.args", { command: "pwd" }]] }],
    [`{"inject":${JSON.stringify(inject)}}`, goesOn({ inject })],
    ['{"inject":"look"}', goesOn({ inject: "look" })],
    [
      '{"allowed":true,"decision":"allow","reason":null,"updated_input":null,"inject":null}',
      "goes on",
    ],
    ['{"allowed":"no"}', "failed answer -"],
    ['{"allowed":0}', "failed answer -"],
    ['{"decision":"Deny"}', "failed answer closed"],
    ['{"updated_input":"rm"}', "failed answer -"],
    ['{"updated_input":[]}', "failed answer -"],
    ['{"alowed":false}', "failed answer -"],
    ['{"allowed":fal', "failed answer -"],
    ["blocked", "failed answer -"],
    ["[]", "failed answer -"],
    ['{"__proto__":{"allowed":false}}', "failed answer -"],
    ['{"allowed":true,"metrics":{"ms":3}}', "goes on"],
  ])("result %s", (text, report) => {
    expect(told(exit(massgen, 0, text))).toEqual(report);
    if (text !== "") expect(told(http(massgen, 200, text))).toEqual(report);
    expect(told(exit(massgen, 0, text, { parse: false }))).toBe("goes on");
  });

  it("after the tool, output can inject or deny the result", () => {
    const said = (text: unknown) => told(exit(massgen, 0, text, { call: AFTER }));
    expect(said({ decision: "allow", inject })).toEqual(goesOn({ inject }));
    expect(said({ allowed: false, reason: "no" })).toEqual(aborts("no"));
    expect(said({ decision: "deny", reason: "no" })).toEqual(aborts("no"));
    expect(said({ updated_input: {} })).toBe("failed answer -");
  });

  it("an error continues; a program that cannot start denies", () => {
    for (const code of [1, 2, 137]) {
      expect(told(exit(massgen, code, { allowed: false }))).toBe("failed error open");
    }
    for (const code of [126, 127]) {
      expect(told(exit(massgen, code, ""))).toBe("failed error closed");
      expect(told(exit(massgen, code, "", { call: AFTER }))).toBe("failed error -");
    }
    expect(told(http(massgen, 500, "{}"))).toBe("failed error open");
    expect(told(http(massgen, 200, ""))).toBe("failed answer -");
    expect(massgen.fails).toMatchObject({ timeout: "open", unreachable: "closed" });
  });
});
