import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect } from "vitest";
import type { HookContext } from "../../src/core/context.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { Orcs } from "../../src/engine/orcs/orcs.ts";
import { qwenHost } from "../../src/formats/qwen/host.ts";
import type { HostAnswer, HostOptions } from "../../src/formats/host-protocol.ts";
import { quickTest as it, repeatedTest, runCount } from "../slow-test.ts";
import { open } from "../unit/engine/orcs/engine.ts";
import { DENY, PASS, WISHES, wishing } from "./wishes.ts";
import { eachRow } from "./each-row.ts";
import { NOTICE } from "./noticed.ts";
import { faults, isRefusable, refuses } from "./qwen-answers.ts";
import { RECORDED, SENT, sent } from "./qwen-events.ts";

const UNKNOWN: JsonObject = { ...RECORDED[0], hook_event_name: "BeforeLunch", menu: ["soup"] };
const EVENTS = SENT.map((event) => [event["hook_event_name"] as string, event] as const);

describe("Qwen Code: the event table", () => {
  it("each event has a sample, and only one that can be denied is marked so", () => {
    const names = new Set(EVENTS.map(([name]) => name));
    expect(Object.keys(qwenHost.events).toSorted()).toEqual([...names].toSorted());
    for (const [event, row] of Object.entries(qwenHost.events)) {
      expect([event, row.refusable]).toEqual([event, isRefusable(event)]);
    }
  });
});

describe.each(Object.keys(WISHES))("Qwen Code: a hook with %s", (wish) => {
  let orcs: Orcs;
  beforeAll(async () => {
    orcs = await wishing(
      WISHES[wish],
      SENT.map((event) => qwenHost.decode(event).point),
    );
  });
  afterAll(async () => await orcs.close());

  it("at every event", async () => {
    await eachRow(EVENTS, async (event, received) => {
      const decoded = qwenHost.decode(received);
      const outcome = await orcs.dispatch(decoded.point, decoded.payload as never, {
        component: decoded.component,
        child: decoded.child,
      });
      for (const options of [DENY, PASS]) {
        const answer = qwenHost.encode(decoded, outcome, options);
        expect(faults(event, answer)).toEqual([]);
        // Without output, it would read the log on stderr as the response.
        if (answer.code === 0) expect(answer.output).toBeDefined();
        if (wish === "nothing") expect(answer).toEqual({ output: {}, code: 0, downgrades: [] });
        if (outcome.action === "abort") {
          expect(refuses(event, answer)).toBe(isRefusable(event));
          if (!isRefusable(event)) expect(answer.downgrades).not.toEqual([]);
        }
        const told = qwenHost.encode(decoded, outcome, { ...options, notice: NOTICE });
        expect(refuses(event, told)).toBe(refuses(event, answer));
        const line = event === "Stop" ? told.output?.["systemMessage"] : told.notice;
        if (told.code === 0) expect(line).toContain("are not active");
      }
    });
  });
});

/** The response to an event at which a hook adds text for the model, and the next one returns this. */
async function saidWith(
  inject: readonly string[],
  event: JsonObject,
  handler: (ctx: HookContext) => unknown,
  options = DENY,
): Promise<HostAnswer> {
  const decoded = qwenHost.decode(event);
  const first = () => (inject.length === 0 ? undefined : { action: "continue", inject });
  const handlers = { first, h: handler };
  const hooks = Object.entries(handlers).map(([id, each]) => ({
    id,
    point: decoded.point,
    handler: each as never,
  }));
  const orcs = await open({ config: false, hooks });
  const { point, payload, component, child } = decoded;
  const outcome = await orcs.dispatch(point, payload as never, { component, child });
  return qwenHost.encode(decoded, outcome, options);
}

const said = saidWith.bind(undefined, []);

