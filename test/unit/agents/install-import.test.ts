import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { parse } from "smol-toml";
import { afterAll, describe, expect } from "vitest";
import { validateImported } from "../../../src/cli/import.ts";
import { HOST_NAMES } from "../../../src/core/hosts.ts";
import type { HostName } from "../../../src/core/hosts.ts";
import { createOrcs } from "../../../src/engine/create-orcs.ts";
import { compileMatcher } from "../../../src/matching/match.ts";
import type { HostEvent } from "../../../src/formats/host-protocol.ts";
import { importHooks } from "../../../src/agents/import/import-hooks.ts";
import type { Imported } from "../../../src/agents/import/import-hooks.ts";
import { translateMatcher } from "../../../src/agents/import/translate-matcher.ts";
import { tomlComment, tomlElement } from "../../../src/agents/import/write-toml.ts";
import type { CommandContext } from "../../../src/agents/import/translate-command.ts";
import { quickTest as test, repeatedTest, runCount } from "../../slow-test.ts";

const dir = realpathSync(mkdtempSync(join(tmpdir(), "orcs-import-")));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const row = (point: HostEvent["point"], timeoutMs = 600_000): HostEvent => ({
  point,
  refusable: true,
  timeoutMs,
});
const EVENTS: Readonly<Record<string, HostEvent>> = {
  PreToolUse: row("tool.pre_execute"),
  BeforeTool: row("tool.pre_execute", 60_000),
  preToolUse: row("tool.pre_execute", 60_000),
  beforeShellExecution: { ...row("tool.pre_execute", 60_000), installed: false },
  beforeReadFile: row("tool.pre_execute", 60_000),
  beforeMCPExecution: row("tool.pre_execute", 60_000),
  beforeTabFileRead: row("tool.pre_execute", 60_000),
  PostToolUse: row("tool.post_execute"),
  UserPromptSubmit: row("prompt.pre_submit", 30_000),
  SessionStart: row("session.on_start"),
  subagentStart: row("child.pre_spawn"),
  SubagentStart: row("child.post_spawn"),
  CwdChanged: row("host.pre_event"),
  WorktreeCreate: { ...row("host.pre_event"), installed: false },
};
const HERE: CommandContext = { runsIn: undefined, changes: false, beside: "/conf" };

function importAll(host: HostName, settings: unknown, place = HERE): Imported[] {
  return importHooks(settings, { host, events: EVENTS, place, programs: ["/o/main.js"] });
}

/** One hook at an event. */
function one(
  host: HostName,
  event: string,
  entry: object,
  group: object = {},
  place = HERE,
): Imported {
  const element = host === "cursor" ? { ...entry, ...group } : { ...group, hooks: [entry] };
  const [imported] = importAll(host, { hooks: { [event]: [element] } }, place);
  if (!imported) throw new Error("nothing was imported");
  return imported;
}

const command = (text: string, more: object = {}): object => ({
  type: "command",
  command: text,
  ...more,
});

