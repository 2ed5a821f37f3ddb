import { readFileSync, symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { folder } from "../engine/engine.ts";
import { guard } from "./guard-rig.ts";
import {
  CONFIG,
  DEV,
  EVERYDAY,
  HOME,
  PROGRAM,
  PROJECT,
  RUNTIME,
  STATE,
  STOPPED,
} from "./self-guard-lines.ts";

const OPTIONS = {
  state: [STATE],
  program: [PROGRAM],
  runtime: [RUNTIME],
  config: [CONFIG],
  settings: [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".codex/hooks.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".cursor/hooks.json",
    ".github/hooks/orcs.json",
    ".github/hooks/",
    ".github/copilot/settings.json",
    `${HOME}/.copilot/hooks/`,
    "/moved/claude/settings.json",
    `${HOME}/.claude/settings.json`,
    `${HOME}/.codex/hooks.json`,
    `${HOME}/.codex/config.toml`,
    `${HOME}/.gemini/settings.json`,
  ],
  dev: [{ folder: DEV, files: [`${DEV}/checks/a.lua`] }],
  verbs: {
    trust: { unless: ["--show", "--list"] },
    uninstall: true,
    install: { flags: ["--config", "--command", "--transport"] },
    hook: { flags: ["--http"] },
    serve: { flags: ["--rotate-token"] },
  },
  routes: ["/loosen/"],
  variables: { XDG_STATE_HOME: `${HOME}/.local/state`, XDG_RUNTIME_DIR: "/run-of-nobody" },
};

const rig = () => guard("self-guard", PROJECT, OPTIONS);

/** Lines of a file: `@HOME@` stands for the home directory, and a line break is written `\\n`. */
function written(name: "stopped" | "passed"): string[] {
  const file = new URL(`lines/self-guard-${name}.txt`, import.meta.url);
  const text = readFileSync(file, "utf8").replaceAll("@HOME@", HOME);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => line.replaceAll("\\n", "\n"));
}

