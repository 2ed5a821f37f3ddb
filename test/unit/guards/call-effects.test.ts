import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createEffectReader } from "../../../src/guards/index.ts";
import type { CallEffects, DeclaredEffect } from "../../../src/core/index.ts";
import { createShellReader } from "../../../src/matching/index.ts";
import { reads, writes } from "../hooks/file-guard-calls.ts";
import type { Call } from "../hooks/file-guard-calls.ts";

const shell = createShellReader({ home: "/home/me", root: "/" });
const reader = createEffectReader(shell, "/work");

function effectsOf(tool: string, args: unknown, more: object = {}): CallEffects {
  return reader.ofCall({ tool_name: tool, args, cwd: "/work", ...more });
}

/** `kind target`, with `?` in front if it is not sure, and `/**` behind if all below it is meant. */
function said({ effects, unread }: CallEffects): string[] {
  const texts = effects.map(
    ({ kind, target = "unknown", sure, recursive, from }) =>
      `${sure ? "" : "?"}${kind} ${target}${recursive ? "/**" : ""}${from === undefined ? "" : ` < ${from}`}`,
  );
  return unread === undefined ? texts : [...texts, `unread: ${unread}`];
}

const PATCH = `*** Begin Patch
*** Update File: src/a.ts
@@
-a
+b
*** Add File: b.ts
+x
*** Delete File: c.ts
*** End Patch`;
const PATCHED = [
  "read /work/src/a.ts",
  "write /work/src/a.ts",
  "write /work/b.ts",
  "remove /work/c.ts",
];
const DIFF = `diff --git a/x.ts b/x.ts
--- a/x.ts
+++ b/x.ts
@@ -1 +1 @@
-a
+b
--- a/gone.ts
+++ /dev/null
--- /dev/null
+++ "b/new file.ts"\t2024-01-01
`;

