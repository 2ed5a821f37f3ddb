import { describe, expect, onTestFinished, test } from "vitest";
import { OPENCODE_TOOLS } from "../../../src/agents/adapters/opencode-calls.ts";
import { orcsPlugin } from "../../../src/agents/adapters/opencode.ts";
import { DEFAULT_TOOLS, guardText } from "../../../src/cli/init-files.ts";
import type { HostName } from "../../../src/core/hosts.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { compileMatcher } from "../../../src/matching/match.ts";
import { ahpProtocol } from "../../../src/formats/ahp/ahp-client.ts";
import { decisionOf, dispatchOf } from "../../../src/formats/ahp/ahp-harness.ts";
import { AHP_TOOLS } from "../../../src/formats/ahp/ahp-tables.ts";
import { CLAUDE_TOOLS } from "../../../src/formats/claude-code/tools.ts";
import { QWEN_TOOLS } from "../../../src/formats/claude-dialect/qwen.ts";
import { copilotToolNames } from "../../../src/formats/copilot/tools.ts";
import { HOSTS } from "../../../src/formats/hosts.ts";
import { folder, Lines, open } from "../engine/orcs/engine.ts";
import { callAt } from "./calls.ts";

/** `match.tool` matches the name of a tool in orcs and the agent's own, whichever way the call comes in. */

type Names = readonly (readonly [theirs: string, ours: string])[];

const namesOf = (tools: Readonly<Record<string, { tool: string }>>): Names =>
  Object.entries(tools).map(([name, { tool }]) => [name, tool]);

const hook = (more: JsonObject): JsonObject => ({
  session_id: "s",
  cwd: "/w",
  tool_use_id: "t",
  transcript_path: "/t",
  ...more,
});
const shared =
  (event: string) =>
  (tool: string, input: JsonObject): JsonObject =>
    hook({ hook_event_name: event, tool_name: tool, tool_input: input });

/** The tools of each agent with events, and how it sends a call. */
const AGENTS: readonly [
  host: HostName,
  names: Names,
  event: (tool: string, input: JsonObject) => JsonObject,
][] = [
  ["claude-code", namesOf(CLAUDE_TOOLS), shared("PreToolUse")],
  ["qwen", namesOf(QWEN_TOOLS), shared("PreToolUse")],
  [
    "codex",
    [
      ["Bash", "exec"],
      ["apply_patch", "edit"],
    ],
    shared("PreToolUse"),
  ],
  [
    "gemini",
    [
      ["run_shell_command", "exec"],
      ["read_file", "read"],
      ["write_file", "write"],
      ["replace", "edit"],
      ["list_directory", "scan_dir"],
      ["grep_search", "grep"],
      ["search_file_content", "grep"],
      ["web_fetch", "http"],
    ],
    shared("BeforeTool"),
  ],
  [
    "cursor",
    [
      ["Shell", "exec"],
      ["Read", "read"],
      ["Write", "write"],
      ["StrReplace", "edit"],
      ["Delete", "remove"],
      ["LS", "scan_dir"],
      ["WebFetch", "http"],
    ],
    shared("preToolUse"),
  ],
  ["copilot", copilotToolNames(), shared("PreToolUse")],
  [
    "copilot",
    copilotToolNames(),
    (tool, input) => ({ sessionId: "s", cwd: "/w", toolName: tool, toolArgs: input }),
  ],
];

const around = { cwd: "/w", realPath: (path: string) => path } as never;

function matches(tool: string, payload: JsonObject): boolean {
  return compileMatcher({ tool }, around)?.failing(payload) === undefined;
}

const INPUT = { command: "ls", path: "/w/a", url: "https://a" };

describe.each(AGENTS)("%s", (host, names, event) => {
  test("either name of each tool matches", async () => {
    const protocol = await HOSTS[host].load();
    for (const [theirs, ours] of names) {
      const { payload } = protocol.decode(event(theirs, INPUT));
      expect(payload["tool_name"], theirs).toBe(ours);
      expect([matches(theirs, payload), matches(ours, payload), matches("other", payload)]).toEqual(
        [true, true, false],
      );
    }
  });
});