const DENIED: Readonly<Record<string, readonly string[]>> = {
  "verbs that loosen": [
    "orcs trust",
    "orcs trust --yes",
    "orcs trust --yes\nfi",
    "orcs trust -y ~/x",
    "orcs trust --revoke",
    "orcs trust --dev .",
    "orcs trust --digest sha256-0",
    "orcs uninstall",
    "orcs uninstall --host claude-code --yes",
    "orcs install --host codex --config /tmp/none.toml --yes",
    "orcs install --host codex --command=true --yes",
    "orcs trust -- --show",
    "orcs install --host claude-code --transport http --yes",
    "orcs serve --rotate-token --yes",
    "orcs hook --host claude-code --http < event.json",
    "echo '{}' | /opt/x/bin/orcs-hook orcs hook --host claude-code --http",
    `${PROGRAM}/bin/orcs.cjs trust`,
    `node ${PROGRAM}/bin/orcs.cjs trust --yes`,
    `node ${PROGRAM}/dist/cli/main.js trust --yes`,
    "node ./node_modules/orcs/dist/cli/main.js trust --yes",
    "node --no-warnings --import tsx /x/orcs/dist/cli/main.js uninstall",
    "/usr/local/bin/node /x/orcs/bin/orcs.cjs trust",
    "./node_modules/.bin/orcs trust",
    "npx orcs trust --yes",
    "npx --yes orcs@latest trust --yes",
    "npm exec -- orcs trust",
    "pnpm exec orcs trust",
    "pnpm orcs trust",
    "yarn orcs trust",
    "yarn run orcs trust",
    "bunx orcs trust",
    "bun x orcs uninstall",
    "corepack pnpm exec orcs trust",
    "deno run -A npm:orcs trust",
    "env -u CLAUDECODE orcs trust --yes",
    "env -i PATH=$PATH orcs trust --yes",
    "CLAUDECODE= orcs trust --yes",
    "unset CLAUDECODE; orcs trust --yes",
    "sudo orcs trust",
    "sudo -u me -- orcs trust",
    "sh -c 'orcs trust'",
    `bash -lc "orcs tr'ust'"`,
    "eval orcs trust",
    "timeout 5 orcs trust",
    "nohup orcs trust --yes &",
    "setsid orcs trust",
    "script -qc 'orcs trust' /dev/null <<< y",
    "yes | orcs trust",
    "tmux new -d 'orcs trust --yes'",
    "tmux send-keys 'orcs trust --yes' Enter",
    "echo 'orcs trust --yes' | at now",
    "echo orcs trust --yes | sh",
    "sh <<EOF\norcs trust --yes\nEOF",
    "source <(echo orcs trust)",
    "echo 'orcs trust --yes' > x.sh; sh x.sh",
    "printf 'orcs trust --yes\\n' > x.sh && chmod +x x.sh && ./x.sh",
    "cat > x.sh <<'EOF'\norcs uninstall --yes\nEOF\nbash x.sh",
    "V=trust; orcs $V",
    "a=or; b=cs; $a$b trust --yes",
    "orcs ${X:-trust}",
    "$(which orcs) trust",
    'f() { orcs "$@"; }; f trust',
    "alias o=orcs; o trust",
    "xargs orcs trust < x",
    "find . -exec orcs trust {} \\;",
    "for d in a b; do orcs trust --yes $d; done",
    "if true; then orcs trust; fi",
    "ls && (orcs trust &)",
    "ssh localhost orcs trust --yes",
    "exec -a foo orcs trust",
    "busybox sh -c 'orcs trust'",
    "python3 -c \"import os; os.system('orcs trust --yes')\"",
    "python3 -c \"import subprocess; subprocess.run(['orcs', 'trust', '--yes'])\"",
    "python3 - <<'EOF'\nimport os\nos.system('orcs trust --yes')\nEOF",
    "node -e \"require('child_process').execSync('npx orcs trust --yes')\"",
    `node -e "require('child_process').execFileSync(process.execPath, ['${PROGRAM}/dist/cli/main.js', 'trust'])"`,
    "perl -e 'system(\"orcs trust --yes\")'",
    "awk 'BEGIN{system(\"orcs trust\")}'",
    "ruby -e 'puts `orcs trust --yes`'",
    "vim -c '!orcs trust --yes' -c q",
    "expect -c 'spawn orcs trust; send y'",
    "git -c alias.x='!orcs trust' x",
  ],
  "its program and its service": [
    "npm uninstall -g orcs",
    "npm rm orcs",
    "pnpm remove -g orcs",
    "yarn global remove orcs",
    `rm -rf ${PROGRAM}`,
    "rm -rf /opt/tools/node_modules",
    `echo 'process.exit(0)' > ${PROGRAM}/bin/orcs.cjs`,
    `sed -i s/deny/allow/ ${PROGRAM}/hooks/self-guard.lua`,
    `chmod -x ${PROGRAM}/bin/orcs.cjs`,
    `cp /bin/true ${PROGRAM}/bin/orcs.cjs`,
    `mv ${PROGRAM} /tmp/x`,
    'pkill -f "orcs serve"',
    "killall orcs",
    "kill $(pgrep -f 'orcs serve')",
    "pkill -f 'serve --user'",
    "kill -9 $(pgrep -f 'serve.*--user')",
    "pgrep -f orcs | xargs kill -9",
    "systemctl --user stop orcs.service",
    `rm ${RUNTIME}/a.sock`,
    "rm -rf $XDG_RUNTIME_DIR/orcs",
    "kill $(cat $XDG_RUNTIME_DIR/orcs/a.pid)",
    "curl -X POST http://127.0.0.1:8787/loosen/trust",
  ],
  "the trust store, seals and state": [
    `rm -rf ${STATE}`,
    "rm -rf ~/.local/state/orcs",
    "rm -rf $HOME/.local/state/orcs/seals",
    "rm ~/.local/state/orcs/trust.json",
    "rm -rf ~/.local/state",
    "rm -rf ~/.local",
    "rm -rf ~",
    "rm -rf /",
    "rm -rf ~/.local/state/or*",
    "rm -rf ~/.local/state/*",
    "rm -rf ~/.l*/state",
    "rm -rf ~/.local/s?ate/orcs",
    "rm -rf ~/.local/state/{orcs,x}",
    "rm -rf ~/.local/**/trust.json",
    "cd ~/.local/state && rm -rf orcs",
    "cd ~/.local/state; rm -rf *",
    "rm -rf ~/x/../.local/state/orcs",
    "rm -rf ${XDG_STATE_HOME:-~/.local/state}/orcs",
    "rm -rf $XDG_STATE_HOME/orcs",
    'rm -rf "$(echo ~/.local)/state/orcs"',
    "mv ~/.local/state/orcs /tmp/x",
    "mv ~/.local /tmp",
    "echo '{}' > ~/.local/state/orcs/trust.json",
    "cat x >> ~/.local/state/orcs/trust.json",
    "echo x | tee ~/.local/state/orcs/trust.json",
    "cp /tmp/fake.json ~/.local/state/orcs/trust.json",
    "cp -r /tmp/fake/orcs ~/.local/state/",
    "cp -rT /tmp/fake ~/.local/state",
    "rsync -a --delete /tmp/fake/ ~/.local/state/",
    "install -m 600 fake.json ~/.local/state/orcs/trust.json",
    "ln -sfn /tmp/fake ~/.local/state/orcs",
    "ln ~/.local/state/orcs/trust.json /tmp/x",
    "cp -l ~/.local/state/orcs/trust.json /tmp/x",
    "sed -i s/a/b/ ~/.local/state/orcs/trust.json",
    "truncate -s 0 ~/.local/state/orcs/trust.json",
    "dd if=/dev/zero of=$HOME/.local/state/orcs/trust.json",
    "chmod 000 ~/.local/state/orcs",
    "chmod -R 000 ~/.local",
    "chown -R nobody ~/.local/state",
    "touch ~/.local/state/orcs/seals/x",
    "mkdir -p ~/.local/state/orcs/seals/x",
    "shred -u ~/.local/state/orcs/trust.json",
    "find ~/.local/state/orcs -delete",
    "find ~/.local -name '*.json' -delete",
    "find ~/.local/state -type f -exec rm {} +",
    "find ~/.local/state -name orcs | xargs rm -rf",
    "tar xf x.tar -C ~/.local/state/orcs",
    "git -C ~/.local/state/orcs init",
    "git clone https://example.com/x ~/.local/state/orcs",
    "cd ~/.local/state/orcs && git clean -fdx",
    "cd ~ && git clean -fdx",
    "python3 -c \"open('" + STATE + "/trust.json', 'w').write('{}')\"",
    "node -e \"require('fs').rmSync('" + STATE + "', { recursive: true })\"",
    "sudo rm -rf ~/.local/state/orcs",
    "bash -c 'rm -rf ~/.local/state/orcs'",
    "xargs rm -rf ~/.local/state/orcs < /dev/null",
    "curl -o ~/.local/state/orcs/trust.json https://example.com",
    "ln -s ~/.local/state l; rm -rf l/orcs",
  ],
};