describe("importing an entry from a coding agent's settings", () => {
  const TABLES: [
    name: string,
    host: HostName,
    event: string,
    entry: object,
    group: object,
    table: object,
  ][] = [
    [
      "of Claude Code's: seconds, once, async, and failing closed",
      "claude-code",
      "PreToolUse",
      command("guard", {
        timeout: 1.5,
        once: true,
        async: true,
        onFailure: "block",
        statusMessage: "…",
      }),
      { matcher: "Edit|Write, MultiEdit" },
      {
        point: "PreToolUse",
        match: { tool: "Edit|Write|MultiEdit" },
        shell: { command: "guard", protocol: "claude-code" },
        timeout_ms: 1500,
        async: true,
        observe: true,
        once: true,
        on_error: "closed",
      },
    ],
    [
      "without a timeout: what the host gives",
      "claude-code",
      "UserPromptSubmit",
      command("guard", { onFailure: "continue" }),
      { matcher: "is passed over here" },
      {
        point: "UserPromptSubmit",
        shell: { command: "guard", protocol: "claude-code" },
        timeout_ms: 30_000,
      },
    ],
    [
      "with words of its own",
      "claude-code",
      "PostToolUse",
      command("/opt/my guard", { args: ["--say", "it's"] }),
      { matcher: "mcp__.*" },
      {
        point: "PostToolUse",
        match: { tool_regex: "mcp__.*" },
        shell: { command: "'/opt/my guard' --say 'it'\\''s'", protocol: "claude-code" },
        timeout_ms: 600_000,
      },
    ],
    [
      "of Codex: its tool has other names in matchers",
      "codex",
      "PreToolUse",
      command("guard", { timeout: 5 }),
      { matcher: "Bash|Edit" },
      {
        point: "PreToolUse",
        match: { tool: "Bash|Edit|apply_patch" },
        shell: { command: "guard", protocol: "codex" },
        timeout_ms: 5000,
      },
    ],
    [
      "of Gemini CLI: milliseconds, variables, a pattern",
      "gemini",
      "BeforeTool",
      command("guard $MODE $TOKEN", { timeout: 5000, name: "g", env: { MODE: "a b" } }),
      { matcher: "write_file|replace", sequential: true },
      {
        point: "BeforeTool",
        match: { tool_regex: "write_file|replace" },
        shell: {
          command: "export MODE='a b'; guard $MODE $TOKEN",
          protocol: "gemini",
          env: ["TOKEN"],
        },
        timeout_ms: 5000,
      },
    ],
    [
      "of Cursor, which says no type",
      "cursor",
      "preToolUse",
      { command: "guard", timeout: 5, failClosed: true },
      { matcher: { tool_name: "Shell" } },
      {
        point: "preToolUse",
        match: { tool_regex: "Shell" },
        shell: { command: "guard", protocol: "cursor" },
        timeout_ms: 5000,
        on_error: "closed",
      },
    ],
    [
      "of Cursor about a command",
      "cursor",
      "beforeShellExecution",
      { command: "guard" },
      { matcher: "curl|wget" },
      {
        point: "tool.pre_execute",
        match: { tool: "exec", command: "curl|wget" },
        shell: { command: "guard", protocol: "cursor" },
        timeout_ms: 60_000,
      },
    ],
    [
      "of Cursor about a file that is read",
      "cursor",
      "beforeReadFile",
      { command: "guard" },
      {},
      {
        point: "tool.pre_execute",
        match: { tool: "read" },
        shell: { command: "guard", protocol: "cursor" },
        timeout_ms: 60_000,
      },
    ],
    [
      "of Cursor whose alias means another point here",
      "cursor",
      "subagentStart",
      { command: "guard" },
      {},
      {
        point: "child.pre_spawn",
        shell: { command: "guard", protocol: "cursor" },
        timeout_ms: 600_000,
      },
    ],
    [
      "with words of its own, one of them with a variable that the agent replaces",
      "claude-code",
      "PreToolUse",
      command("node", { args: ["${CLAUDE_PROJECT_DIR}/a b.js", "$HOME"] }),
      {},
      {
        point: "PreToolUse",
        shell: {
          command: "node \"${CLAUDE_PROJECT_DIR}\"'/a b.js' '$HOME'",
          protocol: "claude-code",
        },
        timeout_ms: 600_000,
      },
    ],
    [
      "with a rule for a command that begins so",
      "claude-code",
      "PreToolUse",
      command("guard", { if: "Bash(git push*)" }),
      { matcher: "Bash" },
      {
        point: "PreToolUse",
        match: { tool: "Bash", tool_regex: "^Bash$", runs: "git push*" },
        shell: { command: "guard", protocol: "claude-code" },
        timeout_ms: 600_000,
      },
    ],
    [
      "with a rule for all tools of an MCP server",
      "claude-code",
      "PreToolUse",
      command("guard", { if: "mcp__github" }),
      {},
      {
        point: "PreToolUse",
        match: { tool_regex: "^mcp__github(?:__.*)?$" },
        shell: { command: "guard", protocol: "claude-code" },
        timeout_ms: 600_000,
      },
    ],
    [
      "with a rule for some tools of an MCP server",
      "claude-code",
      "PreToolUse",
      command("guard", { if: "mcp__github__get_*" }),
      {},
      {
        point: "PreToolUse",
        match: { tool_regex: "^mcp__github__get_.*$" },
        shell: { command: "guard", protocol: "claude-code" },
        timeout_ms: 600_000,
      },
    ],
    [
      "that posts to a URL",
      "claude-code",
      "PreToolUse",
      {
        type: "http",
        url: "http://localhost:8080/check",
        headers: { Authorization: "Bearer $TOKEN", "X-A": "${OTHER}$NONE" },
        allowedEnvVars: ["TOKEN", "OTHER", "UNUSED"],
      },
      {},
      {
        point: "PreToolUse",
        webhook: {
          url: "http://localhost:8080/check",
          headers: { Authorization: "Bearer ${TOKEN}", "X-A": "${OTHER}" },
          allow_env: ["TOKEN", "OTHER"],
          allow_hosts: ["localhost:8080"],
          protocol: "claude-code",
        },
        timeout_ms: 600_000,
      },
    ],
  ];
  test.each(TABLES)("%s", (_name, host, event, entry, group, table) => {
    expect(one(host, event, entry, group)).toMatchObject({ event, reason: undefined });
    expect(one(host, event, entry, group).table).toEqual(table);
  });

  const REASONS: [host: HostName, event: string, entry: object, group: object, reason: RegExp][] = [
    ["claude-code", "PreToolUse", { type: "prompt", prompt: "is it safe?" }, {}, /the type prompt/],
    ["claude-code", "PreToolUse", { type: "agent", prompt: "look" }, {}, /the type agent/],
    [
      "claude-code",
      "PreToolUse",
      { type: "mcp_tool", server: "s", tool: "t" },
      {},
      /ORCS7012: .*the type mcp_tool.*the tool t of the MCP server s.*stays in the agent's settings.*shell or webhook/,
    ],
    [
      "claude-code",
      "PreToolUse",
      { type: "mcp_tool", server: 7 },
      {},
      /the tool \? of the MCP server \?/,
    ],
    [
      "claude-code",
      "PreToolUse",
      { type: "__proto__" },
      {},
      /ORCS7012: nothing here runs hooks of the type __proto__\. It stays/,
    ],
    ["claude-code", "PreToolUse", { command: "x" }, {}, /no type/],
    ["claude-code", "PreToolUse", { type: "command" }, {}, /no command/],
    ["claude-code", "PreToolUse", command("x", { if: "Bash(a * b)" }), {}, /`if`: only a \*/],
    ["claude-code", "PreToolUse", command("x", { shell: "powershell" }), {}, /PowerShell/],
    ["copilot", "PreToolUse", { type: "command", powershell: "x.ps1" }, {}, /PowerShell/],
    ["claude-code", "PreToolUse", command("x \ud800"), {}, /half a surrogate pair/],
    ["claude-code", "PreToolUse", command("x"), { matcher: 7 }, /no text/],
    ["claude-code", "PreToolUse", command("x"), { matcher: "|" }, /names no tool/],
    ["claude-code", "SessionStart", command("x"), { matcher: "re(s|t)ume?" }, /values that match/],
    ["claude-code", "WorktreeCreate", command("x"), {}, /own behavior would be lost/],
    ["claude-code", "Misspelt", command("x"), {}, /no event of this name/],
    ["claude-code", "__proto__", command("x"), {}, /no event of this name/],
    ["claude-code", "PreToolUse", { type: "http", url: "no url" }, {}, /url is invalid/],
    [
      "claude-code",
      "PreToolUse",
      { type: "http", url: "http://a.b/${X}" },
      {},
      /replace from the environment/,
    ],
    ["cursor", "preToolUse", { prompt: "is it safe?", type: "prompt" }, {}, /the type prompt/],
    [
      "cursor",
      "preToolUse",
      { command: "x" },
      { matcher: { subagent_type: "y" } },
      /no condition for subagent_type of its matcher/,
    ],
    ["cursor", "beforeMCPExecution", { command: "x" }, {}, /move it there/],
    ["cursor", "beforeTabFileRead", { command: "x" }, {}, /Tab/],
    ["cursor", "beforeReadFile", { command: "x" }, { matcher: "TabRead" }, /compared with/],
  ];
  test.each(REASONS)("not imported: %s %s %j %j", (host, event, entry, group, reason) => {
    const list = [host === "cursor" ? { ...entry, ...group } : { ...group, hooks: [entry] }];
    const hooks = Object.fromEntries([[event, list]]);
    const settings = JSON.parse(JSON.stringify({ hooks })) as unknown;
    const [imported] = importAll(host, event === "__proto__" ? { hooks } : settings);
    expect(imported?.table).toBeUndefined();
    expect(imported?.reason).toMatch(reason);
  });

  test("entries of orcs itself are skipped", () => {
    const settings = (entry: object): unknown => ({ hooks: { PreToolUse: [{ hooks: [entry] }] } });
    expect(importAll("codex", settings(command("orcs hook --host codex --timeout 60")))).toEqual(
      [],
    );
    expect(importAll("codex", settings(command("node /o/main.js hook --host codex")))).toEqual([]);
    const other = "orcs hook --timeout 60 --config 'a b.toml' --host codex";
    expect(importAll("codex", settings(command(other)))).toEqual([]);
    const service = { type: "http", url: "http://127.0.0.1:8123/hooks/claude-code" };
    const another = { type: "http", url: "http://127.0.0.1:3000/hooks/audit" };
    expect(importAll("claude-code", settings(service))).toEqual([]);
    expect(importAll("claude-code", settings(another))).toHaveLength(1);
    expect(importAll("codex", settings(command("orcs hook --host gemini")))).toHaveLength(1);
  });

  test("disabled entries are imported as disabled", () => {
    const group = { PreToolUse: [{ hooks: [command("a"), command("b", { name: "n" })] }] };
    const enabled = (more: object): unknown[] =>
      importAll("gemini", { hooks: group, ...more }).map(({ table }) => table?.["enabled"]);
    expect(enabled({})).toEqual([undefined, undefined]);
    expect(enabled({ disableAllHooks: true })).toEqual([false, false]);
    expect(enabled({ hooksConfig: { enabled: false } })).toEqual([false, false]);
    expect(enabled({ hooksConfig: { disabled: ["n"] } })).toEqual([undefined, false]);
    expect(enabled({ hooksConfig: { disabled: ["a"] } })).toEqual([false, undefined]);
    const older = { hooks: { ...group, enabled: true, disabled: ["n"] } };
    expect(importAll("gemini", older).map(({ table }) => table?.["enabled"])).toEqual([
      undefined,
      false,
    ]);
  });

  test("keys beside the events are no hooks", () => {
    const state = { "/a/hooks.json:stop:0:0": { enabled: true, trusted_hash: "sha256:0" } };
    expect(importAll("codex", { hooks: { state } })).toEqual([]);
  });

  test("events without the key hooks are imported, with a note", () => {
    const [hook, ...more] = importAll("codex", {
      model: "x",
      PreToolUse: [{ hooks: [command("a")] }],
    });
    expect(more).toEqual([]);
    expect(hook?.table).toMatchObject({ point: "PreToolUse" });
    expect(hook?.differs[0]).toBe("Codex itself reads no hook in this form");
  });

  test("settings of another shape are rejected", () => {
    for (const settings of [null, [], "x", 1]) {
      expect(() => importAll("codex", settings)).toThrow("it is not an object");
    }
    expect(() => importAll("codex", { hooks: [] })).toThrow("hooks is not an object");
    const odd = { hooks: { PreToolUse: [1, null, { hooks: 5 }, { hooks: [[], "x"] }], Stop: {} } };
    expect(importAll("codex", odd).map(({ reason }) => reason)).toEqual([
      ...Array.from({ length: 4 }, () => "it has no command"),
      undefined,
      "codex has no event of this name that orcs knows",
    ]);
    expect(importAll("codex", {})).toEqual([]);
  });
});

