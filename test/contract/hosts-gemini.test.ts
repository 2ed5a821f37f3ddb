import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, onTestFinished } from "vitest";
import type { HookContext } from "../../src/core/context.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { Outcome } from "../../src/core/outcome.ts";
import { POINT_TABLE } from "../../src/core/point-table.ts";
import { createOrcs } from "../../src/engine/create-orcs.ts";
import type { DecodedEvent, HostAnswer, HostOptions } from "../../src/formats/host-protocol.ts";
import { geminiHost } from "../../src/formats/gemini/host.ts";
import { faults, refuses } from "./gemini-answers.ts";
import { COMMON, NAMES, REQUEST, RESPONSE, sent, SHELL } from "./gemini-events.ts";
import { eachRow } from "./each-row.ts";
import { NOTICE, noticed } from "./noticed.ts";
import { quickTest as it, repeatedTest, runCount } from "../slow-test.ts";

const RECORDED = readFileSync(new URL("../fixtures/gemini.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as JsonObject);

const SENT: readonly (readonly [string, JsonObject])[] = [
  ...NAMES.map((name) => [`${name}, made up`, sent(name)] as const),
  ...RECORDED.map((event, i) => [`${nameOf(event)}, recorded ${i + 1}`, event] as const),
];

const hasUser = (): boolean => true;
const DENY: HostOptions = { ask: "deny", rewrite: "refuse", hasUser };
const PASS: HostOptions = { ask: "pass", rewrite: "approve", hasUser };
const BOTH = [DENY, PASS];
const TOLD: HostOptions = { ...DENY, notice: NOTICE };

/** What a hook does. A rewrite keeps every key of a tool's arguments, or Gemini CLI could not take it. */
const WISHES: Readonly<Record<string, (ctx: HookContext) => unknown>> = {
  nothing: () => undefined,
  abort: () => ({ action: "abort", reason: "no" }),
  allow: () => ({ decision: "allow", reason: "fine" }),
  ask: () => ({ decision: "ask", reason: "sure?" }),
  defer: () => ({ decision: "defer", reason: "later" }),
  skip: () => ({ action: "skip", result: "done already" }),
  retry: () => ({ action: "retry", delay_ms: 5 }),
  rewrite: (ctx) => {
    const row: { input?: string } = POINT_TABLE[ctx.hook_point as "tool.pre_execute"];
    const key = row.input ?? "note";
    const { args } = ctx.payload as { args?: object };
    if (key === "args") ctx.payload[key] = { ...args, command: "true" };
    else if (key !== "event") ctx.payload[key] = "rewritten";
    return undefined;
  },
  replace: (ctx) => ({
    action: "replace",
    result: ctx.hook_point === "tool.on_list" ? ["read", "mcp__files__stat"] : "other",
  }),
  inject: () => ({ inject: ["one", "two"] }),
};
/** Which wishes an event grants, in words of its own; any other is a downgrade, or nothing to it. */
const GRANTED: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  SessionStart: { inject: { additionalContext: "one\n\ntwo" } },
  BeforeAgent: {
    inject: { additionalContext: "one\n\ntwo" },
    rewrite: { additionalContext: "Read the user's prompt as follows:\nrewritten" },
  },
  BeforeTool: { rewrite: { tool_input: expect.objectContaining({ command: "true" }) } },
  AfterTool: { inject: { additionalContext: "one\n\ntwo" } },
  BeforeModel: {
    rewrite: {
      llm_request: {
        messages: expect.arrayContaining([{ role: "user", content: "rewritten" }]) as unknown,
      },
    },
    skip: {
      llm_response: {
        text: "done already",
        candidates: [
          {
            index: 0,
            finishReason: "STOP",
            content: { role: "model", parts: ["done already"] },
          },
        ],
      },
    },
  },
  AfterModel: {
    replace: { llm_response: expect.objectContaining({ text: "other" }) },
  },
  BeforeToolSelection: {
    replace: {
      toolConfig: { mode: "AUTO", allowedFunctionNames: ["read_file", "mcp_files_stat"] },
    },
  },
};
/** Where a notice cannot be shown. Where nothing is on stdout, what is on stderr would be the answer. */
const NOTICED = { BeforeToolSelection: "nowhere", BeforeDream: "stderr" } as Readonly<
  Record<string, "nowhere" | "stderr">
>;
/** Events at which an abort, a deferral, a skip and a retry keep the agent from going on. */
const HEEDED = ["BeforeTool", "BeforeAgent", "AfterAgent", "BeforeModel", "BeforeDream"];
/** Events at which an abort keeps the model from what is there already. */
const WITHHELD = ["AfterTool", "AfterModel"];

describe.each(Object.keys(WISHES))("Gemini CLI: a hook that returns %s", (wish) => {
  it("at every event", async () => {
    await eachRow(SENT, async (_title, event) => {
      const name = nameOf(event);
      const decoded = geminiHost.decode(event);
      const outcome = await dispatched(decoded, WISHES[wish]);
      for (const options of BOTH) {
        const answer = geminiHost.encode(decoded, outcome, options);
        expect(faults(name, answer)).toEqual([]);
        const asked = name === "BeforeTool" && (wish === "allow" || wish === "ask");
        expect(answer.output?.["decision"]).toBe(
          asked
            ? wish
            : refuses(name, answer) && name !== "BeforeToolSelection"
              ? "deny"
              : undefined,
        );
        const isRefused = HEEDED.includes(name) && outcome.action !== "continue";
        const isDeferred =
          HEEDED.includes(name) &&
          (wish === "defer" || (wish === "ask" && !asked && options === DENY));
        const isReplaced = name === "AfterTool" && wish === "replace";
        const isWithheld = WITHHELD.includes(name) && wish === "abort";
        expect(refuses(name, answer)).toBe(isRefused || isDeferred || isReplaced || isWithheld);
        expect(ownWords(answer)).toEqual(GRANTED[name]?.[wish]);
        const told = noticed(geminiHost, decoded, outcome, options, {
          keys: ["systemMessage"],
          way: NOTICED[name] ?? "output",
        });
        expect(faults(name, told)).toEqual([]);
        expect(refuses(name, told)).toBe(refuses(name, answer));
        if (wish === "nothing") expect(answer.downgrades).toEqual([]);
        // Whatever was wanted is in the answer, or in the log; where nothing is asked, allow wants nothing.
        else if (
          outcome.action !== "continue" ||
          /ask|defer/.test(outcome.decision ?? "") ||
          wish === "inject"
        ) {
          expect([...answer.downgrades, ...Object.keys(answer.output ?? {})]).not.toEqual([]);
        }
      }
    });
  });
});

describe("Gemini CLI: decoding", () => {
  it.each(SENT)("%s keeps all fields, and an engine accepts it", async (_title, event) => {
    const decoded = geminiHost.decode(event);
    expect(decoded.payload["host"]).toBe(event);
    expect(decoded).toMatchObject({ component: "agent::gemini", timeoutMs: 60_000 });
    expect(decoded.payload).toMatchObject({
      session_id: event["session_id"],
      cwd: event["cwd"],
      transcript_path: event["transcript_path"],
    });
    const outcome = await dispatched(decoded, undefined);
    expect(outcome.action).toBe("continue");
    expect(geminiHost.encode(decoded, outcome, DENY).downgrades).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ["SessionStart", { source: "resume" }],
    ["SessionEnd", { reason: "prompt_input_exit" }],
    ["BeforeAgent", { prompt: "tidy up" }],
    ["AfterAgent", { message: "done", stop_hook_active: true }],
    [
      "BeforeModel",
      {
        prompt: "the notes",
        model_name: "gemini-2.5-flash",
        messages: REQUEST.messages,
        available_tools: ["exec", "mcp_files_stat"],
      },
    ],
    [
      "AfterModel",
      {
        prompt: "the notes",
        response_text: "hello",
        usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
      },
    ],
    ["BeforeToolSelection", { query: "the notes", result: ["exec", "mcp_files_stat"] }],
    [
      "BeforeTool",
      {
        tool_name: "exec",
        tool: "exec",
        args: { command: "git push", cwd: "src", description: "push" },
      },
    ],
    [
      "AfterTool",
      { tool_name: "exec", result: { llmContent: "pushed", returnDisplay: "pushed!" } },
    ],
    ["PreCompress", { trigger: "manual" }],
    ["Notification", { message: "Tool Shell requires execution", kind: "ToolPermission" }],
    ["BeforeDream", { event: "BeforeDream" }],
  ])("%s has the canonical names", (name, payload) => {
    const decoded = geminiHost.decode(sent(name));
    expect(decoded.payload).toMatchObject(payload);
    expect(decoded.point).toBe(geminiHost.events[name]?.point ?? "host.pre_event");
  });

  it("an MCP server's tool has its server", () => {
    const decoded = geminiHost.decode({
      ...sent("BeforeTool"),
      tool_name: "mcp_my_files_read_file",
      tool_input: { path: "a" },
      mcp_context: { server_name: "my_files", tool_name: "read_file" },
    });
    expect(decoded.payload).toMatchObject({
      tool_name: "mcp__my_files__read_file",
      args: { path: "a" },
    });
  });

  it.each<[string, JsonObject, string]>([
    ["BeforeTool", { tool_name: null }, "tool_name is not of the type string"],
    ["BeforeTool", { tool_input: "ls" }, "tool_input is not of the type object"],
    ["AfterTool", { tool_input: [] }, "tool_input is not of the type object"],
    ["BeforeAgent", { prompt: 1 }, "prompt is not of the type string"],
    ["BeforeModel", { llm_request: [] }, "llm_request is not of the type object"],
    ["AfterModel", { llm_response: null }, "llm_response is not of the type object"],
    ["BeforeTool", { hook_event_name: 7 }, "hook_event_name is not of the type string"],
  ])("%s with %j is rejected", (name, wrong, why) => {
    expect(() => geminiHost.decode({ ...sent(name), ...wrong })).toThrow(
      expect.objectContaining({
        code: "ORCS7001",
        message: expect.stringContaining(why) as string,
      }),
    );
  });

  it("an optional field of another type is ignored", () => {
    const event = {
      ...sent("AfterAgent"),
      prompt_response: 5,
      stop_hook_active: "yes",
      session_id: 1,
    };
    expect(geminiHost.decode(event).payload).toEqual({
      cwd: COMMON.cwd,
      transcript_path: COMMON.transcript_path,
      host: event,
    });
  });

  it("event names like __proto__ are ordinary names", () => {
    for (const name of ["__proto__", "constructor", "toString"]) {
      const event = { ...COMMON, hook_event_name: name };
      expect(geminiHost.decode(event)).toMatchObject({
        point: "host.pre_event",
        payload: { event: name },
      });
    }
  });
});

describe("Gemini CLI: results without an exact equivalent", () => {
  it("removing a key from tool input is a denial", async () => {
    const answer = await answered("BeforeTool", (ctx) => {
      ctx.payload["args"] = { command: "true", cwd: "src" };
    });
    expect(answer.output).toEqual({
      decision: "deny",
      reason: "hooks removed description from the tool's input, but Gemini CLI may keep it",
    });
    expect(answer.downgrades).toHaveLength(1);
  });

  it("rewritten input is sent whole, with the agent's keys", async () => {
    const answer = await answered("BeforeTool", (ctx) => {
      ctx.payload["args"] = {
        command: "true",
        cwd: "lib",
        description: "push",
        is_background: false,
      };
    });
    expect(ownWords(answer)).toEqual({
      tool_input: { command: "true", dir_path: "lib", description: "push", is_background: false },
    });
  });

  it("ask shows the reason to the user, with rewritten input", async () => {
    const answer = await answered("BeforeTool", (ctx) => {
      (ctx.payload["args"] as JsonObject)["command"] = "git push --dry-run";
      return { decision: "ask", reason: "sure?" };
    });
    expect(answer.output).toMatchObject({
      decision: "ask",
      reason: "sure?",
      systemMessage: "sure?",
      hookSpecificOutput: { tool_input: { command: "git push --dry-run" } },
    });
  });

  it("injected text is added to a reason that the model reads, else dropped with a note", async () => {
    const hook = () => ({ inject: "hint" });
    const abort = () => ({ action: "abort", reason: "no" });
    for (const [name, told] of [
      ["BeforeTool", true],
      ["AfterAgent", true],
      ["BeforeAgent", false],
      ["BeforeModel", false],
    ] as const) {
      const answer = await answered(name, hook, abort);
      expect(answer.output).toEqual({
        decision: "deny",
        reason: `denied by hook wish-1: no${told ? "\n\nhint" : ""}`,
      });
      expect(answer.downgrades).toHaveLength(told ? 0 : 1);
    }
  });

  it.each<[string, unknown, string]>([
    ["a text", "other", "other"],
    ["what was meant for the model", { llmContent: "new", returnDisplay: "x" }, "new"],
    ["parts", { llmContent: [{ text: "a" }, "b", { inlineData: 1 }] }, 'a\nb\n{"inlineData":1}'],
    ["an object", { ok: false }, '{"ok":false}'],
    ["nothing", "", "a hook removed the result"],
  ])("a tool result replaced by %s", async (_title, result, reason) => {
    const answer = await answered("AfterTool", () => ({ action: "replace", result }));
    expect(answer.output).toEqual({ decision: "deny", reason });
    expect(answer.downgrades).toHaveLength(1);
  });

  it.each<[string, JsonObject]>([
    ["AfterTool", { decision: "deny" }],
    ["AfterModel", { continue: false, decision: "deny" }],
    ["BeforeToolSelection", { hookSpecificOutput: { toolConfig: { mode: "NONE" } } }],
    ["Notification", { systemMessage: "denied by hook wish-0: hook wish-0 failed: broken" }],
  ])("%s: a hook failing closed denies where possible", async (name, output) => {
    const answer = await answered(name, BROKEN);
    expect(answer.output).toMatchObject(output);
    expect(JSON.stringify(answer)).toContain("broken");
  });
});

describe("Gemini CLI: model requests and responses", () => {
  const { messages } = REQUEST;

  it.each<[string, (payload: Record<string, unknown>) => void, unknown]>([
    ["model", (p) => (p["model_name"] = "gemini-3-pro"), { model: "gemini-3-pro" }],
    [
      "prompt",
      (p) => (p["prompt"] = "[gone]"),
      { messages: [...messages.slice(0, 2), { role: "user", content: "[gone]" }] },
    ],
    [
      "an older message",
      (p) => (p["messages"] = [{ role: "user", content: "[gone]" }, ...messages.slice(1)]),
      { messages: [{ role: "user", content: "[gone]" }, ...messages.slice(1)] },
    ],
    [
      "prompt and an older message",
      (p) => {
        p["prompt"] = "[b]";
        p["messages"] = [{ role: "user", content: "[a]" }, ...messages.slice(1)];
      },
      {
        messages: [{ role: "user", content: "[a]" }, messages[1], { role: "user", content: "[b]" }],
      },
    ],
    [
      "one more",
      (p) => (p["messages"] = [...messages, { role: "user", content: "be brief" }]),
      { messages: [...messages, { role: "user", content: "be brief" }] },
    ],
  ])("%s can be rewritten", async (_title, edit, llm_request) => {
    const answer = await answered("BeforeModel", (ctx) => {
      edit(ctx.payload);
    });
    expect(answer).toEqual({
      code: 0,
      downgrades: [],
      output: { hookSpecificOutput: { hookEventName: "BeforeModel", llm_request } },
    });
  });

  it.each<[string, (payload: Record<string, unknown>) => void]>([
    ["a message taken out", (p) => (p["messages"] = messages.slice(1))],
    ["a message of parts", (p) => (p["messages"] = [...messages, { role: "user", content: [] }])],
    [
      "a message of nobody's",
      (p) => (p["messages"] = [...messages, { role: "tool", content: "" }]),
    ],
    [
      "two texts for one prompt",
      (p) => {
        p["prompt"] = "[b]";
        p["messages"] = [...messages.slice(0, 2), { role: "user", content: "[a]" }];
      },
    ],
  ])("%s is a denial", async (_title, edit) => {
    const answer = await answered("BeforeModel", (ctx) => {
      edit(ctx.payload);
    });
    expect(answer.output).toMatchObject({ decision: "deny" });
    expect(ownWords(answer)).toBeUndefined();
    expect(answer.downgrades).toHaveLength(1);
  });

  it("unsupported changes are dropped with a note", async () => {
    const answer = await answered("BeforeModel", (ctx) => {
      ctx.payload["available_tools"] = [];
      ctx.payload["system_prompt"] = "be kind";
    });
    expect(answer.output).toEqual({});
    expect(answer.downgrades).toHaveLength(2);
  });

  it("a prompt can be set without earlier messages", async () => {
    const decoded = geminiHost.decode({ ...sent("BeforeModel"), llm_request: { model: "m" } });
    const outcome = await dispatched(decoded, (ctx) => void (ctx.payload["prompt"] = "hi"));
    expect(ownWords(geminiHost.encode(decoded, outcome, DENY))).toEqual({
      llm_request: { messages: [{ role: "user", content: "hi" }] },
    });
  });

  it("skip with a response, also in tool form, replaces the model call", async () => {
    for (const result of ["hi", { ok: true, text: "hi" }]) {
      const answer = await answered("BeforeModel", () => ({ action: "skip", result }));
      expect(answer.output).toMatchObject({ decision: "deny" });
      expect(ownWords(answer)).toMatchObject({
        llm_response: { text: "hi", candidates: [{ content: { parts: ["hi"] } }] },
      });
    }
  });

  it("a replaced response keeps finish reason and usage; an empty one is valid", async () => {
    for (const result of ["[gone]", ""]) {
      const answer = await answered("AfterModel", () => ({ action: "replace", result }));
      expect(ownWords(answer)).toEqual({
        llm_response: {
          ...RESPONSE,
          text: result,
          candidates: [
            { index: 0, finishReason: "STOP", content: { role: "model", parts: [result] } },
          ],
        },
      });
    }
  });

  it.each<[string, unknown, unknown]>([
    ["none", [], { mode: "NONE" }],
    [
      "ours, Gemini's own and one twice",
      ["exec", "google_web_search", "grep", "search_file_content", "run_shell_command"],
      {
        mode: "AUTO",
        allowedFunctionNames: [
          "run_shell_command",
          "google_web_search",
          "grep_search",
          "search_file_content",
        ],
      },
    ],
    ["no list", "exec", { mode: "NONE" }],
    ["no names", [1], { mode: "NONE" }],
  ])("tool selection: %s", async (_title, result, toolConfig) => {
    const answer = await answered("BeforeToolSelection", () => ({ action: "replace", result }));
    expect(ownWords(answer)).toEqual({ toolConfig });
  });
});

describe("Gemini CLI: an internal failure denies", () => {
  it.each(NAMES)("%s", (name) => {
    const answer = geminiHost.refuse(name, "ORCS1015: mistakes");
    expect(faults(name, answer)).toEqual([]);
    expect(JSON.stringify(answer)).toContain("ORCS1015: mistakes");
    const refusable = geminiHost.events[name]?.refusable ?? name === "BeforeDream";
    expect(refuses(name, answer)).toBe(refusable && name !== "AfterAgent");
  });

  it("an unreadable event by ending the agent's turn, without keeping it from stopping", () => {
    expect(geminiHost.refuse(undefined, "why")).toEqual({
      output: { continue: false, stopReason: "why", decision: "deny", reason: "why" },
      code: 0,
      downgrades: [],
    });
  });
});

describe("Gemini CLI: Lua hooks end to end", () => {
  it.each<[string, string, string, JsonObject]>([
    [
      "BeforeTool",
      "match = { tool = 'run_shell_command|exec', command = 'git\\s+push' }",
      'return orcs.deny("never push from " .. ctx.payload.args.cwd)',
      { decision: "deny", reason: "denied by hook lua: never push from src" },
    ],
    [
      "BeforeTool",
      "match = { path = 'src' }",
      'ctx.payload.args.command = "git status"',
      {
        hookSpecificOutput: {
          hookEventName: "BeforeTool",
          tool_input: { ...SHELL.tool_input, command: "git status" },
        },
      },
    ],
    [
      "BeforeToolSelection",
      "",
      'return orcs.replace({ "exec" })',
      {
        hookSpecificOutput: {
          hookEventName: "BeforeToolSelection",
          toolConfig: { mode: "AUTO", allowedFunctionNames: ["run_shell_command"] },
        },
      },
    ],
    [
      "AfterAgent",
      "",
      'if not ctx.payload.stop_hook_active then return orcs.deny("test first") end',
      {},
    ],
  ])("%s %s %s", async (name, match, body, output) => {
    const dir = mkdtempSync(join(tmpdir(), "orcs-gemini-"));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const config = join(dir, "orcs.toml");
    const decoded = geminiHost.decode(sent(name));
    const { point, payload, component } = decoded;
    const hook = ["[[hooks]]", "id = 'lua'", `point = '${point}'`, match];
    writeFileSync(config, [...hook, `handler_inline = '''${body}'''`].join("\n"));
    const orcs = await createOrcs({ config, logger: SILENT });
    onTestFinished(() => orcs.close());
    const outcome = (await orcs.dispatch(point, payload, { component })) as Outcome;
    const answer = geminiHost.encode(decoded, outcome, DENY);
    expect(answer).toEqual({ output, code: 0, downgrades: [] });
    expect(faults(name, answer)).toEqual([]);
  });
});

describe("Gemini CLI: any JSON", () => {
  const json = fc
    .jsonValue({ maxDepth: 3 })
    .map((value) => JSON.parse(JSON.stringify(value)) as never);
  const name = fc.constantFrom(...NAMES);
  const keys = fc.constantFrom(
    ..."args result prompt messages model_name response_text message available_tools host".split(
      " ",
    ),
  );

  repeatedTest("as a hook result gives output that the event accepts", () => {
    fc.assert(
      fc.property(
        name,
        fc.dictionary(keys, json),
        fc.constantFrom("continue", "abort", "skip", "retry"),
        json,
        fc.constantFrom(undefined, "allow", "ask", "defer"),
        fc.array(fc.string({ minLength: 1 })),
        fc.constantFrom(...BOTH, TOLD),
        (event, edits, action, result, decision, inject, options) => {
          const decoded = geminiHost.decode(sent(event));
          const payload = { ...decoded.payload, ...edits };
          const outcome = {
            ctx: { payload },
            inject,
            action,
            hook: "h",
            reason: "why",
            result,
            delay_ms: 1,
            ...(action === "continue" && { decision }),
          } as unknown as Outcome;
          const answer = geminiHost.encode(decoded, outcome, options);
          // A chain sees to it that these are texts.
          if (["model_name"].some((key) => key in edits)) return;
          expect(faults(event, answer)).toEqual([]);
        },
      ),
      { numRuns: runCount(2_000) },
    );
  });

  repeatedTest("as an event is decoded or rejected with ORCS7001", () => {
    const fields = fc.constantFrom(
      ..."tool_name tool_input llm_request llm_response prompt cwd tool_response mcp_context".split(
        " ",
      ),
    );
    fc.assert(
      fc.property(name, fc.dictionary(fields, json), (event, wrong) => {
        let decoded: DecodedEvent;
        try {
          decoded = geminiHost.decode({ ...sent(event), ...wrong });
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: "ORCS7001" });
          return;
        }
        const outcome = { ctx: { payload: decoded.payload }, inject: [], action: "continue" };
        const answer = geminiHost.encode(decoded, outcome as unknown as Outcome, DENY);
        expect(answer.output ?? {}).toEqual({});
      }),
      { numRuns: runCount(2_000) },
    );
  });

  it("a result that is not JSON is a denial", () => {
    const decoded = geminiHost.decode(sent("BeforeTool"));
    const payload = { ...decoded.payload, args: { at: new Date() } };
    const outcome = { ctx: { payload }, inject: [], action: "continue" } as unknown as Outcome;
    expect(geminiHost.encode(decoded, outcome, DENY).output).toMatchObject({ decision: "deny" });
  });
});

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