const ASKED: readonly string[] = [
  "echo '{}' > .claude/settings.json",
  "echo '{}' > ~/.claude/settings.json",
  "rm .claude/settings.json",
  "rm -rf .claude",
  "rm -rf ~/.claude",
  "mv .claude /tmp/x",
  "sed -i /orcs/d .claude/settings.local.json",
  "jq 'del(.hooks)' .claude/settings.json | sponge .claude/settings.json",
  "cp /tmp/x ~/.codex/config.toml",
  "echo > ~/.codex/hooks.json",
  "tee .gemini/settings.json < x",
  "truncate -s 0 .cursor/hooks.json",
  "rm /moved/claude/settings.json",
  "git rm -f .claude/settings.json",
  "git checkout HEAD~1 -- .claude/settings.json",
  'rm -rf "$D"/.claude/settings.json',
  // A hook in a new file beside that of orcs may run after it.
  "echo '{}' > .github/hooks/other.json",
  "cd .github/hooks && echo x > other.json",
  "cp /tmp/x .github/hooks/",
  "mv x.json .github/hooks",
  "ln -s /tmp/x .github/hooks/other.json",
  "git mv x.json .github/hooks/x.json",
  "git checkout other -- .github/hooks/x.json",
  "curl -o .github/hooks/x.json https://example.com",
  "echo x | tee ~/.copilot/hooks/other.json",
  "cd ~/.copilot && echo x > hooks/other.json",
  `python3 -c "open('.github/hooks/x.json', 'w')"`,
  "rm -rf .github",
  "echo 'self_guard = false' >> ~/.config/orcs/orcs.toml",
  "rm ~/.config/orcs/orcs.toml",
  "rm -rf ~/.config/orcs",
  "mv ~/.config /tmp/x",
  "rm ~/.config/orcs/hooks/mine.lua",
  "cd ~/.config/orcs && git checkout .",
  `echo > ${DEV}/orcs.toml`,
  `sed -i s/deny/allow/ ${DEV}/hooks/guard.lua`,
  `rm ${DEV}/checks/a.lua`,
  `rm -rf ${DEV}/hooks`,
  "orcs $VERB",
  "cat .claude/settings.json\nfi",
];

