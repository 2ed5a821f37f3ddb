import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Call } from "./file-guard-calls.ts";
import { lines, projectIn, reads, writes } from "./file-guard-calls.ts";
import { guard } from "./guard-rig.ts";

function project(): string {
  const above = realpathSync(mkdtempSync(join(homedir(), ".orcs-test-")));
  onTestFinished(() => rmSync(above, { recursive: true, force: true }));
  return projectIn(above);
}

async function expectCalls(policy: string, dir: string, verdict: string, calls: readonly Call[]) {
  const rig = await guard(policy, dir);
  const wrong: unknown[] = [];
  for (const [tool, args] of calls) {
    const found = await rig.call(tool, args);
    if (found.verdict !== verdict) wrong.push([tool, args, found]);
  }
  expect(wrong).toEqual([]);
}

describe("orcs:secret-guard and orcs:path-guard with real files and symlinks", () => {
  it.each(["refuse", "pass"] as const)("%s command lines", async (verdict) => {
    const dir = project();
    const ending = verdict === "refuse" ? "refused" : "passed";
    for (const policy of ["secret-guard", "path-guard"]) {
      const rig = await guard(policy, dir);
      await rig.expectCommands(verdict, lines(`${policy}-${ending}`, dir));
    }
  });

  it("recognize secret files in any tool and argument", async () => {
    const dir = project();
    for (const verdict of ["refuse", "pass"] as const)
      await expectCalls("secret-guard", dir, verdict, reads(dir)[verdict]);
  });

  it("recognize writes in any tool and argument", async () => {
    const dir = project();
    for (const verdict of ["refuse", "pass"] as const)
      await expectCalls("path-guard", dir, verdict, writes(dir)[verdict]);
  });

  it("name an argument as it was given", async () => {
    const secrets = await guard("secret-guard", project());
    for (const key of ["file_path", "filePath", "target-file"]) {
      expect((await secrets.call("read", { [key]: ".env" })).reason).toContain(`"${key}"`);
    }
    expect((await secrets.call("read", { file_path: 7 })).reason).toContain(
      "file_path is a number",
    );
  });

  it("list the allowed roots in the reason, also when there are none", async () => {
    const paths = await guard("path-guard", project(), { roots: [] });
    expect(await paths.call("write", { path: "a", content: "" })).toMatchObject({
      verdict: "refuse",
      reason: expect.stringContaining("writable folders: nothing.") as unknown,
    });
  });
});
