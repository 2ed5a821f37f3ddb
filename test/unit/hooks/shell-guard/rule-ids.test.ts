import { expect, test } from "vitest";
import { shellPacks } from "../../../../scripts/generate/shell-rules.ts";
import { guard, judged } from "./guard.ts";
import { CWD, RULE_LINES } from "./rule-lines.ts";

/** For some hundred lines on a machine with other work, in milliseconds. */
const PATIENCE = 60_000;

const OWN = new Set(RULE_LINES.map(([id]) => id.split(".")[0]));

/** The rules of the packs that do not consist of rows, and their levels. */
async function ownRules(): Promise<Map<string, string>> {
  const packs = await shellPacks();
  const rules = packs.flatMap((pack) => (OWN.has(pack.name) ? pack.rules : []));
  return new Map(rules.map(({ id, level }) => [id, level]));
}

test("each rule of shell-guard itself has lines that it denies", async () => {
  const tested = RULE_LINES.map(([id]) => id);
  expect(tested.sort()).toEqual([...(await ownRules()).keys()].sort());
});

test(
  "a refusal names the rule by which it can be switched off",
  async () => {
    const levels = await ownRules();
    const wrong: string[] = [];
    for (const level of ["default", "strict", "paranoid"]) {
      const orcs = await guard({ level, dynamic: "allow" });
      for (const [id, lines] of RULE_LINES) {
        if (levels.get(id) !== level) continue;
        for (const command of lines) {
          const { verdict, reason } = await judged(orcs, { command }, { cwd: CWD });
          if (verdict !== "refuse" || !reason?.startsWith(`shell-guard (${id}): `))
            wrong.push(`${id}: ${command} → ${verdict} ${reason ?? ""}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  },
  PATIENCE,
);
