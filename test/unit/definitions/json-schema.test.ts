import { readFileSync } from "node:fs";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { POINT_ALIASES, POINT_TABLE } from "../../../src/core/point-table.ts";
import { newConfig } from "../../../src/cli/init-files.ts";
import { configJsonSchema } from "../../../scripts/generate/config-json-schema.ts";
import { pages, ROOT } from "../../docs/pages.ts";
import { errorOf, loadToml } from "../config/folder.ts";
import { schemaMistakes } from "./fits-schema.ts";

const schema = configJsonSchema();
const found = (toml: string): string[] => schemaMistakes(schema, parse(toml));

const HOOK = '[[hooks]]\npoint = "tool.pre_execute"\nhandler_inline = "ctx"\n';

/** Both the loader and the schema take these. */
const GOOD: Record<string, string> = {
  nothing: "",
  "a hook": HOOK,
  "the nested spelling": HOOK.replace("[[hooks]]", "[[hooks.hooks]]"),
  "a shell command as text": '[[hooks]]\nevent = "Stop"\nshell = "true"',
  "a shell command as a table":
    '[[hooks]]\npoint = "Stop"\nshell = { command = "true", env = ["A"] }',
  "a webhook, its method in lower case":
    '[[hooks]]\npoint = "Stop"\nwebhook = { url = "https://a.example", method = "post" }',
  "MassGen's handler": '[[hooks]]\npoint = "Stop"\nhandler = "true"\ntype = "command"',
  "a function of Python": '[[hooks]]\npoint = "Stop"\nhandler = "a.b"\ntype = "python"',
  "MassGen's lists by event": `[[hooks.PreToolUse]]\nhandler = "a.b"\ntype = "python"\n[[agents]]\nid = "a"\n[agents.backend.hooks.PostToolUse]\noverride = true\n`,
  "the protocol of a file": 'protocol = "cocode"\n[[hooks]]\nevent = "Stop"\nshell = "true"',
  "other spellings":
    '[[hooks]]\nname = "n"\nevent = "Stop"\ntimeout_sec = 0.5\ntool_matcher = "a"\nhandler_inline = "ctx"',
  "a command that runs": `${HOOK}match.runs = "git push --force"`,
  "commands that run": `${HOOK}match = { runs = ["git push --force", "rm -r*", "?"] }`,
  options: `${HOOK}options = { deep = { list = [1, "a", { b = true }] } }`,
  agents: `[agents.reviewer]\noverride = ["tool.post_execute", "post_tool_use"]\n[[agents.reviewer.hooks]]\npoint = "Stop"\nhandler_inline = "ctx"`,
  settings: `debug = true
[engine]
on_error = "open"
max_depth = 100
[lua]
max_run_ms = 1
isolation = "worker"
[permissions]
capabilities = ["READ", "HTTP"]
grants = ["git status"]
[serve]
idle_minutes = 0.5
`,
  tests: `${HOOK}
[[hooks.tests]]
name = "one"
event = { tool = "exec", args = { command = "ls" }, session_id = "s" }
expect = { action = "continue", payload = { tool = "exec" } }
[[hooks.tests]]
name = "two"
events = [{ tool = "exec", expect = { reason = { matches = "x" } } }, { point = "Stop", expect = { action = "abort" } }]
calls = [{ tool = "read", args = { path = "a" }, answers = { ok = true } }]
`,
};

/** Neither the loader nor the schema takes these. */
const BAD: Record<string, string> = {
  "an unknown key": "modle = 1",
  "an unknown key of a section": "[lua]\nmax_runms = 1",
  "an unknown key of a hook": `${HOOK}prioritty = 1`,
  "an unknown condition": `${HOOK}match.comand = "x"`,
  "no command that runs": `${HOOK}match.runs = []`,
  "a number for a command": `${HOOK}match.runs = ["ls", 1]`,
  "a table for commands": `${HOOK}match.runs = { program = "ls" }`,
  "an unknown key of a shell command":
    '[[hooks]]\npoint = "Stop"\nshell = { command = "true", parse = true }',
  "an unknown key of a package": '[packages."@acme/guards"]\nof = []',
  "a text for a list of hooks": '[packages.guards]\noff = "no-prod"',
  "an unknown key of an agent": "[agents.a]\noverides = []",
  "an unknown point": '[[hooks]]\npoint = "tool.pre_execut"\nhandler_inline = "ctx"',
  "an unknown point of an agent": '[agents.a]\noverride = ["tool"]',
  "no handler": '[[hooks]]\npoint = "Stop"',
  "two handlers": `${HOOK}shell = "true"`,
  "no point": '[[hooks]]\nhandler_inline = "ctx"',
  "an id in two spellings": `${HOOK}id = "a"\nname = "b"`,
  "a tool in two spellings": `${HOOK}matcher = "a"\ntool_matcher = "b"`,
  "a type without a handler": `${HOOK}type = "command"`,
  "a handler of another language": '[[hooks]]\npoint = "Stop"\nhandler = "a.b"\ntype = "perl"',
  "a hook of MassGen without a type": '[[hooks.PreToolUse]]\nhandler = "a.b"',
  "hooks in a table, and hooks by event": `[[hooks.PreToolUse]]\nhandler = "a.b"\ntype = "python"\n${HOOK.replace("[[hooks]]", "[[hooks.hooks]]")}`,
  "an agent of MassGen without an id": `[[hooks.PreToolUse]]\nhandler = "a.b"\ntype = "python"\n[[agents]]\n`,
  "a shell command without a command": '[[hooks]]\npoint = "Stop"\nshell = { parse_result = true }',
  "a webhook without a URL": '[[hooks]]\npoint = "Stop"\nwebhook = { method = "PUT" }',
  "another method":
    '[[hooks]]\npoint = "Stop"\nwebhook = { url = "https://a.example", method = "GET" }',
  "one table for a list": '[hooks]\npoint = "Stop"\nhandler_inline = "ctx"',
  "a text for a number": '[lua]\nmax_run_ms = "1"',
  "a fraction": "[lua]\nmax_run_ms = 1.5",
  "too low": "[lua]\nmax_run_ms = 0",
  "too high": "[engine]\nmax_depth = 101",
  "no time at all": `${HOOK}timeout_sec = 0`,
  "none of the choices": '[engine]\non_error = "close"',
  "an unknown capability": '[permissions]\ncapabilities = ["read"]',
  "options that are a list": `${HOOK}options = [1]`,
  "an empty id": `${HOOK}id = ""`,
  "a test without a name": `${HOOK}tests = [{ event = {}, expect = { action = "abort" } }]`,
  "an unknown action of a test": `${HOOK}tests = [{ name = "a", event = {}, expect = { action = "deny" } }]`,
};

