import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { errorOf, folder, open } from "../engine/engine.ts";
import { expectSameHoweverWritten, expectVerdictOnAnything } from "./any-spelling.ts";
import { guard } from "./guard-rig.ts";

/** A project that is in no temporary folder, as far as the guard can tell: there is nothing at it. */
const PROJECT = "/work-of-nobody/project";

const REFUSED: Readonly<Record<string, readonly string[]>> = {
  "writes outside by a redirect": [
    "echo x > /etc/hosts",
    "echo x >> /etc/hosts",
    "echo x >| ../x",
    "echo x &> ../x",
    "echo x &>> ../x",
    "echo x > src/../../x",
    "echo x > ~/x",
    "echo x > $HOME/x",
    "echo x 2> /x",
    "echo x <> /x",
    "> /x",
    "cat <<EOF > /x\nx\nEOF",
    "cd .. && echo x > x",
    "cd /; echo x > x",
    "(cd ..; echo x > x)",
    "exec > /x",
    "for f in a; do echo > /$f; done",
    "X=/x; echo x > $X",
    "echo x > /dev/sda",
    "echo x > /dev/tcp/example.com/1",
    "echo $(echo x > /x)",
    "bash -c 'echo x > /x'",
    "sudo sh -c 'echo x > /x'",
  ],
  "writes outside by a program": [
    "tee /x",
    "echo x | sudo tee -a /etc/hosts",
    "cp a /x",
    "cp -t / a",
    "cp --target-directory=/ a",
    "cp a ..",
    "mv a ../a",
    "mv ../a a",
    "ln -s a /usr/local/bin/a",
    "ln -s ../a ~/a",
    "install -m 755 a /usr/local/bin",
    "install -d /opt/x",
    "rm /x",
    "rm -rf ..",
    "rm -rf ~/x",
    "rm -rf ../*",
    "rm -- -x /x",
    "rmdir /x/y",
    "unlink /x",
    "touch /x",
    "touch a b ../c",
    "mkdir -p /x/y",
    "mkdir -m 700 /x",
    "truncate -s 0 /var/log/x",
    "shred -u /x",
    "chmod 777 /x",
    "chmod -R u+w ..",
    "chown -R me /srv",
    "dd if=/dev/zero of=/x",
    "sed -i s/a/b/ /etc/hosts",
    "sed -i.bak -e s/a/b/ /etc/hosts",
    "sed --in-place s/a/b/ ../x",
    "sed -i '' s/a/b/ ../x",
    "perl -pi -e s/a/b/ /etc/hosts",
    "rsync -a src/ /srv/x/",
    "scp host:a /x",
    "tar xf a.tar -C /",
    "tar -xzf a.tgz --directory=/opt",
    "tar xf a.tar -C ..",
    "tar czf /x.tgz src",
    "unzip a.zip -d /opt",
    "zip /x.zip a",
    "gzip /x",
    "curl -o /x https://example.com",
    "curl -sSLo /usr/local/bin/x https://example.com/x",
    "curl --output-dir / -O https://example.com/x",
    "wget -O /x https://example.com",
    "wget -P / https://example.com/x",
    "find / -name x -delete",
    "find .. -name '*.o' -exec rm {} +",
    "find . -fprint /x",
    "sort -o /x a",
    "split a /x",
    "patch /x < a.diff",
    "xargs touch /x",
    "env A=1 touch /x",
    "timeout 5 touch /x",
    "find .. -name '*.o' | xargs rm",
    "ls / | xargs rm",
    "echo /x | xargs rm",
    "find . -path ../x -delete",
    "ln -s /etc etc && echo x > etc/hosts",
    "ln -s / src/root; touch src/root/x",
    "mktemp /etc/x.XXX",
    "gcc -o /usr/local/bin/x a.c",
    "go build -o /usr/local/bin/x",
    "openssl genrsa -out /x.key 2048",
    "ssh-keygen -t ed25519 -f /etc/key",
    "uniq a /x",
    "ed -s /x",
    "awk -i inplace 1 /x",
    "env -C / touch x",
    "cp a b ~/",
    "rm -rf {a,/x}",
    "rm -rf /tmp/../x",
    "d=$(mktemp -d); rm -rf $d/../../x",
  ],
  "writes what is protected": [
    "echo {} > package-lock.json",
    "echo {} > ./package-lock.json",
    "echo {} > PACKAGE-LOCK.JSON",
    "echo {} > web/package-lock.json",
    "rm package-lock.json",
    "rm -f yarn.lock pnpm-lock.yaml",
    "rm *.lock",
    "rm pack*-lock.json",
    "rm web/yarn.*ock",
    "mv yarn.lock yarn.lock.old",
    "mv a Cargo.lock",
    "cp other/Cargo.lock .",
    "cp other/Cargo.lock a b web",
    "cp -t web other/poetry.lock",
    "sed -i s/a/b/ go.sum",
    "touch uv.lock",
    "echo > .github/workflows/ci.yml",
    "rm -rf .github",
    "rm -rf .github/workflows",
    "mv .github x",
    "mkdir -p .github/workflows",
    "echo > .gitlab-ci.yml",
    "tee .circleci/config.yml",
    "echo > Jenkinsfile",
    "echo > .git/config",
    "echo x > .git/hooks/pre-commit",
    "chmod +x .git/hooks/pre-commit",
    "rm -rf .git",
    "cp hook .git/hooks/",
    "echo > orcs.toml",
    "rm orcs.toml",
    "sed -i /script/d orcs.toml",
    "echo > orcs.local.toml",
    "echo > hooks/guard.lua",
    "rm hooks/*.lua",
    "rm -rf hooks",
    "mv hooks x",
    "rm -rf .g*",
    "rm -rf {.git,.github}",
    "exec 3> orcs.toml",
    "f() { echo x; } > orcs.toml; f",
    "find . -name orcs.toml | xargs rm",
    "find . -name 'orcs*' -exec sed -i s/a/b/ {} +",
    "ls orcs.toml | xargs -I{} mv {} x",
    "find . -path ./orcs.toml -delete",
    "ln -s orcs.toml x && echo > x",
    "tar xf a.tar -C .git",
    "gunzip -c a.gz > go.sum",
    "vim -es -c wq orcs.toml",
    "cp x.lua hooks/x.lua",
    "echo > .claude/settings.json",
    "rm -rf .claude",
    "tee .codex/config.toml",
    "echo > .gemini/settings.json",
    "echo > .cursor/hooks.json",
    "curl -O https://example.com/orcs.toml",
    "wget https://example.com/orcs.toml",
    "find . -name package-lock.json -delete",
    "find . -name 'yarn.lock' -exec rm {} \\;",
    "ln -sf /tmp/x orcs.toml",
    "dd if=a of=orcs.toml",
    "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: orcs.toml\n+x\n*** End Patch\nEOF",
    "git apply <<'EOF'\n--- a/orcs.toml\n+++ b/orcs.toml\n@@ -1 +1 @@\n-a\n+b\nEOF",
  ],
};