const PASSED: readonly string[] = [
  "ls -la",
  "orcs list",
  "orcs check --json",
  "orcs test",
  "orcs eval tool.pre_execute tool=exec command='orcs trust --yes'",
  "orcs explain tool.pre_execute tool=exec command='rm -rf ~'",
  "orcs audit show",
  "orcs doctor",
  "orcs trust --show",
  "orcs trust --list",
  "orcs trust --help",
  "orcs --version",
  "orcs help trust",
  "orcs install --host codex",
  "orcs hook --host claude-code < event.json",
  "orcs serve --user",
  "pkill -f 'vite serve'",
  `node ${PROGRAM}/dist/cli/main.js list`,
  "npx orcs trust --show",
  "echo orcs trust --yes",
  "echo 'rm -rf ~/.local/state/orcs'",
  "git commit -m 'run orcs trust --yes after a pull'",
  "grep -rn 'orcs trust --yes' docs",
  "rg 'orcs uninstall'",
  "cat ~/.local/state/orcs/trust.json",
  "ls -R ~/.local/state/orcs",
  "cp ~/.local/state/orcs/trust.json /tmp/x.json",
  "grep orcs ~/.claude/settings.json",
  "cat .claude/settings.json | jq .hooks",
  "git diff .claude/settings.json",
  "cat .github/hooks/orcs.json",
  "echo x > .github/workflows/ci.yml",
  "rm -rf .github/workflows",
  "mkdir -p .github/ISSUE_TEMPLATE",
  "echo x > hooks/guard.json",
  "rm -rf src/hooks",
  "npx prettier --write src/hooks",
  "git mv src/hooks src/lib",
  `node -e "require('fs').writeFileSync('src/hooks/a.ts', '')"`,
  "diff ~/.config/orcs/orcs.toml orcs.toml",
  "git add .claude/settings.json",
  "stat ~/.config/orcs",
  "du -sh ~/.local",
  "find ~/.local -name '*.log'",
  "find . -name '*.pyc' -delete",
  "rm -rf build node_modules",
  "rm -rf ~/project/build",
  "rm -rf ~/*",
  "git clean -fdx",
  "git checkout main",
  "git stash -u",
  "mv orcs.toml x",
  "echo > orcs.toml",
  "rm hooks/guard.lua",
  "echo > .claude/commands/x.md",
  "mkdir -p .claude/agents",
  "touch ~/.config/other/x",
  "mkdir -p ~/.local/state/other",
  "echo x > ~/.local/share/x",
  'rm -rf "$TMPDIR/x"',
  'echo x > "$OUT"',
  `echo > ${DEV}/src/a.ts`,
  "npm install",
  "npm install orcs",
  "npm uninstall left-pad",
  "pkill -f vite",
  "kill 1234",
  "curl http://127.0.0.1:8787/healthz",
  "python3 -c \"print('orcs')\"",
  "git push\nfi",
  "tar xf a.tar -C ~/x",
];

it.each([[{ states: [] }], [{ state: "/x" }]])(
  "orcs:self-guard does not load with the options %j",
  async (wrong) => {
    await expect(guard("self-guard", PROJECT, wrong)).rejects.toThrow(
      /self-guard: (unknown )?option/,
    );
  },
);

