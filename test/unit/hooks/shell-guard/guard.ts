import type { JsonObject } from "../../../../src/core/json.ts";
import { loadedGuard } from "../loaded-guard.ts";
import type { Orcs } from "../../../../src/engine/orcs/orcs.ts";

export type Verdict = "pass" | "refuse" | "ask";

interface Judgement {
  readonly verdict: Verdict;
  readonly reason: string | undefined;
}

/** The working directory of the lines that are judged. */
export const CWD = "/work/project";

/** shell-guard with these options. */
export function guard(options: JsonObject = {}): Promise<Orcs> {
  return loadedGuard("shell-guard", options);
}

/** What becomes of a call with these arguments. */
export async function judged(
  orcs: Orcs,
  args: JsonObject,
  payload: JsonObject = { cwd: CWD },
): Promise<Judgement> {
  const outcome = await orcs.dispatch("tool.pre_execute", { tool_name: "exec", args, ...payload });
  const reason = "reason" in outcome ? outcome.reason : undefined;
  if (outcome.action === "abort") return { verdict: "refuse", reason };
  const asks = outcome.action === "continue" && outcome.decision === "ask";
  return { verdict: asks ? "ask" : "pass", reason };
}
