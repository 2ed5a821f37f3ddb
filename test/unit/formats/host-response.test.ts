import type { HookEvent } from "@anthropic-ai/claude-agent-sdk";
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/json.ts";
import type { HookReport } from "../../../src/core/hook.ts";
import { HANDLER_PROTOCOLS as AGENT_PROTOCOLS } from "../../../src/formats/handler-protocols.ts";
import { claudeCodeHost } from "../../../src/formats/claude-code/host.ts";
import { CLAUDE_FIELDS } from "../../../src/formats/claude-code/events.ts";
import type { HandlerCall, HandlerProtocol } from "../../../src/formats/handler-protocol.ts";
import type { HostAnswer, HostProtocol } from "../../../src/formats/host-protocol.ts";
import { HOSTS } from "../../../src/formats/hosts.ts";
import { SYNTHETIC } from "../../contract/claude-code-events.ts";
import { open } from "../engine/orcs/engine.ts";
import { callAt } from "./calls.ts";

const {
  "claude-code": claudeCodeProtocol,
  codex: codexProtocol,
  cursor: cursorProtocol,
  gemini: geminiProtocol,
} = AGENT_PROTOCOLS;

const OPTIONS = { ask: "deny", rewrite: "refuse" } as const;
const sentAt = (event: HookEvent): JsonObject =>
  structuredClone(SYNTHETIC[event]) as unknown as JsonObject;

/** What Claude Code gets for an event from Lua hooks at its point. */
async function answered(event: HookEvent, ...lua: string[]): Promise<HostAnswer> {
  const decoded = claudeCodeHost.decode(sentAt(event));
  const hooks = lua.map((handler_inline, i) => ({
    id: `h${i}`,
    point: decoded.point,
    handler_inline,
  }));
  const orcs = await open({ config: { hooks } });
  const { point, payload, component, child } = decoded;
  const outcome = await orcs.dispatch(point, payload, { component, child });
  return claudeCodeHost.encode(decoded, outcome, OPTIONS);
}