describe("orcs:self-guard: commands", () => {
  it.each(Object.entries(DENIED))("denies: %s", async (_what, commands) => {
    await (await rig()).expectCommands("refuse", commands);
  });

  it("asks about settings, the user's configuration and dev-trusted hooks", async () => {
    await (await rig()).expectCommands("ask", ASKED);
  });

  it("allows reading and everyday work", async () => {
    await (await rig()).expectCommands("pass", PASSED);
  });

  async function expectStopped(commands: readonly string[]): Promise<void> {
    const tried = await rig();
    const passed: string[] = [];
    for (const command of commands) {
      const { verdict, reason } = await tried.call("exec", { command });
      const isJudged = reason.startsWith("self-guard: ") && !reason.includes("failed");
      if (verdict === "pass" || !isJudged) passed.push(command);
    }
    expect(passed).toEqual([]);
  }

  it.each(Object.entries(STOPPED))("does not allow: %s", async (_what, commands) => {
    await expectStopped(commands);
  });

  it("does not allow other spellings of these commands", async () => {
    await expectStopped(written("stopped"));
  });

  it("allows commands that only look similar", async () => {
    await (await rig()).expectCommands("pass", written("passed"));
  });

  it.each(Object.entries(EVERYDAY))("allows: %s", async (_what, commands) => {
    await (await rig()).expectCommands("pass", commands);
  });

  it("allows a project to change its own node_modules", async () => {
    const own = `${PROJECT}/node_modules/orcs`;
    const commands = EVERYDAY["orcs in the project's own node_modules"] ?? [];
    // It runs from there, and an entry of the user's names it.
    for (const more of [{ program: [], package: [own] }, { program: [own] }]) {
      const tried = await guard("self-guard", PROJECT, { ...OPTIONS, ...more });
      await tried.expectCommands("pass", commands);
      await tried.expectCommands("refuse", [
        "node node_modules/orcs/dist/cli/main.js trust",
        "cd node_modules/orcs/dist/cli && node main.js trust",
      ]);
    }
    const named = await guard("self-guard", PROJECT, { ...OPTIONS, program: [own] });
    await named.expectCommands("refuse", ["echo > node_modules/orcs/bin/orcs.cjs"]);
  });
});