const ASKED: readonly string[] = [
  'echo x > "$OUT"',
  "echo x > $OUT/a",
  'rm -rf "$1"',
  'cp a "$(cat where)"',
  'cd "$DIR" && touch a',
  "rm -rf build/$TARGET",
  "rm -rf $TMPDIR/../x",
  'sed -i s/a/b/ "$F"',
  "echo 'unterminated",
];

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  "writes inside": [
    "echo x > a.txt",
    "echo x >> src/a.ts",
    "echo x > ./a/../b",
    `echo x > ${PROJECT}/a`,
    "cat <<EOF > src/a.ts\norcs.toml\nEOF",
    "cd src && echo x > a.ts",
    "cd src && echo x > ../a.ts",
    "make > build.log 2>&1",
    "make > /dev/null 2>&1",
    "make 2> /dev/null",
    "echo x > /dev/stderr",
    "echo x >&2",
    "echo x | tee a.txt",
    "cp a b",
    "cp -r src dist",
    "cp /etc/hosts .",
    "cp package-lock.json /tmp/",
    "cp ~/a.txt src/",
    "mv src/a.ts src/b.ts",
    "ln -s ../a b",
    "ln -s /usr/lib/x",
    "install -m 755 a bin/a",
    "rm a.txt",
    "rm -rf node_modules dist",
    "rm -rf ./build/*",
    "rm *.log",
    "rm -f src/**/*.js",
    "touch a b c",
    "mkdir -p src/a/b",
    "mkdir -p .github/ISSUE_TEMPLATE",
    "truncate -s 0 a.log",
    "chmod +x scripts/build.sh",
    "chmod -R u+w .",
    "sed -i 's/a/b/' src/a.ts",
    "sed -i '' 's/a/b/' src/a.ts",
    "sed -i '' /x/d src/a.ts",
    "sed s/a/b/ /etc/hosts",
    "perl -pi -e 's/a/b/' src/*.ts",
    "perl -ne print /etc/hosts",
    "rsync -a ../x/ x/",
    "rsync -a x/ host:/srv/x/",
    "scp a host:/x",
    "tar xf ../a.tar",
    "tar czf a.tgz src",
    "tar czf - src",
    "tar tf /x.tar",
    "unzip ../a.zip -d src",
    "unzip -l /x.zip",
    "zip -r a.zip /etc/hosts",
    "gunzip a.gz",
    "curl -o a https://example.com",
    "curl -O https://example.com/a.tgz",
    "curl https://example.com/orcs.toml",
    "wget https://example.com/a.tgz",
    "wget -qO- https://example.com/orcs.toml",
    "dd if=/dev/zero of=a bs=1 count=1",
    "find . -name '*.o' -delete",
    "find . -name '*.pyc' -exec rm {} +",
    "find /usr -name '*.h'",
    "find . -type f -exec sed -i s/a/b/ {} +",
    "patch src/a.ts < a.diff",
    "sort -o a a",
    "find . -name '*.orig' -print0 | xargs -0 rm -f",
    "rg -l foo | xargs sed -i 's/foo/bar/g'",
    "git ls-files '*.ts' | xargs sed -i s/a/b/",
    "gcc -o a a.c",
    "ln -s src lib && echo > lib/a",
  ],
  "writes to temporary folders": [
    "echo x > /tmp/x",
    "mkdir -p /tmp/x/.git /var/tmp/y",
    "echo {} > /tmp/x/package-lock.json",
    "rm -rf /tmp/x",
    "cp orcs.toml /tmp/orcs.toml",
    "cd /tmp && touch a",
    "tar xf a.tar -C /tmp",
    "d=$(mktemp -d) && tar xf a.tar -C $d && rm -rf $d",
    'tmp=$(mktemp); curl -o "$tmp" https://example.com; rm -f "$tmp"',
    'trap \'rm -rf "$tmp"\' EXIT; tmp=$(mktemp -d); cp -r src "$tmp"',
    "rm -rf /tmp/build-$$",
  ],
  "writes nothing that is named": [
    "cat /etc/hosts",
    "cat orcs.toml",
    "cat package-lock.json | jq .",
    "grep x .github/workflows/ci.yml",
    "ls ..",
    "cat < /etc/hosts",
    "diff a ../b",
    "git status",
    "git checkout -- package-lock.json",
    "git add package-lock.json orcs.toml",
    "git commit -m 'edit orcs.toml > x'",
    "git clone https://example.com/x",
    "git rm yarn.lock",
    "npm install",
    "npm ci",
    "cargo build",
    "poetry lock",
    "go mod tidy",
    "orcs check",
    "echo 'rm -rf /' ",
    "echo orcs.toml",
    "test -f orcs.toml && echo yes",
    "docker run -v /x:/y app",
    "docker exec web rm -rf /var/cache/app",
    "ssh host 'rm -rf /srv/x'",
    "find / -name x | xargs grep y",
    "ssh host uptime",
    "make install",
    "node -e 'console.log(1)'",
    "python3 -m pytest",
    "npx prettier --check .",
    "psql -c 'delete from x'",
    "",
  ],
  "looks like what is protected": [
    "echo > src/hooks/useThing.ts",
    "rm -rf src/hooks",
    "echo > .gitignore",
    "echo > .gitattributes",
    "echo > .github/CODEOWNERS",
    "echo > package.json",
    "echo > lock.json",
    "echo > docs/orcs.toml.md",
    "rm -f .git/index.lock",
    "rm -f .git/refs/heads/main.lock",
    "echo > claude.md",
    "echo > CLAUDE.md",
    "echo > .cursor/rules/a.md",
  ],
};

