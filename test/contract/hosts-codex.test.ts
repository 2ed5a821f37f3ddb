import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect } from "vitest";
import type { Json, JsonObject } from "../../src/core/json.ts";
import type { Outcome, OutcomeAction } from "../../src/core/outcome.ts";
import { CODEX_EVENTS } from "../../src/formats/codex/events.ts";
import { codexHost } from "../../src/formats/codex/host.ts";
import type { DecodedEvent, HostAnswer, HostOptions } from "../../src/formats/host-protocol.ts";
import { open } from "../unit/engine/orcs/engine.ts";
import { codexEventOf, EVENT_NAMES, patchOf, toolUse } from "../unit/formats/codex-events.ts";
import { codexReads } from "../unit/formats/codex-reads.ts";
import type { Read } from "../unit/formats/codex-reads.ts";
import { eachRow } from "./each-row.ts";
import { NOTICE, noticed } from "./noticed.ts";
import { quickTest as it, repeatedTest, runCount } from "../slow-test.ts";

const FIXTURES = readFileSync(new URL("../fixtures/codex.jsonl", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as JsonObject);
const UNKNOWN = { ...codexEventOf("Interrupt"), hook_event_name: "BrandNew", colour: "red" };
const EVENTS: readonly JsonObject[] = [
  ...FIXTURES,
  ...EVENT_NAMES.map((name) => codexEventOf(name)),
  UNKNOWN,
];

const STRICT: HostOptions = { ask: "deny", rewrite: "refuse" };
const LOOSE: HostOptions = { ask: "pass", rewrite: "approve" };
const OPTIONS: readonly HostOptions[] = [
  STRICT,
  LOOSE,
  { ask: "deny", rewrite: "approve" },
  { ask: "pass", rewrite: "refuse" },
];

/** What hooks came to, without an engine. */
function outcomeOf(
  decoded: DecodedEvent,
  action: OutcomeAction,
  changed: JsonObject = {},
  inject: string[] = [],
): Outcome {
  const ctx = {
    hook_point: decoded.point,
    component_id: decoded.component,
    channel_id: "main",
    principal: { type: "Host", id: "main" },
    timestamp_ms: 1,
    payload: { ...decoded.payload, ...changed },
    metadata: {},
    depth: 0,
    max_depth: 4,
  };
  return { ...action, ctx, inject } as Outcome;
}

const ACTIONS: Readonly<Record<string, OutcomeAction>> = {
  nothing: { action: "continue" },
  allow: { action: "continue", decision: "allow", reason: "fine", hook: "h" },
  ask: { action: "continue", decision: "ask", reason: "sure?", hook: "h" },
  defer: { action: "continue", decision: "defer", hook: "h" },
  abort: { action: "abort", reason: "no", hook: "h" },
  skip: { action: "skip", result: { ok: 1 }, hook: "h" },
  retry: { action: "retry", delay_ms: 5, max_retries: 3, hook: "h" },
};
/** Keys that hooks may have changed, whichever the point has. */
const CHANGES: Readonly<Record<string, JsonObject>> = {
  nothing: {},
  input: {
    args: { command: "pwd" },
    command: "pwd",
    prompt: "other",
    message: "other",
    custom_instructions: "other",
  },
  result: { result: "other", child_result: "other", messages: [], permission_result: "other" },
};
/** Where a refusal of the chain's keeps what Codex was about to do, or hides what a tool answered. */
const HEEDS = EVENT_NAMES.filter((name) => "refusal" in CODEX_EVENTS[name]);

describe.each(EVENTS.map((event) => [event["hook_event_name"] as string, event] as const))(
  "Codex: %s",
  (name, event) => {
    const decoded = codexHost.decode(event);
    const known = Object.hasOwn(CODEX_EVENTS, name);

    it("keeps the whole event, with a valid payload", async () => {
      expect(decoded.payload["host"]).toEqual(event);
      expect(decoded.component).toBe("agent::codex");
      expect(decoded.child).toBe(event["agent_id"]);
      const orcs = await open();
      const { component, child } = decoded;
      const outcome = await orcs.dispatch(decoded.point, decoded.payload as never, {
        component,
        child,
      });
      expect(outcome.action).toBe("continue");
      const speaks = name === "Stop" || name === "SubagentStop";
      expect(codexHost.encode(decoded, outcome, STRICT)).toEqual({
        output: speaks ? {} : undefined,
        code: 0,
        downgrades: [],
      });
    });

    const cases = Object.keys(ACTIONS).flatMap((action) =>
      Object.keys(CHANGES).flatMap((change) =>
        [[], ["look"]].map((inject) => [action, change, inject] as const),
      ),
    );
    it("answers every action, rewritten part and text for the model", async () => {
      await eachRow(cases, async (action, change, inject) => {
        for (const options of OPTIONS) {
          const wanted = ACTIONS[action] as OutcomeAction;
          const outcome = outcomeOf(decoded, wanted, CHANGES[change], [...inject]);
          const answer = codexHost.encode(decoded, outcome, options);
          const read = codexReads(name, answer);
          expect(read.rejected).toBeUndefined();
          const refuses = action === "abort" || action === "skip";
          const heeds = !known || HEEDS.includes(name as never);
          if (refuses) {
            expect(read.blocked !== undefined).toBe(heeds);
            if (!heeds) expect(answer.downgrades.join()).toContain("which Codex ignores");
            expect(read.blocked ?? answer.message).toMatch(
              /^(denied by hook h: no|hook h skipped the tool)/,
            );
          }
          if (known && CODEX_EVENTS[name as never]["refusable"] && action === "retry") {
            expect(read.blocked).toContain("requests a retry");
          }
          const way = known && name !== "SessionEnd" ? "output" : "stderr";
          const shown = { keys: ["systemMessage"], way } as const;
          const told = codexReads(name, noticed(codexHost, decoded, outcome, options, shown));
          expect({ ...told, shown: 0, blocked: told.blocked !== undefined }).toEqual({
            ...read,
            shown: 0,
            blocked: read.blocked !== undefined,
          });
          // Nobody's permission but a hook's own, or the user's settings'.
          if (read.allowed) expect(action === "allow" || options.rewrite === "approve").toBe(true);
          if (inject.length > 0) {
            const told = JSON.stringify(answer);
            expect(told.includes("look") || told.includes("text for the model")).toBe(true);
          }
          if (change !== "nothing" && read.blocked === undefined && read.input === undefined) {
            const row = Object.keys(CHANGES[change] ?? {}).some((key) => key in decoded.payload);
            if (row && answer.message === undefined) expect(answer.downgrades).not.toEqual([]);
          }
        }
      });
    });

    it("is denied without an engine where Codex allows it; agents may stop", () => {
      const answer = codexHost.refuse(name, "the service is down");
      const read = codexReads(name, answer);
      expect(read.rejected).toBeUndefined();
      const stops = name === "Stop" || name === "SubagentStop";
      const refusable = !known || (CODEX_EVENTS[name as never]["refusable"] && !stops);
      expect(read.blocked !== undefined).toBe(refusable);
      expect(answer.message).toBe("the service is down");
      if (!refusable && name !== "SessionEnd") expect(read.shown).toBe("the service is down");
    });
  },
);

describe("Codex: real hooks", () => {
  const LUA = `
    if ctx.payload.tool_name == "exec" then
      local command = ctx.payload.args.command
      if command:find("rm %-rf") then return orcs.deny("no rm -rf") end
      if command == "careful" then return orcs.ask("sure?") end
      if command == "bless" then return orcs.allow("fine") end
      if command == "npm i" or command == "npm ci" then
        ctx.payload.args.command = "npm ci --ignore-scripts"
        if command == "npm ci" then return orcs.allow("safe") end
      end
      if command == "odd" then ctx.payload.args.timeout_ms = 5 end
    elseif ctx.payload.tool_name == "edit" then
      local args = ctx.payload.args
      if args.patch:find("move me") then args.path = { "elsewhere" } end
      if args.patch:find("typo") then
        args.patch = args.patch:gsub("typo", "right")
        return orcs.allow("mended")
      end
    elseif ctx.payload.args.query == "x" then
      ctx.payload.args.query = "y"
      return orcs.allow("better")
    end`;
  const config = {
    hooks: [
      { id: "lua", point: "tool.pre_execute", handler_inline: LUA },
      {
        id: "secrets",
        point: "PreToolUse",
        match: { tool: "apply_patch", path: "**/.env" },
        handler_inline: 'return orcs.deny("secrets")',
      },
      { id: "no", point: "auth.pre_check", handler_inline: PERMISSION() },
      {
        id: "redact",
        point: "tool.post_execute",
        handler_inline:
          'if ctx.payload.result == "key=1" then return orcs.replace("") elseif ctx.payload.result == "hint" then return orcs.inject("read the docs") end',
      },
      {
        id: "prompt",
        point: "prompt.pre_submit",
        handler_inline:
          'if ctx.payload.prompt == "bad" then return orcs.deny("rude") else ctx.payload.prompt = "PLEASE " .. ctx.payload.prompt end',
      },
      {
        id: "child",
        point: "child.post_run",
        handler_inline: 'return orcs.inject("write the tests, too")',
      },
      { id: "on", point: "agent.pre_stop", handler_inline: 'return orcs.deny("run the tests")' },
    ],
  };

  async function answer(event: JsonObject, options = STRICT): Promise<HostAnswer & { read: Read }> {
    const orcs = await open({ config });
    const decoded = codexHost.decode(event);
    const outcome = await orcs.dispatch(decoded.point, decoded.payload as never, {
      component: decoded.component,
      child: decoded.child,
    });
    const given = codexHost.encode(decoded, outcome, options);
    return { ...given, read: codexReads(decoded.event, given) };
  }
  const bash = (command: string) => toolUse("Bash", { command, description: "kept" });
  const patch = (text: string) => toolUse("apply_patch", { command: text });

  it.each<[string, JsonObject, HostOptions, Read, string?]>([
    ["denied", bash("rm -rf /"), STRICT, { blocked: "denied by hook lua: no rm -rf" }],
    ["passed", bash("ls"), STRICT, {}],
    ["approved as it is", bash("bless"), STRICT, {}, "allow at PreToolUse"],
    ["asked", bash("careful"), STRICT, { blocked: expect.stringContaining("sure?") }, "ask at"],
    ["asked, loosely", bash("careful"), LOOSE, {}, "ask at"],
    [
      "rewritten and allowed",
      bash("npm ci"),
      STRICT,
      { allowed: true, input: { command: "npm ci --ignore-scripts", description: "kept" } },
    ],
    [
      "rewritten",
      bash("npm i"),
      STRICT,
      { blocked: expect.stringContaining("none of them allows") },
    ],
    [
      "rewritten, loosely",
      bash("npm i"),
      LOOSE,
      { allowed: true, input: { command: "npm ci --ignore-scripts", description: "kept" } },
      "approved",
    ],
    [
      "more than the command",
      bash("odd"),
      LOOSE,
      { blocked: expect.stringContaining("timeout_ms") },
      "does not support",
    ],
    [
      "a patch that touches a secret second",
      patch(patchOf("*** Add File: a.txt", "  *** Add File: sub/.env")),
      STRICT,
      { blocked: "denied by hook secrets: secrets" },
    ],
    [
      "a patch that moves onto a secret",
      patch(patchOf("*** Update File: a.txt", "*** Move to: .env")),
      STRICT,
      { blocked: "denied by hook secrets: secrets" },
    ],
    [
      "a patch rewritten",
      patch(patchOf("*** Add File: typo.txt")),
      STRICT,
      { allowed: true, input: { command: patchOf("*** Add File: right.txt") } },
    ],
    [
      "a patch's files rewritten",
      patch(patchOf("*** Add File: move me")),
      LOOSE,
      { blocked: expect.stringContaining("path of apply_patch") },
      "does not support",
    ],
    [
      "another tool's arguments",
      toolUse("mcp__s__t", { query: "x", n: 1 }),
      STRICT,
      { allowed: true, input: { query: "y", n: 1 } },
    ],
    [
      "a patch run by a shell is a command",
      bash("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: .env\n+x\n*** End Patch\nEOF"),
      STRICT,
      {},
    ],
    [
      "a permission denied",
      codexEventOf("PermissionRequest", { tool_input: { command: "sudo ls" } }),
      STRICT,
      { blocked: "denied by hook no: no sudo" },
    ],
    [
      "a permission given",
      codexEventOf("PermissionRequest", { tool_input: { command: "ls" } }),
      STRICT,
      { allowed: true },
    ],
    [
      "a permission left to the user",
      codexEventOf("PermissionRequest", { tool_input: { command: "make" } }),
      STRICT,
      {},
    ],
    [
      "a permission rewritten",
      codexEventOf("PermissionRequest", { tool_input: { command: "cat" } }),
      LOOSE,
      { blocked: expect.stringContaining("for the unchanged call") },
      "does not support",
    ],
    [
      "a result taken out",
      codexEventOf("PostToolUse", { tool_response: "key=1" }),
      STRICT,
      { blocked: "(no result)" },
    ],
    [
      "a result with a hint",
      codexEventOf("PostToolUse", { tool_response: "hint" }),
      STRICT,
      { context: "read the docs" },
    ],
    [
      "a prompt refused",
      codexEventOf("UserPromptSubmit", { prompt: "bad" }),
      STRICT,
      { blocked: "denied by hook prompt: rude" },
    ],
    [
      "a prompt rewritten",
      codexEventOf("UserPromptSubmit"),
      STRICT,
      { context: "Read the user's prompt as:\nPLEASE tidy" },
      "added as context",
    ],
    [
      "a subagent that is told more",
      codexEventOf("SubagentStop"),
      STRICT,
      { blocked: "write the tests, too" },
    ],
    [
      "a subagent that was told already",
      codexEventOf("SubagentStop", { stop_hook_active: true }),
      STRICT,
      { shown: "write the tests, too" },
      "does not pass on",
    ],
    [
      "an agent that must go on",
      codexEventOf("Stop"),
      STRICT,
      { blocked: "denied by hook on: run the tests" },
    ],
  ])("%s", async (_name, event, options, read, downgrade) => {
    const given = await answer(event, options);
    expect(given.read).toEqual(read);
    const refusesRewrite = given.downgrades.length > 0 && downgrade === undefined;
    if (downgrade !== undefined) expect(given.downgrades.join("\n")).toContain(downgrade);
    else if (refusesRewrite) expect(given.downgrades.join("\n")).toContain(": denied");
  });

  function PERMISSION(): string {
    return `
      local command = ctx.payload.command
      if command:find("sudo") then return orcs.deny("no sudo") end
      if command == "ls" then return orcs.allow("harmless") end
      if command == "make" then return orcs.ask("sure?") end
      if command == "cat" then ctx.payload.args.command = "tac"; return orcs.allow("better") end`;
  }
});

describe("Codex: any hook result", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("", " ", "\u0085", "\u2028\n", "\ud800", "a\udfff", "\\ud800", "\ufeff", "\0"),
  );
  const json = fc.oneof(fc.jsonValue({ maxDepth: 4 }), text) as fc.Arbitrary<Json>;
  const decision = fc.constantFrom("allow", "ask", "defer", undefined);
  const action = fc.oneof(
    fc.record({
      action: fc.constant("continue" as const),
      hook: fc.constant("h"),
      decision,
      reason: fc.option(text, { nil: undefined }),
    }),
    text.map((reason) => ({ action: "abort" as const, reason, hook: "h" })),
    json.map((result) => ({ action: "skip" as const, result, hook: "h" })),
  ) as fc.Arbitrary<OutcomeAction>;
  const event = fc.constantFrom(
    ...EVENTS,
    toolUse("apply_patch", { command: patchOf("*** Add File: a") }),
    toolUse("mcp__s__t", { a: 1 }),
    toolUse("other", { command: "x" }),
  );
  const changed = fc.dictionary(
    fc.constantFrom("args", "command", "prompt", "result", "message", "child_result", "event"),
    fc.oneof(json, fc.dictionary(fc.constantFrom("command", "patch", "path", "q"), json)),
  );

  repeatedTest("gives output that Codex accepts, and never allows what was denied", () => {
    fc.assert(
      fc.property(
        event,
        action,
        changed,
        fc.array(text, { maxLength: 2 }),
        fc.constantFrom(...OPTIONS, { ...STRICT, notice: NOTICE }, { ...LOOSE, notice: "\udfff" }),
        (given, wanted, edits, inject, options) => {
          const decoded = codexHost.decode(given);
          const outcome = outcomeOf(decoded, wanted, edits as JsonObject, inject);
          const answer = codexHost.encode(decoded, outcome, options);
          const read = codexReads(decoded.event, answer);
          expect(read.rejected).toBeUndefined();
          if (wanted.action !== "continue" && HEEDS.includes(decoded.event as never)) {
            expect(read.blocked).toBeDefined();
          }
          const command = (read.input as JsonObject | undefined)?.["command"];
          const was = (given["tool_input"] as JsonObject | undefined)?.["command"];
          // Anything but a text there is no command to Codex.
          if (read.input !== undefined && was !== undefined) expect(typeof command).toBe("string");
          for (const line of answer.downgrades) expect(line).not.toBe("");
        },
      ),
      { numRuns: runCount(3_000) },
    );
  });

  it("that is not JSON is a denial, but keeps no agent from stopping", () => {
    const deep = JSON.parse(`${'{"a":'.repeat(60)}1${"}".repeat(60)}`) as JsonObject;
    for (const given of EVENTS) {
      const decoded = codexHost.decode(given);
      for (const bad of [deep, { f: () => 1 }, { n: Number.NaN }]) {
        const edits = { args: bad, prompt: bad, result: bad, message: bad, event: bad } as never;
        const answer = codexHost.encode(
          decoded,
          outcomeOf(decoded, { action: "continue" }, edits),
          LOOSE,
        );
        const read = codexReads(decoded.event, answer);
        expect(read.rejected).toBeUndefined();
        const guarded = ["PreToolUse", "PermissionRequest", "UserPromptSubmit", "PostToolUse"];
        if (guarded.includes(decoded.event)) expect(read.blocked).toContain("not JSON");
        if (decoded.event.endsWith("Stop")) expect(read.blocked).toBeUndefined();
      }
    }
  });

  it("with a lone surrogate in the rewritten input is a denial", () => {
    for (const [tool, sent, args] of [
      ["Bash", { command: "ls" }, { command: "ls \ud800" }],
      ["mcp__s__t", { a: 1 }, { a: ["\udfff"] }],
      ["mcp__s__t", { a: 1 }, { "\ud800": 1 }],
    ] as const) {
      const decoded = codexHost.decode(toolUse(tool, sent));
      const wanted = ACTIONS["allow"] as OutcomeAction;
      const answer = codexHost.encode(
        decoded,
        outcomeOf(decoded, wanted, { args } as never),
        LOOSE,
      );
      expect(codexReads("PreToolUse", answer).blocked).toContain("unpaired surrogate");
      expect(answer.downgrades.join()).toContain("unpaired surrogate");
    }
  });

  it("any reason denies when no engine is available", () => {
    fc.assert(
      fc.property(
        text,
        fc.constantFrom(...EVENT_NAMES, "BrandNew", "constructor", undefined),
        (why, name) => {
          const read = codexReads(name ?? "PreToolUse", codexHost.refuse(name, why));
          expect(read.rejected).toBeUndefined();
          const must = name === undefined || ["PreToolUse", "PermissionRequest"].includes(name);
          if (must) expect(read.blocked).toBeDefined();
        },
      ),
    );
  });
});
