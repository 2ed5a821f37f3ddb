import { describe, expect, it } from "vitest";
import type { HookContext } from "../../src/core/context.ts";
import type { HostName } from "../../src/core/hosts.ts";
import type { Json, JsonObject } from "../../src/core/json.ts";
import type { HostAnswer, HostOptions } from "../../src/formats/host-protocol.ts";
import { HOSTS } from "../../src/formats/hosts.ts";
import { open } from "../unit/engine/orcs/engine.ts";
import { codexEventOf, patchOf, toolUse } from "../unit/formats/codex-events.ts";
import { codexReads } from "../unit/formats/codex-reads.ts";
import type { Read } from "../unit/formats/codex-reads.ts";
import { REQUEST, RESPONSE, sent as geminiEvent } from "./gemini-events.ts";
import { recorded } from "./host-effects.ts";
import { ORACLES } from "./oracles.ts";
import { RECORDED as QWEN_RECORDED, sent as qwenEvent } from "./qwen-events.ts";
import { DENY, PASS, WISHES } from "./wishes.ts";

/** What an agent has of its own, by real chains: what no row of its matrix says. */

type Handler = (ctx: HookContext) => unknown;

/** A hook that fails, and fails closed. */
function BROKEN(): never {
  throw new Error("broken");
}

/** The response to an event at which these hooks are. */
async function said(
  host: HostName,
  sent: JsonObject,
  handler: Handler | readonly Handler[],
  options: HostOptions = DENY,
): Promise<HostAnswer> {
  const protocol = await HOSTS[host].load();
  const decoded = protocol.decode(sent);
  const { point, payload, component, child } = decoded;
  const hooks = [handler].flat().map((each, i, all) => {
    const hook = { id: i === all.length - 1 ? "h" : `h${i}`, point, handler: each as never };
    return each === BROKEN ? Object.assign(hook, { onError: "closed" as const }) : hook;
  });
  const orcs = await open({ config: false, hooks });
  const outcome = await orcs.dispatch(point, payload as never, { component, child });
  const answer = protocol.encode(decoded, outcome as never, options);
  expect(ORACLES[host].faults(decoded.event, answer)).toEqual([]);
  return answer;
}

/** The first recorded event of a name, and of a tool. */
async function first(host: HostName, event: string, tool?: string): Promise<JsonObject> {
  const { decode } = await HOSTS[host].load();
  const found = recorded(host).find(
    (sent) =>
      decode(sent).event === event &&
      (!tool || sent["tool_name"] === tool || sent["toolName"] === tool),
  );
  if (!found) throw new Error(`no event ${event} ${tool} of ${host}`);
  return found;
}

/** What an answer says in its event's own words. */
function ownWords({ output }: HostAnswer): unknown {
  const own = output?.["hookSpecificOutput"] as JsonObject | undefined;
  if (own === undefined) return undefined;
  const { hookEventName: _, ...words } = own;
  return words;
}

const injects =
  (...inject: readonly unknown[]): Handler =>
  () => ({ inject });
const wish = (name: string): Handler => WISHES[name] as Handler;