test.each<[string, Readonly<Record<string, unknown>>, readonly string[]]>([
  ["exec", { command: "rm -rf build" }, ["run rm", "remove /work/build/**"]],
  ["Bash", { command: "touch x", description: "> /etc/x" }, ["run touch", "write /work/x"]],
  ["shell", { command: ["touch", "a b"], workdir: ".." }, ["run touch", "write /a b"]],
  ["run", { program: "touch", args: ["x"] }, ["run touch", "write /work/x"]],
  ["run", { command: "touch", args: "x" }, ["run touch", "run touch", "write /work/x"]],
  ["exec", { command: ["touch x"] }, ["run touch", "write /work/x"]],
  ["exec", { steps: [{ cmd: "touch x" }] }, ["run touch", "write /work/x"]],
  ["exec", { command: "echo 'a" }, ["run echo", "unread: syntax error: unterminated single quote"]],
  ["PowerShell", { command: "rm x" }, ["run remove-item", "remove /work/x"]],
  ["write_stdin", { session_id: 1, chars: "touch x\n" }, ["run touch", "write /work/x"]],
  ["write_stdin", { chars: "it's" }, []],
  ["exec", { command: "cat $F", env: { F: "a b" } }, ["run cat", "read /work/a b"]],
  ["run_python", { code: "open('a.txt').read()" }, ["read /work/a.txt", "?read /work/a.txt"]],
  ["run_agent", { input: "touch x" }, []],
  ["Read", { file_path: "~/a.txt" }, ["read /home/me/a.txt"]],
  ["read", { path: "file:///srv/a%20b" }, ["read /srv/a b"]],
  ["any_tool", { path: "a.txt" }, ["?read /work/a.txt"]],
  ["Write", { file_path: "a.txt", content: "/etc/x" }, ["write /work/a.txt"]],
  ["Edit", { file_path: "a", old_string: "b", new_string: "c" }, ["write /work/a", "read /work/a"]],
  ["MultiEdit", { file_path: "a", edits: [] }, ["write /work/a", "read /work/a"]],
  [
    "NotebookEdit",
    { notebook_path: "a.ipynb", new_source: "x" },
    ["write /work/a.ipynb", "read /work/a.ipynb"],
  ],
  ["apply_patch", { input: PATCH }, PATCHED],
  ["apply_patch", { command: PATCH }, PATCHED],
  ["edit", { patch: PATCH, path: ["src/a.ts"] }, [...PATCHED, "write /work/src/a.ts"]],
  [
    "apply_diff",
    { diff: DIFF },
    [
      "read /work/x.ts",
      "write /work/x.ts",
      "?read /work/a/x.ts",
      "?write /work/a/x.ts",
      "read /work/x.ts",
      "write /work/x.ts",
      "?read /work/b/x.ts",
      "?write /work/b/x.ts",
      "remove /work/gone.ts",
      "?remove /work/a/gone.ts",
      "write /work/new file.ts",
      "?write /work/b/new file.ts",
    ],
  ],
  ["Grep", { pattern: "/etc/x", path: "src" }, ["read /work/src/**"]],
  [
    "Grep",
    { pattern: "x", path: "src", glob: "*.{a,b}" },
    ["read /work/src/**/*.a", "read /work/src/**/*.b"],
  ],
  ["Grep", { pattern: "x", glob: "!.env" }, ["read /work/**"]],
  ["Glob", { pattern: "*.ts", path: "src" }, []],
  ["LS", { path: "/etc" }, []],
  [
    "WebFetch",
    { url: "https://me@Example.com:8080/x?q", prompt: "x" },
    ["connect example.com:8080"],
  ],
  ["http", { url: "http://[::1]/x", method: "POST", body: "x" }, ["connect [::1]"]],
  ["WebSearch", { query: "x" }, ["connect unknown"]],
  [
    "mcp__tickets__create_issue",
    { title: "a", url: "https://example.com" },
    ["?connect example.com"],
  ],
  ["mkdir", { path: "a" }, ["write /work/a"]],
  ["remove", { path: "a" }, ["remove /work/a/**"]],
  ["mv", { from: "a", to: "b" }, ["remove /work/a/**", "read /work/a", "write /work/b"]],
  ["scan_dir", { path: "a" }, []],
  [
    "mcp__fs__move_file",
    { source: "a", destination: "b" },
    ["remove /work/a/**", "read /work/a", "write /work/b"],
  ],
  ["mcp__fs__copy_file", { source: "a", destination: "b" }, ["read /work/a", "write /work/b"]],
  [
    "mcp__fs__edit_file",
    { path: "a", edits: [{ oldText: "/b", newText: "/c" }] },
    ["write /work/a", "read /work/a"],
  ],
  ["mcp__fs__read_multiple_files", { paths: ["a", "b"] }, ["read /work/a", "read /work/b"]],
  ["mcp__fs__deleteDirectory", { path: "a", recursive: true }, ["remove /work/a/**"]],
  ["mcp__git__git_checkout", { repo_path: ".", branch: "x" }, ["?write /work", "?read /work"]],
  [
    "mcp__git__git_show",
    { repo_path: ".", revision: "HEAD:.env" },
    ["read /work", "?read /work/HEAD:.env", "?read /work/.env"],
  ],
  [
    "download_file",
    { url: "https://example.com/a", destination: "a" },
    ["write /work/a", "read /work/a", "connect example.com"],
  ],
  [
    "upload_file",
    { file: "a.txt", url: "https://example.com" },
    ["?write /work/a.txt", "read /work/a.txt", "?connect example.com < /work/a.txt"],
  ],
  [
    "mcp__zip__create",
    { files: ["src"], output: "x.zip" },
    ["write /work/src", "read /work/src", "write /work/x.zip"],
  ],
  [
    "extract",
    { path: "x.zip", output: "out" },
    ["write /work/x.zip/**", "?read /work/x.zip", "write /work/out/**"],
  ],
  ["str_replace_based_edit_tool", { command: "view", path: "a" }, ["read /work/a"]],
  [
    "str_replace_based_edit_tool",
    { command: "create", path: "a", file_text: "x" },
    ["write /work/a"],
  ],
  ["file_tool", { action: "delete", path: "a" }, ["remove /work/a/**", "?read /work/a"]],
  ["add_comment", { path: "a", body: "x" }, ["?read /work/a"]],
  ["update_plan", { plan: [{ step: "> /etc/x" }] }, []],
  ["read", { path: 7 }, ["unread: path is a number, which is not a string"]],
  ["exec", { cmd: true }, ["unread: cmd is a boolean, which is not a string"]],
  ["chmod", { path: "a", mode: "755" }, ["attributes /work/a"]],
])("%s %j", (tool, args, effects) => {
  expect(said(effectsOf(tool, args))).toEqual(effects);
});

