import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { casesIn } from "./cases.ts";

export type Call = readonly [tool: string, args: Readonly<Record<string, unknown>>];

/** Calls by verdict. */
interface Calls {
  readonly refuse: readonly Call[];
  readonly pass: readonly Call[];
}

/**
 * Make a project with files and links.
 * @param above in no temporary folder: it is outside of what may be written
 */
export function projectIn(above: string): string {
  const dir = join(above, "project");
  const files = [
    ".env",
    "orcs.toml",
    "hooks/a.lua",
    ".git/config",
    "src/a.ts",
    "deep/er/a",
    "packages/web/.env.local",
  ];
  for (const file of files) {
    mkdirSync(dirname(join(dir, file)), { recursive: true });
    writeFileSync(join(dir, file), "");
  }
  const links = {
    envlink: ".env",
    link2: "envlink",
    cfg: "orcs.toml",
    rootlink: "/",
    outer: above,
    homelink: homedir(),
  };
  const more = { far: "deep/er", "deep/up": "../..", loop: "loop" };
  for (const [name, target] of Object.entries({ ...links, ...more }))
    symlinkSync(target, join(dir, name));
  return dir;
}

/** Command lines of a file, in a project. */
export function lines(name: string, dir: string): string[] {
  return casesIn(name).map((line) =>
    line.replaceAll("@PROJECT@", dir).replaceAll("@PARENT@", dirname(dir)),
  );
}

const PATH_KEYS = [
  "file_path",
  "path",
  "filePath",
  "target_file",
  "file",
  "filename",
  "absolute_path",
  "uri",
  "target",
  "relative_path",
  "file-path",
  "File_Path",
  "AbsolutePath",
  "TargetFile",
  "fileUri",
];

const READERS = [
  "read",
  "Read",
  "read_file",
  "view_file",
  "mcp__filesystem__read_text_file",
  "mcp__ide__openDocument",
];

const WRITERS: readonly (readonly [tool: string, path: string, content: string])[] = [
  ["write", "path", "content"],
  ["Write", "file_path", "content"],
  ["create_file", "filePath", "content"],
  ["edit_file", "target_file", "code_edit"],
  ["replace", "file_path", "new_string"],
  ["mcp__x__thing", "destination", "content"],
  ["save_file", "filename", "text"],
  ["NotebookEdit", "notebook_path", "new_source"],
  ["mcp__x__put", "uri", "contents"],
];

const secretPaths = (dir: string) => [
  ".env",
  `${dir}/.env`,
  `${dir}/.env/`,
  `${dir}//.env`,
  "src/../.env",
  ".ENV",
  ".env.production",
  ".env~",
  "envlink",
  "link2",
  "far/../../.env",
  "homelink/.ssh/id_rsa",
  "rootlink/etc/shadow",
  "loop",

  "~/.ssh/id_rsa",
  "$HOME/.aws/credentials",
  "${HOME}/.netrc",
  "/proc/self/environ",
  "/proc/self/cwd/.env",

  `file://${dir}/.env`,
  `file:${dir}/.env`,
  "FILE:///etc/shadow",
  "file://localhost/etc/shadow",

  "file:///etc/%73hadow",
  ".env ",
  " .env",
  ".env.",
  ".env::$DATA",
  ".env\n",
  "@.env",
  "'.env'",
  '".env"',
  "config/secrets.yml",
  ".e\u200Bnv",
  ".\u017Fsh/id",
  ".npmrc.bak",
  "id_rsa.old",
];

const PLAIN_PATHS = [
  ".env.example",
  "src/a.ts",
  "README.md",
  "test/secrets.test.ts",
  "src/credentials/index.ts",
  "id_rsa.pub",
  "src/keys.ts",
  "package.json",
  ".gitignore",
  "docs/env.md",
  "src/environment.ts",
  "cfg",
];

const guarded = (dir: string) => [
  "/etc/hosts",
  "../x",
  "src/../../x",
  `${dir}/../x`,
  "~/x",
  "$HOME/x",
  "${HOME}/.bashrc",
  "~root/x",

  "orcs.toml",
  "ORCS.toml",
  `${dir}/orcs.toml`,
  "src/../orcs.toml",
  "hooks/a.lua",
  ".git/config",

  ".github/workflows/ci.yml",
  "package-lock.json",
  "web/yarn.lock",
  ".claude/settings.json",
  ".npmrc",
  "cfg",
  "rootlink/etc/x",
  "outer/x",
  "homelink/x",
  "deep/up/x",
  "far/../../../x",
  "loop",

  "file:///etc/hosts",
  `file://${dir}/orcs.toml`,
  "FILE:///etc/hosts",
  "file://localhost/etc/hosts",
  "orcs.toml/",
  "//etc/hosts",
  "/proc/self/cwd/../x",
  "/proc/self/root/etc/x",
  " /etc/hosts",

  "orcs.toml ",
  "orcs.toml.",
  ".git./config",
  ".GIT/config",
  ".g\u200Cit/config",
  "git~1/config",
];

const open = (dir: string) => [
  "src/a.ts",
  `${dir}/src/a.ts`,
  "./src/new/b.ts",
  "/tmp/x/package-lock.json",
  `file://${dir}/src/a.ts`,
  ".env",

  ".gitignore",
  ".github/CODEOWNERS",
  "package.json",
  "src/hooks/a.ts",
  "hooks/useX.ts",
  "far/x",
];

const patch = (head: string) => `*** Begin Patch\n${head}\n@@\n-a\n+b\n*** End Patch`;

