import { afterEach, describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { keptEdit } from "../../../src/serve/kept-edits.ts";
import { folder } from "../host/engine.ts";

afterEach(() => vi.unstubAllEnvs());

const ENTRY = {
  matcher: "*",
  hooks: [{ type: "command", command: "orcs hook --host claude-code --timeout 30", timeout: 30 }],
};
const SETTINGS = { model: "a", hooks: { PreToolUse: [ENTRY], Stop: [ENTRY] } };
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const OWN = `[ui]\ncolor = "never"\n[[hooks]]\nscript = "orcs:shell-guard"\n`;

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
const patch = (...lines: string[]) =>
  ["edit", { patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") }] as const;

describe("a change that keeps what is there of orcs", () => {
  it.each<Case>([
    ["another key", write(claude, json({ ...SETTINGS, model: "b" }))],
    ["more hooks", write(claude, json({ ...SETTINGS, hooks: { ...SETTINGS.hooks, X: [] } }))],
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
    ["one more hook of the user's", write(own, `${OWN}[[hooks]]\nscript = "orcs:budget"\n`)],
    ["how it looks", edit(own, "never", "always")],
  ])("%s", (_what, [tool, args]) => {
    expect(keptEdit(tool, args, home())).toMatch(/\.(json|toml)$/);
  });
});

describe("a change that does not, or may not", () => {
  it.each<Case>([
    ["settings without them", write(claude, "{}")],
    ["without one of them", write(claude, json({ hooks: { PreToolUse: [ENTRY] } }))],
    ["with another matcher", edit(claude, '"matcher": "*"', '"matcher": "x"')],
    ["with another command", edit(claude, "--timeout 30", "--timeout 1")],
    ["a switch", write(claude, json({ ...SETTINGS, disableAllHooks: true }))],
    ["a switch elsewhere", write(".claude/settings.local.json", '{ "disableAllHooks": true }')],
    [
      "where orcs finds its configuration",
      write(claude, json({ ...SETTINGS, env: { XDG_CONFIG_HOME: "/x" } })),
    ],
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
    ["a hook less", write(own, '[ui]\ncolor = "never"\n')],
    ["a hook that is off", write(own, `${OWN}enabled = false\n`)],
    ["what agents that cannot ask do", write(own, `${OWN}[hosts]\nask = "pass"\n`)],
    ["TOML that does not parse", write(own, "[[[")],
    ["another file of the user's", write(".config/orcs/hooks/orcs.toml", "")],
    ["a tool that appends", ["append_file", { path: claude, content: "" }]],
    ["another file", write("a.json", "{}")],
  ])("%s", (_what, [tool, args]) => {
    expect(keptEdit(tool, args, home())).toBeUndefined();
  });
});