test("lists its command lines, and the arguments that name files", () => {
  expect(effectsOf("shell", { command: ["ls", "a b"], workdir: "src" }).lines).toEqual([
    { line: "'ls' 'a b'", cwd: "/work/src" },
  ]);
  expect(effectsOf("pwsh", { command: "ls" }).lines).toEqual([
    { line: "ls", cwd: "/work", dialect: "powershell" },
  ]);
  expect(effectsOf("write_stdin", { chars: "ls" }).lines).toEqual([
    { line: "ls", cwd: "/work", script: true },
  ]);
  expect(effectsOf("Read", { file_path: "a" })).toMatchObject({ effects: [{ arg: "file_path" }] });
  expect(effectsOf("Read", { file_path: "a" }).lines).toBeUndefined();
});

test("calls beyond the bounds are unread", () => {
  const many = { paths: Array.from({ length: 20_001 }, () => "a") };
  let deep: unknown = "a";
  for (let i = 0; i < 20; i++) deep = { deep };
  expect(effectsOf("read", many)).toMatchObject({ unread: "a call with more than 20000 texts" });
  expect(effectsOf("read", { deep })).toMatchObject({
    unread: "a call that is nested more than 16 levels deep",
    malformed: true,
  });
});

test("begins in the folder of the call, of the sandbox, or of the program", () => {
  const args = { path: "a" };
  const begun = (more: object) => reader.ofCall({ tool_name: "read", args, ...more }).effects[0];
  expect(begun({ cwd: "/x/../y", sandbox_root: "/z" })).toMatchObject({ target: "/y/a" });
  expect(begun({ cwd: "x", sandbox_root: "/z" })).toMatchObject({ target: "/z/a", cwd: "/z" });
  expect(begun({})).toMatchObject({ target: "/work/a", word: "a", cwd: "/work" });
});

test("hints of an MCP server's definition only add effects", () => {
  const hinted = (tool: string, annotations: object) =>
    said(effectsOf(tool, { path: "a" }, { annotations }));
  expect(hinted("thing", { readOnlyHint: true })).toEqual(["?read /work/a"]);
  expect(hinted("thing", { readOnlyHint: false, destructiveHint: true })).toEqual([
    "?read /work/a",
    "?write /work/a/**",
    "?remove /work/a/**",
  ]);
  expect(hinted("thing", { openWorldHint: true })).toContain("?connect unknown");
  expect(hinted("delete_file", { readOnlyHint: true })).toEqual(["remove /work/a/**"]);
});

test("a tool of the program's own does what the program says", () => {
  const deploy: DeclaredEffect[] = [
    { kind: "connect", target: "https://deploy.example.com/x" },
    { kind: "read", arg: "folder", recursive: true },
    { kind: "remove", arg: "old", sure: false },
    { kind: "run", arg: "script" },
    { kind: "write" },
  ];
  const declared = createEffectReader(shell, "/work", {
    declared: (tool) => (tool === "deploy" ? deploy : undefined),
  });
  const of = (args: object) => said(declared.ofCall({ tool_name: "deploy", args }));
  expect(of({ folder: "build", old: ["a", "b"], path: "x", script: "touch c" })).toEqual([
    "connect deploy.example.com",
    "read /work/build/**",
    "?remove /work/a",
    "?remove /work/b",
    "run touch",
    "write /work/c",
    "write unknown",
  ]);
  expect(of({ folder: 1 }).at(-1)).toBe("unread: folder is a number, which is not a string");
});

