import { describe, expect, test } from "vitest";
import {
  isPlainCall,
  probeCommand,
  programVersion,
} from "../../../../src/workbench/doctor/entry-probes.ts";

const around = { cwd: "/", env: { PATH: process.env["PATH"] ?? "" } };

function tried(command: string, withinMs = 20_000) {
  return probeCommand({ ...around, command, stdin: '{"a":1}', withinMs });
}

const ANSWERS: readonly (readonly [string, string])[] = [
  ["true", "nothing"],
  ["cat >/dev/null; echo", "nothing"],
  ["cat", "object"],
  ["echo '{}'", "object"],
  [`echo '{"hookSpecificOutput":{"permissionDecision":"deny"}}'`, "refusal"],
  [`echo '{"decision":"block","reason":"no"}'`, "refusal"],
  [`echo '{ "continue": false }'`, "refusal"],
  ["echo no >&2; exit 2", "refusal"],
  ["echo 'denied by hook h: see ORCS1015' >&2; exit 2", "refusal"],
];

const PROBLEMS: readonly (readonly [string, RegExp])[] = [
  ["exit 2", /without a reason/],
  ["echo hello", /not one JSON object: "hello"/],
  ["echo '[]'", /not one JSON object/],
  ["echo null", /not one JSON object/],
  ["echo '{}{}'", /not one JSON object/],
  ["echo noise; echo '{}'", /not one JSON object/],
  ["echo bad >&2; exit 1", /exit code 1, which most agents treat as allowed.*: bad$/],
  ["/nowhere/orcs", /was not found/],
  ["/", /cannot be executed/],
  ["kill -9 $$", /ended by SIGKILL/],
  ["yes | tr -d '\\n'", /writes more than/],
  ["echo 'ORCS7002: the service went away' >&2; exit 2", /^ORCS7002: the service went away$/],
  [`printf '%s' '{"reason":"ORCS1015: a mistake\\nmore"}'`, /^ORCS1015: a mistake$/],
];

describe("doctor: the result of a trial command", () => {
  test.each(ANSWERS)("%s: %s", async (command, answer) => {
    const { tried: said, findings } = await tried(command);
    expect(said.answer).toBe(answer);
    expect(findings).toEqual([]);
  });

  test.each(PROBLEMS)("%s is a problem", async (command, text) => {
    const { tried: said, findings } = await tried(command);
    expect(said.answer).toBeUndefined();
    expect(findings.map(({ kind }) => kind)).toEqual(["problem"]);
    expect(findings[0]?.text).toMatch(text);
  });

  test("a command that hangs is killed and is a problem", async () => {
    const began = performance.now();
    const { tried: said, findings } = await tried("sleep 100", 300);
    expect(findings).toMatchObject([{ kind: "problem", text: "no response within 0.3 s" }]);
    expect(said.ms).toBeGreaterThanOrEqual(290);
    expect(performance.now() - began).toBeLessThan(20_000);
  });
});

describe("doctor: programVersion", () => {
  test("reads the version of a program", async () => {
    expect(await programVersion("echo 1.2.3-rc.1 #", around, "hint")).toEqual({
      version: "1.2.3-rc.1",
    });
  });

  test.each([
    ["echo rubbish", false, /is not orcs: --version prints "rubbish --version"/],
    ["true", false, /is not orcs/],
    ["/nowhere/orcs", true, /was not found/],
    ["false", true, /exit code 1/],
  ])("%s is a problem with a hint", async (program, isDead, text) => {
    const looked = await programVersion(program, around, "a hint");
    expect(looked).toMatchObject({ isDead, finding: { kind: "problem", hint: "a hint" } });
    expect("finding" in looked && looked.finding.text).toMatch(text);
  });
});

describe("doctor: isPlainCall", () => {
  test.each([
    "orcs hook --host claude-code --timeout 60",
    "/usr/bin/node '/a b/main.js' hook --host codex --config=x.toml",
    `"$CLAUDE_PROJECT_DIR"/node_modules/.bin/orcs hook --host claude-code`,
    "${HOME}/bin/orcs hook --host cursor",
    `'it'\\''s'/orcs hook --host gemini`,
  ])("accepts %s", (command) => {
    expect(isPlainCall(command)).toBe(true);
  });

  test.each([
    "sleep 100; orcs hook --host codex",
    "orcs hook --host codex && true",
    "orcs hook --host codex | tee x",
    "orcs hook --host codex > x",
    "orcs hook --host codex &",
    "orcs hook --host $(id)",
    "orcs hook --host `id`",
    `"$(id)" hook --host codex`,
    '"`id`" hook --host codex',
    "orcs hook --host codex\nid",
    "'orcs\nid' hook",
    "(orcs hook --host codex)",
    "orcs hook --host codex # x",
    "",
  ])("rejects %j", (command) => {
    expect(isPlainCall(command)).toBe(false);
  });

  test("takes linear time for a long command", () => {
    const began = performance.now();
    expect(isPlainCall(`${"a".repeat(50_000)};`)).toBe(false);
    expect(isPlainCall(`${"a ".repeat(25_000)};`)).toBe(false);
    expect(isPlainCall(`${"$aa".repeat(10_000)};`)).toBe(false);
    expect(isPlainCall(`"${"$aa".repeat(10_000)};`)).toBe(false);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
