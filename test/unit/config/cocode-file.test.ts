import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Layer } from "../../../src/config/layers.ts";
import { rawConfigIn } from "../../../src/config/raw-config.ts";
import { compileMatcher } from "../../../src/matching/match.ts";
import { createEffectReader } from "../../../src/guards/index.ts";
import { createShellReader } from "../../../src/matching/shell/shell.ts";
import { folder, load, loadToml, reportOn } from "./folder.ts";

/** Hooks in cocode's form, as a file of cocode has them; each says something that only its files say. */
const SHELL = `[[hooks]]
event = "PreToolUse"
[hooks.shell]
command = "./check"
pass_context = true
parse_result = true
`;
const WEBHOOK = `[[hooks]]
event = "PostToolUse"
[hooks.webhook]
url = "https://api.example.com/changed"
method = "Post"
headers = { Authorization = "Bearer \${HOOK_API_KEY}", "X-Plain" = "yes" }
`;
const PROGRAM = SHELL.replace("./check", "true");

const handlers = (config: Awaited<ReturnType<typeof loadToml>>) =>
  config.hooks.map(({ handler }) => ("protocol" in handler ? handler.protocol : handler.kind));

describe("a file that does not say whose it is", () => {
  test.each([
    ["a context and a result asked for", PROGRAM],
    ["a method in cocode's words", WEBHOOK.replace(/headers.*\n/, "")],
    ["a variable that nobody allowed", WEBHOOK.replace(/method.*\n/, "")],
    [
      "cocode's variables",
      `[[hooks]]\nevent = "PostToolUse"\n[hooks.shell]\ncommand = "echo $HOOK_TOOL_NAME >> log"\n`,
    ],
  ])("is cocode's with %s, and that is reported", async (_, toml) => {
    const config = await loadToml(toml);
    expect(handlers(config)).toEqual(["cocode"]);
    expect(config.warnings[0]).toMatchObject({
      code: "ORCS1022",
      severity: "warning",
      hint: expect.stringContaining('protocol = "cocode"') as string,
    });
  });

  test.each([
    // What cocode and orcs both take: nothing tells them apart.
    [
      "pass_context alone",
      `event = "PreToolUse"\nshell = { command = "true", pass_context = true }`,
    ],
    [
      "parse_result alone",
      `event = "PreToolUse"\nshell = { command = "true", parse_result = true }`,
    ],
    ["a plain command", `event = "PreToolUse"\nshell = { command = "true" }`],
    ["a command as a text", `event = "PreToolUse"\nshell = "true"`],
    [
      "a key of orcs",
      `point = "PreToolUse"\nshell = { command = "true", pass_context = true, parse_result = true }`,
    ],
    [
      "an id",
      `id = "a"\nevent = "PreToolUse"\nshell = { command = "true", pass_context = true, parse_result = true }`,
    ],
    [
      "a match",
      `match = { tool = "x" }\nevent = "PreToolUse"\nshell = { command = "true", pass_context = true, parse_result = true }`,
    ],
  ])("is orcs' with %s", async (_, hook) => {
    const config = await loadToml(`[[hooks]]\n${hook}\n`);
    expect(handlers(config)).toEqual(["orcs"]);
    expect(config.warnings).toEqual([]);
    expect(config.hooks[0]).toMatchObject({ timeoutMs: undefined, onTimeout: undefined });
  });

  test.each([
    ["a section", `${PROGRAM}[lua]\nmemory_mb = 32\n`],
    [
      "one hook of orcs",
      `${PROGRAM}[[hooks]]\npoint = "PreToolUse"\nhandler_inline = "return nil"\n`,
    ],
    [
      "one hook with a failure mode",
      `${PROGRAM}[[hooks]]\nevent = "PreToolUse"\non_error = "closed"\nshell = { command = "true" }\n`,
    ],
  ])("is orcs' as a whole with %s", async (_, toml) => {
    expect(handlers(await loadToml(toml))).not.toContain("cocode");
  });

  test('protocol = "orcs" says that it is not cocode\'s', async () => {
    const config = await loadToml(`protocol = "orcs"\n${PROGRAM}`);
    expect(handlers(config)).toEqual(["orcs"]);
    expect(config.warnings).toEqual([]);
  });

  test("keeps the failures and the time limit of orcs, and reads every answer", async () => {
    const [asking, silent] = (
      await loadToml(`${PROGRAM}[[hooks]]\nevent = "PreToolUse"\n[hooks.shell]\ncommand = "true"\n`)
    ).hooks;
    for (const hook of [asking, silent]) {
      expect(hook).toMatchObject({
        timeoutMs: undefined,
        onTimeout: "closed",
        handler: { protocol: "cocode", passContext: true, parseResult: true },
      });
    }
  });

  test("after an operation, a timeout keeps nothing back", async () => {
    const { hooks } = await loadToml(PROGRAM.replace("PreToolUse", "PostToolUse"));
    expect(hooks[0]).toMatchObject({ onTimeout: undefined });
  });
});