const isWrite = (kind: string): boolean => ["write", "remove", "attributes"].includes(kind);
/** Programs and languages have tests of their own. */
const isTool = ([, args]: Call): boolean =>
  !["command", "cmd", "chars", "script", "code"].some((name) => {
    const line = args[name];
    if (line === undefined) return false;
    return typeof line !== "string" || !/^(?:view|create|str_replace|delete)$/.test(line);
  });

test("tools that the guards of files know read and write something", () => {
  const dir = "/work/project";
  for (const call of reads(dir).refuse.filter(isTool)) {
    const { effects } = effectsOf(...call);
    expect(
      effects.some(({ kind }) => kind === "read"),
      JSON.stringify(call),
    ).toBe(true);
  }
  for (const call of writes(dir).refuse.filter(isTool)) {
    const { effects } = effectsOf(...call);
    expect(
      effects.some(({ kind }) => isWrite(kind)),
      JSON.stringify(call),
    ).toBe(true);
  }
  for (const call of [...reads(dir).pass, ...writes(dir).pass].filter(isTool)) {
    const { effects } = effectsOf(...call);
    for (const { target = "" } of effects)
      expect(target, JSON.stringify(call)).not.toMatch(/^\/etc\/x$/);
  }
});

test("tools of coding agents, as recorded", () => {
  const agents = ["claude-code", "codex", "copilot", "cursor", "gemini", "qwen"];
  const shown = agents.flatMap((agent) => {
    const file = new URL(`../../fixtures/${agent}.jsonl`, import.meta.url);
    return readFileSync(file, "utf8").split("\n").flatMap(calledIn);
  });
  const did = shown.map(([tool, input]) => [tool, ...said(effectsOf(tool, input))].join(" · "));
  expect([...new Set(did)].sort().join("\n")).toMatchInlineSnapshot(`
    "Agent
    Bash · run cat · read /work/token.txt
    Bash · run echo
    Bash · run exit
    Bash · run git
    Bash · run sleep
    Bash · run sleep · run echo
    Bash · run touch · write /work/pwned
    Delete · remove /home/dev/project/new.txt/**
    Edit · write /home/dev/project/a.txt · read /home/dev/project/a.txt
    Edit · write /home/dev/project/new.txt · read /home/dev/project/new.txt
    Glob
    Grep · read /home/dev/project/**
    Grep · read /work/**
    MCP:create_issue
    Read · read /home/dev/project/missing.txt
    Read · read /home/dev/project/note.txt
    Read · read /home/dev/project/token.txt
    Shell · run exit
    Shell · run git
    StrReplace · write /home/dev/project/note.txt · read /home/dev/project/note.txt
    WebFetch · connect 127.0.0.1:1
    Write · write /home/dev/project/a.txt
    Write · write /home/dev/project/new.txt
    agent
    edit · write /home/dev/project/w.txt · read /home/dev/project/w.txt
    glob
    grep_search · read /work/**
    mcp__demo__echo
    my-server-say_it
    read_file · read /home/dev/project/w.txt
    run_shell_command · run env · read env:* · write /work/envtool.txt · run sort · run echo
    run_shell_command · run exit
    run_shell_command · run touch · write /work/pwned
    run_shell_command · write /work/changed.txt · run echo
    write_file · write /home/dev/project/w.txt
    write_file · write /work/test.txt"
  `);
});

/** The calls that a line of a recording is about. */
function calledIn(line: string): (readonly [tool: string, input: unknown])[] {
  if (!line.includes("tool_input")) return [];
  return [...line.matchAll(/"tool_name": ?("[^"]*"), ?"tool_input": ?(\{[^{}]*\})/g)].map(
    ([, tool = "", input = ""]) => [JSON.parse(tool) as string, JSON.parse(input) as unknown],
  );
}