function nameOf(event: JsonObject): string {
  return event["hook_event_name"] as string;
}

type Handler = (ctx: HookContext) => unknown;

function BROKEN(): never {
  throw new Error("broken");
}

/** What a real chain comes to. */
async function dispatched(
  { point, payload, component }: DecodedEvent,
  ...handlers: readonly (Handler | undefined)[]
): Promise<Outcome> {
  const hooks = handlers
    .filter((handler) => handler !== undefined)
    .map((handler, i) => {
      const hook = { id: `wish-${i}`, point, handler: handler as () => undefined };
      return handler === BROKEN ? Object.assign(hook, { onError: "closed" as const }) : hook;
    });
  const orcs = await createOrcs({ config: false, logger: SILENT, hooks });
  onTestFinished(() => orcs.close());
  return (await orcs.dispatch(point, payload, { component })) as Outcome;
}

async function answered(name: string, ...handlers: readonly Handler[]): Promise<HostAnswer> {
  const decoded = geminiHost.decode(sent(name));
  const answer = geminiHost.encode(decoded, await dispatched(decoded, ...handlers), DENY);
  expect(faults(name, answer)).toEqual([]);
  return answer;
}

/** What an answer says in its event's own words. */
function ownWords({ output }: HostAnswer): unknown {
  const own = output?.["hookSpecificOutput"] as JsonObject | undefined;
  if (own === undefined) return undefined;
  const { hookEventName: _, ...words } = own;
  return words;
}
