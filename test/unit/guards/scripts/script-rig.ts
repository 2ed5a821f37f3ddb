import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createOrcs } from "../../../../src/engine/create-orcs.ts";
import type { Orcs } from "../../../../src/engine/orcs/orcs.ts";
import { atFileEnd } from "../../../file-end.ts";
import { Lines } from "../../engine/orcs/engine.ts";
import { PATIENT } from "../../engine/testing/rig.ts";

const places: string[] = [];
const opened: Orcs[] = [];
atFileEnd(async () => {
  for (const orcs of opened) await orcs.close();
  for (const place of places) rmSync(place, { recursive: true, force: true });
});

/** A project with some files, which may be run. */
export function project(files: Readonly<Record<string, string>>): string {
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

/** shell-guard and self-guard, and others that ship. */
export async function guards(lua: object = {}, others: readonly string[] = []): Promise<Orcs> {
  const orcs = await createOrcs({
    logger: new Lines(),
    overrides: PATIENT,
    config: {
      ...lua,
      hooks: [
        ...others.map((name) => ({ script: `orcs:${name}` })),
        { script: "orcs:shell-guard" },
        {
          script: "orcs:self-guard",
          options: { verbs: { uninstall: true }, settings: [".claude/settings.json"] },
        },
      ],
    },
  });
  opened.push(orcs);
  return orcs;
}

/** What becomes of a line: `pass`, or `ask` or `deny` with the reason. */
export async function verdict(orcs: Orcs, command: string, cwd: string): Promise<string> {
  const payload = { tool_name: "exec", args: { command }, cwd };
  const outcome = await orcs.dispatch("tool.pre_execute", payload as never);
  if (outcome.action === "abort") return `deny ${outcome.reason}`;
  if (outcome.action === "continue" && outcome.decision === "ask") return `ask ${outcome.reason}`;
  return "pass";
}
