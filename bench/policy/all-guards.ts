import { createOrcs } from "orcs";
import { CWD } from "./corpus.ts";
import type { Verdict } from "./corpus.ts";

/** What one of the guards that ship makes of a call, the others being away. */
export interface Stop {
  readonly guard: string;
  readonly verdict: Verdict;
  /** The rule, where the guard names one, else what its reason begins with. */
  readonly rule: string;
}

const GUARDS = ["self-guard", "path-guard", "secret-guard", "shell-guard"] as const;
/** Limits that a line does not reach because the machine has other things to do. */
const PATIENT = { lua: { max_run_ms: 5000, max_chain_ms: 20_000 } };

/** The four guards with their defaults, as an agent has them; `undo` only where calls name folders that are there. */
export async function allGuards(more: readonly string[] = []) {
  const together = await createOrcs({
    config: { hooks: [...GUARDS, ...more].map((name) => ({ script: `orcs:${name}` })) },
    overrides: PATIENT,
  });
  return {
    /** The first stop of a command line, undefined if it passes, and the milliseconds that it took. */
    async judge(line: string, cwd = CWD): Promise<{ stop: Stop | undefined; ms: number }> {
      const call = { tool_name: "exec", args: { command: line }, cwd };
      const began = performance.now();
      const outcome = await together.dispatch("tool.pre_execute", call);
      const ms = performance.now() - began;
      const isAsk = outcome.action === "continue" && outcome.decision === "ask";
      if (outcome.action !== "abort" && !isAsk) return { stop: undefined, ms };
      const reason = String(("reason" in outcome && outcome.reason) || "");
      const [, guard = "?", rule = reason.slice(0, 60)] =
        /^([a-z-]+)(?: \(([^)]+)\))?: /.exec(reason) ?? [];
      return { stop: { guard, verdict: isAsk ? "ask" : "refuse", rule }, ms };
    },
    close: () => together.close(),
  };
}

export type AllGuards = Awaited<ReturnType<typeof allGuards>>;