describe("an imported command", () => {
  const shellOf = (text: string, place: Partial<CommandContext> = {}): unknown =>
    one("claude-code", "PreToolUse", command(text), {}, { ...HERE, ...place }).table?.["shell"];
  const PLACED: [written: string, place: Partial<CommandContext>, command: string][] = [
    ["check.sh", {}, "check.sh"],
    ["./check.sh -a", {}, '"$PWD"/./check.sh -a'],
    ["../check.sh", {}, '"$PWD"/../check.sh'],
    ['"./my checks/a.sh" x', {}, '"$PWD/./my checks/a.sh" x'],
    ["'./my checks/a.sh' x", {}, "\"$PWD\"/'./my checks/a.sh' x"],
    ["./check.sh", { runsIn: "/conf" }, "./check.sh"],
    ["sh ./check.sh ./in", { runsIn: "/conf" }, 'sh "$ORCS_DIR/check.sh" "$ORCS_CONFIG_DIR"/in'],
    ["./check.sh -a", { runsIn: "/else where" }, "'/else where/check.sh' -a"],
    ["sh ./check.sh", { runsIn: "/else" }, "sh ./check.sh"],
    ["bun run a.ts", { runsIn: "/h/.cursor", changes: true }, "cd /h/.cursor && bun run a.ts"],
    ['"$CLAUDE_PROJECT_DIR/my hooks/a.sh"', { runsIn: "/conf" }, '"$ORCS_DIR/my hooks/a.sh"'],
    ["cd tools && node b/c.js", { runsIn: "/conf" }, "cd tools && node b/c.js"],
    [
      "cd $CLAUDE_PROJECT_DIR && node b/c.js",
      { runsIn: "/conf" },
      'cd $CLAUDE_PROJECT_DIR && node "$ORCS_DIR/b/c.js"',
    ],
    [
      "bash ${CLAUDE_PLUGIN_ROOT}/a.sh",
      { runsIn: "/conf", plugin: "/conf" },
      'export CLAUDE_PLUGIN_ROOT=/conf; bash "$ORCS_DIR/a.sh"',
    ],
    [
      '"${CLAUDE_PLUGIN_ROOT}/a.cmd" x',
      { plugin: "/p q" },
      "export CLAUDE_PLUGIN_ROOT='/p q'; \"${CLAUDE_PLUGIN_ROOT}/a.cmd\" x",
    ],
  ];
  test.each(PLACED)("%s at %j", (written, place, expected) => {
    expect(shellOf(written, place)).toEqual({ command: expected, protocol: "claude-code" });
  });

  test("that needs bash is wrapped in bash with the same meaning", () => {
    const written = `[[ "$A" == 'x y' ]] && echo "it's \\"$B\\""`;
    const { command: line, env } = shellOf(written) as { command: string; env: string[] };
    expect(env).toEqual(["A", "B"]);
    const run = { env: { ...process.env, A: "x y", B: "b" }, encoding: "utf8" } as const;
    expect(execFileSync("sh", ["-c", line], run)).toBe('it\'s "b"\n');
  });

  test("lists the variables that it reads and does not set", () => {
    const written =
      'x=1; for y in a; do read -r z; done; "$CLAUDE_PROJECT_DIR"/a $x $y $z ${HOME} $PWD $1 ${TOKEN:-} $KEY';
    expect(shellOf(written)).toMatchObject({ env: ["TOKEN", "KEY"] });
    expect(shellOf("bash -c 'IN=$(cat); echo \"$IN\"; exit ${PIPESTATUS[0]}'")).not.toHaveProperty(
      "env",
    );
  });

  test("begins with a script of the project behind its variables", () => {
    const entry = { type: "command", bash: "./a.sh x", env: { LEVEL: "high" } };
    const place = { ...HERE, runsIn: "/conf" };
    expect(one("copilot", "PreToolUse", entry, {}, place).table?.["shell"]).toMatchObject({
      command: 'export LEVEL=high; "$ORCS_DIR/a.sh" x',
    });
  });

  test("has the project as one word where the agent writes it so", () => {
    const place = { ...HERE, beside: "/my conf" };
    const hook = one("gemini", "BeforeTool", command("cd $GEMINI_PROJECT_DIR && make"), {}, place);
    expect(hook.table?.["shell"]).toMatchObject({ command: 'cd "$GEMINI_PROJECT_DIR" && make' });
    expect(hook.original).toBe("cd '/my conf' && make");
  });

  test("for one system is imported on that system, and what differs is said", () => {
    const entry = { type: "command", linux: "a", osx: "a", windows: "b" };
    const [shell] = [one("copilot", "PreToolUse", entry).table?.["shell"]];
    expect(shell).toEqual({ command: "a", protocol: "copilot" });
    const { differs } = one("claude-code", "PreToolUse", command("cat <<< x"));
    expect(differs).toContain(
      "it runs in bash, whose syntax it has, also where sh is another shell",
    );
    expect(one("cursor", "beforeShellExecution", { command: "a" }).differs[0]).toMatch(
      "a question denies",
    );
    const webhook = { type: "http", url: "https://a.example", timeout: 5 };
    expect(one("claude-code", "PreToolUse", webhook).differs).toEqual([]);
  });
});