describe('a file with protocol = "cocode"', () => {
  test("has cocode's defaults: 10 minutes, and nothing asked for", async () => {
    const config = await loadToml(
      `protocol = "cocode"\n[[hooks]]\nevent = "PreToolUse"\n[hooks.shell]\ncommand = "true"\n`,
    );
    expect(config.warnings).toEqual([]);
    expect(config.hooks[0]).toMatchObject({
      timeoutMs: 600_000,
      onTimeout: undefined,
      handler: { protocol: "cocode", passContext: false, parseResult: false },
    });
  });

  test("a handler can say otherwise, and so can a time limit", async () => {
    const { hooks } = await loadToml(`protocol = "cocode"
[[hooks]]
event = "PreToolUse"
timeout_ms = 5
shell = { command = "true", protocol = "orcs" }
[[hooks]]
event = "PreToolUse"
timeout_sec = 60
shell = "true"
`);
    expect(hooks.map(({ timeoutMs }) => timeoutMs)).toEqual([5, 60_000]);
    expect(hooks.map(({ handler }) => handler)).toMatchObject([
      { protocol: "orcs", passContext: true },
      { protocol: "cocode", passContext: false },
    ]);
  });

  test("a protocol that nobody knows is an error", async () => {
    expect(await reportOn('protocol = "cocoa"\n')).toContain("orcs.toml:1:12: error ORCS1004");
  });

  test("an error keeps its place in the file", async () => {
    const toml = `protocol = "cocode"\n${PROGRAM}tool_matchr = 1\n`;
    expect(await reportOn(toml)).toMatch(/^orcs\.toml:8:1: error ORCS1003/);
  });
});

describe("a variable that is not listed in allow_env", () => {
  test("is empty, and a warning says what is sent instead", async () => {
    const config = await loadToml(`protocol = "cocode"\n${WEBHOOK}`);
    expect(config.hooks[0]?.handler).toMatchObject({
      headers: { Authorization: "Bearer ", "X-Plain": "yes" },
      allowEnv: [],
    });
    expect(config.warnings).toMatchObject([
      {
        code: "ORCS1019",
        severity: "warning",
        message: expect.stringMatching(
          /\$\{HOOK_API_KEY\} is not listed in allow_env.*Authorization is sent as "Bearer "/,
        ) as string,
        place: { line: 7 },
        hint: expect.stringContaining('allow_env = ["HOOK_API_KEY"]') as string,
      },
    ]);
  });

  test("is empty in a URL, too; one that is listed stays", async () => {
    const config = await loadToml(
      `protocol = "cocode"\n[[hooks]]\nevent = "SessionStart"\nwebhook = { url = "https://a.example/\${A}/\${B}", allow_env = ["B"] }\n`,
    );
    expect(config.hooks[0]?.handler).toMatchObject({ url: "https://a.example//${B}" });
    expect(config.warnings).toMatchObject([{ message: expect.stringContaining("${A}") as string }]);
  });

  test("is an error in a file of orcs, as before", async () => {
    const dir = folder({ "orcs.toml": `protocol = "orcs"\n${WEBHOOK}` });
    const config = await load(dir, { config: "orcs.toml" });
    expect(config.hooks[0]?.handler).toMatchObject({
      headers: { Authorization: "Bearer ${HOOK_API_KEY}" },
    });
  });
});

test("tool_matcher of cocode is ignored at an event without a tool", async () => {
  const { hooks } = await loadToml(
    `protocol = "cocode"\n[[hooks]]\nevent = "SessionStart"\ntool_matcher = "Bash"\nshell = "true"\n`,
  );
  expect(hooks[0]?.match).toBeUndefined();
});

