import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { ALONE, CALLS, HookRig } from "./hook-rig.ts";
import { ended } from "./orcs.ts";

const SLOW = `
[[hooks]]
id = "slow"
point = "tool.pre_execute"
handler_inline = 'orcs.sleep(60000)'
`;

/** Let a process run for some milliseconds now and then, as on a machine that has too much to do. */
async function starve(
  child: ReturnType<HookRig["start"]>,
  { fromMs, ranMs }: { fromMs: number; ranMs: number },
): Promise<void> {
  await pause(fromMs);
  for (let i = 0; i < 60 && child.exitCode === null; i++) {
    child.kill("SIGSTOP");
    await pause(230);
    child.kill("SIGCONT");
    await pause(ranMs);
  }
}

// It was taken for blocked, and the code that denies was terminated: no answer, or a process that never ended.
test("a process that hardly gets a turn at its deadline denies with an answer, and ends", async () => {
  const rig = new HookRig({ "orcs.toml": `${ALONE.replace(/max.*/g, "")}${SLOW}` });
  await rig.trust();
  const asked = [1, 2, 4, 8].map((ranMs) => {
    const child = rig.start("claude-code", { args: ["--timeout", "3"] });
    child.stdin.end(JSON.stringify(CALLS["claude-code"]("ls")));
    void starve(child, { fromMs: 2400, ranMs });
    return ended(child);
  });
  for (const { code, stdout } of await Promise.all(asked)) {
    expect(code).toBe(0);
    expect(stdout).toContain('"permissionDecision":"deny"');
  }
});
