import * as fc from "fast-check";
import { basename, join } from "node:path";
import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { recordedCase } from "../../../../src/workbench/replay/recorded-case.ts";
import type { CaseOptions } from "../../../../src/workbench/replay/recorded-case.ts";
import { markOf, savedTestText } from "../../../../src/workbench/replay/saved-test.ts";
import { runTests } from "../../../../src/engine/testing/run-tests.ts";
import { errorOf, folder } from "../../engine/orcs/engine.ts";
import { answered, command, event, recordOf } from "./replay-rig.ts";

const CONFIG = `
[lua]
max_run_ms = 5000
max_chain_ms = 20000
[[hooks]]
script = "guard.lua"
options = { words = ["rm"] }
[[hooks]]
id = "twice"
point = "tool.pre_execute"
script = "limit.lua"
[[hooks]]
id = "inline"
point = "prompt.pre_submit"
handler_inline = "return orcs.deny('no prompts')"
[[hooks]]
id = "shell"
point = "prompt.pre_submit"
shell = { command = "true", parse_result = false }
[[hooks]]
script = "orcs:audit"
`;
const GUARD = `
return {
  {
    id = "words",
    point = "tool.pre_execute",
    handler = function(ctx)
      local command = ctx.payload.args.command
      if type(command) ~= "string" then return end
      for _, word in ipairs(orcs.options.words or {}) do
        if command:find(word, 1, true) then return orcs.deny("no " .. word) end
      end
      if command == "push" then
        local branch = orcs.exec("git branch")
        if not branch.ok then return orcs.deny(branch.error) end
        return orcs.ask("push to " .. branch.stdout .. "?")
      end
      if command == "cached" then return orcs.skip({ ok = true, stdout = "", list = orcs.array({}) }) end
      if command == "later" then return orcs.retry(250) end
      if command == "tell" then return orcs.inject("told") end
      if command == "log" then ctx.payload.args.command = "log -5"; ctx.payload.args.odd = { ["a b"] = { 1, 2 } } end
    end,
  },
  {
    id = "result",
    point = "tool.post_execute",
    handler = function(ctx)
      if ctx.payload.result.secret then return orcs.replace({ ok = true, text = "***" }) end
    end,
  },
}
`;
const LIMIT = `return function(ctx)
  if ctx.payload.args.command == "again" and orcs.state.incr("n", 1) > 1 then return orcs.deny("twice") end
  if ctx.payload.args.command == "breaks" then error("broken") end
end`;

function project(): string {
  return folder({ "orcs.toml": CONFIG, "hooks/guard.lua": GUARD, "hooks/limit.lua": LIMIT });
}

function caseOf(lines: readonly object[], more: Partial<CaseOptions> & { whole?: boolean } = {}) {
  const { whole = true, ...rest } = more;
  const cwd = project();
  const record = recordOf(lines, { whole });
  return recordedCase({
    record,
    event: 1,
    cwd,
    config: "orcs.toml",
    hook: undefined,
    ...rest,
  }).then((found) => ({ cwd, saved: { ...found, script: basename(found.file) } }));
}

/** Write the test beside its script and run it. */
async function run(cwd: string, text: string) {
  const file = join(cwd, "hooks/replay_test.lua");
  writeFileSync(file, text);
  const { ok, tests, mistakes } = await runTests({ cwd, config: "orcs.toml", files: [file] });
  return { ok, tests: tests.map(({ name, message }) => [name, message]), mistakes };
}

const denied = { action: "abort", reason: "no rm", hook: "words" } as const;
const branch = (came: object) => answered("exec", { command: "git branch" }, came);
const HOLDS: Readonly<
  Record<string, readonly [lines: readonly object[], name: string, at?: number]>
> = {
  "a refusal, with the options of the hook": [[command("rm -r", denied)], "denies exec: rm -r"],
  "a question that needs a tool": [
    [
      branch({ result: { ok: true, stdout: "main", stderr: "", code: 0 } }),
      command("push", {
        decision: "ask",
        reason: "push to main?",
        hook: "words",
      }),
    ],
    "asks about exec: push",
  ],
  "a tool that threw": [
    [
      branch({ error: "no disk" }),
      command("push", { action: "abort", reason: "no disk", hook: "words" }),
    ],
    "denies exec: push",
  ],
  "an answer in place of the tool": [
    [
      command("cached", {
        action: "skip",
        result: { ok: true, stdout: "", list: [] },
        hook: "words",
      }),
    ],
    "skips exec: cached",
  ],
  "another try": [
    [command("later", { action: "retry", delay_ms: 250, hook: "words" })],
    "retries exec: later",
  ],
  "an edit, by whom changed it": [
    [
      command("log", {
        edits: [
          { path: "/payload/args/command", value: "log -5" },
          { path: "/payload/args/odd", value: { "a b": [1, 2] } },
        ],
      }),
    ],
    "rewrites exec: log",
  ],
  "a result that is replaced": [
    [
      event({
        point: "tool.post_execute",
        payload: { tool_name: "read", args: { path: "x" }, result: { ok: true, secret: "s" } },
        outcome: { edits: [{ path: "/payload/result", value: { ok: true, text: "***" } }] },
      }),
    ],
    "replaces the result of read: x",
  ],
  "another one than the first": [[command("ls"), command("rm", denied)], "denies exec: rm", 2],
};