describe("if", () => {
  const withRule = (rule: string, more = ""): string =>
    `protocol = "cocode"\n[[hooks]]\nevent = "PreToolUse"\nif = ${JSON.stringify(rule)}\n${more}\nshell = "true"\n`;
  const bash = (command: string) => ({ tool_name: "Bash", args: { command } });
  const edit = (path: string) => ({ tool_name: "Edit", args: { file_path: path } });

  test.each<[string, object, boolean]>([
    ["Bash", bash("ls"), true],
    ["Bash(*)", bash("ls"), true],
    ["Bash", { tool_name: "BashOutput", args: {} }, false],
    ["Bash(git *)", bash("git status"), true],
    ["Bash(git:*)", bash("git status"), true],
    // Every command of a line counts.
    ["Bash(git push *)", bash("cd x && A=1 git push origin"), true],
    ["Bash(git push *)", bash("git pull"), false],
    ["Bash(npm run test)", bash("npm run test"), true],
    ["Bash(rm -rf *)", bash("rm -fr x"), true],
    ["Edit(*.ts)", edit("src/deep/a.ts"), true],
    ["Edit(src/**)", edit("src/a.js"), true],
    ["Edit(./src/**)", edit("docs/a.js"), false],
    ["Edit(//etc/**)", edit("/etc/passwd"), true],
    ["Write(src/**)", edit("src/a.js"), false],
    ["mcp__files__read", { tool_name: "mcp__files__read", args: {} }, true],
  ])("%s for %j: %s", async (rule, payload, runs) => {
    const { hooks } = await loadToml(withRule(rule));
    const around = { cwd: "/work", effects: createEffectReader(createShellReader(), "/") };
    const matcher = compileMatcher(hooks[0]?.match ?? {}, around);
    expect(matcher?.failing(payload as Record<string, unknown>) === undefined).toBe(runs);
  });

  test("is a condition beside tool_matcher", async () => {
    const { hooks } = await loadToml(withRule("Bash(git *)", 'tool_matcher = "Ba*"'));
    expect(hooks[0]?.match).toEqual({ tool: "Ba*", tool_regex: "^Bash$", runs: ["git"] });
  });

  test("holds for all words that begin so", async () => {
    const { hooks } = await loadToml(withRule("Bash(git*)"));
    expect(hooks[0]?.match).toEqual({ tool_regex: "^Bash$", runs: ["git*"] });
  });

  test.each([
    // None of these may become a guard that never runs.
    "",
    "Bash(git *",
    "Bash(a)|Bash(b)",
    "Bash(git * main)",
    "WebFetch(domain:example.com)",
    "Edit(~/.ssh/**)",
    "Edit(/src/**)",
    "tool_input.command matches 'git push'",
  ])("%j is an error", async (rule) => {
    expect(await reportOn(withRule(rule))).toContain("orcs.toml:4:6: error ORCS1012");
  });

  test("with the same condition in match is an error", async () => {
    const toml = withRule("Bash(git *)", 'match = { runs = "ls" }');
    expect(await reportOn(toml)).toContain("match.runs is already set");
  });

  test("is unknown in a file of orcs", async () => {
    expect(await reportOn(withRule("Bash").replace('"cocode"', '"orcs"'))).toContain("ORCS1003");
  });
});

describe("a file that was discovered", () => {
  const read = (toml: string, rank: 0 | 1) => {
    const file = join(folder({ "orcs.toml": toml }), "orcs.toml");
    const layer = { origin: "project", rank, from: { file, bytes: undefined } } as const;
    return rawConfigIn(layer as unknown as Layer, "/").finding?.diagnostic.message;
  };
  const massgen = '[[hooks.PreToolUse]]\nhandler = "true"\ntype = "command"\n';
  const ofAgent = '[[agents]]\nid = "a"\n';

  test.each([
    ["cocode", SHELL.repeat(1001)],
    ["MassGen", massgen.repeat(1001)],
    [
      "MassGen, of an agent",
      ofAgent + massgen.replace("hooks", "agents.backend.hooks").repeat(1001),
    ],
  ])("with too many hooks is refused: %s", (_, toml) => {
    expect(read(toml, 1)).toContain("has more than 1000 hooks");
    expect(read(toml, 0)).toBeUndefined();
  });

  test("with too many values is refused before it is converted", () => {
    // Converting it would report the agents without an id.
    const toml = `${massgen}${"[[agents]]\n".repeat(20_001)}`;
    expect(read(toml, 1)).toContain("more than 20000 keys");
  });
});