const USER: HostOptions = { ...DENY, hasUser: () => true };
const answered = (name: string, ...handlers: readonly Handler[]): Promise<HostAnswer> =>
  said("gemini", geminiEvent(name), handlers, USER);

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
        reason: `denied by hook h: no${told ? "\n\nhint" : ""}`,
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
    ["Notification", { systemMessage: "denied by hook h: hook h failed: broken" }],
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
    const event = { ...geminiEvent("BeforeModel"), llm_request: { model: "m" } };
    const answer = await said("gemini", event, (ctx) => void (ctx.payload["prompt"] = "hi"));
    expect(ownWords(answer)).toEqual({
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

describe("Cursor", () => {
  it.each(["preToolUse", "beforeReadFile", "beforeTabFileRead", "beforeSubmitPrompt"])(
    "ask at %s is a denial or nothing, with a log line",
    async (event) => {
      const sent = await first("cursor", event);
      for (const [options, effect] of [
        [DENY, "denied"],
        [PASS, "ignored"],
      ] as const) {
        const { downgrades } = await said("cursor", sent, wish("ask"), options);
        expect(downgrades).toEqual([`ask at ${event}, which Cursor does not support: ${effect}`]);
      }
    },
  );

  it.each<[string, Handler, Json]>([
    ["a replaced result", wish("replace"), [{ type: "text", text: "other" }]],
    [
      "one in the form of a server",
      () => ({ action: "replace", result: { content: [{ type: "text", text: "cut" }] } }),
      [{ type: "text", text: "cut" }],
    ],
    ["a failed hook", BROKEN, [{ type: "text", text: "denied by hook h: hook h failed: broken" }]],
  ])("%s of an MCP tool reaches the model", async (_title, handler, content) => {
    const sent = await first("cursor", "postToolUse", "MCP:create_issue");
    const answer = await said("cursor", sent, handler);
    expect(answer.output).toEqual({ updated_mcp_tool_output: { content } });
  });

  it("of a tool of its own, the model reads the original result", async () => {
    const answer = await said(
      "cursor",
      await first("cursor", "postToolUse", "Shell"),
      wish("replace"),
    );
    expect(answer.output).toEqual({});
    expect(answer.downgrades.join()).toContain("the model reads the original result");
  });

  it("a user_message injection follows a subagent", async () => {
    const sent = await first("cursor", "subagentStop");
    const message = { content: "check it", strategy: "user_message" };
    const answer = await said("cursor", sent, injects(message, "lost"));
    expect(answer.output).toEqual({ followup_message: "check it" });
    expect(answer.downgrades).toHaveLength(1);
  });

  it("injected text is sent with a question, and reported where a denial takes none", async () => {
    const tells =
      (words: object): Handler =>
      () => ({ inject: ["look"], ...words });
    const shell = await first("cursor", "beforeShellExecution");
    const asked = await said("cursor", shell, tells({ decision: "ask", reason: "sure?" }));
    expect(asked.output).toEqual({
      permission: "ask",
      user_message: "sure?",
      agent_message: "sure?\n\nlook",
    });
    const reads = await first("cursor", "beforeReadFile");
    const denied = await said("cursor", reads, tells({ decision: "defer" }));
    expect(ORACLES.cursor.refuses("beforeReadFile", denied)).toBe(true);
    expect(denied.downgrades.join()).toContain("text for the model");
  });

  it("context longer than Cursor accepts is truncated", async () => {
    const sent = await first("cursor", "sessionStart");
    const answer = await said("cursor", sent, injects(`${"a".repeat(9_999)}😀`));
    expect(answer.output).toEqual({ additional_context: "a".repeat(9_999) });
    expect(answer.downgrades.join()).toContain("10001 characters");
  });

  it("a denial has the older keys as well", async () => {
    const reason = "denied by hook h: no";
    const answer = await said(
      "cursor",
      await first("cursor", "beforeShellExecution"),
      wish("abort"),
    );
    expect(answer.output).toEqual({
      permission: "deny",
      continue: false,
      user_message: reason,
      agent_message: reason,
      userMessage: reason,
      agentMessage: reason,
    });
  });
});

describe("Copilot CLI", () => {
  it("an argument is rewritten in the spelling in which it was sent, with the other keys", async () => {
    const answer = await said("copilot", await first("copilot", "PreToolUse", "Edit"), (ctx) => {
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
    const sent = recorded("copilot").find((each) => typeof each["tool_input"] === "string") ?? {};
    const seen: unknown[] = [];
    const answer = await said("copilot", sent, (ctx) => {
      const args = ctx.payload["args"] as Record<string, unknown>;
      seen.push(ctx.payload["tool_name"], args["path"]);
      args["patch"] = String(args["patch"]).replace("hello", "bye");
      return undefined;
    });
    expect(seen).toEqual(["edit", ["new.txt"]]);
    expect(answer.output?.["modifiedArgs"]).toContain("+bye");
    const emptied = await said("copilot", sent, (ctx) => {
      (ctx.payload["args"] as Record<string, unknown>)["patch"] = " ";
      return undefined;
    });
    expect(ORACLES.copilot.refuses("PreToolUse", emptied)).toBe(true);
    expect(emptied.downgrades.join()).toContain("ignores an empty text");
    const other = await said("copilot", sent, (ctx) => {
      (ctx.payload["args"] as Record<string, unknown>)["path"] = ["other.txt"];
      return undefined;
    });
    expect(ORACLES.copilot.refuses("PreToolUse", other)).toBe(true);
    expect(other.downgrades.join()).toContain("path");
  });

  it("half a character in the reason of a decision makes no response unreadable", async () => {
    const asks = { action: "continue", decision: "ask", reason: "sure\ud800?" } as const;
    const answer = await said("copilot", await first("copilot", "PreToolUse"), () => asks);
    expect(answer.output?.["permissionDecisionReason"]).toBe("sure\ufffd?");
  });

  it("a result that is too long to be read is withheld", async () => {
    const long = "x".repeat(11 * 2 ** 20);
    const answer = await said("copilot", await first("copilot", "PostToolUse"), () => ({
      action: "replace",
      result: long,
    }));
    expect(ORACLES.copilot.refuses("PostToolUse", answer)).toBe(true);
    expect(answer.downgrades.join()).toContain("bytes");
  });

  it("an answer in place of the model that is too long to be read denies the prompt", async () => {
    const long = "x".repeat(11 * 2 ** 20);
    const sent = await first("copilot", "UserPromptSubmit");
    const answer = await said("copilot", sent, () => ({ action: "skip", result: long }));
    expect(ORACLES.copilot.refuses("UserPromptSubmit", answer)).toBe(true);
    expect(answer.downgrades.join()).toContain("bytes");
  });

  it("text for the model stands beside a denial of a call", async () => {
    const sent = await first("copilot", "PreToolUse");
    const answer = await said("copilot", sent, [injects("look"), wish("abort")]);
    expect(answer.output).toEqual({
      additionalContext: "look",
      permissionDecision: "deny",
      permissionDecisionReason: "denied by hook h: no",
    });
  });

  it("a denied result of a subagent is replaced: a block would make it continue", async () => {
    const answer = await said("copilot", await first("copilot", "SubagentStop"), wish("abort"));
    expect(answer.output).toEqual({ modifiedResponse: "denied by hook h: no" });
  });

  it("an event in its own format is the same as in the shared one", async () => {
    const { decode } = await HOSTS.copilot.load();
    for (const event of ["PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Stop"]) {
      const both = recorded("copilot").filter((each) => decode(each).event === event);
      const own = both.find((each) => each["sessionId"] !== undefined) ?? {};
      const shared = both.find((each) => each["hook_event_name"] === event) ?? {};
      const [one, other] = [decode(own), decode(shared)];
      expect([one.event, one.point]).toEqual([event, other.point]);
      for (const key of ["tool_name", "prompt", "source"]) {
        expect(typeof one.payload[key]).toBe(typeof other.payload[key]);
      }
    }
  });
});

describe("Qwen Code", () => {
  it("a rewritten call is denied, and the model reads the arguments under Qwen Code's keys", async () => {
    const answer = await said("qwen", qwenEvent("PreToolUse", "edit"), (ctx) => {
      const args = ctx.payload["args"] as Record<string, unknown>;
      expect(Object.keys(args)).toEqual(["path", "old_string", "new_string"]);
      args["new_string"] = "z";
      return undefined;
    });
    expect(ORACLES.qwen.refuses("PreToolUse", answer)).toBe(true);
    expect(answer.output?.["stopReason"]).toContain(
      '{"file_path":"/home/dev/project/w.txt","old_string":"x","new_string":"z"}',
    );
  });

  it("an approved request is rewritten under Qwen Code's keys", async () => {
    const call = { tool_name: "write_file", tool_input: { file_path: "/a", content: "x" } };
    const event = { ...qwenEvent("PermissionRequest"), ...call };
    const answer = await said("qwen", event, (ctx) => {
      (ctx.payload["args"] as Record<string, unknown>)["path"] = "/b";
      return { action: "continue", decision: "allow" };
    });
    const decision = { behavior: "allow", updatedInput: { file_path: "/b", content: "x" } };
    expect(answer.output).toEqual({
      hookSpecificOutput: { hookEventName: "PermissionRequest", decision },
    });
  });

  it("a masked result reaches the model as the text of its own, with what hooks add", async () => {
    const event = qwenEvent("PostToolUse", "run_shell_command");
    const answer = await said("qwen", event, [
      injects("look"),
      (ctx) => {
        const result = ctx.payload["result"] as Record<string, unknown>;
        const masked = { ...result, llmContent: [{ text: "MASKED" }, { text: "two" }] };
        return { action: "replace", result: masked };
      },
    ]);
    expect(answer.output).toEqual({ continue: false, stopReason: "MASKED\ntwo\n\nlook" });
  });

  it("text for the model is in the reason of a denial", async () => {
    const answer = await said("qwen", qwenEvent("PreToolUse"), [injects("look"), wish("abort")]);
    expect(answer.output?.["stopReason"]).toBe("denied by hook h: no\n\nlook");
  });

  it("a result of a tool that is sent as a prompt is none", async () => {
    const { decode } = await HOSTS.qwen.load();
    const prompts = QWEN_RECORDED.filter((each) => each["hook_event_name"] === "UserPromptSubmit");
    const points = prompts.map((each) => [each["prompt"], decode(each).point]);
    expect(points).toContainEqual(["do it", "prompt.pre_submit"]);
    expect(points).toContainEqual(["", "host.pre_event"]);
  });
});

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

  async function answer(event: JsonObject, options = DENY): Promise<HostAnswer & { read: Read }> {
    const codex = await HOSTS.codex.load();
    const orcs = await open({ config });
    const decoded = codex.decode(event);
    const { point, payload, component, child } = decoded;
    const outcome = await orcs.dispatch(point, payload as never, { component, child });
    const given = codex.encode(decoded, outcome as never, options);
    return { ...given, read: codexReads(decoded.event, given) };
  }
  const bash = (command: string) => toolUse("Bash", { command, description: "kept" });
  const patch = (text: string) => toolUse("apply_patch", { command: text });

  it.each<[string, JsonObject, HostOptions, Read, string?]>([
    ["denied", bash("rm -rf /"), DENY, { blocked: "denied by hook lua: no rm -rf" }],
    ["passed", bash("ls"), DENY, {}],
    ["approved as it is", bash("bless"), DENY, {}, "allow at PreToolUse"],
    ["asked", bash("careful"), DENY, { blocked: expect.stringContaining("sure?") }, "ask at"],
    ["asked, loosely", bash("careful"), PASS, {}, "ask at"],
    [
      "rewritten and allowed",
      bash("npm ci"),
      DENY,
      { allowed: true, input: { command: "npm ci --ignore-scripts", description: "kept" } },
    ],
    ["rewritten", bash("npm i"), DENY, { blocked: expect.stringContaining("none of them allows") }],
    [
      "rewritten, loosely",
      bash("npm i"),
      PASS,
      { allowed: true, input: { command: "npm ci --ignore-scripts", description: "kept" } },
      "approved",
    ],
    [
      "more than the command",
      bash("odd"),
      PASS,
      { blocked: expect.stringContaining("timeout_ms") },
      "does not support",
    ],
    [
      "a patch that touches a secret second",
      patch(patchOf("*** Add File: a.txt", "  *** Add File: sub/.env")),
      DENY,
      { blocked: "denied by hook secrets: secrets" },
    ],
    [
      "a patch that moves onto a secret",
      patch(patchOf("*** Update File: a.txt", "*** Move to: .env")),
      DENY,
      { blocked: "denied by hook secrets: secrets" },
    ],
    [
      "a patch rewritten",
      patch(patchOf("*** Add File: typo.txt")),
      DENY,
      { allowed: true, input: { command: patchOf("*** Add File: right.txt") } },
    ],
    [
      "a patch's files rewritten",
      patch(patchOf("*** Add File: move me")),
      PASS,
      { blocked: expect.stringContaining("path of apply_patch") },
      "does not support",
    ],
    [
      "another tool's arguments",
      toolUse("mcp__s__t", { query: "x", n: 1 }),
      DENY,
      { allowed: true, input: { query: "y", n: 1 } },
    ],
    [
      "a patch run by a shell is a command",
      bash("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: .env\n+x\n*** End Patch\nEOF"),
      DENY,
      {},
    ],
    [
      "a permission denied",
      codexEventOf("PermissionRequest", { tool_input: { command: "sudo ls" } }),
      DENY,
      { blocked: "denied by hook no: no sudo" },
    ],
    [
      "a permission given",
      codexEventOf("PermissionRequest", { tool_input: { command: "ls" } }),
      DENY,
      { allowed: true },
    ],
    [
      "a permission left to the user",
      codexEventOf("PermissionRequest", { tool_input: { command: "make" } }),
      DENY,
      {},
    ],
    [
      "a permission rewritten",
      codexEventOf("PermissionRequest", { tool_input: { command: "cat" } }),
      PASS,
      { blocked: expect.stringContaining("for the unchanged call") },
      "does not support",
    ],
    [
      "a result taken out",
      codexEventOf("PostToolUse", { tool_response: "key=1" }),
      DENY,
      { blocked: "(no result)" },
    ],
    [
      "a result with a hint",
      codexEventOf("PostToolUse", { tool_response: "hint" }),
      DENY,
      { context: "read the docs" },
    ],
    [
      "a prompt refused",
      codexEventOf("UserPromptSubmit", { prompt: "bad" }),
      DENY,
      { blocked: "denied by hook prompt: rude" },
    ],
    [
      "a prompt rewritten",
      codexEventOf("UserPromptSubmit"),
      DENY,
      { context: "Read the user's prompt as:\nPLEASE tidy" },
      "added as context",
    ],
    [
      "a subagent that is told more",
      codexEventOf("SubagentStop"),
      DENY,
      { blocked: "write the tests, too" },
    ],
    [
      "a subagent that was told already",
      codexEventOf("SubagentStop", { stop_hook_active: true }),
      DENY,
      { shown: "write the tests, too" },
      "does not pass on",
    ],
    [
      "an agent that must go on",
      codexEventOf("Stop"),
      DENY,
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

describe("Codex", () => {
  it.each<[string, JsonObject, JsonObject]>([
    ["Bash", { command: "ls" }, { command: "ls \ud800" }],
    ["mcp__s__t", { a: 1 }, { a: ["\udfff"] }],
    ["mcp__s__t", { a: 1 }, { "\ud800": 1 }],
  ])("%s with half a character in the rewritten input is a denial", async (tool, sent, args) => {
    const rewrites: Handler = (ctx) => {
      ctx.payload["args"] = args;
      return { action: "continue", decision: "allow" };
    };
    const answer = await said("codex", toolUse(tool, sent), rewrites, PASS);
    expect(codexReads("PreToolUse", answer).blocked).toContain("unpaired surrogate");
    expect(answer.downgrades.join()).toContain("unpaired surrogate");
  });
});