describe("a test saved from a recorded event passes", () => {
  test.each(Object.entries(HOLDS))("%s", async (_, [lines, name, at = 1]) => {
    const { cwd, saved } = await caseOf(lines, { event: at });
    const full = `guard.lua ${name}`;
    expect(await run(cwd, savedTestText(saved))).toEqual({
      ok: true,
      tests: [[full, undefined]],
      mistakes: [],
    });
  });

  test("with an explicit hook, for what that hook does now: no decision, or injected text", async () => {
    const { cwd, saved } = await caseOf([command("tell", { action: "abort", hook: "gone" })], {
      hook: "words",
    });
    expect(saved.observed.inject).toEqual(["told"]);
    expect(await run(cwd, savedTestText(saved))).toMatchObject({ ok: true });
  });

  test("and fails when the hook changes its decision", async () => {
    const { cwd, saved } = await caseOf([command("rm", denied)]);
    writeFileSync(join(cwd, "hooks/guard.lua"), GUARD.replace('"no " .. word', '"never " .. word'));
    expect(await run(cwd, savedTestText(saved))).toMatchObject({ ok: false });
  });

  test("for an event with any payload", async () => {
    const payloads = fc.sample(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), 25);
    const own = JSON.parse(
      '{"__proto__":1,"tool_name":"exec","end":{"nil":null,"":[[],{}]}}',
    ) as JsonObject;
    const all = [own, ...(payloads as JsonObject[])].map((extra) => {
      const payload = { tool_name: "exec", args: { command: "rm", extra } };
      return event({ payload, metadata: { extra }, outcome: denied });
    });
    const cwd = project();
    const record = recordOf(all);
    const options = { record, cwd, config: "orcs.toml", hook: undefined };
    const texts: string[] = [];
    for (const [i] of all.entries()) {
      const { file, ...found } = await recordedCase({ ...options, event: i + 1 });
      texts.push(savedTestText({ ...found, script: basename(file) }));
    }
    const told = await run(cwd, texts.join("\n"));
    expect(told).toMatchObject({ ok: true, mistakes: [] });
    expect(told.tests).toHaveLength(all.length);
  }, 60_000);
});

test("the mark of a saved test depends on the event and its script", async () => {
  const [one, again, other] = await Promise.all([
    caseOf([command("rm", denied)]),
    caseOf([command("ls"), command("rm", denied)], { event: 2 }),
    caseOf([command("rm -f", denied)]),
  ]);
  expect(markOf(one.saved)).toMatch(/^-- event [0-9a-f]{16}$/);
  expect(markOf(again.saved)).toBe(markOf(one.saved));
  expect(markOf(other.saved)).not.toBe(markOf(one.saved));
  expect(markOf({ ...one.saved, script: "other.lua" })).not.toBe(markOf(one.saved));
});

const REFUSED: Readonly<
  Record<string, readonly [lines: readonly object[], more: Partial<CaseOptions>, why: RegExp]>
> = {
  "there is no such event": [[command("ls")], { event: 2 }, /ORCS5001: the record has 1 events/],
  "no hook did anything": [[command("ls")], {}, /ORCS5001: no hook decided.*--hook/],
  "there is no such hook": [[command("ls")], { hook: "no" }, /ORCS5001: .*no hook "no"/],
  "its handler stands in the configuration": [
    [command("ls")],
    { hook: "inline" },
    /ORCS5001: hook inline is not in its own script/,
  ],
  "it is no hook of Lua": [
    [command("ls")],
    { hook: "shell" },
    /ORCS5001: hook shell does not run in Lua/,
  ],
  "it is shipped with orcs": [
    [command("ls")],
    { hook: "audit-tools" },
    /ORCS5001: hook audit-tools is shipped with orcs/,
  ],
  "it needs what was before": [
    [command("again"), command("again", { action: "abort", reason: "twice", hook: "twice" })],
    { event: 2 },
    /ORCS8007: event 2 cannot be saved as a test: run alone, its script returns \{"action":"continue"\}/,
  ],
  "the hook fails": [
    [command("breaks", { action: "abort", reason: "hook twice failed", hook: "twice" })],
    {},
    /ORCS8007: event 1 cannot be saved as a test: the hook fails: .*broken/,
  ],
  "it cannot happen again": [
    [event({ point: "deploy.pre_push", outcome: denied })],
    {},
    /ORCS5001: event 1 cannot be replayed here/,
  ],
};

describe("a saved test is rejected when", () => {
  test.each(Object.entries(REFUSED))("%s", async (_, [lines, more, why]) => {
    expect((await errorOf(caseOf(lines, more))).message).toMatch(why);
  });

  test("its decision depends on masked data", async () => {
    const lines = [command("echo [redacted]", denied)];
    const { code, message } = await errorOf(caseOf(lines, { whole: false }));
    expect(code).toBe("ORCS8007");
    expect(message).toMatch(/secrets are masked in the record$/);
  });
});
