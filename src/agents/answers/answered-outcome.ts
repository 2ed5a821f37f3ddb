import { ANSWERED, effectTexts, GATING_POINTS, subjectOf, textIn } from "../../core/index.ts";
import type { AgentName, JsonObject, Logger, Outcome, PointName } from "../../core/index.ts";
import type { Orcs } from "../../engine/index.ts";
import { askPerson } from "./ask-person.ts";
import { PendingQuestions } from "./pending-questions.ts";

/** Whether a hook asks about a call, and somebody besides the agent's own dialog may answer. */
export function waitsForSomebody(
  outcome: Outcome,
  point: PointName,
  { settings }: Orcs,
): outcome is Outcome & { action: "continue" } {
  const isAsked = outcome.action === "continue" && outcome.decision === "ask";
  return isAsked && GATING_POINTS.has(point) && settings.hil.answer.some((way) => way !== "agent");
}

/**
 * What becomes of a call that a hook wants approved, once a person has answered: it is allowed as the hooks left it, or
 * denied. Recorded in the audit log, with who answered. Never rejects.
 * @param until when its agent waits no longer, in milliseconds since 1970
 */
export async function answeredOutcome(
  agent: AgentName,
  outcome: Outcome & { action: "continue" },
  orcs: Orcs,
  until: number,
  logger: Logger,
): Promise<Outcome> {
  const { ctx, inject, hook, reason, warnings } = outcome;
  const { payload } = ctx;
  const [tool, args] = [String(payload["tool_name"]), (payload["args"] ?? {}) as JsonObject];
  const [cwd, session] = [textIn(payload, "cwd"), textIn(payload, "session_id") ?? ""];
  const shown = orcs.shownArgs({ ...payload, tool_name: tool, args });
  const about = subjectOf({ tool_name: tool, args: shown }) ?? JSON.stringify(shown);
  const said = orcs.redact({
    tool,
    effects: [...effectTexts(orcs.effects(payload), cwd)],
    ...(reason !== undefined && { reason }),
  });
  const ways = orcs.settings.hil;
  const isEnforced = hook !== undefined && (orcs.registry.get(hook)?.rank ?? 0) < 0;
  const call = { about, args: shown, hook, isEnforced, agent, cwd, session };
  const text = { ...said, ...call, ways: ways.answer };
  const digest = PendingQuestions.digestOf(tool, args, cwd, { hook, reason });
  const answer = await askPerson(text, digest, until, ways, logger);
  const refusal = answer.approved ? undefined : answer.why;
  await orcs.answered({ ctx, tool, args, hook, reason }, refusal, answer.by);
  if (answer.approved) {
    return { ...outcome, decision: "allow", reason: `approved by ${answer.by}` };
  }
  const why = reason === undefined ? answer.why : `${answer.why}: ${reason}`;
  const told = warnings ? { warnings } : {};
  return { ctx, inject, ...told, action: "abort", hook: hook ?? ANSWERED, reason: why };
}
