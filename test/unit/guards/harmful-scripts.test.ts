import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createOrcs } from "../../../src/engine/create-orcs.ts";
import type { Orcs } from "../../../src/engine/orcs/orcs.ts";
import { atFileEnd } from "../../file-end.ts";
import { Lines } from "../engine/orcs/engine.ts";
import { PATIENT } from "../engine/testing/rig.ts";
import { KINDS, WAYS } from "./harmful-scripts.ts";

const places: string[] = [];
const opened: Orcs[] = [];
atFileEnd(async () => {
  for (const orcs of opened) await orcs.close();
  for (const place of places) rmSync(place, { recursive: true });
});

/** A project with some files. */
function project(files: Readonly<Record<string, string>>): string {
  const place = mkdtempSync(join(tmpdir(), "orcs-scripts-"));
  places.push(place);
  const root = join(place, "project");
  for (const [name, text] of Object.entries({ "README.md": "x\n", ...files })) {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, 0o755);
  }
  return root;
}

async function guards(): Promise<Orcs> {
  const orcs = await createOrcs({
    logger: new Lines(),
    overrides: PATIENT,
    config: {
      hooks: [
        { script: "orcs:shell-guard" },
        { script: "orcs:self-guard", options: { verbs: { uninstall: true } } },
      ],
    },
  });
  opened.push(orcs);
  return orcs;
}

async function stopped(orcs: Orcs, command: string, cwd: string): Promise<string | undefined> {
  const payload = { tool_name: "exec", args: { command }, cwd };
  const outcome = await orcs.dispatch("tool.pre_execute", payload as never);
  return outcome.action === "abort" ? outcome.reason : undefined;
}

test("of 400 scripts that do harm, 95 % are denied, with the file and the line", async () => {
  const orcs = await guards();
  const passed: string[] = [];
  const unplaced: string[] = [];
  let count = 0;
  for (const [kind, script] of Object.entries(KINDS)) {
    for (const [way, write] of Object.entries(WAYS)) {
      const { files, line } = write(script);
      const reason = await stopped(orcs, line, project(files));
      count++;
      if (reason === undefined) passed.push(`${kind}, ${way}`);
      else if (!/: in \S+, line \d+: /.test(reason)) unplaced.push(`${kind}, ${way}: ${reason}`);
    }
  }
  console.log(passed.join("\n"));
  expect(count).toBe(400);
  expect(passed.length, passed.join("\n")).toBeLessThanOrEqual(20);
  expect(unplaced).toEqual([]);
}, 60_000);
