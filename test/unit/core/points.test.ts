import { describe, expect, expectTypeOf, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { POINT_ALIASES, POINT_TABLE } from "../../../src/core/point-table.ts";
import { operationPoints, pointSet } from "../../../src/core/points.ts";
import type {
  OperationName,
  PayloadOf,
  Phase,
  PointName,
  PrePoint,
} from "../../../src/core/points.ts";

const points = pointSet();

const QUESTIONS = ["ui.on_status_line", "ui.on_file_suggestion", "tool.on_list"];

/** design.md §3, by hand: the other names of each point. */
const NAMES: Readonly<Record<string, string>> = {
  "tool.pre_execute": "PreToolUse BeforeTool",
  "tool.post_execute": "PostToolUse AfterTool",
  "llm.post_generate": "PostAssistantResponse GenerateEnd AfterModel",
  "agent.pre_stop": "TurnComplete Stop AfterAgent",
  "tool.on_failure": "PostToolUseFailure",
  "prompt.pre_submit": "UserPromptSubmit PrePromptSubmit BeforeAgent beforeSubmitPrompt",
  "prompt.post_submit": "PostUserMessage",
  "llm.pre_generate": "GenerateStart BeforeModel",
  "session.on_start": "SessionStart",
  "session.on_end": "SessionEnd",
  "child.post_spawn": "SubagentStart",
  "child.post_run": "SubagentStop",
  "context.pre_compact": "PreCompact PreCompress",
  "context.post_compact": "PostCompact",
  "auth.pre_check": "PermissionRequest",
  "agent.on_notification": "Notification NotificationEvent",
  "ui.on_status_line": "StatusLine",
  "ui.on_file_suggestion": "FileSuggestion",
  "host.pre_event": `
    Setup UserPromptExpansion PostToolBatch StopFailure PermissionDenied PreModelSwitch
    PostModelSwitch TeammateIdle TaskCreated TaskCompleted Elicitation ElicitationResult
    ConfigChange InstructionsLoaded WorktreeCreate WorktreeRemove CwdChanged FileChanged
    DirectoryAdded MessageDisplay
  `,
};
const ALIASES = Object.fromEntries(
  Object.entries(NAMES).flatMap(([point, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, point]),
  ),
);

/** All points, with the keys that the design names for each (§3, ADR-002 §2): all must be in the table. */
const REQUEST = "id category operation source target payload timeout_ms";
const TOOL =
  "tool_name tool args capabilities sandbox_root session_id agent_id cwd messages tool_use_id recent_tools";
const GENERATE = "prompt system_prompt model_provider model_name available_tools messages";
const KEYS: Record<string, string> = {
  "component.pre_init": "component_id channel_id snapshot",
  "component.post_init": "component_id channel_id init_result",
  "component.pre_shutdown": "component_id channel_id status",
  "component.post_shutdown": "component_id snapshot",
  "request.pre_dispatch": `${REQUEST} component_id channel_id`,
  "request.post_dispatch": `${REQUEST} response elapsed_ms`,
  "signal.pre_dispatch": "signal component_id channel_id",
  "signal.post_dispatch": "signal signal_response channel_action",
  "child.pre_spawn": "child_config parent_id capabilities effective_capabilities",
  "child.post_spawn": "child_id parent_id capabilities",
  "child.pre_run": "child_id input",
  "child.post_run": "child_id child_result elapsed_ms",
  "channel.pre_create": "channel_id component_id runtime_hints",
  "channel.post_create": "channel_id handle",
  "channel.pre_destroy": "channel_id exit_reason",
  "channel.post_destroy": "channel_id snapshot",
  "tool.pre_execute": TOOL,
  "tool.post_execute": `${TOOL} result elapsed_ms`,
  "tool.on_failure": `${TOOL} result elapsed_ms error`,
  "auth.pre_check": "command capabilities session",
  "auth.post_check": "command permission_result",
  "auth.on_grant": "pattern granted_by",
  "bus.pre_broadcast": "event target_count",
  "bus.post_broadcast": "event delivered_count",
  "bus.on_register": "component_id subscriptions",
  "bus.on_unregister": "component_id",
  "prompt.pre_submit": "prompt user_prompt session_id messages cwd",
  "prompt.post_submit": "prompt user_prompt session_id messages cwd",
  "llm.pre_generate": GENERATE,
  "llm.post_generate": `${GENERATE} response_text tool_calls usage elapsed_ms`,
  "session.on_start": "session_id system_prompt model_provider model_name",
  "session.on_end":
    "session_id system_prompt model_provider model_name total_tokens total_tool_calls elapsed_ms reason",
  "context.pre_compact": "trigger custom_instructions messages",
  "context.post_compact": "trigger custom_instructions messages",
  "agent.pre_stop": "message kind",
  "agent.on_notification": "message kind",
  "ui.on_status_line": "query result",
  "ui.on_file_suggestion": "query result",
  "tool.on_list": "query result",
  "host.pre_event": "event",
};

describe("the point table", () => {
  it("names every point after its phase", () => {
    for (const { name, phase } of points.all) {
      expect(name).toMatch(/^[a-z]+\.(pre|post|on)_[a-z_]+$/);
      expect(name.split(".")[1]?.split("_")[0]).toBe(phase);
    }
  });

  it("documents every point in one line", () => {
    for (const { name, doc } of points.all) {
      expect(doc, name).toMatch(/^[A-Z].*\.$/);
      expect(doc, name).not.toContain("\n");
    }
  });

  it("has three question points", () => {
    expect(points.all.filter((point) => point.question).map((point) => point.name)).toEqual(
      expect.arrayContaining(QUESTIONS),
    );
    expect(points.all.filter((point) => point.question)).toHaveLength(QUESTIONS.length);
    for (const name of QUESTIONS) expect(points.get(name)?.resultKey).toBe("result");
  });

  it.each(Object.entries(KEYS))("%s has its documented keys", (name, keys) => {
    expect(Object.keys(points.get(name)?.keys ?? {})).toEqual(
      expect.arrayContaining(keys.split(" ")),
    );
  });

  it("has the documented points, and nothing else", () => {
    const names = Object.keys(KEYS).toSorted();
    expect(names).toHaveLength(40);
    expect(Object.keys(POINT_TABLE).toSorted()).toEqual(names);
    expect(points.all.map((point) => point.name).toSorted()).toEqual(names);
  });

  it.each([
    ["tool.pre_execute", "args", "result"],
    ["tool.post_execute", "args", "result"],
    ["request.pre_dispatch", "payload", "response"],
    ["request.post_dispatch", "payload", "response"],
    ["llm.pre_generate", "prompt", "response_text"],
    ["llm.post_generate", "prompt", "response_text"],
    ["prompt.pre_submit", "prompt", "result"],
    ["ui.on_status_line", "input", "result"],
    ["child.post_run", "input", "child_result"],
  ])("%s: a rewrite changes %s, replace changes %s", (name, input, result) => {
    expect(points.get(name)).toMatchObject({ inputKey: input, resultKey: result });
  });

  it("has the same keys in both phases of an operation", () => {
    for (const { name, phase, resultKey } of points.all) {
      if (phase !== "pre") continue;
      const post = points.get(name.replace(".pre_", ".post_"));
      // A skip stands for the operation's result, so the pre point would name the same key.
      if (post && points.get(name)?.resultKey !== "result")
        expect(post.resultKey, name).toBe(resultKey);
    }
  });

  it("uses integers for counts and durations, and fixes names and ids", () => {
    for (const { name, keys } of points.all) {
      for (const [key, spec] of Object.entries(keys)) {
        if (/_ms$|_count$|^total_/.test(key)) expect(spec.kind, `${name} ${key}`).toBe("integer");
        if (key.endsWith("capabilities"))
          expect(spec, `${name} ${key}`).toMatchObject({ kind: "integer", shrinks: true });
        if (/(^|_)id$/.test(key) || key === "tool_name" || key === "tool")
          expect(spec, `${name} ${key}`).toMatchObject({ kind: "string", fixed: true });
      }
    }
  });
});

describe("point aliases", () => {
  it("are the documented ones", () => {
    expect(POINT_ALIASES).toEqual(ALIASES);
  });

  it.each(Object.entries(ALIASES))("%s is %s, ignoring case and underscores", (alias, name) => {
    const snake = alias.replaceAll(/(?<=[a-z])([A-Z])/g, "_$1").toLowerCase();
    for (const form of [alias, alias.toLowerCase(), alias.toUpperCase(), snake, `_${alias}_`])
      expect(points.resolve(form)?.name, form).toBe(name);
    expect(points.get(alias)).toBeUndefined();
  });

  it("do not make canonical names case-insensitive", () => {
    expect(points.resolve("tool.pre_execute")?.name).toBe("tool.pre_execute");
    for (const wrong of [
      "Tool.Pre_Execute",
      "tool.preexecute",
      "toolpre_execute",
      "",
      "_",
      " Stop",
      "Pre-Tool-Use",
      "__proto__",
      "constructor",
      "toString",
    ]) {
      expect(points.resolve(wrong), wrong).toBeUndefined();
    }
  });
});

describe("point suggestions", () => {
  it.each([
    ["tool.pre_exceute", "tool.pre_execute"],
    ["tool.preexecute", "tool.pre_execute"],
    ["Tool.Pre_Execute", "tool.pre_execute"],
    ["PreTolUse", "PreToolUse"],
    ["sesion.on_start", "session.on_start"],
    ["request.pre_dispach", "request.pre_dispatch"],
    ["bus.on_unregistered", "bus.on_unregister"],
  ])("for %s suggest %s", (written, meant) => {
    expect(points.suggest(written)).toBe(meant);
  });

  it("suggest nothing when nothing is similar", () => {
    expect(points.suggest("completely-different-thing")).toBeUndefined();
    expect(points.suggest("")).toBeUndefined();
  });

  it("include custom points", () => {
    const custom = pointSet({ "deploy.pre_push": { phase: "pre" } });
    expect(custom.suggest("deploy.pre_psuh")).toBe("deploy.pre_push");
    expect(points.suggest("deploy.pre_psuh")).not.toBe("deploy.pre_push");
  });
});

describe("custom points", () => {
  it("have the same shape as built-in ones", () => {
    const custom = pointSet({
      "deploy.pre_push": {
        phase: "pre",
        doc: "Before a push.",
        keys: { branch: { kind: "string", required: true } },
        input: "branch",
        result: "outcome",
      },
      "deploy.on_ask": { phase: "on", question: true },
    });
    expect(custom.all).toHaveLength(points.all.length + 2);
    expect(custom.get("deploy.pre_push")).toEqual({
      name: "deploy.pre_push",
      phase: "pre",
      doc: "Before a push.",
      question: false,
      keys: { branch: { kind: "string", required: true } },
      known: new Map([["branch", { kind: "string", required: true }]]),
      required: ["branch"],
      pairs: [],
      inputKey: "branch",
      resultKey: "outcome",
    });
    expect(custom.resolve("deploy.on_ask")).toMatchObject({
      phase: "on",
      question: true,
      keys: {},
      inputKey: "input",
      resultKey: "result",
    });
  });

  it("do not affect other point sets", () => {
    pointSet({ "deploy.pre_push": { phase: "pre" } });
    expect(pointSet().get("deploy.pre_push")).toBeUndefined();
  });
});

it("operations have a pre and a post point", () => {
  expect(operationPoints("tool.execute")).toEqual({
    pre: "tool.pre_execute",
    post: "tool.post_execute",
  });
  for (const wrong of ["", "tool", ".execute", "tool.", "."])
    expect(operationPoints(wrong), wrong).toBeUndefined();
});

describe("types of points", () => {
  it("give the payload of a point", () => {
    type Tool = PayloadOf<"tool.pre_execute">;
    expectTypeOf<Tool["tool_name"]>().toEqualTypeOf<string>();
    expectTypeOf<Tool["args"]>().toEqualTypeOf<JsonObject>();
    expectTypeOf<Tool["capabilities"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Tool["recent_tools"]>().toEqualTypeOf<string[] | undefined>();
    expectTypeOf<Tool["whatever"]>().toEqualTypeOf<unknown>();
    expectTypeOf<{ tool_name: string; args: JsonObject }>().toExtend<Tool>();
    expectTypeOf<{ tool_name: string }>().not.toExtend<Tool>();
    expectTypeOf<{ tool_name: number; args: JsonObject }>().not.toExtend<Tool>();
    expectTypeOf<{ tool_name: string; args: JsonObject; cwd: number }>().not.toExtend<Tool>();

    type Post = PayloadOf<"llm.post_generate">;
    expectTypeOf<Post["response_text"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Post["usage"]>().toEqualTypeOf<JsonObject | undefined>();
    expectTypeOf<PayloadOf<"prompt.pre_submit">["prompt"]>().toEqualTypeOf<string>();
    expectTypeOf<PayloadOf<"host.pre_event">["event"]>().toEqualTypeOf<string>();
    expectTypeOf<PayloadOf<"agent.pre_stop">["stop_hook_active"]>().toEqualTypeOf<
      boolean | undefined
    >();
  });

  it("give a loose payload for a custom point", () => {
    expectTypeOf<PayloadOf<"deploy.pre_push">>().toEqualTypeOf<Record<string, unknown>>();
  });

  it("list the operations", () => {
    expectTypeOf<OperationName>().toEqualTypeOf<
      | "component.init"
      | "component.shutdown"
      | "request.dispatch"
      | "signal.dispatch"
      | "child.spawn"
      | "child.run"
      | "channel.create"
      | "channel.destroy"
      | "tool.execute"
      | "auth.check"
      | "bus.broadcast"
      | "prompt.submit"
      | "llm.generate"
      | "context.compact"
    >();
    expectTypeOf<PrePoint<"tool.execute">>().toEqualTypeOf<"tool.pre_execute">();
    expectTypeOf<"tool.list">().not.toExtend<OperationName>();
  });

  it("list names and phases", () => {
    expectTypeOf<"tool.pre_execute">().toExtend<PointName>();
    expectTypeOf<"tool.pre_exec">().not.toExtend<PointName>();
    expectTypeOf<Phase>().toEqualTypeOf<"pre" | "post" | "on">();
  });
});
