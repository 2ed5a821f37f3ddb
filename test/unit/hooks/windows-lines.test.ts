import { describe, expect } from "vitest";
import { repeatedTest as test, shareOf } from "../../slow-test.ts";
import { guard } from "./guard-rig.ts";
import {
  EVERYDAY,
  linesOf,
  OF_ANY_TOOL,
  PROJECT,
  READS,
  READS_NOTHING,
  READS_NOTHING_THERE,
  UNKNOWN_WRITES,
  WRITES,
  WRITES_BELOW,
} from "./windows-lines.ts";

async function expectLines(policy: string, tool: string, verdict: string, text: string) {
  const rig = await guard(policy, PROJECT);
  const wrong: unknown[] = [];
  for (const command of shareOf(linesOf(text), 3)) {
    const found = await rig.call(tool, { command });
    if (found.verdict !== verdict) wrong.push([command, found]);
  }
  expect(wrong).toEqual([]);
}

describe("lines for PowerShell and cmd", () => {
  test.each(["PowerShell", "pwsh"])("of a tool named %s: path-guard", async (tool) => {
    await expectLines("path-guard", tool, "pass", EVERYDAY + WRITES_BELOW);
    await expectLines("path-guard", tool, "refuse", WRITES);
    await expectLines("path-guard", tool, "ask", UNKNOWN_WRITES);
  });

  test("of a tool named PowerShell: secret-guard", async () => {
    await expectLines(
      "secret-guard",
      "PowerShell",
      "pass",
      EVERYDAY + READS_NOTHING + READS_NOTHING_THERE,
    );
    await expectLines("secret-guard", "PowerShell", "refuse", READS);
  });

  test("that only PowerShell can read, of any tool", async () => {
    await expectLines("path-guard", "exec", "refuse", OF_ANY_TOOL.writes);
    await expectLines("path-guard", "exec", "pass", OF_ANY_TOOL.writesBelow);
    await expectLines("secret-guard", "exec", "pass", READS_NOTHING);
    await expectLines("secret-guard", "exec", "refuse", OF_ANY_TOOL.reads);
  });
});