/** Calls in the shapes of hosts and of MCP servers. */
const CALLS: readonly (readonly [string, Record<string, unknown>, "pass" | "ask" | "refuse"])[] = [
  ["write", { path: "src/a.ts", content: "x" }, "pass"],
  ["write", { path: "/etc/hosts", content: "x" }, "refuse"],
  ["write", { path: "../a", content: "x" }, "refuse"],
  ["write", { path: "~/a", content: "x" }, "refuse"],
  ["write", { path: "/tmp/a", content: "x" }, "pass"],
  ["write", { path: "ORCS.toml", content: "x" }, "refuse"],
  ["write", { path: "docs/a.md", content: "*** Update File: orcs.toml" }, "pass"],
  ["Write", { file_path: `${PROJECT}/yarn.lock`, content: "x" }, "refuse"],
  ["Write", { file_path: `${PROJECT}/a.ts`, content: "x" }, "pass"],
  ["Edit", { file_path: "orcs.toml", old_string: "a", new_string: "b" }, "refuse"],
  ["Edit", { file_path: "a.ts", old_string: "orcs.toml", new_string: "/etc/hosts" }, "pass"],
  ["MultiEdit", { file_path: ".git/config", edits: [] }, "refuse"],
  ["NotebookEdit", { notebook_path: "/x.ipynb", new_source: "x" }, "refuse"],
  ["write_file", { file_path: "hooks/a.lua", content: "x" }, "refuse"],
  ["replace", { file_path: "a.ts", old_string: "a", new_string: "b" }, "pass"],
  ["replace", { file_path: "../a.ts", old_string: "a", new_string: "b" }, "refuse"],
  ["mkdir", { path: "src/x" }, "pass"],
  ["mkdir", { path: "/x" }, "refuse"],
  ["remove", { path: "a" }, "pass"],
  ["remove", { path: ".github" }, "refuse"],
  ["Delete", { path: "package-lock.json" }, "refuse"],
  ["mv", { from: "a", to: "b" }, "pass"],
  ["mv", { from: "orcs.toml", to: "b" }, "refuse"],
  ["mv", { from: "a", to: "/b" }, "refuse"],
  ["copy_file", { source: "/etc/hosts", destination: "a" }, "pass"],
  ["copy_file", { source: "a", destination: "/etc/hosts" }, "refuse"],
  ["mcp__fs__write_file", { path: "/x", content: "x" }, "refuse"],
  ["mcp__fs__edit_file", { path: "orcs.toml", edits: [{ oldText: "a", newText: "b" }] }, "refuse"],
  ["mcp__fs__move_file", { source: "yarn.lock", destination: "x" }, "refuse"],
  ["mcp__fs__create_directory", { path: "/x" }, "refuse"],
  ["mcp__fs__read_file", { path: "/etc/hosts" }, "pass"],
  ["mcp__fs__list_directory", { path: "/" }, "pass"],
  ["mcp__other__thing", { target: "/x", contents: "x" }, "refuse"],
  [
    "mcp__other__thing",
    {
      files: [
        { path: "a", content: "x" },
        { path: "/b", content: "x" },
      ],
    },
    "refuse",
  ],
  ["mcp__other__thing", { path: "/x" }, "pass"],
  ["mcp__github__create_review_comment", { path: ".github/workflows/ci.yml", body: "x" }, "pass"],
  ["mcp__slack__send_message", { to: "/x", text: "x" }, "pass"],
  ["str_replace_based_edit_tool", { command: "create", path: "/x", file_text: "" }, "refuse"],
  ["str_replace_based_edit_tool", { command: "view", path: "/x" }, "pass"],
  ["editor", { command: "insert", path: "/x", insert_line: 1 }, "refuse"],
  ["read", { path: "orcs.toml" }, "pass"],
  ["grep", { pattern: "x", path: "/" }, "pass"],
  ["http", { url: "https://example.com/orcs.toml", body: "x" }, "pass"],
  ["save", { uri: "file:///etc/hosts", text: "x" }, "refuse"],
  ["apply_patch", { input: "*** Begin Patch\n*** Update File: orcs.toml\n+x\n" }, "refuse"],
  ["apply_patch", { input: "*** Begin Patch\n*** Add File: /x\n+x\n" }, "refuse"],
  ["apply_patch", { input: "*** Begin Patch\n*** Delete File: yarn.lock\n" }, "refuse"],
  [
    "apply_patch",
    { input: "*** Begin Patch\n*** Update File: a\n*** Move to: go.sum\n" },
    "refuse",
  ],
  ["apply_patch", { input: "*** Begin Patch\n*** Update File: a.ts\n+orcs.toml\n" }, "pass"],
  ["edit", { path: ["a.ts"], patch: "*** Begin Patch\n*** Update File: a.ts\n" }, "pass"],
  ["edit", { path: ["a.ts", "../b"], patch: "x" }, "refuse"],
  ["apply_diff", { diff: "--- a/a.ts\n+++ b/.git/config\n@@ -1 +1 @@\n-A\n+B\n" }, "refuse"],
  ["apply_diff", { diff: "--- /dev/null\n+++ b/src/a.ts\n@@ -0,0 +1 @@\n+B\n" }, "pass"],
  ["shell", { command: ["bash", "-lc", "echo x > /x"] }, "refuse"],
  [
    "shell",
    { command: ["apply_patch", "*** Begin Patch\n*** Update File: orcs.toml\n+x\n"] },
    "refuse",
  ],
  ["shell", { command: ["echo", "> /x"] }, "pass"],
  ["exec", { cmd: "touch /x" }, "refuse"],
  ["exec", { command: "touch x", cwd: "/" }, "refuse"],
  ["exec", { command: "touch x", cwd: "src" }, "pass"],
  ["run_shell_command", { command: "touch x", dir_path: ".." }, "refuse"],
  ["Bash", { command: "touch a", description: "> /x" }, "pass"],
  ["TodoWrite", { todos: [{ content: "> orcs.toml", status: "pending" }] }, "pass"],
  ["Task", { prompt: "write /x" }, "pass"],
  ["nothing", {}, "pass"],
];