const READS: readonly Call[] = [
  ["mcp__filesystem__read_multiple_files", { paths: ["README.md", ".env"] }],
  ["mcp__filesystem__edit_file", { path: ".env", edits: [{ oldText: "a", newText: "b" }] }],
  ["mcp__filesystem__move_file", { source: ".env", destination: "public/env.txt" }],
  ["Grep", { pattern: "KEY", glob: "*.{env,pem}" }],
  ["Grep", { pattern: "KEY", glob: "{.env,.npmrc}", output_mode: "content" }],
  ["Grep", { pattern: "KEY", path: "~/.aws" }],
  ["read_many_files", { paths: ["src/**", "certs/*.key"] }],
  ["run_shell_command", { command: "cat credentials", directory: "~/.aws" }],
  ["run_shell_command", { command: "cat .env.local", directory: "packages/web" }],
  ["exec_command", { cmd: ["bash", "-lc", "cat .env"] }],
  ["write_stdin", { session_id: 1, chars: "cat .env\n" }],
  ["mcp__shell__execute", { script: "cat .env" }],
  ["execute_python", { code: "print(open('.env').read())" }],
  ["mcp__zip__create", { files: ["src", ".env"], output: "x.zip" }],
  ["mcp__github__push_files", { files: [{ path: ".env", content: "A=1" }], message: "x" }],
  ["mcp__git__git_show", { repo_path: ".", revision: "HEAD:.env" }],
  ["PowerShell", { command: "gc .\\.env" }],
  ["edit", { patch: patch("*** Update File: .env"), path: [".env"] }],
  ["str_replace_based_edit_tool", { command: "view", path: ".env" }],
  ["str_replace_editor", { command: "str_replace", path: ".env", old_str: "a", new_str: "b" }],
];

const NO_READS: readonly Call[] = [
  ["mcp__filesystem__search_files", { path: ".", pattern: "*.ts", excludePatterns: [".env"] }],
  ["read_many_files", { paths: ["**/*"], exclude: [".env", "**/*.pem"] }],
  ["Grep", { pattern: "x", glob: "!.env" }],
  ["Grep", { pattern: "\\.env", glob: "*.{ts,tsx}" }],
  ["str_replace_based_edit_tool", { command: "create", path: ".env", file_text: "A=1" }],
  ["delete_file", { target_file: ".env", explanation: "x" }],
  ["mcp__filesystem__write_file", { path: "src/x.ts", content: "'.env'; ~/.ssh/id_rsa" }],
  ["mcp__context7__get-library-docs", { libraryID: "/motdotla/dotenv", topic: ".env" }],
  ["write_stdin", { session_id: 1, chars: "ls\n" }],
  ["execute_python", { code: "print('a.env.b')" }],
  ["run_agent", { input: "Read .env and say what it needs" }],
];

const WRITES: readonly Call[] = [
  ["mcp__filesystem__move_file", { source: "a", destination: "../b" }],
  ["mcp__filesystem__move_file", { source: "orcs.toml", destination: "b" }],
  ["mcp__filesystem__edit_file", { path: "orcs.toml", edits: [{ oldText: "a", newText: "b" }] }],
  ["mcp__filesystem__delete_directory", { path: ".github", recursive: true }],
  ["delete_files", { paths: ["a", "orcs.toml"] }],
  ["mcp__git__git_init", { repo_path: "../x" }],
  ["run_shell_command", { command: "touch x", directory: ".." }],
  ["shell", { command: ["touch", "x"], workdir: ".." }],
  ["write_stdin", { session_id: 1, chars: "echo > /etc/x\n" }],
  ["mcp__shell__execute", { script: "touch /etc/x" }],
  ["execute_python", { code: "open('/etc/x', 'w')" }],
  ["edit", { patch: patch("*** Update File: src/a.ts\n*** Move to: ../x") }],
  ["download_file", { url: "https://example.com/a", destination: "../x" }],
  ["str_replace_based_edit_tool", { command: "create", path: "/etc/x", file_text: "a" }],
];

const NO_WRITES: readonly Call[] = [
  ["mcp__filesystem__read_multiple_files", { paths: ["/etc/hosts", "orcs.toml"] }],
  ["mcp__filesystem__search_files", { path: "/", pattern: "orcs.toml" }],
  ["MultiEdit", { file_path: "a.ts", edits: [{ old_string: "/etc/x", new_string: "orcs.toml" }] }],
  ["write_stdin", { session_id: 1, chars: "it's\u0003" }],
  ["execute_python", { code: "open('/etc/x').read()" }],
  ["mcp__playwright__browser_evaluate", { function: "() => document.title > 'x'" }],
  ["mcp__puppeteer__evaluate", { script: "(() => a > b)()" }],
  ["mcp__git__git_status", { repo_path: ".." }],
  ["update_plan", { plan: [{ step: "> /etc/x", status: "pending" }] }],
];

/** Calls that read files, and what secret-guard decides about them. @param dir as `projectIn` made it */
export function reads(dir: string): Calls {
  const named = PATH_KEYS.map((key): Call => ["any_tool", { [key]: ".env" }]);
  const of = (paths: readonly string[]) =>
    READERS.flatMap((tool) => paths.map((path): Call => [tool, { path }]));
  return {
    refuse: [...named, ...of(secretPaths(dir)), ...READS],
    pass: [...of(PLAIN_PATHS), ...NO_READS],
  };
}

/** Calls that write files, and what path-guard decides about them. @param dir as `projectIn` made it */
export function writes(dir: string): Calls {
  const of = (paths: readonly string[]) =>
    WRITERS.flatMap(([tool, key, content]) =>
      paths.map((path): Call => [tool, { [key]: path, [content]: "> /etc/x orcs.toml" }]),
    );
  return { refuse: [...of(guarded(dir)), ...WRITES], pass: [...of(open(dir)), ...NO_WRITES] };
}
