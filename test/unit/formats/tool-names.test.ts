import { readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { AGENT_TOOLS, PATH_ARGS } from "../../../src/core/agent-tools.ts";
import { orcsPlugin } from "../../../src/agents/adapters/opencode.ts";
import { DEFAULT_TOOLS, guardText } from "../../../src/cli/init-files.ts";
import type { HostName } from "../../../src/core/hosts.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { compileMatcher } from "../../../src/matching/match.ts";
import { ahpProtocol } from "../../../src/formats/ahp/ahp-client.ts";
import { decisionOf, dispatchOf } from "../../../src/formats/ahp/ahp-harness.ts";
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
  ["claude-code", namesOf(AGENT_TOOLS["claude-code"]), shared("PreToolUse")],
  ["qwen", namesOf(AGENT_TOOLS.qwen), shared("PreToolUse")],
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
  ["copilot", namesOf(AGENT_TOOLS.copilot), shared("PreToolUse")],
  [
    "copilot",
    namesOf(AGENT_TOOLS.copilot),
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
    for (const [theirs, ours] of namesOf(AGENT_TOOLS.ahp)) {
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
    for (const [tool, ours] of namesOf(AGENT_TOOLS.ahp)) {
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
    const names = namesOf(AGENT_TOOLS.opencode);
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

/** Calls that guards deny or ask about, by our tool: what each guard has to see in the agent's own spelling. */
const FORBIDDEN: readonly (readonly [guard: string, tool: string, args: JsonObject])[] = [
  ["guard.lua", "exec", { command: "git push --force" }],
  ["orcs:shell-guard", "exec", { command: "git reset --hard" }],
  ["orcs:path-guard", "exec", { command: "echo x > /etc/passwd" }],
  ["orcs:path-guard", "write", { path: "/etc/passwd", content: "x" }],
  ["orcs:path-guard", "edit", { path: "/etc/passwd", old_string: "a", new_string: "b" }],
  ["orcs:path-guard", "remove", { path: "/etc/passwd" }],
  ["orcs:secret-guard", "exec", { command: "cat .env" }],
  ["orcs:secret-guard", "read", { path: ".env" }],
  ["orcs:keep-checks", "write", { path: ".eslintrc.json", content: "{}" }],
  ["orcs:keep-checks", "edit", { path: ".eslintrc.json", old_string: "a", new_string: "b" }],
  ["orcs:approve", "exec", { command: "git push" }],
  ["orcs:approve", "write", { path: "dist/a", content: "x" }],
  ["on-path", "write", { path: "dist/a", content: "x" }],
  ["on-path", "edit", { path: "dist/a", old_string: "a", new_string: "b" }],
  ["on-folder", "scan_dir", { path: "dist" }],
];

const EACH_GUARD = [
  { script: "guard.lua" },
  ...["shell-guard", "path-guard", "secret-guard", "keep-checks"].map((name) => ({
    script: `orcs:${name}`,
  })),
  {
    script: "orcs:approve",
    options: {
      rules: [
        { tool: "exec", runs: ["git push"] },
        { tool: "write", path: ["dist/**"] },
      ],
    },
  },
  {
    id: "on-path",
    point: "tool.pre_execute",
    match: { tool: "write|edit", path: "dist/**" },
    handler_inline: 'return orcs.deny("no")',
  },
  {
    id: "on-folder",
    point: "tool.pre_execute",
    match: { tool: "scan_dir", path: "dist" },
    handler_inline: 'return orcs.deny("no")',
  },
];

/** A call as the agent sends it, in each of its spellings: its names of the tool and of the arguments. */
function spelled(agent: keyof typeof AGENT_TOOLS, tool: string, args: JsonObject) {
  return Object.entries(AGENT_TOOLS[agent]).flatMap(([name, { tool: ours, keys }]) => {
    // A patch is a text in a form of its own.
    if (ours !== tool || /patch/i.test(name)) return [];
    const most = Math.max(1, ...Object.values(keys).map((known) => known.length));
    return Array.from({ length: most }, (_, at) => {
      const own = Object.entries(args).map(([key, value]) => {
        const known: readonly string[] = (keys as Record<string, readonly string[]>)[key] ?? [key];
        return [known[Math.min(at, known.length - 1)] ?? key, value] as const;
      });
      return [name, Object.fromEntries(own)] as const;
    });
  });
}

/** The ways in: an agent's own protocol, where it has one, and a plain call of a program, a server or a library. */
const WAYS: Readonly<
  Record<keyof typeof AGENT_TOOLS, readonly ((tool: string, input: JsonObject) => JsonObject)[]>
> = {
  "claude-code": [shared("PreToolUse")],
  codex: [shared("PreToolUse")],
  gemini: [shared("BeforeTool")],
  cursor: [shared("preToolUse")],
  copilot: [
    shared("PreToolUse"),
    (tool, input) => ({ sessionId: "s", cwd: "/w", toolName: tool, toolArgs: input }),
  ],
  qwen: [shared("PreToolUse")],
  opencode: [],
  ahp: [],
};

describe.each([...new Set(EACH_GUARD.map(({ script, id }) => script ?? id))])(
  "%s sees the call in every agent's spelling, whichever way it comes in",
  (guard) => {
    const hook = EACH_GUARD.find(({ script, id }) => guard === (script ?? id));
    test.each(Object.keys(AGENT_TOOLS) as (keyof typeof AGENT_TOOLS)[])("%s", async (agent) => {
      const cwd = folder({ "hooks/guard.lua": guardText(DEFAULT_TOOLS) });
      const config = { scripts: { dirs: ["hooks"] }, hooks: [hook] };
      const orcs = await open({ config, cwd });
      const host = WAYS[agent].length > 0 ? await HOSTS[agent as HostName].load() : undefined;
      const missed: unknown[] = [];
      for (const [of, tool, args] of FORBIDDEN) {
        if (of !== guard) continue;
        for (const [name, input] of spelled(agent, tool, args)) {
          const payloads: JsonObject[] = [
            { tool_name: name, args: input },
            ...(host ? WAYS[agent] : []).map(
              (event) => host?.decode(event(name, input)).payload ?? {},
            ),
          ];
          for (const payload of payloads) {
            const outcome = await orcs.dispatch<string>("tool.pre_execute", { ...payload, cwd });
            const isSeen = outcome.action === "abort" || Object.hasOwn(outcome, "decision");
            if (!isSeen)
              missed.push([name, input, payload["host"] === undefined ? "plain" : "own"]);
          }
        }
      }
      expect(missed).toEqual([]);
    });
  },
);

test("a name that any program may give to a tool needs an argument of the agent's", () => {
  const payload = (args: JsonObject): JsonObject => ({ tool_name: "create", args });
  expect(matches("write", payload({ path: "a", file_text: "" }))).toBe(true);
  expect(matches("write", payload({ title: "a" }))).toBe(false);
});

test("each name is one tool of ours in all agents", () => {
  const ours = new Map<string, string>();
  for (const [name, { tool }] of Object.values(AGENT_TOOLS).flatMap(
    Object.entries<{ tool: string }>,
  )) {
    expect([name, ours.get(name) ?? tool]).toEqual([name, tool]);
    ours.set(name, tool);
  }
});

test("approve knows every argument that is a path", () => {
  const text = readFileSync(new URL("../../../hooks/approve.lua", import.meta.url), "utf8");
  const [, listed = ""] = /local PATH_ARGS = \{([^}]*)\}/.exec(text) ?? [];
  expect(PATH_ARGS.filter((name) => !listed.includes(`"${name}"`))).toEqual([]);
});
