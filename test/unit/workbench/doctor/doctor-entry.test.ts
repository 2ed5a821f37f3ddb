import { describe, expect, test } from "vitest";
import { HOST_NAMES } from "../../../../src/core/hosts.ts";
import type { HostName } from "../../../../src/core/hosts.ts";
import type { Hook } from "../../../../src/core/hook.ts";
import { createOrcs } from "../../../../src/engine/create-orcs.ts";
import type { HostEvent } from "../../../../src/formats/host-protocol.ts";
import { HOSTS } from "../../../../src/formats/hosts.ts";
import { checkEntry, idleHooks } from "../../../../src/workbench/doctor/agent-checks.ts";
import type { NeededEvent } from "../../../../src/agents/install/wanted-events.ts";

async function eventsOf(host: HostName): Promise<Readonly<Record<string, HostEvent>>> {
  return (await HOSTS[host].load()).events;
}

async function looked(
  host: HostName,
  event: string,
  changes: Readonly<Record<string, unknown>> = {},
  more: {
    matcher?: unknown;
    isOff?: boolean;
    needed?: readonly NeededEvent[] | undefined;
    hooks?: readonly Hook[];
  } = {},
) {
  const command = `orcs hook --host ${host} --timeout 60`;
  const { perSecond, failClosed } = HOSTS[host];
  const { matcher = "*", isOff = false } = more;
  const needed = "needed" in more ? more.needed : [{ event, seconds: 60 }];
  const entry: Readonly<Record<string, unknown>> = {
    type: "command",
    command,
    timeout: 60 * perSecond,
    ...failClosed,
    ...changes,
  };
  return checkEntry(
    {
      event,
      matcher,
      entry,
      isOff,
      isLoose: false,
      program: "orcs",
      config: undefined,
      command: String(entry["command"]),
      isRequest: false,
    },
    { host, events: await eventsOf(host), needed, hooks: more.hooks },
  );
}

const PRE = {
  "claude-code": "PreToolUse",
  codex: "PreToolUse",
  gemini: "BeforeTool",
  cursor: "preToolUse",
  copilot: "PreToolUse",
  qwen: "PreToolUse",
} as const satisfies Record<HostName, string>;