describe("a hook sets a field of the response", () => {
  test("in TypeScript", async () => {
    const orcs = await open();
    orcs.hook({
      id: "t",
      point: "session.on_start",
      handler: ({ payload }) => {
        payload["host_response"] = { sessionTitle: "tidy", watchPaths: ["/a"] };
      },
    });
    const decoded = claudeCodeHost.decode(sentAt("SessionStart"));
    const { point, payload, component } = decoded;
    const outcome = await orcs.dispatch(point, payload, { component });
    expect(claudeCodeHost.encode(decoded, outcome, OPTIONS).output).toEqual({
      hookSpecificOutput: {
        hookEventName: "SessionStart",
        sessionTitle: "tidy",
        watchPaths: ["/a"],
      },
    });
  });

  test("together with a denial", async () => {
    const answer = await answered(
      "UserPromptSubmit",
      'ctx.payload.host_response = { suppressOriginalPrompt = true } return orcs.deny("secret")',
    );
    expect(answer).toMatchObject({ code: 0, downgrades: [] });
    expect(answer.output).toEqual({
      decision: "block",
      reason: "denied by hook h0: secret",
      hookSpecificOutput: { hookEventName: "UserPromptSubmit", suppressOriginalPrompt: true },
    });
  });

  test("a later hook adds to the fields of an earlier one", async () => {
    const { output } = await answered(
      "SessionStart",
      'ctx.payload.host_response = { sessionTitle = "a" }',
      "ctx.payload.host_response.reloadSkills = true",
    );
    expect(output).toMatchObject({
      hookSpecificOutput: { sessionTitle: "a", reloadSkills: true },
    });
  });

  test.each([
    ["allow", 'return { decision = "allow" }', "allow"],
    ["deny", 'return orcs.deny("no")', "deny"],
  ] as const)("at a permission request: %s", async (_title, returned, behavior) => {
    const { output, downgrades } = await answered(
      "PermissionRequest",
      `ctx.payload.host_response = { interrupt = true, updatedPermissions = { { type = "addRules" } } } ${returned}`,
    );
    const isAllowed = behavior === "allow";
    const decision = isAllowed
      ? { behavior, updatedPermissions: [{ type: "addRules" }] }
      : { behavior, message: "denied by hook h0: no", interrupt: true };
    expect(output).toMatchObject({ hookSpecificOutput: { decision } });
    const unsent = isAllowed ? "interrupt: it is only" : "updatedPermissions: it is only";
    expect(downgrades).toEqual([expect.stringContaining(`host_response.${unsent}`)]);
  });

  test("rules are not changed by a rewrite that only the configuration approves", async () => {
    const decoded = claudeCodeHost.decode(sentAt("PermissionRequest"));
    const orcs = await open({
      config: {
        hooks: [
          {
            id: "h",
            point: decoded.point,
            handler_inline:
              'ctx.payload.args.command = "true" ctx.payload.host_response = { updatedPermissions = { {} } }',
          },
        ],
      },
    });
    const { point, payload, component } = decoded;
    const outcome = await orcs.dispatch(point, payload, { component });
    const answer = claudeCodeHost.encode(decoded, outcome, { ask: "deny", rewrite: "approve" });
    expect(JSON.stringify(answer.output)).toContain('"behavior":"allow"');
    expect(JSON.stringify(answer.output)).not.toContain("updatedPermissions");
  });

  test("a stop is not turned into its opposite", async () => {
    const { output, downgrades } = await answered(
      "Stop",
      'ctx.payload.host_response = { ["continue"] = false } return orcs.deny("tests fail")',
    );
    expect(output).toEqual({ decision: "block", reason: "denied by hook h0: tests fail" });
    expect(downgrades).toEqual([
      "host_response.continue: it is only sent if no hook makes the agent continue, so it is not sent",
    ]);
  });

  test("a response by exit code has no fields", async () => {
    const answer = await answered(
      "TaskCreated",
      'ctx.payload.host_response = { suppressOutput = true } return orcs.deny("no")',
    );
    expect(answer.code).toBe(2);
    expect(JSON.stringify(answer.output)).not.toContain("suppressOutput");
    expect(answer.downgrades).toEqual([expect.stringContaining("by exit code")]);
  });

  test("a notice stays in the response", () => {
    const decoded = claudeCodeHost.decode(sentAt("Notification"));
    const payload = { ...decoded.payload, host_response: { terminalSequence: "\u0007" } };
    const ctx = { ...callAt(decoded.point, payload).ctx, component_id: decoded.component };
    const outcome = { ctx, inject: [], action: "continue" } as const;
    const { output } = claudeCodeHost.encode(decoded, outcome, { ...OPTIONS, notice: "look" });
    expect(output).toEqual({ systemMessage: "orcs: look", terminalSequence: "\u0007" });
  });

  test("on Gemini CLI, what its user is shown is not suppressed", async () => {
    const gemini = await HOSTS.gemini.load();
    const decoded = gemini.decode({
      hook_event_name: "Notification",
      session_id: "s",
      cwd: "/p",
      notification_type: "ToolPermission",
      message: "m",
      details: {},
    });
    const payload = { ...decoded.payload, host_response: { suppressOutput: true } };
    const { ctx } = callAt(decoded.point, payload);
    const outcome = { ctx, inject: [], action: "continue" } as const;
    const told = gemini.encode(decoded, outcome, { ...OPTIONS, notice: "look" });
    expect(told.output).toEqual({ systemMessage: "orcs: look" });
    expect(gemini.encode(decoded, outcome, OPTIONS).output).toEqual({ suppressOutput: true });
  });
});