describe("orcs:path-guard", () => {
  it.each(Object.entries(REFUSED))("denies commands that %s", async (_, commands) => {
    const paths = await guard("path-guard", PROJECT);
    await paths.expectCommands("refuse", commands);
  });

  it.each(Object.entries(ALLOWED))("allows commands that %s", async (_, commands) => {
    const paths = await guard("path-guard", PROJECT);
    await paths.expectCommands("pass", commands);
  });

  it("asks about unknown targets, or follows its option", async () => {
    await (await guard("path-guard", PROJECT)).expectCommands("ask", ASKED);
    await (
      await guard("path-guard", PROJECT, { dynamic: "abort" })
    ).expectCommands("refuse", ASKED);
    await (await guard("path-guard", PROJECT, { dynamic: "allow" })).expectCommands("pass", ASKED);
    // What is known is refused all the same.
    const allowing = await guard("path-guard", PROJECT, { dynamic: "allow" });
    await allowing.expectCommands("refuse", ['rm "$1" /x', 'echo > "$1"; echo > orcs.toml']);
  });

  it("recognizes the tools of all coding agents", async () => {
    const paths = await guard("path-guard", PROJECT);
    const wrong: unknown[] = [];
    for (const [tool, args, expected] of CALLS) {
      const found = await paths.call(tool, args);
      if (found.verdict !== expected) wrong.push([tool, args, found]);
    }
    expect(wrong).toEqual([]);
  });

  it("follows symlinks", async () => {
    const dir = folder({ "orcs.toml": "", "a.txt": "", "src/a.ts": "" });
    const away = realpathSync(mkdtempSync(join(homedir(), ".orcs-test-")));
    onTestFinished(() => rmSync(away, { recursive: true, force: true }));
    mkdirSync(join(away, "deep"));
    writeFileSync(join(away, "file"), "");
    symlinkSync(away, join(dir, "out"));
    symlinkSync(join(away, "file"), join(dir, "file"));
    symlinkSync(join(away, "none"), join(dir, "dangling"));
    symlinkSync("orcs.toml", join(dir, "config"));
    symlinkSync("src", join(dir, "in"));
    symlinkSync("a.txt", join(dir, "b.txt"));
    symlinkSync(join(away, "deep"), join(dir, "src/deep"));
    symlinkSync("loop", join(dir, "loop"));
    symlinkSync(dir, join(away, "back"));
    const paths = await guard("path-guard", dir);
    await paths.expectCommands("refuse", [
      "echo > out/x",
      "echo > file",
      "echo > dangling",
      "echo > config",
      "tee config",
      "cd out && echo > x",
      "echo > src/deep/../x",
      "cd src/deep && echo > ../x",
      "rm out/file",
      "rm -rf out/",
      "rm out/*",
      "cp a.txt out",
      "chmod 600 file",
      "sed -i s/a/b/ config",
      "echo > loop",
      "mv a.txt out/a.txt",
    ]);
    await paths.expectCommands("pass", [
      "echo > in/x",
      "echo > b.txt",
      "rm out",
      "rm file dangling loop",
      "mv out elsewhere",
      `echo > ${away}/back/a.txt`,
      "echo > src/a.ts",
    ]);
    for (const [args, verdict] of [
      [{ path: "out/x", content: "" }, "refuse"],
      [{ path: "dangling", content: "" }, "refuse"],
      [{ path: "config", content: "" }, "refuse"],
      [{ path: "loop", content: "" }, "refuse"],
      [{ path: "a\0b", content: "" }, "refuse"],
      [{ path: "in/x", content: "" }, "pass"],
      [{ path: `${away}/back/x`, content: "" }, "pass"],
    ] as const) {
      expect([args.path, (await paths.call("write", args)).verdict]).toEqual([args.path, verdict]);
    }

    // The directory is reached through a link, and so are roots.
    const linked = await guard("path-guard", join(away, "back"));
    await linked.expectCommands("pass", ["touch a", `touch ${dir}/a`, `touch ${away}/back/a`]);
    await linked.expectCommands("refuse", [`touch ${away}/a`, "echo > orcs.toml"]);
    const rooted = await guard("path-guard", dir, { roots: ["out"] });
    await rooted.expectCommands("pass", ["touch out/a", `touch ${away}/a`]);
    await rooted.expectCommands("refuse", ["touch a", "touch in/a"]);
  });

  it("allows only its roots", async () => {
    const paths = await guard("path-guard", PROJECT, { roots: ["src", "/srv/out", "~/notes"] });
    await paths.expectCommands("pass", ["touch src/a", "touch /srv/out/a", "touch ~/notes/a"]);
    await paths.expectCommands("refuse", [
      "touch a",
      "touch /srv/outer",
      "touch /tmp/a",
      "touch srcs/a",
    ]);
    await paths.expectCommands("refuse", [
      "echo > src/yarn.lock",
      "rm -rf src/.git",
      "touch ~/notes/.claude/a",
    ]);
    const everywhere = await guard("path-guard", PROJECT, { roots: ["/"] });
    await everywhere.expectCommands("pass", ["touch /x", "rm -rf /tmp/x"]);
    await everywhere.expectCommands("refuse", ["echo >> ~/.bashrc", "touch /x/yarn.lock"]);
  });

  it("accepts more and fewer protected paths", async () => {
    const paths = await guard("path-guard", PROJECT, {
      protect: ["migrations/**", "*.sql"],
      allow: ["package-lock.json", "hooks/**", "/x"],
    });
    await paths.expectCommands("refuse", [
      "touch migrations/a",
      "touch a/b.SQL",
      "touch /x",
      "touch yarn.lock",
    ]);
    await paths.expectCommands("pass", [
      "rm package-lock.json",
      "touch hooks/a.lua",
      "touch a/b.ts",
    ]);
  });

  it("does not protect a project below an agent's settings folder", async () => {
    const paths = await guard("path-guard", "/home/me/.claude/worktrees/x");
    await paths.expectCommands("pass", ["touch a", "rm -rf dist"]);
    await paths.expectCommands("refuse", ["touch .claude/a", "touch ../../settings.json"]);
  });

  it("protects a project in a temporary folder", async () => {
    const paths = await guard("path-guard", folder());
    await paths.expectCommands("refuse", ["touch orcs.toml", "rm yarn.lock"]);
    await paths.expectCommands("pass", ["touch a", `touch ${tmpdir()}/yarn.lock`]);
  });

  it.each([
    [
      { root: ["."] },
      'path-guard: unknown option "root"; known options: allow, dynamic, protect, roots',
    ],
    [
      { dynamic: "maybe" },
      'path-guard: option dynamic is "maybe", expected one of allow, ask, abort',
    ],
    [{ roots: "src" }, 'path-guard: option roots is "src", expected a list of folders'],
    [{ roots: ["src/*"] }, 'a list of folders, of which "src/*" is none'],
    [{ protect: [""] }, 'a list of globs, of which "" is none'],
    [{ allow: [true] }, "a list of globs, each a text"],
  ])("does not load with %j", async (options, message) => {
    const loading = open({ config: { hooks: [{ script: "orcs:path-guard", options }] } });
    expect((await errorOf(loading)).message).toContain(message);
  });

  it("denies arguments of the wrong type", async () => {
    const paths = await guard("path-guard", PROJECT);
    for (const args of [{ path: 7, content: "" }, { command: 7 }, { file_path: true }]) {
      const found = await paths.call("write", args);
      expect(found).toMatchObject({ verdict: "refuse" });
      expect(found.reason).toContain("which is not a string");
    }
  });

  it("returns a decision for any input", async () => {
    await expectVerdictOnAnything(await guard("path-guard", PROJECT));
  });

  it("decides the same for every spelling of a path", async () => {
    const dir = PROJECT;
    const paths = await guard("path-guard", dir);
    const names = ["a.txt", "orcs.toml", "web/yarn.lock", "../a", "src/a.ts"];
    const shapes = [
      "echo > PATH",
      "rm -f PATH",
      "cp x PATH",
      "sed -i s/a/b/ PATH",
      "cat PATH",
      "dd of=PATH",
    ];
    await expectSameHoweverWritten(paths, dir, names, shapes);
  });
});
