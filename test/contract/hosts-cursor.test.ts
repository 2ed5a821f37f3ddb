import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect } from "vitest";
import type { HookContext } from "../../src/core/context.ts";
import type { Json, JsonObject } from "../../src/core/json.ts";
import type { Outcome } from "../../src/core/outcome.ts";
import { POINT_TABLE } from "../../src/core/point-table.ts";
import type { Orcs } from "../../src/engine/orcs/orcs.ts";
import { cursorHost } from "../../src/formats/cursor/host.ts";
import type { DecodedEvent, HostAnswer, HostOptions } from "../../src/formats/host-protocol.ts";
import { open } from "../unit/engine/orcs/engine.ts";
import { faults, isRefusable, refuses, TAKES } from "./cursor-answers.ts";
import { DENY, PASS, WISHES, wishing } from "./wishes.ts";
import { eachRow } from "./each-row.ts";
import { NOTICE, noticed } from "./noticed.ts";
import { quickTest as it, repeatedTest, runCount } from "../slow-test.ts";

type Sent = JsonObject & { hook_event_name: string };

const FIXTURES = readFileSync(new URL("../fixtures/cursor.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Sent);
const UNKNOWN: Sent = { ...FIXTURES[0], hook_event_name: "beforeLunch", menu: ["soup"] };
const SENT = [...FIXTURES, UNKNOWN].map(
  (event) => [event.hook_event_name, event["tool_name"] ?? "-", event] as const,
);

type Hook = (ctx: HookContext) => unknown;

async function dispatched(
  decoded: DecodedEvent,
  handler?: Hook,
  more: { onError?: "closed" } = {},
): Promise<Outcome> {
  const { point, payload, component, child } = decoded;
  const hooks = handler ? [{ id: "h", point, handler: handler as never, ...more }] : [];
  const orcs = await open({ config: false, hooks });
  return await orcs.dispatch(point, payload as never, { component, child });
}

describe("Cursor: the event table", () => {
  it("has every documented event, each with a fixture", () => {
    const sent = [...new Set(FIXTURES.map((event) => event.hook_event_name))];
    expect(Object.keys(cursorHost.events).toSorted()).toEqual(Object.keys(TAKES).toSorted());
    expect(sent.toSorted()).toEqual(Object.keys(TAKES).toSorted());
  });

  it.each(Object.entries(cursorHost.events))("%s has what Cursor supports", (event, row) => {
    expect(row.refusable).toBe(isRefusable(event));
    expect(row.timeoutMs).toBe(60_000);
    if (row.refusable) expect(POINT_TABLE[row.point].phase).toBe("pre");
  });
});

describe.each(Object.keys(WISHES))("Cursor: a hook that returns %s", (wish) => {
  let orcs: Orcs;
  beforeAll(async () => {
    orcs = await wishing(
      WISHES[wish],
      SENT.map(([, , sent]) => cursorHost.decode(sent).point),
    );
  });
  afterAll(async () => await orcs.close());

  it("at every event", async () => {
    await eachRow(SENT, async (event, _tool, sent) => {
      const decoded = cursorHost.decode(sent);
      const outcome = await orcs.dispatch(decoded.point, decoded.payload as never, {
        component: decoded.component,
        child: decoded.child,
      });
      for (const options of [DENY, PASS]) {
        const answer = cursorHost.encode(decoded, outcome, options);
        expect(faults(event, answer)).toEqual([]);
        if (wish !== "allow") expect(JSON.stringify(answer.output)).not.toContain('"allow"');
        if (wish === "nothing") expect(answer).toEqual({ output: {}, code: 0, downgrades: [] });
        if (outcome.action === "abort" || outcome.action === "skip") {
          expect(refuses(event, answer)).toBe(isRefusable(event));
          if (isRefusable(event))
            expect(JSON.stringify(answer.output)).toMatch(/: no"|done already/);
        }
        const shows = Object.hasOwn(TAKES[event] ?? {}, "user_message");
        const told = noticed(cursorHost, decoded, outcome, options, {
          keys: ["user_message", "userMessage"],
          way: shows ? "output and stderr" : "stderr",
        });
        expect(faults(event, told)).toEqual([]);
        expect(refuses(event, told)).toBe(refuses(event, answer));
        // What came to nothing is in the log.
        const isHeard = Object.keys(answer.output ?? {}).length > 0;
        const isMute = wish === "nothing" || wish === "allow" || hasFailed(outcome, wish);
        if (!isHeard && !isMute && !isVoid(decoded, wish))
          expect(answer.downgrades).not.toEqual([]);
      }
    });
  });
});

/** Not legal at the phase: the hook has failed, and the chain has said so. */
function hasFailed(outcome: Outcome, wish: string): boolean {
  return outcome.action === "continue" && ["abort", "skip", "retry"].includes(wish);
}

/** A rewrite where there is no input, a replaced result before there is one, a decision after it. */
function isVoid({ point }: DecodedEvent, wish: string): boolean {
  const row: { phase: string; input?: string } = POINT_TABLE[point];
  if (wish === "ask" || wish === "defer") return row.phase !== "pre";
  if (wish === "rewrite") return row.input === undefined || row.input === "event";
  return wish === "replace" && row.phase !== "post";
}

describe("Cursor: output for a hook's result", () => {
  const said = async (sent: JsonObject, wish: string, options = DENY): Promise<HostAnswer> => {
    const decoded = cursorHost.decode(sent);
    return cursorHost.encode(decoded, await dispatched(decoded, WISHES[wish]), options);
  };
  const first = (event: string, tool?: string): JsonObject => {
    const found = FIXTURES.find(
      (sent) => sent.hook_event_name === event && (!tool || sent["tool_name"] === tool),
    );
    if (!found) throw new Error(`no fixture ${event} ${tool}`);
    return found;
  };
  const reason = "denied by hook h: no";

  it.each<[string, string, JsonObject, HostOptions?]>([
    [
      "preToolUse",
      "abort",
      { permission: "deny", decision: "deny", user_message: reason, agent_message: reason, reason },
    ],
    [
      "beforeShellExecution",
      "abort",
      {
        permission: "deny",
        continue: false,
        user_message: reason,
        agent_message: reason,
        userMessage: reason,
        agentMessage: reason,
      },
    ],
    ["beforeReadFile", "abort", { permission: "deny", user_message: reason }],
    ["beforeSubmitPrompt", "abort", { continue: false, user_message: reason }],
    [
      "subagentStart",
      "abort",
      { permission: "deny", decision: "deny", user_message: reason, reason },
    ],
    ["stop", "abort", { followup_message: reason }],
    ["preCompact", "abort", {}],
    ["preToolUse", "allow", { permission: "allow" }],
    ["beforeMCPExecution", "allow", { permission: "allow" }],
    ["beforeTabFileRead", "allow", { permission: "allow" }],
    ["beforeSubmitPrompt", "allow", {}],
    ["stop", "allow", {}],
    [
      "beforeShellExecution",
      "ask",
      { permission: "ask", user_message: "sure?", agent_message: "sure?" },
    ],
    [
      "beforeMCPExecution",
      "ask",
      { permission: "ask", user_message: "sure?", agent_message: "sure?" },
      PASS,
    ],
    ["preToolUse", "ask", {}, PASS],
    ["beforeReadFile", "ask", {}, PASS],
    ["beforeSubmitPrompt", "ask", {}, PASS],
    ["stop", "ask", {}],
    ["stop", "defer", {}],
    ["preToolUse", "rewrite", { updated_input: { path: "else" } }],
    ["postToolUse", "replace", {}],
    ["postToolUse", "inject", { additional_context: "one\n\ntwo" }],
    ["sessionStart", "inject", { additional_context: "one\n\ntwo" }],
    ["preToolUse", "inject", { agent_message: "one\n\ntwo" }],
    ["subagentStop", "inject", {}],
    ["afterFileEdit", "abort", {}],
  ])("%s, %s", async (event, wish, output, options) => {
    expect((await said(first(event), wish, options)).output).toEqual(output);
  });

  it.each(["preToolUse", "beforeReadFile", "beforeTabFileRead", "beforeSubmitPrompt"])(
    "ask at %s is a denial or nothing, with a log line",
    async (event) => {
      const strict = await said(first(event), "ask");
      expect(refuses(event, strict)).toBe(true);
      expect(strict.downgrades).toEqual([`ask at ${event}, which Cursor does not support: denied`]);
      const loose = await said(first(event), "ask", PASS);
      expect(loose.downgrades).toEqual([`ask at ${event}, which Cursor does not support: ignored`]);
    },
  );

  it.each([DENY, PASS])("ask about a subagent keeps it from starting: %j", async (options) => {
    const answer = await said(first("subagentStart"), "ask", options);
    expect(refuses("subagentStart", answer)).toBe(true);
    expect(answer.downgrades).not.toEqual([]);
  });

  it.each([
    "beforeShellExecution",
    "beforeMCPExecution",
    "beforeReadFile",
    "beforeSubmitPrompt",
    "subagentStart",
  ])("a rewrite at %s is a denial", async (event) => {
    const answer = await said(first(event), "rewrite", PASS);
    expect(refuses(event, answer)).toBe(true);
    expect(answer.downgrades.join()).toContain(`rewrite at ${event}`);
  });

  it("a replaced result is passed on for MCP tools only", async () => {
    const mcp = await said(first("postToolUse", "MCP:create_issue"), "replace");
    expect(mcp).toEqual({
      output: { updated_mcp_tool_output: { content: [{ type: "text", text: "other" }] } },
      code: 0,
      downgrades: [],
    });
    const shell = await said(first("postToolUse", "Shell"), "replace");
    expect(shell.downgrades.join()).toContain("the model reads the original result");
    const decoded = cursorHost.decode(first("postToolUse", "MCP:create_issue"));
    const shaped = await dispatched(decoded, () => ({
      action: "replace",
      result: { content: [{ type: "text", text: "cut" }], isError: false },
    }));
    expect(cursorHost.encode(decoded, shaped, DENY).output).toEqual({
      updated_mcp_tool_output: { content: [{ type: "text", text: "cut" }], isError: false },
    });
  });

  it("a denied result of an MCP tool is hidden", async () => {
    const fails = (): never => {
      throw new Error("oh");
    };
    const decoded = cursorHost.decode(first("postToolUse", "MCP:create_issue"));
    const outcome = await dispatched(decoded, fails, { onError: "closed" });
    const text = "denied by hook h: hook h failed: oh";
    expect(cursorHost.encode(decoded, outcome, DENY)).toMatchObject({
      output: { updated_mcp_tool_output: { content: [{ type: "text", text }] } },
      code: 0,
    });
  });

  it("a user_message injection follows a subagent", async () => {
    const decoded = cursorHost.decode(first("subagentStop"));
    const outcome = await dispatched(decoded, () => ({
      inject: [{ content: "check it", strategy: "user_message" }, "lost"],
    }));
    const answer = cursorHost.encode(decoded, outcome, DENY);
    expect(answer.output).toEqual({ followup_message: "check it" });
    expect(answer.downgrades).toHaveLength(1);
  });

  it("injected text is sent with a denial and with a question", async () => {
    const tells =
      (words: object): Hook =>
      () => ({ inject: ["look"], ...words });
    const decoded = cursorHost.decode(first("beforeShellExecution"));
    const asked = await dispatched(decoded, tells({ decision: "ask", reason: "sure?" }));
    expect(cursorHost.encode(decoded, asked, DENY).output).toEqual({
      permission: "ask",
      user_message: "sure?",
      agent_message: "sure?\n\nlook",
    });
    const reads = cursorHost.decode(first("beforeReadFile"));
    const refused = cursorHost.encode(
      reads,
      await dispatched(reads, tells({ decision: "defer" })),
      DENY,
    );
    expect(refuses("beforeReadFile", refused)).toBe(true);
    expect(refused.downgrades.join()).toContain("text for the model");
  });

  it("context longer than Cursor accepts is truncated", async () => {
    const decoded = cursorHost.decode(first("sessionStart"));
    const outcome = await dispatched(decoded, () => ({ inject: [`${"a".repeat(9_999)}😀`] }));
    const { output, downgrades } = cursorHost.encode(decoded, outcome, DENY);
    expect(output).toEqual({ additional_context: "a".repeat(9_999) });
    expect(downgrades.join()).toContain("10001 characters");
  });
});

describe("Cursor: an internal failure denies", () => {
  it.each([...Object.keys(TAKES), "beforeLunch"])("%s", (event) => {
    const answer = cursorHost.refuse(event, "ORCS1015: mistakes");
    expect(faults(event, answer)).toEqual([]);
    expect(refuses(event, answer)).toBe(isRefusable(event) && event !== "stop");
    expect(answer.message).toBe("ORCS1015: mistakes");
    const told = refuses(event, answer) ? JSON.stringify(answer.output) : answer.downgrades.join();
    expect(told).toContain("ORCS1015: mistakes");
  });

  it("an unreadable event, by exit code too", () => {
    const answer = cursorHost.refuse(undefined, " ");
    expect(answer).toMatchObject({ code: 2, output: { permission: "deny", continue: false } });
    expect(answer.message).toContain("no reason given");
  });
});

describe("Cursor: real hooks end to end", () => {
  const LUA = `
    local args = ctx.payload.args
    if ctx.payload.tool_name == "exec" then
      if args.command:find("rm %-rf") then return orcs.deny("no rm -rf") end
      if args.command == "npm ci" and not args.safe then args.command = "npm ci --ignore-scripts" end
      if args.command == "git push" then return orcs.ask("sure?") end
    end`;
  const config = {
    hooks: [
      { id: "lua", point: "preToolUse", handler_inline: LUA },
      {
        id: "secrets",
        point: "tool.pre_execute",
        match: { tool: "read|write|edit|remove", path: "**/.env" },
        handler_inline: 'return orcs.deny("secrets")',
      },
      {
        id: "mcp",
        point: "tool.pre_execute",
        match: { tool: "mcp__*__create_issue" },
        handler_inline: 'if ctx.payload.args.title == "spam" then return orcs.deny("spam") end',
      },
      {
        id: "format",
        point: "host.pre_event",
        match: { tool: "edit", path: "*.txt" },
        handler_inline: 'return orcs.inject("formatted " .. ctx.payload.host.file_path)',
      },
      {
        id: "child",
        point: "child.pre_spawn",
        handler_inline:
          'if ctx.payload.child_config.type == "shell" then return orcs.deny("no") end',
      },
    ],
  };
  const common = { conversation_id: "c", workspace_roots: ["/w"], cursor_version: "3" };
  const tool = (tool_name: string, tool_input: Json): JsonObject => ({
    ...common,
    hook_event_name: "preToolUse",
    tool_name,
    tool_input,
  });
  const event = (hook_event_name: string, fields: JsonObject): JsonObject => ({
    ...common,
    hook_event_name,
    ...fields,
  });
  const shell = (command: string) => event("beforeShellExecution", { command, cwd: "" });

  it.each<[string, JsonObject, JsonObject | "denied", HostOptions?]>([
    ["a command", tool("Shell", { command: "ls" }), {}],
    ["a command denied", tool("Shell", { command: "rm -rf /" }), "denied"],
    ["the same before the shell", shell("rm -rf /"), "denied"],
    ["in text of JSON", tool("Shell", '{"command":"rm -rf /"}'), "denied"],
    [
      "asked natively",
      shell("git push"),
      { permission: "ask", user_message: "sure?", agent_message: "sure?" },
    ],
    ["asked", tool("Shell", { command: "git push" }), "denied"],
    ["asked, loosely", tool("Shell", { command: "git push" }), {}, PASS],
    [
      "rewritten in the host's keys",
      tool("Shell", { command: "npm ci", working_directory: "/w/a", timeout: 5 }),
      {
        updated_input: {
          command: "npm ci --ignore-scripts",
          working_directory: "/w/a",
          timeout: 5,
        },
      },
    ],
    ["rewritten before the shell", shell("npm ci"), "denied"],
    ["already rewritten", shell("npm ci --ignore-scripts"), {}],
    ["a file", tool("Write", { file_path: "/w/.env", content: "x" }), "denied"],
    ["a file, other key", tool("StrReplace", { path: "/w/.env" }), "denied"],
    ["a file deleted", tool("Delete", { target_file: "/w/.env" }), "denied"],
    ["a file read", event("beforeReadFile", { file_path: ".env", content: "KEY=1" }), "denied"],
    [
      "a file completed",
      event("beforeTabFileRead", { file_path: "/w/sub/.env", content: "" }),
      "denied",
    ],
    ["a tool of a server", tool("MCP:create_issue", { title: "spam" }), "denied"],
    ["of a named server", tool("MCP:github:create_issue", { title: "spam" }), "denied"],
    [
      "before it is called",
      event("beforeMCPExecution", {
        tool_name: "create_issue",
        tool_input: '{"title":"spam"}',
        url: "https://a",
      }),
      "denied",
    ],
    ["a subagent", event("subagentStart", { subagent_type: "shell", prompt: "x" }), "denied"],
    ["another subagent", event("subagentStart", { subagent_type: "explore", prompt: "x" }), {}],
    [
      "older spellings",
      { hookEventName: "preToolUse", toolName: "Shell", toolInput: { command: "rm -rf /" } },
      "denied",
    ],
    ["after an edit", event("afterFileEdit", { file_path: "/w/a.txt", edits: [] }), {}],
  ])("%s", async (_name, sent, expected, options = DENY) => {
    const orcs = await open({ config });
    const decoded = cursorHost.decode(sent);
    const { point, payload, component } = decoded;
    const outcome = await orcs.dispatch(point, payload as never, { component });
    const answer = cursorHost.encode(decoded, outcome, options);
    expect(faults(decoded.event, answer)).toEqual([]);
    if (expected === "denied") expect(refuses(decoded.event, answer)).toBe(true);
    else expect(answer.output).toEqual(expected);
    if (decoded.event === "afterFileEdit") {
      expect(outcome.inject).toEqual(["formatted /w/a.txt"]);
      expect(answer.downgrades).toHaveLength(1);
    }
  });
});

describe("Cursor: any hook result", () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("", " ", "\ud800", "\0"));
  const json = fc.oneof(fc.jsonValue({ maxDepth: 4 }), text) as fc.Arbitrary<Json>;
  const wanted = fc.oneof(
    fc.record({
      action: fc.constant("continue"),
      decision: fc.constantFrom("allow", "ask", "defer", undefined),
      reason: fc.option(text, { nil: undefined }),
      hook: fc.constant("h"),
    }),
    text.map((reason) => ({ action: "abort", reason, hook: "h" })),
    json.map((result) => ({ action: "skip", result, hook: "h" })),
    fc.constant({ action: "retry", delay_ms: 1, max_retries: 1, hook: "h" }),
  );
  const keys = "args prompt result message child_result child_config host event tool_name".split(
    " ",
  );
  const edits = fc.dictionary(fc.constantFrom(...keys), json);
  const outcomeOf = (decoded: DecodedEvent, action: object, changed: object): Outcome =>
    ({
      ...action,
      ctx: { hook_point: decoded.point, payload: { ...decoded.payload, ...changed } },
    }) as never;

  repeatedTest("gives output that Cursor accepts, and never allows what was denied", () => {
    const injected = fc.array(
      fc.oneof(
        text,
        text.map((content) => ({ content, strategy: "user_message" })),
      ),
      { maxLength: 2 },
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...SENT),
        wanted,
        edits,
        injected,
        fc.constantFrom(DENY, PASS, { ...DENY, notice: NOTICE }),
        ([event, , sent], action, changed, inject, options) => {
          const decoded = cursorHost.decode(sent);
          const outcome = outcomeOf(decoded, { ...action, inject }, changed);
          const answer = cursorHost.encode(decoded, outcome, options);
          expect(faults(event, answer)).toEqual([]);
          const refused = action.action === "abort" || action.action === "skip";
          if (refused) expect(refuses(event, answer)).toBe(isRefusable(event));
          if (answer.output?.["permission"] === "allow") {
            expect(action).toHaveProperty("decision", "allow");
          }
          for (const line of answer.downgrades) expect(line).not.toBe("");
        },
      ),
      { numRuns: runCount(3_000) },
    );
  });

  it("that is not JSON is a denial, but keeps no agent from stopping", () => {
    for (const [event, , sent] of SENT) {
      const decoded = cursorHost.decode(sent);
      for (const bad of [{ f: () => 1 }, { n: Number.NaN }]) {
        const changed = { args: bad, prompt: bad, result: bad, message: bad, child_config: bad };
        const outcome = outcomeOf(decoded, { action: "continue", inject: [] }, changed);
        const answer = cursorHost.encode(decoded, outcome, PASS);
        expect(faults(event, answer)).toEqual([]);
        if (isRefusable(event) && event !== "beforeLunch" && event !== "stop") {
          expect(refuses(event, answer)).toBe(true);
        }
      }
    }
  });

  repeatedTest("any JSON is decoded or rejected as no event", () => {
    const words = [...new Set(FIXTURES.flatMap((sent) => Object.keys(sent)))];
    const names = fc.constantFrom(...Object.keys(TAKES), "constructor", "__proto__", "x");
    const event = fc.dictionary(fc.constantFrom(...words, "toolName", "__proto__"), json);
    fc.assert(
      fc.property(names, event, (name, fields) => {
        const sent = { ...fields, hook_event_name: name } as JsonObject;
        let decoded: DecodedEvent;
        try {
          decoded = cursorHost.decode(sent);
        } catch (thrown) {
          expect(thrown).toHaveProperty("code", "ORCS7001");
          return;
        }
        expect(decoded.payload["host"]).toBe(sent);
        for (const [key, spec] of Object.entries<object>(POINT_TABLE[decoded.point].keys)) {
          if ("required" in spec) expect(decoded.payload).toHaveProperty(key);
        }
      }),
      { numRuns: runCount(2_000) },
    );
  });
});