describe("an imported matcher matches the same tools", () => {
  const NAMES = [
    "Bash",
    "Edit",
    "Write",
    "MultiEdit",
    "NotebookEdit",
    "mcp__a__b",
    "apply_patch",
    "read_file",
    "run_shell_command",
    "x y",
  ];
  const matched = (host: HostName, matcher: string): string[] | string => {
    const matching = translateMatcher(host, "PreToolUse", "tool.pre_execute", matcher);
    if ("reason" in matching) return matching.reason;
    const compiled = compileMatcher(matching.match, {
      cwd: "/",
      effects: {
        shell: { read: () => ({ commands: [], unread: undefined }) },
        ofCall: () => ({ effects: [] }),
      },
    });
    // A hook sees our name of a tool, and the host's.
    return NAMES.filter(
      (name) => !compiled?.failing({ tool_name: "ours", host: { tool_name: name } }),
    );
  };
  const found = (pattern: string): string[] =>
    NAMES.filter((name) => new RegExp(pattern).test(name));

  const CASES: [host: HostName, matcher: string, names: readonly string[]][] = [
    ["claude-code", "", NAMES],
    ["claude-code", "*", NAMES],
    ["claude-code", "Edit", ["Edit"]],
    ["claude-code", "Edit|Bash", ["Bash", "Edit"]],
    ["claude-code", " Edit , Bash ", ["Bash", "Edit"]],
    ["claude-code", "x y", ["x y"]],
    ["claude-code", "edit", []],
    ["claude-code", "mcp__a", []],
    ["claude-code", "mcp__a__.*", ["mcp__a__b"]],
    ["claude-code", ".*Edit", found("Edit")],
    ["claude-code", "^Edit$", ["Edit"]],
    ["codex", "Bash", ["Bash"]],
    ["codex", "Write", ["Write", "apply_patch"]],
    ["codex", "^Edit", ["Edit", "apply_patch"]],
    ["codex", "Edit|Bash$", found("Edit|Bash$").concat("apply_patch")],
    ["codex", "^Bash$", ["Bash"]],
    ["gemini", "Edit", found("Edit")],
    ["gemini", "read_", ["read_file"]],
    ["gemini", "x (y", []],
    ["cursor", "Edit|^Bash", found("Edit|^Bash")],
    ["qwen", ".*", NAMES],
    ["qwen", "x | *", NAMES],
    ["qwen", "Bash", ["Bash", "run_shell_command"]],
    ["qwen", " Read | x y ", ["read_file", "x y"]],
    ["qwen", "^Bash$", ["Bash"]],
    ["qwen", "(Edit|read)_", ["read_file"]],
    ["qwen", "read_", ["read_file"]],
  ];
  test.each(CASES)("%s: %s", (host, matcher, expected) => {
    expect(matched(host, matcher)).toEqual([...expected]);
  });
});

