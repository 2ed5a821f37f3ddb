import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkCommand } from "cc-safety-net/api";
import { createOrcs } from "orcs";
import type { JsonObject } from "orcs";
import { CWD } from "./corpus.ts";
import type { Line, Verdict } from "./corpus.ts";

/** What is measured. */
export interface Guard {
  readonly name: string;
  judge(line: Judged): Verdict | Promise<Verdict>;
  close(): Promise<void>;
}

type Judged = Pick<Line, "line" | "cwd" | "shell">;

/** The options of shell-guard under which the lines are judged. */
export const PRESETS = {
  default: {},
  strict: { level: "strict" },
  "default, all packs": { enable: ["*"] },
  "strict, all packs": { level: "strict", enable: ["*"] },
} as const satisfies Readonly<Record<string, JsonObject>>;

export type Preset = keyof typeof PRESETS;

/** Limits that a line does not reach because the machine has other things to do. */
const PATIENT = { lua: { max_run_ms: 5000, max_chain_ms: 20_000 } };

/** shell-guard under a preset. */
export async function shellGuard(preset: Preset): Promise<Guard> {
  const hook = { script: "orcs:shell-guard", options: PRESETS[preset] };
  const orcs = await createOrcs({ config: { hooks: [hook] }, overrides: PATIENT });
  return {
    name: preset,
    async judge({ line, cwd = CWD, shell }) {
      const call = { tool_name: shell ?? "exec", args: { command: line }, cwd };
      const outcome = await orcs.dispatch("tool.pre_execute", call);
      if (outcome.action === "abort") return "refuse";
      return outcome.action === "continue" && outcome.decision === "ask" ? "ask" : "pass";
    },
    close: () => orcs.close(),
  };
}

/** The presets whose options the guard has: those with packs only where it has packs. */
export async function knownPresets(): Promise<Preset[]> {
  const presets = Object.keys(PRESETS) as Preset[];
  const known = await Promise.all(
    presets.map((preset) =>
      shellGuard(preset).then(
        (guard) => guard.close().then(() => true),
        () => false,
      ),
    ),
  );
  return presets.filter((_, index) => known[index]);
}

/** cc-safety-net from npm, as a function in this process. It knows no question: what it stops, it refuses. */
export function safetyNet(): Guard {
  // It looks at the working directory, which has to exist.
  const project = mkdtempSync(join(tmpdir(), "orcs-policy-"));
  return {
    name: "cc-safety-net",
    judge({ line, cwd = project }) {
      if (line.trim() === "") return "pass";
      const { kind } = checkCommand({ command: line, cwd: existsSync(cwd) ? cwd : project });
      return kind === "deny" ? "refuse" : "pass";
    },
    close: async () => rmSync(project, { recursive: true }),
  };
}
