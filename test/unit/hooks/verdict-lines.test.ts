import { describe, expect } from "vitest";
import { quickTest, repeatedTest, shareOf } from "../../slow-test.ts";
import { folder } from "../engine/orcs/engine.ts";
import { guard } from "./guard-rig.ts";
import { PROJECT as PATHS_PROJECT } from "./path-guard-lines.ts";
import { OPTIONS } from "./self-guard-calls.ts";
import { PROJECT as SELF_PROJECT } from "./self-guard-lines.ts";
import { CWD as SHELL_CWD } from "./shell-guard/guard.ts";
import { verdictLines } from "./verdict-lines.ts";

const GUARDS = [
  { policy: "path-guard", cwd: () => PATHS_PROJECT, options: {} },
  { policy: "secret-guard", cwd: () => folder({}), options: {} },
  { policy: "shell-guard", cwd: () => SHELL_CWD, options: {} },
  { policy: "self-guard", cwd: () => SELF_PROJECT, options: OPTIONS },
];

describe.each(GUARDS)("$policy", ({ policy, cwd, options }) => {
  quickTest("lists each line once", () => {
    const lines = verdictLines(policy).map(([line]) => line);
    expect(new Set(lines).size).toBe(lines.length);
  });

  repeatedTest.each(["refuse", "ask", "pass"] as const)("%s", async (verdict) => {
    const rig = await guard(policy, cwd(), options);
    const lines = verdictLines(policy).filter(([, expected]) => expected === verdict);
    await rig.expectCommands(
      verdict,
      shareOf(lines, 4).map(([line]) => line),
    );
  });
});