describe("imported hooks as TOML", () => {
  const text = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.string({
      unit: fc.constantFrom(
        "'",
        '"',
        "\\",
        "\n",
        "\r",
        "\t",
        "\u0000",
        "\u007f",
        "\u0085",
        "#",
        "a",
        "😀",
        "]",
      ),
    }),
  );

  repeatedTest("any value round-trips", () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 2 },
        text,
        fc.boolean(),
        fc.nat(),
        fc.array(text, { maxLength: 3 }),
        fc.dictionary(text, tie("any"), { maxKeys: 3, noNullPrototype: true }),
      ),
    })).any;
    const table = fc.dictionary(
      text.filter((key) => key !== "__proto__"),
      value,
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(table, text, (written, comment) => {
        const toml = `${tomlComment(comment)}\n${tomlElement("hooks", written as never)}`;
        const { hooks } = parse(toml) as unknown as { hooks: unknown[] };
        expect(JSON.parse(JSON.stringify(hooks))).toEqual([written]);
      }),
      { numRuns: runCount(300) },
    );
  });

  repeatedTest("any command of any coding agent loads and is the same command", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(
            fc.constantFrom(...HOST_NAMES),
            text.filter((each) => each.trim() !== ""),
          ),
          {
            minLength: 1,
            maxLength: 4,
          },
        ),
        async (commands) => {
          const imported = commands.map(([host, line]) =>
            one(host, host === "cursor" ? "preToolUse" : "PreToolUse", command(line)),
          );
          const kept = await validateImported(imported, dir);
          expect(kept.map(({ reason }) => reason)).toEqual(kept.map(() => undefined));
          const file = join(dir, "orcs.toml");
          writeFileSync(
            file,
            kept.map(({ table }) => tomlElement("hooks", table ?? {})).join("\n"),
          );
          const orcs = await createOrcs({ config: file });
          expect(orcs.registry.list()).toHaveLength(commands.length);
          await orcs.close();
        },
      ),
      { numRuns: runCount(40) },
    );
  });

  test("an entry that would not load is reported with the reason", async () => {
    writeFileSync(join(dir, "check.sh"), "");
    const imported = [
      one("claude-code", "PreToolUse", command("a"), { matcher: "(?!Bash)x" }),
      one("claude-code", "PreToolUse", command("sh './check.sh'")),
      one("claude-code", "PreToolUse", command("b")),
    ];
    const [regex, placed, fine] = await validateImported(imported, dir);
    expect(regex).toMatchObject({
      table: undefined,
      reason: expect.stringMatching(/tool_regex.*not valid/) as never,
    });
    expect(placed).toMatchObject({
      table: undefined,
      reason: expect.stringMatching(/beside the configuration/) as never,
    });
    expect(fine).toEqual(imported[2]);
  });
});