describe("AHP", () => {
  const dispatched = (keys: JsonObject) => {
    const read = dispatchOf({ event_type: "pre_action", session_id: "s", payload: keys });
    if (typeof read === "string") throw new Error(read);
    return read;
  };

  test.each(["tool_name", "tool"])("either name of each tool matches, sent as %s", (key) => {
    for (const [theirs, ours] of namesOf(AHP_TOOLS)) {
      const { payload } = dispatched({ [key]: theirs, arguments: { file_path: "/a" } });
      expect(payload["tool_name"], theirs).toBe(ours);
      expect([matches(theirs, payload), matches(ours, payload), matches("other", payload)]).toEqual(
        [true, true, false],
      );
    }
  });

  test("the guard of orcs init denies a force push of every tool that runs commands", async () => {
    const orcs = await open({
      config: { scripts: { dirs: ["hooks"] }, hooks: [{ script: "guard.lua" }] },
      cwd: folder({ "hooks/guard.lua": guardText(DEFAULT_TOOLS) }),
    });
    for (const [tool, ours] of namesOf(AHP_TOOLS)) {
      const sent = { tool_name: tool, arguments: { command: "git push --force" } };
      const { point, payload } = dispatched(sent);
      const { action } = await orcs.dispatch(point, payload);
      expect([tool, action]).toEqual([tool, ours === "exec" ? "abort" : "continue"]);
    }
  });

  test("the agent gets changed arguments under its own keys", async () => {
    const orcs = await open();
    orcs.on("tool.pre_execute", { tool: "write" }, (ctx) => {
      (ctx.payload["args"] as JsonObject)["path"] = "/safe";
      return ctx;
    });
    for (const tool of ["write", "Write"]) {
      const sent = { tool_name: tool, arguments: { file_path: "/a", content: "x" } };
      const asked = dispatched(sent);
      const outcome = await orcs.dispatch(asked.point, asked.payload);
      expect(decisionOf(asked, outcome, sent)).toEqual({
        decision: "modify",
        modified_payload: { tool_name: tool, arguments: { file_path: "/safe", content: "x" } },
      });
    }
  });

  test("a harness behind orcs gets the call as the agent sent it, and answers in its names", () => {
    const { payload } = dispatched({ tool_name: "write", arguments: { file_path: "/a" } });
    const plain = callAt("tool.pre_execute", payload);
    const call = { ...plain, ctx: { ...plain.ctx, component_id: "a3s::agent" } };
    const notes = { isShadow: false, hook: "h", trace: undefined, timeoutMs: 1000 };
    expect(ahpProtocol.ask(call, notes, [])).toMatchObject({
      params: { payload: { tool_name: "write", arguments: { file_path: "/a" } } },
    });
    for (const modified_payload of [{ arguments: { file_path: "/b" } }, { file_path: "/b" }]) {
      expect(ahpProtocol.read({ decision: "modify", modified_payload }, call)).toEqual({
        answer: undefined,
        edits: [{ path: ["payload", "args"], value: { path: "/b" } }],
      });
    }
  });
});

describe("opencode", () => {
  const started = async (hooks: readonly object[], files: Record<string, string> = {}) => {
    const config = { scripts: { dirs: ["hooks"] }, hooks };
    const options = { config, logger: new Lines(), selfGuard: false };
    const made = await orcsPlugin(options)({ directory: folder(files) });
    onTestFinished(() => made.dispose());
    return (tool: string, args: object) =>
      made["tool.execute.before"]({ tool, sessionID: "s", callID: "c" }, { args });
  };

  test.each(["theirs", "ours"] as const)("%s of each tool matches", async (which) => {
    const names = namesOf(OPENCODE_TOOLS);
    // The last is a name of one tool only, the one before it also ours.
    const listed = names.map((each) => each[which === "ours" ? 1 : 0]).toReversed();
    const before = await started(
      [...new Set(listed)].map((tool) => ({
        id: `on-${tool}`,
        point: "tool.pre_execute",
        match: { tool },
        handler_inline: 'return orcs.deny("no")',
      })),
    );
    for (const [theirs, ours] of names) {
      const args = { ...INPUT, filePath: "/a", patchText: "*** Add File: a" };
      const id = `on-${which === "ours" ? ours : theirs}`;
      await expect(before(theirs, args), theirs).rejects.toThrow(`denied by hook ${id}: no`);
    }
    await expect(before("task", {})).resolves.toBeUndefined();
  });

  test("the guard of orcs init denies a force push", async () => {
    const before = await started([{ script: "guard.lua" }], {
      "hooks/guard.lua": guardText(DEFAULT_TOOLS),
    });
    const push = { command: "git push --force" };
    await expect(before("bash", push)).rejects.toThrow("no-force-push");
    await expect(before("read", push)).resolves.toBeUndefined();
  });
});
