import { expect } from "vitest";
import { partOf, quickTest as test, repeatedTest } from "../../../slow-test.ts";
import { guard, judged } from "./guard.ts";
import { SELECTIONS } from "./option-rows.ts";
import { TABLE } from "./table.ts";

test.each(SELECTIONS)("with %j, lines get their verdicts", async (options, lines) => {
  const orcs = await guard(options);
  for (const [command, verdict] of Object.entries(lines)) {
    const given = await judged(orcs, { command });
    expect(given.verdict, `${command} ${given.reason ?? ""}`).toBe(verdict);
  }
});

repeatedTest("a disabled rule changes nothing for lines that other rules deny", async () => {
  const ids = ["git.push-force", "files.rm-root"];
  const [all, without] = [await guard(), await guard({ disable: ids })];
  const wrong: string[] = [];
  const seen = new Set<string>();
  const denied = TABLE.filter(({ level, verdict }) => level === "default" && verdict === "refuse");
  for (const { line } of partOf(denied, 12)) {
    const { reason: before = "" } = await judged(all, { command: line });
    const { verdict, reason = "" } = await judged(without, { command: line });
    const its = ids.find((id) => before.startsWith(`shell-guard (${id})`));
    if (its !== undefined) seen.add(its);
    if (its === undefined ? verdict !== "refuse" : reason.includes(`(${its})`)) wrong.push(line);
  }
  expect(wrong).toEqual([]);
  expect(seen.size).toBe(ids.length);
});
