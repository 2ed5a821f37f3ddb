import { readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { validateImported } from "../../../src/cli/import.ts";
import type { HostName } from "../../../src/core/hosts.ts";
import { importHooks } from "../../../src/agents/import/import-hooks.ts";
import type { Imported } from "../../../src/agents/import/import-hooks.ts";
import { HOSTS } from "../../../src/formats/hosts.ts";
import { folder } from "../engine/orcs/engine.ts";

/** Hooks as people publish them, with their shapes and with other details. */
const PUBLISHED = JSON.parse(
  readFileSync(new URL("../../fixtures/published-hooks.json", import.meta.url), "utf8"),
) as readonly { host: HostName; name: string; settings: object }[];

async function imported(host: HostName, settings: object): Promise<Imported[]> {
  const { events } = await HOSTS[host].load();
  const beside = folder();
  const place = { runsIn: beside, changes: false, beside };
  return validateImported(importHooks(settings, { host, events, place, programs: [] }), beside);
}

test("of 74 published hooks, all but three are imported, and each of these says why", async () => {
  vi.stubEnv("HOOK_TOKEN", "x");
  const all = await Promise.all(
    PUBLISHED.map(async ({ host, name, settings }) =>
      (await imported(host, settings)).map((hook) => Object.assign({ name }, hook)),
    ),
  );
  const hooks = all.flat();
  expect([PUBLISHED.length, hooks.length]).toEqual([28, 74]);
  const refused = hooks.filter(({ table }) => table === undefined);
  vi.unstubAllEnvs();
  expect(refused.map(({ name, event, reason }) => `${name}, ${event}: ${reason}`)).toEqual([
    expect.stringMatching(/^a model as a judge, Stop: ORCS7012: .* the type prompt/),
    expect.stringMatching(/^worktrees and tasks, WorktreeCreate: the agent's own behavior/),
    expect.stringMatching(/^an audit of everything, beforeMCPExecution: .* move it there$/),
  ]);
});

describe("what people write becomes", () => {
  const tableOf = async (name: string, at: number): Promise<unknown> => {
    const file = PUBLISHED.find((each) => each.name === name);
    return file && (await imported(file.host, file.settings))[at]?.table;
  };
  const shell = (command: string, more = {}) => ({
    shell: { command, protocol: "claude-code", ...more },
  });

  test.each<[name: string, at: number, table: object]>([
    ["scripts of the project", 0, shell('python3 "$ORCS_DIR/.claude/hooks/check.py"')],
    ["scripts of the project", 1, shell('"$ORCS_DIR/.claude/hooks/bash_guard.sh"')],
    [
      "scripts of the project",
      2,
      { ...shell('"$ORCS_DIR/.claude/hooks/paths.py" --strict'), timeout_ms: 30_000 },
    ],
    ["scripts of the project", 3, { match: { source: "startup|resume" } }],
    ["desktop notifications", 0, { match: { source: "permission_prompt|idle_prompt" } }],
    [
      "conditions of single hooks",
      0,
      { match: { tool: "Bash", tool_regex: "^Bash$", runs: "git commit" } },
    ],
    [
      "conditions of single hooks",
      2,
      {
        match: {
          tool: "Edit|Write",
          tool_regex: "^(?:Edit|MultiEdit|Write|NotebookEdit)$",
          path: "src/**",
        },
      },
    ],
    ["worktrees and tasks", 3, { point: "ConfigChange", match: { source: "project_settings" } }],
    ["worktrees and tasks", 4, { point: "UserPromptExpansion", match: { source: "deploy" } }],
    ["written by hand, with slips", 0, shell('"$ORCS_DIR/.claude/hooks/check.sh"')],
    ["written by hand, with slips", 1, { match: { tool: "Bash" }, ...shell("exit 2") }],
    ["written by hand, with slips", 2, { point: "Stop", ...shell("exit 2") }],
    ["subagents", 1, { point: "SubagentStop", match: { source: "db-agent|reviewer" } }],
    ["tools and subagents", 1, { point: "child.pre_spawn", match: { source: "explore" } }],
    ["an audit of everything", 3, { point: "host.pre_event", match: { event: "afterFileEdit" } }],
    ["context and memory", 2, { point: "AfterAgent", timeout_ms: 10_000 }],
  ])("%s, %i", async (name, at, table) => {
    expect(await tableOf(name, at)).toMatchObject(table);
  });
});

test("each hook says in one line what is different here", async () => {
  const { host, settings } = PUBLISHED.find(({ name }) => name === "desktop notifications") ?? {
    host: "claude-code",
    settings: {},
  };
  const [first, second] = await imported(host, settings);
  expect(first?.differs).toEqual(["of its environment, it gets PATH, HOME and the like"]);
  expect(second?.differs.at(-1)).toBe(
    "what it leaves in the background is ended with it, without background_s",
  );
});
