import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { checkConfiguration } from "../../../../src/workbench/check/check.ts";
import { hostNoteText, hostReport } from "../../../../src/workbench/check/host-notes.ts";
import type { AgentName } from "../../../../src/core/hosts.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

async function checked(config: string, files: Readonly<Record<string, string>> = {}) {
  const cwd = mkdtempSync(join(tmpdir(), "orcs-host-notes-"));
  folders.push(cwd);
  for (const [name, text] of Object.entries({ ...files, "orcs.toml": config })) {
    writeFileSync(join(cwd, name), text);
  }
  return checkConfiguration({ config: "orcs.toml", cwd });
}

/** The notes as text. */
async function notes(host: AgentName, config: string): Promise<string[]> {
  return (await hostReport(host, await checked(config))).notes.map(hostNoteText);
}

const hook = (point: string, body: string, more = "") =>
  `[[hooks]]\nid = "h"\npoint = "${point}"\n${more}\nhandler_inline = '''\n${body}\n'''\n`;

const ASK = hook("tool.pre_execute", 'return orcs.ask("sure?")');
const REWRITE = hook("tool.pre_execute", 'ctx.payload.args.command = "ls"');

test.each<[string, AgentName, string, RegExp[]]>([
  ["asks", "codex", ASK, [/^h may return `ask` at PreToolUse: codex cannot ask .* denied$/]],
  [
    "asks, as configured",
    "codex",
    `${ASK}[hosts]\nask = "pass"\n`,
    [/it continues|codex continues/],
  ],
  [
    "asks where it cannot always",
    "gemini",
    ASK,
    [/^h may return `ask` at BeforeTool: without a user .* the call is denied; with one, it asks$/],
  ],
  ["asks where it can", "claude-code", ASK, []],
  [
    "asks, in a plugin",
    "opencode",
    ASK,
    [/^h may return `ask` at tool.execute.before: .* denied$/],
  ],
  [
    "has no function of a plugin",
    "opencode",
    hook("agent.pre_stop", 'return orcs.deny("x")'),
    [/^h: opencode has no event for agent.pre_stop, so the hook does not run there$/],
  ],
  [
    "rewrites",
    "codex",
    REWRITE,
    [/a changed input at PreToolUse: .*it works if the hook also returns allow$/],
  ],
  [
    "rewrites and allows",
    "codex",
    hook("tool.pre_execute", 'ctx.payload.args.command = "ls"\nreturn orcs.allow("x")'),
    [],
  ],
  ["rewrites where it can", "copilot", REWRITE, []],
  ["denies", "codex", hook("tool.pre_execute", 'return orcs.deny("no")'), []],
  [
    "masks",
    "cursor",
    hook("tool.post_execute", 'return orcs.replace("x")'),
    [/only results of MCP tools/],
  ],
  [
    "injects",
    "gemini",
    hook("tool.pre_execute", 'return orcs.inject("x")'),
    [/^h may return text for the model at BeforeTool: gemini's model reads/],
  ],
  [
    "rewrites a prompt by its other name",
    "claude-code",
    hook("prompt.pre_submit", 'ctx.payload.user_prompt = "x"'),
    [/a changed input at UserPromptSubmit/],
  ],
  [
    "has no event",
    "codex",
    hook("llm.pre_generate", "return nil"),
    [/^h: codex has no event for llm.pre_generate, so the hook does not run there$/],
  ],
  [
    "is for others",
    "codex",
    hook("tool.pre_execute", 'return orcs.ask("x")', 'fql = "builtin::*"'),
    [],
  ],
  ["is disabled", "codex", hook("tool.pre_execute", 'return orcs.ask("x")', "enabled = false"), []],
  [
    "is not awaited",
    "codex",
    hook("tool.pre_execute", 'return orcs.ask("x")', "async = true\nobserve = true"),
    [],
  ],
  [
    "asks only elsewhere",
    "codex",
    hook(
      "tool.pre_execute",
      'if ctx.component_id == "agent::gemini" then return orcs.ask("x") end',
    ),
    [],
  ],
  [
    "is for one tool, not that of the event",
    "cursor",
    hook("tool.pre_execute", 'return orcs.ask("x")', 'match = { tool = "exec" }'),
    [/at preToolUse:/],
  ],
  [
    "is for the tool of an event",
    "cursor",
    hook("tool.pre_execute", 'return orcs.ask("x")', 'match = { tool = "read" }'),
    [/at preToolUse, beforeTabFileRead:/],
  ],
  ["decides by the event", "claude-code", hook("host.pre_event", 'return orcs.deny("x")'), []],
])("a hook that %s, on %s", async (_what, host, config, expected) => {
  const found = await notes(host, config);
  expect(found).toHaveLength(expected.length);
  for (const [i, pattern] of expected.entries()) expect(found[i]).toMatch(pattern);
});

test("one script under several options: each hook with its own", async () => {
  const script = `return {
    id = "s",
    point = "tool.pre_execute",
    handler = function(ctx)
      if orcs.options.mode == "ask" then return orcs.ask("sure?") end
      return orcs.deny("no")
    end,
  }`;
  const guard = (id: string, mode: string) =>
    `[[hooks]]\nid = "${id}"\nscript = "guard.lua"\noptions = { mode = "${mode}" }\n`;
  const config = guard("a", "ask") + guard("b", "deny");
  const { notes: found } = await hostReport(
    "codex",
    await checked(config, { "guard.lua": script }),
  );
  expect(found.map(hostNoteText)).toEqual([expect.stringMatching(/^a may return `ask`/)]);
});

test("a hook outside Lua is listed as not analysed, and has no note", async () => {
  const config = '[[hooks]]\nid = "s"\npoint = "tool.pre_execute"\nshell = "./check.sh"\n';
  const { notes: found, unread } = await hostReport("codex", await checked(config));
  expect([found, unread]).toEqual([[], ["s"]]);
});

test("a note has the line of the code and the parts of the sentence", async () => {
  const { notes: found } = await hostReport("codex", await checked(ASK));
  expect(found[0]).toMatchObject({
    hook: "h",
    point: "tool.pre_execute",
    events: ["PreToolUse"],
    abilities: ["ask"],
    effect: "denied",
    place: { file: "orcs.toml", line: 6 },
  });
});

test("a configuration that does not load has no notes", async () => {
  const { notes: found } = await hostReport("codex", await checked(`${ASK}[hosts]\nask = 3\n`));
  expect(found).toEqual([]);
});