describe("Qwen Code: output for a hook's result", () => {
  const reason = "denied by hook h: no";
  const specific = (hookEventName: string, words: JsonObject): JsonObject => ({
    hookSpecificOutput: { hookEventName, ...words },
  });

  it.each<[string, string, JsonObject, HostOptions?]>([
    [
      "PreToolUse",
      "abort",
      {
        ...specific("PreToolUse", {
          permissionDecision: "deny",
          permissionDecisionReason: reason,
        }),
        continue: false,
        stopReason: reason,
      },
    ],
    ["PreToolUse", "allow", {}],
    [
      "PreToolUse",
      "ask",
      specific("PreToolUse", { permissionDecision: "ask", permissionDecisionReason: "sure?" }),
    ],
    ["PreToolUse", "inject", {}],
    ["PostToolUse", "abort", { continue: false, stopReason: reason }],
    ["PostToolUse", "replace", { continue: false, stopReason: "other" }],
    ["PostToolUse", "inject", specific("PostToolUse", { additionalContext: "one\n\ntwo" })],
    ["UserPromptSubmit", "abort", { decision: "block", reason }],
    ["UserPromptSubmit", "ask", {}, PASS],
    ["Stop", "abort", { decision: "block", reason }],
    ["SubagentStop", "inject", { decision: "block", reason: "one\n\ntwo" }],
    ["SessionStart", "inject", specific("SessionStart", { additionalContext: "one\n\ntwo" })],
    [
      "PermissionRequest",
      "allow",
      specific("PermissionRequest", { decision: { behavior: "allow" } }),
    ],
    ["PermissionRequest", "ask", {}],
    [
      "PermissionRequest",
      "abort",
      specific("PermissionRequest", { decision: { behavior: "deny", message: reason } }),
    ],
    ["PreCompact", "abort", {}],
  ])("%s, %s", async (event, wish, output, options) => {
    const handler = WISHES[wish] as (ctx: HookContext) => unknown;
    expect((await said(sent(event), handler, options)).output).toEqual(output);
  });

  it("a rewritten call is denied, and the model reads the arguments under Qwen Code's keys", async () => {
    const answer = await said(sent("PreToolUse", "edit"), (ctx) => {
      const args = ctx.payload["args"] as Record<string, unknown>;
      expect(Object.keys(args)).toEqual(["path", "old_string", "new_string"]);
      args["new_string"] = "z";
      return undefined;
    });
    expect(refuses("PreToolUse", answer)).toBe(true);
    expect(answer.output?.["stopReason"]).toContain(
      '{"file_path":"/home/dev/project/w.txt","old_string":"x","new_string":"z"}',
    );
  });

  it("an approved request is rewritten under Qwen Code's keys", async () => {
    const call = { tool_name: "write_file", tool_input: { file_path: "/a", content: "x" } };
    const event = { ...sent("PermissionRequest"), ...call };
    const answer = await said(event, (ctx) => {
      (ctx.payload["args"] as Record<string, unknown>)["path"] = "/b";
      return { action: "continue", decision: "allow" };
    });
    const decision = { behavior: "allow", updatedInput: { file_path: "/b", content: "x" } };
    expect(answer.output).toEqual(specific("PermissionRequest", { decision }));
  });

  it("a masked result reaches the model as the text of its own, with what hooks add", async () => {
    const event = sent("PostToolUse", "run_shell_command");
    const answer = await saidWith(["look"], event, (ctx) => {
      const result = ctx.payload["result"] as Record<string, unknown>;
      const masked = { ...result, llmContent: [{ text: "MASKED" }, { text: "two" }] };
      return { action: "replace", result: masked };
    });
    expect(answer.output).toEqual({ continue: false, stopReason: "MASKED\ntwo\n\nlook" });
  });

  it("text for the model is in the reason of a denial", async () => {
    const answer = await saidWith(["look"], sent("PreToolUse"), WISHES["abort"] as never);
    expect(answer.output?.["stopReason"]).toBe(`${reason}\n\nlook`);
  });

  it("a result of a tool that is sent as a prompt is none", () => {
    const prompts = RECORDED.filter((each) => each["hook_event_name"] === "UserPromptSubmit");
    const points = prompts.map((each) => [each["prompt"], qwenHost.decode(each).point]);
    expect(points).toContainEqual(["do it", "prompt.pre_submit"]);
    expect(points).toContainEqual(["", "host.pre_event"]);
  });
});

describe("Qwen Code: an internal failure denies", () => {
  it.each([...Object.keys(qwenHost.events), "BeforeLunch"])("%s", (event) => {
    const answer = qwenHost.refuse(event, "ORCS1015: mistakes");
    const row = qwenHost.events[event];
    if (row) expect(faults(event, answer)).toEqual([]);
    expect(refuses(event, answer)).toBe(row ? row.refusable && row.passes !== true : true);
    expect(JSON.stringify(answer)).toContain("ORCS1015: mistakes");
  });

  it("an event of a newer version, by exit code", async () => {
    const answer = await said(UNKNOWN, WISHES["abort"] as never);
    expect(answer).toMatchObject({ code: 2, message: expect.stringContaining("no") as string });
  });
});

describe("Qwen Code: no event is misread", () => {
  it.each([
    [{}, "hook_event_name"],
    [{ ...sent("PreToolUse"), tool_name: 5 }, "tool_name"],
    [{ ...sent("PreToolUse"), tool_input: [1] }, "tool_input"],
    [{ ...sent("UserPromptSubmit"), prompt: 1 }, "prompt"],
    [{ ...sent("Stop"), session_id: null }, "session_id"],
  ])("%j is ORCS7001", (event, missing) => {
    expect(() => qwenHost.decode(event as JsonObject)).toThrow(
      expect.objectContaining({
        code: "ORCS7001",
        message: expect.stringMatching(`of qwen: ${missing}`) as string,
      }),
    );
  });

  repeatedTest("whatever is sent, the answer to it is one that it takes", async () => {
    const orcs = await open({
      config: false,
      hooks: [
        { id: "h", point: "tool.pre_execute", handler: () => ({ action: "abort", reason: "no" }) },
      ] as never,
    });
    const calls = fc.record({
      tool_name: fc.oneof(fc.constantFrom("edit", "monitor", "constructor"), fc.string()),
      tool_input: fc.dictionary(fc.string(), fc.jsonValue()),
    });
    await fc.assert(
      fc.asyncProperty(calls, async (call) => {
        const event = { ...sent("PreToolUse"), ...call };
        const decoded = qwenHost.decode(JSON.parse(JSON.stringify(event)) as JsonObject);
        const outcome = await orcs.dispatch(decoded.point, decoded.payload as never);
        const answer = qwenHost.encode(decoded, outcome, DENY);
        expect([faults("PreToolUse", answer), refuses("PreToolUse", answer)]).toEqual([[], true]);
      }),
      { numRuns: runCount(100) },
    );
  });
});
