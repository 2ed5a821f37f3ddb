import { symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { folder } from "../engine/orcs/engine.ts";
import { guard } from "./guard-rig.ts";

const CWD = "/work-of-nobody/project";
const PATCH = (file: string): string =>
  `*** Begin Patch\n*** Update File: ${file}\n@@\n-a\n+b\n*** End Patch`;

/** Tool and arguments that change a file, however it is done. */
const WAYS: readonly ((file: string) => readonly [string, Record<string, unknown>])[] = [
  (file) => ["Write", { file_path: `${CWD}/${file}`, content: "" }],
  (file) => ["Edit", { file_path: file, old_string: "a", new_string: "b" }],
  (file) => ["MultiEdit", { file_path: file, edits: [{ old_string: "a", new_string: "b" }] }],
  (file) => ["apply_patch", { input: PATCH(file) }],
  (file) => ["mcp__fs__write_file", { path: file, content: "" }],
  (file) => ["mcp__fs__move_file", { source: "a", destination: file }],
  (file) => ["exec", { command: `sed -i s/error/off/ ${file}` }],
  (file) => ["exec", { command: `git mv ${file} old` }],
  (file) => ["exec", { command: `git rm ${file}` }],
  (file) => ["exec", { command: `echo x | sudo tee ${file}` }],
  (file) => ["exec", { command: `cp /tmp/x ./sub/../${file}` }],
  (file) => ["exec", { command: `sh -c 'cat x > ${file}'` }],
  (file) => ["exec", { command: `jq . a > "$ROOT/${file}"` }],
  (file) => ["exec", { command: `python3 -c "open('${file}', 'w').write('')"` }],
  (file) => ["exec", { command: `apply_patch <<'E'\n${PATCH(file)}\nE` }],
  (file) => ["pwsh", { command: `Set-Content ${file} x` }],
];

const FILES = [
  ".eslintrc",
  ".eslintrc.cjs",
  "eslint.config.mjs",
  ".oxlintrc.json",
  "biome.json",
  ".prettierrc.yaml",
  "ruff.toml",
  ".flake8",
  "mypy.ini",
  "tsconfig.json",
  "tsconfig.build.json",
  "packages/a/tsconfig.json",
  "jest.config.ts",
  "vitest.config.ts",
  "playwright.config.ts",
  "pytest.ini",
  ".github/workflows/ci.yml",
  ".gitlab-ci.yml",
  ".pre-commit-config.yaml",
  ".husky/pre-commit",
  "lefthook.yml",
];

const SKIPS = [
  "git commit --no-verify -m x",
  "git commit -nm x",
  "git commit -anm x",
  "git commit --no-veri -m x",
  "cd a && sudo git -C b commit --no-verify",
  "sh -c 'git commit --no-verify'",
  "git push --no-verify origin main",
  "git merge --no-verify x",
  "git -c core.hooksPath=/dev/null commit -m x",
  "git -c CORE.HOOKSPATH= commit -m x",
  "git -ccore.hooksPath=/dev/null push",
  "git config core.hooksPath /dev/null",
  "git config --global core.hookspath x",
  "HUSKY=0 git commit -m x",
  "export SKIP=eslint; git commit -m x",
  "pre-commit uninstall",
  "rm .git/hooks/pre-commit",
  "chmod -x .husky/pre-commit",
  "rm -rf .github",
];

const EVERYDAY = [
  "cat tsconfig.json .eslintrc.json",
  "cp tsconfig.json /tmp/x",
  "npx eslint . --fix && npx prettier --write src",
  "npm ci && npm test",
  "git commit -m '--no-verify'",
  "git commit -m x && git push -n",
  "git log -n 3",
  "git config core.hooksPath",
  "git config --get core.hooksPath",
  "git checkout main && git pull",
  "HUSKY=0 npm ci",
  "touch /tmp/scratch/tsconfig.json",
  "rm -rf node_modules/x/tsconfig.json",
  "echo x > src/eslint.ts",
  "echo '",
  'rm "$F"',
  "ssh host rm tsconfig.json",
];

describe("orcs:keep-checks", () => {
  it.each(WAYS.map((way) => [way(".eslintrc.json")[0], way] as const))(
    "asks about each file, with %s",
    async (_tool, way) => {
      const checks = await guard("keep-checks", CWD);
      const passed: unknown[] = [];
      for (const file of FILES) {
        const { verdict, reason } = await checks.call(...way(file));
        if (verdict !== "ask" || !reason.startsWith("keep-checks: ")) passed.push([file, verdict]);
      }
      expect(passed).toEqual([]);
    },
  );

  it("asks about commands that skip hooks of git", async () => {
    await (await guard("keep-checks", CWD)).expectCommands("ask", SKIPS);
  });

  it("allows everyday work", async () => {
    const checks = await guard("keep-checks", CWD);
    await checks.expectCommands("pass", EVERYDAY);
    for (const file of ["pyproject.toml", "package.json", "src/a.ts", "docs/tsconfig.md"])
      expect((await checks.call("Write", { file_path: file, content: "" })).verdict).toBe("pass");
    expect((await checks.call("Read", { file_path: "tsconfig.json" })).verdict).toBe("pass");
    expect((await checks.call("Grep", { pattern: "strict", path: "tsconfig.json" })).verdict).toBe(
      "pass",
    );
  });

  it("denies where it is told to, and asks about what is not sure", async () => {
    const denying = await guard("keep-checks", CWD, { decision: "deny" });
    await denying.expectCommands("refuse", ["echo > tsconfig.json", "git commit --no-verify"]);
    expect((await denying.call("set_format", { path: "tsconfig.json" })).verdict).toBe("ask");
  });

  it("protects more, and less", async () => {
    const told = await guard("keep-checks", CWD, {
      protect: ["pyproject.toml", "config/**"],
      allow: ["tsconfig.build.json", ".github/**"],
    });
    await told.expectCommands("ask", [
      "touch pyproject.toml",
      "touch config/a/b",
      "touch tsconfig.json",
    ]);
    await told.expectCommands("pass", [
      "touch tsconfig.build.json",
      "touch .github/workflows/ci.yml",
    ]);
  });

  it("follows links", async () => {
    const dir = folder({ "tsconfig.json": "{}" });
    symlinkSync("tsconfig.json", `${dir}/plain.json`);
    const checks = await guard("keep-checks", dir);
    await checks.expectCommands("ask", ["echo > plain.json"]);
    await checks.expectCommands("pass", ["rm plain.json"]);
  });
});
