import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { fileTables, shellTables } from "../../bench/mutants/tables.ts";
import type { VerdictTable } from "../../bench/mutants/verdict-table.ts";
import { isWholeRun } from "../slow-test.ts";
import { open } from "../unit/engine/orcs/engine.ts";
import { projectIn } from "../unit/hooks/file-guard-calls.ts";
import {
  firstSentence,
  keyOf,
  sentenceOf,
  textsFile,
  withoutPlaces,
} from "../unit/hooks/refusal-texts.ts";

/** Before the tables are made: a home directory that no line names. */
const HOME = vi.hoisted(() => {
  const own = process.env["HOME"] ?? "/";
  process.env["HOME"] = "/home-of-nobody";
  return own;
});

/** For some thousand lines on a machine with other work, in milliseconds. */
const PATIENCE = 300_000;

/** Longer lines are about limits of length. */
const LONGEST = 400;

/**
 * Each sentence that a guard says of the calls that it stops, once, with the first call. In CI, of the calls that the
 * file names, and of one in five of the others: what all of them come to, `npm test` has seen.
 */
async function expectTexts(policy: string, tables: readonly VerdictTable[]): Promise<void> {
  const file = textsFile(policy);
  const lines = readFileSync(file, "utf8").split("\n");
  const named = new Set(lines.map((line) => line.slice(0, line.lastIndexOf("\t"))));
  const found = new Map<string, string>();
  for (const table of tables) {
    const hook = { script: table.script, options: table.options };
    const orcs = await open({ config: { hooks: [hook] } });
    for (const [i, { payload, verdict }] of table.rows.entries()) {
      const { key, dir } = keyOf(table, payload);
      if (!isWholeRun && i % 5 > 0 && !named.has(key)) continue;
      if (verdict === "pass" || key.length > LONGEST) continue;
      // Where it leads depends on where the tests run.
      if (key.includes("/proc/self/cwd")) continue;
      const outcome = await orcs.dispatch("tool.pre_execute", payload as never);
      const told = firstSentence("reason" in outcome ? (outcome.reason ?? "") : "");
      const text = withoutPlaces(told, dir);
      const sentence = sentenceOf(text);
      if (!found.has(sentence)) found.set(sentence, `${key}\t${text}`);
    }
    await orcs.close();
  }
  await expect(`${[...found.values()].join("\n")}\n`).toMatchFileSnapshot(file);
}

test(
  "shell-guard names the rule and the command for each line that it stops",
  async () => {
    const levels = ["default", "strict", "paranoid"];
    const names = new Set(
      [...levels, "verdicts", ...levels.map((level) => `rules of ${level}`)].map(
        (name) => `shell-guard, ${name}`,
      ),
    );
    const tables = (await shellTables()).filter(({ name }) => names.has(name));
    await expectTexts("shell-guard", tables);
  },
  PATIENCE,
);

test.each(["path-guard", "secret-guard", "self-guard"])(
  "%s names the file for each call that it stops",
  async (policy) => {
    const [project, empty] = [HOME, tmpdir()].map((above) => {
      const dir = realpathSync(mkdtempSync(join(above, ".orcs-texts-")));
      onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
      return dir;
    }) as [string, string];
    const names = new Set([`${policy}, lines`, `${policy}, verdicts`]);
    const tables = fileTables(projectIn(project), empty).filter(({ name }) => names.has(name));
    await expectTexts(policy, tables);
  },
  PATIENCE,
);
