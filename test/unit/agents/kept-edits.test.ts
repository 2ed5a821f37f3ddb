import { afterEach, describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { safeEditPath } from "../../../src/agents/config-edits.ts";
import { folder } from "../engine/orcs/engine.ts";

afterEach(() => vi.unstubAllEnvs());

const ENTRY = {
  matcher: "*",
  hooks: [{ type: "command", command: "orcs hook --host claude-code --timeout 30", timeout: 30 }],
};
const SETTINGS = { model: "a", hooks: { PreToolUse: [ENTRY], Stop: [ENTRY] } };
const FOREIGN = { matcher: "Bash", hooks: [{ type: "command", command: "true" }] };
const withHooks = (PreToolUse: JsonObject[]) => ({
  ...SETTINGS,
  hooks: { ...SETTINGS.hooks, PreToolUse },
});
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const OWN = `debug = false\n[[hooks]]\nscript = "orcs:shell-guard"\n`;

type Case = readonly [string, readonly [tool: string, args: JsonObject]];

/** A home with settings and a configuration. */
function home(): string {
  const dir = folder({
    ".claude/settings.json": json(SETTINGS),
    ".claude/settings.local.json": "{}",
    ".codex/config.toml": 'model = "a"\n[features]\nhooks = true\n',
    ".config/orcs/orcs.toml": OWN,
    "broken/.claude/settings.json": '{ "hooks": "orcs hook --host claude-code"',
  });
  vi.stubEnv("HOME", dir);
  vi.stubEnv("XDG_CONFIG_HOME", `${dir}/.config`);
  vi.stubEnv("XDG_STATE_HOME", `${dir}/state`);
  vi.stubEnv("CLAUDE_CONFIG_DIR", undefined);
  return dir;
}

const claude = ".claude/settings.json";
const own = ".config/orcs/orcs.toml";
const write = (path: string, content: string) => ["write", { path, content }] as const;
const edit = (path: string, old_string: string, new_string: string) =>
  ["edit", { path, old_string, new_string }] as const;
/** Settings with other keys. */
const set = (more: JsonObject) => write(claude, json({ ...SETTINGS, ...more }));
/** Settings with hooks of one more event. */
const event = (X: unknown) => set({ hooks: { ...SETTINGS.hooks, X } as JsonObject });
/** The user's own configuration with more behind it. */
const more = (toml: string) => write(own, `${OWN}${toml}`);
const CODEX = "\n[features]\nhooks = true\n";
const codex = (toml: string) => write(".codex/config.toml", toml);
const patch = (...lines: string[]) =>
  ["edit", { patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") }] as const;

describe("a settings edit that keeps the orcs entries is safe", () => {
  it.each<Case>([
    ["another key", set({ model: "b" })],
    ["more hooks", event([])],
    ["an edit", edit(claude, '"model": "a"', '"model": "b"')],
    [
      "an edit of MCP",
      ["edit_file", { path: claude, edits: [{ oldText: '"a"', newText: '"b"' }] }],
    ],
    ["a patch", patch(`*** Update File: ${claude}`, "@@", '-  "model": "a",', '+  "model": "b",')],
    ["settings without entries", write(".claude/settings.local.json", '{ "permissions": {} }')],
    ["settings that are new", write("x/.claude/settings.json", "{}")],
    ["a new file by patch", patch("*** Add File: .gemini/settings.json", "+{}")],
    ["TOML", edit(".codex/config.toml", '"a"', '"b"')],
    ["a comment", write(own, `# mine\n${OWN}`)],
    [
      "one more test of a hook of the user's",
      more(`[[hooks.tests]]\nevent = { tool = "exec" }\nexpect = { action = "continue" }\n`),
    ],
    ["a harmless variable", set({ env: { BASH_DEFAULT_TIMEOUT_MS: "9" } })],
    ["a foreign hook behind orcs' own", write(claude, json(withHooks([ENTRY, FOREIGN])))],
    ["a list of permissions", set({ permissions: { allow: ["Bash(ls)"] } })],
    ["comments where they are read", write(".gemini/settings.json", '{ /* a */ "ui": {}, }')],
    ["a model of Codex", codex(`model = "b"${CODEX}`)],
    [
      "a tool that says that it does not append",
      ["write_file", { path: claude, content: json(SETTINGS), append: false }],
    ],
    ["how it looks", edit(own, "false", "true")],
  ])("%s", (_what, [tool, args]) => {
    expect(safeEditPath(tool, args, home())).toMatch(/\.(json|toml)$/);
  });
});

describe("a settings edit that removes or may remove orcs entries is not safe", () => {
  it.each<Case>([
    ["settings without them", write(claude, "{}")],
    ["without one of them", write(claude, json({ hooks: { PreToolUse: [ENTRY] } }))],
    ["with another matcher", edit(claude, '"matcher": "*"', '"matcher": "x"')],
    ["with another command", edit(claude, "--timeout 30", "--timeout 1")],
    ["a switch", set({ disableAllHooks: true })],
    ["the switch of a plugin", set({ enabledPlugins: { "orcs@orcs": false } })],
    ["a switch elsewhere", write(".claude/settings.local.json", '{ "disableAllHooks": true }')],
    ["where orcs finds its configuration", set({ env: { XDG_CONFIG_HOME: "/x" } })],
    ["what does not parse", write(claude, "{")],
    ["one that does not parse now", write("broken/.claude/settings.json", "{}")],
    ["a key twice", write(claude, `{ "hooks": {}, ${json(SETTINGS).slice(1)}`)],
    ["an edit of what is not there", edit(claude, "nothing", "x")],
    ["an edit of what is there twice", edit(claude, "orcs hook", "true")],
    ["a patch that moves", patch(`*** Update File: ${claude}`, "*** Move to: x")],
    ["a patch of two files", patch(`*** Update File: ${claude}`, "*** Add File: x", "+")],
    ["a patch that takes it out", patch(`*** Delete File: ${claude}`)],
    ["a switch in TOML", edit(".codex/config.toml", "hooks = true", "hooks = false")],
    ["self_guard", write(own, `self_guard = false\n${OWN}`)],
    ["self_guard, written otherwise", write(own, `"self_guard" = false\n${OWN}`)],
    ["a hook less", write(own, "debug = false\n")],
    ["a hook that is off", more(`enabled = false\n`)],
    ["what agents that cannot ask do", more(`[hosts]\nask = "pass"\n`)],
    ["one more hook of the user's", more(`[[hooks]]\nscript = "orcs:budget"\n`)],
    [
      "a hook before all others that ends the chain",
      more(`[[hooks]]\npoint = "tool.pre_execute"\npriority = -1000\nstop = true\n`),
    ],
    ["a shell hook", more(`[[hooks]]\npoint = "turn.post"\nshell = "true"\n`)],
    ["a hook of one agent", more(`[[agents.x.hooks]]\nscript = "orcs:budget"\n`)],
    ["an agent that overrides", more(`[agents.x]\noverride = ["tool.pre_execute"]\n`)],
    ["hooks in another order", write(own, `[[hooks]]\nscript = "orcs:budget"\n${OWN}`)],
    ...[
      "CLAUDE_CODE_SHELL_PREFIX",
      "CLAUDE_CODE_SIMPLE",
      "LD_PRELOAD",
      "NODE_OPTIONS",
      "PATH",
      "UNHEARD_OF",
    ].map((name): Case => [`the variable ${name}`, set({ env: { [name]: "x" } })]),
    ["variables that are no table", set({ env: "x" })],
    ["a comment where none is read", edit(claude, '"model": "a",', '"model": "a", // x')],
    ["a comma where none is read", write(".codex/hooks.json", '{ "hooks": {}, }')],
    ["permissions of another type", set({ permissions: 5 })],
    ["an event that is no list", event({})],
    ["a group without hooks", event([{}])],
    [
      "a matcher that is no text",
      write(claude, json(withHooks([ENTRY, { ...FOREIGN, matcher: 5 }]))),
    ],
    ["a foreign hook before orcs' own", write(claude, json(withHooks([FOREIGN, ENTRY])))],
    [
      "a foreign hook in the group of orcs' own",
      write(claude, json(withHooks([{ ...ENTRY, hooks: [...FOREIGN.hooks, ...ENTRY.hooks] }]))),
    ],
    ["a program that makes keys", set({ apiKeyHelper: "x" })],
    [
      "a tool that says that it appends",
      ["write_file", { path: claude, content: json(SETTINGS), mode: "append" }],
    ],
    [
      "a tool that writes from somewhere on",
      ["write_file", { path: claude, content: json(SETTINGS), offset: 5 }],
    ],
    ["a text that may be a pattern", edit(claude, '"model": "a"', `"model": "$'"`)],
    ["a profile of Codex", codex(`profile = "x"\nmodel = "a"${CODEX}`)],
    [
      "a project that Codex trusts",
      codex(`model = "a"${CODEX}[projects."/x"]\ntrust_level = "trusted"\n`),
    ],
    ["TOML that does not parse", write(own, "[[[")],
    ["another file of the user's", write(".config/orcs/hooks/orcs.toml", "")],
    ["a tool that appends", ["append_file", { path: claude, content: "" }]],
    ["another file", write("a.json", "{}")],
  ])("%s", (_what, [tool, args]) => {
    expect(safeEditPath(tool, args, home())).toBeUndefined();
  });
});