describe("the JSON schema accepts what the loader accepts", () => {
  test.each(Object.entries(GOOD))("%s", async (_name, toml) => {
    await loadToml(toml);
    expect(found(toml)).toEqual([]);
  });

  test("every point and alias, in any case and with underscores", async () => {
    for (const name of [...Object.keys(POINT_TABLE), ...Object.keys(POINT_ALIASES)]) {
      const isAlias = Object.hasOwn(POINT_ALIASES, name);
      const snake = name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
      for (const point of isAlias ? [name, name.toLowerCase(), snake] : [name]) {
        const toml = HOOK.replace("tool.pre_execute", point);
        await loadToml(toml);
        expect(found(toml), point).toEqual([]);
      }
    }
  });

  test("the sample, the output of orcs init, and every configuration in the docs", () => {
    const blocks = pages().flatMap(({ blocks: all }) => all.filter((b) => b.language === "toml"));
    expect(blocks.length).toBeGreaterThan(10);
    for (const { page, line, text } of blocks) expect(found(text), `${page}:${line}`).toEqual([]);
    expect(found(readFileSync(`${ROOT}orcs.toml`, "utf8"))).toEqual([]);
    expect(found(newConfig())).toEqual([]);
  });
});

describe("the JSON schema rejects invalid configurations that it can express", () => {
  test.each(Object.entries(BAD))("%s", async (_name, toml) => {
    await errorOf(loadToml(toml));
    expect(found(toml)).not.toEqual([]);
  });
});

/** An editor shows each of them: one thing that is wrong must not be told in terms of all that could stand there. */
describe("one unknown key is one error, at its table", () => {
  test.each([
    [`${HOOK}prioritty = 1`, "/hooks/0 has the unknown key prioritty"],
    [`${HOOK}match.comand = "x"`, "/hooks/0/match has the unknown key comand"],
    [HOOK.replace("[[hooks]]", "[[hooks.hooks]]\nx = 1"), "/hooks/hooks/0 has the unknown key x"],
    [
      '[[hooks]]\npoint = "Stop"\nshell = { command = "a", parse = true }',
      "/hooks/0/shell has the unknown key parse",
    ],
    [
      '[[hooks]]\npoint = "Stop"\nhandler = { protocol = "jsonrpc", process = ["a"], x = 1 }',
      "/hooks/0/handler has the unknown key x",
    ],
    ['[packages."@a/b"]\noff = []\nx = 1', "/packages/@a/b has the unknown key x"],
    ["[agents.a]\noverides = []", "/agents/a has the unknown key overides"],
    [
      "[[agents.a.hooks]]\npoint = 'Stop'\nshell = 'a'\nx = 1",
      "/agents/a/hooks/0 has the unknown key x",
    ],
  ])("%s", (toml, error) => {
    expect(found(toml)).toEqual([error]);
  });
});

test("the JSON schema describes every key", () => {
  const helps: [path: string, help: unknown][] = [];
  const look = (part: unknown, path: string): void => {
    if (typeof part !== "object" || part === null) return;
    // What a rule says of keys that are described elsewhere is no key of its own.
    if (path.includes("/oneOf/") || path.endsWith("/events/items")) return;
    for (const [key, each] of Object.entries(part)) {
      if (path.endsWith("/properties")) helps.push([`${path}/${key}`, (each as Help).description]);
      look(each, `${path}/${key}`);
    }
  };
  look(schema, "");
  expect(helps.length).toBeGreaterThan(100);
  for (const [path, help] of helps) expect(help, path).toMatch(/^[A-Z`"].{4,}\.$/);
});

interface Help {
  readonly description?: string;
}