describe("a handler that speaks the agent's protocol returns a field", () => {
  /** A call of a handler for an event of an agent. */
  function callOf(host: HostProtocol, sent: JsonObject, more: JsonObject = {}): HandlerCall {
    const decoded = host.decode(sent);
    const call = callAt(decoded.point, { ...decoded.payload, ...more });
    return { ...call, ctx: { ...call.ctx, component_id: decoded.component } };
  }
  const reportOf = (protocol: HandlerProtocol, answer: Json, call: HandlerCall): HookReport =>
    protocol.readExit({ code: 0, stdout: JSON.stringify(answer), stderr: "" }, call, true);
  const fieldsIn = (report: HookReport): Json | undefined =>
    "edits" in report
      ? report.edits.find(({ path }) => path.join(".") === "payload.host_response")?.value
      : undefined;

  const SAMPLES: Readonly<Record<string, Json>> = {
    boolean: true,
    string: "text",
    strings: ["/a"],
    object: {},
    objects: [{}],
  };

  test.each(
    CLAUDE_FIELDS.settable.flatMap((row) =>
      row.at.map((event) => [row.field, event, row] as const),
    ),
  )("Claude Code: %s at %s", (field, event, { kind, place }) => {
    const value = typeof kind === "string" ? (SAMPLES[kind] ?? null) : (kind[0] ?? null);
    const specific = { hookEventName: event, ...(place.length === 1 && { [field]: value }) };
    const behavior = field === "interrupt" ? "deny" : "allow";
    const answer = {
      ...(place.length === 0 && { [field]: value }),
      hookSpecificOutput:
        place.length === 2 ? { ...specific, decision: { behavior, [field]: value } } : specific,
    };
    const report = reportOf(claudeCodeProtocol, answer, callOf(claudeCodeHost, sentAt(event)));
    expect(fieldsIn(report)).toEqual({ [field]: value });
  });

  test("with what earlier hooks have set", () => {
    const call = callOf(claudeCodeHost, sentAt("SessionStart"), {
      host_response: { sessionTitle: "a", reloadSkills: true },
    });
    const answer = { hookSpecificOutput: { hookEventName: "SessionStart", sessionTitle: "b" } };
    expect(fieldsIn(reportOf(claudeCodeProtocol, answer, call))).toEqual({
      sessionTitle: "b",
      reloadSkills: true,
    });
  });

  test("and a decision is no field", () => {
    const call = callOf(claudeCodeHost, sentAt("Elicitation"));
    for (const answer of [
      { continue: true, decision: "approve" },
      { hookSpecificOutput: { hookEventName: "Elicitation", action: "accept", content: {} } },
      { suppressOutput: null },
    ]) {
      expect(fieldsIn(reportOf(claudeCodeProtocol, answer, call))).toBeUndefined();
    }
  });

  test("for another agent, or none, it means nothing", async () => {
    const answer = { suppressOutput: true };
    const codex = await HOSTS.codex.load();
    const sent = {
      hook_event_name: "Stop",
      session_id: "s",
      turn_id: "t",
      transcript_path: null,
      cwd: "/p",
      model: "m",
      permission_mode: "default",
      stop_hook_active: false,
      last_assistant_message: null,
    };
    expect(fieldsIn(reportOf(claudeCodeProtocol, answer, callOf(codex, sent)))).toBeUndefined();
    expect(fieldsIn(reportOf(claudeCodeProtocol, answer, callAt("Stop", {})))).toBeUndefined();
    const stop = { continue: false, stopReason: "budget" };
    expect(fieldsIn(reportOf(codexProtocol, stop, callOf(codex, sent)))).toEqual(stop);
  });

  test("Gemini CLI: a call of another tool, and only at its event", async () => {
    const gemini = await HOSTS.gemini.load();
    const common = { session_id: "s", cwd: "/p", tool_name: "read_file", tool_input: {} };
    const tailToolCallRequest = { name: "run_shell_command", args: { command: "ls" } };
    const answer = { hookSpecificOutput: { tailToolCallRequest } };
    const after = { ...common, hook_event_name: "AfterTool", tool_response: { llmContent: "x" } };
    const report = reportOf(geminiProtocol, answer, callOf(gemini, after));
    expect(fieldsIn(report)).toEqual({ tailToolCallRequest });
    const before = { ...common, hook_event_name: "BeforeTool" };
    expect(reportOf(geminiProtocol, answer, callOf(gemini, before))).toMatchObject({
      failure: { message: expect.stringContaining("where it has no effect") as string },
    });
  });

  test("Cursor: variables of the session", async () => {
    const cursor = await HOSTS.cursor.load();
    const sent = {
      hook_event_name: "sessionStart",
      conversation_id: "c",
      generation_id: "g",
      session_id: "s",
      model: "m",
      cursor_version: "2.4",
      workspace_roots: ["/p"],
      user_email: null,
      transcript_path: null,
      is_background_agent: false,
    };
    const report = reportOf(cursorProtocol, { env: { A: "b" } }, callOf(cursor, sent));
    expect(fieldsIn(report)).toEqual({ env: { A: "b" } });
  });
});
