import type { Verdict } from "./guard-rig.ts";
import { PROJECT } from "./path-guard-lines.ts";

/** What a guard with some options makes of commands and of tool calls. */
export interface OptionRows {
  readonly policy: "path-guard" | "secret-guard";
  readonly options: Readonly<Record<string, unknown>>;
  /** Where the calls start; otherwise in a folder without files. */
  readonly cwd?: string;
  readonly refuse?: readonly string[];
  readonly ask?: readonly string[];
  readonly pass?: readonly string[];
  readonly calls?: readonly (readonly [
    tool: string,
    args: Readonly<Record<string, unknown>>,
    verdict: Verdict["verdict"],
  ])[];
}

const EDIT = { old_string: "a", new_string: "b" };

const INSTRUCTIONS = ["ask", "allow", "abort"].map((dynamic): OptionRows => ({
  policy: "path-guard",
  options: { dynamic },
  refuse: ["echo > AGENTS.md; echo > orcs.toml", "rm CLAUDE.md /x"],
  ask: ["echo > AGENTS.md"],
  calls: [["Edit", { file_path: `${PROJECT}/CLAUDE.md`, ...EDIT }, "ask"]],
}));

export const OPTION_ROWS: readonly OptionRows[] = [
  {
    policy: "secret-guard",
    options: { level: "strict" },
    refuse: [
      "ls .env",
      "docker run --env-file .env app",
      "echo A=1 > .env",
      "cat < a > .env",
      "touch .env",
      "source .env",
      "env",
      "printenv",
      "printenv API_TOKEN",
      "export -p",
      "set",
      "echo $AWS_SECRET_ACCESS_KEY",
      'printf %s "${GITHUB_TOKEN}"',
      "docker run x env",
    ],
    pass: [
      "ls",
      "env A=1 npm test",
      "echo $PATH",
      "echo '$GITHUB_TOKEN'",
      'cat "$GITHUB_TOKEN_FILE"',
      "set -e",
      "cat .env.example",
      "docker config ls",
    ],
    calls: [
      ["write", { path: ".env", content: "A" }, "refuse"],
      ["glob", { path: ".ssh", pattern: "*" }, "refuse"],
      ["apply_patch", { input: "*** Begin Patch\n*** Add File: .env\n+A=1\n" }, "refuse"],
      ["glob", { path: "src", pattern: "*" }, "pass"],
    ],
  },
  {
    policy: "secret-guard",
    options: { write: false },
    refuse: ["echo A=1 > .env", "rm .env", "cp .env.example .env", "touch id_rsa"],
    pass: ["ls .env", "touch a", "docker run --env-file .env app", "printenv API_TOKEN"],
    calls: [
      ["write", { path: ".env", content: "A" }, "refuse"],
      ["write", { path: "a", content: "A" }, "pass"],
      ["apply_patch", { input: "*** Begin Patch\n*** Add File: .env\n+A=1\n" }, "refuse"],
      [
        "exec",
        { command: "apply_patch <<'E'\n*** Begin Patch\n*** Add File: .env\n+A=1\nE" },
        "refuse",
      ],
      ["exec", { command: "apply_patch <<'E'\n*** Begin Patch\n*** Add File: a\n+A=1\nE" }, "pass"],
    ],
  },
  {
    policy: "secret-guard",
    options: { allow: [".env.test", "fixtures/**"], deny: ["*.sql", "config/*.yml"] },
    refuse: [
      "cat .env",
      "cat dump.sql",
      "cat config/a.yml",
      "cat CONFIG/A.YML",
      "cd config && cat a.yml",
      "cat a/../config/a.yml",
    ],
    pass: ["cat .env.test", "cat fixtures/id_rsa", "cat a.yml", "cat notes"],
  },
  {
    policy: "secret-guard",
    options: { deny: ["dump", "~/notes/**"] },
    refuse: ["cat dump", "cat ./dump", "cat .env", "cat ~/notes/a"],
    pass: ["cat dumps", "cat config/a.yml", "cat ~/note/a", "cat notes/a"],
  },
  {
    policy: "secret-guard",
    options: { allow: [".env"] },
    refuse: ["cat .env.local"],
    pass: ["cat .env", "grep -rn . .", "env | grep NODE"],
  },
  ...INSTRUCTIONS,
  {
    policy: "path-guard",
    options: { dynamic: "abort" },
    refuse: ['echo > AGENTS.md; echo > "$1"'],
  },
  {
    policy: "path-guard",
    options: { dynamic: "allow" },
    refuse: ['rm "$1" /x', 'echo > "$1"; echo > orcs.toml'],
  },
  {
    policy: "path-guard",
    options: { allow: ["CLAUDE.md"], protect: ["AGENTS.md"] },
    refuse: ["echo > AGENTS.md"],
    pass: ["echo > CLAUDE.md"],
  },
  {
    policy: "path-guard",
    options: { roots: ["src", "/srv/out", "~/notes"] },
    refuse: [
      "touch a",
      "touch /srv/outer",
      "touch /tmp/a",
      "touch srcs/a",
      "echo > src/yarn.lock",
      "rm -rf src/.git",
      "touch ~/notes/.claude/a",
    ],
    pass: ["touch src/a", "touch /srv/out/a", "touch ~/notes/a"],
    calls: [
      ["write", { path: "a", content: "" }, "refuse"],
      ["write", { path: "src/a", content: "" }, "pass"],
    ],
  },
  {
    policy: "path-guard",
    options: { roots: ["/"] },
    refuse: ["echo >> ~/.bashrc", "touch /x/yarn.lock"],
    pass: ["touch /x", "rm -rf /tmp/x"],
  },
  { policy: "path-guard", options: { roots: [] }, refuse: ["touch a", "touch /tmp/a"] },
  {
    policy: "path-guard",
    options: {
      protect: ["migrations/**", "*.sql"],
      allow: ["package-lock.json", "hooks/**", "/x"],
    },
    refuse: ["touch migrations/a", "touch a/b.SQL", "touch /x", "touch yarn.lock"],
    pass: ["rm package-lock.json", "touch hooks/a.lua", "touch a/b.ts"],
  },
  {
    policy: "path-guard",
    options: {},
    cwd: "/home/me/.claude/worktrees/x",
    refuse: ["touch .claude/a", "touch ../../settings.json"],
    pass: ["touch a", "rm -rf dist"],
  },
];