describe("orcs:self-guard: tools", () => {
  const content = "{}";
  const trust = `${STATE}/trust.json`;
  const claude = ".claude/settings.json";
  const patch = (...lines: string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");

  it.each<[string, string, Record<string, unknown>, "refuse" | "ask" | "pass"]>([
    ["write", "write", { path: trust, content }, "refuse"],
    ["write, from home", "write", { path: "~/.local/state/orcs/trust.json", content }, "refuse"],
    [
      "write, up and down",
      "write",
      { path: `${HOME}/a/../.local/state/orcs/x`, content },
      "refuse",
    ],
    ["write, other case", "write", { path: trust.toUpperCase(), content }, "refuse"],
    ["a file: address", "write", { path: `file://${trust}`, content }, "refuse"],
    ["edit", "edit", { path: trust, old_string: "a", new_string: "b" }, "refuse"],
    [
      "several edits",
      "edit",
      { path: trust, edits: [{ old_string: "a", new_string: "" }] },
      "refuse",
    ],
    ["a patch", "edit", { path: [trust], patch: patch(`*** Delete File: ${trust}`) }, "refuse"],
    ["a patch by name", "apply_patch", { input: patch(`*** Add File: ${trust}`, "+{}") }, "refuse"],
    ["a notebook", "NotebookEdit", { notebook_path: `${STATE}/a.ipynb`, new_source: "" }, "refuse"],
    ["remove", "remove", { path: STATE }, "refuse"],
    ["remove what it is in", "remove", { path: `${HOME}/.local` }, "refuse"],
    ["mv", "mv", { from: `${HOME}/.local/state`, to: "/tmp/x" }, "refuse"],
    ["mv onto it", "mv", { from: "/tmp/x", to: trust }, "refuse"],
    ["mkdir", "mkdir", { path: `${STATE}/seals/x` }, "refuse"],
    ["mcp write_file", "mcp__filesystem__write_file", { path: trust, content }, "refuse"],
    ["mcp edit_file", "mcp__filesystem__edit_file", { path: trust, edits: [] }, "refuse"],
    ["mcp move_file", "mcp__filesystem__move_file", { source: STATE, destination: "/x" }, "refuse"],
    ["mcp create_directory", "mcp__filesystem__create_directory", { path: `${STATE}/x` }, "refuse"],
    ["mcp of another server", "mcp__disk__putFile", { filePath: trust, data: "" }, "refuse"],
    ["the program", "write", { path: `${PROGRAM}/dist/cli/main.js`, content }, "refuse"],
    ["the token", "write", { path: `${RUNTIME}/a.http.json`, content }, "refuse"],
    ["run_shell_command", "run_shell_command", { command: "orcs trust" }, "refuse"],
    ["a list of words", "shell", { command: ["bash", "-lc", "orcs trust --yes"] }, "refuse"],
    ["where it runs", "shell", { command: ["rm", "-rf", "state"], workdir: "~/.local" }, "refuse"],
    ["exec_command", "exec_command", { cmd: "npx orcs uninstall" }, "refuse"],
    ["mcp shell", "mcp__shell__run", { command: "orcs trust" }, "refuse"],
    [
      "typed into a terminal",
      "write_stdin",
      { session_id: 1, chars: "orcs trust --yes\n" },
      "refuse",
    ],
    ["a cell of Python", "mcp__jupyter__run_cell", { code: "!orcs trust --yes" }, "refuse"],
    ["code", "execute_code", { code: `open("${trust}", "w")` }, "refuse"],
    ["settings", "write", { path: claude, content }, "ask"],
    ["settings of a sub-folder", "write", { path: `x/${claude}`, content }, "ask"],
    ["settings by edit", "edit", { path: "~/.codex/config.toml", edits: [] }, "ask"],
    ["settings removed", "remove", { path: claude }, "ask"],
    [
      "settings by MCP",
      "mcp__filesystem__write_file",
      { path: ".gemini/settings.json", content },
      "ask",
    ],
    ["settings by patch", "edit", { patch: patch(`*** Delete File: ${claude}`) }, "ask"],
    ["the user's configuration", "write", { path: `${CONFIG}/orcs.toml`, content: "" }, "ask"],
    ["the user's scripts", "edit", { path: `${CONFIG}/hooks/a.lua`, edits: [] }, "ask"],
    ["a dev-trusted hook", "edit", { path: `${DEV}/hooks/a.lua`, edits: [] }, "ask"],
    [
      "a dev-trusted configuration",
      "write",
      { path: `${DEV}/orcs.local.toml`, content: "" },
      "ask",
    ],
    ["JetBrains", "create_new_file", { pathInProject: claude, text: "{}" }, "ask"],
    [
      "a rename by addresses",
      "rename_file",
      { oldUri: `file://${trust}`, newUri: "file:///x" },
      "refuse",
    ],
    [
      "onto an address",
      "rename_file",
      { oldUri: "file:///x", newUri: `file://${trust}` },
      "refuse",
    ],
    ["paths", "mcp__fs__delete_files", { paths: ["/x", trust] }, "refuse"],
    ["files", "mcp__fs__delete", { files: [trust] }, "refuse"],
    ["files with names", "mcp__fs__write_files", { files: [{ path: trust, content }] }, "refuse"],
    ["a repository", "mcp__git__git_reset", { repo_path: STATE }, "refuse"],
    ["purge", "mcp__fs__purge", { path: STATE }, "refuse"],
    ["erase", "mcp__fs__erase_directory", { path: `${HOME}/.local/state` }, "refuse"],
    ["destroy", "mcp__fs__destroy", { target: STATE }, "refuse"],
    ["trash", "mcp__fs__trash_item", { path: STATE }, "refuse"],
    ["clear", "mcp__fs__clear_file", { path: trust }, "refuse"],
    ["format", "mcp__ide__format_file", { path: claude }, "ask"],
    ["set_file_contents", "mcp__fs__set_file_contents", { path: trust, value: "{}" }, "refuse"],
    ["upload_file", "mcp__fs__upload_file", { path: trust, data: "" }, "refuse"],
    ["an action", "mcp__fs__file", { action: "delete", path: trust }, "refuse"],
    ["an operation", "mcp__fs__file", { operation: "write", path: claude, value: "{}" }, "ask"],
    ["an op", "mcp__fs__manage", { op: "purge", path: `${HOME}/.local` }, "refuse"],
    [
      "a program and its words",
      "mcp__os__spawn",
      { program: "orcs", args: ["trust", "--yes"] },
      "refuse",
    ],
    ["an executable", "mcp__os__start", { executable: "/bin/rm", args: ["-rf", STATE] }, "refuse"],
    ["script_content", "mcp__os__run", { script_content: "orcs trust --yes" }, "refuse"],
    ["a line", "mcp__term__run_in_terminal", { line: "orcs trust --yes" }, "refuse"],
    ["commandString", "mcp__os__x", { commandString: "orcs trust --yes" }, "refuse"],
    ["shell_cmd", "mcp__os__x", { shell_cmd: "orcs trust --yes" }, "refuse"],
    ["keys", "mcp__tmux__run_keys", { keys: "orcs trust --yes\n" }, "refuse"],
    ["a switch of Claude Code", "Config", { setting: "disableAllHooks", value: true }, "ask"],
    ["another setting of Claude Code", "Config", { setting: "theme", value: "dark" }, "pass"],
    ["an action that reads", "mcp__fs__file", { action: "read", path: trust }, "pass"],
    ["a program that reads", "mcp__os__spawn", { program: "cat", args: [trust] }, "pass"],
    ["keys of an object", "mcp__db__get", { keys: ["orcs trust"] }, "pass"],
    ["a line of a file", "mcp__ide__goto_line", { line: "orcs trust --yes" }, "pass"],
    [
      "a start file of a shell",
      "write",
      { path: "~/.bashrc", content: "export A=1\norcs trust --yes\n" },
      "refuse",
    ],
    [
      "a hook of git, by an edit",
      "edit",
      { path: ".git/hooks/post-commit", old_string: "a", new_string: "npx orcs uninstall --yes" },
      "refuse",
    ],
    [
      "an alias",
      "edit",
      { path: "~/.zshrc", old_string: "", new_string: "alias o='orcs list'" },
      "pass",
    ],
    ["a search in a start file", "grep", { path: "~/.bashrc", pattern: "orcs trust" }, "pass"],
    ["a git server", "mcp__git__git_checkout", { repo_path: STATE, branch_name: "x" }, "refuse"],
    ["a type", "mcp__fs__batch", { operations: [{ type: "delete", path: trust }] }, "refuse"],
    ["a file and its words", "mcp__os__spawn", { file: "orcs", args: ["uninstall"] }, "refuse"],
    ["AppleScript", "mcp__mac__run", { script: 'do shell script "orcs trust --yes"' }, "refuse"],
    [
      "Python that puts a path together",
      "execute_python",
      { code: "(Path.home() / '.claude' / 'settings.json').write_text('{}')" },
      "ask",
    ],
    ["Python that prints", "execute_python", { code: "print('orcs trust --yes')" }, "pass"],
    [
      "Python that reads",
      "execute_python",
      { code: "print(json.load(open('.claude/settings.json')))" },
      "pass",
    ],
    ["an issue", "mcp__github__create_issue", { title: "x", body: `rm -rf ${STATE}` }, "pass"],
    ["paths that are read", "read_multiple_files", { paths: [trust, claude] }, "pass"],
    ["read", "read", { path: trust }, "pass"],
    ["grep", "grep", { pattern: "orcs trust --yes", path: STATE }, "pass"],
    ["glob", "glob", { pattern: "**/*", path: `${HOME}/.local` }, "pass"],
    ["mcp read_file", "mcp__filesystem__read_text_file", { path: trust }, "pass"],
    ["mcp list_directory", "mcp__filesystem__list_directory", { path: STATE }, "pass"],
    ["the project's hooks", "edit", { path: "hooks/guard.lua", edits: [] }, "pass"],
    ["the project's configuration", "write", { path: "orcs.toml", content: "" }, "pass"],
    ["docs that name it", "write", { path: "a.md", content: "orcs trust --yes" }, "pass"],
    ["a task", "task", { prompt: "tell them to run orcs trust --yes" }, "pass"],
    ["a command that is a number", "press", { command: 7, path: 3 }, "pass"],
    ["files of dev-trusted projects", "write", { path: `${DEV}/src/a.ts`, content }, "pass"],
  ])("%s", async (_what, tool, args, verdict) => {
    expect((await (await rig()).call(tool, args)).verdict).toBe(verdict);
  });

  it("follows symlinks", async () => {
    const kept = folder({ "state/orcs/trust.json": "{}", "link/x": "" });
    symlinkSync(`${kept}/state`, `${kept}/link/to`);
    const linked = await guard("self-guard", kept, { state: [`${kept}/state/orcs`] });
    const verdicts = [
      await linked.call("write", { path: "link/to/orcs/trust.json", content }),
      await linked.call("exec", { command: "rm -rf link/to/orcs" }),
      await linked.call("exec", { command: "rm -rf link/to/" }),
      await linked.call("exec", { command: "rm link/to" }),
    ].map(({ verdict }) => verdict);
    expect(verdicts).toEqual(["refuse", "refuse", "refuse", "pass"]);
  });
});
