import { describe, expect } from "vitest";
import { EVERYDAY } from "./everyday.ts";
import { guard, judged } from "./guard.ts";
import { quickTest as test, repeatedTest, shareOf } from "../../../slow-test.ts";
import { TABLE } from "./table.ts";
import { verdictLines } from "../verdict-lines.ts";

const judgements = new Map<string, ReturnType<typeof judged>>();

/** What becomes of a line at a level. Several tests look at it, and it is judged once. */
async function judgedAt(level: string, line: string): ReturnType<typeof judged> {
  const key = `${level} ${line}`;
  const known = judgements.get(key);
  if (known) return known;
  const judging = judged(await guard({ level }), { command: line });
  judgements.set(key, judging);
  return judging;
}

/** For some thousand lines on a machine with other work, in milliseconds. */
const PATIENCE = 120_000;

test("shell-guard has at least 4,500 distinct lines with a verdict, half of them allowed", () => {
  expect(new Set(TABLE.map(({ level, line }) => `${level} ${line}`)).size).toBe(TABLE.length);
  const verdicts = new Map<string, string>([
    ...TABLE.map(({ level, line, verdict }) => [`${level} ${line}`, verdict] as const),
    ...verdictLines("shell-guard").map(([line, verdict]) => [`default ${line}`, verdict] as const),
    ...EVERYDAY.map((line) => [`default ${line}`, "pass"] as const),
  ]);
  expect(verdicts.size).toBeGreaterThanOrEqual(4500);
  const passing = [...verdicts.values()].filter((verdict) => verdict === "pass").length;
  expect(passing * 2).toBeGreaterThanOrEqual(verdicts.size);
});

describe.each(["default", "strict", "paranoid"])("shell-guard at level %s", (level) => {
  repeatedTest(
    "gives each line of the table its verdict, and a short reason that names a rule",
    async () => {
      const wrong: string[] = [];
      const rows = TABLE.filter((row) => row.level === level);
      for (const { trick, line, verdict } of shareOf(rows, 3)) {
        const { verdict: given, reason } = await judgedAt(level, line);
        if (given !== verdict)
          wrong.push(`${trick}: ${line} → ${given}, not ${verdict} ${reason ?? ""}`);
        if (given !== "pass" && level === "default")
          expect(reason, line).toMatch(/^shell-guard \([a-z-]+\.[a-z-]+\): [^\n]{20,320}[.]$/);
      }
      expect(wrong).toEqual([]);
    },
    PATIENCE,
  );
});

repeatedTest(
  "shell-guard: higher levels deny what lower levels deny",
  async () => {
    const wrong: string[] = [];
    const refused = TABLE.filter(({ verdict }) => verdict === "refuse");
    for (const { line, level } of shareOf(refused, 12)) {
      if (level === "default" && (await judgedAt("strict", line)).verdict !== "refuse")
        wrong.push(line);
      if ((await judgedAt("paranoid", line)).verdict !== "refuse") wrong.push(line);
    }
    expect(wrong).toEqual([]);
  },
  PATIENCE,
);

repeatedTest("shell-guard neither denies nor asks about everyday commands", async () => {
  expect(new Set(EVERYDAY).size).toBe(EVERYDAY.length);
  expect(EVERYDAY.length).toBeGreaterThanOrEqual(300);
  const orcs = await guard();
  const wrong: string[] = [];
  for (const command of shareOf(EVERYDAY, 3)) {
    const { verdict, reason } = await judged(orcs, { command });
    if (verdict !== "pass") wrong.push(`${command} → ${verdict}: ${reason ?? ""}`);
  }
  expect(wrong).toEqual([]);
});