describe("doctor: a settings entry", () => {
  test.each(HOST_NAMES)("for %s as installed has no findings", async (host) => {
    const { findings, timeout_s, fail_closed } = await looked(host, PRE[host]);
    expect(findings).toEqual([]);
    expect(timeout_s).toBe(60);
    expect(fail_closed).toBe(HOSTS[host].failClosed ? true : null);
  });

  test.each<[string, HostName, Parameters<typeof looked>[2], Parameters<typeof looked>[3], RegExp]>(
    [
      [
        "not fail-closed",
        "claude-code",
        { onFailure: "ignore" },
        {},
        /does not fail closed.*onFailure/,
      ],
      ["not fail-closed", "cursor", { failClosed: false }, {}, /does not fail closed.*failClosed/],
      ["seconds for milliseconds", "gemini", { timeout: 60 }, {}, /0\.06 s is less/],
      [
        "too short for its hooks",
        "codex",
        {},
        { needed: [{ event: "PreToolUse", seconds: 90 }] },
        /60 s is less than the 90 s/,
      ],
      [
        "shorter than orcs thinks",
        "codex",
        { timeout: 10 },
        { needed: undefined },
        /stops waiting after 10 s/,
      ],
      ["for nothing", "codex", {}, { needed: [] }, /no hook is on this event/],
      ["asynchronous", "claude-code", { async: true }, {}, /async/],
      ["once", "claude-code", { once: true }, {}, /once/],
      ["of another type", "claude-code", { type: "prompt" }, {}, /not a command/],
      ["turned off", "gemini", {}, { isOff: true }, /disabled by its settings/],
    ],
  )("that is %s (%s) is a problem", async (_, host, changes, more, text) => {
    const { findings } = await looked(host, PRE[host], changes, more);
    expect(findings.map(({ kind }) => kind)).toEqual(["problem"]);
    expect(findings[0]?.text).toMatch(text);
  });

  const PLAIN = "orcs hook --host codex";

  test("without --timeout is judged by the 30 s that orcs hook takes then", async () => {
    const fits = { command: PLAIN, timeout: 40 };
    expect((await looked("codex", "PreToolUse", fits, { needed: undefined })).findings).toEqual([]);
    const short = { command: PLAIN, timeout: 20 };
    const { findings } = await looked("codex", "PreToolUse", short, { needed: undefined });
    expect(findings.map(({ text }) => text)).toEqual([
      "the agent stops waiting after 20 s, but orcs only after 30 s",
    ]);
  });

  test("at an event that orcs must not handle is a problem", async () => {
    const { findings } = await looked("claude-code", "WorktreeCreate");
    expect(findings).toMatchObject([
      { kind: "problem", text: expect.stringMatching(/is harmful/) as string },
    ]);
  });

  test.each([
    ["Bash", /"Bash" matches/],
    [{ tool_name: "Shell" }, /Shell/],
  ])("with the matcher %j is worth a note", async (matcher, text) => {
    const { findings } = await looked("cursor", "preToolUse", {}, { matcher });
    expect(findings.map(({ kind }) => kind)).toEqual(["note"]);
    expect(findings[0]?.text).toMatch(text);
  });

  test.each<[string, HostName, unknown, object, RegExp | undefined]>([
    ["a tool that it leaves out", "claude-code", "Bash", { tool: "exec" }, /other calls pass h/],
    [
      "all tools of its hook",
      "claude-code",
      "Bash|PowerShell|Monitor",
      { tool: "exec" },
      undefined,
    ],
    ["any tool", "codex", "Bash", {}, /other calls pass h/],
    ["a pattern of all of them", "gemini", "run_.*", { tool: "exec" }, undefined],
    ["names of another tool", "cursor", { tool_name: "Read" }, { tool: "Shell" }, /pass h/],
  ])("with a matcher and a hook of %s", async (_, host, matcher, match, expected) => {
    const orcs = await createOrcs({
      config: {
        hooks: [{ id: "h", point: "tool.pre_execute", handler_inline: "return nil", match }],
      },
    });
    const hooks = orcs.registry.list();
    await orcs.close();
    const { findings } = await looked(host, PRE[host], {}, { matcher, hooks });
    const problems = findings.filter(({ kind }) => kind === "problem");
    expect(problems.map(({ text }) => text)).toEqual(
      expected ? [expect.stringMatching(expected) as string] : [],
    );
  });

  test("with `if` before a call is a problem", async () => {
    const { findings } = await looked("claude-code", "PreToolUse", { if: "Bash(git *)" });
    expect(findings).toMatchObject([{ kind: "problem", hint: "remove `if`" }]);
  });

  test("with unknown demand is not reported as unneeded", async () => {
    expect((await looked("codex", "PreToolUse", {}, { needed: undefined })).findings).toEqual([]);
  });
});

describe("doctor: hooks that never run under a coding agent", () => {
  async function whys(host: HostName, hook: Record<string, unknown>, told: readonly string[]) {
    const handler_inline = "return nil";
    const config = { hooks: [{ id: "h", point: "tool.pre_execute", handler_inline, ...hook }] };
    const orcs = await createOrcs({ config });
    const hooks: readonly Hook[] = orcs.registry.list();
    await orcs.close();
    const events = await eventsOf(host);
    const { hasChildren } = HOSTS[host];
    const agent = { host, hasChildren, events, covered: new Set(told) };
    return idleHooks(hooks, agent).map(({ why }) => why);
  }

  test.each(HOST_NAMES)("%s: a hook that runs is not reported", async (host) => {
    expect(await whys(host, {}, [PRE[host]])).toEqual([]);
    expect(await whys(host, { fql: `agent::${host}` }, [PRE[host]])).toEqual([]);
    expect(await whys(host, { fql: "agent::*" }, [PRE[host]])).toEqual([]);
  });

  test.each<[Record<string, unknown>, RegExp]>([
    [{ enabled: false }, /disabled/],
    [{ point: "component.pre_init" }, /has no event for component\.pre_init/],
    [{ fql: "agent::codex" }, /does not match agent::gemini/],
    [{ fql: "builtin::*" }, /does not match agent::gemini/],
    [{ fql: "agent::gemini#primary" }, /names an instance/],
    [{ fql: "agent::gemini/worker" }, /names a child/],
    [{ point: "session.on_start" }, /no working entry at SessionStart/],
  ])("%j", async (hook, text) => {
    const [why, ...more] = await whys("gemini", hook, ["BeforeTool"]);
    expect(why).toMatch(text);
    expect(more).toEqual([]);
  });

  test("a hook for subagents runs if the agent reports subagents", async () => {
    expect(await whys("codex", { fql: "agent::codex/*" }, ["PreToolUse"])).toEqual([]);
  });
});
