import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect } from "vitest";
import type { HookContext } from "../../src/core/context.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { getOwn } from "../../src/core/json.ts";
import { POINT_TABLE } from "../../src/core/point-table.ts";
import type { Orcs } from "../../src/engine/orcs/orcs.ts";
import { COPILOT_EVENTS } from "../../src/formats/copilot/events.ts";
import { copilotHost } from "../../src/formats/copilot/host.ts";
import type { DecodedEvent, HostAnswer, HostOptions } from "../../src/formats/host-protocol.ts";
import { open } from "../unit/engine/orcs/engine.ts";
import { faults, isRefusable, refuses, TAKES, warns } from "./copilot-answers.ts";
import { DENY, PASS, WISHES, wishing } from "./wishes.ts";
import { eachRow } from "./each-row.ts";
import { NOTICE } from "./noticed.ts";
import { quickTest as it, repeatedTest, runCount } from "../slow-test.ts";

const FIXTURES = readFileSync(new URL("../fixtures/copilot.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as JsonObject);
const UNKNOWN: JsonObject = { ...FIXTURES[0], hook_event_name: "BeforeLunch", menu: ["soup"] };
const SENT = [...FIXTURES, UNKNOWN].map(
  (sent) => [copilotHost.decode(sent).event, sent["tool_name"] ?? sent["toolName"], sent] as const,
);

const ALL_WISHES: typeof WISHES = {
  ...WISHES,
  "blank words": () => ({ action: "abort", reason: " \ud800" }),
};

describe("Copilot CLI: the event table", () => {
  it("has every event that it takes, each with a fixture", () => {
    expect(Object.keys(COPILOT_EVENTS).toSorted()).toEqual(Object.keys(TAKES).toSorted());
    const sent = new Set(FIXTURES.map((each) => copilotHost.decode(each).event));
    expect([...sent].toSorted()).toEqual(Object.keys(TAKES).toSorted());
  });

  it.each(Object.entries(copilotHost.events))(
    "%s: what can be denied comes before it",
    (_, row) => {
      if (row.refusable) expect(POINT_TABLE[row.point].phase).toBe("pre");
    },
  );

  it("an event in its own format is the same as in the shared one", () => {
    const shared = (event: string) =>
      FIXTURES.find((each) => each["hook_event_name"] === event) ?? UNKNOWN;
    const own = (event: string) =>
      FIXTURES.find(
        (each) => each["sessionId"] !== undefined && copilotHost.decode(each).event === event,
      ) ?? UNKNOWN;
    for (const event of ["PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Stop"]) {
      const keys = (sent: JsonObject) => Object.keys(copilotHost.decode(sent).payload).toSorted();
      const [one, other] = [shared(event), own(event)].map((sent) => copilotHost.decode(sent));
      expect([event, other?.event, other?.point]).toEqual([event, one?.event, one?.point]);
      for (const key of ["tool_name", "prompt", "source"]) {
        expect(typeof other?.payload[key]).toBe(typeof one?.payload[key]);
      }
      expect(keys(own(event))).toEqual(expect.arrayContaining(["session_id", "cwd", "host"]));
    }
  });
});

describe.each(Object.keys(ALL_WISHES))("Copilot CLI: a hook with %s", (wish) => {
  let orcs: Orcs;
  beforeAll(async () => {
    orcs = await wishing(
      ALL_WISHES[wish],
      SENT.map(([, , sent]) => copilotHost.decode(sent).point),
    );
  });
  afterAll(async () => await orcs.close());

  it("at every event", async () => {
    await eachRow(SENT, async (event, _tool, sent) => {
      const decoded = copilotHost.decode(sent);
      const outcome = await orcs.dispatch(decoded.point, decoded.payload as never, {
        component: decoded.component,
        child: decoded.child,
      });
      for (const options of [DENY, PASS]) {
        const answer = copilotHost.encode(decoded, outcome, options);
        expect(faults(event, answer)).toEqual([]);
        if (wish !== "allow") expect(JSON.stringify(answer.output ?? {})).not.toContain('"allow"');
        if (wish === "nothing")
          expect(answer).toEqual({ output: undefined, code: 0, downgrades: [] });
        if (outcome.action === "abort") expect(refuses(event, answer)).toBe(isRefusable(event));
        if (outcome.action === "abort" && !isRefusable(event)) {
          expect(answer.downgrades).not.toEqual([]);
        }
        expectNotice(
          event,
          answer,
          copilotHost.encode(decoded, outcome, { ...options, notice: NOTICE }),
        );
      }
    });
  });
});

/** A notice is a line of stderr, with the code that shows it where it has no other effect; the rest is the same. */
function expectNotice(event: string, without: HostAnswer, told: HostAnswer): void {
  expect(told.output).toEqual(without.output);
  expect(refuses(event, told)).toBe(refuses(event, without));
  const line = warns(event) || without.code !== 0 ? told.message : told.notice;
  expect(line).toContain("are not active");
  expect(["\u001b", "\ud800"].filter((each) => line?.includes(each))).toEqual([]);
  if (warns(event)) expect(told.code).toBe(2);
  else expect(told.code).toBe(without.code);
}

/** The response to an event whose hook returns this. */
async function said(
  sent: JsonObject,
  handler: (ctx: HookContext) => unknown,
  options = DENY,
  inject: readonly string[] = [],
): Promise<HostAnswer> {
  const decoded: DecodedEvent = copilotHost.decode(sent);
  const { point, payload, component, child } = decoded;
  const hooks = [
    { id: "tells", point, handler: () => ({ inject }) },
    { id: "h", point, handler: handler as never },
  ];
  const orcs = await open({ config: false, hooks });
  const outcome = await orcs.dispatch(point, payload as never, { component, child });
  return copilotHost.encode(decoded, outcome, options);
}

function first(event: string, tool?: string): JsonObject {
  const found = FIXTURES.find(
    (sent) =>
      copilotHost.decode(sent).event === event &&
      (!tool || sent["tool_name"] === tool || sent["toolName"] === tool),
  );
  if (!found) throw new Error(`no fixture ${event} ${tool}`);
  return found;
}

describe("Copilot CLI: output for a hook's result", () => {
  const reason = "denied by hook h: no";

  it.each<[string, string, JsonObject | undefined, HostOptions?]>([
    ["PreToolUse", "abort", { permissionDecision: "deny", permissionDecisionReason: reason }],
    ["PermissionRequest", "abort", { behavior: "deny", message: reason }],
    ["UserPromptSubmit", "abort", { decision: "block", reason }],
    ["Stop", "abort", { decision: "block", reason }],
    ["SessionStart", "abort", undefined],
    ["PreToolUse", "allow", { permissionDecision: "allow", permissionDecisionReason: "fine" }],
    ["PermissionRequest", "allow", { behavior: "allow" }],
    ["PreToolUse", "ask", { permissionDecision: "ask", permissionDecisionReason: "sure?" }],
    ["PreToolUse", "ask", { permissionDecision: "ask", permissionDecisionReason: "sure?" }, PASS],
    ["PermissionRequest", "ask", undefined],
    ["UserPromptSubmit", "ask", undefined, PASS],
    ["UserPromptSubmit", "skip", { handled: true, responseContent: "done already" }],
    ["UserPromptSubmit", "rewrite", { modifiedPrompt: "rewritten" }],
    ["PreToolUse", "rewrite", { modifiedArgs: { path: "else" } }],
    [
      "PostToolUse",
      "replace",
      { modifiedResult: { resultType: "success", textResultForLlm: "other" } },
    ],
    ["PostToolUse", "inject", { additionalContext: "one\n\ntwo" }],
    ["SessionStart", "inject", { additionalContext: "one\n\ntwo" }],
    ["PreToolUse", "inject", { additionalContext: "one\n\ntwo" }],
    ["PreCompact", "inject", undefined],
  ])("%s, %s", async (event, wish, output, options) => {
    const handler = WISHES[wish] as (ctx: HookContext) => unknown;
    expect((await said(first(event), handler, options)).output).toEqual(output);
  });

  it.each(["UserPromptSubmit", "PreToolUse"])("defer at %s is a denial", async (event) => {
    const answer = await said(first(event), WISHES["defer"] as never);
    expect(refuses(event, answer)).toBe(true);
    expect(answer.downgrades).not.toEqual([]);
  });

  it("an argument is rewritten in the spelling in which it was sent, with the other keys", async () => {
    const answer = await said(first("PreToolUse", "Edit"), (ctx) => {
      const args = ctx.payload["args"] as Record<string, unknown>;
      expect(Object.keys(args)).toEqual(["path", "old_string", "new_string"]);
      args["new_string"] = "three";
      return undefined;
    });
    expect(answer.output?.["modifiedArgs"]).toEqual({
      path: "/home/dev/project/a.txt",
      old_str: "one",
      new_str: "three",
    });
  });

  it("a patch is an edit of its files, and is rewritten as the text that it is", async () => {
    const sent = FIXTURES.find((each) => typeof each["tool_input"] === "string") ?? UNKNOWN;
    const seen: unknown[] = [];
    const answer = await said(sent, (ctx) => {
      const args = ctx.payload["args"] as Record<string, unknown>;
      seen.push(ctx.payload["tool_name"], args["path"]);
      args["patch"] = String(args["patch"]).replace("hello", "bye");
      return undefined;
    });
    expect(seen).toEqual(["edit", ["new.txt"]]);
    expect(answer.output?.["modifiedArgs"]).toContain("+bye");
    const other = await said(sent, (ctx) => {
      (ctx.payload["args"] as Record<string, unknown>)["path"] = ["other.txt"];
      return undefined;
    });
    expect(refuses("PreToolUse", other)).toBe(true);
    expect(other.downgrades.join()).toContain("path");
  });

  it("the request for a permission cannot change the call", async () => {
    const answer = await said(first("PermissionRequest"), WISHES["rewrite"] as never, PASS);
    expect(refuses("PermissionRequest", answer)).toBe(true);
  });

  it("a result that is too long to be read is withheld", async () => {
    const long = "x".repeat(11 * 2 ** 20);
    const answer = await said(first("PostToolUse"), () => ({ action: "replace", result: long }));
    expect(refuses("PostToolUse", answer)).toBe(true);
    expect(answer.downgrades.join()).toContain("bytes");
  });

  it("text for the model stands beside a denial of a call", async () => {
    const answer = await said(first("PreToolUse"), WISHES["abort"] as never, DENY, ["look"]);
    expect(refuses("PreToolUse", answer)).toBe(true);
    expect(answer.output).toEqual({
      additionalContext: "look",
      permissionDecision: "deny",
      permissionDecisionReason: "denied by hook h: no",
    });
  });
});

describe("Copilot CLI: an internal failure denies", () => {
  it.each([...Object.keys(TAKES), "BeforeLunch"])("%s", (event) => {
    const answer = copilotHost.refuse(event, "ORCS1015: mistakes");
    expect(faults(event, answer)).toEqual([]);
    const row = getOwn(COPILOT_EVENTS as Record<string, { refusable: boolean }>, event);
    expect(refuses(event, answer)).toBe(event !== "Stop" && (row?.refusable ?? true));
    expect(JSON.stringify(answer)).toContain("ORCS1015: mistakes");
  });

  it("an unreadable event, by exit code", () => {
    const answer = copilotHost.refuse(undefined, " ");
    expect(answer).toMatchObject({ code: 2, output: undefined });
    expect(answer.message).toContain("no reason given");
  });
});

describe("Copilot CLI: no event is misread", () => {
  it.each([
    [{}, "no hook_event_name"],
    [{ hook_event_name: "PreToolUse" }, "tool_name"],
    [{ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: [1] }, "tool_input"],
    [{ hook_event_name: "PreToolUse", tool_name: "bash" }, "tool_input"],
    [{ hook_event_name: "PreToolUse", tool_name: "view", tool_input: null }, "tool_input"],
    [{ hook_event_name: "PreToolUse", tool_name: 5, tool_input: {} }, "tool_name"],
    [{ hook_event_name: "UserPromptSubmit", prompt: 1 }, "prompt"],
  ])("%j is ORCS7001", (sent, missing) => {
    expect(() => copilotHost.decode(sent as JsonObject)).toThrow(
      expect.objectContaining({
        code: "ORCS7001",
        message: expect.stringContaining(missing) as string,
      }),
    );
  });

  it("a tool of another kind may have no arguments", () => {
    const sent = { hook_event_name: "PreToolUse", tool_name: "list_agents" };
    expect(copilotHost.decode(sent).payload["args"]).toEqual({});
  });

  repeatedTest("whatever is sent, the answer to it is one that it takes", async () => {
    const orcs = await open({
      config: false,
      hooks: [
        { id: "h", point: "tool.pre_execute", handler: () => ({ action: "abort", reason: "no" }) },
      ] as never,
    });
    const sent = fc.record({
      hook_event_name: fc.constantFrom("PreToolUse", "preToolUse"),
      tool_name: fc.oneof(fc.constantFrom("Bash", "view", "a-b", "constructor"), fc.string()),
      tool_input: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.string()),
    });
    await fc.assert(
      fc.asyncProperty(sent, async (event) => {
        const decoded = copilotHost.decode(JSON.parse(JSON.stringify(event)) as JsonObject);
        const outcome = await orcs.dispatch(decoded.point, decoded.payload as never);
        const answer = copilotHost.encode(decoded, outcome, DENY);
        expect([faults("PreToolUse", answer), refuses("PreToolUse", answer)]).toEqual([[], true]);
      }),
      { numRuns: runCount(100) },
    );
  });
});
