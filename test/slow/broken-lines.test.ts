import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createOrcs } from "../../src/engine/create-orcs.ts";
import { brokenLines, pushesOf } from "../unit/matching/shell/broken-lines.ts";

const COUNT = Number(process.env["ORCS_BROKEN_LINES"] ?? 400);
const seed = Number(process.env["ORCS_BROKEN_SEED"] ?? 1);

const HOOK = {
  id: "no-force-push",
  point: "tool.pre_execute",
  match: { runs: ["git push --force"] },
  handler_inline: `return orcs.deny("open a pull request")`,
};

const lines = fc.sample(brokenLines, { numRuns: COUNT, seed });
const pushes = pushesOf(lines);

test.each(["thread", "worker"] as const)(
  "the first guard of the README denies malformed lines with which bash would push, on the %s",
  async (isolation) => {
    const lua = { isolation, max_run_ms: 5_000, max_chain_ms: 20_000 };
    const orcs = await createOrcs({ config: { hooks: [HOOK], lua } });
    const missed: string[] = [];
    for (const [at, command] of lines.entries()) {
      if (pushes[at] !== true) continue;
      const payload = { tool_name: "exec", args: { command } };
      const outcome = await orcs.dispatch("tool.pre_execute", payload);
      const isRefused =
        outcome.action === "abort" && outcome.reason.endsWith("open a pull request");
      if (!isRefused) missed.push(command.replaceAll(/x{99,}/g, "x…"));
    }
    await orcs.close();
    expect(missed).toStrictEqual([]);
    expect(pushes.filter(Boolean).length).toBeGreaterThan(COUNT / 3);
  },
);
