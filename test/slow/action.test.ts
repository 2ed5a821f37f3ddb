import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commitAll, folder, PATIENT, ROOT, start, writeFiles } from "../dist/orcs.ts";

const CONFIG = `[[hooks]]\nscript = "guard.lua"\n${PATIENT}`;
const guard = (action: string) => `return {
  id = "no-force-push", point = "tool.pre_execute", match = { runs = { "git push --force" } },
  handler = function() return orcs.deny("no force") end,
  tests = { { name = "a force push", event = { tool = "exec", args = { command = "git push -f" } },
    expect = { action = "${action}" } } },
}`;

/** A repository with one commit that has hooks, and orcs among its packages. */
function repository(): string {
  const dir = folder({ "orcs.toml": CONFIG, "hooks/guard.lua": guard("abort"), home: "" });
  writeFiles(dir, { ".gitignore": "node_modules\n" });
  commitAll(dir);
  mkdirSync(join(dir, "node_modules/.bin"), { recursive: true });
  symlinkSync(join(ROOT, "bin/orcs.cjs"), join(dir, "node_modules/.bin/orcs"));
  return dir;
}

/** What action.yml runs, and the summary that it writes. */
async function act(cwd: string, env: Record<string, string> = {}) {
  const summary = join(folder(), "summary.md");
  const all = { GITHUB_STEP_SUMMARY: summary, ORCS_BASE: "HEAD", ORCS_DIGEST: "", ...env };
  const { code } = await start("bash", [join(ROOT, "scripts/action.sh")], { cwd, env: all });
  return { code, summary: existsSync(summary) ? readFileSync(summary, "utf8") : "" };
}

describe("the GitHub action", () => {
  test("passes for hooks that pass their tests, and shows what a change does", async () => {
    const dir = repository();
    const hook = '[[hooks]]\nid = "added"\npoint = "tool.pre_execute"\nhandler_inline = "nil"\n';
    writeFiles(dir, { "orcs.toml": hook + CONFIG });
    const { code, summary } = await act(dir);
    expect({ code, summary }).toMatchObject({ code: 0 });
    expect(summary).toContain("### ✅ orcs check");
    expect(summary).toMatch(/### ✅ orcs test\n\n~+text\n1 passed/);
    expect(summary).toMatch(/\n\+added +tool\.pre_execute +orcs\.toml:1/);
    expect(summary).not.toContain(dir);
  });

  test("fails for a failing test, and for another digest than expected", async () => {
    const dir = repository();
    const { summary: before } = await act(dir);
    const [ORCS_DIGEST = ""] = /sha256-\w+/.exec(before) ?? [];
    expect(await act(dir, { ORCS_DIGEST })).toMatchObject({ code: 0 });
    writeFiles(dir, { "hooks/guard.lua": guard("continue") });
    const { code, summary } = await act(dir, { ORCS_DIGEST });
    expect(code).toBe(1);
    expect(summary).toContain("### ❌ orcs test");
    expect(summary).toContain(`### ❌ digest`);
    expect(summary).toContain("a force push");
  });

  test("fails where orcs is not among the packages", async () => {
    const dir = folder({ "orcs.toml": CONFIG, "hooks/guard.lua": guard("abort") });
    const { code, summary } = await act(dir);
    expect(code).toBe(1);
    expect(summary).toContain("npm ci");
  });
});
