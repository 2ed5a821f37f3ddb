import { describe, expect, test } from "vitest";
import { EVERYDAY } from "./everyday.ts";
import { guard, judged } from "./guard.ts";
import { TABLE } from "./table.ts";

/** For some thousand lines on a machine with other work, in milliseconds. */
const PATIENCE = 120_000;

test("the shell-guard table has at least 2,500 distinct lines, half of them allowed", () => {
  expect(TABLE.length).toBeGreaterThanOrEqual(2_500);
  expect(new Set(TABLE.map(({ level, line }) => `${level} ${line}`)).size).toBe(TABLE.length);
  const passing = TABLE.filter(({ verdict }) => verdict === "pass").length;
  expect(passing * 2).toBeGreaterThanOrEqual(TABLE.length);
});

describe.each(["default", "strict", "paranoid"])("shell-guard at level %s", (level) => {
  test(
    "gives each line of the table its verdict",
    async () => {
      const orcs = await guard({ level });
      const wrong: string[] = [];
      for (const { trick, line, verdict } of TABLE.filter((row) => row.level === level)) {
        const { verdict: given, reason } = await judged(orcs, { command: line });
        if (given !== verdict)
          wrong.push(`${trick}: ${line} → ${given}, not ${verdict} ${reason ?? ""}`);
      }
      expect(wrong).toEqual([]);
    },
    PATIENCE,
  );
});

test(
  "shell-guard: higher levels deny what lower levels deny",
  async () => {
    const strict = await guard({ level: "strict" });
    const paranoid = await guard({ level: "paranoid" });
    const wrong: string[] = [];
    for (const { line, verdict, level } of TABLE) {
      if (verdict !== "refuse") continue;
      if (level === "default" && (await judged(strict, { command: line })).verdict !== "refuse")
        wrong.push(line);
      if ((await judged(paranoid, { command: line })).verdict !== "refuse") wrong.push(line);
    }
    expect(wrong).toEqual([]);
  },
  PATIENCE,
);

test(
  "shell-guard: reasons start with the policy and the rule, and are short",
  async () => {
    const orcs = await guard();
    for (const { line, verdict, level } of TABLE) {
      if (level !== "default" || verdict === "pass") continue;
      const { reason } = await judged(orcs, { command: line });
      expect(reason, line).toMatch(/^shell-guard \([a-z-]+\.[a-z-]+\): [^\n]{20,320}[.]$/);
    }
  },
  PATIENCE,
);

test("shell-guard neither denies nor asks about everyday commands", async () => {
  expect(new Set(EVERYDAY).size).toBe(EVERYDAY.length);
  expect(EVERYDAY.length).toBeGreaterThanOrEqual(300);
  const orcs = await guard();
  const wrong: string[] = [];
  for (const command of EVERYDAY) {
    const { verdict, reason } = await judged(orcs, { command });
    if (verdict !== "pass") wrong.push(`${command} → ${verdict}: ${reason ?? ""}`);
  }
  expect(wrong).toEqual([]);
});
